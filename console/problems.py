"""The API's errors, mapped once: what services raise becomes `application/problem+json` (RFC 9457)."""

from __future__ import annotations

import json
import logging
import secrets
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.core.exceptions import ObjectDoesNotExist, PermissionDenied, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import URLPattern, URLResolver
from ninja import NinjaAPI, Schema
from ninja.errors import AuthenticationError, HttpError
from ninja.errors import ValidationError as RequestInvalid

from console.access import NotPermitted, Rejected

log = logging.getLogger(__name__)

Handler = Callable[[HttpRequest, Any], HttpResponse]

CONFLICTS = frozenset(
    {
        "already_left_out",
        "folder_exists",
        "last_admin",
        "name_taken",
        "not_left_out",
        "not_retryable",
        "slack_user_taken",
        "username_taken",
    }
)
"""Rejections that depend on what is stored (409); the others are about the request itself (422)."""


class Problem(Schema):
    """Body of every error."""

    type: str = "about:blank"
    title: str
    status: int
    code: str
    detail: str


def problem(status: int, code: str, detail: str) -> HttpResponse:
    """The response for one error."""
    body = Problem(title=HTTPStatus(status).phrase, status=status, code=code, detail=detail).model_dump()
    response = HttpResponse(json.dumps(body), status=status, content_type="application/problem+json")
    if status == HTTPStatus.UNAUTHORIZED:
        response["WWW-Authenticate"] = 'Bearer realm="footnote"'
    return response


def urls_with_problems(api: NinjaAPI) -> tuple[list[URLResolver | URLPattern], str, str]:
    """The URLs of an API, whose answer to a wrong method is a problem too; Ninja's own is plain text."""
    entries, app_name, namespace = api.urls
    for entry in entries:
        if isinstance(entry, URLPattern):
            entry.callback = _with_problem_for_method(entry.callback)
    return entries, app_name, namespace


def _with_problem_for_method(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = view(request, *args, **kwargs)
        if response.status_code != HTTPStatus.METHOD_NOT_ALLOWED:
            return response
        allowed = ", ".join(sorted(response["Allow"].split(", ")))
        told = problem(405, "method_not_allowed", f"This path takes {allowed}, not {request.method}.")
        told["Allow"] = allowed
        return told

    return wrapped


def map_errors(api: NinjaAPI) -> None:
    """Register the mapping on an API."""

    def not_permitted(_request: HttpRequest, error: Exception) -> HttpResponse:
        return problem(403, "not_permitted", str(error) or "You may not do this.")

    def rejected(_request: HttpRequest, error: Rejected) -> HttpResponse:
        return problem(409 if error.code in CONFLICTS else 422, error.code, str(error))

    def missing(_request: HttpRequest, _error: Exception) -> HttpResponse:
        return problem(404, "not_found", "It does not exist, or is not yours to see.")

    def invalid(_request: HttpRequest, error: RequestInvalid) -> HttpResponse:
        places = [f"{'.'.join(str(part) for part in row['loc'][1:])}: {row['msg']}" for row in error.errors]
        return problem(422, "invalid_request", "; ".join(places)[:1_000])

    def unauthenticated(_request: HttpRequest, _error: AuthenticationError) -> HttpResponse:
        return problem(401, "not_signed_in", "Send a bearer token, or sign in.")

    def http_error(_request: HttpRequest, error: HttpError) -> HttpResponse:
        if error.status_code == HTTPStatus.FORBIDDEN:
            return problem(403, "csrf_failed", str(error))
        detail = str(error)
        if detail.startswith("Cannot parse request body"):
            detail = (
                "The body is no JSON. Send a JSON object, as /api/v1/openapi.json describes it, in UTF-8."
            )
        return problem(error.status_code, "bad_request", detail)

    def broke(request: HttpRequest, error: Exception) -> HttpResponse:
        reference = secrets.token_hex(4).upper()
        log.error("reference %s: %s %s broke", reference, request.method, request.path, exc_info=error)
        return problem(500, "internal_error", f"Something failed on our side. Reference {reference}.")

    # ValidationError: an id that is no UUID names nothing.
    handlers: dict[type[Exception], Handler] = {
        NotPermitted: not_permitted,
        PermissionDenied: not_permitted,
        ObjectDoesNotExist: missing,
        Http404: missing,
        ValidationError: missing,
        Rejected: rejected,
        RequestInvalid: invalid,
        AuthenticationError: unauthenticated,
        HttpError: http_error,
        Exception: broke,
    }
    for kind, handler in handlers.items():
        api.add_exception_handler(kind, handler)
