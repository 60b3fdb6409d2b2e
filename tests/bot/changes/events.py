"""What Slack sends when a message was edited or deleted."""

from __future__ import annotations

from collections.abc import Callable

from bot.notices import pick_up_unsent
from console.channels.models import SlackNotice
from console.questions.models import Question
from tests.bot.payloads import (
    ASKER,
    BOT,
    CHANNEL,
    TS,
    event_body,
)

LIMIT = "The nightly hotel limit is 180 EUR."
ASKED = "How much is the hotel limit?"
EDITED = "How much is the flight limit?"
Asked = Callable[..., Question]
Work = Callable[[], None]


def edit(text: str, *, before: str = ASKED, channel: str = CHANNEL, ts: str = TS, **message: object) -> dict:
    old = {"type": "message", "text": f"<@{BOT}> {before}", "user": ASKER, "ts": ts}
    new = {**old, "text": f"<@{BOT}> {text}", "edited": {"user": ASKER, "ts": "2.2"}, **message}
    event = {"type": "message", "subtype": "message_changed", "hidden": True, "channel": channel}
    more = {"ts": "9.9", "channel_type": "channel", "message": new, "previous_message": old}
    return event_body({**event, **more}, "EvEdit")


def edited(seconds: str) -> dict[str, object]:
    return {"edited": {"user": ASKER, "ts": seconds}}


def deletion(*, channel: str = CHANNEL, ts: str = TS) -> dict:
    event = {"type": "message", "subtype": "message_deleted", "hidden": True, "channel": channel}
    more = {"ts": "9.9", "deleted_ts": ts, "channel_type": "channel"}
    return event_body({**event, **more, "previous_message": {"ts": ts, "user": ASKER}}, "EvDeleted")


def time_passes() -> None:
    SlackNotice.objects.update(not_before=None)
    pick_up_unsent(at_start=True)
