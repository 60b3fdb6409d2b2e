"""Pages for what went wrong: what happened, what is safe, what to do."""

from __future__ import annotations

import logging
import secrets

from django.core.exceptions import DisallowedHost, RequestDataTooBig, TooManyFieldsSent, TooManyFilesSent
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from console.htmx import is_htmx
from console.problems import problem

log = logging.getLogger(__name__)


def _answer(request: HttpRequest, status: int, title: str, sentences: list[str]) -> HttpResponse:
    if is_htmx(request):
        return render(request, "_note.html", {"text": " ".join(sentences)}, status=status)
    context = {"status": status, "title": title, "sentences": sentences}
    return render(request, "error.html", context, status=status)


def _answer_bare(
    request: HttpRequest, status: int, title: str, sentences: list[str], *, reference: str = ""
) -> HttpResponse:
    """Without the frame and without reading who asks."""
    if is_htmx(request):
        text = " ".join([f"{title}.", *sentences])
        return render(None, "_note.html", {"text": text, "code": reference}, status=status)
    context = {"title": title, "sentences": sentences, "reference": reference}
    return render(None, "bare_error.html", context, status=status)


def is_for_api(request: HttpRequest) -> bool:
    """True when a machine asked, which is told in JSON."""
    return request.path.startswith("/api/")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """400, without the frame: the request may have been turned away before anybody's session was read."""
    log.info("bad request: %s", type(exception).__name__)
    if isinstance(exception, DisallowedHost):
        code, title = "unknown_host", "This address is not set up"
        next_step = (
            "Footnote does not know the name in the address. Add this name to ALLOWED_HOSTS and "
            "FOOTNOTE_BASE_URL, then start it again."
        )
    elif isinstance(exception, TooManyFieldsSent | TooManyFilesSent | RequestDataTooBig):
        code, title = "too_much_sent", "That was too much at once"
        next_step = "Go back and send a part at a time: fewer files, or fewer ticked documents."
    else:
        code, title = "bad_request", "That request could not be read"
        next_step = "Go back, reload the page and try again."
    sentences = ["Nothing was changed.", next_step]
    if is_for_api(request):
        return problem(400, code, " ".join(sentences))
    return _answer_bare(request, 400, title, sentences)


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
    if is_for_api(request):
        return problem(404, "not_found", "There is no such path. /api/v1/openapi.json lists all.")
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
    sentences = ["Questions and documents stored before are safe.", "Go back and try again."]
    return _answer_bare(request, 500, "Something failed on our side", sentences, reference=reference)


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
            "An admin can lift it: `manage.py axes_reset_username NAME`.",
        ],
    )
