"""One evaluation: strategies and configurations over a golden set, the gate's sweep, whole answers, BEIR."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from rich.progress import Progress, track

import rag
from console import engine
from workers.evaluation_corpus import (
    SCOPE,
    Corpus,
    ReadCorpus,
    chunks_of,
    faults_of,
    index_corpus,
    read_corpus,
    throwaway_index,
)

Search = Callable[[str], Sequence[rag.ScoredChunk]]
Searches = list[tuple[rag.Configuration, Search]]

BEIR_DEPTH = 300
"""Chunks searched for a BEIR query: enough for a hundred documents where each has up to three of them."""
WHOLE_DOCUMENT_CHARS = 100_000
NO_LIMIT_S = 600.0
WIDEST_DISTANCE = 2.0
"""No cosine distance is larger."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is measured: configurations (names) by strategies (letters) and embedding models.

    The sweep and whole answers are measured with the first strategy and model. `budget` is the share of bluffs that
    a cut may let through, `bound` whether the rate or the upper end of its interval must keep to it.
    """

    compare: tuple[str, ...]
    strategies: tuple[str, ...]
    models: tuple[str, ...]
    calibrate: bool = False
    budget: float = 0.1
    bound: Literal["rate", "upper"] = "rate"
    end_to_end: bool = False
    risk_coverage: bool = False


@dataclass(frozen=True, slots=True)
class StrategyEvaluation:
    """One strategy with one embedding model (name and revision): what it made of the corpus, how needles are found."""

    label: str
    model: str
    chunking: rag.ChunkingReport
    destroyed: tuple[str, ...]
    n_needles: int
    retrieval: tuple[rag.RetrievalReport, ...]


@dataclass(frozen=True, slots=True)
class GateCalibration:
    """The sweep over one configuration's candidates, and how well its best scores tell kinds apart (AUROC)."""

    configuration: str
    calibration: rag.Calibration
    auroc_by_kind: Mapping[str, rag.Estimate]
    risk_area: float


@dataclass(frozen=True, slots=True)
class CorpusEvaluation:
    """Everything measured on one corpus with its golden set; `reranker` is empty where none was asked for."""

    corpus: str
    reranker: str
    golden_id: str
    n_files: int
    n_failed: int
    faults: tuple[rag.GoldenFault, ...]
    strategies: tuple[StrategyEvaluation, ...]
    calibrations: tuple[GateCalibration, ...]
    answers: Mapping[str, rag.EvaluationReport]
    confident: Mapping[str, tuple[rag.ConfidentAnswer, ...]]
    """Every question asked with the gate open; empty where that was not measured."""


@dataclass(frozen=True, slots=True)
class BeirEvaluation:
    """One BEIR collection by each configuration, with the names and revisions of the models."""

    collection: str
    model: str
    reranker: str
    n_documents: int
    n_chunks: int
    reports: tuple[rag.BeirReport, ...]


def evaluate_corpus(corpus: Corpus, golden: rag.GoldenSet, plan: Plan) -> CorpusEvaluation:
    """Read the corpus once, index it by each strategy, and ask everything."""
    read = read_corpus(corpus)
    reranker = load_reranker() if "reranked" in plan.compare else None
    strategies: list[StrategyEvaluation] = []
    calibrations: tuple[GateCalibration, ...] = ()
    answers: dict[str, rag.EvaluationReport] = {}
    confident: dict[str, tuple[rag.ConfidentAnswer, ...]] = {}
    for config in _configs(plan):
        with throwaway_index(config) as index:
            index_corpus(index, read)
            searches = _searches(index, plan, reranker)
            strategies.append(_strategy(read, golden, index, searches, plan))
            if len(strategies) == 1:
                calibrations = _calibrations(golden, searches, plan) if plan.calibrate else ()
                answers = _answers(golden, index, reranker) if plan.end_to_end else {}
                confident = _confident(golden, index, reranker) if plan.risk_coverage else {}
    return CorpusEvaluation(
        corpus=corpus.name,
        reranker=reranker.name if reranker else "",
        golden_id=golden.fingerprint,
        n_files=read.n_files,
        n_failed=read.n_failed,
        faults=tuple(faults_of(read)),
        strategies=tuple(strategies),
        calibrations=calibrations,
        answers=answers,
        confident=confident,
    )


def evaluate_collection(beir: rag.BeirSet, compare: Sequence[str], *, whole: bool) -> BeirEvaluation:
    """Index the collection once and search every judged query by each configuration.

    With `whole` a document is one chunk as far as the encoder's window reaches, as in the literature; else it is
    cut as the product cuts. Either way it counts with its best chunk.
    """
    reranker = load_reranker() if "reranked" in compare else None
    config = replace(
        engine.config(),
        n_candidates=BEIR_DEPTH,
        rerank_time_s=NO_LIMIT_S,
        # ArguAna's queries are whole arguments.
        max_question_chars=WHOLE_DOCUMENT_CHARS,
    )
    if whole:
        config = replace(config, chunk_chars=WHOLE_DOCUMENT_CHARS)
    with throwaway_index(config) as index:
        model = _model(index)
        n_chunks = _index_collection(beir, index)
        reports = [
            rag.evaluate_beir(
                beir,
                rag.search_with(rag.CONFIGURATIONS[name], index=index, scope=SCOPE, reranker=reranker),
                configuration=name,
            )
            for name in compare
        ]
    return BeirEvaluation(
        beir.name, model, reranker.name if reranker else "", len(beir.documents), n_chunks, tuple(reports)
    )


