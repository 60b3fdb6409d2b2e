"""The app manifest in its variants, all made from the one that is shipped as `manifest.json`."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings

FILE = Path(__file__).parent / "manifest.json"

AGENT_SCOPE = "assistant:write"
AGENT_EVENTS = (
    "app_home_opened",
    "app_context_changed",
    "agent_session_stopped",
    "agent_session_title_changed",
)
AGENT_DESCRIPTION = (
    "Ask about your organisation's documents. Every sentence names its source, "
    "or Footnote says why it can't answer."
)
EVERY_MESSAGE_EVENTS = ("message.channels", "message.groups", "message.mpim")
"""For channels whose questions need no mention; they are received in every channel the bot is in."""


def manifest(
    *, agent: bool = False, http_url: str = "", every_message: bool = False, oauth: bool = False
) -> dict[str, Any]:
    """The manifest as Slack takes it.

    `agent`: with Slack's agent surface, which workspace guests may not use at all. `http_url`: the public https
    address of the console; without one the app uses Socket Mode. `oauth`: with the address that an installation
    by OAuth returns to. `every_message`: with the events of messages that do not mention the bot.
    """
    body: dict[str, Any] = json.loads(_shipped())
    if agent:
        _add_agent(body)
    events = body["settings"]["event_subscriptions"]["bot_events"]
    if every_message:
        events += [event for event in EVERY_MESSAGE_EVENTS if event not in events]
    if http_url:
        _set_address(body, http_url.rstrip("/"))
    if oauth:
        address = (http_url or settings.BASE_URL).rstrip("/")
        body["oauth_config"]["redirect_urls"] = [f"{address}/slack/oauth_redirect"]
    return body


@cache
def _shipped() -> str:
    return FILE.read_text(encoding="utf-8")


def _add_agent(body: dict[str, Any]) -> None:
    body["features"]["agent_view"] = {"agent_description": AGENT_DESCRIPTION}
    scopes = body["oauth_config"]["scopes"]["bot"]
    if AGENT_SCOPE not in scopes:
        scopes.append(AGENT_SCOPE)
    events = body["settings"]["event_subscriptions"]["bot_events"]
    events += [event for event in AGENT_EVENTS if event not in events]


def _set_address(body: dict[str, Any], address: str) -> None:
    """Everything Slack sends goes to one address; Socket Mode has to be off for it."""
    url = f"{address}/slack/events"
    body["settings"]["socket_mode_enabled"] = False
    body["settings"]["event_subscriptions"] = {
        "request_url": url,
        **body["settings"]["event_subscriptions"],
    }
    for command in body["features"].get("slash_commands", []):
        command["url"] = url
    interactivity = body["settings"].get("interactivity")
    if interactivity:
        interactivity["request_url"] = url
