"""Folders of documents with their golden sets, read and indexed to be measured and thrown away."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.core.management.base import CommandError
from rich.progress import track

import rag
from console import engine
from workers.files import files_below
from workers.sample import SAMPLE_HANDBOOK, SAMPLE_QUESTIONS

SCOPE = rag.Scope(folder_ids=(1,))
"""The one folder that every document of a throw-away index lies in."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """A folder of documents and, where there is one, its golden set."""

    name: str
    path: Path
    golden: rag.GoldenSet | None


@dataclass(frozen=True, slots=True)
class ReadCorpus:
    """What was read of a corpus: (name, extraction) of each file that gave text."""

    corpus: Corpus
    extractions: tuple[tuple[str, rag.Extraction], ...]
    n_files: int
    n_failed: int
    extract_s: float


def corpus_of(entry: str) -> Corpus:
    """The corpus that ``sample``, ``FOLDER`` or ``FOLDER=GOLDEN`` names.

    Raises:
        CommandError: there is no such folder, or its golden set cannot be read.
    """
    if entry == "sample":
        return Corpus("sample handbook", SAMPLE_HANDBOOK, _golden(SAMPLE_QUESTIONS, "sample handbook"))
    folder, _, golden = entry.partition("=")
    path = Path(folder)
    if not path.is_dir():
        raise CommandError(f"{path} is no folder.")
    return Corpus(path.name, path, _golden(Path(golden), path.name) if golden else None)


def read_corpus(corpus: Corpus) -> ReadCorpus:
    """Every file of the folder read as an upload would be; files that give no text are counted."""
    files = files_below(corpus.path)
    extractions: list[tuple[str, rag.Extraction]] = []
    n_failed = 0
    started = time.perf_counter()
    for path, name in track(files, description=f"{corpus.name}: extracting", transient=True):
        try:
            extractions.append((name, rag.extract_file(path, filename=name, limits=engine.limits())))
        except rag.DocumentError:
            n_failed += 1
    seconds = time.perf_counter() - started
    return ReadCorpus(corpus, tuple(extractions), len(files), n_failed, seconds)


@contextmanager
def throwaway_index(config: rag.RagConfig) -> Iterator[rag.Index]:
    """An empty index like any other, in a temporary folder that is removed in the end."""
    with tempfile.TemporaryDirectory(prefix="footnote-measure-") as folder:
        store = rag.open_edge_store(Path(folder) / "vectors")
        try:
            yield rag.open_index(
                "measured",
                config=config,
                directory=Path(folder),
                store=store,
                embedder=engine.embedder(config.model),
            )
        finally:
            store.close()


def index_corpus(index: rag.Index, read: ReadCorpus) -> list[rag.IndexReport]:
    """Index every document, numbered from 1 in the order of the files."""
    described = f"{read.corpus.name}: indexing"
    return [
        rag.index_document(index, extraction, document_id=number, folder_id=1, title=extraction.title)
        for number, (_, extraction) in enumerate(
            track(read.extractions, description=described, transient=True), start=1
        )
    ]


def chunks_of(index: rag.Index, read: ReadCorpus) -> list[rag.StoredChunk]:
    """Every chunk of the corpus in reading order."""
    return [
        chunk
        for number in range(1, len(read.extractions) + 1)
        for chunk in rag.chunks_of_document(index, number)
    ]


def faults_of(read: ReadCorpus) -> Sequence[rag.GoldenFault]:
    """Faults of the golden set against what was read; see `rag.check_golden_set`."""
    if read.corpus.golden is None:
        return ()
    return rag.check_golden_set(
        read.corpus.golden,
        {name: extraction.text for name, extraction in read.extractions},
        headings={name: rag.headings_of(extraction) for name, extraction in read.extractions},
    )


def _golden(folder: Path, name: str) -> rag.GoldenSet:
    try:
        return rag.read_golden_set(folder, name=name)
    except rag.BadInput as error:
        raise CommandError(f"{folder}: {error.message}") from error
