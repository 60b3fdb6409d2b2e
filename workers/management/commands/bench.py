"""`manage.py bench`: what indexing and answering cost on this machine, and how good the answers are."""

from __future__ import annotations

import json
import os
import platform
import resource
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from rich.console import Console
from rich.table import Table

import rag
from console import engine
from workers.bench_ask import AskReport, asking_table, measure_asking
from workers.bench_ingest import IngestReport, ingest_table, measure_ingest
from workers.bench_lexical import measure_words, words_table
from workers.bench_rerank import measure_reading, reading_table
from workers.evaluation_corpus import (
    SCOPE,
    Corpus,
    chunks_of,
    corpus_of,
    index_corpus,
    read_corpus,
    throwaway_index,
)
from workers.sample import SAMPLE_HANDBOOK

N_PLAIN_QUESTIONS = 100
N_RERANKED = 8


@dataclass(frozen=True, slots=True)
class CorpusReport:
    """Everything measured on one corpus. Times in seconds or milliseconds as named, memory in MiB."""

    corpus: str
    n_files: int
    n_failed: int
    extract_s: float
    index_s: float
    indexed_chunks_per_s: float
    chunking: rag.ChunkingReport
    throughput: rag.ThroughputReport
    reading: rag.RerankReport | None
    words: rag.LexicalReport
    latency: rag.LatencyReport
    evaluation: rag.EvaluationReport | None
    peak_mib: float


