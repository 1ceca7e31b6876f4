"""What the reader finds out about a table by itself, and how a file of rules overrules it."""

import codecs

import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import KNeighborsClassifier

from kernsemble.errors import UserError
from kernsemble.frames.models import fit_training, predict_table
from kernsemble.frames.rules import read_rules
from kernsemble.frames.tables import TableFile


def table(folder, content, name="t.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def rules(folder, text):
    return read_rules(table(folder, text, "kinds.toml"))


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("name", ["t.csv", "t.tsv"])
def test_separators(separator, name, tmp_path):
    rows = [["a", "b c", "d"], ["1", "x", "2.5"], ["2", "y z", "3.5"]]
    text = "\n".join(separator.join(row) for row in rows)
    file = TableFile(table(tmp_path, text, name))
    frame, kinds = file.frame()
    assert list(frame) == rows[0] and file.dialect.separator == separator
    assert list(kinds.values()) == ["number", "category", "number"]


def test_the_header_decides_between_signs_that_cells_hold_too(tmp_path):
    file = TableFile(table(tmp_path, 'a;b\n"1,5";x,y\n2,5;z,w\n'))
    assert file.dialect.separator == ";" and file.names == ["a", "b"]
    file = TableFile(table(tmp_path, '"a;b;c",d\n1,2\n3,4\n'))
    assert file.dialect.separator == "," and file.names == ["a;b;c", "d"]


@pytest.mark.parametrize(
    "text, numbers",
    [
        ("a;b\n1,5;x\n-2,25;y\n", [1.5, -2.25]),
        ("a;b\n1.234,5;x\n2;y\n", [1234.5, 2.0]),
        ("a;b\n1.5;x\n2;y\n", [1.5, 2.0]),
        ("a;b\n1,5e3;x\nNA;y\n", [1500.0, np.nan]),
        # Between commas a comma is no decimal sign, and 1,234 may be a thousand or one.
        ('a,b\n"1,234",x\n"2,5",y\n', None),
    ],
)
def test_decimal_commas(text, numbers, tmp_path):
    frame, kinds = TableFile(table(tmp_path, text)).frame()
    assert kinds["a"] == ("category" if numbers is None else "number")
    if numbers is not None:
        np.testing.assert_array_equal(frame["a"], numbers)


@pytest.mark.parametrize(
    "encode, name",
    [
        (lambda text: text.encode(), "utf-8"),
        (lambda text: codecs.BOM_UTF8 + text.encode(), "utf-8-sig"),
        (lambda text: text.encode("utf-16"), "utf-16"),
        (lambda text: codecs.BOM_UTF16_BE + text.encode("utf-16-be"), "utf-16"),
        (lambda text: text.encode("cp1252"), "cp1252"),
    ],
)
def test_encodings(encode, name, tmp_path):
    file = TableFile(table(tmp_path, encode("größe,preis €\n1,ä\n2,ö\n")))
    frame, _ = file.frame()
    assert file.dialect.encoding == name
    assert list(frame) == ["größe", "preis €"] and list(frame["preis €"]) == ["ä", "ö"]


@pytest.mark.parametrize(
    "cells, kind, first",
    [
        (["2024-01-31", "2023-12-01"], "date ISO8601", "2024-01-31"),
        (["2024-01-31 10:30", "2023-12-01 00:00"], "date ISO8601", "2024-01-31 10:30"),
        (["2024-01-31T10:30:15Z", "NA"], "date ISO8601", "2024-01-31 10:30:15"),
        (["2024-01-31T10:30:00+02:00", ""], "date ISO8601", "2024-01-31 08:30"),
        (["31.01.2024", "1.2.2024"], "date %d.%m.%Y", "2024-01-31"),
        (["31/01/2024", "01/02/2024"], "date %d/%m/%Y", "2024-01-31"),
        (["01/31/2024", "01/02/2024"], "date %m/%d/%Y", "2024-01-31"),
        (["2024/01/31 09:05:01", "?"], "date %Y/%m/%d %H:%M:%S", "2024-01-31 09:05:01"),
        # Either may be the month.
        (["01/02/2024", "03/04/2024"], "category", None),
        (["1.2.3", "1.2.4"], "category", None),
        (["2024-01-31", "soon"], "category", None),
        (["2024-02-31", "2024-01-01"], "category", None),
    ],
)
def test_dates(cells, kind, first, tmp_path):
    path = table(tmp_path, "when,x\n" + "".join(f"{cell},1\n" for cell in cells))
    frame, kinds = TableFile(path).frame()
    assert kinds["when"] == kind
    if first is not None:
        assert frame["when"][0] == pd.Timestamp(first)


def fitted_to_dates(folder):
    days = pd.date_range("2024-01-01", periods=40)
    rows = "".join(f"{day:%d.%m.%Y},{'early' if day.day < 15 else 'late'}\n" for day in days)
    file = TableFile(table(folder, "when,target\n" + rows, "train.csv"))
    return fit_training(file.training(), KNeighborsClassifier(1), file.path)


def test_dates_are_read_in_a_new_table_as_they_were_written_in_training(tmp_path):
    fitted = fitted_to_dates(tmp_path)
    assert fitted["columns"] == {"when": "date %d.%m.%Y"}
    # Alone, this one could be a day in February as well as one in January.
    predicted = predict_table(fitted, table(tmp_path, "when\n02.01.2024\n\n25.01.2024\n"))
    assert list(predicted["target"]) == ["early", "late"]
    predict_table(fitted, table(tmp_path, "when,x\n02.01.2024,1\n,2\nNA,3\n"))
    with pytest.raises(UserError, match=r"column when, row 2 .*: 'soon' is no date"):
        predict_table(fitted, table(tmp_path, "when\n02.01.2024\nsoon\n"))
    with pytest.raises(UserError, match=r"column when, row 1 .*: '31.12.12024' is no date"):
        predict_table(fitted, table(tmp_path, "when\n31.12.12024\n"))


def test_rules_overrule_what_is_found(tmp_path):
    path = table(
        tmp_path, "plz;age;when;note;ok\n01234;1,5;01/02/2024;x;1\n99999;2;03/04/2024;y;0\n"
    )
    kinds = rules(
        tmp_path,
        '[columns]\nplz = "category"\nage = "number"\nwhen = "date, day first"\n'
        'note = "leave out"\nok = "category"\n',
    )
    training = TableFile(path, rules=kinds).training("ok")
    assert training.kinds == {"plz": "category", "age": "number", "when": "date %d/%m/%Y"}
    assert list(training.X["plz"]) == ["01234", "99999"]
    assert training.X["when"][0] == pd.Timestamp("2024-02-01")
    month_first = kinds._replace(kinds={"when": "date, month first"})
    assert TableFile(path, rules=month_first).frame(["when"])[0]["when"][0].month == 1


def test_rules_say_how_a_file_is_written(tmp_path):
    path = table(tmp_path, "a|b;c|d\n1,5|x|2\n".encode("utf-16-le"))
    written = rules(tmp_path, 'separator = "|"\ndecimal = ","\nencoding = "utf-16-le"\n')
    file = TableFile(path, rules=written)
    assert file.names == ["a", "b;c", "d"] and file.frame()[0]["a"][0] == 1.5


@pytest.mark.parametrize(
    "text, message",
    [
        ("[columns]\nage = 'numbr'\n", "no kind of column 'numbr' .*; did you mean number"),
        ("[columns]\nolder = 'number'\n", "no column 'older' in "),
        ("[column]\nage = 'number'\n", "no rule 'column' in .*; did you mean columns"),
        ("separator = ':'\n", "separator must be one of ',' ';'"),
        ("columns = 3\n", r"columns must be a table, \[columns\]"),
        ("columns\n", "cannot be read"),
        ("encoding = 'klingon'\n", "no encoding 'klingon'"),
        ("[columns]\nname = 'number'\n", r"column name, row 1 .*'x' is no number, and the rules"),
        ("[columns]\nname = 'date'\n", "the cells are no dates"),
    ],
)
def test_rules_that_make_no_sense(text, message, tmp_path):
    path = table(tmp_path, "age,name,target\n1,x,0\n2,y,1\n")
    with pytest.raises(UserError, match=message):
        TableFile(path, rules=rules(tmp_path, text)).training()


def test_ambiguous_dates_by_rule_need_an_order(tmp_path):
    path = table(tmp_path, "when,target\n01/02/2024,0\n03/04/2024,1\n")
    with pytest.raises(UserError, match='cannot be told apart; say "date, day first"'):
        TableFile(path, rules=rules(tmp_path, "[columns]\nwhen = 'date'\n")).training()


def test_dates_of_a_parquet_file(tmp_path):
    pytest.importorskip("pyarrow")
    days = pd.date_range("2024-01-01", periods=20, tz="UTC")
    pd.DataFrame({"when": days, "target": np.arange(20) > 9}).to_parquet(tmp_path / "t.parquet")
    file = TableFile(tmp_path / "t.parquet")
    training = file.training()
    assert training.kinds == {"when": "date"}
    fitted = fit_training(training, KNeighborsClassifier(1), file.path)
    assert (predict_table(fitted, file.path)["target"] == training.y).all()
    with pytest.raises(UserError, match="is no date"):
        predict_table(fitted, table(tmp_path, "when\nsoon\n"))
