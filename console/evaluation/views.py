"""Pages of golden sets and their questions."""

from __future__ import annotations

import re
from collections.abc import Iterable

from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from console.access import Rejected
from console.evaluation import sample as samples
from console.evaluation.checking import check_golden_set
from console.evaluation.files import ImportFault, ImportFaulty, export_archive
from console.evaluation.forms import GoldenSetForm, ImportForm
from console.evaluation.golden import golden_of
from console.evaluation.models import GoldenKind, GoldenQuestion, RefusalKind
from console.evaluation.selectors import (
    golden_set_for,
    golden_sets_with_counts,
    runs_visible_to,
)
from console.evaluation.services import (
    create_golden_set,
    delete_golden_set,
    import_questions,
    update_golden_set,
)
from console.guards import PersonRequest, sent_form, support_lead_only
from console.htmx import page_or_part
from console.listing import list_rows
from console.values import searchable

SETS_BY = {
    "name": "name",
    "needles": "n_needles",
    "multihop": "n_multihop",
    "refusals": "n_refusals",
    "run": "last_run_at",
}
QUESTIONS_BY = {"key": "key", "kind": "kind", "question": "question", "changed": "changed_at", "added": "pk"}
N_RUNS = 20
N_FAULTS = 200
"""Listed at once; who has more mends these first, or the file that they came from."""


@require_safe
@support_lead_only
def golden_sets(request: PersonRequest) -> HttpResponseBase:
    """Every set the person may see, with its last run."""
    rows = golden_sets_with_counts(request.user)
    listing = list_rows(request, rows, sortable=SETS_BY, default="name")
    context: dict[str, object] = {
        "listing": listing,
        "sample_folder": samples.sample_folder(request.user) if not listing.n_total else None,
    }
    return page_or_part(request, "evaluation/list.html", context, parts={"list": "evaluation/_sets.html"})


@require_POST
@support_lead_only
def sample(request: PersonRequest) -> HttpResponseBase:
    """Import the questions of the sample handbook."""
    made = samples.import_sample(actor=request.user)
    messages.success(request, f"{made.questions.count()} questions are imported. Run them when you like.")
    return redirect("evaluation:set", made.pk)


@require_http_methods(["GET", "HEAD", "POST"])
@support_lead_only
def edit_set(request: PersonRequest, set_id: int | None = None) -> HttpResponseBase:
    """Make a set, or change one."""
    stored = golden_set_for(request.user, set_id) if set_id is not None else None
    initial = None
    if stored is not None:
        initial = {
            "name": stored.name,
            "description": stored.description,
            "folders": stored.folders.all(),
        }
    form = GoldenSetForm(sent_form(request), initial=initial, editor=request.user)
    if request.method == "POST" and form.is_valid():
        values = form.cleaned_data
        fields = {
            "name": values["name"],
            "description": values["description"],
            "folder_ids": [folder.pk for folder in values["folders"]],
        }
        try:
            saved = (
                update_golden_set(actor=request.user, golden_set=stored, **fields)
                if stored
                else create_golden_set(actor=request.user, **fields)
            )
        except Rejected as error:
            form.add_error("folders" if error.code == "golden_set_folders" else "name", str(error))
        else:
            return redirect("evaluation:set", saved.pk)
    context = {"form": form, "golden_set": stored}
    return render(request, "evaluation/set_form.html", context, status=422 if form.errors else 200)


@require_http_methods(["GET", "HEAD", "POST"])
@support_lead_only
def delete_set(request: PersonRequest, set_id: int) -> HttpResponseBase:
    """Ask, then delete a set with its runs."""
    stored = golden_set_for(request.user, set_id)
    if request.method == "POST":
        delete_golden_set(actor=request.user, golden_set=stored)
        messages.success(request, f"{stored.name} is deleted.")
        return redirect("evaluation:list")
    return render(request, "evaluation/delete_set.html", {"golden_set": stored})


def filtered_questions(rows: QuerySet[GoldenQuestion], values: dict[str, str]) -> QuerySet[GoldenQuestion]:
    """`rows` after the filters kind (with the kinds to refuse among them) and q; unknown values filter nothing."""
    if values["kind"] in GoldenKind.values:
        rows = rows.filter(kind=values["kind"])
    elif values["kind"] in RefusalKind.values:
        rows = rows.filter(refusal_kind=values["kind"])
    if text := searchable(values["q"]):
        rows = rows.filter(Q(question__icontains=text) | Q(ticket__icontains=text) | Q(key__icontains=text))
    return rows


@require_safe
@support_lead_only
def golden_set(request: PersonRequest, set_id: int) -> HttpResponseBase:
    """A set: its questions, and its runs."""
    stored = golden_sets_with_counts(request.user).get(pk=set_id)
    values = {name: request.GET.get(name, "") for name in ("kind", "q")}
    rows = filtered_questions(stored.questions.select_related("source"), values)
    runs = runs_visible_to(request.user).filter(golden_set=stored)
    context = {
        "golden_set": stored,
        "listing": list_rows(request, rows, sortable=QUESTIONS_BY, default="added"),
        "filters": values,
        "is_filtered": any(values.values()),
        "kinds": [*GoldenKind.choices, *((kind.value, f"to refuse: {kind.value}") for kind in RefusalKind)],
        "folders": stored.folders.all(),
        "runs": runs[:N_RUNS],
        "live_run": runs.filter(state__in=["queued", "running"]).first(),
    }
    parts = {"list": "evaluation/_questions.html", "runs": "evaluation/_runs.html"}
    return page_or_part(request, "evaluation/set.html", context, parts=parts)


@require_http_methods(["GET", "HEAD", "POST"])
@support_lead_only
def import_files(request: PersonRequest, set_id: int) -> HttpResponseBase:
    """Take in files; their faults are listed by line, and then nothing is imported."""
    stored = golden_set_for(request.user, set_id)
    form = ImportForm(sent_form(request), request.FILES if request.method == "POST" else None)
    faults: Iterable[ImportFault] = ()
    if request.method == "POST" and form.is_valid():
        try:
            files = [(file.name or "", file.read()) for file in form.cleaned_data["files"]]
            n_added, n_changed = import_questions(actor=request.user, golden_set=stored, files=files)
        except ImportFaulty as error:
            faults = error.faults
            form.add_error(None, "Nothing was imported. Mend these lines and import again.")
        else:
            messages.success(request, f"{n_added} questions added, {n_changed} changed.")
            return redirect("evaluation:set", stored.pk)
    context = {"golden_set": stored, "form": form, "faults": faults}
    return render(request, "evaluation/import.html", context, status=422 if form.errors else 200)


@require_safe
@support_lead_only
def export(request: PersonRequest, set_id: int) -> HttpResponseBase:
    """The set's files as a ZIP."""
    stored = golden_set_for(request.user, set_id)
    response = HttpResponse(export_archive(golden_of(stored)), content_type="application/zip")
    name = re.sub(r"[^A-Za-z0-9]+", "-", stored.name).strip("-").lower() or "golden-set"
    response["Content-Disposition"] = f'attachment; filename="{name}.zip"'
    return response


@require_safe
@support_lead_only
def check(request: PersonRequest, set_id: int) -> HttpResponseBase:
    """Every needle looked for in the documents that are indexed now."""
    stored = golden_set_for(request.user, set_id)
    report = check_golden_set(stored)
    ids = dict(stored.questions.values_list("key", "pk"))
    context = {
        "golden_set": stored,
        "report": report,
        "faults": [(fault, ids.get(fault.id)) for fault in report.faults[:N_FAULTS]],
    }
    return render(request, "evaluation/check.html", context)
