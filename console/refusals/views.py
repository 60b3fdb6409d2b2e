"""What to look after: the refusals, with the number that decided each, and what readers said of answers."""

from __future__ import annotations

from django.db.models import Case, Count, F, Q, When
from django.http import HttpResponseBase
from django.views.decorators.http import require_safe

import rag
from console.guards import PersonRequest, support_lead_only
from console.htmx import page_or_part
from console.listing import list_rows
from console.questions.feedback import feedback_visible_to
from console.questions.models import FeedbackReason, Verdict
from console.questions.reading import read_questions
from console.questions.selectors import refusals_visible_to
from console.values import searchable

BEST_SCORE = Case(
    When(answer__relevance_cut=None, then=F("answer__best_distance")), default=F("answer__best_relevance")
)
MISSED_BY = Case(
    When(answer__relevance_cut=None, then=F("answer__best_distance") - F("answer__distance_cut")),
    default=F("answer__relevance_cut") - F("answer__best_relevance"),
)
"""Above 0: the best passage missed the cut by so much; at 0 or below it passed and something else refused."""
REFUSALS_BY = {
    "asked": "received_at",
    "reason": "answer__reason_code",
    "best": "best",
    "margin": "margin",
}
FEEDBACK_BY = {
    "given": "given_at",
    "verdict": "verdict",
    "reason": "reason",
}


@require_safe
@support_lead_only
def refusals(request: PersonRequest) -> HttpResponseBase:
    """Refused questions; those that missed the cut by least come first when sorted by margin."""
    rows = refusals_visible_to(request.user).prefetch_related("answer__citations", "help_request__owners")
    by_reason = rows.order_by().values("answer__reason_code").annotate(n=Count("pk"))
    counts = {row["answer__reason_code"]: row["n"] for row in by_reason}
    values = {"reason": request.GET.get("reason", ""), "q": searchable(request.GET.get("q", ""))}
    if values["reason"] in list(rag.RefusalReason):
        rows = rows.filter(answer__reason_code=values["reason"])
    if values["q"]:
        rows = rows.filter(text__icontains=values["q"])
    rows = rows.annotate(best=BEST_SCORE, margin=MISSED_BY)
    listing = list_rows(request, rows, sortable=REFUSALS_BY, default="-asked")
    context = {
        "listing": listing,
        "readings": read_questions(listing.rows, reader=request.user),
        "filters": values,
        "is_filtered": any(values.values()),
        "reasons": [(reason.value, counts.get(reason.value, 0)) for reason in rag.RefusalReason],
    }
    return page_or_part(request, "refusals/list.html", context, parts={"list": "refusals/_list.html"})


@require_safe
@support_lead_only
def feedback(request: PersonRequest) -> HttpResponseBase:
    """What readers made of answers; without a filter those that did not help."""
    rows = feedback_visible_to(request.user)
    counts = {row["reason"]: row["n"] for row in rows.order_by().values("reason").annotate(n=Count("pk"))}
    values = {name: request.GET.get(name, "") for name in ("verdict", "reason")}
    values |= {"q": searchable(request.GET.get("q", ""))}
    if values["verdict"] not in {*Verdict.values, "any"}:
        values["verdict"] = Verdict.NOT_HELPFUL.value
    if values["verdict"] != "any":
        rows = rows.filter(verdict=values["verdict"])
    if values["reason"] in FeedbackReason.values:
        rows = rows.filter(reason=values["reason"])
    if values["q"]:
        rows = rows.filter(Q(question__text__icontains=values["q"]) | Q(comment__icontains=values["q"]))
    context = {
        "listing": list_rows(request, rows, sortable=FEEDBACK_BY, default="-given"),
        "filters": values,
        "is_filtered": bool(values["reason"] or values["q"]) or values["verdict"] != Verdict.NOT_HELPFUL,
        "verdicts": Verdict.choices,
        "reasons": [(value, label, counts.get(value, 0)) for value, label in FeedbackReason.choices],
    }
    return page_or_part(request, "refusals/feedback.html", context, parts={"list": "refusals/_feedback.html"})
