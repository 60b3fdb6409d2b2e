"""One golden row asked of an index under every configuration: ranks, the gate's numbers, whole answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import rag
from console.evaluation.golden import GoldenRow, single
from console.evaluation.models import EvaluatedQuestion

RERANKED = "reranked"
ANSWERING = ("hybrid", RERANKED)
"""Configurations that the pipeline answers with; the others only retrieve."""
NO_LIMIT_S = 600.0
"""A reranker that ran out of time on a busy machine would be measured as one that changes nothing."""

Ask = Callable[[str], rag.Answered | rag.Refused]
Search = Callable[[str], Sequence[rag.ScoredChunk]]
GateScore = Literal["relevance", "distance"]


@dataclass(frozen=True, slots=True)
class RememberingReranker:
    """Scores each question's candidates once: whole answers and retrieval alone read the same ones."""

    reranker: rag.Reranker
    known: dict[tuple[str, tuple[str, ...]], rag.Reranked] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The reranker's own."""
        return self.reranker.name

    def rerank(
        self,
        question: str,
        candidates: Sequence[rag.ScoredChunk],
        *,
        embedding_model: str,
        time_limit_s: float,
    ) -> rag.Reranked:
        """What the reranker gives; given again for the same candidates, unless it ran out of time."""
        key = question, tuple(candidate.chunk.chunk_id for candidate in candidates)
        if key in self.known:
            return self.known[key]
        done = self.reranker.rerank(
            question, candidates, embedding_model=embedding_model, time_limit_s=time_limit_s
        )
        if not done.timed_out:
            self.known[key] = done
        return done


@dataclass(frozen=True, slots=True)
class Instrument:
    """What a run measures with.

    Attributes:
        index: of the run's version.
        scope: the set's folders.
        thresholds: in force when the run started.
        configurations: names of `rag.CONFIGURATIONS`.
        reranker: None where nothing is reranked.
        generator: None where answers are quoted.
        support: None where nothing checks a claim that is not verbatim.
    """

    index: rag.Index
    scope: rag.Scope
    thresholds: rag.Thresholds
    configurations: tuple[str, ...]
    reranker: rag.Reranker | None
    generator: rag.Generator | None = None
    support: rag.SupportModel | None = None

    def measure(self, row: GoldenRow) -> list[EvaluatedQuestion]:
        """One unsaved result for each wording that the row is asked in."""
        reranker = RememberingReranker(self.reranker) if self.reranker is not None else None
        asks = {name: self._ask(name, reranker) for name in self.configurations if name in ANSWERING}
        searches = {name: self._search(name, reranker) for name in self.configurations}
        if isinstance(row, rag.GoldenRefusal):
            return [self._refusal(row, asks)]
        return [self._answerable(wording, put, asks, searches) for wording, put in _wordings(row)]

    def _ask(self, name: str, reranker: rag.Reranker | None) -> Ask:
        """The whole pipeline, remembered: its trace holds what was retrieved."""
        index = replace(self.index, config=replace(self.index.config, rerank_time_s=NO_LIMIT_S))
        known: dict[str, rag.Answered | rag.Refused] = {}

        def ask(question: str) -> rag.Answered | rag.Refused:
            if question not in known:
                known[question] = rag.answer(
                    question,
                    index=index,
                    scope=self.scope,
                    thresholds=self.thresholds,
                    reranker=reranker if name == RERANKED else None,
                    generator=self.generator,
                    support=self.support,
                )
                _require_reranked(known[question].trace)
            return known[question]

        return ask

    def _search(self, name: str, reranker: rag.Reranker | None) -> Search:
        """One search for the question itself, by each configuration alike.

        The pipeline's candidates are of several searches where it is in doubt: against one search of the dense or the
        lexical side they would show what asking twice is worth, not what fusing or reranking is.
        """
        config = replace(self.index.config, rerank_time_s=NO_LIMIT_S, answer_time_s=NO_LIMIT_S)
        return rag.search_with(
            rag.CONFIGURATIONS[name],
            index=replace(self.index, config=config),
            scope=self.scope,
            reranker=reranker,
        )

    def _answerable(
        self, wording: rag.Wording, row: GoldenRow, asks: dict[str, Ask], searches: dict[str, Search]
    ) -> EvaluatedQuestion:
        plain = single(row)
        [asked] = plain.asked
        # Before retrieval alone is measured, which reads the same candidates: the times are those of the first read.
        outcomes = {name: self._outcome(plain, asked.question, ask) for name, ask in asks.items()}
        ranks = {}
        for name, search in searches.items():
            report = rag.evaluate_retrieval(plain, search, configuration=rag.CONFIGURATIONS[name])
            ranks[name] = list(report.questions[0].ranks)
        needle = asked.needles[0] if len(asked.needles) == 1 else None
        return EvaluatedQuestion(
            key=asked.id,
            group=wording.value,
            must_refuse=False,
            question=asked.question,
            ranks=ranks,
            gate=self._gate(asked.question, needle, asks) if needle is not None else {},
            outcomes=outcomes,
        )

    def _refusal(self, row: rag.GoldenRefusal, asks: dict[str, Ask]) -> EvaluatedQuestion:
        return EvaluatedQuestion(
            key=row.id,
            group=row.kind,
            must_refuse=True,
            question=row.question,
            ranks={},
            gate=self._gate(row.question, None, asks),
            outcomes={name: _ended(ask(row.question)) for name, ask in asks.items()},
        )

    def _gate(self, question: str, needle: str | None, asks: dict[str, Ask]) -> dict[str, object]:
        found: dict[str, object] = {}
        for name, ask in asks.items():
            score: GateScore = "relevance" if name == RERANKED else "distance"
            record = rag.gate_record(
                ask(question).trace.candidates, question_id="", group="", needle=needle, score=score
            )
            found[name] = {
                "score": score,
                # Unrounded: a cut is set by them, and the gate compares with all digits.
                "scores": list(record.scores),
                "right": list(record.right),
            }
        return found

    def _outcome(self, plain: rag.GoldenSet, question: str, ask: Ask) -> dict[str, object]:
        report = rag.evaluate_answers(plain, ask=ask, thresholds=self.thresholds)
        fault = next((name for name, n in _only(report).faults.items() if n), "")
        counts = _only(report)
        return _ended(ask(question)) | {
            "right_passage": bool(counts.right_passage.successes),
            "right_quote": bool(counts.right_quote.successes),
            "fault": fault,
            **_gold(counts.gold_answers),
        }


