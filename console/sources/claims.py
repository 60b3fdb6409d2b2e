"""Who works on which document: a claim is a lease, so a killed worker leaves nothing stuck."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Greatest
from django.utils import timezone

from console import queue
from console.sources.models import WORKING_STATES, Document, DocumentState, ExtractionAttempt
from console.sources.outcomes import Trouble, enter_trouble
from console.sources.selectors import documents_unclaimed
from console.sources.services import publish_document

MAX_CLAIMS = 3
"""A document whose worker died this often while it read nothing else is stalled instead of killing another one."""

_WORKER_DIED = Trouble(
    "worker_died",
    f"The worker ended without a result {MAX_CLAIMS} times while it read this file.",
    "Save the file anew and upload that copy, or retry it when the machine has more memory.",
)


def claim(document_id: int) -> Document | None:
    """The document, now this worker's; None when another one has it or nothing is due."""
    with transaction.atomic():
        document = (
            documents_unclaimed(timezone.now())
            .select_for_update(of=("self",))
            .select_related("folder")
            .filter(pk=document_id)
            .first()
        )
        if document is None:
            return None
        document.n_claims += 1
        if document.n_claims > MAX_CLAIMS:
            enter_trouble(document, DocumentState.STALLED, _WORKER_DIED)
            return None
        document.state = DocumentState.EXTRACTING
        document.state_changed_at = timezone.now()
        document.lease_until = _lease()
        document.save(update_fields=["n_claims", "state", "state_changed_at", "lease_until"])
        attempt = document.attempts.filter(finished_at=None).first()
        if attempt is None:
            attempt = ExtractionAttempt(document=document, trigger=ExtractionAttempt.Trigger.RESTART)
            attempt.sha256 = document.sha256
        attempt.started_at = timezone.now()
        attempt.save()
        publish_document(document)
    return document


def claim_next() -> Document | None:
    """The document that waits longest and was never claimed before; None when there is none.

    One that was claimed before may have killed its worker: it is read alone, by its own message.
    """
    while True:
        next_id = (
            documents_unclaimed(timezone.now())
            .filter(n_claims=0)
            .order_by("state_changed_at", "pk")
            .values_list("pk", flat=True)
            .first()
        )
        if next_id is None:
            return None
        document = claim(next_id)
        if document is not None:
            return document


def enter_indexing(document: Document) -> bool:
    """False when it was deleted, disabled or replaced meanwhile: that work is no longer wanted."""
    changed = (
        _held(document)
        .filter(state=DocumentState.EXTRACTING)
        .update(state=DocumentState.INDEXING, state_changed_at=timezone.now(), lease_until=_lease())
    )
    if changed:
        document.state = DocumentState.INDEXING
        publish_document(document)
    return bool(changed)


def prolong(documents: Iterable[Document]) -> None:
    """Keep the claims while work goes on."""
    for document in documents:
        _held(document).update(lease_until=_lease())


def release(document: Document) -> None:
    """Back to the queue, without counting the claim: the file is not to blame."""
    _held(document).filter(state__in=WORKING_STATES).update(
        state=DocumentState.QUEUED, lease_until=None, n_claims=Greatest(F("n_claims") - 1, 0)
    )


def let_go(document: Document) -> None:
    """End a claim. What was deleted, disabled, replaced or queued anew meanwhile kept it; its turn comes now."""
    with transaction.atomic():
        current = (
            Document.objects.select_for_update().filter(pk=document.pk).exclude(lease_until=None).first()
        )
        if current is None:
            return
        Document.objects.filter(pk=document.pk).update(lease_until=None)
        if current.deleted_at is not None or current.state == DocumentState.LEFT_OUT:
            queue.purge_document(document.pk)
        else:
            queue.ingest_document(document.pk)


def _held(document: Document) -> QuerySet[Document]:
    return Document.objects.filter(pk=document.pk, sha256=document.sha256, deleted_at=None)


def _lease() -> datetime:
    return timezone.now() + timedelta(seconds=settings.INGEST_LEASE_S)