def _model(index: rag.Index) -> str:
    return f"{index.embedder.model.name} {index.embedder.model.revision}"


def load_reranker() -> rag.Reranker | None:
    """The configured reranker; None where there is to be none.

    Raises:
        rag.ModelMissing: its files are not on this machine.
    """
    config = engine.config()
    return rag.load_reranker(config.reranker, threads=config.threads)


def _configs(plan: Plan) -> list[rag.RagConfig]:
    # A reranker that ran out of time on a busy machine would be measured as one that changes nothing.
    return [
        replace(engine.config(), model=model, chunking=letter, rerank_time_s=NO_LIMIT_S)
        for model in plan.models
        for letter in plan.strategies
    ]


def _index_collection(beir: rag.BeirSet, index: rag.Index) -> int:
    with Progress(transient=True) as progress:
        bar = progress.add_task(f"{beir.name}: indexing", total=len(beir.documents))
        return rag.index_beir(beir, index, on_progress=lambda done, _: progress.update(bar, completed=done))


def _strategy(
    read: ReadCorpus, golden: rag.GoldenSet, index: rag.Index, searches: Searches, plan: Plan
) -> StrategyEvaluation:
    extractions = [extraction for _, extraction in read.extractions]
    label = _label(index, plan) or index.config.chunking
    return StrategyEvaluation(
        label=label,
        model=_model(index),
        chunking=rag.measure_chunks(extractions, index.embedder, config=index.config),
        destroyed=rag.needles_destroyed(chunks_of(index, read), golden.places),
        n_needles=len(golden.places),
        retrieval=tuple(
            rag.evaluate_retrieval(golden, search, configuration=configuration)
            for configuration, search in track(
                searches, description=f"{read.corpus.name}: {label}", transient=True
            )
        ),
    )


def _label(index: rag.Index, plan: Plan) -> str:
    """Strategy and model, each only where several are compared."""
    parts = [index.config.chunking] if len(plan.strategies) > 1 else []
    return " ".join([*parts, index.embedder.model.name] if len(plan.models) > 1 else parts)


def _searches(index: rag.Index, plan: Plan, reranker: rag.Reranker | None) -> Searches:
    """Each configuration with its search, which remembers: the gate's sweep asks the same questions again."""
    searches = []
    for name in plan.compare:
        configuration = replace(
            rag.CONFIGURATIONS[name],
            name=f"{_label(index, plan)} {name}".strip(),
            chunking=index.config.chunking,
            model=index.embedder.model.name,
        )
        search = rag.search_with(configuration, index=index, scope=SCOPE, reranker=reranker)
        searches.append((configuration, _remembering(search)))
    return searches


def _remembering(search: Search) -> Search:
    found: dict[str, Sequence[rag.ScoredChunk]] = {}

    def remembered(question: str) -> Sequence[rag.ScoredChunk]:
        if question not in found:
            found[question] = search(question)
        return found[question]

    return remembered


def _calibrations(
    golden: rag.GoldenSet,
    searches: Searches,
    plan: Plan,
) -> tuple[GateCalibration, ...]:
    """Of hybrid candidates, reranked or not, as the gate gets them; of one side alone where only that is compared."""
    calibrations = []
    real = [each for each in searches if each[0].retrieval == "hybrid"]
    for configuration, search in real or searches:
        score: Literal["relevance", "distance"] = "relevance" if configuration.reranked else "distance"
        records = rag.record_gate(golden, search, score=score)
        made = rag.calibrate(records, score=score, max_bluff_rate=plan.budget, bound=plan.bound)
        calibrations.append(
            GateCalibration(
                configuration=configuration.name,
                calibration=made,
                auroc_by_kind=rag.auroc_by_kind(records, score=score),
                risk_area=rag.area_under_risk(rag.risk_curve(made.curve)),
            )
        )
    return tuple(calibrations)


def _answers(
    golden: rag.GoldenSet, index: rag.Index, reranker: rag.Reranker | None
) -> dict[str, rag.EvaluationReport]:
    """The whole pipeline with the configured cuts, with the reranker and without."""
    config = index.config
    thresholds = rag.Thresholds(config.distance_cut, config.max_chunks, config.relevance_cut)
    reports: dict[str, rag.EvaluationReport] = {}
    for name, ask in _asks(index, reranker, thresholds).items():
        ask("warm up")
        reports[name] = rag.evaluate_answers(golden, ask=ask, thresholds=thresholds)
    return reports


def _confident(
    golden: rag.GoldenSet, index: rag.Index, reranker: rag.Reranker | None
) -> dict[str, tuple[rag.ConfidentAnswer, ...]]:
    """The whole pipeline with the gate open, so that every cut on the confidence can be looked at afterwards."""
    everything = rag.Thresholds(WIDEST_DISTANCE, index.config.max_chunks, 0.0)
    asks = _asks(index, reranker, everything)
    return {name: rag.ask_with_open_gate(golden, ask) for name, ask in asks.items()}


def _asks(
    index: rag.Index, reranker: rag.Reranker | None, thresholds: rag.Thresholds
) -> dict[str, Callable[[str], rag.Answered | rag.Refused]]:
    """The whole pipeline without the reranker and, where there is one, with it."""

    def asking(reads: rag.Reranker | None) -> Callable[[str], rag.Answered | rag.Refused]:
        return lambda question: rag.answer(
            question,
            index=index,
            scope=SCOPE,
            thresholds=thresholds,
            reranker=reads,
            generator=engine.generator(),
            support=engine.support(),
        )

    return {"hybrid": asking(None), **({"reranked": asking(reranker)} if reranker else {})}
