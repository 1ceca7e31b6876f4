"""Ledgers with flipped, lost and added bytes: results, or a message."""

import shutil

import pytest
from hypothesis import strategies as st
from properties import LENGTHS, check

from kernsemble.benchmark.ledger import Cell, Ledger
from kernsemble.errors import UserError


@pytest.fixture
def ledger(tmp_path):
    path = tmp_path / "a.sqlite"
    with Ledger(path) as book:
        book.note_command("kernsemble bench", {"python": "3"})
        for split in range(12):
            cell = Cell("iris", "SVM", "five-fold", str(split), 0)
            book.claim(cell)
            book.record(cell, {"accuracy": 0.5, "measures": {"log_loss": 0.1}}, {"C": [1, 2]})
    return path


def read_or_explain(ledger, changes, length):
    damaged = ledger.with_name("damaged.sqlite")
    content = bytearray(ledger.read_bytes())
    for place, value in changes:
        content[place % len(content)] = value
    damaged.write_bytes(content[: len(content) * length // 100])
    try:
        with Ledger(damaged, must_exist=True) as book:
            found = book.results()
            assert set(found["dataset"].map(type)) <= {str}
            book.claim(Cell("wine", "SVM", "five-fold", "0", 0))
    except UserError as error:
        assert str(error)
    finally:
        for left in ledger.parent.glob("damaged.sqlite*"):
            shutil.rmtree(left) if left.is_dir() else left.unlink()


@pytest.mark.parametrize("length", LENGTHS)
def test_a_damaged_ledger_is_read_or_explained(ledger, length):
    # Half of the changes are in the first page, which says what the tables are.
    places = st.one_of(st.integers(0, 4096), st.integers(0, 10**6))
    changes = st.lists(st.tuples(places, st.integers(0, 255)), max_size=12)
    share = st.sampled_from([100, 100, 100, 90, 50, 10, 0])
    check(
        lambda changes, share: read_or_explain(ledger, changes, share),
        changes,
        share,
        examples=150,
        length=length,
    )


@pytest.mark.parametrize("place", range(3900, 4096, 4))
def test_tables_whose_text_is_damaged_are_named(ledger, place):
    """SQLite quotes such text in its own message, which Python then cannot read."""
    read_or_explain(ledger, [(place, 128)], 100)
