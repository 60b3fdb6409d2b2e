"""An edited question is offered to be answered once; a deleted one takes its answer along."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from bot import delivery, notices
from bot.delivery import pick_up_undelivered
from bot.notices import pick_up_unsent, send_notice
from bot.phrases import ENGLISH, GERMAN, Problem
from bot.statuses import show_status
from console.channels.models import (
    DeliveryState,
    Hears,
    NoticeKind,
    NoticeState,
    SlackChannel,
    SlackDelivery,
    SlackEvent,
    SlackNotice,
    SlackProfile,
    SlackStatus,
)
from console.channels.notices import owe_notice
from console.questions import wording
from console.questions.conversation import first_in_turn, questions_after, questions_before, turns_before
from console.questions.models import Answer, Question, QuestionState, Surface
from console.questions.services import answer_question
from console.sources.models import Folder
from tests.bot.fake_slack import ALL_SCOPES, Failure, FakeSlack, OpenWorkspace
from tests.bot.limits import buttons_of, texts_of
from tests.bot.payloads import (
    ASKER,
    BOT,
    CHANNEL,
    DM,
    TEAM,
    TS,
    channel_message,
    click,
    direct_message,
    event_body,
    mention,
    post,
    post_interaction,
)
from tests.bot.test_delivery import deliver

LIMIT = "The nightly hotel limit is 180 EUR."
ASKED = "How much is the hotel limit?"
EDITED = "How much is the flight limit?"
Asked = Callable[..., Question]
Work = Callable[[], None]


@pytest.fixture(autouse=True)
def travel(transactional_db: None) -> Folder:
    return Folder.objects.create(name="Travel", is_open=True)


@pytest.fixture
def url(slack: FakeSlack) -> str:
    return f"{slack.url}/commands/T1/1/click"


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


def test_owners_are_not_told_of_a_question_deleted_before_they_could_be(
    slack: FakeSlack, finished: Asked, sent: list, travel: Folder
) -> None:
    question = finished(outcome=QuestionState.REFUSED, folder_ids=[travel.pk])
    owe_notice(question, NoticeKind.HUMAN, recipient="U00000BOSS1", by_user_id=ASKER)
    post(deletion())
    send_notice(SlackNotice.objects.get(kind=NoticeKind.HUMAN).pk)
    assert not slack.messages.get("U00000BOSS1")


@pytest.fixture
def helped(finished: Asked, travel: Folder) -> Question:
    """A refused question that an owner was written to about."""
    question = finished(outcome=QuestionState.REFUSED, folder_ids=[travel.pk])
    owe_notice(question, NoticeKind.HUMAN, recipient="U00000BOSS1", by_user_id=ASKER)
    send_notice(SlackNotice.objects.get(kind=NoticeKind.HUMAN).pk)
    return question


def test_what_owners_were_written_goes_with_the_question(
    slack: FakeSlack, helped: Question, work: Work
) -> None:
    assert len(slack.messages["U00000BOSS1"]) == 1
    post(deletion())
    work()
    assert slack.messages["U00000BOSS1"] == []
    assert SlackNotice.objects.get(kind=NoticeKind.RETRACTION).state == NoticeState.DONE


def test_what_owners_were_written_is_struck_in_their_language_where_slack_deletes_nothing(
    slack: FakeSlack, helped: Question, work: Work
) -> None:
    slack.knows("U00000BOSS1", locale="de-DE")
    SlackProfile.objects.all().delete()
    slack.script("chat.delete", Failure(error="cant_delete_message"))
    post(deletion())
    work()
    [message] = slack.messages["U00000BOSS1"]
    assert texts_of(message) == [GERMAN.replies.question_deleted] * 2
    assert buttons_of(message) == []


def test_what_is_being_written_to_owners_is_taken_back_afterwards(
    slack: FakeSlack, helped: Question, work: Work
) -> None:
    soon = timezone.now() + timedelta(minutes=1)
    human = SlackNotice.objects.filter(kind=NoticeKind.HUMAN)
    human.update(state=NoticeState.SENDING, lease_until=soon)
    post(deletion())
    work()
    assert len(slack.messages["U00000BOSS1"]) == 1
    human.update(state=NoticeState.DONE, lease_until=None)
    SlackNotice.objects.update(not_before=None)
    pick_up_unsent(at_start=True)
    work()
    assert slack.messages["U00000BOSS1"] == []


OWNER = "U00000BOSS1"


@pytest.fixture
def direct(slack: FakeSlack, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[dict]]:
    """What stands in the owner's direct message, which has an id of its own, as in Slack."""
    slack.knows(OWNER)
    find = OpenWorkspace.find_channel
    monkeypatch.setattr(
        OpenWorkspace,
        "find_channel",
        lambda self, channel_id: None if channel_id == OWNER else find(self, channel_id),
    )
    return lambda: slack.messages[slack.workspace.direct_channel(OWNER).id]


