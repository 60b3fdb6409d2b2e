"""What ingesting a folder costs: files are read ahead and indexed together, as the workers do, without the database."""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

import rag
from console import engine
from workers.files import files_below


@dataclass(slots=True)
class Stages:
    """Seconds of each stage. Files are read in sub-processes beside the rest: `read_s` is the sum of theirs."""

    read_s: float = 0.0
    wait_s: float = 0.0
    chunk_s: float = 0.0
    embed_s: float = 0.0
    store_s: float = 0.0

    def add_indexing(self, report: rag.BatchReport) -> None:
        """Add what one batch took after it was read."""
        self.chunk_s += report.chunk_s
        self.embed_s += report.embed_s
        self.store_s += report.store_s


@dataclass(frozen=True, slots=True)
class IngestReport:
    """One folder. `peak_mib` is this process's so far."""

    corpus: str
    n_files: int
    n_failed: int
    n_bytes: int
    n_chunks: int
    total_s: float
    stages: Stages
    peak_mib: float
    encoding: rag.ThroughputReport

    @property
    def chunks_per_s(self) -> float:
        """From the first byte of the first file to the last chunk on disk."""
        return self.n_chunks / self.total_s

    @property
    def times_loop(self) -> float:
        """Whole ingestion against nothing but the plain encode loop over such chunks."""
        return self.chunks_per_s / self.encoding.loop_per_s


def measure_ingest(path: Path, *, repeats: int, max_texts: int) -> IngestReport:
    """Ingest every file below `path` into an index that is thrown away, then compare with the plain loop."""
    config = engine.config()
    embedder = engine.embedder(config.model)
    embedder.encode_question("warm up")
    files = files_below(path)
    stages = Stages()
    with tempfile.TemporaryDirectory(prefix="footnote-bench-") as folder, _progress() as progress:
        bar = progress.add_task(path.name, total=len(files))
        store = rag.open_edge_store(Path(folder) / "vectors")
        index = rag.open_index("bench", config=config, directory=Path(folder), store=store, embedder=embedder)
        started = time.perf_counter()
        n_failed = _ingest(index, files, stages, on_read=lambda n: progress.update(bar, advance=n))
        total_s = time.perf_counter() - started
        peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        passages = [chunk.text for at in range(len(files)) for chunk in rag.chunks_of_document(index, at)]
        store.close()
    spread = passages[:: max(1, len(passages) // max_texts)][:max_texts]
    return IngestReport(
        corpus=path.name,
        n_files=len(files),
        n_failed=n_failed,
        n_bytes=sum(file.stat().st_size for file, _ in files),
        n_chunks=len(passages),
        total_s=total_s,
        stages=stages,
        peak_mib=peak_mib,
        encoding=rag.measure_throughput(spread, embedder, repeats=repeats),
    )


def _ingest(
    index: rag.Index, files: list[tuple[Path, str]], stages: Stages, *, on_read: Callable[[int], None]
) -> int:
    """Read and index the files, each under its position; gives back how many could not be read."""
    n_failed = 0
    jobs = (rag.FileToRead(at, file, name, engine.limits()) for at, (file, name) in enumerate(files))
    waiting = time.perf_counter()
    for batch in rag.read_files(jobs, rag.extract_file):
        stages.wait_s += time.perf_counter() - waiting
        stages.read_s += sum(read.elapsed_s for read in batch)
        texts = [
            rag.DocumentText(read.key, 1, read.extraction.title, read.extraction)
            for read in batch
            if read.extraction is not None
        ]
        n_failed += len(batch) - len(texts)
        if texts:
            stages.add_indexing(rag.index_documents(index, texts))
        on_read(len(batch))
        waiting = time.perf_counter()
    return n_failed


def ingest_table(reports: list[IngestReport]) -> Table:
    """The figures side by side."""
    table = Table("", *(report.corpus for report in reports), title="Ingesting")
    rows: list[tuple[str, list[str]]] = [
        ("files (failed)", [f"{r.n_files} ({r.n_failed})" for r in reports]),
        ("MB", [f"{r.n_bytes / 1e6:.1f}" for r in reports]),
        ("chunks", [f"{r.n_chunks:,}" for r in reports]),
        ("whole, s", [f"{r.total_s:.1f}" for r in reports]),
        ("  read (in sub-processes, beside the rest), s", [f"{r.stages.read_s:.1f}" for r in reports]),
        ("  waited for readers, s", [f"{r.stages.wait_s:.1f}" for r in reports]),
        ("  chunk, s", [f"{r.stages.chunk_s:.1f}" for r in reports]),
        ("  embed, s", [f"{r.stages.embed_s:.1f}" for r in reports]),
        ("  store both sides, s", [f"{r.stages.store_s:.1f}" for r in reports]),
        ("chunks/s, whole", [f"{r.chunks_per_s:.0f}" for r in reports]),
        ("chunks/s, plain encode loop alone", [f"{r.encoding.loop_per_s:.0f}" for r in reports]),
        ("times the plain loop", [f"{r.times_loop:.2f}" for r in reports]),
        ("encode alone: times the plain loop", [f"{r.encoding.times_loop:.2f}" for r in reports]),
        ("peak memory so far, MiB", [f"{r.peak_mib:.0f}" for r in reports]),
    ]
    for name, cells in rows:
        table.add_row(name, *cells)
    return table


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("files"),
        TimeElapsedColumn(),
        transient=True,
    )
