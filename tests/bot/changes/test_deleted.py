"""A deleted question takes its answer and its status along."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from bot import delivery
from bot.delivery import pick_up_undelivered
from bot.notices import pick_up_unsent, send_notice
from bot.phrases import GERMAN
from bot.simulator.failures import rate_limited
from bot.statuses import show_status
from console.channels import notices
from console.channels.models import (
    DeliveryState,
    NoticeKind,
    NoticeState,
    SlackDelivery,
    SlackNotice,
    SlackStatus,
)
from console.questions import wording
from console.questions.conversation import turns_before
from console.questions.models import Answer, Question, QuestionState, Surface
from console.questions.services import answer_question
from tests.bot.changes.events import ASKED, EDITED, LIMIT, Asked, Work, deletion, edit, time_passes
from tests.bot.fake_slack import ALL_SCOPES, Failure, FakeSlack
from tests.bot.limits import texts_of
from tests.bot.payloads import (
    ASKER,
    CHANNEL,
    DM,
    TS,
    click,
    mention,
    post,
    post_interaction,
)
from tests.bot.test_delivery import deliver


class TestDeleted:
    def test_the_answer_and_the_text_of_the_question_go(
        self, slack: FakeSlack, finished: Asked, work: Work
    ) -> None:
        question = finished(*["A sentence that fills the page with words." for _ in range(300)])
        deliver(question)
        assert len(slack.posts) > 1
        post(deletion())
        work()
        assert slack.posts == []
        question.refresh_from_db()
        assert question.text == wording.WITHDRAWN
        assert question.state == QuestionState.ANSWERED, "the record of what was decided stays"
        assert SlackDelivery.objects.get().state == DeliveryState.RETRACTED
        deliver(question)
        assert slack.posts == []

    def test_an_edited_questions_answer_goes_too(
        self, slack: FakeSlack, finished: Asked, sent: list, work: Work, url: str
    ) -> None:
        question = finished(LIMIT)
        deliver(question)
        post(edit(EDITED))
        post_interaction(click("answer_edited", str(question.pk), response_url=url))
        work()
        assert len(slack.posts) == 2
        post(deletion())
        work()
        assert slack.posts == []
        assert not Question.objects.exclude(text=wording.WITHDRAWN).exists()
        assert not SlackNotice.objects.exclude(text="").exists()

    def test_what_waits_to_be_posted_is_not(self, slack: FakeSlack, finished: Asked, work: Work) -> None:
        finished(LIMIT)
        post(deletion())
        assert SlackDelivery.objects.get().state == DeliveryState.RETRACTED
        Question.objects.update(finished_at=timezone.now() - timedelta(minutes=1))
        assert pick_up_undelivered(at_start=True) == 0
        work()
        assert slack.calls_of("chat.postMessage") == []

    def test_what_was_not_answered_yet_is_not_searched_for(
        self, slack: FakeSlack, sent: list, work: Work
    ) -> None:
        post(mention(ASKED))
        post(deletion())
        work()
        assert Answer.objects.get().reason == wording.WITHDRAWN
        assert slack.posts == []

    def test_what_is_being_posted_is_taken_back_afterwards(
        self, slack: FakeSlack, finished: Asked, work: Work
    ) -> None:
        question = finished(LIMIT)
        soon = timezone.now() + timedelta(minutes=1)
        SlackDelivery.objects.update(state=DeliveryState.POSTING, lease_until=soon)
        post(deletion())
        work()
        assert SlackNotice.objects.get().last_error == "delivery_under_way"
        SlackDelivery.objects.update(state=DeliveryState.DELIVERED, lease_until=None)
        SlackNotice.objects.update(not_before=None)
        slack.messages[CHANNEL].append(
            {
                "ts": "1900000000.000001",
                "thread_ts": TS,
                "bot_id": "B00000BOT01",
                "metadata": {
                    "event_type": "footnote_answer",
                    "event_payload": {"question": str(question.pk)},
                },
            }
        )
        pick_up_unsent()
        work()
        assert slack.posts == []

    def test_where_slack_deletes_nothing_the_words_are_struck(
        self, slack: FakeSlack, finished: Asked, work: Work
    ) -> None:
        slack.knows(ASKER, locale="de-DE")
        deliver(finished(LIMIT))
        slack.script("chat.delete", Failure(error="cant_delete_message"))
        post(deletion())
        work()
        (message,) = slack.posts
        assert texts_of(message) == [GERMAN.replies.withdrawn] * 2

    def test_a_message_with_replies_leaves_a_tombstone(
        self, slack: FakeSlack, finished: Asked, work: Work
    ) -> None:
        deliver(finished(LIMIT))
        post(edit("This message was deleted.", subtype="tombstone", user="USLACKBOT", edited=None))
        work()
        assert slack.posts == []

    def test_without_the_scope_to_look_the_known_part_goes(
        self, slack: FakeSlack, finished: Asked, work: Work
    ) -> None:
        deliver(finished(LIMIT))
        slack.scopes = ALL_SCOPES - {"channels:history"}
        post(deletion())
        work()
        assert slack.posts == []

    def test_being_told_to_wait_is_no_fault_that_is_given_up(
        self, slack: FakeSlack, finished: Asked, work: Work
    ) -> None:
        deliver(finished(LIMIT))
        slack.script("chat.delete", *[rate_limited(1)] * (notices.MAX_ATTEMPTS + 2))
        post(deletion())
        work()
        for _ in range(notices.MAX_ATTEMPTS + 1):
            time_passes()
            work()
        row = SlackNotice.objects.get()
        assert (row.state, row.last_error) == (NoticeState.SENDING, "ratelimited")
        assert row.not_before is not None
        waits_s = (row.not_before - timezone.now()).total_seconds()
        assert waits_s > notices.LONGEST_BACKOFF_S - 10, "it is tried more slowly by now"
        time_passes()
        work()
        assert slack.posts == []

    def test_tries_that_end_without_a_word_are_counted(
        self, slack: FakeSlack, finished: Asked, sent: list
    ) -> None:
        deliver(finished(LIMIT))
        post(deletion())
        SlackNotice.objects.update(n_attempts=notices.MAX_LIMITED_ATTEMPTS)
        send_notice(SlackNotice.objects.get().pk)
        row = SlackNotice.objects.get()
        assert (row.state, row.last_error) == (NoticeState.GIVEN_UP, "too_many_attempts")

    def test_twice_is_once(self, slack: FakeSlack, finished: Asked, work: Work) -> None:
        deliver(finished(LIMIT))
        for _ in range(2):
            post(deletion())
            work()
        assert len(slack.calls_of("chat.delete")) == 1

    def test_a_follow_up_does_not_lean_on_it(self, slack: FakeSlack, finished: Asked, work: Work) -> None:
        finished(LIMIT)
        follow_up = finished(LIMIT, ts="8.8", thread_ts=TS)
        assert len(turns_before(follow_up)) == 1
        post(deletion())
        assert turns_before(follow_up) == []

    def test_a_direct_message_is_taken_back_likewise(
        self, slack: FakeSlack, finished: Asked, work: Work
    ) -> None:
        deliver(finished(LIMIT, surface=Surface.SLACK_DM))
        post(deletion(channel=DM))
        work()
        assert slack.posts == []

    def test_the_worker_that_answers_meanwhile_finishes_in_silence(
        self, slack: FakeSlack, sent: list, work: Work, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        post(mention(ASKED))
        question = Question.objects.get()

        def delete_and_break(_: Question) -> None:
            post(deletion())
            raise RuntimeError

        monkeypatch.setattr("console.questions.services.search_scope", delete_and_break)
        answer_question(str(question.pk))
        question.refresh_from_db()
        assert question.state == QuestionState.BROKEN
        assert question.text == wording.WITHDRAWN
        work()
        assert slack.posts == []


def test_a_late_worker_posts_nothing_after_the_retraction(
    slack: FakeSlack, finished: Asked, sent: list, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = finished(LIMIT)
    learn = delivery.learn_audience

    def slowly(*arguments: object, **options: object) -> None:
        learn(*arguments, **options)
        SlackDelivery.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        post(deletion())
        send_notice(SlackNotice.objects.get(kind=NoticeKind.RETRACTION).pk)

    monkeypatch.setattr(delivery, "learn_audience", slowly)
    delivery.deliver_answer(str(question.pk))
    assert SlackDelivery.objects.get().state == DeliveryState.RETRACTED
    assert slack.posts == []


class TestTheStatusOfADeletedQuestion:
    def test_it_is_taken_down_with_the_question(self, slack: FakeSlack, sent: list, work: Work) -> None:
        post(mention(ASKED))
        show_status(str(Question.objects.get().pk))
        assert SlackStatus.objects.exists()
        sent[:] = []
        post(deletion())
        send_notice(SlackNotice.objects.get().pk)
        assert not SlackStatus.objects.exists()
        assert [c["status"] for c in slack.calls_of("assistant.threads.setStatus")][1:] == [""]

    def test_one_that_another_question_is_waited_under_stays(self, slack: FakeSlack, sent: list) -> None:
        post(mention(ASKED))
        post(mention("And flights?", ts="1767376999.000001", thread_ts=TS, event_id="Ev7"))
        show_status(str(Question.objects.get(slack_ts=TS).pk))
        post(deletion())
        send_notice(SlackNotice.objects.get().pk)
        assert SlackStatus.objects.exists()
