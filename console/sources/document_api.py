"""API of documents."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http import HttpRequest
from ninja import Query, Router, Status

from console.access import Rejected
from console.api_auth import person_of
from console.api_pages import cut
from console.problems import Problem
from console.sources.models import Document, ExtractionAttempt
from console.sources.schemas import (
    AttemptOut,
    DocumentFilter,
    DocumentOut,
    DocumentsOut,
    PagesIn,
    ReasonOut,
    RenameIn,
    RetriedOut,
    RetryIn,
)
from console.sources.selectors import (
    document_for,
    documents_needing_attention,
    documents_visible_to,
    folder_for,
)
from console.sources.services import (
    delete_document,
    disable_document,
    enable_document,
    retry_document,
    retry_documents,
)
from console.sources.uploads import rename_document
from console.sources.work_list import ReasonGroup, work_list

router = Router(tags=["documents"])


@router.get("/documents", response=DocumentsOut)
def list_documents(request: HttpRequest, filters: Query[DocumentFilter]) -> dict[str, object]:
    """The documents the caller may see, by name."""
    rows = documents_visible_to(person_of(request)).order_by("name", "pk")
    if filters.folder_id is not None:
        rows = rows.filter(folder_id=filters.folder_id)
    if filters.parent_id is not None:
        rows = rows.filter(parent_id=filters.parent_id)
    if filters.state is not None:
        rows = rows.filter(state=filters.state)
    if filters.q:
        rows = rows.filter(name__icontains=filters.q)
    count, items = cut(rows, filters)
    return {"count": count, "items": items}


@router.get("/documents/reasons", response=list[ReasonOut])
def list_reasons(request: HttpRequest) -> list[ReasonGroup]:
    """Why documents need attention, the reason that may explain the most refusals first."""
    return work_list(documents_needing_attention(person_of(request))).groups


@router.post("/documents/retry", response=RetriedOut)
def retry_many(request: HttpRequest, body: RetryIn) -> dict[str, int]:
    """Queue again what failed, is partial or stalled; admins only."""
    user = person_of(request)
    rows = documents_needing_attention(user)
    if body.reason_code is not None:
        rows = rows.filter(reason_code=body.reason_code)
    if body.folder_id is not None:
        rows = rows.filter(folder=folder_for(user, body.folder_id))
    return {"n_queued": retry_documents(actor=user, documents=rows)}


@router.get("/documents/{int:document_id}", response=DocumentOut)
def one_document(request: HttpRequest, document_id: int) -> Document:
    """One document."""
    return document_for(person_of(request), document_id)


@router.delete("/documents/{int:document_id}", response={204: None})
def remove_document(request: HttpRequest, document_id: int) -> Status[None]:
    """Delete a document from any state, with the files inside it; no answer uses it from now on. Admins only."""
    user = person_of(request)
    delete_document(actor=user, document=document_for(user, document_id))
    return Status(204, None)


@router.get("/documents/{int:document_id}/attempts", response=list[AttemptOut])
def list_attempts(request: HttpRequest, document_id: int) -> QuerySet[ExtractionAttempt]:
    """Every run over a document, the newest first, at most 200."""
    return document_for(person_of(request), document_id).attempts.order_by("-pk")[:200]


@router.post("/documents/{int:document_id}/retry", response={200: DocumentOut, 409: Problem})
def retry_one(request: HttpRequest, document_id: int, body: PagesIn | None = None) -> Document:
    """Queue one document again; of a PDF perhaps only some pages. Admins only."""
    user = person_of(request)
    document = document_for(user, document_id)
    first, last = (body.first_page, body.last_page) if body is not None else (None, None)
    if first is None and last is None:
        return retry_document(actor=user, document=document)
    if first is None or last is None:
        raise Rejected("pages_unusable", "Give the first page and the last one, or none.")
    return retry_document(actor=user, document=document, pages=(first, last))


@router.post("/documents/{int:document_id}/disable", response={200: DocumentOut, 409: Problem})
def disable_one(request: HttpRequest, document_id: int) -> Document:
    """Leave a document out of every answer from now on; admins only."""
    user = person_of(request)
    return disable_document(actor=user, document=document_for(user, document_id))


@router.post("/documents/{int:document_id}/enable", response={200: DocumentOut, 409: Problem})
def enable_one(request: HttpRequest, document_id: int) -> Document:
    """Queue a document that is left out to be searched again; admins only."""
    user = person_of(request)
    return enable_document(actor=user, document=document_for(user, document_id))


@router.post("/documents/{int:document_id}/rename", response={200: DocumentOut, 409: Problem})
def rename_one(request: HttpRequest, document_id: int, body: RenameIn) -> Document:
    """Give a document another name in its folder; it keeps its id. Admins only."""
    user = person_of(request)
    return rename_document(actor=user, document=document_for(user, document_id), name=body.name)