def _gold(counts: rag.GoldAnswerCounts | None) -> dict[str, object]:
    """Of one question; empty where it has no gold answers."""
    if counts is None:
        return {}
    quoted, exact = bool(counts.quoted.successes), bool(counts.exact.successes)
    return {"gold": {"quoted": quoted, "exact": exact, "f1": round(counts.f1.value, 6)}}


def _only(report: rag.EvaluationReport) -> rag.AnswerCounts:
    """The counts of the one wording that was asked; the report's own leave multihop questions out."""
    [counts] = report.by_wording.values()
    return counts


def _ended(result: rag.Answered | rag.Refused) -> dict[str, object]:
    return {
        "answered": isinstance(result, rag.Answered),
        "reason": result.reason.value if isinstance(result, rag.Refused) else "",
        "stages": {stage.name: round(stage.elapsed_ms, 3) for stage in result.trace.stages},
    }


def _require_reranked(trace: rag.Trace) -> None:
    """What was decided without the reranker is not measured as reranked.

    Raises:
        rag.ModelFailed: it did not read.
    """
    if "rerank" in trace.degrades:
        detail = next(stage.detail for stage in trace.stages if stage.detail.get("degraded"))
        raise rag.ModelFailed(
            str(detail.get("message", "The reranker did not finish.")),
            next_step=str(detail.get("next_step", "")),
        )


def _wordings(row: GoldenRow) -> list[tuple[rag.Wording, GoldenRow]]:
    """The row once for each wording it has, as a row that is asked in that wording alone."""
    if not isinstance(row, rag.GoldenNeedle):
        return [(rag.Wording.MULTIHOP, row)]
    put: list[tuple[rag.Wording, GoldenRow]] = [(rag.Wording.QUESTIONS, replace(row, ticket=""))]
    if row.ticket.strip():
        put.append((rag.Wording.TICKETS, replace(row, question=row.ticket, ticket="")))
    return put
