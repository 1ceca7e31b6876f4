import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine, make_blobs
from sklearn.decomposition import KernelPCA
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import log_loss
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

from kernsemble import KernelPCAEnsembleClassifier
from kernsemble.ensembles.kernel_pca import KERNEL_NAMES
from kernsemble.kernels import RBF, GammaRange, Polynomial
from kernsemble.members.coordinate_ridge import fit_ridge_to_coordinates
from kernsemble.members.projected import fold_scores, seeded_clone
from kernsemble.tables.draws import inner_folds
from kernsemble.tables.rows import Rows
from tests.reference import closed_form as ref

# The equations that results are compared with know no scaling.
pytestmark = pytest.mark.usefixtures("unscaled")

#: Votes of trees, as in the thesis, with scale-free rules.
TREES = {"kernels": "rbf", "estimator": None, "n_components": 10, "combine": "vote"}
X, Y = load_iris(return_X_y=True)
TRAIN, TEST = np.arange(150) % 3 != 0, np.arange(150) % 3 == 0


def fit(**parameters):
    settings = {**TREES, "n_estimators": 4, "random_state": 0, **parameters}
    return KernelPCAEnsembleClassifier(**settings).fit(X[TRAIN], Y[TRAIN])


def many_rows():
    """So many that the leading components are found by iteration."""
    A, y = make_blobs(900, n_features=6, centers=5, cluster_std=4.0, random_state=0)
    return A[:600], y[:600], A[600:], y[600:]


@pytest.mark.parametrize("rows", [(X[TRAIN], Y[TRAIN], X[TEST], Y[TEST]), many_rows()])
def test_members_are_scikit_learns_kernel_pca_and_a_classifier(rows):
    X_train, y_train, X_test, _ = rows
    clf = KernelPCAEnsembleClassifier(
        4, kernels="rbf", estimator=None, combine="vote", n_components=3, random_state=0
    ).fit(X_train, y_train)
    for member in clf.estimators_:
        theirs = KernelPCA(3, kernel="rbf", gamma=member.feature_map.kernel_.gamma)
        Z = theirs.fit_transform(X_train)
        ours = member.feature_map.transform(X_train)
        signs = np.sign(np.sum(ours * Z, axis=0))
        assert_allclose(ours, Z * signs, atol=1e-6)
        Z_test = theirs.transform(X_test) * signs
        assert_allclose(member.feature_map.transform(X_test), Z_test, atol=1e-6)
        again = DecisionTreeClassifier(random_state=member.classifier.random_state)
        again.fit(Z * signs, y_train)
        assert_array_equal(member.scores(X_test).argmax(axis=1), again.predict(Z_test))


def test_the_vote_is_that_of_the_members():
    clf = fit(n_estimators=5, calibration_folds=0)
    votes = np.stack([member.scores(X[TEST]).argmax(axis=1) for member in clf.estimators_])
    counts = np.stack([(votes == c).sum(axis=0) for c in range(3)], axis=1)
    clear = np.sort(counts, axis=1)[:, -1] > np.sort(counts, axis=1)[:, -2]
    assert_array_equal(clf.predict(X[TEST])[clear], counts.argmax(axis=1)[clear])
    assert_allclose(clf.predict_proba(X[TEST]), counts / 5, atol=0.06)


def test_mean_probabilities_are_the_mean_of_the_members():
    clf = fit(combine="mean", estimator=LogisticRegression(), calibration_folds=0)
    mean = np.mean([member.scores(X[TEST]) for member in clf.estimators_], axis=0)
    assert_allclose(clf.predict_proba(X[TEST]), mean)


@pytest.mark.parametrize("kernel", KERNEL_NAMES)
@pytest.mark.parametrize("estimator", [None, "nearest"])
@pytest.mark.parametrize("n_components", [10, 0.5])
def test_all_variants_of_the_paper_classify(kernel, estimator, n_components):
    clf = fit(kernels=kernel, estimator=estimator, n_components=n_components)
    assert clf.score(X[TEST], Y[TEST]) > 0.8
    paper = fit(kernels=kernel, estimator=estimator, n_components=n_components, rule="paper")
    assert paper.score(X[TEST], Y[TEST]) > 0.4


@pytest.mark.parametrize(("share", "n_features", "n_components"), [(0.5, 3, 2), (0.1, 30, 3)])
def test_a_share_of_the_features_is_rounded_up(share, n_features, n_components):
    A = np.random.RandomState(0).standard_normal((40, n_features))
    clf = KernelPCAEnsembleClassifier(
        1, kernels="rbf", estimator=None, combine="vote", n_components=share, random_state=0
    )
    (member,) = clf.fit(A, np.arange(40) % 2).estimators_
    assert member.n_components == n_components


