"""How a file comes in, under which name it is known, and that the same bytes make one document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath
from typing import IO

from django.conf import settings
from django.db import transaction

from console import storage
from console.access import Rejected, require_admin
from console.audit.services import record
from console.people.models import User
from console.sources.models import SEARCHABLE_STATES, Document, DocumentState, ExtractionAttempt, Folder
from console.sources.names import MAX_NAME_CHARS, clean_name, says_the_name
from console.sources.services import DISABLED, publish_document, queue_document, with_children


class UploadOutcome(StrEnum):
    """What an upload did."""

    CREATED = "created"
    REPLACED = "replaced"
    UNCHANGED = "unchanged"
    SAME_BYTES = "same_bytes"
    """Another document of the folder holds these bytes; no second one was made."""


@dataclass(frozen=True, slots=True)
class Uploaded:
    """The document that holds the uploaded bytes now; for `SAME_BYTES` it has another name than the upload."""

    document: Document
    outcome: UploadOutcome

    @property
    def has_changed(self) -> bool:
        """True when there is something new to read."""
        return self.outcome in {UploadOutcome.CREATED, UploadOutcome.REPLACED}


def upload_document(
    *, actor: User | None, folder: Folder, name: str, pieces: Iterable[bytes], origin: str = ""
) -> Uploaded:
    """Store a file and queue it.

    The same bytes under the same name do nothing; other bytes under the same name replace. The same
    bytes under a new name make no second document. A disabled document stays out, with its new bytes.
    A document without an origin is kept in step by the `origin` that uploads its name.

    Raises:
        NotPermitted: the actor is no admin.
        Rejected: no usable name, larger than the limit, or the name of a file inside another one.
    """
    require_admin(actor)
    name = clean_name(name)
    sha256, size = storage.store_original(within_limit(pieces, name))
    with transaction.atomic():
        # One upload to a folder at a time: two of one new name would both find it free.
        folder = Folder.objects.select_for_update().get(pk=folder.pk)
        named = Document.objects.filter(folder=folder, name=name, deleted_at=None)
        document = named.select_for_update(of=("self",)).first()
        if document is None:
            holder = holder_of(folder, sha256)
            if holder is not None:
                return Uploaded(holder, UploadOutcome.SAME_BYTES)
            document, outcome = Document(folder=folder, name=name, uploaded_by=actor), UploadOutcome.CREATED
        elif document.parent_id is not None:
            raise Rejected("name_of_attachment", f"{name} is the name of a file inside another document.")
        elif document.sha256 == sha256:
            adopt_document(document, origin)
            return Uploaded(document, UploadOutcome.UNCHANGED)
        else:
            outcome = UploadOutcome.REPLACED
        document.sha256, document.size_bytes = sha256, size
        document.origin = origin or document.origin
        triggers = ExtractionAttempt.Trigger
        trigger = triggers.UPLOAD if outcome is UploadOutcome.CREATED else triggers.REPLACE
        read_new_bytes(document, trigger=trigger, actor=actor)
        record(
            actor=actor,
            action=f"document.{trigger}",
            subject=f"{folder.name}/{name}",
            sha256=sha256,
            size=size,
        )
    return Uploaded(document, outcome)


def read_new_bytes(document: Document, *, trigger: ExtractionAttempt.Trigger, actor: User | None) -> None:
    """Queue what was stored; a disabled document is read when it is enabled. Call it inside a transaction."""
    if document.state == DocumentState.LEFT_OUT and document.reason_code == DISABLED:
        document.canonical_sha256, document.n_chars = "", None
        document.save()
        publish_document(document)
    else:
        queue_document(document, trigger=trigger, actor=actor)


def adopt_document(document: Document, origin: str) -> None:
    """Have a document without an origin kept in step by this one: from now on it goes when its file goes."""
    if origin and not document.origin:
        Document.objects.filter(pk=document.pk, origin="").update(origin=origin)
        document.origin = origin


def holder_of(folder: Folder, sha256: str) -> Document | None:
    """The document of the folder that holds these bytes; one that came inside another file is not counted."""
    return (
        Document.objects.filter(folder=folder, sha256=sha256, parent=None, deleted_at=None)
        .order_by("pk")
        .first()
    )


def pieces_of(file: IO[bytes]) -> Iterator[bytes]:
    """The bytes of an open file, a MiB at a time."""
    yield from iter(lambda: file.read(1024 * 1024), b"")


def within_limit(pieces: Iterable[bytes], name: str) -> Iterable[bytes]:
    """The pieces, until they are more than one file may have.

    Raises:
        Rejected: they are.
    """
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > settings.MAX_UPLOAD_BYTES:
            limit_mb = settings.MAX_UPLOAD_BYTES // (1024 * 1024)
            raise Rejected("file_too_large", f"{name} is larger than {limit_mb} MB.")
        yield piece


def rename_document(*, actor: User | None, document: Document, name: str) -> Document:
    """Give a document another name; it keeps its id, its text and its history.

    It is read again only when its text depends on the name: the title is the file's name, or the
    ending, which says what a file is, changed.

    Raises:
        NotPermitted: the actor is no admin.
        Rejected: no usable name, or a document of the folder has it, or that of a file inside.
    """
    require_admin(actor)
    name = clean_name(name)
    with transaction.atomic():
        locked = Document.objects.select_for_update(of=("self",)).select_related("folder").get(pk=document.pk)
        if locked.name == name:
            return locked
        if locked.parent_id is not None:
            raise Rejected("name_of_attachment", "A file inside another document keeps its name.")
        old = locked.name
        _rename_with_children(locked, name)
        record(actor=actor, action="document.rename", subject=f"{locked.folder.name}/{name}", old_name=old)
        if _depends_on_name(locked, old):
            queue_document(locked, trigger=ExtractionAttempt.Trigger.RENAME, actor=actor)
        publish_document(locked)
    return locked


def _rename_with_children(document: Document, name: str) -> None:
    """The names of the files inside a document begin with its own."""
    old = document.name
    family = [document, *with_children(document)[1:]]
    for one in family:
        one.name = name + one.name.removeprefix(old)
    if any(len(one.name) > MAX_NAME_CHARS for one in family):
        raise Rejected(
            "file_name_too_long",
            f"The path of a file inside it would be longer than {MAX_NAME_CHARS} characters.",
        )
    named = Document.objects.filter(folder=document.folder, deleted_at=None)
    taken = named.filter(name__in=[one.name for one in family]).first()
    if taken is not None:
        raise Rejected("name_taken", f"{document.folder.name} already has a document named {taken.name}.")
    for one in family:
        one.save(update_fields=["name"])


def _depends_on_name(document: Document, old: str) -> bool:
    """A document that is left out is read with its new name when it is enabled."""
    if document.state == DocumentState.LEFT_OUT:
        return False
    if PurePosixPath(old).suffix.lower() != PurePosixPath(document.name).suffix.lower():
        return True
    is_named_by_file = not document.title or says_the_name(document.title, old)
    is_being_read = document.is_working and document.lease_until is not None
    return is_being_read or (document.state in SEARCHABLE_STATES and is_named_by_file)
