import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.special import softmax
from sklearn.base import clone
from sklearn.datasets import load_wine
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from kernsemble import KernelEnsembleClassifier
from kernsemble.calibration import conformal_threshold, probabilities
from kernsemble.combine import Pooled, fit_pool
from kernsemble.datasets import make_waveform, make_xor
from kernsemble.ensembles import kernel_ensemble
from kernsemble.ensembles.leaderboard import Leaderboard, Standing
from kernsemble.members import library, training_views
from kernsemble.members.training_views import TrainingViews
from kernsemble.members.viewed import fit_estimator_member
from kernsemble.tables import MemoryTable, RowChunks
from kernsemble.tables.draws import inner_folds

RIDGES = ["gaussian", "laplace_l1"]


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return train_test_split(X, y, random_state=0, stratify=y)


@pytest.fixture(scope="module")
def fitted(wine):
    X, _, y, _ = wine
    return KernelEnsembleClassifier(random_state=0).fit(X, y)


def test_it_needs_no_argument(wine, fitted):
    _, X, _, y = wine
    assert fitted.score(X, y) > 0.95
    assert {row.member.split()[0] for row in fitted.leaderboard_} == set(fitted.kinds())


def test_leaderboard_and_weights_tell_the_same(fitted):
    weights = [row.weight for row in fitted.leaderboard_]
    assert weights == sorted(weights, reverse=True)
    assert sum(weights) == pytest.approx(1.0)
    kept = {entry.name for entry in fitted.estimators_}
    # What was dropped changes no probability by more than a thousandth.
    assert kept >= {row.member for row in fitted.leaderboard_ if row.weight >= 0.01}
    assert fitted.weights_.sum() == pytest.approx(1.0)
    assert "honest" not in repr(fitted.leaderboard_)
    assert len(str(fitted.leaderboard_).splitlines()) == len(fitted.leaderboard_) + 1


def test_leaderboard_as_a_frame(fitted):
    pytest.importorskip("pandas")
    frame = fitted.leaderboard_.to_frame()
    assert list(frame.columns) == ["member", "accuracy", "log_loss", "weight", "seconds", "note"]


def test_probabilities_are_the_biased_mean_of_those_of_the_members(wine, fitted):
    X, pool = wine[1], fitted.combination_
    mean = sum(
        w * probabilities(m.class_scores(X), t)
        for w, t, m in zip(fitted.weights_, pool.temperatures, fitted.estimators_)
    )
    expected = softmax(np.log(mean) + pool.bias, axis=1)
    assert_allclose(softmax(fitted.decision_function(X), axis=1), expected)
    assert_array_equal(fitted.predict(X), fitted.predict_proba(X).argmax(axis=1))


def test_a_single_member_keeps_its_own_probabilities_but_for_a_bias(wine):
    X, new, y, _ = wine
    clf = KernelEnsembleClassifier(["gaussian"], random_state=0).fit(X, y)
    (member,) = clf.estimators_
    # Its own probabilities are nearly as sharp as they should be.
    assert clf.temperature_ == pytest.approx(1.0, abs=0.1)
    P = probabilities(member.class_scores(new), clf.combination_.temperatures[0])
    balanced = (np.log(P) + clf.combination_.bias) / clf.temperature_
    assert_allclose(clf.predict_proba(new), softmax(balanced, axis=1), atol=1e-6)


def test_weights_of_the_pool_respect_those_of_the_rows():
    rng = np.random.RandomState(0)
    codes, honest = rng.randint(2, size=60), rng.randn(3, 60, 1)
    twice = np.repeat(np.arange(60), 1 + (np.arange(60) % 2))
    weighted = fit_pool(honest, codes, 1.0 + (np.arange(60) % 2))
    repeated = fit_pool(honest[:, twice], codes[twice])
    assert_allclose(weighted.temperatures, repeated.temperatures)
    assert_allclose(weighted.weights, repeated.weights, atol=1e-8)


