"""Slack's limits and what must never leave the building: the simulator's, by the names the tests use."""

from __future__ import annotations

from bot.simulator.house_rules import broken_rules as leaks
from bot.simulator.limits import refusal_of_message, texts_of

__all__ = ["leaks", "slack_would_refuse", "texts_of"]


def slack_would_refuse(payload: dict, method: str = "chat.postMessage") -> tuple[str, str] | None:
    """The error Slack answers and where, or None when it takes the message."""
    return refusal_of_message(payload, method)
