"""A queue that nobody works on: how health tells it, and when a waiting document is called stalled.

A long queue is no fault: as long as any document is claimed or finished, the others only wait.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from console.sources.models import WORKING_STATES, Document, DocumentState, ExtractionAttempt
from console.sources.outcomes import Trouble, enter_trouble
from console.sources.selectors import documents_unclaimed
from console.sources.services import queue_document

NO_WORKER = "no_worker"
LATE_AFTER = timedelta(minutes=2)
"""Health is red when nothing moved for this long although documents wait."""
STALLED_AFTER = timedelta(minutes=30)
"""A document that waited this long while nothing moved is stalled, so that nobody believes it is being read."""
ANSWERED_WITHIN = timedelta(minutes=3)
"""A worker had this long since the last message: after a night in which the machine slept, all clocks are late."""
START_A_WORKER = "Start a worker: `make run`, or on a server `celery -A console worker -B`."


def queue_without_worker(now: datetime) -> str:
    """A sentence when documents wait and nothing moved for two minutes; else empty."""
    late = documents_unclaimed(now).filter(state_changed_at__lt=now - LATE_AFTER)
    n_late = late.count()
    if not n_late or _has_moved_since(now - LATE_AFTER, now):
        return ""
    first = late.order_by("state_changed_at").values_list("state_changed_at", flat=True)[0]
    minutes = int((now - first).total_seconds() // 60)
    documents = "document waits" if n_late == 1 else "documents wait"
    return f"{n_late} {documents}, and no worker has made progress for {minutes} minutes. {START_A_WORKER}"


def mark_stalled() -> int:
    """Call documents stalled that no worker came for; gives back how many. Safe to run at any time."""
    now = timezone.now()
    candidates = documents_unclaimed(now).filter(
        state_changed_at__lt=now - STALLED_AFTER, queued_at__lt=now - ANSWERED_WITHIN
    )
    if not candidates.exists() or _has_moved_since(now - STALLED_AFTER, now):
        return 0
    n_stalled = 0
    for document_id in list(candidates.values_list("pk", flat=True)):
        with transaction.atomic():
            document = candidates.select_for_update(of=("self",)).filter(pk=document_id).first()
            if document is not None:
                _stall(document, now)
                n_stalled += 1
    return n_stalled


def _stall(document: Document, now: datetime) -> None:
    minutes = int((now - document.state_changed_at).total_seconds() // 60)
    reason = f"It waited {minutes} minutes, and no worker made progress with any document."
    trouble = Trouble(NO_WORKER, reason, f"{START_A_WORKER} It is then read by itself.")
    enter_trouble(document, DocumentState.STALLED, trouble)


def stalled_for_want_of_a_worker() -> QuerySet[Document]:
    """Documents that need nothing but a worker."""
    return Document.objects.filter(deleted_at=None, state=DocumentState.STALLED, reason_code=NO_WORKER)


def revive_stalled(document_id: int | None = None) -> int:
    """Queue again what stalled for want of a worker, all or one of it; a worker calls it when it is there."""
    found = stalled_for_want_of_a_worker()
    if document_id is not None:
        found = found.filter(pk=document_id)
    n_revived = 0
    for pk in list(found.values_list("pk", flat=True)):
        with transaction.atomic():
            document = found.select_for_update(of=("self",)).filter(pk=pk).first()
            if document is not None:
                queue_document(document, trigger=ExtractionAttempt.Trigger.RESTART, actor=None)
                n_revived += 1
    return n_revived


def _has_moved_since(moment: datetime, now: datetime) -> bool:
    """True when a worker holds a document, or began or finished one since then."""
    if Document.objects.filter(state__in=WORKING_STATES, lease_until__gt=now).exists():
        return True
    is_ended_by_worker = Q(finished_at__gt=moment, started_at__isnull=False) & ~Q(reason_code=NO_WORKER)
    moved = Q(started_at__gt=moment) | is_ended_by_worker
    return ExtractionAttempt.objects.filter(moved).exists()
