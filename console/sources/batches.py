"""How far the reading of a folder's files is: done of due, and how fast."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from console.sources.models import ExtractionAttempt, Folder

LOOKED_AT = 5_000
"""More attempts than these are not part of one progress bar."""
SPEED_OVER = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class Batch:
    """The files that were queued without a pause in which nothing was due."""

    n_done: int
    n_total: int
    files_per_min: float | None
    seconds_left: int | None


def batch_of(folder: Folder) -> Batch | None:
    """What the workers are on in this folder; None when nothing is due."""
    attempts = ExtractionAttempt.objects.filter(document__folder=folder, document__deleted_at=None)
    if not attempts.filter(finished_at=None).exists():
        return None
    rows = list(
        attempts.order_by("-pk").values_list("document_id", "requested_at", "finished_at")[:LOOKED_AT]
    )
    now = timezone.now()
    begin = _first_of_batch([(requested_at, finished_at or now) for _, requested_at, finished_at in rows])
    rows = rows[:begin]
    due = {document_id for document_id, _, finished_at in rows if finished_at is None}
    if not due:
        return None
    ends = [end for document_id, _, end in rows if end is not None and document_id not in due]
    n_done = len({document_id for document_id, _, _ in rows} - due)
    began = rows[-1][1]
    window = min(SPEED_OVER, now - began)
    recent = sum(end > now - window for end in ends)
    per_min = recent / window.total_seconds() * 60 if recent and window else None
    return Batch(
        n_done=n_done,
        n_total=n_done + len(due),
        files_per_min=per_min,
        seconds_left=round(len(due) / per_min * 60) if per_min else None,
    )


def _first_of_batch(spans: list[tuple[datetime, datetime]]) -> int:
    """How many of these (requested, finished), newest first, belong to the newest batch.

    A batch ends where everything older was finished before the next file was requested.
    """
    latest_end_before: list[datetime] = []
    latest: datetime | None = None
    for _, end in reversed(spans):
        latest_end_before.append(latest or end)
        latest = end if latest is None else max(latest, end)
    latest_end_before.reverse()
    for position, (requested_at, _) in enumerate(spans):
        if position == len(spans) - 1 or latest_end_before[position] < requested_at:
            return position + 1
    return 0
