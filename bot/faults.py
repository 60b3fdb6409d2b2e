"""What a failed call to Slack means for the message it should have posted."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from slack_sdk.errors import SlackApiError

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


class Kind(Enum):
    """What to do about it."""

    RATE_LIMITED = "wait as long as Slack says; nothing was posted"
    TOO_LARGE = "send a simpler form; nothing was posted"
    UNSURE = "look in the thread later; it may have been posted"
    PERMANENT = "give up until somebody changes something"


@dataclass(frozen=True, slots=True)
class Fault:
    """A failed call. `code` is Slack's word for it, with the missing scope where that is the cause."""

    kind: Kind
    code: str
    wait_s: float = 0.0


def fault_of(error: Exception) -> Fault:
    """Sort an exception of `slack_sdk`; whatever is not an answer of Slack leaves it unsure."""
    if not isinstance(error, SlackApiError):
        return Fault(Kind.UNSURE, type(error).__name__)
    data, status, headers = _parts(error)
    code = str(data.get("error") or f"http_{status}")
    if status == 429 or code in _RATE_LIMITED:
        return Fault(Kind.RATE_LIMITED, "ratelimited", _retry_after_s(headers))
    if code in _TOO_LARGE:
        return Fault(Kind.TOO_LARGE, code)
    if code in _UNSURE or status >= 500:
        return Fault(Kind.UNSURE, code)
    if code == "missing_scope":
        return Fault(Kind.PERMANENT, f"missing_scope: {data.get('needed', '?')}")
    return Fault(Kind.PERMANENT, code)


def _parts(error: SlackApiError) -> tuple[dict[str, object], int, dict[str, str]]:
    """Body, status and headers; for a body that is no JSON the SDK keeps a plain dict instead."""
    response = error.response
    if isinstance(response, dict):
        return {}, int(response.get("status", 0)), _lower(response.get("headers", {}))
    data = response.data if isinstance(response.data, dict) else {}
    return data, int(response.status_code), _lower(response.headers)


def _lower(headers: object) -> dict[str, str]:
    return {str(name).lower(): str(value) for name, value in dict(headers).items()}  # type: ignore[call-overload]


def _retry_after_s(headers: dict[str, str]) -> float:
    try:
        return max(1.0, float(headers["retry-after"]))
    except (KeyError, ValueError):
        return _DEFAULT_WAIT_S
