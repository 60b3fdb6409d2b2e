"""Where every question is to be answered: whether Slack tells of what mentions nobody, and what is said if not."""

# ruff: noqa: F811 - fixtures of a neighbour

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from bot.manifests import EVERY_MESSAGE_EVENTS
from console.channels.hearing import EVENTS, SCOPES
from console.channels.models import SlackChannel, SlackEvent, SlackWorkspace
from console.channels.pruning import prune_events
from console.channels.reports import report_of
from console.questions.models import Question, Surface
from tests.bot.fake_slack import FakeSlack
from tests.bot.payloads import BOT, CHANNEL, TEAM, channel_message, direct_message, mention, post
from tests.bot.test_linter import channel, facts, index, travel  # noqa: F401 - fixtures

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("sent")]
KINDS = {
    # as Slack says what a conversation is → its channel_type
    "channel": {"is_private": False, "name": "travel"},
    "group": {"is_private": True, "name": "board"},
    "mpim": {"is_private": True, "name": "mpdm-ada--ben--footnote-1"},
}


@pytest.fixture
def hears_all(channel: SlackChannel) -> SlackChannel:
    SlackChannel.objects.update(hears="all")
    return SlackChannel.objects.get()


def is_a(kind: str) -> None:
    facts(is_member=True, is_archived=False, is_shared=False, has_guests=False, **KINDS[kind])


def codes() -> list[str]:
    return [finding.code for finding in report_of(TEAM, CHANNEL).findings]


def written(kind: str, **event: object) -> dict:
    """Somebody writes in another conversation of that kind."""
    body = channel_message("nothing to ask", channel="C00000OTHER", **event)
    body["event"]["channel_type"] = kind
    return body


def test_the_events_are_those_of_the_manifest() -> None:
    assert tuple(EVENTS.values()) == EVERY_MESSAGE_EVENTS == tuple(SCOPES)


@pytest.mark.parametrize("kind", KINDS)
def test_an_event_of_the_same_kind_clears_it_and_no_other(hears_all: SlackChannel, kind: str) -> None:
    is_a(kind)
    post(mention("How much?"))
    post(direct_message("How much?"))
    for other in KINDS.keys() - {kind}:
        post(written(other))
    assert codes() == ["messages_not_told"]
    (finding,) = report_of(TEAM, CHANNEL).findings
    assert EVENTS[kind] in finding.sentence
    assert "--every-message" in finding.next_step
    body = written(kind)
    post({**body, "team_id": "T0OTHER", "authorizations": [{"team_id": "T0OTHER", "user_id": BOT}]})
    assert codes() == ["messages_not_told"], "it came from another workspace"
    post(body)
    assert codes() == []


@pytest.mark.parametrize("subtype", ["channel_join", "message_changed", "bot_message"])
def test_whatever_is_told_shows_that_it_is_told(hears_all: SlackChannel, subtype: str) -> None:
    is_a("channel")
    post(written("channel", subtype=subtype))
    assert codes() == []


def test_where_slack_did_not_say_what_a_channel_is_any_event_counts(hears_all: SlackChannel) -> None:
    assert codes() == ["messages_not_told"]
    post(written("group"))
    assert codes() == []


@pytest.mark.parametrize("kind", KINDS)
def test_the_scope_of_the_kind_is_asked_for(hears_all: SlackChannel, kind: str) -> None:
    is_a(kind)
    needed = SCOPES[EVENTS[kind]]
    SlackWorkspace.objects.update(scopes=",".join(SlackWorkspace.objects.get().granted_scopes - {needed}))
    assert codes() == ["messages_not_received"]
    assert f"grant {needed}, subscribe to {EVENTS[kind]} (" in report_of(TEAM, CHANNEL).findings[0].next_step


def test_what_came_long_ago_shows_nothing_and_what_comes_again_counts_anew(
    hears_all: SlackChannel, settings: object
) -> None:
    post(written("channel"))
    old = timezone.now() - timedelta(days=settings.SLACK_EVENT_DAYS, minutes=1)
    SlackEvent.objects.update(received_at=old)
    assert codes() == ["messages_not_told"]
    post(written("channel"))
    assert codes() == []
    prune_events()
    assert codes() == [], "it was noted anew"
    assert SlackEvent.objects.count() == 1


@pytest.mark.parametrize("said", [{"is_member": False}, {"is_archived": True}], ids=str)
def test_where_nothing_can_come_the_cause_is_named_alone(
    hears_all: SlackChannel, said: dict[str, bool]
) -> None:
    facts(**{"is_member": True, "is_shared": False, "has_guests": False, **said})
    assert codes() == ["not_a_member" if "is_member" in said else "archived"]


def test_a_mention_in_a_group_message_is_a_question_once(slack: FakeSlack) -> None:
    """Also where Slack sends no `app_mention` for it."""
    body = written("mpim")
    body["event"]["text"] = f"<@{BOT}> How much is it?"
    post(body)
    assert Question.objects.count() == 1
    post(mention("How much is it?", channel="C00000OTHER"))
    assert [(q.text, q.surface) for q in Question.objects.all()] == [
        ("How much is it?", Surface.SLACK_MENTION)
    ]
    post(channel_message("How much is it?", event_id="Ev8", ts="1767376999.000001"))
    body["event"] |= {"ts": "1767376999.000002", "text": "How much is it?"}
    post({**body, "event_id": "Ev9"})
    assert Question.objects.count() == 1, (
        "in a channel the mention itself comes, and without one nobody asks the bot"
    )