class Command(BaseCommand):
    """Measure throughput, latency, memory and answer quality."""

    help = (
        "Measure indexing, answering and answer quality on the sample handbook and on other folders of documents. "
        "Nothing is written to your data."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Corpora, each with its golden set if it has one."""
        parser.add_argument(
            "corpus",
            nargs="*",
            help="folder of documents, or FOLDER=GOLDEN with a folder that holds needles.jsonl and refusals.jsonl; "
            "without any, the sample handbook. `ingest FOLDER…` measures only how fast folders are read and indexed, "
            "`ask FOLDER=GOLDEN…` only what a question costs",
        )
        parser.add_argument(
            "--runs",
            type=int,
            default=10,
            help="of `ask`: how often the golden set is asked, after a warm-up",
        )
        parser.add_argument(
            "--repeats", type=int, default=3, help="interleaved repeats of each encoding side"
        )
        parser.add_argument(
            "--max-texts", type=int, default=400, help="chunks the encoding sides are compared on"
        )
        parser.add_argument("--json", type=Path, help="also write the figures to this file")

    def handle(
        self, *, corpus: list[str], repeats: int, max_texts: int, runs: int, json: Path | None, **_: Any
    ) -> None:
        """Measure each corpus and print the tables."""
        out = Console(highlight=False, width=120 if not os.isatty(1) else None)
        if corpus[:1] == ["ingest"]:
            folders = [corpus_of(entry).path for entry in corpus[1:]] or [SAMPLE_HANDBOOK]
            measured = [measure_ingest(path, repeats=repeats, max_texts=max_texts) for path in folders]
            out.print(f"{_machine()}\n")
            out.print(ingest_table(measured))
            if json is not None:
                _write(json, measured)
            return
        if corpus[:1] == ["ask"]:
            asked = [measure_asking(corpus_of(entry), runs=runs) for entry in corpus[1:] or ["sample"]]
            out.print(f"{_machine()}\n")
            out.print(asking_table(asked))
            if json is not None:
                _write(json, asked)
            return
        corpora = [corpus_of(entry) for entry in corpus or ["sample"]]
        reports = [_measure(entry, repeats=repeats, max_texts=max_texts) for entry in corpora]
        out.print(f"{_machine()}\n")
        words = words_table([(report.corpus, report.words) for report in reports])
        reading = reading_table([(report.corpus, report.reading) for report in reports])
        tables = (_speed(reports), _latency(reports), words, reading, _quality(reports), _bluffs(reports))
        for table in tables:
            out.print(table)
        if json is not None:
            _write(json, reports)
            out.print(f"Figures written to {json}.")


def _measure(corpus: Corpus, *, repeats: int, max_texts: int) -> CorpusReport:
    config = engine.config()
    embedder = engine.embedder(config.model)
    read = read_corpus(corpus)
    with throwaway_index(config) as index:
        index.embedder.encode_question("warm up")
        started = time.perf_counter()
        n_chunks = sum(report.n_chunks for report in index_corpus(index, read))
        index_s = time.perf_counter() - started
        latency, evaluation = _ask(corpus, index)
        texts = [chunk.text for chunk in chunks_of(index, read)]
        reading = measure_reading(index, _questions(corpus, texts), repeats=repeats)
    spread = texts[:: max(1, len(texts) // max_texts)][:max_texts]
    return CorpusReport(
        corpus=corpus.name,
        n_files=read.n_files,
        n_failed=read.n_failed,
        extract_s=read.extract_s,
        index_s=index_s,
        indexed_chunks_per_s=n_chunks / index_s,
        chunking=rag.measure_chunks(
            [extraction for _, extraction in read.extractions],
            embedder,
            config=config,
            needles=corpus.golden.needles if corpus.golden else (),
        ),
        throughput=rag.measure_throughput(spread, embedder, repeats=repeats),
        words=measure_words(texts, corpus.golden, repeats=repeats),
        reading=reading,
        latency=latency,
        evaluation=evaluation,
        peak_mib=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    )


def _questions(corpus: Corpus, texts: Sequence[str]) -> list[str]:
    """Some questions to rerank for; without a golden set the beginnings of passages."""
    asked = [each.question for each in corpus.golden.asked] if corpus.golden else []
    asked = asked or [" ".join(text.split()[:12]) for text in texts]
    return asked[:: max(1, len(asked) // N_RERANKED)][:N_RERANKED]


def _ask(corpus: Corpus, index: rag.Index) -> tuple[rag.LatencyReport, rag.EvaluationReport | None]:
    config = index.config
    thresholds = rag.Thresholds(config.distance_cut, config.max_chunks, config.relevance_cut)
    reranker = engine.reranker()

    def ask(question: str) -> rag.Answered | rag.Refused:
        return rag.answer(
            question,
            index=index,
            scope=SCOPE,
            thresholds=thresholds,
            reranker=reranker,
            generator=engine.generator(),
            support=engine.support(),
        )

    golden = corpus.golden
    if golden is None:
        # No golden set: the documents' own section names, put as questions, only to take the time.
        sections = dict.fromkeys(
            chunk.section for number in range(1, 200) for chunk in rag.chunks_of_document(index, number)
        )
        questions = [f"What about {section.rsplit(' > ', 1)[-1]}?" for section in sections if section]
        return rag.measure_latency(questions[:N_PLAIN_QUESTIONS], ask), None
    ask("warm up")
    evaluation = rag.evaluate_answers(golden, ask=ask, thresholds=thresholds)
    return evaluation.latency, evaluation


def _machine() -> str:
    import torch

    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return (
        f"{model}, {os.cpu_count()} cores, {torch.get_num_threads()} torch threads, "
        f"Python {platform.python_version()}, torch {torch.__version__.split('+')[0]}, {platform.system()}"
    )


def _speed(reports: list[CorpusReport]) -> Table:
    table = Table("", *(report.corpus for report in reports), title="Indexing")
    rows: list[tuple[str, list[str]]] = [
        ("files (failed)", [f"{r.n_files} ({r.n_failed})" for r in reports]),
        ("extraction, s", [f"{r.extract_s:.1f}" for r in reports]),
        ("chunks", [str(r.chunking.n_chunks) for r in reports]),
        ("header share of tokens", [f"{r.chunking.header_share:.1%}" for r in reports]),
        ("split again for the window", [str(r.chunking.n_split_for_window) for r in reports]),
        ("chunks over the window", [str(r.chunking.n_over_window) for r in reports]),
        (
            "needles destroyed",
            [_destroyed(r.chunking) for r in reports],
        ),
        ("index: chunks/s, both sides on disk", [f"{r.indexed_chunks_per_s:.0f}" for r in reports]),
        ("encode: chunks/s, Footnote", [f"{r.throughput.ours_per_s:.0f}" for r in reports]),
        ("encode: chunks/s, plain loop", [f"{r.throughput.loop_per_s:.0f}" for r in reports]),
        ("encode: chunks/s, batch of 32", [f"{r.throughput.batched_per_s:.0f}" for r in reports]),
        ("times plain loop", [f"{r.throughput.times_loop:.2f}" for r in reports]),
        ("times batch of 32", [f"{r.throughput.times_batched:.2f}" for r in reports]),
        ("lowest cosine to float32", [f"{r.throughput.lowest_cosine:.5f}" for r in reports]),
        ("peak memory so far, MiB", [f"{r.peak_mib:.0f}" for r in reports]),
    ]
    return _filled(table, rows)


def _destroyed(chunking: rag.ChunkingReport) -> str:
    return f"{len(chunking.needles_destroyed)} of {chunking.n_needles}" if chunking.n_needles else "–"


def _latency(reports: list[CorpusReport]) -> Table:
    table = Table("", *(report.corpus for report in reports), title="Question to result, p50 / p95 in ms")
    stages = list(dict.fromkeys(stage for report in reports for stage in report.latency.stages))
    rows = [
        (
            "questions (answered, refused)",
            [f"{r.latency.total.n} ({r.latency.n_answered}, {r.latency.n_refused})" for r in reports],
        ),
        ("total", [_percentiles(r.latency.total) for r in reports]),
        *((stage, [_percentiles(r.latency.stages.get(stage)) for r in reports]) for stage in stages),
    ]
    return _filled(table, rows)


def _percentiles(value: rag.Percentiles | None) -> str:
    return f"{value.p50_ms:.1f} / {value.p95_ms:.1f}" if value and value.n else "–"


def _quality(reports: list[CorpusReport]) -> Table:
    with_golden = [(r.corpus, r.evaluation) for r in reports if r.evaluation]
    table = Table("", *(name for name, _ in with_golden), title="Answers, with Wilson 95 % intervals")
    rows: list[tuple[str, list[str]]] = [
        *((f"recall@{k}", [_share(e.recall[k]) for _, e in with_golden]) for k in (1, 4, 20)),
        ("coverage (answerable, answered)", [_share(e.coverage) for _, e in with_golden]),
        ("answered from the right passage", [_share(e.right_passage) for _, e in with_golden]),
        ("answered with the needle quoted", [_share(e.right_quote) for _, e in with_golden]),
        ("wrong refusals", [_share(e.wrong_refusals) for _, e in with_golden]),
        ("bluffs", [_share(e.bluffs) for _, e in with_golden]),
    ]
    return _filled(table, rows)


def _bluffs(reports: list[CorpusReport]) -> Table:
    with_golden = [(r.corpus, r.evaluation) for r in reports if r.evaluation]
    table = Table("", *(name for name, _ in with_golden), title="Bluffs by kind of question")
    kinds = dict.fromkeys(kind for _, e in with_golden for kind in e.bluffs_by_kind)
    return _filled(
        table,
        [
            (
                kind,
                [_share(e.bluffs_by_kind[kind]) if kind in e.bluffs_by_kind else "–" for _, e in with_golden],
            )
            for kind in kinds
        ],
    )


def _share(value: rag.Proportion) -> str:
    low, high = rag.wilson_interval(value.successes, value.n)
    share = value.successes / value.n if value.n else 0.0
    return f"{share:.3f} [{low:.3f}, {high:.3f}] ({value.successes}/{value.n})"


def _filled(table: Table, rows: list[tuple[str, list[str]]]) -> Table:
    for name, cells in rows:
        table.add_row(name, *cells)
    return table


def _write(path: Path, reports: Sequence[CorpusReport | IngestReport | AskReport]) -> None:
    path.write_text(json.dumps([asdict(report) for report in reports], indent=2, default=str) + "\n")
