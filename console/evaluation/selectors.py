"""Reads of golden sets and runs, already limited to what the reader may see.

Needles are words of documents, so a set is for support leads who may see all of its folders, those that it left
with questions still in it too; admins see every set.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery

from console.evaluation.models import (
    EvaluationRun,
    GoldenKind,
    GoldenQuestion,
    GoldenSet,
    LeftFolder,
    RunState,
)
from console.people.models import User
from console.sources.models import SEARCHABLE_STATES, Document, Folder
from console.sources.selectors import folders_visible_to


def golden_sets_visible_to(user: User) -> QuerySet[GoldenSet]:
    """Sets of which the person may see every folder, and every one that a question of today was written under."""
    if not user.is_support_lead:
        return GoldenSet.objects.none()
    if user.is_admin:
        return GoldenSet.objects.all()
    hidden = Folder.objects.exclude(pk__in=folders_visible_to(user).values("pk"))
    with_folders = GoldenSet.folders.through.objects.values("goldenset_id")
    # Added before the folder left: the question may hold its words, whatever was changed since.
    with_older_questions = _left_hidden(user).filter(golden_set__questions__created_at__lte=F("left_at"))
    return (
        GoldenSet.objects.filter(pk__in=with_folders)
        .exclude(pk__in=GoldenSet.folders.through.objects.filter(folder__in=hidden).values("goldenset_id"))
        .exclude(pk__in=with_older_questions.values("golden_set_id"))
    )


def _left_hidden(user: User) -> QuerySet[LeftFolder]:
    return LeftFolder.objects.exclude(folder_id__in=folders_visible_to(user).values("pk"))


def golden_sets_with_counts(user: User) -> QuerySet[GoldenSet]:
    """The same with `n_needles`, `n_multihop`, `n_refusals`, and `last_run_id` and `last_run_at` of finished runs."""
    done = runs_visible_to(user).filter(golden_set=OuterRef("pk"), state=RunState.DONE).order_by("-pk")
    return (
        golden_sets_visible_to(user)
        .annotate(
            n_needles=Count("questions", filter=Q(questions__kind=GoldenKind.NEEDLE)),
            n_multihop=Count("questions", filter=Q(questions__kind=GoldenKind.MULTIHOP)),
            n_refusals=Count("questions", filter=Q(questions__kind=GoldenKind.REFUSAL)),
            last_run_id=Subquery(done.values("pk")[:1]),
            last_run_at=Subquery(done.values("finished_at")[:1]),
        )
        # The model's own order is lost where rows are counted.
        .order_by("name")
    )


def golden_set_for(user: User, set_id: int) -> GoldenSet:
    """The set, if the person may see it.

    Raises:
        GoldenSet.DoesNotExist: it does not exist, or is not theirs to see.
    """
    return golden_sets_visible_to(user).get(pk=set_id)


def golden_question_for(user: User, question_id: int) -> GoldenQuestion:
    """The question, if the person may see its set.

    Raises:
        GoldenQuestion.DoesNotExist: it does not exist, or is not theirs to see.
    """
    rows = GoldenQuestion.objects.filter(golden_set__in=golden_sets_visible_to(user))
    return rows.select_related("golden_set").get(pk=question_id)


def runs_visible_to(user: User) -> QuerySet[EvaluationRun]:
    """Runs of visible sets, newest first, without those over folders that the set left and the person may not see."""
    runs = EvaluationRun.objects.filter(golden_set__in=golden_sets_visible_to(user))
    if not user.is_admin:
        of_its_set = _left_hidden(user).filter(golden_set=OuterRef("golden_set"))
        runs = runs.exclude(Exists(of_its_set.filter(left_at__gte=OuterRef("created_at"))))
    return runs.select_related("golden_set", "index_version", "started_by")


def run_for(user: User, run_id: int) -> EvaluationRun:
    """The run, if the person may see its set.

    Raises:
        EvaluationRun.DoesNotExist: it does not exist, or is not theirs to see.
    """
    return runs_visible_to(user).get(pk=run_id)


def documents_fingerprint(folder_ids: Sequence[int]) -> str:
    """16 hexadecimal digits that change with any searchable document of the folders and its text."""
    documents = Document.objects.filter(
        deleted_at=None, state__in=SEARCHABLE_STATES, folder_id__in=folder_ids
    ).order_by("pk")
    digest = hashlib.sha256()
    for document_id, folder_id, text in documents.values_list(
        "pk", "folder_id", "canonical_sha256"
    ).iterator():
        digest.update(f"{document_id} {folder_id} {text}\n".encode())
    return digest.hexdigest()[:16]


def documents_of(golden_set: GoldenSet) -> QuerySet[Document]:
    """Searchable documents of the set's folders."""
    return Document.objects.filter(
        deleted_at=None, state__in=SEARCHABLE_STATES, folder__in=golden_set.folders.all()
    ).select_related("folder")
