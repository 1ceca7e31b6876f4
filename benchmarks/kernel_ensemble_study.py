"""KernelEnsembleClassifier against forests, boosted trees, a tuned SVM and xRFM.

    python benchmarks/kernel_ensemble_study.py run [--methods …] [--sets …] [--splits 0 1 2 3]
    python benchmarks/kernel_ensemble_study.py report

Data: the published splits of the sets of jmlr121 in one file, the nine flawed ones and those above
5,000 rows left out (KERNSEMBLE_DATA names the folder). Whatever a method tunes, it tunes inside the
training part. Rivals run on their defaults, forests with 500 trees; the SVM chooses C and gamma of
42 pairs by 3-fold cross-validation on at most 1,500 training rows, kernel ridge its width and
strength by leave-one-out, and xRFM, which asks for validation rows, gets a stratified fifth of the
training part. Everything runs on one thread; `cpu` is processor time of the fit. LightGBM, XGBoost,
CatBoost and xRFM are no dependencies of the project: install them into an environment of their own
to run their rows.

Rows are appended as they come, and what the file has is skipped. The ablation runs the same way:
its methods are called "without KIND".
"""

import argparse
import time
import warnings

import numpy as np
from kernel_ensemble_report import write_report
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from study import RESULTS, Ledger
from threadpoolctl import threadpool_limits

from kernsemble.datasets import list_datasets, load

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


def _ours(without=None):
    from kernsemble import KernelEnsembleClassifier

    if without is None:
        return KernelEnsembleClassifier(random_state=0)
    kept = [kind for kind in KernelEnsembleClassifier.kinds() if kind != without]
    return KernelEnsembleClassifier(members=kept, random_state=0)


def build(method):
    """Return a new classifier of this name; imports what it needs only now."""
    if method.startswith("without "):
        return _ours(method.removeprefix("without "))
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


def measure(method, data, split):
    """Return one row: fit on a published split's training part, measure on its test part."""
    train, test = data.splits[split]
    labels, codes = np.unique(data.y, return_inverse=True)
    # Rivals want codes without gaps; a class that only the test part has cannot be predicted.
    present, y = np.unique(codes[train], return_inverse=True)
    model = build(method)
    start, cpu = time.perf_counter(), time.process_time()
    model.fit(data.X[train], y)
    fitted, cpu_fitted = time.perf_counter(), time.process_time()
    predicted = np.ravel(model.predict(data.X[test])).astype(int)
    done = time.perf_counter()
    P = np.zeros((len(test), len(labels)))
    P[:, present] = model.predict_proba(data.X[test])
    P = np.clip(P, 0.0, None)
    P /= P.sum(axis=1, keepdims=True)
    truth = codes[test]
    covered = ""
    if hasattr(model, "predict_set"):
        sets = model.predict_set(data.X[test], confidence=0.9)
        inside = np.zeros((len(test), len(labels)), dtype=bool)
        inside[:, present] = sets
        covered = round(float(inside[np.arange(len(test)), truth].mean()), 5)
    honest = getattr(model, "honest_accuracy_", "")
    return {
        "accuracy": round(float(np.mean(present[predicted] == truth)), 6),
        "log_loss": round(float(log_loss(truth, P, labels=np.arange(len(labels)))), 6),
        "honest_accuracy": honest if honest == "" else round(float(honest), 6),
        "coverage": covered,
        "fit": round(fitted - start, 4),
        "cpu": round(cpu_fitted - cpu, 4),
        "predict": round(done - fitted, 5),
    }


def run(methods, sets, splits, path):
    warnings.simplefilter("ignore")
    ledger = Ledger(path, FIELDS)
    data = study_sets()
    done = {(row["method"], row["set"], row["split"]) for row in ledger.rows}
    for split in splits:
        for name in sets or data:
            for method in methods:
                if (method, name, str(split)) in done:
                    continue
                with threadpool_limits(1):
                    row = measure(method, data[name], split)
                ledger.add(method=method, set=name, rows=len(data[name].y), split=split, **row)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["run", "report"])
    parser.add_argument("--methods", nargs="*", default=["KernelEnsemble", *RIVALS])
    parser.add_argument("--sets", nargs="*")
    parser.add_argument("--splits", nargs="*", type=int, default=[0, 1, 2, 3])
    parser.add_argument("--rows", default=ROWS, help="the file of rows")
    arguments = parser.parse_args()
    if arguments.what == "run":
        run(arguments.methods, arguments.sets, arguments.splits, arguments.rows)
    else:
        write_report(arguments.rows)


if __name__ == "__main__":
    main()
