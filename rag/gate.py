"""The gate: what may reach the generator."""

from __future__ import annotations

from collections.abc import Sequence

from rag.types import ScoredChunk, Thresholds


def pass_gate(candidates: Sequence[ScoredChunk], thresholds: Thresholds) -> tuple[ScoredChunk, ...]:
    """The first `max_chunks` candidates, in their order, with distance ≤ `distance_cut`.

    Empty means that the generator is not called.
    """
    passing = [candidate for candidate in candidates if candidate.distance <= thresholds.distance_cut]
    return tuple(passing[: thresholds.max_chunks])
