"""What reranking costs beside the plain library: pure measuring, interleaved, in one run."""

from __future__ import annotations

import logging
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag.config import SAMPLE_MODEL
from rag.embed import model_folder
from rag.rerank import Reranker
from rag.types import ScoredChunk

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

_NO_LIMIT_S = 3_600.0


@dataclass(frozen=True, slots=True)
class RerankReport:
    """Reading the candidates of some questions, milliseconds a question, each the median of interleaved repeats.

    Attributes:
        n_pairs: candidates of each question.
        ours_ms: the configured reranker; it reads the closest passages by sentence too.
        cross_encoder_ms: `CrossEncoder.predict` in float32 with its default batch, of the packaged model's size and
            layers (all-MiniLM-L6-v2 with a new head: its scores mean nothing, its time is that of any such model).
    """

    n_pairs: tuple[int, ...]
    ours_ms: tuple[float, ...]
    cross_encoder_ms: tuple[float, ...]

    @property
    def share(self) -> float:
        """Ours as a share of the plain library's time on the same question, the median of all."""
        return statistics.median(
            ours / plain for ours, plain in zip(self.ours_ms, self.cross_encoder_ms, strict=True)
        )


def _plain_cross_encoder() -> CrossEncoder:
    import torch
    from sentence_transformers import CrossEncoder
    from transformers.utils import logging as library_logging

    # Both would tell that the head is new.
    verbosity = library_logging.get_verbosity()
    library_logging.set_verbosity_error()
    logger = logging.getLogger("sentence_transformers.base.model")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        return CrossEncoder(
            str(model_folder(SAMPLE_MODEL)),
            num_labels=1,
            device="cpu",
            local_files_only=True,
            model_kwargs={"dtype": torch.float32},
        )
    finally:
        library_logging.set_verbosity(verbosity)
        logger.setLevel(level)


def measure_rerank(
    asked: Sequence[tuple[str, Sequence[ScoredChunk]]], reranker: Reranker, *, repeats: int = 5
) -> RerankReport:
    """Our reading of each question's candidates against sentence-transformers' own, same machine, same run."""
    plain = _plain_cross_encoder()
    measured = [_measure(question, candidates, reranker, plain, repeats) for question, candidates in asked]
    return RerankReport(
        tuple(len(candidates) for _, candidates in asked),
        tuple(ours_s * 1_000 for ours_s, _ in measured),
        tuple(library_s * 1_000 for _, library_s in measured),
    )


def _measure(
    question: str, candidates: Sequence[ScoredChunk], reranker: Reranker, plain: CrossEncoder, repeats: int
) -> tuple[float, float]:
    """Median seconds: ours, the library's."""
    pairs = [(question, candidate.chunk.text) for candidate in candidates]

    def ours() -> object:
        return reranker.rerank(question, candidates, embedding_model="", time_limit_s=_NO_LIMIT_S)

    def library() -> object:
        return plain.predict(pairs, show_progress_bar=False)

    sides: tuple[Callable[[], object], ...] = (ours, library)
    seconds: list[list[float]] = [[] for _ in sides]
    for repeat in range(repeats + 1):
        for side, taken in zip(sides, seconds, strict=True):
            started = time.perf_counter()
            side()
            if repeat:  # the first warms up
                taken.append(time.perf_counter() - started)
    ours_s, library_s = (statistics.median(taken) for taken in seconds)
    return ours_s, library_s
