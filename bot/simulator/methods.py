"""What a method of the Web API is here: its scopes, and what it does to the workspace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from bot.simulator.limits import Refusal
from bot.simulator.workspace import Channel, Json, Workspace

SCOPE_KINDS = {"channel": "channels", "group": "groups", "mpim": "mpim", "im": "im"}
"""What scopes and events call a kind of conversation."""

Scopes: TypeAlias = Callable[[Workspace, Json], tuple[str, ...]]


class ApiError(Exception):
    """Slack's ``{"ok": false, "error": …}``, with whatever else stands in that answer."""

    def __init__(self, code: str, **facts: Any) -> None:
        super().__init__(code)
        self.code = code
        self.facts = facts


@dataclass(frozen=True, slots=True)
class Method:
    """`run` gives back what stands beside ``ok``; any one of `needed_scopes` is enough, the first is named."""

    run: Callable[[Workspace, Json], Json]
    needed_scopes: Scopes


def needs(*scopes: str) -> Scopes:
    """The same scopes wherever it is called."""
    return lambda _workspace, _arguments: scopes


def reads(what: str) -> Scopes:
    """``channels:history``, ``groups:history``, ``mpim:history`` or ``im:history``, by the kind of conversation."""

    def scopes(workspace: Workspace, arguments: Json) -> tuple[str, ...]:
        channel_id = str(arguments.get("channel") or "")
        channel = workspace.channels.get(channel_id)
        kind = channel.kind if channel else "im" if channel_id.startswith("D") else "channel"
        return (f"{SCOPE_KINDS[kind]}:{what}",)

    return scopes


def refuse(refusal: Refusal | None) -> None:
    """Answer as Slack does when a limit is broken.

    Raises:
        ApiError: it is.
    """
    if refusal is not None:
        raise ApiError(
            refusal.error, response_metadata={"messages": [refusal.place]} if refusal.place else {}
        )


def channel_of(workspace: Workspace, arguments: Json) -> Channel:
    """The conversation that is named, which the bot must be in.

    Raises:
        ApiError: there is none, or the bot sees none.
    """
    named = str(arguments.get("channel") or arguments.get("channel_id") or "")
    channel = workspace.find_channel(named)
    if channel is None and named in workspace.people:
        channel = workspace.direct_channel(named)  # a person's id stands for the conversation with them
    if channel is None:
        raise ApiError("channel_not_found")
    return channel


def writable_channel_of(workspace: Workspace, arguments: Json) -> Channel:
    """The conversation that is named, which the bot may write to.

    Raises:
        ApiError: it may not.
    """
    channel = channel_of(workspace, arguments)
    if channel.is_archived:
        raise ApiError("is_archived")
    if channel.members and workspace.bot_user_id not in channel.members:
        raise ApiError("not_in_channel")
    return channel
