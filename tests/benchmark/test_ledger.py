"""A ledger keeps what it was given, whatever ends the program."""

import sqlite3
import subprocess
import sys
import textwrap

import pytest

from kernsemble.benchmark import locks
from kernsemble.benchmark.ledger import Cell, Ledger
from kernsemble.benchmark.ledger_schema import write_ahead
from kernsemble.benchmark.locks import HeldLock, is_held
from kernsemble.environment import code_version
from kernsemble.errors import UserError

CELL = Cell("iris", "SVM", "nested", "0", 0)
MAKER = {
    "method": {"name": "SVM", "estimator": "sklearn.svm.SVC"},
    "protocol": {"name": "nested", "tuning": "nested"},
}


def test_a_row_survives_closing(tmp_path):
    with Ledger(tmp_path / "a.sqlite") as ledger:
        ledger.claim(CELL)
        ledger.record(CELL, {"accuracy": 0.5, "params": {"C": 1}}, MAKER)
        ledger.note_command("kernsemble bench", {"python": "3"})
    with Ledger(tmp_path / "a.sqlite", must_exist=True) as ledger:
        row = ledger.results().iloc[0]
        assert (row["accuracy"], row["params"], row["failure"]) == (0.5, '{"C": 1}', None)
        assert ledger.makers()[0][2] == MAKER
        assert ledger.commands()[0][1:] == ("kernsemble bench", {"python": "3"})
    assert not list(tmp_path.glob("*.lock"))


def test_two_ledgers_on_one_file_share_claims(tmp_path):
    path = tmp_path / "a.sqlite"
    with Ledger(path) as first, Ledger(path) as second:
        assert first.claim(CELL)
        assert not second.claim(CELL)
        first.record(CELL, {}, {})
        assert not second.claim(CELL)
        other = CELL._replace(split="1")
        assert second.claim(other) and not first.claim(other)
    with Ledger(path) as third:
        # The second gave its claim back when it closed.
        assert third.claim(other)