@pytest.fixture
def unsure(slack: FakeSlack, finished: Asked, travel: Folder, direct: object, sent: list) -> SlackNotice:
    """An owner was written to, and Slack's response was lost."""
    question = finished(outcome=QuestionState.REFUSED, folder_ids=[travel.pk])
    slack.script("chat.postMessage", Failure(status=503, is_taken=True))
    owe_notice(question, NoticeKind.HUMAN, recipient=OWNER, by_user_id=ASKER)
    notice = SlackNotice.objects.get(kind=NoticeKind.HUMAN)
    send_notice(notice.pk)
    sent.clear()
    return notice


def time_passes() -> None:
    SlackNotice.objects.update(not_before=None)
    pick_up_unsent(at_start=True)


class TestAnOwnersLostResponse:
    @pytest.mark.parametrize("is_retried", [False, True])
    def test_the_words_go_with_the_question_and_leave_nothing(
        self, slack: FakeSlack, unsure: SlackNotice, direct: Callable, work: Work, is_retried: bool
    ) -> None:
        assert len(direct()) == 1
        if is_retried:
            time_passes()
            work()
        post(deletion())
        work()
        time_passes()
        work()
        assert direct() == []

    def test_a_second_try_doubles_nothing(
        self, slack: FakeSlack, unsure: SlackNotice, direct: Callable, work: Work
    ) -> None:
        time_passes()
        work()
        [message] = direct()
        unsure.refresh_from_db()
        assert (unsure.state, unsure.message_ts) == (NoticeState.DONE, message["ts"])

    def test_where_the_conversation_is_known_the_second_try_posts_nothing(
        self, slack: FakeSlack, unsure: SlackNotice, direct: Callable, work: Work, finished: Asked
    ) -> None:
        other = finished(LIMIT, ts="8.8", surface=Surface.SLACK_DM)
        channel = slack.workspace.direct_channel(OWNER).id
        Question.objects.filter(pk=other.pk).update(slack_user_id=OWNER, slack_channel_id=channel)
        time_passes()
        work()
        assert len(slack.calls_of("chat.postMessage")) == 1
        assert len(direct()) == 1

    def test_who_was_never_written_to_is_not_written_to_now(
        self, slack: FakeSlack, finished: Asked, travel: Folder, direct: Callable, work: Work
    ) -> None:
        question = finished(outcome=QuestionState.REFUSED, folder_ids=[travel.pk])
        slack.script("chat.postMessage", Failure(status=429, headers={"Retry-After": "30"}))
        owe_notice(question, NoticeKind.HUMAN, recipient=OWNER, by_user_id=ASKER)
        work()
        post(deletion())
        work()
        time_passes()
        work()
        assert len(slack.calls_of("chat.postMessage")) == 1
        assert direct() == []


class TestWhatSlackDoesNotTakeBack:
    def test_an_archived_channel_keeps_no_owners_message(
        self, slack: FakeSlack, finished: Asked, travel: Folder, work: Work
    ) -> None:
        question = finished(outcome=QuestionState.REFUSED, folder_ids=[travel.pk])
        deliver(question)
        owe_notice(question, NoticeKind.HUMAN, recipient="U00000BOSS1", by_user_id=ASKER)
        work()
        slack.script("chat.delete", Failure(error="is_archived"))
        slack.script("chat.update", Failure(error="is_archived"))
        post(deletion())
        work()
        assert slack.messages["U00000BOSS1"] == []
        retraction = SlackNotice.objects.get(kind=NoticeKind.RETRACTION)
        assert (retraction.state, retraction.last_error) == (NoticeState.GIVEN_UP, "is_archived")
        assert SlackDelivery.objects.get().state == DeliveryState.DELIVERED, "its words still stand"

    def test_one_part_that_stays_keeps_no_other(self, slack: FakeSlack, finished: Asked, work: Work) -> None:
        deliver(finished(*["A sentence that fills the page with words." for _ in range(500)]))
        n_parts = len(slack.posts)
        assert n_parts > 2
        slack.script("chat.delete", None, Failure(error="cant_delete_message"))
        slack.script("chat.update", Failure(error="cant_update_message"))
        post(deletion())
        work()
        assert len(slack.posts) == 1

    def test_what_slack_was_away_for_is_tried_again(
        self, slack: FakeSlack, finished: Asked, work: Work
    ) -> None:
        deliver(finished(*["A sentence that fills the page with words." for _ in range(500)]))
        slack.script("chat.delete", Failure(error="internal_error"), Failure(error="cant_delete_message"))
        slack.script("chat.update", Failure(error="cant_update_message"))
        post(deletion())
        work()
        assert SlackNotice.objects.get().state == NoticeState.SENDING
        time_passes()
        work()
        assert slack.posts == []
        assert SlackNotice.objects.get().state == NoticeState.DONE


