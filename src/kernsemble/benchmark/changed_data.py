"""Notice that a data set has changed since the ledger's results were made."""

from ..errors import UserError
from .sources import data_digest, load_source

_LISTED = 5


def check_data(study, ledger, *, replace, listener):
    """Compare the data of a study with those that the ledger's results were made from.

    Parameters
    ----------
    study : Study
    ledger : Ledger
    replace : bool
        Remove the results of changed data, so that the cells run again; otherwise they are an
        error.
    listener : object with `replaced`
        Is told how many results were removed.

    Returns
    -------
    dict
        Data set → digest of its rows, for the data sets of which the ledger had results.
    """
    held = ledger.digests()
    now = {label: _digest(label, study, ledger) for label in study.datasets if label in held}
    changed = [label for label, digest in now.items() if set(held[label]) != {digest}]
    if changed and not replace:
        raise UserError(_describe(changed, held, now, study, ledger))
    removed = ledger.forget_other_rows({label: now[label] for label in changed})
    for label, count in removed.items():
        listener.replaced(label, count)
    return now


def _digest(label, study, ledger):
    source = study.datasets[label]
    _forget_rows()
    try:
        return data_digest(source)
    except UserError as error:
        raise UserError(
            f"The ledger {ledger.path} holds results of {label}, which cannot be compared with "
            f"its data now: {error} Put the data back, or leave {label} out of the study."
        ) from error
    finally:
        _forget_rows()


def _forget_rows():
    """Make this process read a data set again, and keep no rows, which only workers need."""
    load_source.cache_clear()
    data_digest.cache_clear()


def _describe(changed, held, now, study, ledger):
    parts = []
    for label in changed[:_LISTED]:
        old = sum(count for digest, count in held[label].items() if digest != now[label])
        parts.append(f"{old} results of other rows of {label} ({study.datasets[label]})")
    more = f" and of {len(changed) - _LISTED} data sets more" if len(changed) > _LISTED else ""
    return (
        f"The ledger {ledger.path} holds {', '.join(parts)}{more}: the data have changed since. "
        "Give the new table another name, or name another ledger, or remove the old results and "
        "run the cells again with `kernsemble bench --replace`."
    )
