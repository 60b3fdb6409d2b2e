"""A document's way: claim → extract in a sub-process → canonical text → chunks and vectors → status.

Called by workers with an id. A claim is a lease, so a document is worked on once at a time and a
killed worker leaves nothing stuck.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

import rag
from console import engine, queue, storage
from console.index.models import DocumentIndex, IndexVersion
from console.index.selectors import live_versions
from console.index.services import prepare_active_version
from console.sources.models import WORKING_STATES, Document, DocumentState, ExtractionAttempt
from console.sources.services import publish_document

log = logging.getLogger(__name__)

MAX_CLAIMS = 3
"""A document whose worker died this often is stalled instead of killing a fourth one."""


REQUEUE_AFTER = timedelta(minutes=5)
"""A queued document whose message may have been lost with the broker is sent again after this."""


@dataclass(frozen=True, slots=True)
class _Trouble:
    """Why a document could not be read, for an administrator."""

    code: str
    reason: str
    next_step: str


_WORKER_DIED = _Trouble(
    "worker_died",
    f"The worker ended without a result {MAX_CLAIMS} times while it read this file.",
    "Save the file anew and upload that copy, or retry it when the machine has more memory.",
)
_OUR_FAULT = _Trouble(
    "internal_error",
    "Something in Footnote failed while this file was read.",
    "Retry it; if it fails again, send the server's log to whoever runs Footnote.",
)


def ingest_document(document_id: int) -> Document | None:
    """Bring one queued document to its end state; None if another worker has it or nothing is due.

    Raises:
        rag.Unavailable: the store is away; the document is queued again and the caller may retry.
    """
    document = _claim(document_id)
    if document is None:
        return None
    try:
        trouble = _extract_and_index(document)
        if trouble is not None:
            _finish_in_trouble(document, trouble)
    except rag.Unavailable:
        _release(document)
        raise
    finally:
        _let_go(document)
    return Document.objects.filter(pk=document_id).first()


def _claim(document_id: int) -> Document | None:
    now = timezone.now()
    with transaction.atomic():
        document = (
            Document.objects.select_for_update(of=("self",))
            .select_related("folder")
            .filter(pk=document_id, deleted_at=None, state__in=WORKING_STATES)
            .filter(Q(lease_until=None) | Q(lease_until__lt=now))
            .first()
        )
        if document is None:
            return None
        document.n_claims += 1
        if document.n_claims > MAX_CLAIMS:
            _enter_trouble(document, DocumentState.STALLED, _WORKER_DIED)
            return None
        document.state = DocumentState.EXTRACTING
        document.state_changed_at = now
        document.lease_until = now + timedelta(seconds=settings.INGEST_LEASE_S)
        document.save(update_fields=["n_claims", "state", "state_changed_at", "lease_until"])
        attempt = document.attempts.filter(finished_at=None).first()
        if attempt is None:
            attempt = ExtractionAttempt(document=document, trigger=ExtractionAttempt.Trigger.RESTART)
            attempt.sha256 = document.sha256
        attempt.started_at = now
        attempt.save()
        publish_document(document)
    return document


def _release(document: Document) -> None:
    """Back to the queue, without counting the claim: the file is not to blame."""
    Document.objects.filter(pk=document.pk, sha256=document.sha256).update(
        state=DocumentState.QUEUED, lease_until=None, n_claims=max(0, document.n_claims - 1)
    )


def _let_go(document: Document) -> None:
    """What was deleted or replaced while it was worked on kept this worker's lease; its turn comes now."""
    with transaction.atomic():
        current = Document.objects.filter(pk=document.pk)
        if current.exclude(deleted_at=None).update(lease_until=None):
            queue.purge_document(document.pk)
        elif current.exclude(sha256=document.sha256).update(lease_until=None):
            queue.ingest_document(document.pk)


