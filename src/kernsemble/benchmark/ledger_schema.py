"""The tables of a ledger file, their version, and the way from older versions to this one."""

import json

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
