"""Pages that htmx fetches in parts."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def is_htmx(request: HttpRequest) -> bool:
    """True when htmx asks, so that a part of a page is enough."""
    return request.headers.get("HX-Request") == "true"


def page_or_part(
    request: HttpRequest,
    template: str,
    context: dict[str, object],
    *,
    parts: dict[str, str],
    status: int = 200,
) -> HttpResponse:
    """The whole page, or the part htmx wants to swap; `parts` maps element ids to templates."""
    target = request.headers.get("HX-Target", "")
    part = parts.get(target) if is_htmx(request) else None
    return render(request, part or template, context, status=status)
