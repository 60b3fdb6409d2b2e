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
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

import rag
from console import engine, queue, storage
from console.index.models import DocumentIndex, IndexVersion
from console.index.selectors import live_versions
from console.index.services import prepare_active_version
from console.sources.claims import claim, claim_next, enter_indexing, let_go, prolong, release
from console.sources.duplicates import find_twin, left_out_for
from console.sources.models import WORKING_STATES, Document, DocumentState, ExtractionAttempt
from console.sources.outcomes import (
    OUR_FAULT,
    Outcome,
    Trouble,
    finish,
    finish_in_trouble,
    finish_left_out,
)
from console.sources.services import enable_document, publish_document

log = logging.getLogger(__name__)

REQUEUE_AFTER = timedelta(minutes=5)
"""A queued document whose message may have been lost with the broker is sent again after this."""

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
        twin = find_twin(document, extraction.text)
        outcome = Outcome(extraction, storage.store_canonical(extraction), twin)
    except Exception as error:  # noqa: BLE001  (`_trouble` tells what it is)
        finish_in_trouble(document, _trouble(document, error))
        return None
    if twin is not None and document.folder.leaves_out_near_duplicates and not _is_wanted(document):
        finish_left_out(document, outcome, twin)
        return None
    return _Ready(document, outcome) if enter_indexing(document) else None


def _is_wanted(document: Document) -> bool:
    """True when a person enabled it although it says nearly the same as another one."""
    attempt = document.attempts.filter(finished_at=None).first()
    return (
        attempt is not None
        and attempt.trigger == ExtractionAttempt.Trigger.ENABLE
        and attempt.requested_by_id is not None
    )


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
    texts = [
        rag.DocumentText(
            document_id=one.document.pk,
            folder_id=one.document.folder_id,
            title=one.outcome.extraction.title or one.document.name,
            extraction=one.outcome.extraction,
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


def purge_document(document_id: int) -> bool:
    """Remove a deleted or left-out document from every live index; True if it is gone from there now.

    A deleted one loses its row too, and what was left out only because of it is queued.

    Raises:
        rag.Unavailable: the store is away; the row stays as it is and is purged later.
    """
    document = Document.objects.filter(_is_out(), pk=document_id).first()
    if document is None:
        return False
    if document.lease_until is not None and document.lease_until > timezone.now():
        # A worker still holds it; its end (`let_go`) queues the purge again.
        return False
    for version in live_versions():
        rag.remove_document(engine.index_of(version), document_id)
    if document.deleted_at is None:
        document.index_stamps.all().delete()
        Document.objects.filter(_is_out(), pk=document_id).update(n_chunks=None)
        return True
    # Their rows would go with this one, and nobody would know what to remove from the indexes.
    for child in document.children.exclude(deleted_at=None):
        purge_document(child.pk)
    if document.children.exists():
        return False  # a worker still holds one; the sweep comes back
    freed = left_out_for(document)
    with transaction.atomic():
        document.delete()
        for one in freed:
            one.refresh_from_db()
            enable_document(actor=None, document=one)
    return True


def _is_out() -> Q:
    return ~Q(deleted_at=None) | Q(state=DocumentState.LEFT_OUT)


def remove_forgotten_files() -> int:
    """Remove the files of documents that were deleted or replaced; done at every start."""
    originals = set(Document.objects.values_list("sha256", flat=True))
    texts = set(Document.objects.values_list("canonical_sha256", flat=True))
    return (
        storage.remove_unreferenced("files", originals)
        + storage.remove_unreferenced("pages", originals)
        + storage.remove_unreferenced("canonical", texts)
    )


def pick_up_pending(*, at_start: bool = False) -> int:
    """Queue every document that waits without a live claim; gives back how many.

    `at_start` says that this process alone owns the work (embedded mode), so claims of an earlier
    process are void whatever their lease says.
    """
    now = timezone.now()
    waiting = Document.objects.filter(deleted_at=None, state__in=WORKING_STATES)
    deleted = Document.objects.filter(
        ~Q(deleted_at=None) | Q(state=DocumentState.LEFT_OUT, index_stamps__isnull=False)
    ).distinct()
    if at_start:
        Document.objects.filter(lease_until__isnull=False).update(lease_until=None)
    else:
        waiting = waiting.filter(
            Q(lease_until__lt=now)
            | Q(lease_until=None, queued_at=None)
            | Q(lease_until=None, queued_at__lt=now - REQUEUE_AFTER)
        )
        deleted = deleted.filter(queued_at__lt=now - REQUEUE_AFTER)
    # What may have killed its worker comes last.
    ids = list(waiting.order_by("n_claims", "state_changed_at").values_list("pk", flat=True))
    deleted_ids = list(deleted.values_list("pk", flat=True))
    Document.objects.filter(pk__in=[*ids, *deleted_ids]).update(queued_at=now)
    for document_id in ids:
        queue.ingest_document(document_id)
    for document_id in deleted_ids:
        queue.purge_document(document_id)
    return len(ids)