def _extract_and_index(document: Document) -> _Trouble | None:
    """Read a file and index it; gives back what was wrong with it, if it cannot be read."""
    try:
        version = prepare_active_version()
        extraction = rag.extract_file(
            storage.original_path(document.sha256), filename=document.name, limits=engine.limits()
        )
        canonical_key = storage.store_canonical(extraction)
        if _enter_indexing(document):
            versions = [version, *live_versions().exclude(pk=version.pk)]
            stamps = [_index_in(each, document, extraction) for each in versions]
            _finish(document, extraction, canonical_key, stamps)
    except rag.Unavailable:
        raise
    except rag.RagError as error:
        return _Trouble(error.code, error.message, error.next_step or "Retry it.")
    except Exception:
        # The one place where a fault of ours becomes a state: one broken file must not stop the next.
        log.exception("document %s could not be ingested", document.pk)
        return _OUR_FAULT
    return None


def _enter_indexing(document: Document) -> bool:
    """False when the document was deleted or replaced meanwhile: that work is no longer wanted."""
    now = timezone.now()
    changed = Document.objects.filter(
        pk=document.pk, sha256=document.sha256, deleted_at=None, state=DocumentState.EXTRACTING
    ).update(
        state=DocumentState.INDEXING,
        state_changed_at=now,
        lease_until=now + timedelta(seconds=settings.INGEST_LEASE_S),
    )
    if changed:
        document.state = DocumentState.INDEXING
        publish_document(document)
    return bool(changed)


def _index_in(version: IndexVersion, document: Document, extraction: rag.Extraction) -> DocumentIndex:
    index = engine.index_of(version)
    report = rag.index_document(
        index,
        extraction,
        document_id=document.pk,
        folder_id=document.folder_id,
        title=extraction.title or document.name,
        on_progress=_progress_reporter(document),
    )
    counts = rag.count_chunks(index, document_id=document.pk)
    chunks = rag.chunks_of_document(index, document.pk)
    return DocumentIndex(
        document=document,
        version=version,
        sha256=document.sha256,
        extractor=extraction.extractor,
        pipeline_version=rag.PIPELINE_VERSION,
        n_vectors=counts.vectors,
        n_lexical=counts.lexical,
        n_tokens=report.n_tokens,
        n_split_for_window=report.n_split_for_window,
        n_over_window=report.n_over_window,
        chunk_offsets=[[chunk.start, chunk.end] for chunk in chunks],
    )


