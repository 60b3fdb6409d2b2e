"""Changes to folders and documents. `actor` None is the system itself."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import IntegrityError, transaction
from django.utils import timezone

import rag
from console import queue, sockets
from console.access import Rejected, require_admin
from console.audit.services import record
from console.people.models import User
from console.sources.models import (
    SEARCHABLE_STATES,
    Document,
    DocumentState,
    ExtractionAttempt,
    Folder,
)
from console.values import UNUSABLE_NAME, is_usable_name

DISABLED = "disabled"
"""Reason code of a document that a person left out."""
MAX_PAGE = 100_000
"""A number beyond it is no page; with many digits it could not even be part of a file's name."""


def create_folder(
    *,
    actor: User | None,
    name: str,
    description: str = "",
    is_open: bool = False,
    is_shared_externally: bool = False,
    leaves_out_near_duplicates: bool = False,
    language: str = rag.DEFAULT_LANGUAGE,
) -> Folder:
    """A new folder.

    Raises:
        NotPermitted: the actor is no admin.
        Rejected: the name is blank, cannot be shown, or is taken; the language is none of `rag.LANGUAGES`.
    """
    require_admin(actor)
    _check_language(language)
    name = " ".join(name.split())
    if not name:
        raise Rejected("folder_name_blank", "Give the folder a name.")
    if not is_usable_name(name):
        raise Rejected("folder_name_unusable", UNUSABLE_NAME)
    try:
        with transaction.atomic():
            folder = Folder.objects.create(
                name=name[:120],
                description=description,
                is_open=is_open,
                is_shared_externally=is_shared_externally,
                leaves_out_near_duplicates=leaves_out_near_duplicates,
                language=language,
            )
            record(actor=actor, action="folder.create", subject=folder.name, is_open=is_open)
    except IntegrityError as error:
        raise Rejected("folder_exists", f"There is already a folder named {name}.") from error
    return folder


def update_folder(
    *,
    actor: User | None,
    folder: Folder,
    is_open: bool,
    is_shared_externally: bool,
    description: str,
    leaves_out_near_duplicates: bool,
    language: str | None = None,
    member_ids: Iterable[int] | None = None,
    owner_ids: Iterable[int] | None = None,
) -> Folder:
    """Change who may be answered from a folder, and how it is searched: near-duplicates, and the words' language.

    None leaves language, members or owners as they are. With another language the documents are queued to be indexed
    in it; each is found in the old one until then.

    Raises:
        NotPermitted: the actor is no admin.
        Rejected: the language is none of `rag.LANGUAGES`.
    """
    require_admin(actor)
    language = language or folder.language
    _check_language(language)
    with transaction.atomic():
        is_spoken_otherwise = language != folder.language
        folder.language = language
        folder.is_open, folder.is_shared_externally = is_open, is_shared_externally
        folder.description = description
        folder.leaves_out_near_duplicates = leaves_out_near_duplicates
        folder.save(
            update_fields=[
                "is_open",
                "is_shared_externally",
                "description",
                "leaves_out_near_duplicates",
                "language",
            ]
        )
        if member_ids is not None:
            folder.members.set(list(member_ids))
        if owner_ids is not None:
            folder.owners.set(list(owner_ids))
        record(
            actor=actor,
            action="folder.update",
            subject=folder.name,
            is_open=is_open,
            is_shared_externally=is_shared_externally,
            leaves_out_near_duplicates=leaves_out_near_duplicates,
            language=language,
            owners=", ".join(sorted(owner.get_username() for owner in folder.owners.all())),
        )
        if is_spoken_otherwise:
            _index_again(folder, actor)
    return folder


def _check_language(language: str) -> None:
    if language not in rag.LANGUAGES:
        raise Rejected("language_unknown", f"The language is one of {', '.join(rag.LANGUAGES)}.")


def _index_again(folder: Folder, actor: User | None) -> None:
    """Queue what was or is being indexed; what waits for its turn meets the new language anyway."""
    states = (*SEARCHABLE_STATES, DocumentState.EXTRACTING, DocumentState.INDEXING)
    rows = folder.documents.select_for_update().filter(state__in=states, deleted_at=None).order_by("pk")
    for document in rows:
        queue_document(document, trigger=ExtractionAttempt.Trigger.LANGUAGE, actor=actor)


def queue_document(document: Document, *, trigger: str, actor: User | None, pages: str = "") -> None:
    """Back to the start of the state machine; any old trouble is cleared. Call it inside a transaction.

    `pages`, as ``3-7``, reads only these pages of a PDF.
    """
    document.state = DocumentState.QUEUED
    document.reason_code = document.reason = document.next_step = ""
    # A worker that still reads the old bytes keeps its lease, so that it cannot write after the new ones' worker.
    document.n_claims = document.progress_done = document.progress_total = 0
    document.state_changed_at = document.queued_at = timezone.now()
    document.save()
    ExtractionAttempt.objects.create(
        document=document, trigger=trigger, sha256=document.sha256, requested_by=actor, pages=pages
    )
    queue.ingest_document(document.pk)
    publish_document(document)


def retry_document(
    *, actor: User | None, document: Document, pages: tuple[int, int] | None = None
) -> Document:
    """Queue a failed, partial or stalled document again; of a PDF perhaps only some pages, first and last from 1.

    Raises:
        NotPermitted: the actor is no admin.
        Rejected: the document is in no state that can be retried, or it has no such pages.
    """
    require_admin(actor)
    with transaction.atomic():
        locked = _locked(document)
        if not locked.needs_attention or locked.deleted_at is not None:
            raise Rejected(
                "not_retryable", f"{locked.name} is {locked.get_state_display().lower()}; nothing to retry."
            )
        shown = "" if pages is None else _page_range(locked, pages)
        record(
            actor=actor,
            action="document.retry",
            subject=_subject(locked),
            reason_code=locked.reason_code,
            pages=shown,
        )
        queue_document(locked, trigger=ExtractionAttempt.Trigger.RETRY, actor=actor, pages=shown)
    return locked


