"""Who could read an answer: what Slack said of channels and people, kept, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from enum import Enum

from django.utils import timezone

from console.channels.models import SlackChannelFacts, SlackPerson, SlackWorkspace
from console.people.models import User
from console.questions.models import Question

FACTS_COUNT_FOR = timedelta(minutes=15)
"""Older facts are no facts when something is posted. Whoever posts asks Slack first (`bot.audience`)."""
PERSON_COUNTS_FOR = timedelta(hours=24)


class Outsiders(Enum):
    """Are guests, or people of other organisations, among the readers?"""

    NONE = "nobody from outside"
    PRESENT = "somebody from outside"
    UNKNOWN = "Slack did not tell"


def outsiders_of(question: Question, *, alone: bool) -> Outsiders:
    """Who reads the answer to a Slack question: the asker `alone`, or everybody in the channel."""
    if question.is_external:
        return Outsiders.PRESENT
    if alone:
        return outsider_is(question.slack_team_id, question.slack_user_id)
    # An event says itself whether its channel is shared; a command or a form does not.
    is_shared_unless_told = None if question.is_private else False
    return outsiders_in(
        question.slack_team_id, question.slack_channel_id, is_shared_unless_told=is_shared_unless_told
    )


def outsiders_in(team_id: str, channel_id: str, *, is_shared_unless_told: bool | None = None) -> Outsiders:
    """Who is in a channel by what Slack last said of it."""
    facts = facts_of(team_id, channel_id)
    is_recent = facts is not None and facts.checked_at > timezone.now() - FACTS_COUNT_FOR
    is_shared = facts.is_shared if facts else None
    has_guests = facts.has_guests if facts else None
    if is_shared or has_guests:
        return Outsiders.PRESENT
    if not is_recent:
        is_shared = has_guests = None
    if is_shared is None:
        is_shared = is_shared_unless_told
    if has_guests is None and has_no_guests(team_id):
        has_guests = False
    return Outsiders.UNKNOWN if is_shared is None or has_guests is None else Outsiders.NONE


def outsider_is(team_id: str, user_id: str) -> Outsiders:
    """Whether one person is from outside. A person of the console is not, whatever Slack leaves untold."""
    person = SlackPerson.objects.filter(team_id=team_id, user_id=user_id).first()
    if person is not None and person.is_outsider:
        return Outsiders.PRESENT
    if person is not None and person.checked_at > timezone.now() - PERSON_COUNTS_FOR:
        return Outsiders.NONE
    is_ours = User.objects.filter(slack_team_id=team_id, slack_user_id=user_id, is_active=True).exists()
    return Outsiders.NONE if is_ours or has_no_guests(team_id) else Outsiders.UNKNOWN


def facts_of(team_id: str, channel_id: str) -> SlackChannelFacts | None:
    """What Slack last said of a channel."""
    return SlackChannelFacts.objects.filter(team_id=team_id, channel_id=channel_id).first()


def has_no_guests(team_id: str) -> bool:
    """True where an admin says that the workspace has none."""
    return SlackWorkspace.objects.filter(team_id=team_id, has_no_guests=True).exists()


def record_facts(team_id: str, channel_id: str, **facts: bool | str | None) -> SlackChannelFacts:
    """Keep what Slack said of a channel; what is not given is unknown from here on."""
    told = {
        "is_member": None,
        "is_archived": None,
        "is_private": None,
        "is_shared": None,
        "has_guests": None,
        "fault": "",
        **facts,
        "checked_at": timezone.now(),
    }
    row, _ = SlackChannelFacts.objects.update_or_create(team_id=team_id, channel_id=channel_id, defaults=told)
    return row


def record_people(team_id: str, is_outsider: Mapping[str, bool]) -> None:
    """Keep who is from outside."""
    now = timezone.now()
    SlackPerson.objects.bulk_create(
        [
            SlackPerson(team_id=team_id, user_id=user_id, is_outsider=outside, checked_at=now)
            for user_id, outside in is_outsider.items()
        ],
        update_conflicts=True,
        unique_fields=["team_id", "user_id"],
        update_fields=["is_outsider", "checked_at"],
        batch_size=500,
    )


def known_people(team_id: str, user_ids: Iterable[str]) -> dict[str, bool]:
    """Which of these people are from outside, as far as that was looked up within a day."""
    since = timezone.now() - PERSON_COUNTS_FOR
    recent = SlackPerson.objects.filter(team_id=team_id, checked_at__gt=since)
    wanted = set(user_ids)
    return {
        user_id: outside
        for user_id, outside in recent.values_list("user_id", "is_outsider")
        if user_id in wanted
    }