def test_only_the_scale_free_rule_ignores_the_unit():
    wine, y = load_wine(return_X_y=True)
    for kernel in KERNEL_NAMES:
        small, large = (
            KernelPCAEnsembleClassifier(
                3, estimator=None, n_components=10, combine="vote", kernels=kernel, random_state=0
            )
            .fit(unit * wine[::2], y[::2])
            .predict(unit * wine[1::2])
            for unit in (1.0, 0.125)
        )
        assert np.mean(small == large) > 0.95
    gammas = [
        KernelPCAEnsembleClassifier(
            1,
            kernels="rbf",
            estimator=None,
            n_components=10,
            combine="vote",
            rule="paper",
            random_state=0,
        )
        .fit(unit * wine, y)
        .estimators_[0]
        .feature_map.kernel_.gamma
        * unit**2
        for unit in (1.0, 0.125)
    ]
    assert not np.isclose(*gammas)


def test_landmarks_take_over_above_max_exact():
    clf = fit(max_exact=50, n_landmarks=20)
    assert clf.estimators_[0].feature_map.landmarks_.shape == (20, 4)
    assert clf.score(X[TEST], Y[TEST]) > 0.9


def test_trees_on_rounded_coordinates_score_alike():
    A, y, A_test, y_test = many_rows()
    exact = KernelPCAEnsembleClassifier(
        kernels="rbf", estimator=None, n_components=10, combine="vote", random_state=0
    ).fit(A, y)
    coarse = clone(exact).set_params(max_exact=0, n_landmarks=600).fit(A, y)
    assert abs(coarse.score(A_test, y_test) - exact.score(A_test, y_test)) < 0.04


def test_trees_tell_rows_of_a_tiny_view_apart():
    for gamma in (1.0, 2.0**-60):
        clf = fit(kernels=Polynomial(1, gamma, 0.0), n_estimators=1, n_components=3)
        assert clf.score(X[TEST], Y[TEST]) > 0.85


def test_the_number_of_components_can_be_chosen():
    rng = np.random.RandomState(0)
    A, y = make_blobs(150, n_features=2, centers=4, cluster_std=1.0, random_state=0)
    A = np.hstack([A, 0.3 * rng.randn(150, 30)])
    clf = KernelPCAEnsembleClassifier(
        2, kernels="rbf", estimator=None, combine="vote", n_components="auto", random_state=0
    ).fit(A, y)
    assert all(2 <= member.n_components <= 10 for member in clf.estimators_)


def test_a_list_of_estimators_is_dealt_out():
    clf = fit(estimator=["nearest", None, RidgeClassifier()], n_estimators=4)
    kinds = [type(member.classifier) for member in clf.estimators_]
    assert kinds == [
        KNeighborsClassifier,
        DecisionTreeClassifier,
        RidgeClassifier,
        KNeighborsClassifier,
    ]
    assert clf.score(X[TEST], Y[TEST]) > 0.8


def test_kernels_and_samplers_are_taken_as_they_are():
    same = fit(kernels=RBF(0.3))
    assert {member.feature_map.kernel_ for member in same.estimators_} == {RBF(0.3)}
    drawn = fit(kernels=GammaRange(0.1, 1.0))
    assert len({member.feature_map.kernel_.gamma for member in drawn.estimators_}) == 4


def test_weights_reach_the_classifier_or_are_refused():
    weights = np.where(Y == 0, 1.0, 1e-9)[TRAIN]
    stump = DecisionTreeClassifier(max_depth=1, min_weight_fraction_leaf=0.4)
    clf = KernelPCAEnsembleClassifier(
        3, kernels="rbf", n_components=10, combine="vote", estimator=stump, random_state=0
    )
    assert (clf.fit(X[TRAIN], Y[TRAIN], sample_weight=weights).predict(X) == 0).all()
    with pytest.raises(ValueError, match="does not take sample_weight"):
        clf.set_params(estimator="nearest").fit(X[TRAIN], Y[TRAIN], sample_weight=weights)


