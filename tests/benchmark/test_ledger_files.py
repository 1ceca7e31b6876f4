"""Ledgers of other versions, damaged ones and files that are none: migrated, or named."""

import re
import sqlite3

import pytest

from kernsemble.benchmark.ledger import Cell, Ledger
from kernsemble.benchmark.ledger_schema import VERSION
from kernsemble.errors import UserError

CELL = Cell("iris", "SVM", "nested", "0", 0)


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
        ("accuracy = 'high'", "accuracy is no number between 0 and 1"),
        ("balanced_accuracy = 17.5", "balanced_accuracy is no number between 0 and 1"),
        ("params = '{\"C\": '", "params is no JSON object"),
        ("params = NULL", "params is no JSON object"),
        ("params = '[1]'", "params is no JSON object"),
        ("params = replace(hex(zeroblob(40000)), '0', '[')", "params is no JSON object"),
        ("measures = '{\"log_loss\": '", "measures is no JSON object"),
        ('measures = \'{"log_loss": "low"}\'', "measures has no number for log_loss"),
        (f"measures = '{{\"log_loss\": {10**400}}}'", "measures has no number for log_loss"),
        ("measures = '{\"log_loss\": Infinity}'", "measures has no number for log_loss"),
        ("measures = '{\"accuracy\": 1}'", "measures has a measure with the name of the column"),
        ("maker = 99", "maker is missing in the table makers"),
        ("choice = 'third'", "choice is no whole number from 0"),
        ("choice = -1", "choice is no whole number from 0"),
        ("fit_seconds = 'long'", "fit_seconds is no number of seconds"),
        ("fit_seconds = 9e999", "fit_seconds is no number of seconds"),
        ("predict_seconds = 1e288", "predict_seconds is no number of seconds"),
        ("n_test = 'many'", "n_test is no number of rows"),
        ("n_train = 0", "n_train is no number of rows"),
        ("data_digest = x'61'", "data_digest is no text"),
        ("failure = CAST(x'ff61' AS TEXT)", "failure is not UTF-8"),
        ("failure = 'no luck'", "failure stands beside what was measured"),
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
    assert "row 2 of the table makers (content is no JSON object)" in str(error.value)
    assert "\\xffa, SVM, nested, split 0, seed 0 (dataset is not UTF-8)" in str(error.value)
    assert "row 1 of the table commands" in str(error.value)


@pytest.mark.parametrize(
    "change, reason",
    [
        ("ALTER TABLE results RENAME COLUMN measures TO measured", "results lacks measures and"),
        ("ALTER TABLE results RENAME COLUMN code TO coda", "results lacks code and also has coda"),
        ("ALTER TABLE claims ADD COLUMN x", "the table claims also has x"),
        ("DROP TABLE makers", "it has no table makers"),
        (
            "DROP TABLE claims; CREATE TABLE claims (dataset TEXT NOT NULL, method TEXT NOT NULL, "
            "protocol TEXT NOT NULL, split TEXT NOT NULL, seed INTEGER NOT NULL, runner BLOB)",
            "the table claims lacks train_rows and has another dataset, method, protocol, split",
        ),
        ("CREATE TRIGGER t INSERT ON claims BEGIN DELETE FROM results; END", "a trigger named t"),
        ("CREATE VIEW v AS SELECT 1", "a view named v"),
        (
            "INSERT INTO claims VALUES ('a', 'b', 'c', 'd', 0, 0, '../x')",
            "claims: a, b, c, split d",
        ),
        ("INSERT INTO datasets VALUES ('a', 'd', 9, 3, 2, 1.5, 0, 0, 0)", "datasets: a (majority"),
    ],
)
def test_tables_that_are_not_those_of_a_ledger_are_named_and_left_alone(tmp_path, change, reason):
    path = tmp_path / "a.sqlite"
    with Ledger(path) as ledger:
        ledger.record(CELL, {"accuracy": 0.5}, {})
    with sqlite3.connect(path) as database:
        database.executescript(change)
    database.close()
    before = path.read_bytes()
    with pytest.raises(UserError, match=re.escape(reason)):
        Ledger(path)
    assert path.read_bytes() == before


def test_old_tables_that_lack_a_column_are_named_and_left_alone(tmp_path):
    path = tmp_path / "a.sqlite"
    write_unnumbered(path)
    with sqlite3.connect(path) as database:
        database.execute("ALTER TABLE results RENAME COLUMN n_test TO tested")
    database.close()
    before = path.read_bytes()
    with pytest.raises(UserError, match="results has no column named tested"):
        Ledger(path)
    assert path.read_bytes() == before


def test_how_results_were_made_must_be_whole(ledger):
    ledger.record(CELL, {}, {"method": {"name": "SVM"}, "protocol": {}})
    with pytest.raises(UserError, match="not say how the results of SVM under nested were made"):
        ledger.makers()


def test_many_damaged_rows_are_counted(tmp_path):
    path = tmp_path / "a.sqlite"
    with Ledger(path) as ledger:
        for number in range(20):
            ledger.record(CELL._replace(split=str(number)), {}, {})
        ledger._database.execute("UPDATE results SET accuracy = -1")
    with pytest.raises(UserError, match="and 15 more"):
        Ledger(path)
