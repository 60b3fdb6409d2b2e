"""The reranker that Footnote brings: trained for handbooks, calibrated, no hub needed."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rag.config import SAMPLE_RERANKER
from rag.errors import ModelMissing
from rag.quotable import Quotable, quotables
from rag.rerank.pair_model import OutOfTime, PairModel, revision_of
from rag.rerank.protocol import Reranked
from rag.types import ScoredChunk, SentenceRelevance, StoredChunk

_FOLDER = Path(__file__).resolve().parent.parent / "models" / "relevance"

_N_CLOSE = 6
"""Passages read sentence by sentence: four may pass the gate, and from 4 to 10 nothing changed on two handbooks."""


@dataclass(frozen=True, slots=True)
class Blend:
    """``logit · a + cosine · b``: the model's logit and the question's cosine to the passage.

    The cosine's weight was fitted with one embedding model and means nothing for another.
    """

    logit: float
    cosine: float

    def score(self, logit: float, distance: float) -> float:
        """Unbounded."""
        return self.logit * logit + self.cosine * (1.0 - distance)


@dataclass(frozen=True, slots=True)
class Relevance:
    """``1 / (1 + exp(−(passage · p + sentence · s + bias)))`` of the logits p of a passage and s of a sentence in it.

    A probability (Platt 1999). A sentence alone may lack what the passage says around it; a passage on the right topic
    looks relevant without an answer.
    """

    passage: float
    sentence: float
    bias: float

    def probability(self, passage: float, sentence: float) -> float:
        """In [0, 1]."""
        score = self.passage * passage + self.sentence * sentence + self.bias
        # The half with the small exponent: the other one overflows for scores that nobody can tell apart.
        half = math.exp(-abs(score))
        return 1.0 / (1.0 + half) if score >= 0 else half / (1.0 + half)


def packaged_identity() -> str:
    """Name and revision of the packaged reranker, without loading it.

    Raises:
        ModelMissing: its files are missing.
    """
    return f"{SAMPLE_RERANKER}/{revision_of(_FOLDER)}"


class PackagedReranker:
    """A `Reranker` over the packaged relevance model, which reads twice.

    First whole passages, for the order: a blend with the cosine, which among passages on one topic tells best which
    suits. Then the sentences of the closest ones, for the relevance: a passage is as relevant as the best sentence that
    can be quoted of it. Sentences in the order as well were tried: fitted on held-out handbooks their weight is 0.
    """

    def __init__(self, folder: Path = _FOLDER, *, threads: int = 0) -> None:
        """Load the model.

        Raises:
            ModelMissing: its files are missing or damaged.
        """
        self._model = PairModel(folder, threads=threads)
        self._order, self._relevance = _read_settings(self._model.settings, folder)

    @property
    def name(self) -> str:
        """See `Reranker.name`."""
        return f"{SAMPLE_RERANKER}/{self._model.revision}"

    def rerank(
        self, question: str, candidates: Sequence[ScoredChunk], *, embedding_model: str, time_limit_s: float
    ) -> Reranked:
        """See `Reranker.rerank`."""
        deadline = time.monotonic() + time_limit_s
        try:
            pairs = [(question, candidate.chunk.text) for candidate in candidates]
            logits = self._model.score(pairs, deadline=deadline)
            blend = self._order.get(embedding_model, self._order[""])
            order = [
                blend.score(float(logit), each.distance)
                for logit, each in zip(logits, candidates, strict=True)
            ]
            close = sorted(range(len(order)), key=lambda at: order[at], reverse=True)[:_N_CLOSE]
            read = self._read_sentences(question, [candidates[at].chunk for at in close], deadline)
        except OutOfTime:
            return Reranked((), (), timed_out=True)
        sentences: list[tuple[SentenceRelevance, ...]] = [()] * len(order)
        relevance: list[float | None] = [None] * len(order)
        for at, (places, found) in zip(close, read, strict=True):
            sentences[at] = tuple(
                SentenceRelevance(
                    place.start, place.end, self._relevance.probability(float(logits[at]), sentence)
                )
                for place, sentence in zip(places, found, strict=True)
            )
            relevance[at] = max((each.relevance for each in sentences[at]), default=0.0)
        return Reranked(tuple(order), tuple(relevance), sentences=tuple(sentences))

    def _read_sentences(
        self, question: str, passages: Sequence[StoredChunk], deadline: float
    ) -> list[tuple[list[Quotable], list[float]]]:
        """Of each passage all that can be quoted, with its logits.

        Raises:
            OutOfTime: the deadline passed.
        """
        places = [quotables(chunk) for chunk in passages]
        pairs = [
            (question, place.within(chunk))
            for chunk, found in zip(passages, places, strict=True)
            for place in found
        ]
        logits = iter(self._model.score(pairs, deadline=deadline).tolist())
        return [(found, [next(logits) for _ in found]) for found in places]


def _read_settings(settings: dict[str, object], folder: Path) -> tuple[dict[str, Blend], Relevance]:
    """The order's blends by the embedding model's name, and the relevance.

    The empty name is for every other embedding model and gives the cosine no weight.
    """
    try:
        order, relevance = settings["order"], settings["relevance"]
        assert isinstance(order, dict)
        assert isinstance(relevance, dict)
        blends = {str(name): Blend(**values) for name, values in order.items()}
        assert blends[""].cosine == 0.0
        return blends, Relevance(**relevance)
    except (AssertionError, KeyError, TypeError) as exc:
        raise ModelMissing(
            f"{folder / 'model.json'} is not usable.", next_step="Install Footnote again."
        ) from exc
