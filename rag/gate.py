"""The gate: what may reach the generator."""

from __future__ import annotations

from collections.abc import Sequence

from rag.types import GateScore, ScoredChunk, Thresholds


def gate_score(candidates: Sequence[ScoredChunk]) -> GateScore:
    """Relevance where a reranker read candidates, else distance: one number decides about all of them."""
    reranked = any(candidate.relevance is not None for candidate in candidates)
    return "relevance" if reranked else "distance"


def pass_gate(candidates: Sequence[ScoredChunk], thresholds: Thresholds) -> tuple[ScoredChunk, ...]:
    """The first `max_chunks` candidates, in their order, that the cut lets pass.

    What the reranker did not read does not pass where it read others. Empty means that the generator is not called.
    """
    if gate_score(candidates) == "relevance":
        passing = [
            candidate
            for candidate in candidates
            if candidate.relevance is not None and candidate.relevance >= thresholds.relevance_cut
        ]
    else:
        passing = [candidate for candidate in candidates if candidate.distance <= thresholds.distance_cut]
    return tuple(passing[: thresholds.max_chunks])
