"""Pages for what went wrong: what happened, what is safe, what to do."""

from __future__ import annotations

import logging
import secrets

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from console.guards import is_htmx

log = logging.getLogger(__name__)


def _answer(
    request: HttpRequest, status: int, title: str, sentences: list[str], *, reference: str = ""
) -> HttpResponse:
    context = {"status": status, "title": title, "sentences": sentences, "reference": reference}
    if is_htmx(request):
        text = " ".join(sentences)
        return render(request, "_note.html", {"text": text, "code": reference}, status=status)
    return render(request, "error.html", context, status=status)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400."""
    log.info("bad request: %s", type(exception).__name__)
    return _answer(
        request,
        400,
        "That request could not be read",
        [
            "Nothing was changed.",
            "Go back and try again; with very many files, upload a part of them at a time.",
        ],
    )


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """403, with the sentence the guard gave."""
    return _answer(
        request,
        403,
        "Your role does not include this",
        [
            str(exception) or "You may not do this.",
            "Nothing was changed. An admin can change your role under People.",
        ],
    )


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    """403 for a form without its token, usually one that was open for very long."""
    log.info("csrf check failed: %s", reason)
    return _answer(
        request,
        403,
        "This form is out of date",
        ["Nothing was changed.", "Reload the page it was on and send it again."],
    )


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001 - passed by name
    """404; the same whether a thing is missing or not theirs to see."""
    return _answer(
        request,
        404,
        "Nothing here",
        ["It was deleted, never existed, or lies in a folder you may not see."],
    )


def server_error(request: HttpRequest) -> HttpResponse:
    """500, without the frame: whatever broke must not break this page too."""
    reference = secrets.token_hex(4).upper()
    log.error("reference %s: %s %s broke", reference, request.method, request.path)
    context = {"reference": reference}
    if is_htmx(request):
        text = "Something failed on our side. What was stored before is safe."
        return render(None, "_note.html", {"text": text, "code": reference}, status=500)
    return render(None, "500.html", context, status=500)


def too_many_attempts(
    request: HttpRequest,
    original_response: HttpResponse | None = None,  # noqa: ARG001 - django-axes passes both
    credentials: dict[str, str] | None = None,  # noqa: ARG001
) -> HttpResponse:
    """429 after ten wrong passwords for one name from one address; it ends by itself."""
    return _answer(
        request,
        429,
        "Too many attempts to sign in",
        [
            "Wait 15 minutes, then try again.",
            "An admin can set a new password: `manage.py changepassword NAME`.",
        ],
    )
