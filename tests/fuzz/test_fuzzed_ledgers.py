"""Ledgers with other bytes, columns and values than they were written with: used, or explained."""

import io
import json
import shutil
import sqlite3
from contextlib import closing, suppress

import pytest
from hypothesis import strategies as st
from properties import LENGTHS, check
from rich.console import Console

from kernsemble.benchmark.console import show_ranking
from kernsemble.benchmark.dataset_facts import describe_data
from kernsemble.benchmark.ledger import Cell, Ledger
from kernsemble.benchmark.ledger_schema import column_names, create_tables
from kernsemble.datasets import load
from kernsemble.errors import UserError
from kernsemble.report import write_report

measures = st.sampled_from(["accuracy", "log_loss"])
FACTS_OF_IRIS = describe_data(load("iris"))
NEW = Cell("wine", "SVM", "five-fold", "0", 0)


def maker(method):
    return {
        "method": {"name": method, "estimator": f"kernsemble.{method}", "grid": {"C": [1, 2]}},
        "protocol": {"name": "five-fold", "tuning": "same"},
    }


@pytest.fixture(scope="module")
def ledger(tmp_path_factory):
    path = tmp_path_factory.mktemp("ledgers") / "a.sqlite"
    with Ledger(path) as book:
        book.note_command("kernsemble bench", {"python": "3"})
        for number in range(12):
            method = "SVM" if number % 2 else "RVFL"
            cell = Cell("iris" if number < 6 else "glass", method, "five-fold", str(number // 2), 0)
            book.claim(cell)
            found = {
                "facts": FACTS_OF_IRIS,
                "accuracy": 0.5,
                "measures": {"log_loss": 0.1},
                "data_digest": cell.dataset,
            }
            book.record(
                cell, {**found, "fit_seconds": 0.5, "n_train": 9, "n_test": 1}, maker(method)
            )
    return path


def use_or_explain(path, measure):
    """Do with a ledger what the commands do with one."""
    try:
        with Ledger(path, must_exist=True) as book:
            assert set(book.results()["dataset"].map(type)) <= {str}
            book.finished(), book.makers(), book.commands(), book.digests(), book.datasets()
            for protocol in set(book.results()["protocol"]):
                show_ranking(book, protocol, Console(file=io.StringIO()))
                write_report(book, path.with_suffix(".html"), protocol, measure=measure)
            if book.claim(NEW):
                book.record(NEW, {"accuracy": 0.5, "data_digest": "wine"}, maker("SVM"))
            book.note_command("kernsemble bench", {})
            book.forget_failures([NEW])
            book.forget_other_rows({"iris": "other"})
    except UserError as error:
        assert str(error)
    finally:
        for left in path.parent.glob(f"{path.stem}.*"):
            left.unlink()


def damage_bytes(ledger, changes, share, measure):
    damaged = ledger.with_name("damaged.sqlite")
    content = bytearray(ledger.read_bytes())
    for place, value in changes:
        content[place % len(content)] = value
    damaged.write_bytes(content[: len(content) * share // 100])
    use_or_explain(damaged, measure)


@pytest.mark.parametrize("length", LENGTHS)
def test_a_damaged_ledger_is_read_or_explained(ledger, length):
    # Half of the changes are in the first page, which says what the tables are.
    places = st.one_of(st.integers(0, 4096), st.integers(0, 10**6))
    changes = st.lists(st.tuples(places, st.integers(0, 255)), max_size=12)
    share = st.sampled_from([100, 100, 100, 90, 50, 10, 0])
    check(
        lambda changes, share, measure: damage_bytes(ledger, changes, share, measure),
        changes,
        share,
        measures,
        examples=40,
        length=length,
    )


def known_tables():
    with closing(sqlite3.connect(":memory:")) as database:
        create_tables(database)
        return column_names(database)


TABLES = known_tables()
CELL = ", ".join(Cell._fields)
KEYS = {"results": CELL, "claims": CELL, "datasets": "dataset"}
columns = st.sampled_from([(table, column) for table in TABLES for column in TABLES[table]])
json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
)
numbers = st.floats(allow_nan=True, allow_infinity=True)
values = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    numbers,
    st.floats(0, 1),
    st.text(max_size=8),
    st.binary(max_size=8),
    json_values.map(json.dumps),
    st.dictionaries(st.sampled_from(["log_loss", "method", "brier"]), numbers).map(json.dumps),
    st.just(json.dumps(maker("SVM")).replace("kernsemble.", "")),
    st.sampled_from(["", "{}", "[" * 10_000, "{" * 9, '{"log_loss": 1e999}', '{"log_loss": null}']),
)
structure = st.one_of(
    columns.map(lambda place: "ALTER TABLE {} RENAME COLUMN {} TO other".format(*place)),
    columns.map(lambda place: "ALTER TABLE {} DROP COLUMN {}".format(*place)),
    st.sampled_from(sorted(TABLES)).flatmap(
        lambda table: st.sampled_from(
            [
                f"ALTER TABLE {table} ADD COLUMN other",
                f"ALTER TABLE {table} RENAME TO other",
                f"DROP TABLE {table}",
                f"DELETE FROM {table}",
                f"CREATE TRIGGER other INSERT ON {table} BEGIN SELECT 1; END",
            ]
        )
    ),
    st.integers(-2, 3).map(lambda version: f"PRAGMA user_version = {version}"),
    st.sampled_from(["PRAGMA journal_mode = DELETE", "PRAGMA encoding = 'UTF-16'", "VACUUM"]),
)


def damage_values(ledger, changes, statements, measure):
    damaged = ledger.with_name("damaged.sqlite")
    shutil.copy(ledger, damaged)
    with closing(sqlite3.connect(damaged, isolation_level=None)) as database:
        for (table, column), value, all_rows in changes:
            where = "" if all_rows else "LIMIT 1"
            key = KEYS.get(table, "rowid")
            with suppress(sqlite3.Error, OverflowError):
                database.execute(
                    f"UPDATE {table} SET {column} = ? "
                    f"WHERE ({key}) IN (SELECT {key} FROM {table} {where})",
                    [value],
                )
        for statement in statements:
            with suppress(sqlite3.Error):
                database.execute(statement)
    use_or_explain(damaged, measure)


@pytest.mark.parametrize("length", LENGTHS)
def test_a_ledger_with_other_values_and_tables_is_read_or_explained(ledger, length):
    check(
        lambda changes, statements, measure: damage_values(ledger, changes, statements, measure),
        st.lists(st.tuples(columns, values, st.booleans()), max_size=4),
        st.lists(structure, max_size=1),
        measures,
        examples=40,
        length=length,
    )


@pytest.mark.parametrize("place", range(3900, 4096, 4))
def test_tables_whose_text_is_damaged_are_named(ledger, place):
    """SQLite quotes such text in its own message, which Python then cannot read."""
    damage_bytes(ledger, [(place, 128)], 100, "accuracy")


@pytest.mark.parametrize(
    "changes",
    [
        [(("results", "n_test"), None, True)],
        [(("results", "fit_seconds"), None, True), (("results", "accuracy"), 0.0, True)],
        [(("results", "failure"), "{}", True)],
        [(("results", "measures"), '{"log_loss": 1e999}', True)],
    ],
    ids=str,
)
def test_results_that_lack_something_are_drawn_or_named(ledger, changes):
    damage_values(ledger, changes, [], "accuracy")
