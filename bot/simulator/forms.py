"""What the fields of the drawn page say, in the shape Slack sends it."""

from __future__ import annotations

import json
from typing import Any

from bot.simulator.workspace import Json

CHOOSES_ONE = {"static_select", "radio_buttons"}
CHOOSES_SEVERAL = {"checkboxes", "multi_static_select"}


def action_of(raw: str) -> Json:
    """The clicked element.

    Raises:
        ValueError: the field does not hold one.
    """
    action = json.loads(raw)
    if not isinstance(action, dict) or "type" not in action:
        raise ValueError("this is no element that can be clicked")
    return action


def state_of(view: Json, form: dict[str, list[str]]) -> Json:
    """``view.state.values`` of a filled modal: by block_id, then by action_id."""
    values: Json = {}
    for block in view["blocks"]:
        if block["type"] != "input":
            continue
        element = block["element"]
        action_id = element.get("action_id") or "value"
        given = form.get(f"{block['block_id']}|{action_id}", [])
        values[block["block_id"]] = {action_id: _value(element, given)}
    return values


def _value(element: Json, given: list[str]) -> dict[str, Any]:
    kind = element["type"]
    options = [option for option in element.get("options", []) if option["value"] in given]
    if kind in CHOOSES_ONE:
        return {"type": kind, "selected_option": options[0] if options else None}
    if kind in CHOOSES_SEVERAL:
        return {"type": kind, "selected_options": options}
    return {"type": kind, "value": given[0] if given and given[0] else None}
