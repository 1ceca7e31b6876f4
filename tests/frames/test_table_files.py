"""Text tables: what is refused, with the line and the reason, before a column can be mistaken."""

import csv
import gzip
import io
import random

import pandas as pd
import pytest

from kernsemble.errors import UserError
from kernsemble.frames.limits import MAX_COLUMNS
from kernsemble.frames.tables import read_frame


def table(folder, content, name="t.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    "content, message",
    [
        # pandas would take the first column for an index.
        ("a,b\n1,2,3\n4,5,6\n", r"line 2: 3 cells, but the header names 2\. .*row index"),
        ("a,b\n1,2\n4,5,6,7\n", r"line 3: 4 cells"),
        ("a,b,c\n1,2,3\n\n4,5\n", r"line 4: 2 cells, but the header names 3"),
        ('a,b\n"1\n2",3\n4\n', r"line 4: 1 cells"),
        ('a,b\n"x,y",3\nx,y,3\n', r"line 3: 3 cells"),
        ("a,b\r\n1,2\r\n3\r\n", r"line 3: 1 cells"),
        ("a,b\n1,2,\n3,4,\n", r"line 2: 3 cells"),
        ("a,b\n1,2\n\r,3\n", r"line 3: a carriage return outside quotes"),
        ("a,b,a\n1,2,3\n", r"line 1: columns 1 and 3 are both called 'a'"),
        ("a,b,a \n1,2,3\n", r"line 1: columns 1 and 3 are both called 'a'"),
        ("é,e\u0301\n1,2\n", r"line 1: columns 1 and 2 are both called 'é'"),
        ("a,b\n1,2\na,b\n3,4\n", r"line 3: the header again"),
        ("a,b\r\n1,2\r\n\ufeffa,b\r\n3,4\r\n", r"line 3: the header again"),
        (",a,b\n0,1,2\n", r"line 1: column 1 has no name .*row index"),
        ("Unnamed: 0,a,b\n0,1,2\n", r"line 1: column 1 has no name .*row index"),
        ("a,b,\n1,2,\n", r"line 1: column 3 has no name .*one too many"),
    ],
)
def test_rows_and_names_that_do_not_fit_the_header(content, message, tmp_path):
    with pytest.raises(UserError, match=f"t.csv, {message}"):
        read_frame(table(tmp_path, content))


@pytest.mark.parametrize(
    "content, rows",
    [
        ("a,b\n1,x\n2,y\n", [(1, "x"), (2, "y")]),
        ("a,b\r\n1,x\r\n2,y", [(1, "x"), (2, "y")]),
        ("a,b\r1,x\r2,y\r", [(1, "x"), (2, "y")]),
        ("\ufeffa,b\n1,x\n2,y\n", [(1, "x"), (2, "y")]),
        ("\n\na,b\n\n1,x\n  \n2,y\n\n", [(1, "x"), (2, "y")]),
        ('"a","b"\n1,"x, ""y""\nz"\n2,y\n', [(1, 'x, "y"\nz'), (2, "y")]),
        ('a,b\n1,5" pipe\n2,y\n', [(1, '5" pipe'), (2, "y")]),
        ('a,b\n1,"ü\r\né"\n2,y\n', [(1, "ü\r\né"), (2, "y")]),
    ],
)
def test_tables_that_are_read(content, rows, tmp_path):
    frame = read_frame(table(tmp_path, content))
    assert list(frame) == ["a", "b"]
    assert list(frame.itertuples(index=False, name=None)) == rows


def test_what_is_read_is_what_the_csv_module_reads(tmp_path):
    """Random texts of few signs: most are refused, and no other one loses or moves a cell."""
    draw = random.Random(0)
    n_read = 0
    for _ in range(1500):
        body = "".join(draw.choice('a",,""\n b\r') for _ in range(draw.randint(1, 20)))
        try:
            frame = read_frame(table(tmp_path, f"x,y\n{body}"), text=["x", "y"])
        except UserError:
            continue
        n_read += 1
        rows = [row for row in csv.reader(io.StringIO(body, newline="")) if len(row) == 2]
        read = frame.astype(object).where(frame.notna(), "")
        assert read.to_numpy().tolist() == rows, body
    assert n_read > 50


def test_cells_between_tabs_may_be_empty(tmp_path):
    frame = read_frame(table(tmp_path, "a\tb\n1\t\n\t\n3\tx,y\n", "t.tsv"))
    assert frame.shape == (3, 2) and frame["b"].tolist()[2] == "x,y"
    with pytest.raises(UserError, match="line 2: 1 cells"):
        read_frame(table(tmp_path, "a\tb\n1,2\n", "t.tsv"))


def test_a_cell_without_end_is_named(tmp_path):
    with pytest.raises(UserError, match=r"t.csv, line 2: field larger than field limit"):
        read_frame(table(tmp_path, 'a,b\n1,"' + "x" * 200_000))


@pytest.mark.parametrize(
    "content, message",
    [
        ("a,b\n1,2\n".encode("utf-16-le"), "NUL bytes.* Save it as UTF-8"),
        (b"a,b\n1,\x81\n", "no text in cp1252.* Save it as UTF-8"),
        (b'a,b\n1,"open\n', "cannot be read as a table"),
        (b"", "it is empty"),
        (b"\n\n", "it is empty"),
    ],
)
def test_files_that_are_no_tables(content, message, tmp_path):
    with pytest.raises(UserError, match=message):
        read_frame(table(tmp_path, content))


def test_packed_tables(tmp_path):
    packed = gzip.compress(b"a,b\n" + b"1,x\n" * 1000)
    assert read_frame(table(tmp_path, packed, "t.csv.gz")).shape == (1000, 2)
    with pytest.raises(UserError, match=r"t.csv.gz is cut off or no gzip file"):
        read_frame(table(tmp_path, packed[:-20], "t.csv.gz"))
    with pytest.raises(UserError, match=r"t.csv.gz is cut off or no gzip file"):
        read_frame(table(tmp_path, packed[:20] + b"\0" * 40 + packed[40:], "t.csv.gz"))
    with pytest.raises(UserError, match=r"t.csv.gz is cut off or no gzip file"):
        read_frame(table(tmp_path, b"a,b\n1,2\n", "t.csv.gz"))
    with pytest.raises(UserError, match=r"t.csv.gz unpacks to more than 1e-06 GB.*--max-size"):
        read_frame(table(tmp_path, packed, "t.csv.gz"), max_bytes=1000)


@pytest.mark.parametrize("n_columns", [MAX_COLUMNS + 1, 10**6])
@pytest.mark.parametrize("quote", ["", '"'])
def test_too_many_columns_are_refused(n_columns, quote, tmp_path):
    header = ",".join(f"{quote}c{number}{quote}" for number in range(n_columns))
    path = table(tmp_path, f"{header}\n{'1,' * (n_columns - 1)}1\n")
    with pytest.raises(UserError, match=f"{n_columns} columns, and at most {MAX_COLUMNS} are"):
        read_frame(path)


def test_columns_in_the_order_asked_for(tmp_path):
    path = table(tmp_path, "a,b,c\n1,2,3\n")
    frame = read_frame(path, columns=["c", "a"], text=["a"])
    pd.testing.assert_frame_equal(frame, pd.DataFrame({"c": [3], "a": ["1"]}))
