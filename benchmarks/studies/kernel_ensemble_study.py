"""KernelEnsembleClassifier against forests, boosted trees, a tuned SVM and xRFM.

    python benchmarks/kernel_ensemble_study.py run [--methods …] [--sets …] [--splits 0 1 2 3]
    python benchmarks/kernel_ensemble_study.py ablate [--sets …] [--splits 0]
    python benchmarks/kernel_ensemble_study.py honest [--sets …] [--splits 0 1]
    python benchmarks/kernel_ensemble_study.py report

Data: the published splits of the sets of jmlr121 in one file, the nine flawed ones and those above
5,000 rows left out (KERNSEMBLE_DATA names the folder). Whatever a method tunes, it tunes inside the
training part. Rivals run on their defaults, forests with 500 trees; the SVM chooses C and gamma of
42 pairs by 3-fold cross-validation on at most 1,500 training rows, kernel ridge its width and
strength by leave-one-out, and xRFM, which asks for validation rows, gets a stratified fifth of the
training part. Everything runs on one thread; `cpu` is processor time of the fit. LightGBM, XGBoost,
CatBoost and xRFM are no dependencies of the project: install them into an environment of their own
to run their rows.

Rows are appended as they come, and what the file has is skipped. `ablate` fits all kinds of members
once a split and weighs them anew without each kind: rows called "without KIND". `honest` compares
honest with test accuracy on splits that leave classes to chance and on stratified ones: rows called
"random rows" and "stratified rows".
"""

import argparse
import time
import warnings

import numpy as np
from kernel_ensemble_report import DRAWN, OURS, STRATIFIED_ROWS, write_report
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from study import RESULTS, Ledger
from threadpoolctl import threadpool_limits

from kernsemble.calibration import fit_temperature, probabilities
from kernsemble.combine import fit_combination
from kernsemble.datasets import list_datasets, load
from kernsemble.ensembles.library import KINDS, Workshop, fit_recipe
from kernsemble.targets import decode_scores, encode_targets

MAX_ROWS = 5000
TUNING_ROWS = 1500
ROWS = RESULTS / "kernel_ensemble_rows.csv"
FIELDS = (
    "method",
    "set",
    "rows",
    "split",
    "accuracy",
    "log_loss",
    "honest_accuracy",
    "honest_matched",
    "coverage",
    "fit",
    "cpu",
    "predict",
)


class TunedSVC:
    """An SVM whose C and gamma are chosen inside the training part; probabilities by Platt."""

    def fit(self, X, y):
        from sklearn.svm import SVC

        grid = {"C": 2.0 ** np.arange(-1, 10, 2), "gamma": 2.0 ** np.arange(-11, 2, 2)}
        folds = StratifiedKFold(3, shuffle=True, random_state=0)
        some = np.random.RandomState(0).permutation(len(y))[:TUNING_ROWS]
        search = GridSearchCV(SVC(), grid, cv=folds, refit=False).fit(X[some], y[some])
        chosen = search.best_params_
        self.machine = SVC(**chosen).fit(X, y)
        self.calibrated = SVC(probability=True, random_state=0, **chosen).fit(X, y)
        return self

    def predict(self, X):
        return self.machine.predict(X)

    def predict_proba(self, X):
        return self.calibrated.predict_proba(X)


class XRFM:
    """xRFM on its defaults; it needs validation rows."""

    def fit(self, X, y):
        from xrfm import xRFM

        try:
            parts = train_test_split(X, y, test_size=0.2, stratify=y, random_state=0)
        except ValueError:  # a class of one row
            parts = train_test_split(X, y, test_size=0.2, random_state=0)
        fit_X, choose_X, fit_y, choose_y = parts
        self.n_classes = int(y.max()) + 1
        self.machine = xRFM(device="cpu", n_threads=1, random_state=0, verbose=False)
        self.machine.fit(
            fit_X.astype(np.float32), _one_hot(fit_y, self.n_classes),
            choose_X.astype(np.float32), _one_hot(choose_y, self.n_classes),
        )  # fmt: skip
        return self

    def predict(self, X):
        return self.predict_proba(X).argmax(axis=1)

    def predict_proba(self, X):
        P = np.asarray(self.machine.predict_proba(X.astype(np.float32)), dtype=float)
        return np.column_stack([1.0 - P, P]) if P.ndim == 1 or P.shape[1] == 1 else P


