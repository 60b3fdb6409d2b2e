"""The work list of documents that need a person, and what is done to many at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import cast

from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from console.access import Rejected
from console.guards import PersonRequest, admin_only, back_or, signed_in
from console.htmx import page_or_part
from console.listing import Listing
from console.sources.models import Document
from console.sources.selectors import (
    documents_needing_attention,
    documents_visible_to,
    folder_for,
    folders_visible_to,
)
from console.sources.services import delete_document, retry_documents
from console.sources.work_list import Entry, work_list
from console.values import number_of, searchable

PER_PAGE = 100
MAX_BULK = 1_000


@dataclass(frozen=True, slots=True)
class FailedRow:
    """A document of the list with what is counted about it."""

    document: Document
    entry: Entry


@require_safe
@signed_in
def failed(request: PersonRequest) -> HttpResponseBase:
    """Failed, partial and stalled documents by reason, what may explain the most refusals first."""
    documents = documents_needing_attention(request.user)
    folder_id = number_of(request.GET.get("folder", ""))
    if folder_id is not None:
        documents = documents.filter(folder_id=folder_id)
    found = work_list(documents)
    reason = searchable(request.GET.get("reason", ""))
    entries = [entry for entry in found.entries if reason in {"", entry.reason_code}]
    page = Paginator(entries, PER_PAGE).get_page(request.GET.get("page"))
    rows = _rows_of(request, list(page.object_list))
    of_code = {group.reason_code: group for group in found.groups}
    groups = [
        {"group": of_code[code], "rows": list(shown)}
        for code, shown in groupby(rows, key=lambda row: row.entry.reason_code)
    ]
    context = {
        "listing": Listing(
            rows=[row.document for row in rows], page=cast("Page[Document]", page), sort="", target="list"
        ),
        "groups": groups,
        "reasons": found.groups,
        "reason": reason,
        "folder_filter": "" if folder_id is None else str(folder_id),
        "folders": folders_visible_to(request.user),
    }
    return page_or_part(request, "sources/failed.html", context, parts={"list": "sources/_failed.html"})


def _rows_of(request: PersonRequest, entries: Sequence[Entry]) -> list[FailedRow]:
    """The entries with their documents, in the same order; one that was deleted meanwhile is left out."""
    ids = [entry.document_id for entry in entries]
    documents = documents_visible_to(request.user).in_bulk(ids)
    return [
        FailedRow(documents[entry.document_id], entry) for entry in entries if entry.document_id in documents
    ]


@require_safe
@signed_in
def attention(request: PersonRequest) -> HttpResponseBase:
    """The badge of the Failed entry."""
    return render(request, "sources/_attention.html")


def _chosen(request: PersonRequest) -> list[Document]:
    """The documents a bulk form names: ticked ones, or all that need attention of a reason, a folder or both."""
    rows = documents_visible_to(request.user)
    ticked = request.POST.getlist("document")
    reason = searchable(request.POST.get("reason", ""))
    if len(ticked) > MAX_BULK:
        raise Rejected("too_many_ticked", f"Tick at most {MAX_BULK:,} documents at a time.")
    if ticked:
        rows = rows.filter(pk__in=[pk for pk in map(number_of, ticked) if pk is not None])
    elif reason or request.POST.get("folder", ""):
        rows = documents_needing_attention(request.user)
        if reason:
            rows = rows.filter(reason_code=reason)
        if folder := request.POST.get("folder", ""):
            # 0 is nobody's id: a folder that cannot be is answered like one that is not theirs.
            rows = rows.filter(folder=folder_for(request.user, number_of(folder) or 0))
    else:
        raise Rejected("nothing_selected", "Tick at least one document first.")
    return list(rows)


@require_POST
@admin_only
def retry_many(request: PersonRequest) -> HttpResponseBase:
    """Retry what was ticked, or all of one reason or folder."""
    chosen = _chosen(request)
    n_queued = retry_documents(actor=request.user, documents=chosen)
    n_left = len(chosen) - n_queued
    left = f" {n_left} had nothing to retry." if n_left else ""
    messages.success(request, f"{n_queued} queued again.{left}")
    return redirect(back_or(request, "sources:failed"))


@require_POST
@admin_only
def delete_many(request: PersonRequest) -> HttpResponseBase:
    """Delete what was ticked, after a page that names each of them."""
    chosen = _chosen(request)
    if request.POST.get("confirmed") != "yes":
        context = {"documents": chosen, "back": back_or(request, "sources:folders")}
        return render(request, "sources/delete.html", context)
    for document in chosen:
        delete_document(actor=request.user, document=document)
    messages.success(request, f"{len(chosen)} deleted; no answer uses them from now on.")
    return redirect(back_or(request, "sources:folders"))
