"""Exponentials and powers without branches, of which a compiled loop computes several at once.

Those of the C library are computed one after the other, which takes several times as long. An
exponential differs from the exact one by its last digit, and a power by its last three.
"""

from decimal import Decimal
from math import factorial, log, sqrt

import numpy as np

from ..compiled import compiled

# The series of the exponential up to log(2) / 2; the next term is below 1e-17.
T0, T1, T2, T3, T4, T5, T6, T7, T8, T9, T10, T11, T12, T13 = (1.0 / factorial(k) for k in range(14))
PER_LOG_2 = 1.0 / log(2.0)
# The first part of log(2) has so few digits that its multiples are exact.
LOG_2_HIGH = round(log(2.0) * 2**30) / 2**30
LOG_2_LOW = float(Decimal(2).ln() - Decimal(LOG_2_HIGH))
# The sum of this and a small number is a whole number, whose last bits are those of the sum.
ROUNDER = 1.5 * 2.0**52
# Beyond these, e^x would not be a number of full precision.
LOWEST, HIGHEST = -708.0, 709.0
# A number in double precision is this many bits of digits below its exponent, which is 1023 for 1.
DIGIT_BITS, EXPONENT_OF_1 = 52, 1023
DIGITS, BITS_OF_1 = (1 << DIGIT_BITS) - 1, EXPONENT_OF_1 << DIGIT_BITS
# 2^52 is the first number that has no digits behind the point.
WHOLE, BITS_OF_WHOLE = 2.0**52, (EXPONENT_OF_1 + 52) << DIGIT_BITS
# The series of log((1 + s) / (1 - s)) / s in s² up to s = 0.172; the next term is below 1e-17.
ROOT_2, LOG_ROOT_2 = sqrt(2.0), 0.5 * log(2.0)
L0, L1, L2, L3, L4, L5, L6, L7, L8, L9, L10 = (2.0 / (2 * k + 1) for k in range(11))


# Products and sums may be rounded together, but not reordered: that would undo the rounding.
@compiled(fastmath={"contract"})
def exponential(x):
    """Return e^x for a number, or e^-708 and e^709 beyond these."""
    x = min(max(x, LOWEST), HIGHEST)
    shifted = x * PER_LOG_2 + ROUNDER
    whole = shifted - ROUNDER
    r = (x - whole * LOG_2_HIGH) - whole * LOG_2_LOW
    # Even and odd terms are summed beside each other, because every step waits for the one before.
    z = r * r
    even = (((((T12 * z + T10) * z + T8) * z + T6) * z + T4) * z + T2) * z + T0
    odd = (((((T13 * z + T11) * z + T9) * z + T7) * z + T5) * z + T3) * z + T1
    power_of_2 = (np.float64(shifted).view(np.int64) + EXPONENT_OF_1) << DIGIT_BITS
    return (odd * r + even) * np.int64(power_of_2).view(np.float64)


@compiled(fastmath={"contract"})
def power(x, exponent):
    """Return x^exponent for x ≥ 0 and an exponent above 0."""
    # It is computed for 0 too, where it means nothing, so that loops are without branches.
    found = exponential(exponent * _logarithm(x))
    return found if x > 0.0 else x


@compiled(fastmath={"contract"})
def _logarithm(x):
    """Return log(x) for x > 0; for numbers too small for full precision a smaller one."""
    bits = np.float64(x).view(np.int64)
    exponent = np.int64((bits >> DIGIT_BITS) | BITS_OF_WHOLE).view(np.float64) - WHOLE
    # The digits are a number from 1 to 2, and this one is from -0.172 to 0.172.
    digits = np.int64((bits & DIGITS) | BITS_OF_1).view(np.float64)
    s = (digits - ROOT_2) / (digits + ROOT_2)
    z = s * s
    y = z * z
    even = ((((L10 * y + L8) * y + L6) * y + L4) * y + L2) * y + L0
    odd = (((L9 * y + L7) * y + L5) * y + L3) * y + L1
    whole = exponent - EXPONENT_OF_1
    return (whole * LOG_2_HIGH + LOG_ROOT_2) + (s * (odd * z + even) + whole * LOG_2_LOW)
