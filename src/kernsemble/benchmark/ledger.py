"""Keep every result of a study in one SQLite file, whatever ends the program.

A row is written in the transaction that ends the claim of its cell, so a cell is missing, claimed
or finished, and never half of one. A claim names a runner. A runner holds a lock that the operating
system frees when the runner dies, and a claim without a living runner is free again.
"""

import json
import os
import sqlite3
import threading
import uuid
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from ..environment import code_version
from ..errors import UserError
from .dataset_facts import FACTS, facts_table, write_facts
from .ledger_errors import LOCK_SECONDS, damaged, explained
from .ledger_rows import check_rows, is_complete
from .ledger_schema import APPLICATION, VERSION, check_tables, create_tables, migrate, write_ahead
from .locks import HeldLock, is_held, remove_dead_locks

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


class Cell(NamedTuple):
    """One split of one data set for one method under one protocol: the key of a result.

    `train_rows` is the number of rows that were drawn from the training part; 0 means all of it.
    """

    dataset: str
    method: str
    protocol: str
    split: str
    seed: int
    train_rows: int = 0


_WHERE = " AND ".join(f"{name} = ?" for name in Cell._fields)


class Ledger:
    """Results and claims in the SQLite file at `path`, which is made if it does not exist.

    Parameters
    ----------
    path : path-like
    must_exist : bool, default=False
        Whether a missing file is an error.

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
        # Runners that reach one file by several paths must see each other's locks.
        self._real_path = Path(os.path.realpath(path))
        self._mutex = threading.Lock()
        self._lock = None
        self._runner = None
        # Data set → digest of the rows whose facts this object has written.
        self._noted: dict[str, str | None] = {}
        self._identity: os.stat_result | None = None
        if must_exist and not self._real_path.is_file():
            raise UserError(f"There is no ledger {self.path}.")
        if self._real_path.is_dir():
            raise UserError(f"{self.path} is a folder; name a file for the ledger.")
        if not self._real_path.parent.is_dir():
            raise UserError(f"There is no folder {self._real_path.parent} for the ledger.")
        with explained(self.path):
            # Joblib takes the next cell, and so claims it, in a thread of its own.
            self._database = sqlite3.connect(
                self._real_path,
                timeout=LOCK_SECONDS,
                isolation_level=None,
                check_same_thread=False,
            )
            try:
                self._prepare()
                self._identity = os.stat(self._real_path)
            except BaseException:
                self._database.close()
                raise

    def _prepare(self):
        # What a file defines itself is not run, and damage is noticed where it is read.
        self._database.execute("PRAGMA trusted_schema = OFF")
        self._database.execute("PRAGMA cell_size_check = ON")
        # Nothing is written, not even the journal mode, before the file is known to be ours.
        version = self._read_version()
        if version is not None:
            problem = self._database.execute("PRAGMA quick_check(1)").fetchone()[0]
            if problem != "ok":
                raise damaged(self.path, problem)
            if version == VERSION:
                check_tables(self._database, self.path)
            check_rows(self._database, self.path)
        if version != VERSION:
            with self._transaction():
                # Another process may have done the work in the meantime.
                version = self._read_version()
                if version is None:
                    create_tables(self._database)
                elif version < VERSION:
                    migrate(self._database, version)
                check_tables(self._database, self.path)
        write_ahead(self._database)

    def _read_version(self):
        """Return the version of the tables, None where there are none yet."""
        tables, application, version = (
            self._database.execute(query).fetchone()[0]
            for query in (
                "SELECT count(*) FROM sqlite_master",
                "PRAGMA application_id",
                "PRAGMA user_version",
            )
        )
        if not tables:
            return None
        if application != APPLICATION:
            raise UserError(f"{self.path} is a database, but no kernsemble ledger.")
        if version > VERSION:
            raise UserError(
                f"The ledger {self.path} was written by a newer kernsemble: its tables have "
                f"version {version}, and this kernsemble knows those up to {VERSION}. Install a "
                "newer kernsemble, or name another ledger."
            )
        return version

    @contextmanager
    def _transaction(self, *, durable=True):
        with self._mutex:
            self._check_place()
            # Every commit survives a kill. A durable one is written through to the disk and
            # survives a loss of power too, which a claim need not.
            self._database.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            self._database.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._database.execute("COMMIT")
            except BaseException:
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                raise

    def _check_place(self):
        """Refuse to write to a file that nobody would find: SQLite itself would not notice."""
        if self._identity is None:
            return
        try:
            same = os.path.samestat(self._identity, os.stat(self._real_path))
        except FileNotFoundError:
            same = False
        if not same:
            raise UserError(
                f"The ledger {self.path} was moved, replaced or deleted while it was open. Put it "
                "back, with the files whose names begin like it, or name another ledger."
            )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Give back unfinished claims and close the file."""
        if self._lock is not None:
            # A claim that cannot be deleted, because the disk is full, is free without its lock.
            with suppress(sqlite3.Error, UserError), self._transaction():
                self._database.execute("DELETE FROM claims WHERE runner = ?", [self._runner])
            self._lock.release()
            self._lock = None
        self._database.close()

    def note_command(self, command, environment):
        """Keep the command that started a run, and the versions that it ran with."""
        # A runner that died after its last cell left its lock file, and a run without cells to
        # claim takes no lock.
        with suppress(OSError):
            remove_dead_locks(self._real_path)
        with explained(self.path), self._transaction():
            self._database.execute(
                "INSERT INTO commands VALUES (?, ?, ?)", [_now(), command, json.dumps(environment)]
            )

    def commands(self):
        """Return (time, command, environment) of every run."""
        rows = self._read("SELECT * FROM commands ORDER BY rowid")
        return [(time, command, json.loads(text)) for time, command, text in rows]

    def claim(self, cell):
        """Claim a cell; return False if it is finished or a living runner has claimed it."""
        if self._lock is None:
            self._take_lock()
        with explained(self.path), self._transaction(durable=False):
            finished = self._database.execute(f"SELECT 1 FROM results WHERE {_WHERE}", cell)
            if finished.fetchone():
                return False
            holder = self._database.execute(f"SELECT runner FROM claims WHERE {_WHERE}", cell)
            row = holder.fetchone()
            if row and is_held(self._lock_path(row[0])):
                return False
            names, marks = ", ".join(Cell._fields), ", ".join("?" * len(cell))
            self._database.execute(
                f"INSERT OR REPLACE INTO claims ({names}, runner) VALUES ({marks}, ?)",
                [*cell, self._runner],
            )
        return True

    def _take_lock(self):
        """Lock a file for this runner, and remove the lock files of dead ones."""
        self._runner = uuid.uuid4().hex
        try:
            self._lock = HeldLock(self._lock_path(self._runner))
            remove_dead_locks(self._real_path)
        except OSError as error:
            raise UserError(
                f"The ledger {self.path} cannot be locked: {error}. A runner makes a lock file "
                "beside it; choose a folder where that is possible."
            ) from error

    def _lock_path(self, runner):
        return self._real_path.with_name(f"{self._real_path.name}.{runner}.lock")

    def record(self, cell, outcome, maker):
        """Write the row of a cell and end its claim, in one transaction.

        Parameters
        ----------
        cell : Cell
        outcome : dict
            What `evaluate_cell` returns, or {"failure": reason}, with the digest of the data.
            "facts" about the data set go to the table of data sets.
        maker : dict
            Protocol, method with its grid, and versions.
        """
        row = {name: outcome.get(name) for name in _MEASURED}
        for name in ("params", "measures"):
            row[name] = json.dumps(outcome.get(name) or {}, sort_keys=True)
        row["finished"] = _now()
        row["code"] = code_version()
        with explained(self.path), self._transaction():
            self._check_digest(cell, row["data_digest"])
            row["maker"] = self._maker(maker)
            names = ", ".join((*Cell._fields, *row))
            marks = ", ".join("?" * (len(cell) + len(row)))
            try:
                self._database.execute(
                    f"INSERT INTO results ({names}) VALUES ({marks})", [*cell, *row.values()]
                )
            except sqlite3.IntegrityError as error:
                raise UserError(
                    f"The ledger {self.path} already holds a result of {', '.join(map(str, cell))}"
                    ". Another runner has written it, perhaps on another machine: runners that "
                    "share a ledger must run on one machine."
                ) from error
            self._database.execute(f"DELETE FROM claims WHERE {_WHERE}", cell)
            facts = outcome.get("facts")
            if facts and self._noted.get(cell.dataset) != row["data_digest"]:
                write_facts(self._database, cell.dataset, row["data_digest"], facts)
                self._noted[cell.dataset] = row["data_digest"]

    def _check_digest(self, cell, digest):
        """Refuse a result of other rows than the ledger's results of the same data set."""
        other = self._database.execute(
            "SELECT 1 FROM results WHERE dataset = ? AND data_digest <> ? LIMIT 1",
            [cell.dataset, digest],
        )
        if other.fetchone():
            raise UserError(
                f"The data set {cell.dataset} changed while its cells ran: the ledger {self.path} "
                "holds results of other rows. The new result was not kept. Start again with "
                "--replace, give the new table another name, or name another ledger."
            )

    def _read(self, query):
        with explained(self.path):
            return self._database.execute(query).fetchall()

    def _maker(self, maker):
        """Return the number of a maker, which gets one if it is new."""
        content = json.dumps(maker, sort_keys=True)
        self._database.execute("INSERT OR IGNORE INTO makers (content) VALUES (?)", [content])
        found = self._database.execute("SELECT id FROM makers WHERE content = ?", [content])
        return found.fetchone()[0]

    def finished(self):
        """Return the choice of parameters and the failure of every finished cell."""
        rows = self._read(f"SELECT {', '.join(Cell._fields)}, choice, failure FROM results")
        return {Cell(*row[:-2]): row[-2:] for row in rows}

    def makers(self):
        """Return (method, protocol, maker) for every way in which results were made."""
        rows = self._read(
            "SELECT DISTINCT method, protocol, content FROM results "
            "JOIN makers ON makers.id = results.maker"
        )
        made = [(method, protocol, json.loads(content)) for method, protocol, content in rows]
        for method, protocol, maker in made:
            if not is_complete(maker):
                raise damaged(
                    self.path,
                    f"the table makers does not say how the results of {method} under {protocol} "
                    "were made",
                )
        return made

    def digests(self):
        """Return data set → digest of its rows → number of results that were made from them."""
        rows = self._read(
            "SELECT dataset, data_digest, count(*) FROM results "
            "WHERE data_digest IS NOT NULL GROUP BY dataset, data_digest"
        )
        found: dict[str, dict[str, int]] = {}
        for dataset, digest, count in rows:
            found.setdefault(dataset, {})[digest] = count
        return found

    def forget_other_rows(self, digests):
        """Remove results of data that have changed since.

        Parameters
        ----------
        digests : dict
            Data set → digest of its rows now; results with this digest stay.

        Returns
        -------
        dict
            Data set → number of results removed.
        """
        with explained(self.path), self._transaction():
            return {
                dataset: self._database.execute(
                    "DELETE FROM results WHERE dataset = ? AND data_digest IS NOT ?",
                    [dataset, digest],
                ).rowcount
                for dataset, digest in digests.items()
            }

    def forget_failures(self, cells):
        """Remove the rows of failed cells, so that they run again; return how many."""
        with explained(self.path), self._transaction():
            done = self._database.executemany(
                f"DELETE FROM results WHERE failure IS NOT NULL AND {_WHERE}", cells
            )
        return done.rowcount

    def results(self):
        """Return all results, one row each, with a column for each further measure.

        `maker` is the number of how a result was made.
        """
        with explained(self.path):
            found = self._database.execute("SELECT * FROM results")
            names = [column[0] for column in found.description]
            rows = pd.DataFrame.from_records(found.fetchall(), columns=names, coerce_float=True)
        measures = pd.DataFrame(
            [json.loads(text) for text in rows.pop("measures")], index=rows.index, dtype=float
        )
        # Where every cell has failed, pandas would make a column of objects.
        return rows.astype(dict.fromkeys(_NUMBERS, float)).join(measures)

    def datasets(self):
        """Return what is known of each data set; see the module `results` for the columns."""
        return facts_table(self._read(f"SELECT dataset, {', '.join(FACTS)} FROM datasets"))


def _now():
    return datetime.now(UTC).isoformat(timespec="seconds")