def just_now() -> str:
    return f"{time.time():.6f}"


class TestSlackDeliversOutOfOrder:
    """The delivery of the question failed, and Slack repeats it a minute later."""

    def test_a_question_that_was_deleted_before_it_came_is_not_taken_in(
        self, slack: FakeSlack, sent: list, work: Work
    ) -> None:
        post(deletion())
        for body in (mention(ASKED), channel_message(ASKED)):
            assert post(body).status_code == 200
        work()
        assert not Question.objects.exists()
        assert slack.posts == []

    def test_the_same_ts_elsewhere_is_another_message(self, slack: FakeSlack, sent: list) -> None:
        post(deletion(channel=DM))
        post(mention(ASKED))
        assert Question.objects.exists()

    def test_a_question_leaves_no_mark_of_a_deletion(self, slack: FakeSlack, sent: list) -> None:
        post(mention(ASKED))
        assert SlackEvent.objects.get().event_id == "Ev1"

    def test_that_the_bots_own_message_was_deleted_is_not_kept(self, slack: FakeSlack, sent: list) -> None:
        body = deletion()
        body["event"]["previous_message"]["bot_id"] = "B1"
        post(body)
        assert not SlackEvent.objects.exists()

    @pytest.mark.parametrize("is_direct", [False, True])
    def test_a_question_that_was_edited_before_it_came_is_asked_in_its_new_words(
        self, slack: FakeSlack, sent: list, work: Work, is_direct: bool
    ) -> None:
        ts = just_now()
        body = edit(EDITED, ts=ts, channel=DM if is_direct else CHANNEL)
        body["event"]["channel_type"] = "im" if is_direct else "channel"
        post(body)
        post(direct_message(ASKED, ts=ts) if is_direct else mention(ASKED, ts=ts))
        question = Question.objects.get()
        assert question.text == EDITED
        assert question.surface == (Surface.SLACK_DM if is_direct else Surface.SLACK_MENTION)
        work()
        assert len(slack.posts) == 1
        assert slack.ephemeral == []

    def test_an_older_edit_that_comes_after_that_changes_nothing(self, slack: FakeSlack, sent: list) -> None:
        ts = just_now()
        post(edit(EDITED, ts=ts, **edited("1767376999.000000")))
        post(edit("Older?", ts=ts, **edited("1767376990.000000")))
        assert Question.objects.get().text == EDITED

    def test_a_deletion_before_its_edit_and_its_question_counts(self, slack: FakeSlack, sent: list) -> None:
        ts = just_now()
        post(deletion(ts=ts))
        post(edit(EDITED, ts=ts))
        post(mention(ASKED, ts=ts))
        assert not Question.objects.exists()

    @pytest.mark.parametrize("change", ["old", "no mention now", "no mention before", "a bot"])
    def test_other_edited_messages_ask_nothing(self, slack: FakeSlack, sent: list, change: str) -> None:
        body = edit(EDITED, ts=TS if change == "old" else just_now())
        event = body["event"]
        if change == "no mention now":
            event["message"]["text"] = EDITED
        elif change == "no mention before":
            event["previous_message"]["text"] = ASKED
        elif change == "a bot":
            event["message"]["bot_profile"] = {"id": "B1"}
        post(body)
        assert not Question.objects.exists()

    def test_where_every_question_is_heard_an_edited_one_is(self, slack: FakeSlack, sent: list) -> None:
        SlackChannel.objects.create(team_id=TEAM, channel_id=CHANNEL, hears=Hears.ALL)
        body = edit(EDITED, ts=just_now())
        body["event"]["message"]["text"] = EDITED
        post(body)
        assert Question.objects.get().text == EDITED


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
