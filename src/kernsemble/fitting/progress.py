"""Who is told how far a fit is: scikit-learn's callbacks, and the progress bar of a command."""

from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn below 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in for scikit-learn's class."""

    def with_callbacks(method):
        return method


_REPORTER: ContextVar[Any] = ContextVar("reporter", default=None)
_WATCHER: ContextVar[Any] = ContextVar("watcher", default=None)


@contextmanager
def watching_fits(watcher):
    """Call `watcher(done, total)` as the members of the fits inside the block come, with 0 first.

    A fit that works in rounds begins again with 0 in each of them.
    """
    with _set(_WATCHER, watcher):
        yield


def is_watched():
    """Return whether somebody waits for members as they come."""
    return _WATCHER.get() is not None


def watched(members, total):
    """Return `members`, an iterator that tells the watcher of each one."""
    watcher = _WATCHER.get()
    return members if watcher is None else _watched(iter(members), total, watcher)


def _watched(members, total, watcher):
    watcher(0, total)
    for done in range(1, total + 1):
        # Tasks inside a member are no members themselves.
        with _set(_WATCHER, None):
            try:
                member = next(members)
            except StopIteration:
                return
        watcher(done, total)
        yield member


@contextmanager
def reporting(ensemble, X, y, n_members):
    """Tell the callbacks set on an ensemble when its fit begins and ends.

    The first tasks that run inside report their results as members; see `take_reporter`. The hooks
    run where `fit` was called, as results arrive, whatever backend fits the members.
    """
    if not getattr(ensemble, "_skl_callbacks", None):
        with _set(_REPORTER, None):
            yield
        return
    context = ensemble._init_callback_context(max_subtasks=n_members)
    context.call_on_fit_task_begin(estimator=ensemble, X=X, y=y)
    with _set(_REPORTER, _Reporter(ensemble, context)):
        yield
    context.call_on_fit_task_end(estimator=ensemble, X=X, y=y)


def take_reporter():
    """Return the reporter of the fit that is running, once, or None."""
    reporter = _REPORTER.get()
    if reporter is not None:
        # Tasks inside a member are no members themselves.
        _REPORTER.set(None)
    return reporter


@contextmanager
def _set(variable, value):
    token = variable.set(value)
    try:
        yield
    finally:
        variable.reset(token)


class _Reporter:
    def __init__(self, ensemble, context):
        self.ensemble, self.context = ensemble, context

    def watch(self, members):
        """Yield `members`, telling the callbacks of each one."""
        for member in members:
            task = self.context.subcontext(task_name="member")
            task.call_on_fit_task_begin(estimator=self.ensemble)
            task.call_on_fit_task_end(estimator=self.ensemble)
            yield member