def _page_range(document: Document, pages: tuple[int, int]) -> str:
    first, last = pages
    if not document.is_pdf:
        raise Rejected("pages_only_of_pdf", f"{document.name} is no PDF; retry it as a whole.")
    if not 1 <= first <= last <= MAX_PAGE:
        raise Rejected("pages_unusable", "Give the first page and the last one, counted from 1.")
    if document.coverage_unit == "page" and document.coverage_total and last > document.coverage_total:
        raise Rejected("pages_unusable", f"{document.name} has {document.coverage_total} pages.")
    return f"{first}-{last}"


def retry_documents(*, actor: User | None, documents: Iterable[Document]) -> int:
    """Retry each document that can be retried; gives back how many were queued."""
    require_admin(actor)
    n_queued = 0
    for document in documents:
        try:
            retry_document(actor=actor, document=document)
        except Rejected:
            continue
        n_queued += 1
    return n_queued


def disable_document(*, actor: User | None, document: Document) -> Document:
    """Leave a document, and the files inside it, out of every answer from this moment on; nothing is lost.

    Raises:
        NotPermitted: the actor is no admin.
        Rejected: it is left out already, or deleted.
    """
    require_admin(actor)
    with transaction.atomic():
        locked = _locked(document)
        if locked.deleted_at is not None or locked.state == DocumentState.LEFT_OUT:
            raise Rejected("already_left_out", f"{locked.name} is left out already.")
        record(actor=actor, action="document.disable", subject=_subject(locked))
        for one in with_children(locked):
            if one.state != DocumentState.LEFT_OUT:
                reason = f"{actor.get_username() if actor else 'The system'} disabled it."
                leave_out(one, code=DISABLED, reason=reason, next_step="Enable it to have it searched again.")
    locked.refresh_from_db()
    return locked


def leave_out(document: Document, *, code: str, reason: str, next_step: str) -> None:
    """Out of every answer from this moment, with its reason. Call it inside a transaction."""
    document.state, document.reason_code = DocumentState.LEFT_OUT, code
    document.reason, document.next_step = reason[:500], next_step
    document.progress_done = document.progress_total = 0
    # A worker that reads it now keeps its lease: the index is cleaned after its last write.
    document.state_changed_at = document.queued_at = timezone.now()
    document.save()
    document.attempts.filter(finished_at=None).update(
        finished_at=timezone.now(), outcome=document.state, reason_code=code, reason=document.reason
    )
    queue.purge_document(document.pk)
    publish_document(document)


def enable_document(*, actor: User | None, document: Document) -> Document:
    """Queue a document that is left out, and the files inside it that were disabled, to be searched again.

    Raises:
        NotPermitted: the actor is no admin.
        Rejected: it is not left out.
    """
    require_admin(actor)
    with transaction.atomic():
        locked = _locked(document)
        if locked.deleted_at is not None or locked.state != DocumentState.LEFT_OUT:
            raise Rejected("not_left_out", f"{locked.name} is not left out; there is nothing to enable.")
        record(
            actor=actor, action="document.enable", subject=_subject(locked), reason_code=locked.reason_code
        )
        for one in with_children(locked):
            if one.pk == locked.pk or (one.state == DocumentState.LEFT_OUT and one.reason_code == DISABLED):
                queue_document(one, trigger=ExtractionAttempt.Trigger.ENABLE, actor=actor)
    locked.refresh_from_db()
    return locked


def delete_document(*, actor: User | None, document: Document) -> None:
    """Delete a document from any state, and the files inside it. From this moment no answer uses them.

    Raises:
        NotPermitted: the actor is no admin.
    """
    require_admin(actor)
    with transaction.atomic():
        locked = _locked(document)
        if locked.deleted_at is not None:
            return
        doomed = with_children(locked)
        record(
            actor=actor,
            action="document.delete",
            subject=_subject(locked),
            sha256=locked.sha256,
            n_attachments=len(doomed) - 1,
        )
        # The files inside first: the row of the file around them takes theirs along when it goes.
        for one in reversed(doomed):
            one.deleted_at = one.queued_at = timezone.now()
            one.save(update_fields=["deleted_at", "queued_at"])
            queue.purge_document(one.pk)
            sockets.publish(
                sockets.DOCUMENTS, kind="document", id=one.pk, folder=one.folder_id, state="deleted"
            )


def with_children(document: Document) -> list[Document]:
    """The document and what came inside it, however deep, the outermost first."""
    found = [document]
    for one in found:  # grows while it is read
        found += one.children.filter(deleted_at=None).order_by("pk")
    return found


def _locked(document: Document) -> Document:
    return Document.objects.select_for_update(of=("self",)).select_related("folder").get(pk=document.pk)


def _subject(document: Document) -> str:
    return f"{document.folder.name}/{document.name}"


def publish_document(document: Document) -> None:
    """Tell open pages that a document's row changed."""
    sockets.publish(
        sockets.DOCUMENTS,
        kind="document",
        id=document.pk,
        folder=document.folder_id,
        state=document.state,
        done=document.progress_done,
        total=document.progress_total,
    )
