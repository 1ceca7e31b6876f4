"""The report says what the results say, and escapes names."""

import base64
import gzip
import json
import re

import numpy as np
import pytest

from kernsemble.benchmark.ledger import Ledger
from kernsemble.benchmark.measure_list import MEASURES
from kernsemble.environment import code_version
from kernsemble.errors import UserError
from kernsemble.report import figures, write_report
from kernsemble.report.plot_data import collect
from kernsemble.report.time_figures import score_against_time
from kernsemble.report.words import describe_p, listed, summarise
from tests.report.made_up import NASTY, fill


@pytest.fixture
def ledger(tmp_path):
    with Ledger(tmp_path / "ledger.sqlite") as opened:
        yield opened


def test_plot_data_follow_the_results(ledger):
    fill(ledger)
    data = collect(ledger)
    assert list(data.average_ranks.index) == ["gamma", "beta", "alpha"]
    assert data.average_ranks["gamma"] == 1.0 and data.study.ours == {"alpha"}
    assert data.better.loc["gamma", "alpha"] > 0.95
    times = data.study.times.loc["beta"]
    assert times["fit_seconds"] == pytest.approx(0.02)
    assert times["fit_per_1000"] == pytest.approx(0.02 * 1000 / 90)
    assert times["predict_per_1000"] == pytest.approx(0.001 * 1000 / 10)
    first = summarise(data)[0]
    assert first.startswith("gamma has the best average rank, 1.00 of 3, over 6 data sets")


def test_another_measure_ranks(ledger, tmp_path):
    fill(ledger)
    set_loss = "UPDATE results SET measures = json_object('log_loss', ?) WHERE method = ?"
    for method, loss in (("alpha", 0.25), ("beta", 0.5), ("gamma", 0.75)):
        ledger._database.execute(set_loss, [loss, method])
    ledger._database.execute("UPDATE results SET measures = '{}' WHERE dataset = 'set 5'")
    data = collect(ledger, measure="log_loss")
    assert list(data.average_ranks.index) == ["alpha", "beta", "gamma"]
    assert data.ratings.index[0] == "alpha" and data.ratings.at["alpha", "improvability"] == 0
    assert data.ratings.at["beta", "improvability"] == pytest.approx(50)
    text = " ".join(summarise(data))
    assert "its mean log-loss is 0.25." in text and "9 of 54 cells have no log-loss" in text
    page = write_report(ledger, tmp_path / "report.html", measure="log_loss").read_text()
    assert "Log-loss by data set" in page and "Ratings of this pool" in page
    with pytest.raises(UserError, match="before auc was measured; it has accuracy"):
        collect(ledger, measure="auc")


def test_failures_are_left_out_and_said(ledger):
    failures = {("beta", number) for number in range(4)} | {("alpha", 5)}
    fill(ledger, failures=failures)
    data = collect(ledger)
    assert data.left_out_methods == ["beta"] and data.left_out_datasets == ["set 5"]
    assert data.study.n_failed == 15
    text = " ".join(summarise(data))
    assert "15 of 54 cells failed" in text and "Not ranked" in text and "set 5" in text


def test_a_point_is_the_difference_that_counts(ledger, tmp_path):
    fill(ledger, 12, ("alpha", "beta"), step=0.007)
    data = collect(ledger)
    assert data.against_best[0]["alike"] > 0.95 and data.better.loc["beta", "alpha"] < 0.05
    assert "Alike to beta within a point" in " ".join(summarise(data))
    with Ledger(tmp_path / "other.sqlite") as other:
        fill(other, 12, ("alpha", "beta"), step=0.013)
        data = collect(other)
    assert data.against_best[0]["better"] > 0.95 and data.better.loc["beta", "alpha"] > 0.95
    assert "by more than a point" in " ".join(summarise(data))


