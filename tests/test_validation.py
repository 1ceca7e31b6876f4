import numpy as np
import pytest

from kernsemble.validation import (
    check_choice,
    check_count,
    check_instance,
    check_real,
    resolve_count,
)


def test_legal_values_come_back():
    assert check_real(np.float32(0.5), "a", low=0.0) == 0.5
    assert check_count(np.int64(3), "n") == 3
    assert check_choice("a", "c", ("a", "b")) == "a"
    assert check_instance(1, "i", int, "an int") == 1


@pytest.mark.parametrize(
    ("value", "count"), [(None, 10), (1, 1), (10, 10), (0.25, 2), (1.0, 10), (1e-9, 1)]
)
def test_counts_and_fractions_become_counts(value, count):
    assert resolve_count(value, "n", 10) == count


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: check_real(True, "a"), TypeError, "a must be a real number, got True"),
        (lambda: check_real("1", "a"), TypeError, "a must be a real number, got '1'"),
        (lambda: check_real(np.inf, "a"), ValueError, r"a must be in \(-inf, inf\), got inf"),
        (lambda: check_real(0, "a", low=0, open_low=True), ValueError, r"\(0, inf\), got 0"),
        (lambda: check_real(2, "a", low=0, high=1), ValueError, r"\[0, 1\], got 2"),
        (lambda: check_count(0, "n"), ValueError, "n must be at least 1, got 0"),
        (lambda: check_count(9, "n", high=5), ValueError, "n must be between 1 and 5, got 9"),
        (lambda: check_count(1.0, "n"), TypeError, "n must be a whole number, got 1.0"),
        (lambda: resolve_count(11, "n", 10), ValueError, "between 1 and 10"),
        (lambda: resolve_count(0.0, "n", 10), ValueError, r"\(0.0, 1.0\], got 0.0"),
        (lambda: check_choice("x", "c", ("a",)), ValueError, "c must be one of 'a', got 'x'"),
        (lambda: check_instance(1, "k", str, "a name"), TypeError, "k must be a name, got 1"),
    ],
)
def test_messages_name_the_parameter_and_the_value(call, error, message):
    with pytest.raises(error, match=message):
        call()
