"""A stored answer can be posted once what Slack refused it for is mended."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from bot.delivery import pick_up_undelivered
from console.access import NotPermitted
from console.audit.models import AuditEntry
from console.channels.models import DeliveryState, SlackDelivery
from console.channels.services import redeliver_answer
from console.people.models import Role
from console.people.services import create_user
from console.questions.models import Question
from tests.bot.fake_slack import Failure, FakeSlack
from tests.bot.test_delivery import deliver

LIMIT = "The nightly hotel limit is 180 EUR."


@pytest.fixture
def given_up(slack: FakeSlack, finished: Callable[..., Question]) -> Question:
    question = finished(LIMIT)
    slack.script("chat.postMessage", Failure(error="is_archived"))
    assert deliver(question).state == DeliveryState.UNDELIVERABLE
    return question


def redeliver(question_id: object) -> str:
    out = io.StringIO()
    call_command("redeliver", str(question_id), stdout=out)
    return out.getvalue()


def test_a_given_up_answer_is_posted_and_audited(
    slack: FakeSlack, given_up: Question, work: Callable[[], None]
) -> None:
    assert "queued" in redeliver(given_up.pk)
    work()
    assert len(slack.posts) == 1
    assert SlackDelivery.objects.get().state == DeliveryState.DELIVERED
    entry = AuditEntry.objects.get(action="delivery.redeliver")
    assert (entry.actor_label, entry.subject) == ("system", str(given_up.pk))


def test_the_running_server_finds_it_when_the_commands_message_does_not_reach_it(
    slack: FakeSlack, given_up: Question, sent: list, work: Callable[[], None]
) -> None:
    """In embedded mode the queue lives in the server's memory, out of the command's reach."""
    redeliver(given_up.pk)
    sent.clear()
    assert pick_up_undelivered(at_start=True) == 1
    work()
    assert len(slack.posts) == 1


def test_what_had_arrived_all_the_same_is_not_posted_twice(
    slack: FakeSlack, finished: Callable[..., Question], work: Callable[[], None]
) -> None:
    question = finished(LIMIT)
    slack.script("chat.postMessage", Failure(error="is_archived", is_taken=True))
    assert deliver(question).state == DeliveryState.UNDELIVERABLE
    redeliver(question.pk)
    work()
    assert SlackDelivery.objects.get().state == DeliveryState.DELIVERED
    assert len(slack.posts) == 1


@pytest.mark.parametrize("state", [state for state in DeliveryState if state != DeliveryState.UNDELIVERABLE])
def test_only_what_was_given_up_is_posted_again(given_up: Question, sent: list, state: DeliveryState) -> None:
    SlackDelivery.objects.update(state=state)
    with pytest.raises(CommandError, match="given up"):
        redeliver(given_up.pk)
    assert sent == []
    assert SlackDelivery.objects.get().state == state
    assert not AuditEntry.objects.filter(action="delivery.redeliver").exists()


@pytest.mark.parametrize(
    ("question_id", "said"), [("00000000-0000-0000-0000-000000000000", "given up"), ("abc", "question_id")]
)
def test_an_id_of_no_slack_question_is_told_so(transactional_db: None, question_id: str, said: str) -> None:
    with pytest.raises(CommandError, match=said):
        redeliver(question_id)


def test_only_admins_may(given_up: Question) -> None:
    viewer = create_user(actor=None, username="vera", password="correct horse", role=Role.VIEWER)
    with pytest.raises(NotPermitted):
        redeliver_answer(actor=viewer, question_id=str(given_up.pk))
    assert SlackDelivery.objects.get().state == DeliveryState.UNDELIVERABLE
