"""How well a score tells right from wrong: AUROC, and the risk that is left at each coverage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rag.evaluate.ranking import Estimate

_Z_95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class RiskPoint:
    """Answering only where the score is ≥ `score`: the share answered, and the share of those that is wrong."""

    score: float
    coverage: float
    risk: float


def auroc(positives: Sequence[float], negatives: Sequence[float]) -> Estimate:
    """Probability that a positive scores above a negative, ties as half (Mann and Whitney 1947), in [0, 1].

    The 95 % interval is DeLong's (DeLong, DeLong and Clarke-Pearson 1988), cut to [0, 1]. Where the scores separate
    perfectly, which a small set does by chance, it has no width, and for a side of one it is not defined: there it is
    Newcombe's (2006, method 5). `n` counts both sides.

    Raises:
        ValueError: a side is empty; nothing is told apart.
    """
    m, n = len(positives), len(negatives)
    if not m or not n:
        raise ValueError("AUROC needs positives and negatives")
    above = np.asarray(positives, dtype=np.float64)
    below = np.asarray(negatives, dtype=np.float64)
    # Placement values: the share of the other side that each score beats. Their means are the AUROC.
    of_positives = _share_below(above, below)
    of_negatives = 1.0 - _share_below(below, above)
    area = float(of_positives.mean())
    variance = of_positives.var(ddof=1) / m + of_negatives.var(ddof=1) / n if min(m, n) > 1 else 0.0
    if variance <= 0.0:
        low = _newcombe_low(area, m, n)
        return Estimate(area, low, 1.0 - _newcombe_low(1.0 - area, m, n), m + n)
    half = _Z_95 * float(np.sqrt(variance))
    return Estimate(area, max(0.0, area - half), min(1.0, area + half), m + n)


def risk_coverage(scores: Sequence[float], is_right: Sequence[bool]) -> tuple[RiskPoint, ...]:
    """One point a distinct score, strictest first (El-Yaniv and Wiener 2010): higher scores are answered first."""
    order = sorted(zip(scores, is_right, strict=True), key=lambda case: -case[0])
    points: list[RiskPoint] = []
    wrong = 0
    for at, (score, right) in enumerate(order, start=1):
        wrong += not right
        if at == len(order) or order[at][0] != score:
            points.append(RiskPoint(score, at / len(order), wrong / at))
    return tuple(points)


def area_under_risk(points: Sequence[RiskPoint]) -> float:
    """The mean risk over all coverages, in [0, 1], lower is better (AURC, Geifman and El-Yaniv 2017).

    Each case counts with the risk at which it is answered; equal scores are answered together. 0.0 for none.
    """
    area, before = 0.0, 0.0
    for point in points:
        area += point.risk * (point.coverage - before)
        before = point.coverage
    return area


def _newcombe_low(area: float, m: int, n: int) -> float:
    """The area below `area` that is just not refuted by it, with the variance that Hanley and McNeil (1982) give an
    area where both sides are of equal size; Newcombe (2006). Its mirror is the upper end: the variance is symmetric.
    """
    mean_n = (m + n) / 2

    def is_refuted(true: float) -> bool:
        spread = 1 + (mean_n - 1) * ((1 - true) / (2 - true) + true / (1 + true))
        return (area - true) ** 2 > _Z_95**2 * true * (1 - true) * spread / (m * n)

    low, high = 0.0, area
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if is_refuted(middle) else (low, middle)
    return low


def _share_below(scores: npt.NDArray[np.float64], others: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """For each score the share of `others` below it, equal ones as half."""
    ordered = np.sort(others)
    left = np.searchsorted(ordered, scores, side="left")
    right = np.searchsorted(ordered, scores, side="right")
    return np.asarray((left + right) / (2.0 * len(ordered)), dtype=np.float64)
