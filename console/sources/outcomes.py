"""How a document's run ends: indexed, partial, left out, or in trouble with a reason."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.db import transaction
from django.utils import timezone

import rag
from console import engine
from console.index.models import DocumentIndex
from console.sources.attachments import keep_attachments
from console.sources.duplicates import NEAR_DUPLICATE, NEXT_STEP, Twin
from console.sources.models import Document, DocumentState
from console.sources.services import publish_document

_BY_DESIGN = frozenset(
    (
        "ocr_used",
        "blank_pages",
        "extension_mismatch",
        "pictures_left_out",
        "invitations_left_out",
        "no_message_text",
    )
)
"""Warnings that tell of no missing text, besides what was dropped, removed or ignored."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a document could not be read, for an administrator."""

    code: str
    reason: str
    next_step: str
    extractor: str = ""
    """Which one gave up, where it came that far."""


OUR_FAULT = Trouble(
    "internal_error",
    "Something in Footnote failed while this file was read.",
    "Retry it; if it fails again, send the server's log to whoever runs Footnote.",
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was read from a document, and under which key it is kept."""

    extraction: rag.Extraction
    canonical_key: str


def finish(document: Document, outcome: Outcome, stamps: list[DocumentIndex]) -> None:
    """End in `indexed` or `partial`; the stamps say what each index holds."""
    with transaction.atomic():
        current = _still_wanted(document, DocumentState.INDEXING)
        if current is None:
            # Deleted, disabled or replaced while it was indexed: the purge or the next run cleans the index.
            return
        current.index_stamps.filter(version__in=[stamp.version for stamp in stamps]).delete()
        DocumentIndex.objects.bulk_create(stamps)
        kept = _record(current, outcome.extraction, outcome.canonical_key)
        current.n_chunks = stamps[0].n_vectors
        current.state = DocumentState.PARTIAL if kept.is_partial else DocumentState.INDEXED
        current.reason_code = current.reason = current.next_step = ""
        if kept.is_partial:
            current.reason_code = "partly_read"
            current.reason = _partial_reason(kept)
            current.next_step = "Answers use what was read. Upload a better copy to have the rest."
        _end(current, outcome.extraction.extractor)


def finish_left_out(document: Document, outcome: Outcome, twin: Twin) -> None:
    """End in `left_out`: an older document of the folder says nearly the same."""
    _leave_indexes(document)
    with transaction.atomic():
        current = _still_wanted(document, DocumentState.EXTRACTING)
        if current is None:
            return
        _record(current, outcome.extraction, outcome.canonical_key)
        current.n_chunks = None
        current.state, current.reason_code = DocumentState.LEFT_OUT, NEAR_DUPLICATE
        current.reason, current.next_step = twin.reason[:500], NEXT_STEP
        _end(current, outcome.extraction.extractor)


def finish_in_trouble(document: Document, trouble: Trouble) -> None:
    """End in `failed`. First what an earlier version of the file left in the indexes goes.

    Raises:
        rag.Unavailable: the store is away; the document is as it was.
    """
    if _still_wanted(document) is None:
        return
    _leave_indexes(document)
    with transaction.atomic():
        current = _still_wanted(document)
        if current is None:
            return
        current.n_chunks, current.canonical_sha256 = None, ""
        enter_trouble(current, DocumentState.FAILED, trouble)


def enter_trouble(document: Document, state: DocumentState, trouble: Trouble) -> None:
    """Write `failed` or `stalled` with its reason. Call it inside a transaction."""
    document.state, document.reason_code = state, trouble.code
    document.reason, document.next_step = trouble.reason[:500], trouble.next_step[:500]
    _end(document, trouble.extractor)


def _still_wanted(document: Document, state: DocumentState | None = None) -> Document | None:
    """The row as it is now, if it still asks for these bytes to be read; locked inside a transaction."""
    current = Document.objects.filter(pk=document.pk, sha256=document.sha256, deleted_at=None)
    current = current.exclude(state=DocumentState.LEFT_OUT) if state is None else current.filter(state=state)
    if transaction.get_connection().in_atomic_block:
        current = current.select_for_update()
    return current.first()


def _leave_indexes(document: Document) -> None:
    for stamp in document.index_stamps.select_related("version"):
        rag.remove_document(engine.index_of(stamp.version), document.pk)
        stamp.delete()


def _record(document: Document, extraction: rag.Extraction, canonical_key: str) -> rag.Extraction:
    """Write what was read; gives it back with what of its attachments was not kept, which makes it partial."""
    n_refused = keep_attachments(document, extraction.attachments)
    if n_refused:
        why = "too large, too deep, too many, or a name that is taken"
        message = f"Files inside it that were not kept ({why}): {n_refused}."
        refused = rag.ExtractionWarning("attachments_refused", message, n_refused)
        extraction = replace(extraction, is_partial=True, warnings=(refused, *extraction.warnings))
    document.title = extraction.title[:400]
    document.format, document.extractor = extraction.format, extraction.extractor
    document.encoding = extraction.encoding or ""
    document.ocr_confidence = extraction.ocr_confidence
    document.page_confidence = [list(page) for page in extraction.page_confidence]
    coverage = extraction.coverage
    document.coverage_unit = coverage.unit
    document.coverage_read, document.coverage_total = coverage.read, coverage.total
    document.coverage_missing = list(coverage.missing)
    document.warnings = [
        {"code": warning.code, "message": warning.message, "count": warning.count}
        for warning in extraction.warnings
    ]
    document.canonical_sha256 = canonical_key
    document.n_chars = len(extraction.text)
    return extraction


def _end(document: Document, extractor: str) -> None:
    """Write the end state, close the attempt, tell open pages."""
    document.lease_until = None
    document.progress_done = document.progress_total = 0
    document.n_claims = 0
    document.state_changed_at = timezone.now()
    document.save()
    document.attempts.filter(finished_at=None).update(
        finished_at=timezone.now(),
        outcome=document.state,
        reason_code=document.reason_code,
        reason=document.reason,
        extractor=extractor,
    )
    publish_document(document)


def _partial_reason(extraction: rag.Extraction) -> str:
    """How much is missing, where, and why; what is left out by design is no reason."""
    coverage = extraction.coverage
    parts = []
    if coverage.read < coverage.total:
        were = "was" if coverage.total == 1 else "were"
        parts.append(
            f"{coverage.read} of {coverage.total} {_counted(coverage.unit, coverage.total)} {were} read."
        )
    if coverage.missing:
        more = "…" if len(coverage.missing) > 10 else ""
        parts.append(f"Without text: {', '.join(coverage.missing[:10])}{more}.")
    parts += [warning.message for warning in extraction.warnings if not _is_by_design(warning.code)]
    return " ".join(parts or ["A part of the file could not be read."])[:500]


def _counted(unit: str, n: int) -> str:
    return unit if n == 1 else f"{unit}s"


def _is_by_design(code: str) -> bool:
    return code.endswith(("_dropped", "_removed", "_ignored")) or code in _BY_DESIGN
