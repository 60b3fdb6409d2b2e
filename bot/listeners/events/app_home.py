"""Somebody opened the App Home."""

from __future__ import annotations

from slack_bolt import App

from bot.fields import Json, id_of, object_of
from bot.incoming import team_id_of
from console import queue


def register(app: App) -> None:
    """Add the listener."""
    app.event("app_home_opened")(on_app_home_opened)


def on_app_home_opened(body: Json) -> None:
    """Have the Home tab made anew; the Messages tab needs nothing."""
    event = object_of(body.get("event"))
    team_id, user_id = team_id_of(body), id_of(event.get("user"))
    if event.get("tab") == "home" and team_id and user_id:
        queue.publish_home(team_id, user_id, id_of(event.get("channel")))
