"""Changes to folders and documents. `actor` None is the system itself."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from pathlib import PurePosixPath

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from console import queue, sockets, storage
from console.access import Rejected, require_admin
from console.audit.services import record
from console.people.models import User
from console.sources.models import Document, DocumentState, ExtractionAttempt, Folder
from console.values import UNUSABLE_NAME, is_usable_name

RETRYABLE_STATES = (DocumentState.FAILED, DocumentState.PARTIAL, DocumentState.STALLED)


def create_folder(
    *,
    actor: User | None,
    name: str,
    description: str = "",
    is_open: bool = False,
    is_shared_externally: bool = False,
) -> Folder:
    """A new folder.

    Raises:
        NotPermitted: the actor is no admin.
        Rejected: the name is blank, cannot be shown, or is taken.
    """
    require_admin(actor)
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
    member_ids: Iterable[int] | None = None,
) -> Folder:
    """Change who may be answered from a folder.

    Raises:
        NotPermitted: the actor is no admin.
    """
    require_admin(actor)
    with transaction.atomic():
        folder.is_open, folder.is_shared_externally, folder.description = (
            is_open,
            is_shared_externally,
            description,
        )
        folder.save(update_fields=["is_open", "is_shared_externally", "description"])
        if member_ids is not None:
            folder.members.set(list(member_ids))
        record(
            actor=actor,
            action="folder.update",
            subject=folder.name,
            is_open=is_open,
            is_shared_externally=is_shared_externally,
        )
    return folder


def _clean_name(name: str) -> str:
    """A relative path without tricks: no drive, no "..", NFC, `/` between parts.

    What cannot be shown (control and bidi characters, undecodable bytes) becomes `_`, never nothing:
    two files must not become one.
    """
    parts = [part for part in PurePosixPath(name.replace("\\", "/")).parts if part not in {"/", "."}]
    if ".." in parts:
        raise Rejected(
            "file_name_leaves_folder", "The file's path holds “..”; give it relative to the folder."
        )
    shown = [
        "".join("_" if unicodedata.category(c)[0] == "C" else c for c in unicodedata.normalize("NFC", part))
        for part in parts
    ]
    kept = "/".join(part.strip() for part in shown if part.strip())
    if not kept:
        raise Rejected("file_name_blank", "The file has no usable name.")
    if len(kept) > 400:
        raise Rejected("file_name_too_long", "The file's path is longer than 400 characters.")
    return kept


def upload_document(
    *, actor: User | None, folder: Folder, name: str, pieces: Iterable[bytes]
) -> tuple[Document, bool]:
    """Store a file and queue it; gives back the document and whether anything changed.

    The same bytes under the same name do nothing; other bytes under the same name replace.

    Raises:
        NotPermitted: the actor is no admin.
        Rejected: no usable name, or larger than the limit.
    """
    require_admin(actor)
    name = _clean_name(name)
    sha256, size = storage.store_original(_within_limit(pieces, name))
    with transaction.atomic():
        document = (
            Document.objects.select_for_update().filter(folder=folder, name=name, deleted_at=None).first()
        )
        if document is not None and document.sha256 == sha256:
            return document, False
        trigger = ExtractionAttempt.Trigger.UPLOAD if document is None else ExtractionAttempt.Trigger.REPLACE
        if document is None:
            document = Document(folder=folder, name=name, uploaded_by=actor)
        document.sha256, document.size_bytes = sha256, size
        _queue(document, trigger=trigger, actor=actor)
        record(
            actor=actor,
            action=f"document.{trigger}",
            subject=f"{folder.name}/{name}",
            sha256=sha256,
            size=size,
        )
    return document, True


def _within_limit(pieces: Iterable[bytes], name: str) -> Iterable[bytes]:
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > settings.MAX_UPLOAD_BYTES:
            limit_mb = settings.MAX_UPLOAD_BYTES // (1024 * 1024)
            raise Rejected("file_too_large", f"{name} is larger than {limit_mb} MB.")
        yield piece


def _queue(document: Document, *, trigger: str, actor: User | None) -> None:
    """Back to the start of the state machine; any old trouble is cleared."""
    document.state = DocumentState.QUEUED
    document.reason_code = document.reason = document.next_step = ""
    # A worker that still reads the old bytes keeps its lease, so that it cannot write after the new ones' worker.
    document.n_claims = document.progress_done = document.progress_total = 0
    document.state_changed_at = document.queued_at = timezone.now()
    document.save()
    ExtractionAttempt.objects.create(
        document=document, trigger=trigger, sha256=document.sha256, requested_by=actor
    )
    queue.ingest_document(document.pk)
    publish_document(document)


def retry_document(*, actor: User | None, document: Document) -> Document:
    """Queue a failed, partial or stalled document again.

    Raises:
        NotPermitted: the actor is no admin.
        Rejected: the document is in no state that can be retried.
    """
    require_admin(actor)
    with transaction.atomic():
        locked = Document.objects.select_for_update().get(pk=document.pk)
        if locked.state not in RETRYABLE_STATES or locked.deleted_at is not None:
            raise Rejected(
                "not_retryable", f"{locked.name} is {locked.get_state_display().lower()}; nothing to retry."
            )
        record(actor=actor, action="document.retry", subject=str(locked), reason_code=locked.reason_code)
        _queue(locked, trigger=ExtractionAttempt.Trigger.RETRY, actor=actor)
    return locked


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


def delete_document(*, actor: User | None, document: Document) -> None:
    """Delete a document from any state. It is out of every answer from this moment on.

    Raises:
        NotPermitted: the actor is no admin.
    """
    require_admin(actor)
    with transaction.atomic():
        locked = Document.objects.select_for_update().get(pk=document.pk)
        if locked.deleted_at is not None:
            return
        locked.deleted_at = locked.queued_at = timezone.now()
        locked.save(update_fields=["deleted_at", "queued_at"])
        record(
            actor=actor,
            action="document.delete",
            subject=f"{locked.folder.name}/{locked.name}",
            sha256=locked.sha256,
        )
        queue.purge_document(locked.pk)
        sockets.publish(
            sockets.DOCUMENTS, kind="document", id=locked.pk, folder=locked.folder_id, state="deleted"
        )


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
