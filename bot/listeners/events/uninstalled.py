"""The app was removed from a workspace, or its token there was revoked."""

from __future__ import annotations

import logging
from datetime import UTC, datetime

from django.utils import timezone
from slack_bolt import App

from bot.incoming import Json
from console.channels.workspaces import remove_installation

log = logging.getLogger(__name__)


def register(app: App) -> None:
    """Add the listeners."""
    app.event("app_uninstalled")(on_app_uninstalled)
    app.event("tokens_revoked")(on_tokens_revoked)


def on_app_uninstalled(body: Json) -> None:
    """Delete the workspace's token."""
    _remove(body)


def on_tokens_revoked(body: Json, event: Json) -> None:
    """Delete the workspace's token if it is the bot's; tokens of people are not kept."""
    tokens = event.get("tokens")
    if isinstance(tokens, dict) and tokens.get("bot"):
        _remove(body)


def _remove(body: Json) -> None:
    team_id = body.get("team_id")
    if isinstance(team_id, str) and not remove_installation(team_id, told_at=_told_at(body)):
        log.warning(
            "Slack says that the app was removed from workspace %s; no token of it is stored", team_id
        )


def _told_at(body: Json) -> datetime:
    """When it happened; Slack repeats events for hours, and the app may be installed anew by then."""
    seconds = body.get("event_time")
    if isinstance(seconds, int) and not isinstance(seconds, bool) and 0 < seconds < 10**11:
        return datetime.fromtimestamp(seconds, UTC)
    return timezone.now()
