"""The one way to a reranker's scores: whatever it raises, and whatever is no score, is an error of `rag.errors`."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag.errors import ModelFailed, RagError
from rag.rerank.protocol import Reranked, Reranker
from rag.types import Locator, ScoredChunk, StoredChunk

_log = logging.getLogger(__name__)
_NEXT_STEP = (
    "See the log; install the reranker again, or configure another one. Until then the distance decides."
)


@dataclass(frozen=True, slots=True)
class AbsentReranker:
    """Stands for a reranker that could not be loaded: each reading raises why, so that answers tell of it."""

    name: str
    error: RagError

    def rerank(
        self,
        question: str,  # noqa: ARG002
        candidates: Sequence[ScoredChunk],  # noqa: ARG002
        *,
        embedding_model: str,  # noqa: ARG002
        time_limit_s: float,  # noqa: ARG002
    ) -> Reranked:
        """Raises the error that loading ended with."""
        raise type(self.error)(self.error.message, next_step=self.error.next_step) from self.error


def read_closely(
    reranker: Reranker,
    question: str,
    candidates: Sequence[ScoredChunk],
    *,
    embedding_model: str,
    time_limit_s: float,
) -> Reranked:
    """What `Reranker.rerank` gives, one finite score for each candidate, or `timed_out`.

    Scores that came after the limit do not count either: a reranker may look at its time too seldom.

    Raises:
        ModelFailed: it broke, or its scores are no numbers, out of range or of another count.
        RagError: what it raised itself.
    """
    started = time.monotonic()
    try:
        done = reranker.rerank(
            question, candidates, embedding_model=embedding_model, time_limit_s=time_limit_s
        )
        fault = "" if done.timed_out else _fault_of(done, len(candidates))
    except RagError:
        raise
    except Exception as exc:
        _log.exception("the reranker %s broke", reranker.name)
        raise ModelFailed(f"The reranker {reranker.name} broke while reading.", next_step=_NEXT_STEP) from exc
    if fault:
        _log.error("the reranker %s %s", reranker.name, fault)
        raise ModelFailed(f"The reranker {reranker.name} {fault}.", next_step=_NEXT_STEP)
    if not done.timed_out and time.monotonic() - started > time_limit_s:
        return replace(done, order=(), relevance=(), sentences=(), timed_out=True)
    return done


def probe_reranker(reranker: Reranker, *, time_limit_s: float = 60.0) -> None:
    """Have it read one small passage.

    Raises:
        ModelFailed: see `read_closely`.
    """
    text = "The office closes at six."
    chunk = StoredChunk("", 0, 0, "", 0, text, text, "", 0, len(text), Locator())
    candidate = ScoredChunk(chunk, distance=0.5, bm25_score=None, rrf_score=1.0)
    read_closely(
        reranker,
        "When does the office close?",
        [candidate],
        embedding_model="",
        time_limit_s=time_limit_s,
    )


def _fault_of(done: Reranked, n: int) -> str:
    """What is wrong with the scores of `n` candidates; empty for nothing."""
    counts = {len(done.order), len(done.relevance), *((len(done.sentences),) if done.sentences else ())}
    if counts != {n}:
        return f"gave {' and '.join(map(str, sorted(counts)))} scores for {n} passages"
    relevances = [
        *(each for each in done.relevance if each is not None),
        *(each.relevance for read in done.sentences for each in read),
    ]
    if not all(math.isfinite(score) for score in (*done.order, *relevances)):
        return "gave scores that are no numbers"
    if not all(0.0 <= relevance <= 1.0 for relevance in relevances):
        return "gave relevances outside of 0 to 1"
    return ""
