"""Ask, one question, all questions."""

from __future__ import annotations

from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from console.access import Rejected
from console.guards import PersonRequest, signed_in
from console.htmx import is_htmx, page_or_part
from console.index.selectors import active_version
from console.listing import list_rows
from console.questions import wording
from console.questions.forms import AskForm
from console.questions.models import PENDING_STATES, TERMINAL_STATES, Question, Surface
from console.questions.reading import read_question, trace_candidates, trace_stages
from console.questions.selectors import question_for, questions_visible_to
from console.questions.services import ask_question
from console.sources.models import SEARCHABLE_STATES
from console.sources.selectors import documents_visible_to
from console.values import searchable

QUESTIONS_BY = {
    "asked": "received_at",
    "outcome": "state",
    "surface": "surface",
    "time": "answer__elapsed_ms",
}


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def ask(request: PersonRequest) -> HttpResponseBase:
    """The Ask page; the result appears in it, or on its own page without JavaScript."""
    if request.method == "POST":
        return _take_question(request)
    chosen = request.GET.getlist("folder")
    form = AskForm(asker=request.user, initial={"text": request.GET.get("text", ""), "folders": chosen})
    return _ask_page(request, form)


def _take_question(request: PersonRequest) -> HttpResponseBase:
    form = AskForm(request.POST, asker=request.user)
    if form.is_valid():
        try:
            question = ask_question(
                actor=request.user,
                text=form.cleaned_data["text"],
                surface=Surface.CONSOLE,
                folder_ids=form.folder_ids(),
            )
        except Rejected as error:
            form.add_error("text", str(error))
        else:
            if is_htmx(request):
                return _result(request, question, template="questions/_result.html")
            return redirect("questions:question", question.pk)
    if is_htmx(request):
        errors = [str(error) for field_errors in form.errors.values() for error in field_errors]
        return render(request, "_note.html", {"text": " ".join(errors)}, status=422)
    return _ask_page(request, form, status=422)


def _ask_page(request: PersonRequest, form: AskForm, status: int = 200) -> HttpResponse:
    documents = documents_visible_to(request.user)
    context = {
        "form": form,
        "n_searchable": documents.filter(state__in=SEARCHABLE_STATES).count(),
        "has_index": active_version() is not None,
        "recent": questions_visible_to(request.user).filter(asker=request.user)[:10],
    }
    parts = {"recent": "questions/_recent.html"}
    return page_or_part(request, "questions/ask.html", context, parts=parts, status=status)


def _result(
    request: PersonRequest, question: Question, *, template: str, has_trace: bool = False
) -> HttpResponse:
    reading = read_question(question, reader=request.user)
    context: dict[str, object] = {
        "reading": reading,
        "question": question,
        "answer": reading.answer,
        "says": wording.says(question.state, reading.answer.reason_code if reading.answer else ""),
        "has_trace": has_trace,
    }
    if has_trace and reading.answer is not None:
        context["stages"] = trace_stages(reading.answer, hides_documents=reading.n_hidden_folders > 0)
        context["candidates"] = trace_candidates(reading.answer, reader=request.user)
    return render(request, template, context)


@require_safe
@signed_in
def question(request: PersonRequest, question_id: UUID) -> HttpResponseBase:
    """A question with its answer and everything that decided it; the page can be shared."""
    question = question_for(request.user, str(question_id))
    return _result(request, question, template="questions/question.html", has_trace=True)


@require_safe
@signed_in
def result(request: PersonRequest, question_id: UUID) -> HttpResponseBase:
    """The result part alone, as it is now; `?trace=1` with the numbers."""
    question = question_for(request.user, str(question_id))
    has_trace = request.GET.get("trace") == "1"
    template = "questions/_full.html" if has_trace else "questions/_result.html"
    return _result(request, question, template=template, has_trace=has_trace)


def filtered_questions(rows: QuerySet[Question], values: dict[str, str]) -> QuerySet[Question]:
    """`rows` after the filters outcome, surface and q (text); unknown values filter nothing."""
    outcome = values.get("outcome", "")
    if outcome == "pending":
        rows = rows.filter(state__in=PENDING_STATES)
    elif outcome in TERMINAL_STATES:
        rows = rows.filter(state=outcome)
    if values.get("surface", "") in Surface.values:
        rows = rows.filter(surface=values["surface"])
    if text := searchable(values.get("q", "")):
        rows = rows.filter(text__icontains=text)
    return rows


@require_safe
@signed_in
def questions(request: PersonRequest) -> HttpResponseBase:
    """Every question the person may see."""
    values = {name: request.GET.get(name, "") for name in ("outcome", "surface", "q")}
    rows = filtered_questions(questions_visible_to(request.user), values)
    context = {
        "listing": list_rows(request, rows, sortable=QUESTIONS_BY, default="-asked"),
        "filters": values,
        "is_filtered": any(values.values()),
        "outcomes": [(state.value, state.label) for state in TERMINAL_STATES] + [("pending", "Pending")],
        "surfaces": Surface.choices,
    }
    return page_or_part(request, "questions/list.html", context, parts={"list": "questions/_list.html"})
