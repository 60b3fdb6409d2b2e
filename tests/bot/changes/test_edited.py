"""An edited question is offered to be answered once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from bot import notices
from bot.notices import pick_up_unsent
from bot.phrases import ENGLISH, Problem
from console.channels import notices as outgoing
from console.channels.models import (
    NoticeState,
    SlackNotice,
)
from console.questions.conversation import first_in_turn, questions_after, questions_before
from console.questions.models import Question, Surface
from console.questions.wording import QUESTION_EMPTY
from console.sources.models import Folder
from tests.bot.changes.events import ASKED, EDITED, LIMIT, Asked, Work, edit, edited, time_passes
from tests.bot.fake_slack import Failure, FakeSlack
from tests.bot.limits import buttons_of
from tests.bot.payloads import (
    ASKER,
    CHANNEL,
    TS,
    click,
    mention,
    post,
    post_interaction,
)
from tests.bot.test_delivery import deliver


def test_an_edited_question_has_its_turn_when_it_is_asked_again(finished: Asked) -> None:
    def at(seconds: int) -> str:
        return f"{1767376988 + seconds}.871629"

    original = finished(LIMIT)
    before, after = (finished(LIMIT, ts=at(seconds), thread_ts=TS) for seconds in (30, 90))
    edited = finished(LIMIT, ts=f"edit-{TS}", thread_ts=TS)
    Question.objects.filter(pk=edited.pk).update(received_at=datetime.fromtimestamp(float(at(60)), UTC))
    edited.refresh_from_db()
    assert set(questions_before(edited)) == {original, before}
    assert set(questions_before(after)) == {original, before, edited}
    assert set(questions_before(before)) == {original}
    assert set(questions_after(before)) == {edited, after}
    assert first_in_turn(questions_after(before)) == edited
    assert set(questions_after(edited)) == {after}
    assert first_in_turn(questions_after(after)) is None


class TestEdited:
    @pytest.mark.parametrize("is_begun", [False, True])
    def test_an_older_edit_that_comes_later_changes_nothing(
        self, slack: FakeSlack, finished: Asked, sent: list, is_begun: bool
    ) -> None:
        if is_begun:
            deliver(finished(LIMIT))
        else:
            post(mention(ASKED))
        post(edit("How much is the newest limit?", **edited("1767376999.000000")))
        post(edit("How much is the older limit?", **edited("1767376990.000000")))
        kept = SlackNotice.objects.get().text if is_begun else Question.objects.get().text
        assert kept == "How much is the newest limit?"
        post(edit("How much is the very newest limit?", **edited("1767377000.000000")))
        kept = SlackNotice.objects.get().text if is_begun else Question.objects.get().text
        assert kept == "How much is the very newest limit?"

    def test_two_edits_of_one_second_go_by_the_times_of_their_events(
        self, slack: FakeSlack, sent: list
    ) -> None:
        post(mention(ASKED))
        for text, ts in (("Newest?", "1767376990.000900"), ("Older?", "1767376990.000100")):
            body = edit(text, **edited("1767376990.000000"))
            body["event"]["ts"] = ts
            post(body)
        assert Question.objects.get().text == "Newest?"

    def test_an_edit_that_comes_after_the_question_was_changed_back_changes_nothing(
        self, slack: FakeSlack, sent: list
    ) -> None:
        post(mention(ASKED))
        post(edit(ASKED, before=EDITED, **edited("1767376999.000000")))
        post(edit(EDITED, **edited("1767376990.000000")))
        assert Question.objects.get().text == ASKED

    def test_a_question_that_was_changed_back_is_offered_no_more(
        self, slack: FakeSlack, finished: Asked, sent: list, work: Work, url: str
    ) -> None:
        question = finished(LIMIT)
        asked = question.text
        deliver(question)
        post(edit(EDITED))
        work()
        post(edit(asked, before=EDITED))
        post_interaction(click("answer_edited", str(question.pk), response_url=url))
        assert slack.replies == [ENGLISH.replies.problems[Problem.GONE]]

    @pytest.mark.parametrize("is_limited", [False, True])
    def test_a_question_that_was_changed_back_before_it_was_offered_is_not_offered(
        self, slack: FakeSlack, finished: Asked, sent: list, work: Work, url: str, is_limited: bool
    ) -> None:
        question = finished(LIMIT)
        post(edit(EDITED))
        if is_limited:
            slack.script("chat.postEphemeral", Failure(status=429, headers={"Retry-After": "30"}))
            work()
        post(edit(question.text, before=EDITED))
        time_passes()
        work()
        assert slack.ephemeral == []
        post_interaction(click("answer_edited", str(question.pk), response_url=url))
        assert slack.replies == [ENGLISH.replies.problems[Problem.GONE]]
        post(edit("And flights?"))
        work()
        assert len(slack.ephemeral) == 1, "a new edit is offered"

    def test_a_question_that_is_changed_back_while_it_is_offered_is_not_offered(
        self, slack: FakeSlack, finished: Asked, sent: list, work: Work, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        question = finished(LIMIT)
        post(edit(EDITED))
        look_up = notices.person_of

        def slowly(*arguments: object) -> object:
            post(edit(question.text, before=EDITED))
            return look_up(*arguments)

        monkeypatch.setattr(notices, "person_of", slowly)
        work()
        assert slack.ephemeral == []

    def test_the_asker_is_offered_once_and_answered_once(
        self, slack: FakeSlack, finished: Asked, sent: list, work: Work, url: str
    ) -> None:
        deliver(finished(LIMIT))
        for text in ("First try", EDITED):
            assert post(edit(text)).status_code == 200
            work()
        (offer,) = slack.ephemeral
        assert (offer["channel"], offer["user"], offer["thread_ts"]) == (CHANNEL, ASKER, TS)
        (button,) = buttons_of(offer)
        for _ in range(2):
            post_interaction(click("answer_edited", button["value"], response_url=url))
        edited = Question.objects.exclude(slack_ts=TS).get()
        assert (edited.text, edited.slack_thread_ts, edited.surface) == (EDITED, TS, Surface.SLACK_MENTION)
        assert slack.replies == [
            ENGLISH.replies.looking,
            ENGLISH.replies.problems[Problem.ANSWERED_ALREADY],
        ]
        work()
        assert [message["thread_ts"] for message in slack.posts] == [TS, TS]
        post(edit("And once more?"))
        work()
        assert len(slack.ephemeral) == 1

    def test_a_question_not_begun_is_changed(self, slack: FakeSlack, sent: list) -> None:
        post(mention(ASKED))
        post(edit(EDITED))
        assert Question.objects.get().text == EDITED
        assert not SlackNotice.objects.exists()

    @pytest.mark.parametrize(
        "body",
        [
            edit(ASKED),
            edit(EDITED, edited=None),
            edit(EDITED, bot_id="B1"),
            edit(EDITED, ts="7.7"),
            edit("", edited={"user": ASKER, "ts": "2.2"}),
            edit(EDITED, channel="C00000OTHER"),
            {**edit(EDITED), "authorizations": [{"team_id": "T00000OTHER"}], "team_id": "T00000OTHER"},
        ],
        ids=["same words", "unfurl", "a bot", "no question", "no words", "other channel", "other workspace"],
    )
    def test_what_is_no_edit_of_a_question_offers_nothing(
        self, slack: FakeSlack, finished: Asked, sent: list, body: dict
    ) -> None:
        finished(LIMIT)
        assert post(body).status_code == 200
        assert not SlackNotice.objects.exists()
        assert sent == []

    def test_nobody_else_takes_the_offer(
        self, slack: FakeSlack, finished: Asked, sent: list, url: str
    ) -> None:
        question = finished(LIMIT)
        post(edit(EDITED))
        post_interaction(click("answer_edited", str(question.pk), user="U00000USR02", response_url=url))
        assert Question.objects.count() == 1
        assert slack.replies == [ENGLISH.replies.problems[Problem.NOT_YOURS]]

    def test_a_lost_response_offers_no_second_time(
        self, slack: FakeSlack, finished: Asked, sent: list, work: Work
    ) -> None:
        finished(LIMIT)
        slack.script("chat.postEphemeral", Failure(is_dropped=True, is_taken=True))
        post(edit(EDITED))
        work()
        pick_up_unsent(at_start=True)
        work()
        assert len(slack.ephemeral) == 1
        assert SlackNotice.objects.get().state == NoticeState.GIVEN_UP

    def test_a_slack_that_says_to_wait_is_waited_for(
        self, slack: FakeSlack, finished: Asked, sent: list, work: Work
    ) -> None:
        finished(LIMIT)
        slack.script("chat.postEphemeral", Failure(status=429, headers={"Retry-After": "30"}))
        post(edit(EDITED))
        work()
        assert slack.ephemeral == []
        assert SlackNotice.objects.get().not_before > timezone.now() + timedelta(seconds=25)
        SlackNotice.objects.update(not_before=None)
        assert pick_up_unsent() == 1
        work()
        assert len(slack.ephemeral) == 1

    def test_one_that_was_emptied_is_offered_no_more(
        self, slack: FakeSlack, finished: Asked, sent: list, work: Work, url: str
    ) -> None:
        question = finished(LIMIT)
        deliver(question)
        post(edit(EDITED))
        work()
        post(edit("", before=EDITED))
        post_interaction(click("answer_edited", str(question.pk), response_url=url))
        assert slack.replies == [ENGLISH.replies.problems[Problem.GONE]]
        assert Question.objects.count() == 1

    def test_a_question_not_begun_that_was_emptied_asks_nothing(
        self, slack: FakeSlack, sent: list, work: Work
    ) -> None:
        post(mention(ASKED))
        post(edit(""))
        work()
        (message,) = slack.posts
        assert QUESTION_EMPTY in message["text"]


class TestAnOfferThatWasNotShown:
    """Changed back, or with nothing to answer it from, it is not shown; the next edit is."""

    def test_changed_back_while_a_later_try_is_under_way(
        self, slack: FakeSlack, finished: Asked, sent: list, work: Work, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        finished(LIMIT)
        slack.script("chat.postEphemeral", Failure(status=429, headers={"Retry-After": "1"}))
        post(edit(EDITED))
        work()
        look_up = notices.person_of

        def slowly(*arguments: object) -> object:
            post(edit(ASKED, before=EDITED))
            return look_up(*arguments)

        with monkeypatch.context() as patched:
            patched.setattr(notices, "person_of", slowly)
            time_passes()
            work()
        assert slack.ephemeral == []
        post(edit("And flights?"))
        work()
        assert len(slack.ephemeral) == 1

    def test_without_a_folder(
        self, slack: FakeSlack, finished: Asked, sent: list, work: Work, travel: Folder
    ) -> None:
        finished(LIMIT)
        Folder.objects.update(is_open=False)
        post(edit(EDITED))
        work()
        assert slack.ephemeral == []
        Folder.objects.update(is_open=True)
        post(edit("And flights?"))
        work()
        assert len(slack.ephemeral) == 1

    @pytest.mark.parametrize("error", ["not_in_channel", "user_not_in_channel"])
    def test_refused(self, slack: FakeSlack, finished: Asked, sent: list, work: Work, error: str) -> None:
        finished(LIMIT)
        slack.script("chat.postEphemeral", Failure(error=error))
        for text in (EDITED, "And flights?"):
            post(edit(text))
            work()
        assert len(slack.ephemeral) == 1

    def test_slack_dropped_an_earlier_call(
        self, slack: FakeSlack, finished: Asked, sent: list, work: Work
    ) -> None:
        finished(LIMIT)
        slack.script("auth.test", Failure(is_dropped=True))
        post(edit(EDITED))
        work()
        assert slack.ephemeral == []
        time_passes()
        work()
        assert len(slack.ephemeral) == 1

    @pytest.mark.parametrize("next_edit", ["", ASKED, "And flights?"])
    def test_one_that_a_worker_died_over_is_shown_no_second_time(
        self,
        slack: FakeSlack,
        finished: Asked,
        sent: list,
        work: Work,
        monkeypatch: pytest.MonkeyPatch,
        next_edit: str,
    ) -> None:
        finished(LIMIT)
        post(edit(EDITED))
        with monkeypatch.context() as patched:
            patched.setattr(outgoing, "record_sent", lambda *_: None)
            work()
        assert len(slack.ephemeral) == 1
        if next_edit:
            post(edit(next_edit))
        time_passes()
        work()
        post(edit("And trains?"))
        work()
        assert len(slack.ephemeral) == 1
        assert SlackNotice.objects.get().text == "And trains?"
