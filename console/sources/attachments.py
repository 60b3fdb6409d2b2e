"""Files inside files: each becomes a document of its own beside the one it came in."""

from __future__ import annotations

import hashlib

import rag
from console import storage
from console.access import Rejected
from console.sources.models import Document, ExtractionAttempt
from console.sources.names import clean_name
from console.sources.services import delete_document
from console.sources.uploads import read_new_bytes, within_limit

MAX_DEPTH = 3
"""A message in a message in a message: what lies deeper is not read."""
MAX_FILES = 500
"""Files inside one uploaded file, however deep. Without it a page that names itself often becomes millions."""


def keep_attachments(document: Document, attachments: tuple[rag.Attachment, ...]) -> int:
    """Bring a document's children in step with what was found in it; gives back how many were not kept.

    Call it inside a transaction. A child is known by its name: the same bytes change nothing, other bytes replace.
    """
    children = {child.name: child for child in document.children.filter(deleted_at=None)}
    n_left = MAX_FILES - _n_inside(_outermost(document))
    kept: set[str] = set()
    seen: set[bytes] = set()
    n_refused = 0
    if _depth(document) >= MAX_DEPTH:
        attachments, n_refused = (), len(attachments)
    for given, attachment in zip(_names(document, attachments), attachments, strict=True):
        digest = hashlib.sha256(attachment.content).digest()
        if digest in seen:
            continue  # the same bytes twice in one file are one document
        seen.add(digest)
        try:
            name = clean_name(given)
            if name not in children:
                n_left -= 1
            _keep(document, name, attachment.content, children, may_be_new=n_left >= 0)
        except Rejected:
            n_refused += 1
        else:
            kept.add(name)
    for name, child in children.items():
        if name not in kept:
            delete_document(actor=None, document=child)
    return n_refused


def _keep(
    parent: Document, name: str, content: bytes, children: dict[str, Document], *, may_be_new: bool
) -> None:
    child = children.get(name)
    if child is None and not may_be_new:
        raise Rejected("too_many_files", f"One file may hold {MAX_FILES} files, however deep.")
    sha256, size = storage.store_original(within_limit([content], name))
    if child is not None and child.sha256 == sha256:
        return
    if child is None:
        taken = Document.objects.filter(folder_id=parent.folder_id, name=name, deleted_at=None)
        if taken.exists():
            raise Rejected("name_taken", "Another document of the folder has this name.")
        child = Document(
            folder_id=parent.folder_id, name=name, parent=parent, uploaded_by_id=parent.uploaded_by_id
        )
    child.sha256, child.size_bytes = sha256, size
    read_new_bytes(child, trigger=ExtractionAttempt.Trigger.ATTACHED, actor=None)


def _names(document: Document, attachments: tuple[rag.Attachment, ...]) -> list[str]:
    """``mail.eml/report.pdf``; a name that comes twice is numbered, never onto another one's name."""
    # One level: a path in an attachment's name means nothing here.
    given = [
        attachment.name.replace("\\", "/").rsplit("/", 1)[-1].strip(". ") or "attachment"
        for attachment in attachments
    ]
    own = {name.casefold() for name in given}
    used: set[str] = set()
    names = []
    for name in given:
        stem, dot, suffix = name.rpartition(".")
        chosen, n = name, 1
        while chosen.casefold() in used or (n > 1 and chosen.casefold() in own):
            n += 1
            chosen = f"{stem} ({n}).{suffix}" if dot else f"{name} ({n})"
        used.add(chosen.casefold())
        names.append(f"{document.name}/{chosen}")
    return names


def _depth(document: Document) -> int:
    depth = 0
    while document.parent is not None:
        document, depth = document.parent, depth + 1
    return depth


def _outermost(document: Document) -> Document:
    while document.parent is not None:
        document = document.parent
    return document


def _n_inside(document: Document) -> int:
    return (
        Document.objects.filter(
            folder_id=document.folder_id, name__startswith=f"{document.name}/", deleted_at=None
        )
        .exclude(parent=None)
        .count()
    )
