"""Steps as JSON, one a line, and what the bot made of each: for people without a browser, and for tests.

``{"as": "ada", "in": "help", "say": "@footnote how much?"}`` · ``"in": "footnote"`` is the direct message ·
``"command": "/ask"`` with ``"say"`` · ``"thread": true`` replies to what was last written there.

A step ends when the bot has said what it owes: to a question an answer, to a command the reply to it and, where that
promises one, the answer. What asks the bot nothing is given a few seconds, and none where Slack does not tell of it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from bot.phrases import LANGUAGES
from bot.simulator.limits import texts_of
from bot.simulator.simulation import Simulation
from bot.simulator.workspace import Json

WAIT_S = 120.0
_LOOK_EVERY_S = 0.05
_SETTLED_S = 0.7
_UNASKED_S = 5.0
"""A message that need not be a question: until then its answer, or the status before it, has begun to show."""
_PROMISES = {
    promise for words in LANGUAGES.values() for promise in (words.replies.looking, words.channel.looking)
}
"""What the bot acknowledges a command with when its answer is still to come."""


class _Done(NamedTuple):
    """Where something was done, how many messages it is owed, and how long it takes to know that none comes."""

    channel_id: str
    least: int = 1
    silence_s: float = WAIT_S


def run_script(simulation: Simulation, lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Do each step, wait for what the bot writes and give it back.

    Raises:
        ValueError: a line is no step.
    """
    roots: dict[str, str] = {}
    for line in lines:
        if not line.strip():
            continue
        step = json.loads(line)
        seen = {id(message) for message in _of_the_bot(simulation)}
        started = time.monotonic()
        done = _do(simulation, step, roots)
        messages = _wait_for(simulation, seen, done)
        yield {
            "step": step,
            "seconds": round(time.monotonic() - started, 2),
            "messages": [_told(message) for message in messages if message.get("channel") == done.channel_id],
            "problems": list(simulation.api.problems),
        }


def _do(simulation: Simulation, step: Json, roots: dict[str, str]) -> _Done:
    workspace, client = simulation.workspace, simulation.client
    person = next((p for p in workspace.people.values() if p.name == step.get("as", "ada")), None)
    if person is None or "say" not in step:
        raise ValueError(f"this is no step: {step}")
    name = step.get("in", "help")
    if name == workspace.bot_name:
        channel = workspace.direct_channel(person.id)
    else:
        channel = next(c for c in workspace.channels.values() if c.name == name and c.kind != "im")
    if step.get("command"):
        client.command(person.id, channel.id, step["command"], step["say"])
        return _Done(channel.id)
    thread_ts = roots.get(channel.id, "") if step.get("thread") else ""
    message = client.write(person.id, channel.id, step["say"], thread_ts=thread_ts)
    roots[channel.id] = thread_ts or message["ts"]
    if not client.events_of(channel, message):
        return _Done(channel.id, least=0, silence_s=_SETTLED_S)
    if channel.kind != "im" and not client.is_mention(message):
        return _Done(channel.id, least=0, silence_s=_UNASKED_S)
    return _Done(channel.id)


def _of_the_bot(simulation: Simulation) -> list[Json]:
    workspace = simulation.workspace
    with workspace.lock:
        posted = [m for channel in workspace.messages.values() for m in channel if m.get("bot_id")]
        return posted + workspace.private_messages


def _wait_for(simulation: Simulation, seen: set[int], done: _Done) -> list[Json]:
    """What the bot wrote since, in order, once it owes nothing, has stopped writing and shows no status."""
    deadline, last_change, new = time.monotonic() + WAIT_S, time.monotonic(), list[Json]()
    while time.monotonic() < deadline:
        now_new = [message for message in _of_the_bot(simulation) if id(message) not in seen]
        if len(now_new) != len(new):
            new, last_change = now_new, time.monotonic()
        is_settled = time.monotonic() - last_change > (_SETTLED_S if new else done.silence_s)
        least = done.least + sum(message.get("text") in _PROMISES for message in new)
        if len(new) >= least and is_settled and not list(simulation.workspace.shown_statuses()):
            break
        time.sleep(_LOOK_EVERY_S)
    return sorted(new, key=lambda message: str(message.get("ts") or message.get("message_ts")))


def _told(message: Json) -> dict[str, Any]:
    notification, *shown = texts_of(message)
    return {
        "is_private": "message_ts" in message,
        "thread_ts": message.get("thread_ts") or "",
        "notification": notification,
        "text": "\n".join(shown) or notification,
    }
