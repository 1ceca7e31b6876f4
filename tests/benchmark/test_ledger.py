"""A ledger keeps what it was given, whatever ends the program."""

import sqlite3
import subprocess
import sys
import textwrap

import pytest

from kernsemble.benchmark.ledger import Cell, Ledger
from kernsemble.benchmark.locks import HeldLock, is_held
from kernsemble.errors import UserError

CELL = Cell("iris", "SVM", "nested", "0", 0)


def test_a_row_survives_closing(tmp_path):
    with Ledger(tmp_path / "a.sqlite") as ledger:
        ledger.claim(CELL)
        ledger.record(CELL, {"accuracy": 0.5, "params": {"C": 1}}, {"versions": {"numpy": "2"}})
        ledger.note_command("kernsemble bench", {"python": "3"})
    with Ledger(tmp_path / "a.sqlite", must_exist=True) as ledger:
        row = ledger.results().iloc[0]
        assert (row["accuracy"], row["params"], row["failure"]) == (0.5, '{"C": 1}', None)
        assert ledger.makers()[0][2] == {"versions": {"numpy": "2"}}
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


def test_the_claim_of_a_killed_runner_is_free(tmp_path):
    path = tmp_path / "a.sqlite"
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


def test_a_lock_is_held_until_released(tmp_path):
    lock = HeldLock(tmp_path / "a.lock")
    assert is_held(tmp_path / "a.lock")
    lock.release()
    assert not is_held(tmp_path / "a.lock")


def test_a_full_disk_stops_with_a_message_and_loses_nothing(tmp_path):
    with Ledger(tmp_path / "a.sqlite") as ledger:
        ledger.record(CELL, {"accuracy": 0.5}, {})
        pages = ledger._database.execute("PRAGMA page_count").fetchone()[0]
        ledger._database.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(UserError, match=r"cannot be written: .*full.*safe"):
            for number in range(1000):
                ledger.record(CELL._replace(split=str(number + 1)), {}, {"text": "x" * number})
        kept = len(ledger.results())
    with Ledger(tmp_path / "a.sqlite") as ledger:
        assert len(ledger.results()) == kept >= 1


def test_a_file_that_is_no_database(tmp_path):
    path = tmp_path / "a.sqlite"
    path.write_text("accuracy,method\n0.5,SVM\n" * 100)
    before = path.read_bytes()
    with pytest.raises(UserError, match="no ledger or is damaged"):
        Ledger(path)
    assert path.read_bytes() == before


def test_a_database_that_is_no_ledger(tmp_path):
    path = tmp_path / "a.sqlite"
    with sqlite3.connect(path) as database:
        database.execute("CREATE TABLE precious (x)")
    with pytest.raises(UserError, match="no kernsemble ledger"):
        Ledger(path)


def test_a_damaged_ledger_is_left_alone(tmp_path):
    path = tmp_path / "a.sqlite"
    with Ledger(path) as ledger:
        for number in range(500):
            ledger.record(CELL._replace(split=str(number)), {"failure": "x" * 100}, {})
    content = bytearray(path.read_bytes())
    content[4096 * 3 : 4096 * 6] = b"\x99" * 4096 * 3
    path.write_bytes(content)
    with pytest.raises(UserError, match="damaged"):
        Ledger(path)
    assert path.read_bytes() == bytes(content)


def test_a_ledger_that_must_exist(tmp_path):
    with pytest.raises(UserError, match="There is no ledger"):
        Ledger(tmp_path / "a.sqlite", must_exist=True)
    with pytest.raises(UserError, match="There is no folder"):
        Ledger(tmp_path / "b" / "a.sqlite")