def test_runners_that_reach_a_ledger_by_other_paths_share_its_claims(tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    path = tmp_path / "data" / "a.sqlite"
    (tmp_path / "link.sqlite").symlink_to(path)
    (tmp_path / "folder").symlink_to(tmp_path / "data")
    monkeypatch.chdir(tmp_path / "data")
    others = (tmp_path / "link.sqlite", tmp_path / "folder" / "a.sqlite", "a.sqlite")
    with Ledger(path) as first:
        assert first.claim(CELL)
        for other in others:
            with Ledger(other) as second:
                assert not second.claim(CELL), other
    # A link to a ledger that is not there yet names its place.
    (tmp_path / "new.sqlite").symlink_to(tmp_path / "data" / "b.sqlite")
    with Ledger(tmp_path / "new.sqlite") as first, Ledger("b.sqlite") as second:
        assert first.claim(CELL) and not second.claim(CELL)
        # The folder of the process may change while a ledger is open.
        monkeypatch.chdir(tmp_path)
        assert not second.claim(CELL)
    assert not list(tmp_path.rglob("*.lock"))


@pytest.mark.parametrize("name", ["a.sqlite", "a[1].sqlite"])
def test_the_claim_of_a_killed_runner_is_free(tmp_path, name):
    path = tmp_path / name
    script = f"""
        import os, signal
        from kernsemble.benchmark.ledger import Cell, Ledger
        assert Ledger({str(path)!r}).claim(Cell(*{tuple(CELL)!r}))
        os.kill(os.getpid(), signal.SIGKILL)
    """
    assert subprocess.run([sys.executable, "-c", textwrap.dedent(script)]).returncode == -9
    assert list(tmp_path.glob("*.lock"))
    with Ledger(path) as ledger:
        assert ledger.claim(CELL)
    assert not list(tmp_path.glob("*.lock"))


def test_the_lock_of_a_runner_that_died_after_its_last_cell_is_removed(tmp_path):
    """The next run has no cell to claim, and takes no lock of its own."""
    dead = tmp_path / "a.sqlite.0123.lock"
    dead.touch()
    with Ledger(tmp_path / "a.sqlite") as ledger:
        ledger.note_command("kernsemble bench", {})
    assert not dead.exists()


def test_a_lock_is_held_until_released(tmp_path):
    lock = HeldLock(tmp_path / "a.lock")
    assert is_held(tmp_path / "a.lock")
    lock.release()
    assert not is_held(tmp_path / "a.lock")


def test_a_file_system_without_locks_is_an_error(tmp_path, monkeypatch):
    def refuse(descriptor):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(locks, "_try_lock", refuse)
    with Ledger(tmp_path / "a.sqlite") as ledger, pytest.raises(UserError, match="not supported"):
        ledger.claim(CELL)
    assert not list(tmp_path.glob("*.lock"))


def test_a_lock_file_that_was_swept_away_is_made_again(tmp_path, monkeypatch):
    fcntl = pytest.importorskip("fcntl")
    path = tmp_path / "a.lock"
    removed = []

    def sweep_first(descriptor):
        if not removed:
            path.unlink()
            removed.append(path)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    monkeypatch.setattr(locks, "_try_lock", sweep_first)
    lock = HeldLock(path)
    assert removed and is_held(path)
    lock.release()


def test_a_full_disk_stops_with_a_message_and_loses_nothing(tmp_path):
    with Ledger(tmp_path / "a.sqlite") as ledger:
        ledger.claim(CELL)
        ledger.record(CELL, {"accuracy": 0.5}, {})
        pages = ledger._database.execute("PRAGMA page_count").fetchone()[0]
        ledger._database.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(UserError, match=r"cannot be written: .*full.*safe"):
            for number in range(1000):
                ledger.record(CELL._replace(split=str(number + 1)), {}, {"text": "x" * number})
        with pytest.raises(UserError, match="the disk is full"):
            for number in range(1000):
                ledger.claim(CELL._replace(split=f"{number}" + "x" * 500))
        kept = len(ledger.results())
    # A ledger that cannot be written is closed all the same.
    assert not list(tmp_path.glob("*.lock"))
    with Ledger(tmp_path / "a.sqlite") as ledger:
        assert len(ledger.results()) == kept >= 1


def test_a_ledger_that_must_exist(tmp_path):
    with pytest.raises(UserError, match="There is no ledger"):
        Ledger(tmp_path / "a.sqlite", must_exist=True)
    with pytest.raises(UserError, match="There is no folder"):
        Ledger(tmp_path / "b" / "a.sqlite")
    with pytest.raises(UserError, match="is a folder"):
        Ledger(tmp_path)


def test_a_ledger_that_another_program_keeps_locked(tmp_path, monkeypatch):
    monkeypatch.setattr("kernsemble.benchmark.ledger.LOCK_SECONDS", 0.1)
    path = tmp_path / "a.sqlite"
    with Ledger(path) as ledger:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(UserError, match="another program has kept it locked") as error:
            ledger.record(CELL, {}, {})
        assert "room" not in str(error.value)
        other.execute("ROLLBACK")
        other.close()
        ledger.record(CELL, {}, {})


def test_a_ledger_that_may_not_be_written(tmp_path):
    with Ledger(tmp_path / "a.sqlite") as ledger:
        ledger._database.execute("PRAGMA query_only = ON")
        with pytest.raises(UserError, match="permissions") as error:
            ledger.record(CELL, {}, {})
        assert "room" not in str(error.value)


def test_a_ledger_that_is_moved_while_it_is_open(tmp_path):
    with Ledger(tmp_path / "a.sqlite") as ledger:
        (tmp_path / "a.sqlite").rename(tmp_path / "b.sqlite")
        for change in (lambda: None, lambda: (tmp_path / "a.sqlite").touch()):
            change()
            with pytest.raises(UserError, match="moved, replaced or deleted"):
                ledger.record(CELL, {}, {})


def test_a_result_that_is_there_already_is_no_damage(ledger):
    ledger.record(CELL, {"accuracy": 0.5}, {})
    with pytest.raises(UserError, match="already holds a result of iris, SVM, nested, 0, 0"):
        ledger.record(CELL, {"accuracy": 0.6}, {})
    assert ledger.results()["accuracy"].tolist() == [0.5]


def test_results_of_other_rows_of_a_data_set_are_refused(ledger):
    ledger.record(CELL, {"accuracy": 0.5, "data_digest": "old"}, {})
    other = CELL._replace(split="1")
    with pytest.raises(UserError, match="iris changed while its cells ran"):
        ledger.record(other, {"accuracy": 0.6, "data_digest": "new"}, {})
    # A failure before the data were read says nothing about them.
    ledger.record(other, {"failure": "no file"}, {})
    assert ledger.digests() == {"iris": {"old": 1}}
    assert ledger.forget_other_rows({"iris": "new"}) == {"iris": 2}
    ledger.record(other, {"accuracy": 0.6, "data_digest": "new"}, {})
    assert ledger.digests() == {"iris": {"new": 1}}


def test_every_row_says_which_code_made_it(ledger):
    ledger.record(CELL, {}, {})
    assert ledger.results()["code"].tolist() == [code_version()]


def test_a_ledger_that_another_process_prepares_is_waited_for():
    class Busy:
        """SQLite while another process changes the journal of a file."""

        left = 3

        def execute(self, statement):
            if self.left:
                self.left -= 1
                error = sqlite3.OperationalError("database is locked")
                error.sqlite_errorcode = sqlite3.SQLITE_BUSY
                raise error

    busy = Busy()
    write_ahead(busy)
    assert busy.left == 0


def test_many_processes_may_make_a_ledger_at_once(tmp_path):
    script = f"""
        import os, sys
        from kernsemble.benchmark.ledger import Cell, Ledger
        sys.stdin.readline()
        for number in range(30):
            with Ledger(os.path.join({str(tmp_path)!r}, f"{{number}}.sqlite")) as ledger:
                ledger.claim(Cell("iris", "SVM", "nested", str(os.getpid()), 0))
    """
    runners = [
        subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(script)],
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    for runner in runners:
        runner.stdin.write("go\n")
        runner.stdin.flush()
    for runner in runners:
        _, messages = runner.communicate(timeout=120)
        assert runner.returncode == 0, messages
    assert not list(tmp_path.glob("*.lock"))
