"""The tables of a ledger file, their version, and the way from older versions to this one."""

import json
import sqlite3
import time
from functools import cache

from .ledger_errors import LOCK_SECONDS, damaged

#: "kens" in ASCII: tells a ledger from any other SQLite file.
APPLICATION = 0x6B656E73

#: Version of the tables, which the file keeps as its `user_version`.
VERSION = 2

_TABLES = (
    """
    CREATE TABLE makers (
        id INTEGER PRIMARY KEY,
        content TEXT NOT NULL UNIQUE
    )
    """,
    """
    CREATE TABLE results (
        dataset TEXT NOT NULL,
        method TEXT NOT NULL,
        protocol TEXT NOT NULL,
        split TEXT NOT NULL,
        seed INTEGER NOT NULL,
        train_rows INTEGER NOT NULL DEFAULT 0,
        accuracy REAL,
        balanced_accuracy REAL,
        n_train INTEGER,
        n_test INTEGER,
        data_digest TEXT,
        choice INTEGER,
        params TEXT,
        measures TEXT,
        failure TEXT,
        tune_seconds REAL,
        fit_seconds REAL,
        predict_seconds REAL,
        finished TEXT NOT NULL,
        maker INTEGER NOT NULL REFERENCES makers(id),
        code TEXT,
        PRIMARY KEY (dataset, method, protocol, split, seed, train_rows)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE claims (
        dataset TEXT NOT NULL,
        method TEXT NOT NULL,
        protocol TEXT NOT NULL,
        split TEXT NOT NULL,
        seed INTEGER NOT NULL,
        train_rows INTEGER NOT NULL DEFAULT 0,
        runner TEXT NOT NULL,
        PRIMARY KEY (dataset, method, protocol, split, seed, train_rows)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE commands (
        started TEXT NOT NULL,
        command TEXT NOT NULL,
        environment TEXT NOT NULL
    )
    """,
    """
    CREATE TABLE datasets (
        dataset TEXT NOT NULL PRIMARY KEY,
        data_digest TEXT,
        n_rows INTEGER NOT NULL,
        n_columns INTEGER NOT NULL,
        n_classes INTEGER NOT NULL,
        majority_share REAL NOT NULL,
        minority_share REAL NOT NULL,
        categorical_share REAL NOT NULL,
        missing_share REAL NOT NULL
    ) WITHOUT ROWID
    """,
)
_MAKERS, _RESULTS, _CLAIMS, _COMMANDS, _DATASETS = _TABLES


def create_tables(database):
    """Make the tables of a new ledger; the caller holds the transaction."""
    for statement in _TABLES:
        database.execute(statement)
    database.execute(f"PRAGMA application_id = {APPLICATION}")
    database.execute(f"PRAGMA user_version = {VERSION}")


def write_ahead(database):
    """Let several processes read and write the file at once.

    While another process does the same, SQLite reports that the file is locked without the wait of
    other statements.
    """
    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            database.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
        time.sleep(0.01)


def column_names(database):
    """Return table → the names of its columns, which are none where the table is missing."""
    return {table: list(columns) for table, columns in _columns(database).items()}


def _columns(database):
    """Return table → column → (type, whether it must have a value, place in the key)."""
    return {
        table: {
            name: (kind, bool(required), place)
            for _, name, kind, required, _, place in database.execute(f"PRAGMA table_info({table})")
        }
        for table in ("makers", "results", "claims", "commands", "datasets")
    }


@cache
def _new_columns():
    database = sqlite3.connect(":memory:")
    try:
        create_tables(database)
        return _columns(database)
    finally:
        database.close()


def check_tables(database, path):
    """Raise a `UserError` that names what is missing in the tables of a ledger, or too much.

    Parameters
    ----------
    database : sqlite3.Connection
        The open ledger, whose tables should be those of this version.
    path : path-like
        Where the ledger is, for the message.
    """
    found = _columns(database)
    for table, wanted in _new_columns().items():
        columns = found[table]
        if not columns:
            raise damaged(path, f"it has no table {table}")
        missing = [name for name in wanted if name not in columns]
        unknown = [name for name in columns if name not in wanted]
        changed = [name for name in wanted if columns.get(name, wanted[name]) != wanted[name]]
        parts = [
            f"{what} {', '.join(names)}"
            for what, names in (
                ("lacks", missing),
                ("also has", unknown),
                ("has another", changed),
            )
            if names
        ]
        if parts:
            raise damaged(path, f"the table {table} {' and '.join(parts)}")
    # A trigger is run when a row is written, and a view whenever it is read.
    others = database.execute(
        "SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view')"
    )
    for kind, name in others:
        raise damaged(path, f"it has a {kind} named {name}, which no ledger has")


def migrate(database, version):
    """Bring the tables from `version` to this one; the caller holds the transaction."""
    for step in _STEPS[version:]:
        step(database)
    database.execute(f"PRAGMA user_version = {VERSION}")


def _add_code_and_measures(database):
    """Add the columns `code` and `measures`; old rows have only the version of the package."""
    database.execute("ALTER TABLE results ADD COLUMN code TEXT")
    database.execute("ALTER TABLE results ADD COLUMN measures TEXT DEFAULT '{}'")
    for number, content in database.execute("SELECT id, content FROM makers").fetchall():
        versions = json.loads(content).get("versions", {})
        database.execute(
            "UPDATE results SET code = ? WHERE maker = ?", [versions.get("kernsemble"), number]
        )


def _add_train_rows_and_datasets(database):
    """Make the number of training rows part of the key, and a table of facts about data sets.

    SQLite cannot change the key of a table, so the rows move into a new one. Claims belong to
    runners, which an older kernsemble has ended or will lose to this one.
    """
    database.execute("ALTER TABLE results RENAME TO old_results")
    database.execute(_RESULTS)
    names = [row[1] for row in database.execute("PRAGMA table_info(old_results)")]
    listed = ", ".join(names)
    database.execute(f"INSERT INTO results ({listed}) SELECT {listed} FROM old_results")
    database.execute("DROP TABLE old_results")
    database.execute("DROP TABLE claims")
    database.execute(_CLAIMS)
    database.execute(_DATASETS)


# The step at place n leads from version n to version n + 1.
_STEPS = (_add_code_and_measures, _add_train_rows_and_datasets)
