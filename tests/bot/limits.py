"""Slack's limits and what must never leave the building: the simulator's, by the names the tests use."""

from __future__ import annotations

from bot.simulator.house_rules import broken_rules as leaks
from bot.simulator.limits import refusal_of_message
from bot.simulator.view_limits import refusal_of_view

__all__ = ["buttons_of", "leaks", "slack_would_refuse", "texts_of", "view_would_refuse"]


def texts_of(payload: dict) -> list[str]:
    """What is read of a message or a view: the notification first, then each block's text, without the buttons."""
    found = [payload.get("text") or ""]
    for block in payload.get("blocks") or []:
        if isinstance(block.get("text"), dict):
            found.append(block["text"].get("text", ""))
        found += [element["text"] for element in block.get("elements", []) if element.get("type") == "mrkdwn"]
    return found


def buttons_of(payload: dict) -> list[dict]:
    """Every element that can be clicked, of a message or a view."""
    blocks = payload.get("blocks") or []
    elements = [e for b in blocks if b["type"] in {"actions", "context_actions"} for e in b["elements"]]
    return elements + [block["accessory"] for block in blocks if "accessory" in block]


def slack_would_refuse(payload: dict, method: str = "chat.postMessage") -> tuple[str, str] | None:
    """The error Slack answers and where, or None when it takes the message."""
    return refusal_of_message(payload, method)


def view_would_refuse(view: dict) -> str:
    """What Slack has against a form or an App Home; empty when it takes it."""
    refusal = refusal_of_view(view)
    return refusal.place or refusal.error if refusal else ""
