"""Pages of folders."""

from __future__ import annotations

from collections import Counter

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from console.access import Rejected
from console.guards import PersonRequest, admin_only, sent_form, signed_in
from console.htmx import is_htmx, page_or_part
from console.listing import list_rows
from console.sources.batches import batch_of
from console.sources.forms import FolderAccessForm, FolderForm
from console.sources.models import WORKING_STATES, Document, DocumentState, Folder
from console.sources.receiving import Received, receive_file
from console.sources.selectors import documents_visible_to, folder_for, folders_with_counts
from console.sources.services import create_folder, update_folder
from console.sources.sync_report import SyncResult
from console.values import searchable

FOLDERS_BY = {
    "name": "name",
    "documents": "n_documents",
    "searchable": "n_searchable",
    "attention": "n_attention",
    "created": "created_at",
}
DOCUMENTS_BY = {
    "name": "name",
    "state": "state",
    "passages": "n_chunks",
    "size": "size_bytes",
    "changed": "state_changed_at",
}
OTHER_RESULTS = {
    SyncResult.SAME_BYTES: "kept once",
    SyncResult.RENAMED: "renamed",
    SyncResult.DELETED: "deleted",
}


@require_safe
@signed_in
def folders(request: PersonRequest) -> HttpResponseBase:
    """Every folder the person may see."""
    listing = list_rows(request, folders_with_counts(request.user), sortable=FOLDERS_BY, default="name")
    return page_or_part(
        request, "sources/folders.html", {"listing": listing}, parts={"list": "sources/_folders.html"}
    )


@require_http_methods(["GET", "HEAD", "POST"])
@admin_only
def new_folder(request: PersonRequest) -> HttpResponseBase:
    """Create a folder."""
    form = FolderForm(sent_form(request))
    if request.method == "POST" and form.is_valid():
        try:
            created = create_folder(actor=request.user, **form.cleaned_data)
        except Rejected as error:
            form.add_error("name", str(error))
        else:
            return redirect("sources:folder", created.pk)
    return render(request, "sources/folder_form.html", {"form": form}, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@admin_only
def edit_folder(request: PersonRequest, folder_id: int) -> HttpResponseBase:
    """Change who may be answered from a folder."""
    folder = folder_for(request.user, folder_id)
    initial = {
        "description": folder.description,
        "is_open": folder.is_open,
        "is_shared_externally": folder.is_shared_externally,
        "leaves_out_near_duplicates": folder.leaves_out_near_duplicates,
        "language": folder.language,
        "members": folder.members.all(),
        "owners": folder.owners.all(),
    }
    form = FolderAccessForm(sent_form(request), initial=initial)
    if request.method == "POST" and form.is_valid():
        values = form.cleaned_data
        update_folder(
            actor=request.user,
            folder=folder,
            is_open=values["is_open"],
            is_shared_externally=values["is_shared_externally"],
            description=values["description"],
            leaves_out_near_duplicates=values["leaves_out_near_duplicates"],
            language=values["language"],
            member_ids=[member.pk for member in values["members"]],
            owner_ids=[owner.pk for owner in values["owners"]],
        )
        messages.success(request, f"{folder.name} is changed. It counts from the next question on.")
        return redirect("sources:folder", folder.pk)
    context = {"form": form, "folder": folder}
    return render(request, "sources/folder_form.html", context, status=422 if form.errors else 200)


def filtered_documents(request: PersonRequest, folder: Folder) -> QuerySet[Document]:
    """The folder's documents after the filters of the page."""
    rows = documents_visible_to(request.user).filter(folder=folder)
    if text := searchable(request.GET.get("q", "")):
        rows = rows.filter(name__icontains=text)
    state = request.GET.get("state", "")
    if state == "working":
        return rows.filter(state__in=WORKING_STATES)
    return rows.filter(state=state) if state in DocumentState.values else rows


@require_safe
@signed_in
def folder(request: PersonRequest, folder_id: int) -> HttpResponseBase:
    """A folder: upload, and its documents with their status."""
    folder = folders_with_counts(request.user).get(pk=folder_id)
    listing = list_rows(request, filtered_documents(request, folder), sortable=DOCUMENTS_BY, default="name")
    context = {
        "folder": folder,
        "listing": listing,
        "states": DocumentState.choices,
        "q": request.GET.get("q", ""),
        "state_filter": request.GET.get("state", ""),
        "batch": batch_of(folder),
        "n_members": folder.members.count(),
    }
    parts = {"list": "sources/_documents.html", "folder-counts": "sources/_folder_counts.html"}
    return page_or_part(request, "sources/folder.html", context, parts=parts)


@require_POST
@admin_only
def upload(request: PersonRequest, folder_id: int) -> HttpResponseBase:
    """Take in files; with JavaScript one a request, so that each has its own progress and answer."""
    folder = folder_for(request.user, folder_id)
    files = request.FILES.getlist("files")
    if not files:
        raise Rejected("no_file", "Choose at least one file.")
    paths = request.POST.getlist("paths")
    received = [
        _take_in(request, folder, file, paths[position] if len(paths) == len(files) else "")
        for position, file in enumerate(files)
    ]
    if is_htmx(request):
        return render(request, "sources/_uploaded.html", {"received": received})
    counts: Counter[SyncResult] = Counter()
    for one in received:
        for row in one.rejected:
            messages.error(request, f"{row.name}: {row.detail}")
        counts.update(row.result for row in one.rows)
    n_stored = counts[SyncResult.CREATED] + counts[SyncResult.REPLACED]
    said = [f"{n_stored} stored", f"{counts[SyncResult.UNCHANGED]} unchanged"]
    said += [f"{counts[result]} {word}" for result, word in OTHER_RESULTS.items() if counts[result]]
    messages.success(request, f"{', '.join(said)}.")
    return redirect("sources:folder", folder.pk)


def _named_by_browser(name: str) -> str:
    """A file's name as it is on disk: in a form's header browsers write three signs of it with a percent."""
    for written, sign in (("%22", '"'), ("%0D", " "), ("%0A", " ")):
        name = name.replace(written, sign)
    return name


def _take_in(request: PersonRequest, folder: Folder, file: UploadedFile[bytes], path: str) -> Received:
    name = path or _named_by_browser(file.name or "")
    return receive_file(actor=request.user, folder=folder, name=name, pieces=file.chunks())