@pytest.mark.parametrize("kind", [*RIDGES, "exponential", "laplace_l2", "ranks"])
def test_ridge_members_score_a_row_as_without_it(kind):
    X, y = make_waveform(40, random_state=0)
    table = MemoryTable(X, y, np.arange(3))
    T = table.all.targets("one_hot")
    training = TrainingViews(table, np.random.RandomState(0))
    name = library.KINDS[kind][0]
    plan = library.PLANS[name]
    (bundle,) = plan(training, 0, {name: None}, 0)
    ((function, *args),) = bundle.tasks
    member = bundle.join([function(training, *args)])[name].member
    ridge, tuned = member.member, training.tuned(plan.keywords["view"], name.split()[-1])
    rest = np.arange(len(y)) != 7
    K = tuned.kernel(ridge.parts[0].rows)
    shares = T[rest].mean(axis=0)
    system = K[np.ix_(rest, rest)] + tuned.alpha * np.eye(rest.sum())
    A = np.linalg.solve(system, T[rest] - shares)
    assert_allclose(member.honest_scores[7], shares + K[7, rest] @ A, atol=1e-8)


@pytest.mark.parametrize("exact_rows", [1000, 100])
@pytest.mark.parametrize("kind", KernelEnsembleClassifier.kinds())
def test_honest_scores_know_nothing_of_noise_labels(kind, exact_rows, monkeypatch):
    # Beyond the second limit members race on landmarks, first on a part of the rows.
    monkeypatch.setattr(training_views, "EXACT_ROWS", exact_rows)
    monkeypatch.setattr(training_views, "FIRST_ROWS", 200)
    rng = np.random.RandomState(1)
    X, y = rng.randn(400, 8), (rng.rand(400) < 0.7).astype(int)
    clf = KernelEnsembleClassifier([kind], random_state=0).fit(X, y)
    # Chance is the share of the larger class; scores of the training rows themselves would be near
    # 1. With classes of one size, leaving a row out makes its own class the smaller one.
    chance = y.mean()
    assert abs(clf.honest_accuracy_ - chance) < 2 * np.sqrt(chance * (1 - chance) / 400)


def test_a_learned_metric_finds_the_columns_that_matter():
    X, y = make_xor(400, n_noise=8, random_state=0)
    new, truth = make_xor(400, n_noise=8, random_state=1)
    plain = KernelEnsembleClassifier(["gaussian"], random_state=0).fit(X, y)
    metric = KernelEnsembleClassifier(["metric"], random_state=0).fit(X, y)
    assert metric.score(new, truth) > plain.score(new, truth) + 0.05


@pytest.mark.parametrize("limits", [(60, 1000, 1000), (60, 90, 1000), (60, 60, 90)])
def test_larger_data_race_on_landmarks_and_samples(monkeypatch, limits):
    for name, value in zip(("EXACT_ROWS", "FIRST_ROWS", "SCORED_ROWS"), limits):
        monkeypatch.setattr(training_views, name, value)
    X, y = make_waveform(200, random_state=0)
    new, truth = make_waveform(300, random_state=1)
    clf = KernelEnsembleClassifier(random_state=0).fit(X, y)
    assert clf.score(new, truth) > 0.75
    assert len(clf.honest_rows_) == min(200, limits[2]) == len(clf.honest_scores_)
    assert_array_equal(clf.honest_.codes, y[clf.honest_rows_])
    assert abs(clf.honest_accuracy_ - clf.score(new, truth)) < 0.12


def test_members_of_your_own(wine):
    X, _, y, _ = wine
    own = GaussianNB()
    clf = KernelEnsembleClassifier(["gaussian", own, KNeighborsClassifier()], random_state=0)
    clf.fit(X, y)
    names = {row.member for row in clf.leaderboard_}
    assert names == {"gaussian", "GaussianNB", "KNeighborsClassifier"}
    assert not hasattr(own, "theta_")


