"""Every result of a study, in one SQLite file that survives whatever ends the program.

A row is written in the transaction that ends its cell's claim, so a cell is missing, claimed or
finished and never half of each. A claim names a runner, a runner holds a lock that the operating
system frees when it dies, and a claim without a living runner is free again.
"""

import json
import sqlite3
import threading
import uuid
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from ..errors import UserError
from .locks import HeldLock, is_held

__all__ = ["Cell", "Ledger"]

# "kens" in ASCII: tells a ledger from any other SQLite file.
_APPLICATION = 0x6B656E73
_SCHEMA = """
CREATE TABLE makers (
    id INTEGER PRIMARY KEY,
    content TEXT NOT NULL UNIQUE
);
CREATE TABLE results (
    dataset TEXT NOT NULL,
    method TEXT NOT NULL,
    protocol TEXT NOT NULL,
    split TEXT NOT NULL,
    seed INTEGER NOT NULL,
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
    PRIMARY KEY (dataset, method, protocol, split, seed)
) WITHOUT ROWID;
CREATE TABLE claims (
    dataset TEXT NOT NULL,
    method TEXT NOT NULL,
    protocol TEXT NOT NULL,
    split TEXT NOT NULL,
    seed INTEGER NOT NULL,
    runner TEXT NOT NULL,
    PRIMARY KEY (dataset, method, protocol, split, seed)
) WITHOUT ROWID;
CREATE TABLE commands (
    started TEXT NOT NULL,
    command TEXT NOT NULL,
    environment TEXT NOT NULL
);
"""
_MEASURED = (
    "accuracy",
    "balanced_accuracy",
    "n_train",
    "n_test",
    "data_digest",
    "choice",
    "failure",
    "tune_seconds",
    "fit_seconds",
    "predict_seconds",
)
_NUMBERS = [name for name in _MEASURED if name not in ("data_digest", "failure")]
_WHERE = "dataset = ? AND method = ? AND protocol = ? AND split = ? AND seed = ?"


class Cell(NamedTuple):
    """The key of a row."""

    dataset: str
    method: str
    protocol: str
    split: str
    seed: int


