"""One question under way: its stages so far, what they found, and how much time is left."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from rag.errors import RagError
from rag.gate import gate_score
from rag.types import GateScore, RefusalReason, Refused, ScoredChunk, Stage, Thresholds, Trace

_N_NEAREST = 4
Detail = dict[str, str | int | float | bool | None]


@dataclass(slots=True)
class Run:
    """What a question's way leaves behind; the trace is made of it."""

    thresholds: Thresholds
    time_limit_s: float
    candidates: tuple[ScoredChunk, ...] = ()
    stages: list[Stage] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)
    reranker_fault: RagError | None = None
    """Why the reranker could not read; then the fused order stands."""

    @property
    def deadline(self) -> float:
        """The `time.monotonic` moment at which the whole question has to be done."""
        return self.started + self.time_limit_s

    @property
    def left_s(self) -> float:
        """Seconds until the deadline, never below 0."""
        return max(0.0, self.deadline - time.monotonic())

    @property
    def best_distance(self) -> float | None:
        """The smallest cosine distance of all candidates, in [0, 2]."""
        return min((candidate.distance for candidate in self.candidates), default=None)

    @property
    def best_relevance(self) -> float | None:
        """The highest relevance of all candidates, in [0, 1]; None where no reranker read any."""
        read = [each.relevance for each in self.candidates if each.relevance is not None]
        return max(read, default=None)

    @property
    def gate_score(self) -> GateScore:
        """Which number the gate compares for these candidates."""
        return gate_score(self.candidates)

    @contextmanager
    def stage(self, name: str) -> Iterator[Detail]:
        """Time what runs inside; what is put into the yielded dict becomes the stage's detail."""
        detail: Detail = {}
        started = time.perf_counter()
        yield detail
        self.stages.append(Stage(name, (time.perf_counter() - started) * 1_000, detail))

    def keep(self, candidates: Sequence[ScoredChunk]) -> None:
        """Add what a search found. A passage that was found before keeps its better relevance."""
        known = {each.chunk.chunk_id: each for each in self.candidates}
        for candidate in candidates:
            before = known.get(candidate.chunk.chunk_id)
            if before is None or (candidate.relevance or 0.0) > (before.relevance or 0.0):
                known[candidate.chunk.chunk_id] = candidate
        self.candidates = tuple(known.values()) if self.candidates else tuple(candidates)

    def trace(self) -> Trace:
        """Everything so far."""
        return Trace(tuple(self.stages), self.candidates)

    def refused(self, reason: RefusalReason, passed: Sequence[ScoredChunk] = ()) -> Refused:
        """The refusal, with the passages that were nearest by the number that decided.

        `passed` went through the gate and was written from: its number decided. Another part of the question may have
        been compared by another one.
        """
        score = gate_score(passed or self.candidates)
        if score == "relevance":
            nearest = sorted(self.candidates, key=lambda candidate: -(candidate.relevance or 0.0))
        else:
            nearest = sorted(self.candidates, key=lambda candidate: candidate.distance)
        return Refused(
            reason=reason,
            best_distance=self.best_distance,
            distance_cut=self.thresholds.distance_cut,
            nearest=tuple(nearest[:_N_NEAREST]),
            trace=self.trace(),
            gate_score=score,
            best_relevance=self.best_relevance if score == "relevance" else None,
            relevance_cut=self.thresholds.relevance_cut,
        )
