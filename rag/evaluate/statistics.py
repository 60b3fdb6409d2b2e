"""Intervals and tests for counts: a golden set is small, so a bare percentage says little."""

from __future__ import annotations

import math
from dataclasses import dataclass

_Z_95 = 1.959963984540054
"""The 97.5 % point of the standard normal distribution: two-sided 95 %."""


def wilson_interval(successes: int, n: int) -> tuple[float, float]:
    """The 95 % score interval of a proportion (Wilson 1927), in [0, 1]; (0, 1) when n is 0.

    Unlike the textbook interval it stays inside [0, 1] and is not empty at 0 or n successes.
    """
    if not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n} is no proportion")
    return wilson_interval_of(successes / n, n) if n else (0.0, 1.0)


def wilson_interval_of(share: float, n: int) -> tuple[float, float]:
    """`wilson_interval` of a share in [0, 1] of `n` > 0.

    For the mean of any values in [0, 1] it is wide enough: none vary more than zeros and ones of the same mean.
    """
    z2 = _Z_95**2
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = _Z_95 / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
    low = 0.0 if share <= 0.0 else max(0.0, centre - half)
    high = 1.0 if share >= 1.0 else min(1.0, centre + half)
    return low, high


def sign_test(wins: int, losses: int) -> float:
    """Two-sided exact p of `wins` against `losses` discordant pairs under a fair coin; 1.0 for none."""
    n = wins + losses
    if n == 0:
        return 1.0
    ways = tail = 1
    for heads in range(1, min(wins, losses) + 1):
        ways = ways * (n - heads + 1) // heads
        tail += ways
    # Whole numbers to the end: from 1,024 pairs on 2**n is no float any more.
    return min(1.0, (2 * tail) / (1 << n))


@dataclass(frozen=True, slots=True)
class Proportion:
    """`successes` of `n` with its Wilson 95 % interval."""

    successes: int
    n: int

    @property
    def rate(self) -> float:
        """The share in [0, 1]; 0.0 when n is 0."""
        return self.successes / self.n if self.n else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """See `wilson_interval`."""
        return wilson_interval(self.successes, self.n)

    def __str__(self) -> str:
        if not self.n:
            return "–"
        low, high = self.interval
        return f"{self.successes}/{self.n} = {self.rate:.3f} [{low:.3f}, {high:.3f}]"
