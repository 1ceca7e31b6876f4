"""How the fuzz tests run: few examples, always the same, in every run; many new ones by the marker.

    python -m pytest tests/fuzz -m fuzz

A defect that is found becomes a fixed example beside the property.
"""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

__all__ = ["LENGTHS", "check", "explained"]

#: Factor of the number of examples.
LENGTHS = [
    pytest.param(1, id="short"),
    pytest.param(40, id="long", marks=pytest.mark.fuzz),
]

# Words of solvers and of parameters that the user did not write.
INNER_WORDS = (
    "gamma must be",
    "sigma must be",
    "low must be",
    "got nan",
    "empty sequence",
    "leading minor",
    "Singular matrix",
    "xtol too small",
    "broadcast",
    "infs or NaNs",
    "did not converge",
    "zero-size array",
)


def check(property_, *strategies, examples, length):
    """Try a property on examples.

    Parameters
    ----------
    property_ : callable
    *strategies : hypothesis strategies of its arguments
    examples : int
        Number of examples of a short run.
    length : int
        One of `LENGTHS`.
    """
    options = settings(
        max_examples=examples * length,
        deadline=None,
        database=None,
        derandomize=length == 1,
        suppress_health_check=list(HealthCheck),
    )
    tried = 0

    def counted(arguments):
        nonlocal tried
        tried += 1
        property_(*arguments)

    options(given(st.tuples(*strategies))(counted))()
    print(f"{tried} examples")  # `benchmarks/faults/fuzz.py` reads it.


def explained(error):
    """Return whether a message is about what the user gave, not about something inside."""
    return str(error) and not any(words in str(error) for words in INNER_WORDS)
