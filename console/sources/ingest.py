"""A document's way: claim → extract in a sub-process → canonical text → chunks and vectors → status.

Called by workers with an id. While some documents are embedded, sub-processes read the next ones; what is
ready at one time is embedded together.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import rag
from console import engine, storage
from console.index.models import DocumentIndex, IndexVersion
from console.index.selectors import live_versions
from console.index.services import prepare_active_version
from console.sources.claims import claim, claim_next, enter_indexing, let_go, prolong, release
from console.sources.duplicates import leaves_out_copy, mark_near_duplicates
from console.sources.models import Document, DocumentState, Folder
from console.sources.outcomes import (
    OUR_FAULT,
    Outcome,
    Trouble,
    finish,
    finish_in_trouble,
    finish_left_out,
)
from console.sources.services import publish_document

log = logging.getLogger(__name__)

DRAIN_S = 300.0
"""One task takes on further documents for so long; the rest have messages of their own."""


@dataclass(frozen=True, slots=True)
class _Ready:
    """A document that was read and waits to be indexed."""

    document: Document
    outcome: Outcome


def ingest_document(document_id: int) -> Document | None:
    """Bring one queued document to its end state; None if another worker has it or nothing is due.

    Raises:
        rag.Unavailable: the store is away; the document is queued again and the caller may retry.
    """
    document = claim(document_id)
    if document is None:
        return None
    _ingest(iter([document]))
    return Document.objects.filter(pk=document_id).first()


def ingest_due(document_id: int) -> None:
    """Bring one queued document, and then others that wait, to their end states.

    A document that was claimed before may have killed its worker; it is read alone.

    Raises:
        rag.Unavailable: the store is away; what was begun is queued again and the caller may retry.
    """
    document = claim(document_id)
    if document is not None and document.n_claims > 1:
        _ingest(iter([document]))
    elif document is not None:
        _ingest(_with_others(document))


def ingest_documents(document_ids: Sequence[int], on_done: Callable[[], None]) -> None:
    """Bring these queued documents to their end states; `on_done` is called after each.

    Raises:
        rag.Unavailable: see `ingest_due`.
    """
    suspects = set(Document.objects.filter(pk__in=document_ids, n_claims__gt=0).values_list("pk", flat=True))
    fresh = (each for each in document_ids if each not in suspects)
    _ingest((document for each in fresh if (document := claim(each)) is not None), on_done)
    for each in suspects:
        if (document := claim(each)) is not None:
            _ingest(iter([document]), on_done)


def _with_others(first: Document) -> Iterator[Document]:
    deadline = time.monotonic() + DRAIN_S
    document: Document | None = first
    while document is not None:
        yield document
        document = claim_next() if time.monotonic() < deadline else None


def _ingest(claimed: Iterator[Document], on_done: Callable[[], None] = lambda: None) -> None:
    held: dict[int, Document] = {}

    def files() -> Iterator[rag.FileToRead[Document]]:
        for document in claimed:
            held[document.pk] = document
            yield _file(document)

    reads = rag.read_files(files(), rag.extract_file, on_wait=lambda: prolong(held.values()))
    try:
        with contextlib.closing(reads):
            for batch in reads:
                _index(ready for read in batch if (ready := _prepare(read)) is not None)
                for read in batch:
                    let_go(held.pop(read.key.pk))
                    on_done()
                prolong(held.values())
    except rag.Unavailable:
        for document in held.values():
            release(document)
        raise
    finally:
        for document in held.values():
            let_go(document)


def _file(document: Document) -> rag.FileToRead[Document]:
    return rag.FileToRead(
        key=document,
        path=storage.original_path(document.sha256),
        filename=document.name,
        limits=replace(engine.limits(), pages=_pages(document)),
    )


def _pages(document: Document) -> tuple[int, int] | None:
    """The pages that a retry asked for, where the rest of the text is still there to be joined with them."""
    attempt = document.attempts.filter(finished_at=None).first()
    if attempt is None or not attempt.pages or not document.canonical_sha256:
        return None
    first, last = attempt.pages.split("-")
    return int(first), int(last)


def _prepare(read: rag.FileRead[Document]) -> _Ready | None:
    """Keep what was read; None when the document's way ends here: in trouble, left out, or no longer wanted."""
    document = read.key
    try:
        extraction = _joined(document, read.result())
        canonical_key = storage.store_canonical(extraction)
        twin = mark_near_duplicates(document, extraction.text, canonical_key)
        outcome = Outcome(extraction, canonical_key)
    except Exception as error:  # noqa: BLE001  (`_trouble` tells what it is)
        finish_in_trouble(document, _trouble(document, error))
        return None
    if twin is not None and leaves_out_copy(document):
        finish_left_out(document, outcome, twin)
        return None
    return _Ready(document, outcome) if enter_indexing(document) else None


