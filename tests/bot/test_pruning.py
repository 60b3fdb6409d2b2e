"""Ids of events are forgotten when Slack repeats them no more, a few hundred at a time, and not before."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from console.channels import pruning
from console.channels.models import SlackEvent
from console.channels.pruning import prune_events
from console.questions.models import Question
from tests.bot.fake_slack import FakeSlack
from tests.bot.payloads import mention, post
from workers import tasks

pytestmark = pytest.mark.usefixtures("transactional_db")


def age(days: float) -> None:
    SlackEvent.objects.update(received_at=timezone.now() - timedelta(days=days))


@pytest.mark.parametrize(("days", "n_left"), [(6.9, 1), (7.1, 0)])
def test_an_event_is_known_for_as_long_as_the_setting_says(
    slack: FakeSlack, sent: list, days: float, n_left: int
) -> None:
    post(mention("How much?"))
    age(days)
    tasks.pick_up_pending()
    assert SlackEvent.objects.count() == n_left


def test_what_is_deleted_at_once_is_bounded_and_the_oldest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pruning, "AT_ONCE", 3)
    for number in range(5):
        SlackEvent.objects.create(team_id="T1", event_id=f"Ev{number}")
        SlackEvent.objects.filter(event_id=f"Ev{number}").update(
            received_at=timezone.now() - timedelta(days=30 - number)
        )
    assert prune_events() == 3
    assert set(SlackEvent.objects.values_list("event_id", flat=True)) == {"Ev3", "Ev4"}
    assert (prune_events(), prune_events()) == (2, 0)


def test_a_message_that_comes_again_after_that_is_still_answered_once(slack: FakeSlack, sent: list) -> None:
    post(mention("How much?"))
    age(30)
    assert prune_events() == 1
    post(mention("How much?"))
    assert Question.objects.count() == 1
