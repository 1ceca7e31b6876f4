"""scikit-learn's fit callbacks (progress bars and monitors), where its version has them."""

from copy import copy
from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn below 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support."""

    def with_callbacks(method):
        return method


__all__ = ["CallbackSupportMixin", "MemberProgress", "with_callbacks", "without_callbacks"]


def without_callbacks(ensemble):
    """Return a copy that can be sent to a worker without the callbacks and the data they hold."""
    light = copy(ensemble)
    for name in list(vars(light)):
        if name == "_progress" or "callback" in name:
            delattr(light, name)
    return light


class MemberProgress:
    """Tells the callbacks set on an ensemble, if any, when its members are done.

    The hooks run where `fit` was called, as results arrive, whatever backend fits the members.
    """

    def __init__(self, ensemble, X, y, n_members):
        self.ensemble = ensemble
        self.data = {"X": X, "y": y}
        self.context: Any = None
        if getattr(ensemble, "_skl_callbacks", None):
            self.context = ensemble._init_callback_context(max_subtasks=n_members)

    @property
    def active(self):
        return self.context is not None

    def __enter__(self):
        if self.active:
            self.context.call_on_fit_task_begin(estimator=self.ensemble, **self.data)
        return self

    def __exit__(self, *error):
        if self.active and error[0] is None:
            self.context.call_on_fit_task_end(estimator=self.ensemble, **self.data)

    def watch(self, members):
        """Yield `members`, telling the callbacks of each one."""
        for member in members:
            if self.active:
                task = self.context.subcontext(task_name="member")
                task.call_on_fit_task_begin(estimator=self.ensemble)
                task.call_on_fit_task_end(estimator=self.ensemble)
            yield member
