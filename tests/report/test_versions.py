"""Two ledgers: what changed between two versions of a method, in numbers and on a page."""

import pytest
from numpy.testing import assert_allclose

from kernsemble.benchmark.ledger import Ledger
from kernsemble.benchmark.measure_list import MEASURES
from kernsemble.benchmark.statistics import paired_t
from kernsemble.benchmark.versions import compare_sets, match_versions, summarise_sets
from kernsemble.commands.reporting import ReportRequest, report_on
from kernsemble.errors import UserError
from kernsemble.report import write_version_report
from tests.report.browser import CHROMIUM, Browser
from tests.report.made_up import fill

ACCURACY, FIT = MEASURES["accuracy"], MEASURES["fit_seconds"]


@pytest.fixture
def ledgers(tmp_path):
    """Two ledgers; in the second, beta has gained on four data sets of six and lost on one."""
    with Ledger(tmp_path / "old.sqlite") as old, Ledger(tmp_path / "new.sqlite") as new:
        fill(old, methods=("alpha", "beta", "gone"))
        fill(new, methods=("alpha", "beta", "<b>new</b>"))
        change = (
            "UPDATE results SET accuracy = accuracy + ? * (1 + split * 0.1), fit_seconds = 0.01 "
        )
        for number, gain in enumerate((0.01, 0.02, 0.03, 0.04, -0.02)):
            where = "WHERE method = 'beta' AND dataset = ?"
            new._database.execute(change + where, [gain, f"set {number}"])
        new._database.execute("UPDATE results SET fit_seconds = 0.01 WHERE method = 'beta'")
        yield old, new


def test_the_numbers_are_those_of_their_definitions(ledgers):
    versions = match_versions(*ledgers)
    assert versions.methods == ["alpha", "beta"]
    assert (versions.only_before, versions.only_after) == (["gone"], ["<b>new</b>"])
    sets = compare_sets(versions, ACCURACY).set_index(["method", "dataset"])
    gains = sets.loc["beta", "gain"].to_numpy()
    assert_allclose(gains, [0.011, 0.022, 0.033, 0.044, -0.022, 0.0], atol=1e-12)
    rows = [book.results().query("method == 'beta' and dataset == 'set 1'") for book in ledgers]
    t, p = paired_t(rows[1]["accuracy"], rows[0]["accuracy"], 10 / 90)
    assert sets.at[("beta", "set 1"), "t"] == pytest.approx(t)
    assert sets.at[("beta", "set 1"), "p"] == pytest.approx(p)
    assert (sets["splits"] == 3).all()
    summary = summarise_sets(sets.reset_index())
    beta, alpha = summary.loc["beta"], summary.loc["alpha"]
    assert (beta["wins"], beta["ties"], beta["losses"]) == (4, 1, 1)
    # The loss shares ranks 2 and 3: 4 of 32 choices of signs have a sum of at most 2.5.
    assert beta["p"] == pytest.approx(2 * 4 / 32)
    assert beta["gain"] == pytest.approx(gains.mean())
    assert (beta["surely_better"], beta["surely_worse"]) == (4, 1)
    assert beta["fit_ratio"] == pytest.approx(0.5) and alpha["fit_ratio"] == pytest.approx(1.0)
    assert (alpha["ties"], alpha["p"], alpha["gain"]) == (6, 1.0, 0.0)


def test_less_is_better_where_it_is(ledgers):
    sets = compare_sets(match_versions(*ledgers), FIT)
    beta = sets[sets["method"] == "beta"]
    assert_allclose(beta["gain"], 0.01) and (beta["t"] > 0).all()
    assert compare_sets(match_versions(*ledgers), MEASURES["auc"]).empty


