"""The report's findings in sentences."""

import math

_SURE = 0.95


def listed(names, most=6):
    """Return names as they are listed in a sentence; a long list is cut."""
    names = [str(name) for name in names]
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    if len(names) > 1:
        return f"{', '.join(names[:-1])} and {names[-1]}"
    return names[0] if names else "none"


def describe_p(p):
    """Return a p-value as it is written in a text."""
    return "p < 0.0001" if p < 1e-4 else f"p = {p:.2g}"


def _percent(share, digits=2):
    return f"{100 * share:.{digits}f}\N{NO-BREAK SPACE}%"


def count(number, noun):
    """Return a number and a noun in the singular or the plural."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _mean_of(data, method):
    """Return the mean of the measure with its unit."""
    value = data.measure.shown(data.measure.scores(data.scores[method].mean()))
    return f"{value}\N{NO-BREAK SPACE}{data.measure.unit}" if data.measure.unit else value


def rope_of(measure):
    """Return the difference that counts as none."""
    return "a point" if measure.factor == 100 else f"{measure.factor * measure.rope:g}"


def summarise(data):
    """Return sentences, the most important first.

    Parameters
    ----------
    data : ReportData
    """
    sentences = []
    if data.average_ranks is not None:
        sentences.extend(_compare(data))
    elif not data.scores.empty:
        best = data.scores.mean().idxmax()
        sentences.append(
            f"{best} has the best mean {data.measure.title}, {_mean_of(data, best)}. "
            "A test needs at least two methods on two data sets."
        )
    else:
        sentences.append("No data set has results of all methods, so nothing can be ranked.")
    sentences.extend(_left_out(data))
    return sentences


def _compare(data):
    ranks, friedman = data.average_ranks, data.friedman
    best = ranks.index[0]
    n_datasets, n_methods = data.scores.shape
    yield (
        f"{best} has the best average rank, {ranks.iloc[0]:.2f} of {n_methods}, over "
        f"{count(n_datasets, 'data set')}; its mean {data.measure.title} is "
        f"{_mean_of(data, best)}."
    )
    chance = describe_p(friedman.f_p)
    f_value = "∞" if math.isinf(friedman.f) else f"{friedman.f:.2f}"
    if friedman.f_p >= 0.05:
        yield (
            f"The methods do not differ significantly (Iman–Davenport F = {f_value}, {chance}): "
            "the order of the ranks may be chance."
        )
    else:
        yield f"The methods differ significantly (Iman–Davenport F = {f_value}, {chance})."
        limit = ranks.iloc[0] + data.critical_difference
        alike = list(ranks.index[1:][ranks.iloc[1:] < limit])
        if alike:
            yield (
                f"Within the critical difference of {data.critical_difference:.2f} ranks of "
                f"{best}, and so not shown to be worse: {listed(alike)}."
            )
        else:
            yield f"All others lie more than the critical difference behind {best}."
    known = [] if data.better is None else data.against_best
    surely = [row["method"] for row in known if row["better"] > _SURE]
    even = [row["method"] for row in known if row["alike"] > _SURE]
    rope = rope_of(data.measure)
    certainty = f"with a probability above {_percent(_SURE, 0)}"
    if surely:
        yield f"{best} beats {listed(surely)} by more than {rope} {certainty}."
    if even:
        yield f"Alike to {best} within {rope} {certainty}: {listed(even)}."
    top = data.scores.mean().idxmax()
    if top != best:
        yield (
            f"The best mean {data.measure.title}, {_mean_of(data, top)}, is that of {top}; "
            "a mean is moved by few data sets, a rank is not."
        )


def _left_out(data):
    study, title = data.study, data.measure.title
    if data.n_unmeasured:
        whose = f", among them all of {listed(data.unmeasured)}" if data.unmeasured else ""
        yield (
            f"{data.n_unmeasured} of {study.n_cells} cells have no {title}{whose}: their "
            "methods give no probabilities, or they were run before it was measured. Such cells "
            "are missing here, not zero."
        )
    if study.n_failed:
        yield f"{study.n_failed} of {study.n_cells} cells failed; the reasons are listed below."
    if data.left_out_methods:
        yield (
            "Not ranked, because results are missing on more than a fifth of the data sets: "
            f"{listed(data.left_out_methods)}."
        )
    if data.left_out_datasets:
        yield (
            "Left out of the ranking, because a cell of a ranked method failed or was not run "
            f"there: {listed(data.left_out_datasets)}."
        )
    if study.changed_datasets:
        yield (
            f"The rows of {listed(study.changed_datasets)} changed between cells: "
            "these results do not belong together."
        )
    if not study.facts.index.isin(data.means.index).any():
        yield (
            "The ledger was written before rows, columns and classes of the data sets were kept, "
            "so there are no results by kind of data set."
        )
    if len(study.codes) > 1:
        yield f"The results come from {len(study.codes)} versions of the code, listed at the end."
    if study.protocol["tuning"] == "same":
        yield (
            "Parameters were chosen on the very folds that are reported, as the paper did; "
            "such accuracies are too high."
        )


def explain_failures(data):
    """Return how failed and missing cells were treated, in sentences."""
    study = data.study
    share = _percent(study.n_failed / study.n_cells, 1)
    yield (
        f"{study.n_failed} of {count(study.n_cells, 'cell')} failed ({share}). A failed cell has "
        "no score, and a mean over the splits that happened to succeed would be no fair one: the "
        "method has no mean on that data set."
    )
    ranked, dropped = data.scores.shape[1], len(data.left_out_datasets)
    if ranked:
        yield (
            "A method without a mean on more than a fifth of the data sets is not ranked "
            f"({count(len(data.left_out_methods), 'method')} here); a data set on which a ranked "
            f"method has no mean is left out for all of them ({count(dropped, 'data set')} here)."
        )


def describe_versions(versions, summary, measure):
    """Return what changed between two versions, in sentences.

    Parameters
    ----------
    versions : Versions
    summary : DataFrame
        What `summarise_sets` returns.
    measure : Measure
    """
    if summary.empty:
        yield f"No cell has a {measure.title} in both ledgers: nothing can be compared by it."
    # A page with many methods tells of those that changed; its table has all of them.
    told = summary if len(summary) <= 3 else summary[summary["p"] < 0.05]
    for row in told.itertuples():
        points = " points" if measure.factor == 100 else ""
        how = "which chance may explain" if row.p >= 0.05 else "more than chance explains"
        speed = ""
        if row.fit_ratio == row.fit_ratio:
            speed = f" Fits take {row.fit_ratio:.2f} times as long as before."
        yield (
            f"{row.Index} is better on {row.wins}, equal on {row.ties} and worse on {row.losses} "
            f"of {count(row.n_datasets, 'data set')}; the mean gain in {measure.title} is "
            f"{measure.gain(row.gain)}{points}, {how} (Wilcoxon, {describe_p(row.p)}).{speed}"
        )
    others = summary.drop(index=told.index)
    same = list(others.index[others["ties"] == others["n_datasets"]])
    rest = [name for name in others.index if name not in same]
    if same:
        yield f"The same {measure.title} on every data set: {listed(same)}."
    if rest:
        yield f"Changed by no more than chance may explain (Wilcoxon, 0.05): {listed(rest)}."
    if versions.changed_datasets:
        yield (
            f"The rows of {listed(versions.changed_datasets)} are not the same in the two "
            "ledgers; these data sets are left out."
        )
    if versions.n_unmatched:
        yield (
            f"{count(versions.n_unmatched, 'cell')} of these methods and data sets "
            f"{'is' if versions.n_unmatched == 1 else 'are'} in one ledger alone and left out."
        )
    for names, where in ((versions.only_before, "first"), (versions.only_after, "second")):
        if names:
            yield f"Only in the {where} ledger, and not compared: {listed(names)}."