def test_the_callers_rows_may_change_after_fit():
    A = X[TRAIN].copy()
    clf = KernelPCAEnsembleClassifier(
        2, kernels="rbf", estimator=None, n_components=10, combine="vote", random_state=0
    ).fit(A, Y[TRAIN])
    before = clf.predict_proba(X[TEST])
    A[:] = 0.0
    assert_array_equal(clf.predict_proba(X[TEST]), before)


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"kernels": "gauss"}, ValueError, "kernels must be one of"),
        ({"kernels": 3}, ValueError, "kernels must be one of"),
        ({"n_components": 0}, ValueError, "n_components"),
        ({"n_components": -0.5}, ValueError, "n_components"),
        ({"n_components": "all"}, ValueError, "n_components"),
        ({"estimator": "tree"}, ValueError, "estimator"),
        ({"estimator": []}, ValueError, "estimator"),
        ({"estimator": 5}, TypeError, "estimator"),
        ({"rule": "free"}, ValueError, "rule"),
        ({"combine": "stacked"}, ValueError, "combine"),
        ({"max_exact": -1}, ValueError, "max_exact"),
        ({"calibration_folds": 1}, ValueError, "calibration_folds must be 0 or at least 2"),
        ({"max_exact": 10, "n_landmarks": 1000}, ValueError, "n_landmarks"),
    ],
    ids=str,
)
def test_bad_parameters_are_named(parameters, error, message):
    with pytest.raises(error, match=message):
        fit(**parameters)


@pytest.mark.parametrize("weighted", [True, False])
def test_honest_scores_of_ridges_equal_refitting(weighted):
    rng = np.random.RandomState(0)
    Z, codes = rng.randn(40, 8), np.arange(40) % 3
    s = rng.uniform(0.3, 2.0, 40) if weighted else None
    rows = Rows(0, Z, codes, s, 3)
    member = fit_ridge_to_coordinates(FunctionTransformer(), Z, rows, [5], np.array([0.3]))
    K, weights = Z[:, :5] @ Z[:, :5].T, np.ones(40) if s is None else s
    expected = ref.leave_one_out(K, np.eye(3)[codes], 0.3, weights, ref.share_model)
    assert_allclose(member.honest_scores, expected, atol=1e-8)
    assert_array_equal(member.coefs[5:8], 0.0)


def test_the_default_chooses_and_calibrates():
    clf = KernelPCAEnsembleClassifier(4, random_state=0).fit(X[TRAIN], Y[TRAIN])
    assert clf.score(X[TEST], Y[TEST]) > 0.9
    assert abs(clf.honest_accuracy_ - clf.score(X[TEST], Y[TEST])) < 0.1
    widths = [member.feature_map.kernel_.gamma for member in clf.estimators_]
    assert max(widths) / min(widths) <= 4.0


@pytest.mark.parametrize("estimator", [None, "nearest", LogisticRegression()])
@pytest.mark.parametrize("combine", ["vote", "mean"])
def test_a_given_estimator_has_honest_scores_by_folds(estimator, combine):
    rng = np.random.RandomState(0)
    A, noise = rng.randn(400, 3), rng.randint(2, size=400)
    clf = KernelPCAEnsembleClassifier(
        3, kernels="rbf", estimator=estimator, n_components=5, combine=combine, random_state=0
    ).fit(A, noise)
    # Chance within two and a half standard errors, although trees know their own rows by heart.
    assert abs(clf.honest_accuracy_ - 0.5) < 2.5 * 0.025
    assert log_loss(noise, clf.predict_proba(A)) < 0.71
    assert clf.honest_log_loss_ == pytest.approx(np.log(2.0), abs=0.02)


def test_scores_of_a_fold_are_those_of_a_classifier_without_it():
    Z, codes = X[::5], Y[::5]
    rng, again = np.random.RandomState(0), np.random.RandomState(0)
    S = fold_scores(DecisionTreeClassifier(), Z, codes, None, 3, 4, rng)
    for rest, fold in inner_folds(codes, 4, again):
        tree = seeded_clone(DecisionTreeClassifier(), again).fit(Z[rest], codes[rest])
        assert_array_equal(S[fold], tree.predict_proba(Z[fold]))


def test_folds_do_not_change_the_members_and_may_be_left_out():
    honest, plain = fit(), fit(calibration_folds=0)
    assert_array_equal(honest.decision_function(X[TEST]), plain.decision_function(X[TEST]))
    assert not hasattr(plain, "honest_scores_")


def test_the_number_of_coordinates_has_the_least_leave_one_out_error():
    rng = np.random.RandomState(3)
    Z = rng.randn(60, 6)
    y = (Z[:, 1] > 0).astype(int)
    rows, alphas = Rows(0, Z, y, None, 2), np.array([0.3])

    def error(numbers):
        member = fit_ridge_to_coordinates(FunctionTransformer(), Z, rows, numbers, alphas)
        return np.sum((member.honest_scores - np.eye(2)[y]) ** 2)

    alone = [error([number]) for number in (1, 2, 6)]
    assert error([1, 2, 6]) == pytest.approx(min(alone))
