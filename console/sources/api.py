"""API of folders and documents."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from django.http import HttpRequest
from ninja import File, Form, Query, Router, Schema, Status
from ninja.files import UploadedFile
from pydantic import Field, StrictBool

from console.access import Rejected, require_admin
from console.api_auth import person_of
from console.api_pages import PageQuery, cut
from console.api_types import Id, Name, StrictId, Text
from console.problems import Problem
from console.sources.models import Document, DocumentState, Folder
from console.sources.selectors import (
    document_for,
    documents_needing_attention,
    documents_visible_to,
    folder_for,
    folders_with_counts,
)
from console.sources.services import (
    create_folder,
    delete_document,
    retry_document,
    retry_documents,
)
from console.sources.uploads import upload_document

router = Router()


class FolderIn(Schema):
    """A new folder."""

    name: Name = Field(max_length=120)
    description: Text = Field("", max_length=300)
    is_open: StrictBool = False
    is_shared_externally: StrictBool = False


class FolderOut(Schema):
    """A folder with its documents counted."""

    id: int
    name: str
    description: str
    is_open: bool
    is_shared_externally: bool
    created_at: datetime
    n_documents: int
    n_searchable: int
    n_attention: int
    n_working: int


class FoldersOut(Schema):
    """A page of folders."""

    count: int
    items: list[FolderOut]


class DocumentOut(Schema):
    """A document and how it stands; failed, partial and stalled ones say why and what to do."""

    id: int
    folder_id: int
    name: str
    title: str
    sha256: str
    size_bytes: int
    state: DocumentState
    reason_code: str
    reason: str
    next_step: str
    format: str
    extractor: str
    encoding: str
    ocr_confidence: float | None
    coverage_unit: str
    coverage_read: int | None
    coverage_total: int | None
    coverage_missing: list[str]
    n_chars: int | None
    n_chunks: int | None
    progress_done: int
    progress_total: int
    uploaded_at: datetime
    state_changed_at: datetime


class DocumentsOut(Schema):
    """A page of documents."""

    count: int
    items: list[DocumentOut]


class UploadedOut(Schema):
    """How one uploaded file fared: queued, unchanged (the same bytes are there), or rejected."""

    name: str
    result: Literal["created", "replaced", "unchanged", "same_bytes", "rejected"]
    document: DocumentOut | None = None
    code: str = ""
    detail: str = ""


class RetryIn(Schema):
    """Which documents to retry: all that need attention, or only those of a reason or folder."""

    reason_code: Text | None = None
    folder_id: StrictId | None = None


class RetriedOut(Schema):
    """How many were queued."""

    n_queued: int


class DocumentFilter(PageQuery):
    """Filters of the list of documents; `q` is part of the name."""

    folder_id: Id | None = None
    state: DocumentState | None = None
    q: Text = ""


@router.get("/folders", response=FoldersOut, tags=["folders"])
def list_folders(request: HttpRequest, page: Query[PageQuery]) -> dict[str, object]:
    """Every folder the caller may see."""
    count, items = cut(folders_with_counts(person_of(request)), page)
    return {"count": count, "items": items}


@router.post("/folders", response={201: FolderOut, 409: Problem}, tags=["folders"])
def add_folder(request: HttpRequest, body: FolderIn) -> Status[Folder]:
    """A new folder; admins only."""
    user = person_of(request)
    folder = create_folder(actor=user, **body.dict())
    return Status(201, folders_with_counts(user).get(pk=folder.pk))


@router.get("/folders/{int:folder_id}", response=FolderOut, tags=["folders"])
def one_folder(request: HttpRequest, folder_id: int) -> Folder:
    """One folder."""
    return folders_with_counts(person_of(request)).get(pk=folder_id)


@router.post("/folders/{int:folder_id}/documents", response=list[UploadedOut], tags=["documents"])
def upload_documents(
    request: HttpRequest,
    folder_id: int,
    files: File[list[UploadedFile]],
    paths: Form[list[str]] = [],  # noqa: B006
) -> list[dict[str, object]]:
    """Upload files (multipart field `files`, any number); admins only.

    `paths` may give each file's path in the folder, in the same order. One rejected file does not
    stop the others.
    """
    user = person_of(request)
    require_admin(user)
    folder = folder_for(user, folder_id)
    if paths and len(paths) != len(files):
        raise Rejected("paths_differ", "Send one path for each file, or none.")
    rows: list[dict[str, object]] = []
    for position, file in enumerate(files):
        name = (paths[position] if paths else "") or file.name or ""
        try:
            uploaded = upload_document(actor=user, folder=folder, name=name, pieces=file.chunks())
        except Rejected as error:
            rows.append({"name": name, "result": "rejected", "code": error.code, "detail": str(error)})
            continue
        rows.append({"name": name, "result": uploaded.outcome.value, "document": uploaded.document})
    return rows


@router.get("/documents", response=DocumentsOut, tags=["documents"])
def list_documents(request: HttpRequest, filters: Query[DocumentFilter]) -> dict[str, object]:
    """The documents the caller may see, by name."""
    rows = documents_visible_to(person_of(request)).order_by("name", "pk")
    if filters.folder_id is not None:
        rows = rows.filter(folder_id=filters.folder_id)
    if filters.state is not None:
        rows = rows.filter(state=filters.state)
    if filters.q:
        rows = rows.filter(name__icontains=filters.q)
    count, items = cut(rows, filters)
    return {"count": count, "items": items}


@router.post("/documents/retry", response=RetriedOut, tags=["documents"])
def retry_many(request: HttpRequest, body: RetryIn) -> dict[str, int]:
    """Queue again what failed, is partial or stalled; admins only."""
    user = person_of(request)
    rows = documents_needing_attention(user)
    if body.reason_code is not None:
        rows = rows.filter(reason_code=body.reason_code)
    if body.folder_id is not None:
        rows = rows.filter(folder=folder_for(user, body.folder_id))
    return {"n_queued": retry_documents(actor=user, documents=rows)}


@router.get("/documents/{int:document_id}", response=DocumentOut, tags=["documents"])
def one_document(request: HttpRequest, document_id: int) -> Document:
    """One document."""
    return document_for(person_of(request), document_id)


@router.delete("/documents/{int:document_id}", response={204: None}, tags=["documents"])
def remove_document(request: HttpRequest, document_id: int) -> Status[None]:
    """Delete a document from any state; no answer uses it from now on. Admins only."""
    user = person_of(request)
    delete_document(actor=user, document=document_for(user, document_id))
    return Status(204, None)


@router.post(
    "/documents/{int:document_id}/retry", response={200: DocumentOut, 409: Problem}, tags=["documents"]
)
def retry_one(request: HttpRequest, document_id: int) -> Document:
    """Queue one document again; admins only."""
    user = person_of(request)
    return retry_document(actor=user, document=document_for(user, document_id))
