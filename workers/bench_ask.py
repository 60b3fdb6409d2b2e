"""What a question costs from its words to its answer: a golden set asked again and again of a warm index."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass

from django.core.management.base import CommandError
from rich.progress import track
from rich.table import Table

import rag
from console import engine
from workers.evaluation_corpus import SCOPE, Corpus, index_corpus, read_corpus, throwaway_index

GOAL_P50_MS, GOAL_P95_MS = 400.0, 1_200.0
"""Of the embedded default on two cores."""

Ask = Callable[[str], rag.Answered | rag.Refused]


@dataclass(frozen=True, slots=True)
class AskReport:
    """One corpus.

    Attributes:
        corpus: its name.
        n_chunks: in the index.
        n_questions: of the golden set, every wording and those to refuse.
        wall: question to result by the clock, over all runs.
        by_run: the same, run by run: a machine with other work shows.
        latency: by stage, over all runs.
        n_degraded: results that a model ran out of time for.
        load_before, load_after: the machine's load average of a minute.
    """

    corpus: str
    n_chunks: int
    n_questions: int
    wall: rag.Percentiles
    by_run: tuple[rag.Percentiles, ...]
    latency: rag.LatencyReport
    n_degraded: int
    load_before: float
    load_after: float

    @property
    def keeps_to_goal(self) -> bool:
        """Whether p50 and p95 over all runs are within the goal."""
        return self.wall.p50_ms <= GOAL_P50_MS and self.wall.p95_ms <= GOAL_P95_MS


def measure_asking(corpus: Corpus, *, runs: int) -> AskReport:
    """Index the corpus, ask its golden set once unmeasured, then `runs` times, as the product answers.

    Raises:
        CommandError: the corpus has no golden set, or `runs` is below 1.
    """
    if corpus.golden is None:
        raise CommandError(f"{corpus.name} has no golden set; write FOLDER=GOLDEN.")
    if runs < 1:
        raise CommandError("--runs is at least 1.")
    questions = [each.question for each in corpus.golden.asked]
    questions += [each.question for each in corpus.golden.refusals]
    read = read_corpus(corpus)
    with throwaway_index(engine.config()) as index:
        n_chunks = sum(report.n_chunks for report in index_corpus(index, read))
        ask = _product(index)
        for question in track(questions, description=f"{corpus.name}: warming up", transient=True):
            ask(question)
        load_before = os.getloadavg()[0]
        timed = [
            _run(questions, ask, f"{corpus.name}: run {number} of {runs}") for number in range(1, runs + 1)
        ]
        load_after = os.getloadavg()[0]
    results = [result for run in timed for result, _ in run]
    return AskReport(
        corpus=corpus.name,
        n_chunks=n_chunks,
        n_questions=len(questions),
        wall=rag.percentiles_of([elapsed_ms for run in timed for _, elapsed_ms in run]),
        by_run=tuple(rag.percentiles_of([elapsed_ms for _, elapsed_ms in run]) for run in timed),
        latency=rag.latency_of(results),
        n_degraded=sum(bool(result.trace.degrades) for result in results),
        load_before=load_before,
        load_after=load_after,
    )


def asking_table(reports: list[AskReport]) -> Table:
    """p50 / p95 in milliseconds: in all, by stage, and of each run."""
    table = Table(
        "", *(report.corpus for report in reports), title="Question to result, p50 / p95 in ms, warm"
    )
    stages = dict.fromkeys(stage for report in reports for stage in report.latency.stages)
    n_runs = max((len(report.by_run) for report in reports), default=0)
    rows: list[tuple[str, list[str]]] = [
        ("chunks", [f"{r.n_chunks:,}" for r in reports]),
        ("questions × runs", [f"{r.n_questions} × {len(r.by_run)}" for r in reports]),
        ("answered, refused", [f"{r.latency.n_answered}, {r.latency.n_refused}" for r in reports]),
        ("whole, by the clock", [_shown(r.wall) for r in reports]),
        (
            f"goal {GOAL_P50_MS:.0f} / {GOAL_P95_MS:,.0f}",
            ["kept" if r.keeps_to_goal else "not kept" for r in reports],
        ),
        *((f"  {stage}", [_shown(r.latency.stages.get(stage)) for r in reports]) for stage in stages),
        *((f"run {at + 1}", [_shown(r.by_run[at]) for r in reports]) for at in range(n_runs)),
        ("a model ran out of time", [str(r.n_degraded) for r in reports]),
        ("load of the machine before, after", [f"{r.load_before:.1f}, {r.load_after:.1f}" for r in reports]),
    ]
    for name, cells in rows:
        table.add_row(name, *cells)
    return table


def _product(index: rag.Index) -> Ask:
    """Everything as configured, time limits too."""
    config = index.config
    thresholds = rag.Thresholds(config.distance_cut, config.max_chunks, config.relevance_cut)
    reranker, generator, support = engine.reranker(), engine.generator(), engine.support()
    return lambda question: rag.answer(
        question,
        index=index,
        scope=SCOPE,
        thresholds=thresholds,
        reranker=reranker,
        generator=generator,
        support=support,
    )


def _run(questions: list[str], ask: Ask, described: str) -> list[tuple[rag.Answered | rag.Refused, float]]:
    """Each result with its milliseconds."""
    timed = []
    for question in track(questions, description=described, transient=True):
        started = time.perf_counter()
        result = ask(question)
        timed.append((result, (time.perf_counter() - started) * 1_000))
    return timed


def _shown(value: rag.Percentiles | None) -> str:
    return f"{value.p50_ms:.1f} / {value.p95_ms:.1f}" if value and value.n else "–"