def test_a_classifier_is_scored_by_folds_that_did_not_see_the_row():
    X = np.arange(20.0)[:, None]
    codes = np.arange(20) % 2
    nearest = KNeighborsClassifier(1)
    table = MemoryTable(X, codes, np.arange(2))
    member = fit_estimator_member(table, nearest, np.random.RandomState(0))
    assert_array_equal(member.predict(X), codes)
    assert_array_equal(member.honest_scores.argmax(axis=1), 1 - codes)


def test_folds_of_rare_classes():
    folds = inner_folds(np.array([0, 0, 0, 0, 1, 2]), 4, np.random.RandomState(0))
    assert sorted(np.concatenate([fold for _, fold in folds])) == list(range(6))


def test_a_spent_budget_still_leaves_the_first_member(wine):
    X, _, y, _ = wine
    clf = KernelEnsembleClassifier(RIDGES, time_budget=1e-9, random_state=0).fit(X, y)
    assert [row.member for row in clf.leaderboard_] == ["gaussian"]


def test_a_row_of_weight_zero_is_not_there(wine):
    X, new, y, _ = wine
    weights = (np.arange(len(y)) % 3 > 0).astype(float)
    clf = KernelEnsembleClassifier(RIDGES, random_state=0)
    weighted = clone(clf).fit(X, y, sample_weight=weights)
    left = clone(clf).fit(X[weights > 0], y[weights > 0])
    assert_allclose(weighted.decision_function(new), left.decision_function(new))


def test_the_same_answer_for_every_number_of_jobs(wine, fitted):
    X, new, y, _ = wine
    other = KernelEnsembleClassifier(n_jobs=2, random_state=0).fit(X, y)
    assert_allclose(other.decision_function(new), fitted.decision_function(new), atol=1e-10)


def test_label_sets_cover_what_they_promise():
    X, y = make_waveform(300, random_state=0)
    new, truth = make_waveform(2000, random_state=1)
    clf = KernelEnsembleClassifier(RIDGES, random_state=0).fit(X, y)
    sizes = []
    for confidence in (0.6, 0.9):
        sets = clf.predict_set(new, confidence)
        assert sets.shape == (2000, 3)
        assert abs(sets[np.arange(2000), truth].mean() - confidence) < 0.05
        sizes.append(sets.sum())
    assert sizes[0] < sizes[1]


def test_conformal_threshold_by_hand():
    P = np.column_stack([np.arange(1, 20) / 20, 1 - np.arange(1, 20) / 20])
    codes = np.zeros(19, int)
    # Of 19 rows and the new one, 90 % means that two of the twenty may be left out.
    assert conformal_threshold(P, codes, 0.9) == pytest.approx(0.1)
    assert conformal_threshold(P, codes, 0.95) == pytest.approx(0.05)
    assert conformal_threshold(P, codes, 0.99) == 0.0
    assert conformal_threshold(P, codes, 0.9, np.full(19, 3.0)) == pytest.approx(0.1)


