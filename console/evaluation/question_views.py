"""Pages that add and change golden questions."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from console.access import Rejected
from console.evaluation.checking import check_rows
from console.evaluation.forms import FORMS, FromQuestionForm, QuestionForm
from console.evaluation.from_question import add_from_question, quotes_of
from console.evaluation.golden import golden_of_rows
from console.evaluation.models import GoldenKind, GoldenQuestion, GoldenSet
from console.evaluation.selectors import (
    documents_of,
    golden_question_for,
    golden_set_for,
    golden_sets_visible_to,
)
from console.evaluation.services import remove_golden_question, save_golden_question
from console.guards import PersonRequest, sent_form, support_lead_only
from console.questions.models import QuestionState
from console.questions.selectors import question_for

MAX_SUGGESTED = 500
"""Documents that the forms suggest by name."""


@require_http_methods(["GET", "HEAD", "POST"])
@support_lead_only
def new_question(request: PersonRequest, set_id: int) -> HttpResponseBase:
    """Add a question of the kind in `?kind=`."""
    stored = golden_set_for(request.user, set_id)
    kind = request.GET.get("kind", "")
    kind = kind if kind in FORMS else GoldenKind.NEEDLE.value
    return _question_page(request, stored, FORMS[kind](sent_form(request)), kind, None)


@require_http_methods(["GET", "HEAD", "POST"])
@support_lead_only
def edit_question(request: PersonRequest, golden_question_id: int) -> HttpResponseBase:
    """Change a question."""
    stored = golden_question_for(request.user, golden_question_id)
    kind = FORMS[stored.kind]
    form = kind(sent_form(request), initial=kind.initial_of(stored))
    return _question_page(request, stored.golden_set, form, stored.kind, stored)


def _question_page(
    request: PersonRequest,
    golden_set: GoldenSet,
    form: QuestionForm,
    kind: str,
    stored: GoldenQuestion | None,
) -> HttpResponseBase:
    if request.method == "POST" and form.is_valid():
        try:
            saved = save_golden_question(
                actor=request.user, golden_set=golden_set, row=form.row(), stored=stored
            )
        except Rejected as error:
            form.add_error("key" if error.code == "golden_key_taken" else None, str(error))
        else:
            _tell_saved(request, saved)
            return redirect("evaluation:set", golden_set.pk)
    context = {
        "form": form,
        "golden_set": golden_set,
        "stored": stored,
        "kind": GoldenKind(kind),
        "kinds": GoldenKind.choices,
        "documents": documents_of(golden_set).order_by("name").values_list("name", flat=True)[:MAX_SUGGESTED],
    }
    return render(request, "evaluation/question_form.html", context, status=422 if form.errors else 200)


def _tell_saved(request: HttpRequest, saved: GoldenQuestion) -> None:
    """That it is saved, and what the documents say against it now."""
    faults = check_rows(saved.golden_set, golden_of_rows("", [saved])).faults
    messages.success(request, f"{saved.key} is saved.")
    if faults:
        told = " ".join(dict.fromkeys(fault.message for fault in faults))
        messages.error(request, f"{saved.key} cannot be measured rightly as it is: {told}")


@require_POST
@support_lead_only
def remove_question(request: PersonRequest, golden_question_id: int) -> HttpResponseBase:
    """Take a question out of its set."""
    stored = golden_question_for(request.user, golden_question_id)
    remove_golden_question(actor=request.user, question=stored)
    messages.success(request, f"{stored.key} is removed. Runs that are done keep it.")
    return redirect("evaluation:set", stored.golden_set_id)


@require_http_methods(["GET", "HEAD", "POST"])
@support_lead_only
def from_question(request: PersonRequest, question_id: UUID) -> HttpResponseBase:
    """Add a real question to a set: with a citation as its needle, or as one to refuse."""
    question = question_for(request.user, str(question_id))
    quotes = quotes_of(question, reader=request.user)
    initial = {
        "kind": GoldenKind.NEEDLE
        if quotes and question.state == QuestionState.ANSWERED
        else GoldenKind.REFUSAL,
        "text": question.text,
        "citation": quotes[0].number if quotes else None,
    }
    form = FromQuestionForm(sent_form(request), initial=initial, editor=request.user, quotes=quotes)
    if request.method == "POST" and form.is_valid():
        values = form.cleaned_data
        try:
            saved = add_from_question(
                actor=request.user,
                golden_set=values["golden_set"],
                question=question,
                kind=values["kind"],
                text=values["text"],
                ticket=values["ticket"],
                citation_number=values.get("citation"),
                document=values["document"],
                needle=values["needle"],
                refusal_kind=values["refusal_kind"],
                why=values["why"],
            )
        except Rejected as error:
            field = "citation" if "citation" in form.fields else "needle"
            form.add_error(field if error.code == "citation_missing" else None, str(error))
        else:
            _tell_saved(request, saved)
            return redirect("evaluation:set", saved.golden_set_id)
    context = {
        "form": form,
        "question": question,
        "has_sets": golden_sets_visible_to(request.user).exists(),
    }
    return render(request, "evaluation/from_question.html", context, status=422 if form.errors else 200)
