"""`views.*`: modals, opened by a click within three seconds, and the Home tab."""

from __future__ import annotations

from typing import Any

from bot.simulator.methods import ApiError, Method, needs, refuse
from bot.simulator.view_limits import MODAL_STACK, refusal_of_view
from bot.simulator.workspace import Json, Modal, Workspace


def views_open(workspace: Workspace, arguments: Json) -> Json:
    """`views.open`: a modal in front of the person who clicked."""
    view = _checked(arguments, "modal")
    user_id = _clicker(workspace, arguments)
    kept = _kept(workspace, view)
    workspace.modals[user_id] = [Modal(kept, user_id, kept["id"])]
    workspace.touch()
    return {"view": kept}


def views_push(workspace: Workspace, arguments: Json) -> Json:
    """`views.push`: one more on top, three at most."""
    view = _checked(arguments, "modal")
    user_id = _clicker(workspace, arguments)
    stack = workspace.modals[user_id]
    if len(stack) >= MODAL_STACK:
        raise ApiError("push_limit_reached")
    kept = _kept(workspace, view)
    kept["root_view_id"] = stack[0].root_id if stack else kept["id"]
    stack.append(Modal(kept, user_id, kept["root_view_id"]))
    workspace.touch()
    return {"view": kept}


def views_update(workspace: Workspace, arguments: Json) -> Json:
    """`views.update` by id or external id; an old `hash` is refused."""
    view = _checked(arguments, "modal")
    for stack in workspace.modals.values():
        for modal in stack:
            is_meant = modal.view["id"] == arguments.get("view_id") or (
                arguments.get("external_id") and modal.view.get("external_id") == arguments["external_id"]
            )
            if not is_meant:
                continue
            if arguments.get("hash") and arguments["hash"] != modal.view["hash"]:
                raise ApiError("hash_conflict")
            modal.view = {**_kept(workspace, view), "id": modal.view["id"], "root_view_id": modal.root_id}
            workspace.touch()
            return {"view": modal.view}
    raise ApiError("not_found")


def views_publish(workspace: Workspace, arguments: Json) -> Json:
    """`views.publish`: the Home tab of one person."""
    view = _checked(arguments, "home")
    user_id = str(arguments.get("user_id"))
    if user_id not in workspace.people:
        raise ApiError("user_not_found")
    workspace.homes[user_id] = _kept(workspace, view)
    workspace.touch()
    return {"view": workspace.homes[user_id]}


def _checked(arguments: Json, kind: str) -> Json:
    view: Any = arguments.get("view")
    refuse(refusal_of_view(view))
    if view["type"] != kind:
        raise ApiError("invalid_arguments", response_metadata={"messages": [f"must be a {kind}"]})
    return dict(view)


def _clicker(workspace: Workspace, arguments: Json) -> str:
    trigger, error = workspace.use_trigger(str(arguments.get("trigger_id")))
    if trigger is None:
        raise ApiError(error)
    return trigger.user_id


def _kept(workspace: Workspace, view: Json) -> Json:
    """The view as Slack gives it back: with ids, and a block_id wherever none was given."""
    view_id = workspace.next_id("V")
    blocks = [
        {**block, "block_id": block.get("block_id") or workspace.next_id("b")} for block in view["blocks"]
    ]
    return {
        **view,
        "blocks": blocks,
        "id": view_id,
        "root_view_id": view_id,
        "hash": workspace.next_ts(),
        "team_id": workspace.team_id,
        "app_id": workspace.app_id,
        "bot_id": workspace.bot_id,
        "state": {"values": {}},
        "private_metadata": view.get("private_metadata", ""),
    }


METHODS = {
    "views.open": Method(views_open, needs()),
    "views.push": Method(views_push, needs()),
    "views.update": Method(views_update, needs()),
    "views.publish": Method(views_publish, needs()),
}
