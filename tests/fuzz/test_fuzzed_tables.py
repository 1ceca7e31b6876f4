"""Bytes of any kind through the reader of tables: a table, or a message of one line."""

import csv
import io

import pytest
from hypothesis import strategies as st
from properties import LENGTHS, check
from sklearn.dummy import DummyClassifier

from kernsemble.errors import UserError
from kernsemble.frames.models import fit_training, predict_frame
from kernsemble.frames.rules import KINDS, Rules
from kernsemble.frames.tables import TableFile

cells = st.one_of(
    st.sampled_from(
        ["1", "-2.5", "1,5", "1.234,5", "NA", "", " ", "x", "true", "01", "inf", "1e9"]
    ),
    st.sampled_from(["2024-01-31", "31.01.2024", "01/02/2024", "2024-01-31T10:00Z", "0000-00-00"]),
    st.sampled_from(['"a;b"', '"x\ny"', '"', '""', 'a"b', "é", "\x00", "\ufeff", "=1+1", "\r"]),
    st.text(max_size=4),
)


@st.composite
def tables(draw):
    separator = draw(st.sampled_from([",", ";", "\t", "|"]))
    width = draw(st.integers(1, 4))
    header = draw(st.lists(st.sampled_from(["a", "b", "c", "d", "", "a b", '"e"']), min_size=width))
    rows = draw(st.lists(st.lists(cells, min_size=width, max_size=width + 1), max_size=8))
    # Most rows have as many cells as the header.
    rows = [row[: len(header)] if draw(st.integers(0, 9)) else row for row in rows]
    end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    text = end.join(separator.join(row) for row in [header[:width], *rows])
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"]))
    return text.encode(encoding, errors="replace")


def read_or_explain(content, kind, path):
    path.write_bytes(content)
    try:
        file = TableFile(path)
        frame, kinds = file.frame()
    except UserError as error:
        assert str(error)
        return
    assert list(frame) == list(kinds) == file.names and len(frame) > 0
    assert all(
        kind.split(" ")[0] in ("number", "truth", "category", "date") for kind in kinds.values()
    )
    for act in (
        lambda: file.known(kinds),
        lambda: TableFile(path, rules=Rules(kinds={file.names[0]: kind})).frame(),
    ):
        try:
            assert len(act()) > 0
        except UserError as error:
            assert str(error)
    try:
        fitted = fit_training(file.training(), DummyClassifier(), path)
    except UserError:
        return
    assert len(predict_frame(fitted, file)) == len(frame)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.csv.gz", "t.parquet"])
@pytest.mark.parametrize("content", [st.binary(max_size=60), tables()], ids=["bytes", "tables"])
def test_bytes_are_a_table_or_explained(content, name, length, tmp_path):
    pytest.importorskip("pyarrow")
    check(
        lambda content, kind: read_or_explain(content, kind, tmp_path / name),
        content,
        st.sampled_from(KINDS),
        examples=120 if name == "t.csv" else 20,
        length=length,
    )


def same_cells(text, path):
    """Compare what is read with what the csv module reads."""
    path.write_text(f"x,y\n{text}", encoding="utf-8", newline="")
    try:
        frame, _ = TableFile(path).frame(text=["x", "y"])
    except UserError:
        return
    rows = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    wanted = [row for row in rows if len(row) == 2]
    found = frame.astype(object).where(frame.notna(), "").to_numpy().tolist()
    assert found == wanted


@pytest.mark.parametrize("length", LENGTHS)
def test_no_cell_moves(length, tmp_path):
    text = st.lists(st.sampled_from(["a,b\n", ",", '"', "a", "\n", "\r\n", " ", "1", "é"])).map(
        "".join
    )
    check(lambda text: same_cells(text, tmp_path / "t.csv"), text, examples=150, length=length)
