"""Measures of rankings: recall, reciprocal rank, nDCG, and means with intervals.

A ranking is a sequence of distinct ids, best first; `relevance` gives an id's grade, 0 when it is not there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rag.evaluate.statistics import wilson_interval_of

N_RESAMPLES = 2_000
SEED = 20_080_131
"""One fixed seed: the same figures give the same interval."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value over `n` cases with its 95 % interval [low, high]."""

    value: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        return "–" if not self.n else f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


def recall_at_k(ranking: Sequence[str], relevance: Mapping[str, int], k: int) -> float:
    """Share of the relevant ids (grade > 0) among the first `k`, in [0, 1]; 0.0 when nothing is relevant."""
    relevant = {name for name, grade in relevance.items() if grade > 0}
    return len(relevant.intersection(ranking[:k])) / len(relevant) if relevant else 0.0


def reciprocal_rank(rank: int | None) -> float:
    """1 / rank, in (0, 1], of the first right result, counted from 1; 0.0 when there is none."""
    return 1.0 / rank if rank else 0.0


def ndcg_at_k(ranking: Sequence[str], relevance: Mapping[str, int], k: int) -> float:
    """Normalised discounted cumulative gain of the first `k`, in [0, 1] (Järvelin and Kekäläinen 2002).

    Linear gain and the discount 1 / log₂(rank + 1), as trec_eval and BEIR count; the ideal ranking is of all
    relevant ids, found or not. 0.0 when nothing is relevant.
    """
    gains = [max(0, relevance.get(name, 0)) for name in ranking[:k]]
    ideal = sorted((grade for grade in relevance.values() if grade > 0), reverse=True)[:k]
    best = _discounted(ideal)
    return _discounted(gains) / best if best else 0.0


def mean_estimate(values: Sequence[float]) -> Estimate:
    """The mean of values in [0, 1] with its percentile bootstrap 95 % interval (Efron 1979).

    2,000 resamples, one fixed seed. Values that are all alike, or one alone, resample to themselves; their interval is
    Wilson's for a share of that size. 0.0 with the interval [0, 1] for no values.
    """
    if not len(values):
        return Estimate(0.0, 0.0, 1.0, 0)
    data = np.asarray(values, dtype=np.float64)
    if data.min() == data.max():
        return Estimate(float(data[0]), *wilson_interval_of(float(data[0]), len(data)), len(data))
    picks = np.random.default_rng(SEED).integers(0, len(data), size=(N_RESAMPLES, len(data)))
    low, high = np.percentile(data[picks].mean(axis=1), [2.5, 97.5])
    return Estimate(float(data.mean()), float(low), float(high), len(data))


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))
