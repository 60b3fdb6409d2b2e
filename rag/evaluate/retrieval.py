"""Retrieval over a golden set: where each needle is found, so that two configurations compare by pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from rag.evaluate.golden import GoldenSet, Wording, holds_needle
from rag.evaluate.ranking import Estimate, mean_estimate, reciprocal_rank
from rag.evaluate.statistics import Proportion, sign_test
from rag.types import ScoredChunk

Retrieval = Literal["dense", "bm25", "hybrid"]
Search = Callable[[str], Sequence[ScoredChunk]]


@dataclass(frozen=True, slots=True)
class Configuration:
    """What is compared: a chunking strategy (its letter), a way to retrieve, and whether a reranker follows.

    `model` names the embedding model where several are compared.
    """

    name: str
    chunking: str = "E"
    retrieval: Retrieval = "hybrid"
    reranked: bool = False
    model: str = ""

    def differs_in(self, other: Configuration) -> int:
        """In how many things the two differ; only a difference of one tells what it is worth."""
        way, other_way = (self.retrieval, self.reranked), (other.retrieval, other.reranked)
        return (self.chunking != other.chunking) + (way != other_way) + (self.model != other.model)


CONFIGURATIONS: dict[str, Configuration] = {
    "dense": Configuration("dense", retrieval="dense"),
    "bm25": Configuration("bm25", retrieval="bm25"),
    "hybrid": Configuration("hybrid"),
    "reranked": Configuration("reranked", reranked=True),
}
"""The four that are usually compared, by name, with the default chunking."""


@dataclass(frozen=True, slots=True)
class QuestionRanks:
    """One question: the rank, from 1, of the first chunk that holds each of its needles; None where none does."""

    id: str
    wording: Wording
    ranks: tuple[int | None, ...]

    @property
    def rank(self) -> int | None:
        """The rank at which the last of its needles is found; None when one is not."""
        found = [rank for rank in self.ranks if rank is not None]
        return max(found) if found and len(found) == len(self.ranks) else None

    def ndcg(self, k: int) -> float:
        """nDCG@k with each needle as one relevant result of grade 1, in [0, 1]; see `ndcg_at_k`."""
        gained = sum(1 / math.log2(rank + 1) for rank in self.ranks if rank is not None and rank <= k)
        ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(k, len(self.ranks)) + 1))
        return min(1.0, gained / ideal) if ideal else 0.0


@dataclass(frozen=True, slots=True)
class RetrievalReport:
    """One configuration over one golden set. Without a `wording` a figure is over questions and tickets."""

    configuration: Configuration
    golden: str
    questions: tuple[QuestionRanks, ...]
    ks: tuple[int, ...]

    @property
    def wordings(self) -> tuple[Wording, ...]:
        """The wordings that were asked."""
        asked = {question.wording for question in self.questions}
        return tuple(wording for wording in Wording if wording in asked)

    def of(self, wording: Wording | None = None) -> tuple[QuestionRanks, ...]:
        """The questions in one wording; None gives those with one needle, in both wordings."""
        return tuple(
            question
            for question in self.questions
            if question.wording == wording or (wording is None and question.wording != Wording.MULTIHOP)
        )

    def recall(self, k: int, wording: Wording | None = None) -> Proportion:
        """Questions of which all needles stand among the first `k` chunks.

        Those with more needles than `k` are left out: as a rule `k` chunks do not hold them.
        """
        ranks = [question.rank for question in self.of(wording) if len(question.ranks) <= k]
        return Proportion(sum(_within(rank, k) for rank in ranks), len(ranks))

    def mean_reciprocal_rank(self, wording: Wording | None = None) -> Estimate:
        """MRR; for several needles the rank of the last one counts."""
        return mean_estimate([reciprocal_rank(question.rank) for question in self.of(wording)])

    def mean_ndcg(self, k: int = 10, wording: Wording | None = None) -> Estimate:
        """Mean of nDCG@k."""
        return mean_estimate([question.ndcg(k) for question in self.of(wording)])


@dataclass(frozen=True, slots=True)
class PairedTest:
    """The same questions under two configurations: where the first alone is right, where the second alone is."""

    first: str
    second: str
    wins: int
    losses: int
    ties: int

    @property
    def p(self) -> float:
        """Two-sided exact sign test on the discordant pairs; see `sign_test`."""
        return sign_test(self.wins, self.losses)


def evaluate_retrieval(
    golden: GoldenSet, search: Search, *, configuration: Configuration, ks: Sequence[int] = (1, 4, 20)
) -> RetrievalReport:
    """Ask every answerable question in every wording once; `search` gives chunks, best first."""
    questions = []
    for asked in golden.asked:
        found = search(asked.question)
        ranks = tuple(needle_rank(found, needle) for needle in asked.needles)
        questions.append(QuestionRanks(asked.id, asked.wording, ranks))
    return RetrievalReport(configuration, golden.name, tuple(questions), tuple(ks))


def compare_recall(
    first: RetrievalReport, second: RetrievalReport, *, k: int, wording: Wording | None = None
) -> PairedTest:
    """Which questions one finds among its first `k` chunks and the other does not; see `RetrievalReport.recall`.

    Raises:
        ValueError: the reports are over different questions.
    """
    return _paired(first, second, wording, lambda question: float(_within(question.rank, k)), most_needles=k)


def compare_ranks(
    first: RetrievalReport, second: RetrievalReport, *, wording: Wording | None = None
) -> PairedTest:
    """Which questions one ranks higher than the other; not found is below every rank.

    Raises:
        ValueError: the reports are over different questions.
    """
    return _paired(first, second, wording, lambda question: reciprocal_rank(question.rank))


def needle_rank(candidates: Sequence[ScoredChunk], needle: str) -> int | None:
    """1-based rank of the first chunk that holds the whole needle."""
    for rank, candidate in enumerate(candidates, start=1):
        if holds_needle(candidate.chunk.content, needle):
            return rank
    return None


def _paired(
    first: RetrievalReport,
    second: RetrievalReport,
    wording: Wording | None,
    value: Callable[[QuestionRanks], float],
    *,
    most_needles: int | None = None,
) -> PairedTest:
    ours, theirs = first.of(wording), second.of(wording)
    if [(q.id, q.wording) for q in ours] != [(q.id, q.wording) for q in theirs]:
        raise ValueError("only reports over the same questions can be paired")
    differences = [
        value(one) - value(other)
        for one, other in zip(ours, theirs, strict=True)
        if most_needles is None or len(one.ranks) <= most_needles
    ]
    wins, losses = sum(d > 0 for d in differences), sum(d < 0 for d in differences)
    return PairedTest(
        first.configuration.name, second.configuration.name, wins, losses, len(differences) - wins - losses
    )


def _within(rank: int | None, k: int) -> bool:
    return rank is not None and rank <= k
