"""The measures by which methods can be compared: what they are called, and which way is better."""

from typing import NamedTuple

from ..errors import UserError


class Measure(NamedTuple):
    """A column of a ledger's results.

    Attributes
    ----------
    name : str
        Name of the column.
    title : str
        How it is written on a page.
    higher : bool
        Whether larger values are better.
    factor : float
        What a value is multiplied by where it is shown.
    unit : str
        Unit of the shown value.
    rope : float
        Differences up to this count as none.
    """

    name: str
    title: str
    higher: bool
    factor: float
    unit: str
    rope: float

    def shown(self, value, digits=None):
        """Return a value as text; shares have two decimals and others three digits."""
        if digits is None:
            return f"{100 * value:.2f}" if self.factor == 100 else f"{self.factor * value:.4g}"
        return f"{self.factor * value:.{digits}f}"

    def gain(self, difference):
        """Return a difference of scores as text, with its sign: more is better."""
        return (
            f"{100 * difference:+.2f}" if self.factor == 100 else f"{self.factor * difference:+.3g}"
        )

    @property
    def label(self):
        """Title and unit."""
        return f"{self.title}, {self.unit}" if self.unit else self.title

    def scores(self, values):
        """Return values of which the larger are better."""
        return values if self.higher else -values


#: Name → measure, the first of which ranks unless another one is named.
MEASURES = {
    measure.name: measure
    for measure in (
        Measure("accuracy", "accuracy", True, 100, "%", 0.01),
        Measure("balanced_accuracy", "balanced accuracy", True, 100, "%", 0.01),
        Measure("log_loss", "log-loss", False, 1, "", 0.01),
        Measure("brier", "Brier score", False, 1, "", 0.01),
        Measure("auc", "AUC", True, 100, "%", 0.01),
        Measure("calibration_error", "calibration error", False, 100, "%", 0.01),
        Measure("fit_seconds", "fit time", False, 1, "s", 0.0),
        Measure("predict_seconds", "predict time", False, 1, "s", 0.0),
        Measure("fit_cpu_seconds", "fit time of the processor", False, 1, "s", 0.0),
        Measure("predict_cpu_seconds", "predict time of the processor", False, 1, "s", 0.0),
        Measure("peak_memory_mb", "peak memory", False, 1, "MB", 0.0),
        Measure("model_bytes", "model size", False, 1e-6, "MB", 0.0),
    )
}
#: The measures that the switch of a page offers.
QUALITY = ("accuracy", "balanced_accuracy", "log_loss", "brier", "auc", "calibration_error")


def find_measure(name, columns=None):
    """Return a measure by its name.

    Parameters
    ----------
    name : str
    columns : sequence of str, default=None
        Columns that the results have; None means that any measure will do.
    """
    if name not in MEASURES:
        raise UserError(f"There is no measure {name}; choose one of {', '.join(MEASURES)}.")
    if columns is not None and name not in columns:
        have = [known for known in MEASURES if known in columns]
        raise UserError(
            f"The ledger was written before {name} was measured; it has {', '.join(have)}. Run the "
            "study again with a new ledger to have it."
        )
    return MEASURES[name]
