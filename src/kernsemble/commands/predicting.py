"""`kernsemble predict`: a model file and a table in, predictions out."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from ..errors import UserError
from ..frames.model_files import load_model
from ..frames.models import predict_frame
from ..frames.rules import Rules, read_rules
from ..frames.tables import TableFile
from ..frames.writing import write_predictions
from .answers import explanation, label_sets, novelty
from .lines import say, warnings_as_lines


@dataclass(frozen=True)
class PredictRequest:
    """What `kernsemble predict` was asked for; the attributes are its options."""

    model: Path
    table: Path
    output: Path | None = None
    probabilities: bool = False
    confidence: float | None = None
    novelty: bool = False
    explain: bool = False
    trust: tuple = ()
    id_column: str | None = None
    columns: Path | None = None
    max_bytes: int = 2 * 10**9
    safe_csv: bool = False


def predict_command(request):
    """Predict the rows of a table, and write the predictions."""
    with warnings_as_lines():
        fitted = load_model(request.model, request.trust, request.max_bytes)
    file = TableFile(request.table, request.max_bytes, _how_it_is_written(request.columns))
    predicted = predict_frame(
        fitted,
        file,
        _further(request),
        probabilities=request.probabilities,
        id_column=request.id_column,
    )
    try:
        write_predictions(predicted, request.output, request.safe_csv)
    except BrokenPipeError:
        # Whoever reads has seen enough; nothing is left to be flushed at the end either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        raise UserError(f"The predictions cannot be written: {error}") from None
    if request.output is not None:
        say(f"Predictions of {len(predicted)} rows: {request.output}")


def _further(request):
    """Return the functions of the further columns."""
    functions = [] if request.confidence is None else [label_sets(request.confidence)]
    functions += [novelty] if request.novelty else []
    return functions + ([explanation] if request.explain else [])


def _how_it_is_written(path):
    """Return the rules about the file; the kinds of its columns are those of the model."""
    return None if path is None else read_rules(path)._replace(kinds=Rules().kinds)
