"""Which permissions the app needs, and what is lost without each."""

from __future__ import annotations

from collections.abc import Iterable

from bot.manifests import manifest

WITHOUT_SCOPE = {
    "app_mentions:read": "mentions in channels are not seen",
    "chat:write": "answers cannot be posted",
    "commands": "/ask does not exist",
    "im:history": "direct messages are not seen",
    "channels:read": "who reads a public channel is not known: it is answered only from folders shared externally",
    "groups:read": "who reads a private channel is not known: it is answered only from folders shared externally",
    "users:read": "who is a guest is not known: channels are answered only from folders shared externally",
    "channels:history": (
        "a question in a thread that began without the app is taken by itself; after a crash while posting, an "
        "answer in a public channel may appear twice"
    ),
    "groups:history": (
        "a question in a thread that began without the app is taken by itself; after a crash while posting, an "
        "answer in a private channel may appear twice"
    ),
    "mpim:read": (
        "who reads a group direct message is not known: it is answered only from folders shared externally"
    ),
    "mpim:history": (
        "a question in a thread that began without the app is taken by itself; after a crash while posting, an "
        "answer in a group direct message may appear twice"
    ),
    "assistant:write": "no suggested prompts and no status in Slack's agent view",
}


def needed_scopes(*, agent: bool = False) -> tuple[list[str], list[str]]:
    """The scopes of the shipped manifest: those it does not work without, and the optional ones."""
    scopes = manifest(agent=agent)["oauth_config"]["scopes"]
    optional = list(scopes["bot_optional"])
    return [scope for scope in scopes["bot"] if scope not in optional], optional


def lost_without(granted: Iterable[str]) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Each scope that is missing with what is lost: of the needed ones, and of the optional ones."""
    has = set(granted)
    needed, optional = needed_scopes()
    lost = [(scope, what_is_lost(scope)) for scope in needed if scope not in has]
    declined = [(scope, what_is_lost(scope)) for scope in optional if scope not in has]
    return lost, declined


def what_is_lost(scope: str) -> str:
    """In words; a scope that another part of the app asks for is told by its name alone."""
    return WITHOUT_SCOPE.get(scope, "something of the app does not work")
