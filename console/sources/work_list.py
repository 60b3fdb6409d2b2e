"""What needs a person, ranked by how many refusals it may explain."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import QuerySet
from django.utils import timezone

import rag
from console.questions.models import Answer, QuestionState
from console.sources.models import SEARCHABLE_STATES, Document, DocumentState, ExtractionAttempt

LOOKED_BACK = timedelta(days=30)
SEARCHED_AND_REFUSED = (
    rag.RefusalReason.NOTHING_RETRIEVED,
    rag.RefusalReason.BELOW_THRESHOLD,
    rag.RefusalReason.WEAK_EVIDENCE,
    rag.RefusalReason.MODEL_ABSTAINED,
    rag.RefusalReason.UNSUPPORTED_CLAIMS,
)
"""Refusals after a search: a file that could not be read may have held the answer."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One document of the list. `n_refusals` may have been answered from it; nobody knows before it is read."""

    document_id: int
    reason_code: str
    name: str
    n_refusals: int
    n_attempts: int


@dataclass(frozen=True, slots=True)
class ReasonGroup:
    """Documents with one reason; `n_refusals` counts each refusal once, however many of them it touches."""

    reason_code: str
    n_documents: int
    n_refusals: int


@dataclass(frozen=True, slots=True)
class WorkList:
    """Groups and their documents, those that may explain the most refusals first."""

    groups: list[ReasonGroup]
    entries: list[Entry]


def work_list(documents: QuerySet[Document]) -> WorkList:
    """The list of these documents, which all need attention."""
    rows = list(
        documents.order_by().values_list("pk", "folder_id", "reason_code", "name", "state_changed_at")
    )
    attempts = _attempts_of([pk for pk, *_ in rows])
    refusals = _refusals_by_folder(timezone.now() - LOOKED_BACK)
    entries: list[Entry] = []
    touched: defaultdict[str, set[int]] = defaultdict(set)
    n_documents: defaultdict[str, int] = defaultdict(int)
    for pk, folder_id, reason_code, name, changed_at in rows:
        since = _unread_since(attempts[pk], changed_at)
        times, ids = refusals.get(folder_id, ([], []))
        hit = ids[bisect_left(times, since) :]
        touched[reason_code].update(hit)
        n_documents[reason_code] += 1
        entries.append(Entry(pk, reason_code, name, len(hit), len(attempts[pk])))
    groups = [ReasonGroup(code, n, len(touched[code])) for code, n in n_documents.items()]
    groups.sort(key=lambda group: (-group.n_refusals, -group.n_documents, group.reason_code))
    rank = {group.reason_code: position for position, group in enumerate(groups)}
    entries.sort(key=lambda entry: (rank[entry.reason_code], -entry.n_refusals, entry.name))
    return WorkList(groups, entries)


_Attempt = tuple[datetime, str]


def _attempts_of(ids: Sequence[int]) -> defaultdict[int, list[_Attempt]]:
    """When each attempt ended, and how, the newest first."""
    found: defaultdict[int, list[_Attempt]] = defaultdict(list)
    rows = (
        ExtractionAttempt.objects.filter(document_id__in=ids, finished_at__isnull=False)
        .order_by("-pk")
        .values_list("document_id", "finished_at", "outcome")
    )
    for document_id, finished_at, outcome in rows:
        if finished_at is not None:
            found[document_id].append((finished_at, outcome))
    return found


def _unread_since(attempts: Iterable[_Attempt], changed_at: datetime) -> datetime:
    """The first of the attempts in a row after which something of the file could not be searched."""
    since = changed_at
    for finished_at, outcome in attempts:
        if outcome in SEARCHABLE_STATES and outcome != DocumentState.PARTIAL:
            break
        since = min(since, finished_at)
    return since


def _refusals_by_folder(since: datetime) -> dict[int, tuple[list[datetime], list[int]]]:
    """Of each folder the refusals whose search it was part of: times, ascending, and ids."""
    found: defaultdict[int, tuple[list[datetime], list[int]]] = defaultdict(lambda: ([], []))
    rows = (
        Answer.objects.filter(
            outcome=QuestionState.REFUSED, reason_code__in=SEARCHED_AND_REFUSED, created_at__gte=since
        )
        .order_by("created_at")
        .values_list("pk", "created_at", "folder_ids")
    )
    for pk, created_at, folder_ids in rows:
        for folder_id in folder_ids:
            times, ids = found[folder_id]
            times.append(created_at)
            ids.append(pk)
    return found
