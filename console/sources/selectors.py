"""Reads of folders and documents, already limited to what the reader may see."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Count, F, Q, QuerySet

from console.people.models import User
from console.sources.models import (
    ATTENTION_STATES,
    SEARCHABLE_STATES,
    UNREADABLE_STATES,
    WORKING_STATES,
    Document,
    DocumentState,
    Folder,
)


def folders_visible_to(user: User) -> QuerySet[Folder]:
    """Open folders and those the person is a member or an owner of; admins see all."""
    if user.is_admin:
        return Folder.objects.all()
    if not user.is_active:
        return Folder.objects.none()
    theirs = Q(pk__in=user.folders.values("pk")) | Q(pk__in=user.owned_folders.values("pk"))
    return Folder.objects.filter(Q(is_open=True) | theirs)


def folders_with_counts(user: User) -> QuerySet[Folder]:
    """Visible folders by name; their documents counted, not stored.

    `n_documents`, of which `n_searchable`, `n_attention`, `n_left_out`, `n_working`, and `n_done`: all but those.
    """
    alive = Q(documents__deleted_at=None)
    return (
        folders_visible_to(user)
        .annotate(
            n_documents=Count("documents", filter=alive),
            n_searchable=Count("documents", filter=alive & Q(documents__state__in=SEARCHABLE_STATES)),
            n_attention=Count("documents", filter=alive & Q(documents__state__in=ATTENTION_STATES)),
            n_left_out=Count("documents", filter=alive & Q(documents__state=DocumentState.LEFT_OUT)),
            n_working=Count("documents", filter=alive & Q(documents__state__in=WORKING_STATES)),
        )
        .annotate(n_done=F("n_documents") - F("n_working"))
        # The model's own order is lost where rows are counted.
        .order_by("name")
    )


def folder_for(user: User, folder_id: int) -> Folder:
    """The folder, if the person may see it.

    Raises:
        Folder.DoesNotExist: it does not exist, or is not theirs to see; the two look alike.
    """
    return folders_visible_to(user).get(pk=folder_id)


def documents_visible_to(user: User) -> QuerySet[Document]:
    """Documents, not deleted, of visible folders."""
    return Document.objects.filter(deleted_at=None, folder__in=folders_visible_to(user)).select_related(
        "folder"
    )


def document_for(user: User, document_id: int) -> Document:
    """The document, if the person may see it.

    Raises:
        Document.DoesNotExist: it does not exist, was deleted, or is not theirs to see.
    """
    return documents_visible_to(user).get(pk=document_id)


def documents_needing_attention(user: User) -> QuerySet[Document]:
    """Failed, partial and stalled documents, grouped by reason when read in order."""
    return (
        documents_visible_to(user)
        .filter(state__in=ATTENTION_STATES)
        .order_by("reason_code", "folder__name", "name")
    )


def documents_unclaimed(now: datetime) -> QuerySet[Document]:
    """Documents that wait without a live claim."""
    return Document.objects.filter(deleted_at=None, state__in=WORKING_STATES).filter(
        Q(lease_until=None) | Q(lease_until__lt=now)
    )


def ids_out_of_answers(version_id: int) -> list[int]:
    """Documents that no answer may use though this index version may still hold them: deleted, or left out."""
    is_held = Q(index_stamps__version_id=version_id) | Q(lease_until__isnull=False)
    is_left_out = Q(state=DocumentState.LEFT_OUT) & is_held
    rows = Document.objects.filter(Q(deleted_at__isnull=False) | is_left_out)
    return list(rows.order_by("pk").values_list("pk", flat=True).distinct())


def unreadable_in(folder_ids: list[int]) -> list[dict[str, str | int]]:
    """How many documents of each folder could not be read: ``[{"folder_id", "folder": name, "count": n}, …]``."""
    rows = (
        Document.objects.filter(deleted_at=None, folder_id__in=folder_ids, state__in=UNREADABLE_STATES)
        .values("folder_id", "folder__name")
        .annotate(count=Count("pk"))
        .order_by("folder__name")
    )
    return [
        {"folder_id": row["folder_id"], "folder": row["folder__name"], "count": row["count"]} for row in rows
    ]


def n_working_in(folder_ids: list[int]) -> int:
    """How many documents of these folders are queued or being read."""
    return Document.objects.filter(
        deleted_at=None, folder_id__in=folder_ids, state__in=WORKING_STATES
    ).count()
