"""One document: its page, its row, its original, retry and delete."""

from __future__ import annotations

import mimetypes

from csp.decorators import csp
from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from console import storage
from console.guards import PersonRequest, admin_only, back_or, signed_in
from console.htmx import is_htmx
from console.index.selectors import active_version
from console.sources.canonical import page_at, text_window
from console.sources.models import Document
from console.sources.originals import OriginalResponse, page_image, source_text
from console.sources.selectors import document_for
from console.sources.services import delete_document, retry_document
from console.storage import CanonicalText
from console.values import number_of

MAX_PAGE = 100_000
"""A number beyond it is no page; with many digits it could not even be part of a file's name."""

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
        "stamps": document.index_stamps.select_related("version").order_by("-version"),
    }
    return render(request, "sources/document.html", context)


def _canonical(document: Document) -> CanonicalText | None:
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
    template = ROWS.get(request.GET.get("of", "folder"), ROWS["folder"])
    return render(request, template, {"document": document_for(request.user, document_id)})


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
    """Queue a document again."""
    document = retry_document(actor=request.user, document=document_for(request.user, document_id))
    if is_htmx(request):
        template = ROWS.get(request.POST.get("of", "folder"), "sources/_document_status.html")
        return render(request, template, {"document": document})
    messages.success(request, f"{document.name} is queued again.")
    return redirect(back_or(request, "sources:failed"))


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
