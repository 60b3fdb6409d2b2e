"""Whatever is repeated, doubled, raced or cut off by a restart: one question, one message.

Nothing is indexed here, so each question ends in a refusal; that makes it no less a message.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable

import pytest
from django.db import connections

from bot.delivery import deliver_answer, pick_up_undelivered
from console.channels.models import SlackDelivery, SlackEvent
from console.questions.models import Question
from console.questions.services import answer_question, pick_up_pending
from tests.bot.fake_slack import FakeSlack
from tests.bot.payloads import channel_message, direct_message, mention, post

pytestmark = pytest.mark.usefixtures("transactional_db")

LIMIT = "What is the nightly hotel limit in capital cities?"
Work = Callable[[], None]


@pytest.mark.parametrize("retry_num", [None, "0", "3"])
def test_the_same_event_four_times_is_one_answer(slack: FakeSlack, work: Work, retry_num: str | None) -> None:
    headers = {"X-Slack-Retry-Num": retry_num, "X-Slack-Retry-Reason": "http_timeout"} if retry_num else {}
    for _ in range(3):
        assert post(mention(LIMIT), **headers).status_code == 200
    work()
    assert post(mention(LIMIT), **headers).status_code == 200
    work()
    assert len(slack.posts) == Question.objects.count() == SlackEvent.objects.count() == 1


def test_only_the_retry_arrives(slack: FakeSlack, work: Work) -> None:
    assert post(mention(LIMIT), **{"X-Slack-Retry-Num": "2"}).status_code == 200
    work()
    assert len(slack.posts) == 1


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_twins_of_one_post_are_one_answer(slack: FakeSlack, work: Work, order: tuple[int, int]) -> None:
    twins = [mention(LIMIT, event_id="Ev1"), channel_message(f"{LIMIT}", event_id="Ev2")]
    for position in order:
        assert post(twins[position]).status_code == 200
    work()
    assert len(slack.posts) == Question.objects.count() == 1


def test_two_events_of_one_direct_message_are_one_answer(slack: FakeSlack, work: Work) -> None:
    assert post(direct_message(LIMIT, event_id="Ev1")).status_code == 200
    assert post(direct_message(LIMIT, event_id="Ev2", subtype="thread_broadcast")).status_code == 200
    work()
    assert len(slack.posts) == Question.objects.count() == 1
    assert SlackEvent.objects.count() == 2


def test_twins_and_retries_at_once_are_one_answer(slack: FakeSlack, work: Work) -> None:
    """Ten threads, real connections: only the constraints of the database stand between them."""
    twins = [mention(LIMIT, event_id="Ev1"), mention(LIMIT, event_id="Ev2")]
    bodies = [twins[number % 2] for number in range(10)]
    random.Random(7).shuffle(bodies)
    start = threading.Barrier(len(bodies))
    statuses: list[int] = []

    def deliver(body: dict) -> None:
        start.wait()
        try:
            statuses.append(post(body).status_code)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=deliver, args=(body,)) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [200] * len(bodies)
    work()
    assert len(slack.posts) == Question.objects.count() == SlackDelivery.objects.count() == 1
    assert SlackEvent.objects.count() == 2


def test_two_workers_with_one_delivery_post_one_message(slack: FakeSlack, sent: list, work: Work) -> None:
    post(mention(LIMIT))
    answer_question(sent.pop(0)[1])
    question_id = sent.pop(0)[1]
    start = threading.Barrier(5)

    def deliver() -> None:
        start.wait()
        try:
            deliver_answer(question_id)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=deliver) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(slack.calls_of("chat.postMessage")) == 1


def test_a_restart_between_acknowledgement_and_answer_gives_one_answer(
    slack: FakeSlack, work: Work, sent: list
) -> None:
    post(mention(LIMIT))
    sent.clear()  # the process dies with its queue; the rows stay
    assert pick_up_pending(at_start=True) == 1
    work()
    assert len(slack.posts) == 1
    assert pick_up_pending(at_start=True) == pick_up_undelivered(at_start=True) == 0


def test_a_restart_between_answer_and_message_gives_one_answer(
    slack: FakeSlack, work: Work, sent: list
) -> None:
    post(mention(LIMIT))
    name, question_id = sent.pop(0)
    assert name == "footnote.answer_question"
    answer_question(question_id)
    sent.clear()
    assert slack.posts == []
    assert pick_up_undelivered(at_start=True) == 1
    work()
    assert len(slack.posts) == 1
