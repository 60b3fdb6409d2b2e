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
class Calibration:
    """``relevance = σ(logit · a + cosine · b + c)``: Platt 1999, with the question's cosine as a second feature.

    The cosine's weight was fitted with one embedding model and means nothing for another.
    """

    logit: float
    cosine: float
    bias: float

    def relevance(self, logit: float, distance: float) -> float:
        """In [0, 1]."""
        return 1.0 / (1.0 + math.exp(-(self.logit * logit + self.cosine * (1.0 - distance) + self.bias)))


class PackagedReranker:
    """A `Reranker` over the packaged relevance model."""

    def __init__(self, folder: Path = _FOLDER, *, threads: int = 0) -> None:
        """Load the model.

        Raises:
            ModelMissing: its files are missing or damaged.
        """
        self._model = PairModel(folder, threads=threads)
        self._calibrations = _read_calibrations(self._model.settings, folder)

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
            scores = self._model.score(pairs, deadline=time.monotonic() + time_limit_s)
        except OutOfTime:
            return Reranked((), timed_out=True)
        calibration = self._calibrations.get(embedding_model, self._calibrations[""])
        return Reranked(
            tuple(
                calibration.relevance(float(logit), candidate.distance)
                for logit, candidate in zip(scores.logits, candidates, strict=True)
            )
        )


def _read_calibrations(settings: dict[str, object], folder: Path) -> dict[str, Calibration]:
    """By the embedding model's name; the empty name is for every other model and gives the cosine no weight."""
    try:
        entries = settings["calibrations"]
        assert isinstance(entries, dict)
        found = {str(name): Calibration(**values) for name, values in entries.items()}
        assert found[""].cosine == 0.0
    except (AssertionError, KeyError, TypeError) as exc:
        raise ModelMissing(
            f"The calibration in {folder / 'model.json'} is not usable.", next_step="Install Footnote again."
        ) from exc
    return found
