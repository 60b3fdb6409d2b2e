"""One document: its page, its row, its original, and what is done to it."""

from __future__ import annotations

import mimetypes

from csp.decorators import csp
from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

import rag
from console import storage
from console.guards import PersonRequest, admin_only, back_or, signed_in
from console.htmx import is_htmx
from console.index.selectors import active_version
from console.sources.canonical import page_at, text_window
from console.sources.models import Document
from console.sources.originals import OriginalResponse, page_image, source_text
from console.sources.selectors import document_for
from console.sources.services import (
    MAX_PAGE,
    delete_document,
    disable_document,
    enable_document,
    retry_document,
)
from console.sources.uploads import rename_document
from console.sources.work_list import work_list
from console.values import number_of

ROWS = {"folder": "sources/_document_row.html", "failed": "sources/_failed_row.html"}


def _number(request: PersonRequest, name: str) -> int | None:
    return number_of(request.GET.get(name, ""))


@require_safe
@signed_in
def document(request: PersonRequest, document_id: int) -> HttpResponseBase:
    """Left the original, right the canonical text, opened at `?start=…&end=…`."""
    document = document_for(request.user, document_id)
    start, end = _number(request, "start"), _number(request, "end")
    cited = (start, end) if start is not None and end is not None else None
    # A link of an answer says which bytes it quoted; after a replacement its offsets mean nothing.
    is_replaced = not document.sha256.startswith(request.GET.get("of", ""))
    shown = None if is_replaced else cited
    canonical = _canonical(document)
    window = None
    if canonical is not None:
        window = text_window(canonical, chunks=_chunks(document), cited=shown, at=_number(request, "at"))
    page = _number(request, "page") or (page_at(canonical, shown[0]) if canonical and shown else None) or 1
    context = {
        "document": document,
        "window": window,
        "is_replaced": is_replaced,
        "is_cited_lost": shown is not None and (window is None or not window.is_cited_found),
        "page": page if document.format == "pdf" else None,
        "source_text": source_text(document),
        "attempts": document.attempts.select_related("requested_by")[:20],
        "attached": document.children.filter(deleted_at=None).order_by("name"),
        "near_duplicates": document.near_duplicates.filter(deleted_at=None).order_by("name")[:20],
        "stamps": document.index_stamps.select_related("version").order_by("-version"),
    }
    return render(request, "sources/document.html", context)


def _canonical(document: Document) -> rag.Extraction | None:
    if not document.canonical_sha256:
        return None
    try:
        return storage.load_canonical(document.canonical_sha256)
    except FileNotFoundError:
        return None


def _chunks(document: Document) -> list[tuple[int, int]]:
    """Where the active version cut the text; empty when it holds another text of the document."""
    version = active_version()
    stamp = document.index_stamps.filter(version=version, sha256=document.sha256).first() if version else None
    return [(int(left), int(right)) for left, right in stamp.chunk_offsets] if stamp else []


@require_safe
@signed_in
def page(request: PersonRequest, document_id: int, page: int) -> HttpResponseBase:
    """A page of a PDF as an image."""
    document = document_for(request.user, document_id)
    is_possible = document.format == "pdf" and page <= MAX_PAGE
    path = page_image(document, page) if is_possible else None
    if path is None:
        raise Http404
    return HttpResponse(path.read_bytes(), content_type="image/png")


@require_safe
@signed_in
def row(request: PersonRequest, document_id: int) -> HttpResponseBase:
    """A document's table row as it is now; `?of=failed` gives the one of the work list."""
    return _row(request, document_for(request.user, document_id), request.GET.get("of", "folder"))


def _row(request: PersonRequest, document: Document, of: str) -> HttpResponse:
    template = ROWS.get(of, ROWS["folder"])
    context: dict[str, object] = {"document": document}
    if of == "failed":
        entries = work_list(Document.objects.filter(pk=document.pk)).entries
        context["entry"] = entries[0] if entries else None
    return render(request, template, context)


@require_safe
@signed_in
def status(request: PersonRequest, document_id: int) -> HttpResponseBase:
    """The status part of the document page."""
    return render(
        request, "sources/_document_status.html", {"document": document_for(request.user, document_id)}
    )


@require_POST
@admin_only
def retry(request: PersonRequest, document_id: int) -> HttpResponseBase:
    """Queue a document again; of a PDF perhaps only the pages `first` to `last`."""
    document = document_for(request.user, document_id)
    document = retry_document(actor=request.user, document=document, pages=_pages(request))
    return _changed(request, document, f"{document.name} is queued again.")


def _pages(request: PersonRequest) -> tuple[int, int] | None:
    """The pages of the form; None when both fields are empty. One alone is a single page."""
    first, last = (request.POST.get(name, "").strip() for name in ("first", "last"))
    if not first and not last:
        return None
    # 0 is no page: what is no number is turned down with the same sentence.
    return number_of(first or last) or 0, number_of(last or first) or 0


@require_POST
@admin_only
def disable(request: PersonRequest, document_id: int) -> HttpResponseBase:
    """Leave a document out of every answer."""
    document = disable_document(actor=request.user, document=document_for(request.user, document_id))
    return _changed(request, document, f"{document.name} is left out; no answer uses it from now on.")


@require_POST
@admin_only
def enable(request: PersonRequest, document_id: int) -> HttpResponseBase:
    """Have a document that is left out searched again."""
    document = enable_document(actor=request.user, document=document_for(request.user, document_id))
    return _changed(request, document, f"{document.name} is queued; it is searched again when it is read.")


def _changed(request: PersonRequest, document: Document, said: str) -> HttpResponseBase:
    """The row or the status part where the button stood, or the page it was on."""
    if not is_htmx(request):
        messages.success(request, said)
        return redirect(back_or(request, "sources:failed"))
    of = request.POST.get("of", "folder")
    if of in ROWS:
        return _row(request, document, of)
    return render(request, "sources/_document_status.html", {"document": document})


@require_POST
@admin_only
def rename(request: PersonRequest, document_id: int) -> HttpResponseBase:
    """Give a document another name in its folder."""
    document = document_for(request.user, document_id)
    old = document.name
    document = rename_document(actor=request.user, document=document, name=request.POST.get("name", ""))
    messages.success(request, f"{old} is {document.name} now.")
    return redirect("sources:document", document.pk)


@require_http_methods(["GET", "HEAD", "POST"])
@admin_only
def delete(request: PersonRequest, document_id: int) -> HttpResponseBase:
    """Delete a document, after a page that says what that means."""
    document = document_for(request.user, document_id)
    if request.method != "POST":
        return render(
            request, "sources/delete.html", {"documents": [document], "back": back_or(request, "overview")}
        )
    delete_document(actor=request.user, document=document)
    messages.success(request, f"{document.name} is deleted; no answer uses it from now on.")
    return redirect("sources:folder", document.folder_id)


@require_safe
@signed_in
@csp({"default-src": ["'none'"], "sandbox": True})  # type: ignore[arg-type]
def original(request: PersonRequest, document_id: int) -> HttpResponseBase:
    """The bytes as they were uploaded. They are other people's: nothing in them may run on this site."""
    document = document_for(request.user, document_id)
    path = storage.original_path(document.sha256)
    if not path.exists():
        raise Http404
    name = document.name.rsplit("/", 1)[-1]
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return OriginalResponse(path.open("rb"), as_attachment=True, filename=name, content_type=kind)