def _joined(document: Document, extraction: rag.Extraction) -> rag.Extraction:
    pages = _pages(document)
    if pages is None:
        return extraction
    return rag.merge_pages(storage.load_canonical(document.canonical_sha256), extraction, *pages)


def _trouble(document: Document, error: Exception) -> Trouble:
    """The reason, for people. Here a fault of ours becomes a state: one broken file must not stop the next.

    Raises:
        rag.Unavailable: as it came; the file is not to blame.
    """
    if isinstance(error, rag.Unavailable):
        raise error
    if isinstance(error, rag.RagError):
        extractor = error.extractor if isinstance(error, rag.DocumentError) else ""
        return Trouble(error.code, error.message, error.next_step or "Retry it.", extractor)
    log.error("document %s could not be ingested", document.pk, exc_info=error)
    return OUR_FAULT


def _index(ready: Iterator[_Ready]) -> None:
    """Index documents together; where that fails, one by one, so that one of them cannot hurt the others."""
    batch = list(ready)
    if not batch:
        return
    try:
        version = prepare_active_version()
        versions = [version, *live_versions().exclude(pk=version.pk)]
        stamps = [_index_in(each, batch) for each in versions]
    except rag.Unavailable:
        raise
    except Exception as error:  # noqa: BLE001  (`_trouble` tells what it is)
        if len(batch) > 1:
            for one in batch:
                _index(iter([one]))
        else:
            finish_in_trouble(batch[0].document, _trouble(batch[0].document, error))
        return
    for one, *of_document in zip(batch, *stamps, strict=True):
        finish(one.document, one.outcome, of_document)


def _index_in(version: IndexVersion, batch: Sequence[_Ready]) -> list[DocumentIndex]:
    # Read now: a worker may have held a document since before its folder's language was changed.
    folders = Folder.objects.filter(pk__in={one.document.folder_id for one in batch})
    languages = dict(folders.values_list("pk", "language"))
    texts = [
        rag.DocumentText(
            document_id=one.document.pk,
            folder_id=one.document.folder_id,
            title=one.outcome.extraction.title or one.document.name,
            extraction=one.outcome.extraction,
            language=languages[one.document.folder_id],
        )
        for one in batch
    ]
    documents = [one.document for one in batch]
    report = rag.index_documents(engine.index_of(version), texts, on_progress=_progress_reporter(documents))
    return [_stamp(version, one, of_one) for one, of_one in zip(batch, report.documents, strict=True)]


def _stamp(version: IndexVersion, one: _Ready, report: rag.IndexReport) -> DocumentIndex:
    if not report.n_chunks:
        raise rag.NoText("The file opened, but no passage could be made of its text.")
    return DocumentIndex(
        document=one.document,
        version=version,
        sha256=one.document.sha256,
        extractor=one.outcome.extraction.extractor,
        pipeline_version=rag.PIPELINE_VERSION,
        n_vectors=report.n_chunks,
        n_lexical=report.n_lexical,
        n_tokens=report.n_tokens,
        n_split_for_window=report.n_split_for_window,
        n_over_window=report.n_over_window,
        chunk_offsets=[list(offsets) for offsets in report.offsets],
    )


def _progress_reporter(documents: Sequence[Document]) -> Callable[[int, int], None]:
    """Writes done and due of the batch at most twice a second, and prolongs the claims."""
    last = time.monotonic()

    def report(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last < 0.5:
            return
        last = time.monotonic()
        ids = [document.pk for document in documents]
        Document.objects.filter(pk__in=ids, state=DocumentState.INDEXING).update(
            progress_done=done, progress_total=total
        )
        prolong(documents)
        for document in documents:
            document.progress_done, document.progress_total = done, total
            publish_document(document)

    return report
