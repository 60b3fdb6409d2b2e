"""The reranker that Footnote brings: trained for handbooks, calibrated, no hub needed."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rag.config import SAMPLE_RERANKER
from rag.errors import ModelMissing
from rag.rerank.pair_model import OutOfTime, PairModel
from rag.rerank.protocol import Reranked
from rag.types import ScoredChunk

_FOLDER = Path(__file__).resolve().parent.parent / "models" / "relevance"


@dataclass(frozen=True, slots=True)
class Blend:
    """``logit · a + cosine · b + c``: the model's logit and the question's cosine to the passage.

    The cosine's weight was fitted with one embedding model and means nothing for another.
    """

    logit: float
    cosine: float
    bias: float = 0.0

    def score(self, logit: float, distance: float) -> float:
        """Unbounded."""
        return self.logit * logit + self.cosine * (1.0 - distance) + self.bias

    def probability(self, logit: float, distance: float) -> float:
        """The logistic of the score, in [0, 1] (Platt 1999)."""
        score = self.score(logit, distance)
        # The half with the small exponent: the other one overflows for scores that nobody can tell apart.
        half = math.exp(-abs(score))
        return 1.0 / (1.0 + half) if score >= 0 else half / (1.0 + half)


class PackagedReranker:
    """A `Reranker` over the packaged relevance model.

    Order and relevance are two blends: among passages on one topic the cosine tells best which suits, whether any of
    them answers the model tells.
    """

    def __init__(self, folder: Path = _FOLDER, *, threads: int = 0) -> None:
        """Load the model.

        Raises:
            ModelMissing: its files are missing or damaged.
        """
        self._model = PairModel(folder, threads=threads)
        self._order = _read_blends(self._model.settings, "order", folder)
        self._relevance = _read_blends(self._model.settings, "relevance", folder)

    @property
    def name(self) -> str:
        """See `Reranker.name`."""
        return f"{SAMPLE_RERANKER}/{self._model.revision}"

    def rerank(
        self, question: str, candidates: Sequence[ScoredChunk], *, embedding_model: str, time_limit_s: float
    ) -> Reranked:
        """See `Reranker.rerank`."""
        pairs = [(question, candidate.chunk.text) for candidate in candidates]
        try:
            logits = self._model.score(pairs, deadline=time.monotonic() + time_limit_s)
        except OutOfTime:
            return Reranked((), (), timed_out=True)
        order = self._order.get(embedding_model, self._order[""])
        relevance = self._relevance.get(embedding_model, self._relevance[""])
        read = [(float(logit), each.distance) for logit, each in zip(logits, candidates, strict=True)]
        return Reranked(
            order=tuple(order.score(*each) for each in read),
            relevance=tuple(relevance.probability(*each) for each in read),
        )


def _read_blends(settings: dict[str, object], kind: str, folder: Path) -> dict[str, Blend]:
    """By the embedding model's name; the empty name is for every other model and gives the cosine no weight."""
    try:
        entries = settings[kind]
        assert isinstance(entries, dict)
        found = {str(name): Blend(**values) for name, values in entries.items()}
        assert found[""].cosine == 0.0
    except (AssertionError, KeyError, TypeError) as exc:
        raise ModelMissing(
            f"{folder / 'model.json'} is not usable.", next_step="Install Footnote again."
        ) from exc
    return found