def _one_hot(y, n_classes):
    return np.eye(n_classes, dtype=np.float32)[y]


def _ours():
    from kernsemble import KernelEnsembleClassifier

    return KernelEnsembleClassifier(random_state=0)


def build(method):
    """Return a new classifier of this name; imports what it needs only now."""
    if method in ("RandomForest", "ExtraTrees"):
        from sklearn import ensemble

        return getattr(ensemble, f"{method}Classifier")(500, random_state=0)
    if method == "HistGradientBoosting":
        from sklearn.ensemble import HistGradientBoostingClassifier

        return HistGradientBoostingClassifier(random_state=0)
    if method == "LightGBM":
        from lightgbm import LGBMClassifier

        return LGBMClassifier(random_state=0, n_jobs=1, verbose=-1)
    if method == "XGBoost":
        from xgboost import XGBClassifier

        return XGBClassifier(random_state=0, n_jobs=1)
    if method == "CatBoost":
        from catboost import CatBoostClassifier

        return CatBoostClassifier(
            random_seed=0, thread_count=1, verbose=False, allow_writing_files=False
        )
    if method == "KernelRidge":
        from kernsemble import KernelRidgeClassifier

        return KernelRidgeClassifier(random_state=0)
    return {"KernelEnsemble": _ours, "SVC": TunedSVC, "xRFM": XRFM}[method]()


RIVALS = (
    "RandomForest",
    "ExtraTrees",
    "HistGradientBoosting",
    "LightGBM",
    "XGBoost",
    "CatBoost",
    "SVC",
    "KernelRidge",
    "xRFM",
)


def study_sets():
    """Return the data sets by name, smallest first."""
    found = []
    for entry in list_datasets(collection="jmlr121", flawed=False):
        data = load(entry.name)
        if len(data.splits) > 1 and len(data.y) <= MAX_ROWS:
            found.append(data)
    return {data.name.split("/")[-1]: data for data in sorted(found, key=lambda data: data.X.size)}


def parts_of(data, split, drawn=None):
    """Return training and test rows, training codes without gaps, what they stand for, test codes.

    Rivals want codes without gaps; a class that only the test part has cannot be predicted.
    `drawn` names a way to draw a split of our own, None means the published one.
    """
    if drawn is None:
        train, test = data.splits[split]
    else:
        rows, counts = np.arange(len(data.y)), np.unique(data.y, return_counts=True)[1]
        stratified = drawn == STRATIFIED_ROWS and counts.min() > 1
        train, test = train_test_split(
            rows, test_size=0.25, random_state=split, stratify=data.y if stratified else None
        )
    _, codes = np.unique(data.y, return_inverse=True)
    present, y = np.unique(codes[train], return_inverse=True)
    return data.X[train], data.X[test], y, present, codes[test]


def log_loss_of(P, present, truth):
    """Return the log-loss; classes that were not in the training part have probability 0."""
    n_classes = max(present.max(), truth.max()) + 1
    full = np.zeros((len(truth), n_classes))
    full[:, present] = np.clip(P, 0.0, None)
    full /= full.sum(axis=1, keepdims=True)
    return round(float(log_loss(truth, full, labels=np.arange(n_classes))), 6)


def matched_accuracy(scores, y, present, truth):
    """Return the honest accuracy of training rows whose classes had the shares of the test part."""
    best = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
    by_class = np.array([np.mean(best[y == k] == k) for k in range(len(present))])
    # What no training row shows is never predicted.
    shares = np.array([np.mean(truth == code) for code in present])
    return float(shares @ by_class)


