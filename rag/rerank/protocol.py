"""What a reranker is given and gives back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from rag.types import ScoredChunk, SentenceRelevance


@dataclass(frozen=True, slots=True)
class Reranked:
    """Scores of each candidate, in the candidates' order; empty when time ran out.

    Attributes:
        order: higher is better; which passage suits the question best, whether it answers or not.
        relevance: in [0, 1], higher is better: how probably the passage answers the question; None for a passage
            that stood too far behind to be read for that.
        sentences: of each candidate what was read sentence by sentence; empty where nothing was.
        timed_out: the limit passed before all were read; then none counts, because a list in which some
            were read and some were not has no one order.
    """

    order: tuple[float, ...]
    relevance: tuple[float | None, ...]
    timed_out: bool = False
    sentences: tuple[tuple[SentenceRelevance, ...], ...] = ()


class Reranker(Protocol):
    """Reads question and passage together. Safe to share between threads."""

    @property
    def name(self) -> str:
        """Name and revision, as they are recorded with each answer."""
        ...

    def rerank(
        self, question: str, candidates: Sequence[ScoredChunk], *, embedding_model: str, time_limit_s: float
    ) -> Reranked:
        """Score every candidate, or give up when `time_limit_s` has passed.

        `embedding_model` names the model behind the candidates' distances.
        """
        ...
