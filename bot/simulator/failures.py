"""Faults on request: what the next calls of a method meet instead of Slack's answer."""

from __future__ import annotations

import json
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Failure:
    """One fault. `is_taken`: Slack did what was asked, and only its answer is lost; `is_dropped`: no answer at all."""

    status: int = 200
    error: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    is_taken: bool = False
    is_dropped: bool = False
    body: str | None = None
    wait_s: float = 0.0
    """How long the answer is held back first."""

    @property
    def answer(self) -> bytes:
        """The body that stands in for Slack's."""
        body = self.body if self.body is not None else json.dumps({"ok": False, "error": self.error})
        return body.encode()


def rate_limited(retry_after_s: int) -> Failure:
    """Slack's 429, which says how long to wait."""
    return Failure(status=429, error="ratelimited", headers={"Retry-After": str(retry_after_s)})
