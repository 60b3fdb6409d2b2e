"""What a failed call to Slack means for the message it should have posted."""

from __future__ import annotations

import math
import re
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from http.client import HTTPException
from pathlib import Path

from slack_sdk.errors import SlackApiError

CALL_FAILED = (SlackApiError, OSError, HTTPException)
"""What a call to Slack raises when it was refused, or when its answer did not arrive whole."""

_CODE = re.compile(r"[a-z0-9_]{1,80}", re.ASCII)
"""Slack's own words. Anything else is a body that is not Slack's: it may hold anybody's text."""
_SCOPES = re.compile(r"[a-z0-9_:.,\- ]{1,100}", re.ASCII)
_RATE_LIMITED = {"ratelimited", "rate_limited"}
_TOO_LARGE = {
    "invalid_blocks",
    "invalid_blocks_format",
    "msg_blocks_too_long",
    "msg_blocks_too_many",
    "msg_too_long",
}
_UNSURE = {
    "internal_error",
    "fatal_error",
    "request_timeout",
    "service_unavailable",
    "duplicate_message_not_found",
    "duplicate_channel_not_found",
}
_DEFAULT_WAIT_S = 30.0
_LONGEST_WAIT_S = 3_600.0
"""Slack asks for seconds or minutes; a larger number is no time that anything could be planned with."""


class IncompleteAnswerError(OSError):
    """Slack said yes and left out what was asked for, or what came is no answer of Slack; so nothing is known."""


class Kind(Enum):
    """What to do about it."""

    RATE_LIMITED = "wait as long as Slack says; nothing was posted"
    TOO_LARGE = "send a simpler form; nothing was posted"
    UNSURE = "look in the thread later; it may have been posted"
    PERMANENT = "give up until somebody changes something"


@dataclass(frozen=True, slots=True)
class Fault:
    """A failed call. `code` is Slack's word for it, with the missing scope where that is the cause.

    It is logged and stored, so it never holds anything but words that Slack or we have chosen.
    """

    kind: Kind
    code: str
    wait_s: float = 0.0


def fault_of(error: Exception) -> Fault:
    """Sort an exception of `slack_sdk`; whatever is not an answer of Slack leaves it unsure.

    A page of a proxy, half a body or an empty one can stand in for Slack's answer to a post that was
    taken. `slack_sdk` makes an error text of such a body, with the body in it.
    """
    if not isinstance(error, SlackApiError):
        return Fault(Kind.UNSURE, type(error).__name__)
    data, status, headers = _parts(error)
    code = _code_of(data)
    if status == 429 or code in _RATE_LIMITED:
        return Fault(Kind.RATE_LIMITED, "ratelimited", _retry_after_s(headers))
    if not code:
        return Fault(Kind.UNSURE, f"http_{status}" if status != 200 else "not_json")
    if code in _TOO_LARGE:
        return Fault(Kind.TOO_LARGE, code)
    if code in _UNSURE or status >= 500:
        return Fault(Kind.UNSURE, code)
    if code == "missing_scope":
        needed = str(data.get("needed"))
        return Fault(Kind.PERMANENT, f"missing_scope: {needed if _SCOPES.fullmatch(needed) else '?'}")
    return Fault(Kind.PERMANENT, code)


def place_of(error: Exception) -> str:
    """``KeyError in incoming.py:42 < ask.py:27``: for the log, without the message and what it may quote."""
    frames = reversed(traceback.extract_tb(error.__traceback__)[-4:])
    places = " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames)
    return f"{type(error).__name__} in {places}"


def _code_of(data: dict[str, object]) -> str:
    """Slack's word for the fault; empty when the body is not one of Slack's."""
    code = data.get("error")
    is_of_slack = "ok" in data and isinstance(code, str) and _CODE.fullmatch(code)
    return str(code) if is_of_slack else ""


def _parts(error: SlackApiError) -> tuple[dict[str, object], int, dict[str, str]]:
    """Body, status and headers; for a body that is no JSON the SDK keeps a plain dict instead."""
    response = error.response
    if isinstance(response, dict):
        return {}, int(response.get("status", 0)), lower_names(response.get("headers", {}))
    data = response.data if isinstance(response.data, dict) else {}
    return data, int(response.status_code), lower_names(response.headers)


def lower_names(headers: Mapping[str, object]) -> dict[str, str]:
    """Headers by their names in lower case, since what stands between Slack and us may spell them anew."""
    return {name.lower(): str(value) for name, value in headers.items()}


def wait_of(headers: Mapping[str, object]) -> float:
    """How many seconds an answer with status 429 asks to wait."""
    return _retry_after_s(lower_names(headers))


def _retry_after_s(headers: dict[str, str]) -> float:
    try:
        wait_s = float(headers["retry-after"])
    except (KeyError, ValueError):
        return _DEFAULT_WAIT_S
    return min(_LONGEST_WAIT_S, max(1.0, wait_s)) if math.isfinite(wait_s) else _DEFAULT_WAIT_S