def test_missing_splits_have_no_mean_anywhere_on_the_page(ledger, tmp_path):
    fill(ledger, 6)
    delete = "DELETE FROM results WHERE dataset = 'set 2' AND method = 'gamma' AND split <> '0'"
    ledger._database.execute(delete)
    fail = "UPDATE results SET accuracy = NULL, failure = 'why' WHERE dataset = ? AND method = ?"
    ledger._database.execute(f"{fail} AND split = '0'", ["set 4", "beta"])
    data = collect(ledger)
    assert data.left_out_datasets == ["set 2", "set 4"]
    page = write_report(ledger, tmp_path / "report.html").read_text()
    shown = json.loads(re.search(r'class="splits">(.*?)</script>', page, re.S).group(1))
    assert "gamma" not in shown["means"]["set 2"] and "beta" not in shown["means"]["set 4"]
    mean = data.means.at["set 4", "gamma"]
    assert shown["means"]["set 4"]["gamma"] == pytest.approx(mean, abs=1e-6)
    assert len(shown["splits"]["set 2"]["gamma"]) == 1
    assert 'title="some splits have no result yet">incomplete</td>' in page
    assert 'title="why">failed</td>' in page


def test_a_method_that_is_not_ranked_shows_no_mean_of_other_data_sets(ledger, tmp_path):
    fill(ledger, 6, failures={("gamma", number) for number in range(3)})
    page = write_report(ledger, tmp_path / "report.html").read_text()
    row = re.search(r"<td><span>gamma</span></td>(.*?)</tr>", page, re.S).group(1)
    assert re.findall(r">([^<]*)</td>", row)[:2] == ["–", "–"]


@pytest.mark.parametrize("n_datasets, methods", [(1, ["one"]), (1, ["a", "b"]), (4, ["one"])])
def test_little_to_compare_still_makes_a_page(ledger, tmp_path, n_datasets, methods):
    fill(ledger, n_datasets, methods)
    page = write_report(ledger, tmp_path / "report.html").read_text()
    assert "A test needs at least two methods on two data sets" in page


def test_only_failures_still_make_a_page(ledger, tmp_path):
    fill(ledger, 2, failures={(m, n) for m in ("alpha", "beta", "gamma") for n in range(2)})
    page = write_report(ledger, tmp_path / "report.html").read_text()
    assert "nothing can be ranked" in page and "ran &lt;out&gt; of memory" in page


def test_an_empty_ledger_and_an_unwritable_place(ledger, tmp_path):
    with pytest.raises(UserError, match="no results yet"):
        write_report(ledger, tmp_path / "report.html")
    fill(ledger)
    with pytest.raises(UserError, match="cannot be written"):
        write_report(ledger, tmp_path / "absent" / "report.html")
    with pytest.raises(UserError, match="no results of the protocol nested"):
        write_report(ledger, tmp_path / "report.html", "nested")


def test_names_are_escaped_and_nothing_is_fetched(ledger, tmp_path):
    fill(ledger, methods=("alpha", "<b>beta</b>"), nasty=True)
    page = write_report(ledger, tmp_path / "report.html").read_text()
    assert "<script>alert" not in page and "<b>beta" not in page
    assert "kernsemble bench &lt;study&gt;" in page
    assert not re.findall(r"(?:src|href)=[\"'](?!#)", page)
    assert "http" not in page.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")
    embedded = re.search(r'id="details">(.*?)</script>', page, re.S).group(1)
    assert NASTY in json.loads(embedded)["details"]


def test_results_of_changed_data_are_said(ledger):
    fill(ledger)
    ledger._database.execute("UPDATE results SET data_digest = 'e' WHERE method = 'beta'")
    assert any("changed between cells" in sentence for sentence in summarise(collect(ledger)))


def test_the_code_behind_the_results_is_shown(ledger, tmp_path):
    fill(ledger)
    page = write_report(ledger, tmp_path / "report.html").read_text()
    assert f"<dt>code</dt><dd>{code_version()}</dd>" in page
    assert "versions of the code" not in page
    ledger._database.execute("UPDATE results SET code = '<old>' WHERE method = 'beta'")
    page = write_report(ledger, tmp_path / "report.html").read_text()
    assert "come from 2 versions of the code" in page
    assert "<dt>code</dt><dd>&lt;old&gt;</dd>" in page


