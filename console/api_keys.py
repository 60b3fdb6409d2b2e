"""Keys of a request that its operation does not take: told with those that it takes, never ignored.

A filter that is ignored gives every row, and a misspelt ``folder_ids`` an answer from all folders.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any

from django.http import HttpRequest
from ninja import Schema
from ninja.operation import Operation
from pydantic import ConfigDict, model_validator
from pydantic_core import PydanticCustomError

from console.access import Rejected

N_NAMED = 5
MAX_KEY_CHARS = 60
_OF_DJANGO = frozenset({"csrfmiddlewaretoken"})
"""What a browser's form may carry besides."""
_WITHOUT_BODY = frozenset({"GET", "HEAD"})


class Body(Schema):
    """A JSON body; a key that it does not have is an error."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _has_only_its_keys(cls, values: Any) -> Any:
        if isinstance(values, Mapping) and (told := unknown_keys(values, cls.model_fields)):
            # As a template: a key may hold braces.
            raise PydanticCustomError("unknown_keys", "{told}", {"told": told})
        return values


def unknown_keys(given: Iterable[str], accepted: Iterable[str]) -> str:
    """``There is no texts here; accepted: text, wait_s.`` for the first `N_NAMED`; empty when all are known."""
    known = list(accepted)
    unknown = [
        key if len(key) <= MAX_KEY_CHARS else f"{key[:MAX_KEY_CHARS]}…" for key in given if key not in known
    ]
    if not unknown:
        return ""
    more = f" and {len(unknown) - N_NAMED} more" if len(unknown) > N_NAMED else ""
    return (
        f"There is no {', '.join(unknown[:N_NAMED])}{more} here; accepted: {', '.join(known) or 'nothing'}."
    )


def refuses_unknown_keys(view: Callable[..., Any]) -> Callable[..., Any]:
    """Decorator of every operation, for what its schemas cannot see: query, form, files, and a body that is not taken.

    Raises:
        Rejected: invalid_request, with the keys that it takes.
    """
    operation: Operation = view._ninja_operation  # type: ignore[attr-defined]  # noqa: SLF001 - as ninja's decorate_view

    @wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        accepted = _accepted(operation)
        for source, given in _given(request, takes_body="body" in accepted).items():
            told = unknown_keys((key for key in given if key not in _OF_DJANGO), accepted.get(source, ()))
            if told:
                raise Rejected("invalid_request", f"{source}: {told}")
        return view(request, *args, **kwargs)

    return checked


def _accepted(operation: Operation) -> dict[str, tuple[str, ...]]:
    """Source (query, form, file, body …) → the names that the operation takes from there."""
    return {
        str(model.__ninja_param_source__): tuple(getattr(model, "__ninja_flatten_map__", model.model_fields))
        for model in operation.models
    }


def _given(request: HttpRequest, *, takes_body: bool) -> dict[str, list[str]]:
    """Source → the keys that came; a body only where none is taken, for `Body` checks the others."""
    given = {"query": list(request.GET), "form": list(request.POST), "file": list(request.FILES)}
    is_form = request.content_type in {"multipart/form-data", "application/x-www-form-urlencoded"}
    if not takes_body and not is_form and request.method not in _WITHOUT_BODY and request.body:
        given["body"] = _keys_of(request.body)
    return given


def _keys_of(body: bytes) -> list[str]:
    """An object's keys; of anything else but an empty object, array or null that it is there."""
    try:
        sent = json.loads(body)
    except (ValueError, RecursionError):
        return ["body"]
    if isinstance(sent, dict):
        return list(sent)
    return ["body"] if sent else []
