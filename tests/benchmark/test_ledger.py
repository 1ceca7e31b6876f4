"""A ledger keeps what it was given, whatever ends the program."""

import sqlite3
import subprocess
import sys
import textwrap

import pytest

from kernsemble.benchmark import locks
from kernsemble.benchmark.ledger import Cell, Ledger
from kernsemble.benchmark.ledger_schema import VERSION
from kernsemble.benchmark.locks import HeldLock, is_held
from kernsemble.environment import code_version
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
    before = path.read_bytes()
    with pytest.raises(UserError, match="no kernsemble ledger"):
        Ledger(path)
    assert path.read_bytes() == before


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


# The tables before they had a version number, as they were written then.
UNNUMBERED = """
PRAGMA application_id = 1801809523;
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
INSERT INTO makers VALUES (1, '{"versions": {"kernsemble": "0.0.7"}}'), (2, '{"x": Infinity}');
INSERT INTO results VALUES
    ('iris', 'SVM', 'nested', '0', 0, 0.5, 0.25, 90, 10, 'd', 3, '{"C": Infinity}', NULL,
     0.1, 0.2, 0.3, '2024-01-01T00:00:00+00:00', 1),
    ('iris', 'SVM', 'nested', '1', 0, NULL, NULL, NULL, NULL, NULL, NULL, '{}', 'no luck',
     NULL, NULL, NULL, '2024-01-01T00:00:00+00:00', 2);
INSERT INTO claims VALUES ('iris', 'SVM', 'nested', '2', 0, 'ended');
INSERT INTO commands VALUES ('2024-01-01T00:00:00+00:00', 'kernsemble bench', '{"python": "3"}');
"""


# What the first numbered version had more.
FIRST = """
ALTER TABLE results ADD COLUMN code TEXT;
ALTER TABLE results ADD COLUMN measures TEXT DEFAULT '{}';
UPDATE results SET code = '0.0.7' WHERE maker = 1;
PRAGMA user_version = 1;
"""


def write_unnumbered(path, more=""):
    with sqlite3.connect(path) as database:
        database.executescript("PRAGMA journal_mode = WAL;" + UNNUMBERED + more)
    database.close()


@pytest.mark.parametrize("more", ["", FIRST], ids=["unnumbered", "first"])
def test_an_older_ledger_is_brought_up_to_date(tmp_path, more):
    path = tmp_path / "old.sqlite"
    write_unnumbered(path, more)
    for _ in range(2):
        with Ledger(path) as old, Ledger(tmp_path / "new.sqlite") as new:
            rows = old.results()
            assert list(rows.columns) == list(new.results().columns)
            assert old._database.execute("PRAGMA user_version").fetchone() == (VERSION,)
            tables = [
                ledger._database.execute("SELECT name FROM pragma_table_list").fetchall()
                for ledger in (old, new)
            ]
            assert sorted(tables[0]) == sorted(tables[1])
            assert rows["code"].fillna("unknown").tolist() == ["0.0.7", "unknown"]
            assert rows["accuracy"].tolist()[0] == 0.5 and rows["failure"].tolist()[1] == "no luck"
            assert old.finished()[CELL] == (3, None)
            assert old.commands()[0][1:] == ("kernsemble bench", {"python": "3"})
            assert not old.claim(CELL) and old.claim(CELL._replace(split="2"))
            assert rows["train_rows"].tolist() == [0, 0] and old.datasets().empty


def test_a_newer_ledger_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "a.sqlite"
    Ledger(path).close()
    with sqlite3.connect(path) as database:
        database.execute(f"PRAGMA user_version = {VERSION + 1}")
    database.close()
    before = path.read_bytes()
    with pytest.raises(UserError, match=f"newer kernsemble.* version {VERSION + 1}"):
        Ledger(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "damage, reason",
    [
        ("accuracy = 'high'", "its accuracy is not a number"),
        ("accuracy = 17.5", "its accuracy is not between 0 and 1"),
        ("params = '{\"C\": '", "its parameters are not JSON"),
        ("params = NULL", "its parameters are not JSON"),
        ("maker = 99", "how it was made is missing"),
        ("choice = 'third'", "its choice is not a whole number"),
        ("fit_seconds = 'long'", "a time is not a number"),
        ("n_test = 'many'", "its number of rows is not a whole number"),
        ("failure = CAST(x'ff61' AS TEXT)", "its text is not UTF-8"),
    ],
)
def test_damaged_rows_are_named_and_left_alone(tmp_path, damage, reason):
    path = tmp_path / "a.sqlite"
    with Ledger(path) as ledger:
        for number in range(8):
            ledger.record(CELL._replace(split=str(number)), {"accuracy": 0.5}, {})
    with sqlite3.connect(path) as database:
        database.execute(f"UPDATE results SET {damage} WHERE split = '3'")
    database.close()
    before = path.read_bytes()
    with pytest.raises(UserError, match=r"iris, SVM, nested, split 3, seed 0 \((.*?)\)") as error:
        Ledger(path)
    assert reason in str(error.value) and "split 4" not in str(error.value)
    assert path.read_bytes() == before


def test_damaged_rows_of_other_tables_and_of_old_ledgers_are_named(tmp_path):
    path = tmp_path / "a.sqlite"
    write_unnumbered(path)
    with sqlite3.connect(path) as database:
        database.execute("UPDATE makers SET content = 'torn' WHERE id = 2")
        database.execute("UPDATE commands SET environment = 'torn'")
        database.execute("UPDATE results SET dataset = CAST(x'ff61' AS TEXT) WHERE split = '0'")
    database.close()
    with pytest.raises(UserError, match="damaged rows") as error:
        Ledger(path)
    assert "iris, SVM, nested, split 1, seed 0 (how it was made is not JSON)" in str(error.value)
    assert "\\xffa, SVM, nested, split 0, seed 0 (its text is not UTF-8)" in str(error.value)
    assert "row 1 of the table commands" in str(error.value)


def test_many_damaged_rows_are_counted(tmp_path):
    path = tmp_path / "a.sqlite"
    with Ledger(path) as ledger:
        for number in range(20):
            ledger.record(CELL._replace(split=str(number)), {}, {})
        ledger._database.execute("UPDATE results SET accuracy = -1")
    with pytest.raises(UserError, match="and 15 more"):
        Ledger(path)


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
