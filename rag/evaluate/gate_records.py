"""Golden questions at the gate: what would pass at a cut, and whether the right passage is among it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag.evaluate.golden import GoldenSet, Wording
from rag.evaluate.golden import holds_needle as holds
from rag.evaluate.retrieval import Search
from rag.types import GateScore, ScoredChunk


@dataclass(frozen=True, slots=True)
class GateRecord:
    """One golden question and its candidates in the order in which the gate takes them.

    Attributes:
        id: of the golden row; a question and its ticket share it.
        group: the wording of an answerable question, the kind of one to refuse.
        must_refuse: the documents do not answer it.
        scores: each candidate's number that the gate compares.
        right: whether the candidate holds the needle; all False for a question to refuse.
    """

    id: str
    group: str
    must_refuse: bool
    scores: tuple[float, ...]
    right: tuple[bool, ...]

    def best(self, score: GateScore) -> float | None:
        """The best number among the candidates; None when there are none."""
        if not self.scores:
            return None
        return max(self.scores) if score == "relevance" else min(self.scores)

    def at(self, cut: float, score: GateScore, max_chunks: int) -> tuple[bool, bool]:
        """(something passes, the right passage passes) with this cut; see `rag.gate.pass_gate`."""
        passing = [at for at, value in enumerate(self.scores) if passes(value, cut, score)][:max_chunks]
        return bool(passing), any(self.right[at] for at in passing)


def passes(value: float, cut: float, score: GateScore) -> bool:
    """Whether a candidate with this number passes the cut."""
    return value >= cut if score == "relevance" else value <= cut


def gate_record(
    candidates: Sequence[ScoredChunk],
    *,
    question_id: str,
    group: str,
    needle: str | None,
    score: GateScore,
) -> GateRecord:
    """The record of a question from what was retrieved; without a `needle` it must be refused.

    Candidates without a relevance (not reranked) never pass on relevance and are left out.
    """
    numbered = [
        (candidate.relevance if score == "relevance" else candidate.distance, candidate)
        for candidate in candidates
    ]
    able = [(value, candidate) for value, candidate in numbered if value is not None]
    return GateRecord(
        id=question_id,
        group=group,
        must_refuse=needle is None,
        scores=tuple(float(value) for value, _ in able),
        right=tuple(needle is not None and holds(candidate.chunk.content, needle) for _, candidate in able),
    )


def record_gate(golden: GoldenSet, search: Search, *, score: GateScore) -> tuple[GateRecord, ...]:
    """Ask every question with one needle in both wordings, and every question to refuse, once."""
    answerable = [
        gate_record(
            search(asked.question),
            question_id=asked.id,
            group=asked.wording.value,
            needle=asked.needles[0],
            score=score,
        )
        for asked in golden.asked
        if asked.wording is not Wording.MULTIHOP
    ]
    refusals = [
        gate_record(
            search(refusal.question), question_id=refusal.id, group=refusal.kind, needle=None, score=score
        )
        for refusal in golden.refusals
    ]
    return (*answerable, *refusals)
