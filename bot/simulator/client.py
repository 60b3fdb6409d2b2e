"""Slack's client in a person's hand: what a person does, and the deliveries that follow from it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bot.simulator import events
from bot.simulator.deliveries import Ack, Kind, Transport, deliver
from bot.simulator.methods import SCOPE_KINDS
from bot.simulator.workspace import Channel, Json, Modal, Workspace


@dataclass(slots=True)
class SlackClient:
    """Does things in a workspace and has the app told of them, by the events it is subscribed to.

    `subscriptions` are names as in the manifest (``app_mention``, ``message.im``, …).
    """

    workspace: Workspace
    transport: Transport
    base_url: str
    subscriptions: set[str]
    pace: float = 1.0
    lost_acks: int = 0
    """So many acknowledgements of each event are taken for lost, so that it comes again."""
    on_ack: Callable[[Kind, Json, list[Ack]], None] | None = None
    _threads: list[threading.Thread] = field(default_factory=list)

    @property
    def is_agent(self) -> bool:
        """Whether the app has Slack's agent surface, which guests may not use."""
        return "agent_session_stopped" in self.subscriptions

    def is_kept_out(self, user_id: str) -> bool:
        """Whether Slack keeps this person from the app altogether."""
        return self.is_agent and self.workspace.people[user_id].is_restricted

    # --- writing

    def write(self, user_id: str, channel_id: str, text: str, *, thread_ts: str = "", **more: Any) -> Json:
        """Post a message as a person; gives it back. ``@footnote`` in the text mentions the bot."""
        workspace = self.workspace
        with workspace.lock:
            channel = workspace.channels[channel_id]
            text = text.replace(f"@{workspace.bot_name}", f"<@{workspace.bot_user_id}>")
            message: Json = {
                "type": "message",
                "user": user_id,
                "ts": workspace.next_ts(),
                "text": text,
                "team": workspace.team_id,
                "client_msg_id": workspace.next_id("msg-"),
                **({"thread_ts": thread_ts} if thread_ts else {}),
                **more,
            }
            workspace.keep(channel_id, message)
        for body in self.events_of(channel, message):
            self._tell("events_api", body)
        return message

    def events_of(self, channel: Channel, message: Json) -> list[Json]:
        """The deliveries of one message: none, one, or the twins."""
        workspace, bodies = self.workspace, []
        envelope = {"is_ext_shared_channel": channel.is_shared}
        if workspace.bot_user_id not in channel.members or self.is_kept_out(message["user"]):
            return []
        if f"message.{SCOPE_KINDS[channel.kind]}" in self.subscriptions:
            bodies.append(
                events.event_callback(workspace, events.message_event(channel, message), **envelope)
            )
        if self.is_mention(message) and channel.kind != "im" and "app_mention" in self.subscriptions:
            bodies.append(
                events.event_callback(workspace, events.mention_event(channel, message), **envelope)
            )
        return bodies

    def is_mention(self, message: Json) -> bool:
        """Whether a message names the bot."""
        return f"<@{self.workspace.bot_user_id}>" in message.get("text", "")

    def edit(self, channel_id: str, ts: str, text: str) -> None:
        """Change what a person wrote."""
        with self.workspace.lock:
            channel, message = self.workspace.channels[channel_id], self._message(channel_id, ts)
            previous = dict(message)
            text = text.replace(f"@{self.workspace.bot_name}", f"<@{self.workspace.bot_user_id}>")
            now = self.workspace.next_ts()
            message |= {"text": text, "edited": {"user": message["user"], "ts": now}}
            event = events.changed_event(channel, dict(message), previous, now)
            self.workspace.touch()
        self._tell_of_message(channel, event)

    def delete(self, channel_id: str, ts: str) -> None:
        """Take back what a person wrote; Slack leaves a tombstone where replies hang on it."""
        with self.workspace.lock:
            channel, message = self.workspace.channels[channel_id], self._message(channel_id, ts)
            previous = dict(message)
            if self.workspace.replies(channel_id, ts):
                message |= {"text": "This message was deleted.", "subtype": "tombstone", "user": "USLACKBOT"}
            else:
                self.workspace.messages[channel_id].remove(message)
            event = events.deleted_event(channel, previous, self.workspace.next_ts())
            self.workspace.touch()
        self._tell_of_message(channel, event)

    def command(self, user_id: str, channel_id: str, command: str, text: str) -> None:
        """Use a slash command; what the app answers at once is shown to that person alone."""
        if self.is_kept_out(user_id):
            self._show_ack(user_id, channel_id)([Ack(0, 0.0)])
            return
        with self.workspace.lock:
            channel = self.workspace.channels[channel_id]
            body = events.command_form(
                self.workspace, channel, user_id=user_id, command=command, text=text, base_url=self.base_url
            )
        self._tell("slash_commands", body, then=self._show_ack(user_id, channel_id))

    def shortcut(self, user_id: str, callback_id: str, channel_id: str = "", ts: str = "") -> None:
        """Use a shortcut of the app, or of the message that is named."""
        with self.workspace.lock:
            channel = self.workspace.channels.get(channel_id)
            message = self._message(channel_id, ts) if channel else None
            body = events.shortcut_payload(
                self.workspace, user_id, callback_id, base_url=self.base_url, channel=channel, message=message
            )
        self._tell("interactive", body)

    # --- clicking

    def click(self, user_id: str, channel_id: str, ts: str, action: Json) -> None:
        """Click what stands in a message, also in one that this person alone sees."""
        with self.workspace.lock:
            channel = self.workspace.channels[channel_id]
            message = self._message(channel_id, ts)
            body = events.click_payload(
                self.workspace, user_id, action, base_url=self.base_url, channel=channel, message=message
            )
        self._tell("interactive", body)

    def click_in_view(self, user_id: str, view: Json, action: Json) -> None:
        """Click what stands in a modal or on the Home tab."""
        body = events.click_payload(self.workspace, user_id, action, base_url=self.base_url, view=view)
        self._tell("interactive", body)

    def open_home(self, user_id: str, tab: str = "home") -> None:
        """Look at the app's Home or Messages tab."""
        with self.workspace.lock:
            channel_id = self.workspace.direct_channel(user_id).id
            event = events.home_opened_event(self.workspace, user_id, channel_id, tab)
        if "app_home_opened" in self.subscriptions and not self.is_kept_out(user_id):
            self._tell("events_api", events.event_callback(self.workspace, event))

    def stop_session(self, user_id: str, channel_id: str, thread_ts: str) -> None:
        """Press Stop under what the app works on; its status stays until the app takes it down."""
        event = events.stopped_event(self.workspace, user_id, channel_id, thread_ts)
        if self.is_agent:
            self._tell("events_api", events.event_callback(self.workspace, event))

    def submit(self, user_id: str, values: Json) -> None:
        """Send the form on top; it closes unless the app answers otherwise."""
        modal = self.workspace.modals[user_id][-1]
        body = events.submission_payload(self.workspace, user_id, modal.view, values)
        self._tell("interactive", body, then=lambda acks: self._after_submit(user_id, modal, acks))

    def close_modal(self, user_id: str) -> None:
        """Close the modal on top."""
        modal = self.workspace.modals[user_id].pop()
        self.workspace.touch()
        if modal.view.get("notify_on_close"):
            self._tell("interactive", events.closed_payload(self.workspace, user_id, modal.view))

    # --- what follows

    def wait(self, timeout_s: float = 10.0) -> None:
        """Wait until every delivery that was begun has ended."""
        for thread in list(self._threads):
            thread.join(timeout_s)
        self._threads = [thread for thread in self._threads if thread.is_alive()]

    def _tell_of_message(self, channel: Channel, event: Json) -> None:
        if f"message.{SCOPE_KINDS[channel.kind]}" in self.subscriptions:
            self._tell("events_api", events.event_callback(self.workspace, event))

    def _tell(self, kind: Kind, body: Json, then: Callable[[list[Ack]], None] | None = None) -> None:
        def run() -> None:
            acks = deliver(self.transport, kind, body, lost_acks=self.lost_acks, pace=self.pace)
            if self.on_ack is not None:
                self.on_ack(kind, body, acks)
            if then is not None:
                then(acks)

        thread = threading.Thread(target=run, name=f"slack-{kind}", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _show_ack(self, user_id: str, channel_id: str) -> Callable[[list[Ack]], None]:
        def show(acks: list[Ack]) -> None:
            ack = acks[-1]
            answer = ack.body if isinstance(ack.body, dict) else {"text": ack.body or ""}
            if not ack.ok:
                answer = {"text": "This command did not work (`dispatch_failed`).", "is_of_slack": True}
            if answer.get("text") or answer.get("blocks"):
                seen = {"user": user_id, "channel": channel_id, "message_ts": self.workspace.next_ts()}
                self.workspace.private_messages.append({**answer, **seen})
                self.workspace.touch()

        return show

    def _after_submit(self, user_id: str, modal: Modal, acks: list[Ack]) -> None:
        ack = acks[-1]
        answer = ack.body if isinstance(ack.body, dict) else {}
        stack = self.workspace.modals[user_id]
        if not ack.ok:
            modal.view["errors"] = {"": "We had some trouble connecting. Try again?"}
        elif answer.get("response_action") == "errors":
            modal.view["errors"] = answer.get("errors") or {}
        elif answer.get("response_action") == "update" and isinstance(answer.get("view"), dict):
            modal.view = {**modal.view, **answer["view"]}
        elif answer.get("response_action") == "push" and isinstance(answer.get("view"), dict):
            view = {**answer["view"], "id": self.workspace.next_id("V"), "hash": self.workspace.next_ts()}
            stack.append(Modal(view, user_id, modal.root_id))
        elif answer.get("response_action") == "clear":
            stack.clear()
        elif modal in stack:
            stack.remove(modal)
        self.workspace.touch()

    def _message(self, channel_id: str, ts: str) -> Json:
        for message in [*self.workspace.messages[channel_id], *self.workspace.private_messages]:
            if ts in {message.get("ts"), message.get("message_ts")}:
                return message
        raise LookupError(f"no message {ts} in {channel_id}")
