"""The first page: how questions ended, what the folders hold, what needs a person."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_safe

from console.guards import PersonRequest, signed_in
from console.htmx import page_or_part
from console.index.health import document_problems, model_problems
from console.index.selectors import active_version, threshold_in_force
from console.questions.selectors import outcome_counts, questions_visible_to
from console.sources.selectors import documents_needing_attention, folders_with_counts

N_RECENT = 8


@require_safe
@signed_in
def overview(request: PersonRequest) -> HttpResponseBase:
    """Overview; its two halves are fetched again when something they count changes."""
    user = request.user
    version = active_version()
    context: dict[str, object] = {
        "counts": outcome_counts(user),
        "recent": questions_visible_to(user)[:N_RECENT],
        "folders": folders_with_counts(user),
        "attention": documents_needing_attention(user)[:N_RECENT],
        "model_problems": model_problems() if user.is_support_lead else [],
        "problems": document_problems() if user.is_support_lead else [],
        "version": version,
        "threshold": threshold_in_force(version) if version else None,
    }
    parts = {
        "overview-questions": "overview/_questions.html",
        "overview-documents": "overview/_documents.html",
    }
    return page_or_part(request, "overview/page.html", context, parts=parts)


@require_safe
def healthz(_request: HttpRequest) -> HttpResponse:
    """Liveness for load balancers: says that the process serves, and nothing else."""
    return HttpResponse("ok", content_type="text/plain")
