"""Is Slack set up as this code needs it?"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from django.conf import settings

from bot.client import web_client
from bot.faults import CALL_FAILED, fault_of, lower_names

MANIFEST = Path(__file__).parent / "manifest.json"

WITHOUT_SCOPE = {
    "app_mentions:read": "mentions in channels are not seen",
    "chat:write": "answers cannot be posted",
    "commands": "/ask does not exist",
    "im:history": "direct messages are not seen",
    "channels:history": "after a crash while posting, an answer in a public channel may appear twice",
    "groups:history": "after a crash while posting, an answer in a private channel may appear twice",
    "channels:read": "who reads a public channel is not known: it is answered only from folders shared externally",
    "groups:read": "who reads a private channel is not known: it is answered only from folders shared externally",
    "users:read": "who is a guest is not known: channels are answered only from folders shared externally",
}


class Check(NamedTuple):
    """One finding. It never holds a token."""

    ok: bool
    message: str
    next_step: str = ""


def check_slack() -> list[Check]:
    """What is set, whether the tokens work and which scopes are missing."""
    if not settings.SLACK_BOT_TOKEN:
        # No fault: the console is complete without Slack.
        return [Check(True, "Slack is not set up.", "To use it, follow docs/slack.md.")]
    return [_way_in(), *_bot_token(), *_app_token()]


def needed_scopes() -> tuple[list[str], list[str]]:
    """The scopes of the shipped manifest: those it does not work without, and the optional ones."""
    scopes = json.loads(MANIFEST.read_text(encoding="utf-8"))["oauth_config"]["scopes"]
    optional = scopes["bot_optional"]
    return [scope for scope in scopes["bot"] if scope not in optional], optional


def _way_in() -> Check:
    if settings.SLACK_APP_TOKEN:
        return Check(True, "Slack is set up for Socket Mode.")
    if settings.SLACK_SIGNING_SECRET:
        return Check(True, f"Slack is set up for HTTP at {settings.BASE_URL}/slack/events.")
    return Check(
        False,
        "SLACK_BOT_TOKEN is set, but no events can come in.",
        "Set SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (HTTP).",
    )


def _bot_token() -> list[Check]:
    try:
        answer = web_client().auth_test()
    except CALL_FAILED as error:
        step = "Install the app again and copy the Bot User OAuth Token into SLACK_BOT_TOKEN."
        return [Check(False, f"Slack does not accept the bot token ({fault_of(error).code}).", step)]
    granted = _granted(answer.headers)
    return [Check(True, f"The bot is {answer['user']} in {answer['team']}."), *_scopes(granted)]


def _granted(headers: Mapping[str, object]) -> set[str]:
    scopes = lower_names(headers).get("x-oauth-scopes", "")
    return {scope.strip() for scope in scopes.split(",") if scope.strip()}


def _scopes(granted: set[str]) -> list[Check]:
    required, optional = needed_scopes()
    missing = [scope for scope in required if scope not in granted]
    declined = [scope for scope in optional if scope not in granted]
    checks = [
        Check(
            False,
            f"The scope {scope} is missing: {WITHOUT_SCOPE[scope]}.",
            "Add it and install the app again.",
        )
        for scope in missing
    ]
    checks += [
        Check(True, f"The optional scope {scope} is missing: {WITHOUT_SCOPE[scope]}.") for scope in declined
    ]
    return checks or [Check(True, "Every scope is granted.")]


def _app_token() -> list[Check]:
    if not settings.SLACK_APP_TOKEN:
        return []
    try:
        web_client().apps_connections_open(app_token=settings.SLACK_APP_TOKEN)
    except CALL_FAILED as error:
        step = "Create an app-level token with connections:write, turn Socket Mode on, set SLACK_APP_TOKEN."
        return [Check(False, f"Slack does not accept the app-level token ({fault_of(error).code}).", step)]
    return [Check(True, "Socket Mode can connect.")]
