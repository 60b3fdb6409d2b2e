"""Whether Slack tells of messages that do not mention the bot, where every question is to be answered.

Slack says which scopes an app has, never which events it is sent: the default manifest has the scope `channels:history`
and not the event `message.channels`. So that an event came is kept, by its name alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from console.channels.linting import Effect, Finding
from console.channels.models import Hears, SlackChannel, SlackChannelFacts, SlackEvent, SlackWorkspace

EVENTS = {"channel": "message.channels", "group": "message.groups", "mpim": "message.mpim"}
"""By the `channel_type` that the event has."""
SCOPES = {
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "message.mpim": "mpim:history",
}
PLACES = {
    "message.channels": "a public channel",
    "message.groups": "a private channel",
    "message.mpim": "a group direct message",
}
GROUP_DIRECT_NAME = "mpdm-"
"""What Slack begins the name of every group direct message with."""
NOTED_AGAIN_AFTER = timedelta(days=1)


def note_message_event(team_id: str, channel_type: str) -> None:
    """Keep that such an event came, for `settings.SLACK_EVENT_DAYS` from the last one on; to the day is enough."""
    event = EVENTS.get(channel_type)
    if event is None or not team_id:
        return
    row, _ = SlackEvent.objects.get_or_create(team_id=team_id, event_id=_key(event))
    if row.received_at < timezone.now() - NOTED_AGAIN_AFTER:
        SlackEvent.objects.filter(pk=row.pk).update(received_at=timezone.now())


def _key(event: str) -> str:
    """By which it is kept among the events; Slack's own ids hold no colon."""
    return f"told:{event}"


def findings_of_hearing(
    channel: SlackChannel | None, facts: SlackChannelFacts | None, workspace: SlackWorkspace | None
) -> Iterator[Finding]:
    """A channel whose questions need no mention, in an app that is not told of such messages.

    One event speaks for the whole workspace: a channel that was set up a minute ago is not blamed for being quiet.
    """
    if channel is None or channel.hears != Hears.ALL or not _is_in(facts, workspace):
        return
    events = _events_of(channel, facts)
    needed = [SCOPES[event] for event in events]
    granted = workspace.granted_scopes if workspace else frozenset()
    subscribe = (
        f"subscribe to {_either(events)} (manage.py slack manifest --every-message), and install it again."
    )
    if granted and not granted.intersection(needed):
        yield Finding(
            Effect.SILENT,
            "messages_not_received",
            "Every question is to be answered here, but the app may not see messages that do not mention it.",
            f"In the app in Slack, grant {_either(needed)}, {subscribe}",
        )
        return
    since = timezone.now() - timedelta(days=settings.SLACK_EVENT_DAYS)
    keys = [_key(event) for event in events]
    if SlackEvent.objects.filter(team_id=channel.team_id, event_id__in=keys, received_at__gt=since).exists():
        return
    places = _either([PLACES[event] for event in events])
    yield Finding(
        Effect.SILENT,
        "messages_not_told",
        f"Every question is to be answered here, but within {settings.SLACK_EVENT_DAYS} days Slack told of nothing "
        f"in {places} but mentions: the app lacks the event {_either(events)}, or nobody wrote.",
        f"Write something there. If this stays, in the app in Slack {subscribe}",
    )


def _is_in(facts: SlackChannelFacts | None, workspace: SlackWorkspace | None) -> bool:
    """False where another finding says already why nothing can come."""
    if workspace is not None and workspace.removed_at is not None:
        return False
    return facts is None or not (facts.is_member is False or facts.is_archived)


def _events_of(channel: SlackChannel, facts: SlackChannelFacts | None) -> list[str]:
    """The event that tells of this channel's messages; those it may be, where Slack did not say what it is."""
    if facts is not None and facts.name.startswith(GROUP_DIRECT_NAME):
        return ["message.mpim"]
    is_private = facts.is_private if facts is not None else None
    if is_private is None:
        is_old_private = channel.channel_id.startswith("G")
        return ["message.groups", "message.mpim"] if is_old_private else list(EVENTS.values())
    return ["message.groups"] if is_private else ["message.channels"]


def _either(names: list[str]) -> str:
    return " or ".join(names)