def measure(method, data, split, drawn=None):
    """Return one row: fit on a split's training part, measure on its test part."""
    X, new, y, present, truth = parts_of(data, split, drawn)
    model = build(method)
    start, cpu = time.perf_counter(), time.process_time()
    model.fit(X, y)
    fitted, cpu_fitted = time.perf_counter(), time.process_time()
    predicted = np.ravel(model.predict(new)).astype(int)
    done = time.perf_counter()
    covered = ""
    if hasattr(model, "predict_set"):
        sets = model.predict_set(new, confidence=0.9)
        holds = sets & (present == truth[:, None])
        covered = round(float(holds.any(axis=1).mean()), 5)
    honest, matched = getattr(model, "honest_accuracy_", ""), ""
    if honest != "":
        matched = round(matched_accuracy(model.honest_scores_, y, present, truth), 6)
    return {
        "accuracy": round(float(np.mean(present[predicted] == truth)), 6),
        "log_loss": log_loss_of(model.predict_proba(new), present, truth),
        "honest_accuracy": honest if honest == "" else round(float(honest), 6),
        "honest_matched": matched,
        "coverage": covered,
        "fit": round(fitted - start, 4),
        "cpu": round(cpu_fitted - cpu, 4),
        "predict": round(done - fitted, 5),
    }


def ablate(data, split):
    """Yield the name and the row of the ensemble of all kinds, and of all but each kind."""
    X, new, y, present, truth = parts_of(data, split)
    n_classes, rng = len(present), np.random.RandomState(0)
    T = encode_targets(y, n_classes, "one_hot")
    aims = decode_scores(T, n_classes, "one_hot")
    shop = Workshop(X, T, None, rng)
    honest, scores, kinds = [], [], []
    for kind, recipes in KINDS.items():
        for recipe in recipes:
            entry = fit_recipe(shop, recipe, rng.randint(2**31 - 1), None)
            honest.append(decode_scores(entry.honest_scores, n_classes, "one_hot"))
            scores.append(decode_scores(entry.scores(new), n_classes, "one_hot"))
            kinds.append(kind)
    honest, scores, kinds = np.stack(honest), np.stack(scores), np.array(kinds)
    for left_out in (None, *KINDS):
        kept = np.flatnonzero(kinds != left_out) if left_out else np.arange(len(kinds))
        combination = fit_combination("weighted", honest[kept], aims)
        S = combination(honest[kept])
        P = probabilities(combination(scores[kept]), fit_temperature(S, y))
        yield (
            f"without {left_out or 'nothing'}",
            {
                "accuracy": round(float(np.mean(present[P.argmax(axis=1)] == truth)), 6),
                "log_loss": log_loss_of(P, present, truth),
            },
        )


def run(methods, sets, splits, path):
    """Append the rows that the file lacks; no method means the ablation.

    The methods "random rows" and "stratified rows" are ours on splits of our own.
    """
    warnings.simplefilter("ignore")
    ledger = Ledger(path, FIELDS)
    data = study_sets()
    done = {(row["method"], row["set"], row["split"]) for row in ledger.rows}
    for split in splits:
        for name in sets or data:
            key = {"set": name, "rows": len(data[name].y), "split": split}
            with threadpool_limits(1):
                if not methods and ("without nothing", name, str(split)) not in done:
                    for method, row in ablate(data[name], split):
                        ledger.add(**{**dict.fromkeys(FIELDS, ""), **key, "method": method, **row})
                for method in methods:
                    if (method, name, str(split)) not in done:
                        if method in DRAWN:
                            row = measure(OURS, data[name], split, method)
                        else:
                            row = measure(method, data[name], split)
                        ledger.add(method=method, **key, **row)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["run", "ablate", "honest", "report"])
    parser.add_argument("--methods", nargs="*", default=[OURS, *RIVALS])
    parser.add_argument("--sets", nargs="*")
    parser.add_argument("--splits", nargs="*", type=int, default=[0, 1, 2, 3])
    parser.add_argument("--rows", default=ROWS, help="the file of rows")
    arguments = parser.parse_args()
    if arguments.what == "report":
        write_report(arguments.rows)
    else:
        methods = {"run": arguments.methods, "ablate": [], "honest": DRAWN}[arguments.what]
        run(methods, arguments.sets, arguments.splits, arguments.rows)


if __name__ == "__main__":
    main()
