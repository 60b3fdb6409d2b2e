"""Template filters that draw what Slack keeps."""

from __future__ import annotations

import json
from typing import Any

from django import template
from django.utils.safestring import SafeString

from bot.simulator.mrkdwn import draw_mrkdwn, draw_plain

register = template.Library()


@register.filter
def slack_text(value: Any, names: dict[str, str] | None = None) -> SafeString:
    """A text object, or a bare mrkdwn string, as HTML."""
    if isinstance(value, dict):
        text = str(value.get("text") or "")
        return draw_plain(text) if value.get("type") == "plain_text" else draw_mrkdwn(text, names)
    return draw_mrkdwn(str(value or ""), names)


@register.filter
def action_json(element: dict[str, Any], block_id: str) -> str:
    """What a click on this element says, as the value of its button."""
    kept = {name: element[name] for name in ("type", "action_id", "value", "text", "url") if name in element}
    return json.dumps({**kept, "block_id": block_id})


@register.filter
def feedback_json(element: dict[str, Any], side: str) -> str:
    """What a click on one of two feedback buttons says; `side` is ``positive|<block id>`` or ``negative|…``."""
    name, _, block_id = side.partition("|")
    value = element[f"{name}_button"]["value"]
    kept = {"type": "feedback_buttons", "action_id": element.get("action_id", ""), "value": value}
    return json.dumps({**kept, "block_id": block_id})