def _progress_reporter(document: Document) -> Callable[[int, int], None]:
    """Writes done and due at most twice a second, and prolongs the lease."""
    last = 0.0

    def report(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last < 0.5 and done < total:
            return
        last = time.monotonic()
        document.progress_done, document.progress_total = done, total
        Document.objects.filter(pk=document.pk, sha256=document.sha256, state=DocumentState.INDEXING).update(
            progress_done=done,
            progress_total=total,
            lease_until=timezone.now() + timedelta(seconds=settings.INGEST_LEASE_S),
        )
        publish_document(document)

    return report


def _finish(
    document: Document, extraction: rag.Extraction, canonical_key: str, stamps: list[DocumentIndex]
) -> None:
    with transaction.atomic():
        current = Document.objects.select_for_update().filter(pk=document.pk).first()
        if current is None or current.deleted_at is not None or current.sha256 != document.sha256:
            # Deleted or replaced while it was indexed: the purge or the next run cleans the index.
            return
        current.index_stamps.filter(version__in=[stamp.version for stamp in stamps]).delete()
        DocumentIndex.objects.bulk_create(stamps)
        current.state = DocumentState.PARTIAL if extraction.is_partial else DocumentState.INDEXED
        current.reason_code = current.reason = current.next_step = ""
        if extraction.is_partial:
            current.reason_code = "partly_read"
            current.reason = _partial_reason(extraction)
            current.next_step = "Answers use what was read. Upload a better copy to have the rest."
        current.title = extraction.title[:400]
        current.format, current.extractor = extraction.format, extraction.extractor
        current.encoding = extraction.encoding or ""
        current.ocr_confidence = extraction.ocr_confidence
        current.coverage_unit = extraction.coverage.unit
        current.coverage_read, current.coverage_total = extraction.coverage.read, extraction.coverage.total
        current.coverage_missing = list(extraction.coverage.missing)
        current.warnings = [{"code": w.code, "message": w.message} for w in extraction.warnings]
        current.canonical_sha256 = canonical_key
        current.n_chars, current.n_chunks = len(extraction.text), stamps[0].n_vectors
        current.lease_until = None
        current.n_claims = current.progress_done = current.progress_total = 0
        current.state_changed_at = timezone.now()
        current.save()
        _close_attempt(current)
        publish_document(current)


def _partial_reason(extraction: rag.Extraction) -> str:
    coverage = extraction.coverage
    text = f"{coverage.read} of {coverage.total} {coverage.unit}s were read."
    if coverage.missing:
        text += (
            f" Without text: {', '.join(coverage.missing[:10])}{'…' if len(coverage.missing) > 10 else ''}."
        )
    if extraction.warnings:
        text += f" {extraction.warnings[0].message}"
    return text[:500]


def _finish_in_trouble(document: Document, trouble: _Trouble) -> None:
    """End in `failed`. First what an earlier version of the file left in the indexes goes."""
    if not Document.objects.filter(pk=document.pk, sha256=document.sha256, deleted_at=None).exists():
        return
    for stamp in document.index_stamps.select_related("version"):
        rag.remove_document(engine.index_of(stamp.version), document.pk)
        stamp.delete()
    with transaction.atomic():
        current = (
            Document.objects.select_for_update()
            .filter(pk=document.pk, sha256=document.sha256, deleted_at=None)
            .first()
        )
        if current is None:
            return
        current.n_chunks, current.n_claims, current.canonical_sha256 = None, 0, ""
        _enter_trouble(current, DocumentState.FAILED, trouble)


def _enter_trouble(document: Document, state: DocumentState, trouble: _Trouble) -> None:
    document.state, document.reason_code = state, trouble.code
    document.reason, document.next_step = trouble.reason[:500], trouble.next_step[:500]
    document.lease_until = None
    document.state_changed_at = timezone.now()
    document.save()
    _close_attempt(document)
    publish_document(document)


def _close_attempt(document: Document) -> None:
    document.attempts.filter(finished_at=None).update(
        finished_at=timezone.now(),
        outcome=document.state,
        reason_code=document.reason_code,
        reason=document.reason,
        extractor=document.extractor,
    )


def purge_document(document_id: int) -> bool:
    """Remove a deleted document from every live index, then its row; True if it is gone now.

    Raises:
        rag.Unavailable: the store is away; the row stays marked as deleted and is purged later.
    """
    document = Document.objects.filter(pk=document_id).exclude(deleted_at=None).first()
    if document is None:
        return False
    if document.lease_until is not None and document.lease_until > timezone.now():
        # A worker still holds it; its end (`_let_go`) queues the purge again.
        return False
    for version in live_versions():
        rag.remove_document(engine.index_of(version), document_id)
    document.delete()
    return True


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
    deleted = Document.objects.exclude(deleted_at=None)
    if at_start:
        Document.objects.filter(lease_until__isnull=False).update(lease_until=None)
    else:
        waiting = waiting.filter(
            Q(lease_until__lt=now)
            | Q(lease_until=None, queued_at=None)
            | Q(lease_until=None, queued_at__lt=now - REQUEUE_AFTER)
        )
        deleted = deleted.filter(queued_at__lt=now - REQUEUE_AFTER)
    ids = list(waiting.order_by("state_changed_at").values_list("pk", flat=True))
    deleted_ids = list(deleted.values_list("pk", flat=True))
    Document.objects.filter(pk__in=[*ids, *deleted_ids]).update(queued_at=now)
    for document_id in ids:
        queue.ingest_document(document_id)
    for document_id in deleted_ids:
        queue.purge_document(document_id)
    return len(ids)
