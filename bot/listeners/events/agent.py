"""Slack's agent surface: somebody opened it, looks elsewhere, or pressed Stop. Questions come as `message`."""

from __future__ import annotations

from slack_bolt import App

from bot.agent import Opened, is_agent, opened_by_assistant_event, opened_by_event
from bot.incoming import Json, team_of, usable_id
from console import queue
from console.channels.outbox import stop_answers


def register(app: App) -> None:
    """Add the listeners, those of the surface before `agent_view` included; apps made earlier still have it."""
    app.event("app_home_opened", matchers=[is_messages_tab])(on_opened)
    app.event("app_context_changed")(on_opened)
    app.event("assistant_thread_started")(on_assistant_thread)
    app.event("assistant_thread_context_changed")(on_assistant_thread)
    app.event("agent_session_stopped")(on_stopped)


def is_messages_tab(event: Json) -> bool:
    """True for the conversation with the app; the Home tab is somebody else's."""
    return event.get("tab") == "messages"


def on_opened(body: Json, event: Json) -> None:
    """Suggest questions of the folders that this person may see."""
    _greet(opened_by_event(team_of(body), event))


def on_assistant_thread(body: Json, event: Json) -> None:
    """The same for `assistant_view`, where prompts belong to a thread."""
    _greet(opened_by_assistant_event(team_of(body), event))


def on_stopped(body: Json, event: Json) -> None:
    """Whoever pressed Stop is told so instead of being answered; the answer stays in the console."""
    stopped = Opened(
        team_id=team_of(body),
        user_id=usable_id(event.get("user")),
        channel_id=usable_id(event.get("channel")),
        thread_ts=usable_id(event.get("thread_ts")),
    )
    stop_answers(
        team_id=stopped.team_id,
        channel_id=stopped.channel_id,
        thread_ts=stopped.thread_ts,
        user_id=stopped.user_id,
    )
    if stopped.channel_id and stopped.thread_ts and is_agent(stopped.team_id):
        queue.end_agent_session(stopped.to_json())


def _greet(opened: Opened | None) -> None:
    if opened is not None and is_agent(opened.team_id):
        queue.greet_agent_reader(opened.to_json())
