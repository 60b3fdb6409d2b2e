"""Question to result in milliseconds, in all and by stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rag.types import Answered, Refused


@dataclass(frozen=True, slots=True)
class Percentiles:
    """Milliseconds over `n` measurements."""

    n: int
    p50_ms: float
    p95_ms: float


@dataclass(frozen=True, slots=True)
class LatencyReport:
    """Question to result, in all and by stage; a stage counts only where it ran."""

    total: Percentiles
    stages: Mapping[str, Percentiles]
    n_answered: int
    n_refused: int


def latency_of(results: Sequence[Answered | Refused]) -> LatencyReport:
    """The times that the results' traces hold."""
    by_stage: dict[str, list[float]] = {}
    for result in results:
        for stage in result.trace.stages:
            by_stage.setdefault(stage.name, []).append(stage.elapsed_ms)
    n_answered = sum(isinstance(result, Answered) for result in results)
    return LatencyReport(
        total=percentiles_of([result.trace.total_ms for result in results]),
        stages={name: percentiles_of(values) for name, values in by_stage.items()},
        n_answered=n_answered,
        n_refused=len(results) - n_answered,
    )


def percentiles_of(values: Sequence[float]) -> Percentiles:
    """The percentiles of `values`, in milliseconds; zeros for none."""
    if not values:
        return Percentiles(0, 0.0, 0.0)
    p50, p95 = np.percentile(values, [50, 95])
    return Percentiles(len(values), float(p50), float(p95))
