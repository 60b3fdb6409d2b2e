"""What keeps documents, indexes and files in step when something was deleted, lost or killed."""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

import rag
from console import engine, queue, storage
from console.index.selectors import live_versions
from console.sources.duplicates import free_copies_of
from console.sources.models import WORKING_STATES, Document, DocumentState, SignatureBand

REQUEUE_AFTER = timedelta(minutes=5)
"""A queued document whose message may have been lost with the broker is sent again after this."""


def purge_document(document_id: int) -> bool:
    """Remove a deleted or left-out document from every live index; True if it is gone from there now.

    A deleted one loses its row too. What was left out only because of it is queued.

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
        free_copies_of(document)
        return True
    # Their rows would go with this one, and nobody would know what to remove from the indexes.
    for child in document.children.exclude(deleted_at=None):
        purge_document(child.pk)
    if document.children.exists():
        return False  # a worker still holds one; the sweep comes back
    with transaction.atomic():
        free_copies_of(document)
        document.delete()
    return True


def _is_out() -> Q:
    return ~Q(deleted_at=None) | Q(state=DocumentState.LEFT_OUT)


def remove_forgotten_files() -> int:
    """Remove the files of documents that were deleted or replaced; done at every start."""
    originals = set(Document.objects.values_list("sha256", flat=True))
    texts = set(Document.objects.values_list("canonical_sha256", flat=True)) | set(
        SignatureBand.objects.values_list("canonical_sha256", flat=True)
    )
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