class Ledger:
    """Results and claims in the SQLite file at `path`; made when it is not there.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder, Ledger(f"{folder}/a.sqlite") as ledger:
    ...     cell = Cell("iris", "SVM", "nested", "0", 0)
    ...     claimed = ledger.claim(cell)
    ...     ledger.record(cell, {"accuracy": 0.9}, {"method": "SVM"})
    ...     (claimed, ledger.claim(cell), len(ledger.results()))
    (True, False, 1)
    """

    def __init__(self, path, *, must_exist=False):
        self.path = Path(path)
        self._mutex = threading.Lock()
        self._lock = None
        self._runner = None
        if must_exist and not self.path.is_file():
            raise UserError(f"There is no ledger {self.path}.")
        if not self.path.parent.is_dir():
            raise UserError(f"There is no folder {self.path.parent} for the ledger.")
        with self._explained():
            # Joblib pulls the next cell, and so its claim, from a thread of its own.
            self._database = sqlite3.connect(
                self.path, timeout=60, isolation_level=None, check_same_thread=False
            )
            try:
                self._prepare()
            except BaseException:
                self._database.close()
                raise

    def _prepare(self):
        self._database.execute("PRAGMA journal_mode = WAL")
        with self._transaction():
            tables = self._database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            known = self._database.execute("PRAGMA application_id").fetchone()[0] == _APPLICATION
            if tables and not known:
                raise UserError(f"{self.path} is a database, but no kernsemble ledger.")
            if not tables:
                for statement in filter(str.strip, _SCHEMA.split(";")):
                    self._database.execute(statement)
                self._database.execute(f"PRAGMA application_id = {_APPLICATION}")
        problem = self._database.execute("PRAGMA quick_check(1)").fetchone()[0]
        if problem != "ok":
            raise sqlite3.DatabaseError(problem)

    @contextmanager
    def _explained(self):
        """Turn what SQLite reports into a message that says what to do."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise UserError(
                f"The ledger {self.path} cannot be written: {error}. "
                "What it holds is safe; make room and start again."
            ) from error
        except sqlite3.DatabaseError as error:
            raise UserError(
                f"{self.path} is no ledger or is damaged: {error}. It was left as it is; "
                "move it away, or name another ledger."
            ) from error

    @contextmanager
    def _transaction(self, *, durable=True):
        with self._mutex:
            # What is committed survives a kill in any case. A durable commit is on the disk too
            # and survives a power cut; a lost claim costs nothing.
            self._database.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._database.execute("COMMIT")
            except BaseException:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Give back unfinished claims and close the file."""
        if self._lock is not None:
            with self._explained(), self._transaction():
                self._database.execute("DELETE FROM claims WHERE runner = ?", [self._runner])
            self._lock.release()
            self._lock = None
        self._database.close()

    def note_command(self, command, environment):
        """Keep the command of a run and the versions it ran with."""
        with self._explained(), self._transaction():
            self._database.execute(
                "INSERT INTO commands VALUES (?, ?, ?)", [_now(), command, json.dumps(environment)]
            )

    def commands(self):
        """Return (time, command, environment) of every run."""
        with self._explained():
            rows = self._database.execute("SELECT * FROM commands ORDER BY rowid").fetchall()
        return [(time, command, json.loads(text)) for time, command, text in rows]

    def claim(self, cell):
        """Take a cell; False where it is finished or a living runner has it."""
        if self._lock is None:
            self._runner = uuid.uuid4().hex
            self._lock = HeldLock(self._lock_path(self._runner))
            for left_behind in self.path.parent.glob(f"{self.path.name}.*.lock"):
                is_held(left_behind)
        with self._explained(), self._transaction(durable=False):
            finished = self._database.execute(f"SELECT 1 FROM results WHERE {_WHERE}", cell)
            if finished.fetchone():
                return False
            holder = self._database.execute(f"SELECT runner FROM claims WHERE {_WHERE}", cell)
            row = holder.fetchone()
            if row and is_held(self._lock_path(row[0])):
                return False
            self._database.execute(
                "INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?, ?)", [*cell, self._runner]
            )
        return True

    def _lock_path(self, runner):
        return self.path.with_name(f"{self.path.name}.{runner}.lock")

    def record(self, cell, outcome, maker):
        """Write the row of a cell and end its claim, in one transaction.

        Parameters
        ----------
        cell : Cell
        outcome : dict
            What `evaluate_cell` returns, or {"failure": reason}.
        maker : dict
            Protocol, method with its grid, and versions.
        """
        row = {name: outcome.get(name) for name in _MEASURED}
        for name in ("params", "measures"):
            row[name] = json.dumps(outcome.get(name) or {}, sort_keys=True)
        row["finished"] = _now()
        with self._explained(), self._transaction():
            row["maker"] = self._maker(maker)
            names = ", ".join((*Cell._fields, *row))
            marks = ", ".join("?" * (len(cell) + len(row)))
            self._database.execute(
                f"INSERT INTO results ({names}) VALUES ({marks})", [*cell, *row.values()]
            )
            self._database.execute(f"DELETE FROM claims WHERE {_WHERE}", cell)

    def _maker(self, maker):
        content = json.dumps(maker, sort_keys=True)
        self._database.execute("INSERT OR IGNORE INTO makers (content) VALUES (?)", [content])
        found = self._database.execute("SELECT id FROM makers WHERE content = ?", [content])
        return found.fetchone()[0]

    def finished(self):
        """Return the choice of parameters and the failure of every finished cell."""
        with self._explained():
            rows = self._database.execute(
                f"SELECT {', '.join(Cell._fields)}, choice, failure FROM results"
            ).fetchall()
        return {Cell(*row[:5]): (row[5], row[6]) for row in rows}

    def makers(self):
        """Return how the results of every method were made, with the cells' method and protocol."""
        with self._explained():
            rows = self._database.execute(
                "SELECT DISTINCT method, protocol, content FROM results "
                "JOIN makers ON makers.id = results.maker"
            ).fetchall()
        return [(method, protocol, json.loads(content)) for method, protocol, content in rows]

    def forget_failures(self, cells):
        """Remove the rows of failed cells, so that they run again; return how many."""
        with self._explained(), self._transaction():
            done = self._database.executemany(
                f"DELETE FROM results WHERE failure IS NOT NULL AND {_WHERE}", cells
            )
        return done.rowcount

    def results(self):
        """Return all rows, with the maker's number and a column for each further measure."""
        with self._explained():
            rows = pd.read_sql_query("SELECT * FROM results", self._database)
        measures = pd.DataFrame(
            [json.loads(text) for text in rows.pop("measures")], index=rows.index, dtype=float
        )
        # A column of which every cell failed would come as objects.
        return rows.astype(dict.fromkeys(_NUMBERS, float)).join(measures)


def _now():
    return datetime.now(UTC).isoformat(timespec="seconds")
