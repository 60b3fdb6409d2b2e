"""The state of a workspace: people, channels, messages, what only one person sees, modals and Home tabs."""

from __future__ import annotations

import itertools
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]

TRIGGER_S = 3.0
RESPONSE_URL_S = 30 * 60.0
RESPONSE_URL_USES = 5
STATUS_S = 120.0
"""Slack takes a thread's status down by itself after two minutes."""


@dataclass(slots=True)
class Person:
    """A user of the workspace. `locale` is what `users.info` gives when it is asked to include it."""

    id: str
    name: str
    is_bot: bool = False
    is_restricted: bool = False
    locale: str = "en-US"
    email: str = ""


@dataclass(slots=True)
class Channel:
    """A conversation. `kind` is ``channel``, ``group`` (private), ``mpim`` (a group direct message) or ``im``."""

    id: str
    name: str
    kind: str = "channel"
    members: set[str] = field(default_factory=set)
    is_shared: bool = False
    is_archived: bool = False


@dataclass(slots=True)
class Trigger:
    """A `trigger_id`: opens one modal, within three seconds."""

    user_id: str
    made_at: float
    is_used: bool = False


@dataclass(slots=True)
class ResponseUrl:
    """Where a command or a click is answered: five times within half an hour."""

    user_id: str
    channel_id: str
    made_at: float
    message_ts: str = ""
    thread_ts: str = ""
    is_ephemeral: bool = False
    n_uses: int = 0


@dataclass(slots=True)
class Modal:
    """An open view of one person; the last of a stack is the one on top."""

    view: Json
    user_id: str
    root_id: str


class Workspace:
    """One workspace with one installed app. Every method is called with `lock` held by the Web API."""

    team_id = "T00000TEAM1"
    team_name = "Tests"
    bot_user_id = "U00000BOT01"
    bot_id = "B00000BOT01"
    bot_name = "footnote"
    app_id = "A00000APP01"

    def __init__(self, *, clock: Callable[[], float] = time.time) -> None:
        self.clock = clock
        self.lock = threading.RLock()
        self.changed = threading.Condition(self.lock)
        self.version = 0
        self.people: dict[str, Person] = {
            self.bot_user_id: Person(self.bot_user_id, self.bot_name, is_bot=True)
        }
        self.channels: dict[str, Channel] = {}
        self.messages: dict[str, list[Json]] = defaultdict(list)
        self.private_messages: list[Json] = []
        self.statuses: dict[tuple[str, str], tuple[str, float]] = {}
        self.prompts: dict[str, list[Json]] = {}
        self.triggers: dict[str, Trigger] = {}
        self.response_urls: dict[str, ResponseUrl] = {}
        self.modals: dict[str, list[Modal]] = defaultdict(list)
        self.homes: dict[str, Json] = {}
        self._numbers = itertools.count(1)
        self._last_us = 0

    # --- people and places

    def add_person(self, person_id: str, name: str, **facts: Any) -> Person:
        """A person who can write."""
        person = self.people[person_id] = Person(person_id, name, **facts)
        return person

    def add_channel(self, channel_id: str, name: str, **facts: Any) -> Channel:
        """A channel whose members are everybody there is by now, the bot included."""
        facts.setdefault("members", set(self.people))
        channel = self.channels[channel_id] = Channel(channel_id, name, **facts)
        return channel

    def find_channel(self, channel_id: str) -> Channel | None:
        """The conversation with that id, as far as the bot can know of it."""
        return self.channels.get(channel_id)

    def direct_channel(self, person_id: str) -> Channel:
        """The conversation of one person with the bot, made when it is first needed."""
        members = {person_id, self.bot_user_id}
        for channel in self.channels.values():
            if channel.kind == "im" and channel.members == members:
                return channel
        name = self.people[person_id].name
        return self.add_channel(self.next_id("D"), name, kind="im", members=members)

    def touch(self) -> None:
        """Tell whoever looks at the page that something is new."""
        with self.changed:
            self.version += 1
            self.changed.notify_all()

    def next_id(self, prefix: str) -> str:
        """An id that Slack could have made: ``V00000000A1``."""
        return f"{prefix}{next(self._numbers):010X}"

    def next_ts(self) -> str:
        """A message's id: seconds with six decimals, later than every one before."""
        self._last_us = max(self._last_us + 1, int(self.clock() * 1_000_000))
        return f"{self._last_us // 1_000_000}.{self._last_us % 1_000_000:06d}"

    # --- messages

    def keep(self, channel_id: str, message: Json) -> Json:
        """Add a message to its conversation; the status of its thread is over when the bot writes there."""
        self.messages[channel_id].append(message)
        if message.get("bot_id") == self.bot_id and message.get("thread_ts"):
            self.statuses.pop((channel_id, message["thread_ts"]), None)
        self.touch()
        return message

    def find(self, channel_id: str, ts: str) -> Json | None:
        """The message with that ts."""
        return next((m for m in self.messages[channel_id] if m["ts"] == ts), None)

    def roots(self, channel_id: str) -> list[Json]:
        """What stands in the conversation itself, oldest first."""
        return [m for m in self.messages[channel_id] if m.get("thread_ts") in {None, "", m["ts"]}]

    def replies(self, channel_id: str, root_ts: str) -> list[Json]:
        """What stands in a thread, without its root, oldest first."""
        return [m for m in self.messages[channel_id] if m.get("thread_ts") == root_ts and m["ts"] != root_ts]

    def set_status(self, channel_id: str, thread_ts: str, status: str) -> None:
        """Show or, with an empty text, take down what the bot says it is doing in a thread."""
        if status:
            self.statuses[channel_id, thread_ts] = (status, self.clock())
        else:
            self.statuses.pop((channel_id, thread_ts), None)
        self.touch()

    def shown_statuses(self) -> Iterator[tuple[str, str, str]]:
        """Channel, thread and text of every status that stands now."""
        for (channel_id, thread_ts), (text, since) in list(self.statuses.items()):
            if self.clock() - since < STATUS_S:
                yield channel_id, thread_ts, text

    # --- what a person's click brings along

    def new_trigger(self, user_id: str) -> str:
        """A `trigger_id` that opens one modal for that person within three seconds."""
        trigger_id = f"{next(self._numbers)}.{self.team_id}.{int(self.clock() * 1000):x}"
        self.triggers[trigger_id] = Trigger(user_id, self.clock())
        return trigger_id

    def new_response_url(self, user_id: str, channel_id: str, **about: Any) -> str:
        """The path by which a command or a click may be answered."""
        path = f"/commands/{self.team_id}/{next(self._numbers)}/{int(self.clock() * 1000):x}"
        self.response_urls[path] = ResponseUrl(user_id, channel_id, self.clock(), **about)
        return path

    def use_trigger(self, trigger_id: str) -> tuple[Trigger | None, str]:
        """The trigger, or Slack's word for why it opens nothing."""
        trigger = self.triggers.get(trigger_id)
        if trigger is None:
            return None, "invalid_trigger_id"
        if trigger.is_used:
            return None, "exchanged_trigger_id"
        if self.clock() - trigger.made_at > TRIGGER_S:
            return None, "expired_trigger_id"
        trigger.is_used = True
        return trigger, ""