def test_cells_that_do_not_belong_together_are_left_out(ledgers):
    old, new = ledgers
    new._database.execute("UPDATE results SET data_digest = 'e' WHERE dataset = 'set 0'")
    new._database.execute("DELETE FROM results WHERE dataset = 'set 1' AND split = '0'")
    fail = "UPDATE results SET accuracy = NULL, failure = 'why' WHERE dataset = 'set 2'"
    new._database.execute(f"{fail} AND method = 'beta' AND split = '1'")
    versions = match_versions(old, new)
    assert versions.changed_datasets == ["set 0"] and versions.n_unmatched == 2
    sets = compare_sets(versions, ACCURACY).set_index(["method", "dataset"])
    assert sets.at[("beta", "set 1"), "splits"] == 2 and sets.at[("beta", "set 2"), "splits"] == 2
    assert ("beta", "set 0") not in sets.index
    new._database.execute("UPDATE results SET data_digest = 'e'")
    with pytest.raises(UserError, match="no data set with the same rows"):
        match_versions(old, new)
    new._database.execute("UPDATE results SET method = method || ' 2'")
    with pytest.raises(UserError, match="no method in common"):
        match_versions(old, new)
    with pytest.raises(UserError, match="holds no results of the protocol nested"):
        match_versions(old, new, "nested")


def test_the_page_says_what_changed(ledgers, tmp_path):
    page = write_version_report(*ledgers, tmp_path / "page.html").read_text()
    assert "beta is better on 4, equal on 1 and worse on 1 of 6 data sets" in page
    assert "the mean gain in accuracy is +1.47 points, which chance may explain" in page
    assert "Fits take 0.50 times as long as before." in page
    assert "Only in the first ledger, and not compared: gone." in page
    assert "&lt;b&gt;new&lt;/b&gt;" in page and "<b>new</b>" not in page
    assert 'data-measure="fit_seconds"' in page and "nan" not in page.split("<script")[1]


def test_settings_that_differ_and_many_methods(tmp_path):
    methods = [f"method {number}" for number in range(5)]
    with Ledger(tmp_path / "old.sqlite") as old, Ledger(tmp_path / "new.sqlite") as new:
        fill(old, 8, methods)
        fill(new, 8, methods)
        gained = "UPDATE results SET accuracy = accuracy + 0.01 WHERE method = 'method 2'"
        new._database.execute(gained)
        other = "UPDATE makers SET content = replace(content, 'svm.Any', 'svm.<Other>')"
        new._database.execute(other)
        page = write_version_report(old, new, tmp_path / "page.html").read_text()
    assert "method 2 is better on 8, equal on 0 and worse on 0 of 8 data sets" in page
    assert "more than chance explains (Wilcoxon, p = 0.0078)" in page
    assert "The same accuracy on every data set: method 0, method 1, method 3 and" in page
    assert "sklearn.svm.Any</td>" in page and "sklearn.svm.&lt;Other&gt;</td>" in page


def test_one_method_is_drawn_as_bars(tmp_path):
    with Ledger(tmp_path / "old.sqlite") as old, Ledger(tmp_path / "new.sqlite") as new:
        fill(old, methods=("alpha",))
        fill(new, methods=("alpha",), gain=0.01)
        page = write_version_report(old, new, tmp_path / "page.html").read_text()
    assert page.count('class="change gain') == 6
    assert "The definitions of the methods are the same in both ledgers" in page


def test_the_command(ledgers, tmp_path, capsys):
    paths = tuple(book.path for book in ledgers)
    report_on(ReportRequest(paths, None, None, None, "accuracy", None))
    printed = capsys.readouterr().out
    assert "4/1/1" in printed and "0.50 ×" in printed and (tmp_path / "old-new.html").exists()
    with pytest.raises(UserError, match="one ledger or compares two, got 3"):
        report_on(ReportRequest((*paths, "x"), None, None, None, "accuracy", None))
    with pytest.raises(UserError, match="--anchor"):
        report_on(ReportRequest(paths, None, None, None, "accuracy", "beta"))
    report_on(ReportRequest(paths[:1], None, None, None, "fit_seconds", None))
    assert "fit time, s" in capsys.readouterr().out


@pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
def test_in_a_browser(ledgers, tmp_path):
    page = write_version_report(*ledgers, tmp_path / "page.html")
    with Browser(tmp_path / "profile") as browser:
        for width in (1300, 400):
            browser.open(page, width)
            found = browser.run("""await views.show("fit_seconds");
              return [document.querySelector("#methods h2").textContent.trim(),
                document.documentElement.scrollWidth - innerWidth];""")
            assert found[0].startswith("Fit time before and after") and found[1] <= 0
        assert browser.problems == []