def test_figures_of_many_and_of_equal_methods():
    rng = np.random.RandomState(0)
    import pandas as pd

    ranks = pd.Series({f"method {number}": number + 1.0 for number in range(30)})
    drawn = figures.critical_difference_diagram(ranks, 3.0, [list(ranks.index[:4])], set())
    assert drawn.count("<polyline") == 30
    accuracy = pd.Series({"a": 0.5, "b": 0.5})
    seconds = pd.Series({"a": 1, "b": 1})
    drawn = score_against_time(accuracy, seconds, set(), MEASURES["accuracy"], "fit, seconds")
    assert "nan" not in drawn and drawn.count("<circle") == 2
    spread = pd.DataFrame(rng.uniform(1, 5, (20, 5)), columns=list("abcde"))
    assert "nan" not in figures.rank_boxes(spread, list("abcde"), {"a"})


def test_words():
    assert listed("abc") == "a, b and c" and listed("a") == "a"
    assert listed("abcdefgh", most=2) == "a, b and 6 more"
    assert describe_p(1e-9) == "p < 0.0001" and describe_p(0.034) == "p = 0.034"


def unpacked(page, measure):
    """Return the view of another measure as the browser would show it."""
    text = re.search(rf'data-measure="{measure}">(.*?)</script>', page).group(1)
    return gzip.decompress(base64.b64decode(text)).decode()


def losses(number, place):
    # The first method is the best by log-loss, and the last gives no probabilities.
    return {} if place == 2 else {"log_loss": 0.25 * (place + 1)}


def test_the_page_holds_every_measure(ledger, tmp_path):
    fill(ledger, further=losses)
    page = write_report(ledger, tmp_path / "report.html").read_text()
    assert "Ranking by accuracy" in page and "Ranking by log-loss" not in page
    view = unpacked(page, "log_loss")
    assert "Ranking by log-loss" in view and "alpha has the best average rank" in view
    assert "18 of 54 cells have no log-loss, among them all of gamma" in view
    assert "not zero" in view and 'title="no split has a value of log-loss">none</td>' in view
    for part in ("Every pair", "Ratings of this pool", "By kind of data set", "per 1,000"):
        assert part in page and part in view
    assert "Probability of being better" not in unpacked(page, "fit_seconds")
    assert 'data-measure="auc"' not in page
    other = write_report(ledger, tmp_path / "other.html", measure="log_loss").read_text()
    assert "Ranking by log-loss" in other and "Ranking by accuracy" in unpacked(other, "accuracy")


def test_ratings_are_anchored_at_a_chosen_method(ledger, tmp_path):
    fill(ledger)
    page = write_report(ledger, tmp_path / "report.html", anchor="beta").read_text()
    assert "beta has 1000" in page
    assert collect(ledger, anchor="beta").ratings.at["beta", "elo"] == pytest.approx(1000)
    with pytest.raises(UserError, match="no method 'zeta'"):
        write_report(ledger, tmp_path / "report.html", anchor="zeta")


def test_failures_are_counted_and_their_treatment_is_said(ledger, tmp_path):
    fill(ledger, failures={("gamma", 5)})
    data = collect(ledger)
    (row,) = data.failed
    assert (row["method"], row["failed"], row["cells"], row["rank"]) == ("gamma", 3, 18, 1.0)
    assert row["rank_last"] == pytest.approx((5 * 1 + 3) / 6)
    page = write_report(ledger, tmp_path / "report.html").read_text()
    assert (
        "3 of 54 cells failed (5.6" in page and "left out for all of them (1 data set here)" in page
    )
    assert "gamma on set 5: failed: ran &lt;out&gt; of memory" in page


def test_learning_curves(ledger, tmp_path):
    for size, gain in ((50, 0.0), (0, 0.05)):
        fill(ledger, 4, train_rows=size, gain=gain)
    fill(ledger, 5, names="other {}", train_rows=50)
    data = collect(ledger)
    assert list(data.curves.index) == [50, 90] and data.curves.attrs["n_datasets"] == 4
    rise = data.curves.loc[90] - data.curves.loc[50]
    assert (abs(rise - 0.05) < 0.01).all()
    assert data.means.loc["set 0", "alpha"] == pytest.approx(
        data.study.rows.query("dataset == 'set 0' and method == 'alpha'")["accuracy"].mean()
    )
    page = write_report(ledger, tmp_path / "report.html").read_text()
    assert "Learning curves" in page and "over the 4 data sets" in page and "nan" not in page