def test_plot_draws_both_panels(fitted, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    figure = fitted.plot()
    figure.savefig(tmp_path / "leaderboard.png")
    assert len(figure.axes) == 3


@pytest.mark.parametrize(
    ("params", "error", "said"),
    [
        ({"members": ["gausian"]}, ValueError, "gausian"),
        ({"members": []}, ValueError, "members"),
        ({"members": [3]}, TypeError, "3"),
        ({"time_budget": 0}, ValueError, "time_budget"),
    ],
)
def test_bad_parameters(params, error, said):
    with pytest.raises(error, match=said):
        KernelEnsembleClassifier(**params).fit(np.eye(4), [0, 1, 0, 1])


def test_bad_confidence(fitted, wine):
    with pytest.raises(ValueError, match="confidence"):
        fitted.predict_set(wine[1], confidence=1.0)


@pytest.fixture
def race_on_few_rows(monkeypatch):
    monkeypatch.setattr(training_views, "EXACT_ROWS", 60)
    monkeypatch.setattr(training_views, "FIRST_ROWS", 90)
    monkeypatch.setattr(training_views, "FEW_ROWS", 90)
    return make_waveform(200, random_state=0)


def rounds_of(monkeypatch, after=None):
    """Record the rounds of every task that runs, and call `after` with their number."""
    ran, original = [], kernel_ensemble._run_task

    def run(training, task, deadline):
        result = original(training, task, deadline)
        if result[0] is not None:
            ran.append(task[1:2])
            if after is not None:
                after(len(ran))
        return result

    monkeypatch.setattr(kernel_ensemble, "_run_task", run)
    return ran


def test_only_members_that_earn_weight_grow(race_on_few_rows, monkeypatch):
    X, y = race_on_few_rows
    noise = DummyClassifier(strategy="prior")
    clf = KernelEnsembleClassifier(["gaussian", "rvfl", noise], random_state=0).fit(X, y)
    # The one that knows only the class shares is left behind after the first round.
    names = {row.member for row in clf.leaderboard_}
    assert "gaussian" in names and "DummyClassifier" not in names
    assert len(clf.honest_rows_) == 200
    first, *_, last = clf.race_
    assert (first.members, last.rows) == (3, 200) and first.rows <= last.rows
    assert 0.0 < first.seconds < last.seconds


def test_a_metric_is_learned_from_many_rows_only_if_there_is_nothing_else(race_on_few_rows):
    X, y = race_on_few_rows
    beside = KernelEnsembleClassifier(["gaussian", "metric"], random_state=0).fit(X, y)
    assert "left out: more than" in repr(beside.leaderboard_)
    alone = KernelEnsembleClassifier(["metric"], random_state=0).fit(X, y)
    assert alone.score(X, y) > 0.7


def test_a_budget_that_ends_early_keeps_the_first_round(race_on_few_rows, monkeypatch):
    X, y = race_on_few_rows
    ran = rounds_of(monkeypatch)
    now = iter([0.0, *[0.5] * 2, *[9.0] * 1000])
    monkeypatch.setattr("kernsemble.ensembles.race.time.time", lambda: next(now))
    clf = KernelEnsembleClassifier(["gaussian", "forest"], time_budget=1.0, random_state=0)
    clf.fit(X, y)
    assert len(ran) < 10
    assert clf.score(X, y) > 0.6


def test_an_interrupted_fit_with_a_budget_returns_what_it_has(race_on_few_rows, monkeypatch):
    X, y = race_on_few_rows

    def interrupt(n_ran):
        if n_ran == 3:
            raise KeyboardInterrupt

    rounds_of(monkeypatch, interrupt)
    clf = KernelEnsembleClassifier(["gaussian", "rvfl", "forest"], time_budget=60, random_state=0)
    clf.fit(X, y)
    assert {row.member for row in clf.leaderboard_} == {"gaussian", "rvfl"}
    assert clf.score(X, y) > 0.6
    rounds_of(monkeypatch, interrupt)
    with pytest.raises(KeyboardInterrupt):
        clone(clf).set_params(time_budget=None).fit(X, y)


def test_a_race_has_the_same_answer_for_every_number_of_jobs(race_on_few_rows):
    X, y = race_on_few_rows
    one, two = (
        KernelEnsembleClassifier(n_jobs=n_jobs, random_state=0).fit(X, y) for n_jobs in (1, 2)
    )
    assert_allclose(one.decision_function(X), two.decision_function(X), atol=1e-8)


def test_dropped_members_change_no_probability_by_more_than_allowed():
    rng = np.random.RandomState(0)
    S = rng.randn(4, 50, 3)
    pool = Pooled(np.array([0.6, 0.3989, 0.001, 0.0001]), np.ones(4))
    kept = pool.needed(S, 1e-3)
    assert list(kept) == [0, 1]
    change = pool.keep(kept).probabilities(S[kept]) - pool.probabilities(S)
    assert np.abs(change).max() <= 1e-3
    assert list(pool.needed(S, 1e-9)) == [0, 1, 2, 3]


@pytest.mark.parametrize("scored_rows", [1000, 100])
def test_chunks_and_dask_arrays_give_the_answer_of_memory(
    race_on_few_rows, monkeypatch, scored_rows
):
    da = pytest.importorskip("dask.array")
    # Of more rows than the second limit, only landmark ridges see all.
    monkeypatch.setattr(training_views, "SCORED_ROWS", scored_rows)
    X, y = race_on_few_rows
    clf = KernelEnsembleClassifier(["gaussian", "ranks", "forest"], random_state=0)
    expected = clone(clf).fit(X, y).decision_function(X)
    chunked = clone(clf).fit(RowChunks(X, y, size=70))
    assert_allclose(chunked.decision_function(X), expected, atol=1e-8)
    lazy = clone(clf).fit(da.from_array(X, chunks=(70, -1)), da.from_array(y, chunks=70))
    assert_allclose(lazy.decision_function(da.from_array(X, chunks=(90, -1))), expected, atol=1e-8)


def test_members_that_are_not_worth_it_are_left_out_unless_alone():
    rng = np.random.RandomState(0)
    X, y = rng.standard_normal((120, 7)), np.arange(120) % 2
    few = KernelEnsembleClassifier(["gaussian", "metric"]).fit(X, y)
    left_out = {own.member for own in few.leaderboard_ if np.isnan(own.accuracy)}
    assert left_out == {"metric gaussian", "metric laplace_l1"}
    assert "left out: fewer than 20 rows for each column" in repr(few.leaderboard_)
    enough = KernelEnsembleClassifier(["gaussian", "metric"]).fit(X[:, :6], y)
    assert not any(np.isnan(own.accuracy) for own in enough.leaderboard_)
    alone = KernelEnsembleClassifier(["metric"]).fit(X, y)
    assert {own.member for own in alone.leaderboard_} == left_out
    many = KernelEnsembleClassifier(["boosted"]).fit(X, np.arange(120) % 60)
    assert len(many.classes_) == 60


def test_sparse_rows_go_to_the_kinds_that_take_them():
    X = sparse.random(120, 40, density=0.2, random_state=0, format="csr")
    y = np.asarray(X[:, :20].sum(axis=1) > X[:, 20:].sum(axis=1)).ravel()
    members = ["gaussian", "laplace_l1", "forest", "ranks", LogisticRegression(), "rvfl"]
    clf = KernelEnsembleClassifier(members, random_state=0).fit(X, y)
    standings = {row.member: row.accuracy for row in clf.leaderboard_}
    left_out = {name for name, accuracy in standings.items() if np.isnan(accuracy)}
    assert left_out == {"forest", "forest axis", "ranks gaussian", "ranks laplace_l1", "rvfl"}
    assert "forest" in repr(clf.leaderboard_) and "left out" in repr(clf.leaderboard_)
    assert clf.score(X, y) > 0.85
    with pytest.raises(ValueError, match="forest, forest axis takes sparse rows"):
        KernelEnsembleClassifier(["forest"]).fit(X, y)


def test_the_leaderboard_is_shown_in_notebooks_and_draws_itself():
    rows = [
        Standing("<b>mine</b>", 0.9, 0.3, 0.75, 1.0),
        Standing("rvfl", np.nan, np.nan, 0.0, 0.0, "it takes no <i>"),
    ]
    shown = Leaderboard(rows)._repr_html_()
    assert "&lt;b&gt;mine" in shown and "0.750" in shown and "left out" in shown
    assert Leaderboard([])._repr_html_().startswith("<table>")
    axes = Leaderboard(rows).plot()
    assert [label.get_text() for label in axes.get_yticklabels()] == ["<b>mine</b>", "rvfl"]
