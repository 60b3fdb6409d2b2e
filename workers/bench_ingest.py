"""What ingesting a folder costs: files are read ahead and indexed together, as the workers do, without the database."""

from __future__ import annotations

import resource
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

import rag
from console import engine
from workers.files import files_below


@dataclass(frozen=True, slots=True)
class IngestReport:
    """One folder. Stages in seconds; reading runs beside the others, in sub-processes, and is their sum.

    `peak_mib` is this process's so far.
    """

    corpus: str
    n_files: int
    n_failed: int
    n_bytes: int
    n_chunks: int
    total_s: float
    read_s: float
    wait_s: float
    chunk_s: float
    embed_s: float
    store_s: float
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
    jobs = (rag.FileToRead((at, file), file, name, engine.limits()) for at, (file, name) in enumerate(files))
    n_failed = n_chunks = 0
    read_s = wait_s = chunk_s = embed_s = store_s = 0.0
    with tempfile.TemporaryDirectory(prefix="footnote-bench-") as folder, _progress() as progress:
        bar = progress.add_task(path.name, total=len(files))
        store = rag.open_edge_store(Path(folder) / "vectors")
        index = rag.open_index("bench", config=config, directory=Path(folder), store=store, embedder=embedder)
        started = waiting = time.perf_counter()
        for batch in rag.read_files(jobs, rag.extract_file):
            wait_s += time.perf_counter() - waiting
            read_s += sum(read.elapsed_s for read in batch)
            n_failed += sum(read.extraction is None for read in batch)
            texts = [
                rag.DocumentText(read.key[0], 1, read.extraction.title, read.extraction)
                for read in batch
                if read.extraction is not None
            ]
            if texts:
                report = rag.index_documents(index, texts)
                n_chunks += sum(document.n_chunks for document in report.documents)
                chunk_s, embed_s, store_s = (
                    chunk_s + report.chunk_s,
                    embed_s + report.embed_s,
                    store_s + report.store_s,
                )
            progress.update(bar, advance=len(batch))
            waiting = time.perf_counter()
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
        n_chunks=n_chunks,
        total_s=total_s,
        read_s=read_s,
        wait_s=wait_s,
        chunk_s=chunk_s,
        embed_s=embed_s,
        store_s=store_s,
        peak_mib=peak_mib,
        encoding=rag.measure_throughput(spread, embedder, repeats=repeats),
    )


def ingest_table(reports: list[IngestReport]) -> Table:
    """The figures side by side."""
    table = Table("", *(report.corpus for report in reports), title="Ingesting")
    rows: list[tuple[str, list[str]]] = [
        ("files (failed)", [f"{r.n_files} ({r.n_failed})" for r in reports]),
        ("MB", [f"{r.n_bytes / 1e6:.1f}" for r in reports]),
        ("chunks", [f"{r.n_chunks:,}" for r in reports]),
        ("whole, s", [f"{r.total_s:.1f}" for r in reports]),
        ("  read (in sub-processes, beside the rest), s", [f"{r.read_s:.1f}" for r in reports]),
        ("  waited for readers, s", [f"{r.wait_s:.1f}" for r in reports]),
        ("  chunk, s", [f"{r.chunk_s:.1f}" for r in reports]),
        ("  embed, s", [f"{r.embed_s:.1f}" for r in reports]),
        ("  store both sides, s", [f"{r.store_s:.1f}" for r in reports]),
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
