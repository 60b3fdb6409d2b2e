"""Clicks that share a private answer with everyone, and the notice that does it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from bot import notices
from bot.notices import pick_up_unsent, send_notice
from bot.phrases import ENGLISH, Problem
from console import queue
from console.channels.models import NoticeKind, NoticeState, SlackChannel, SlackNotice
from console.channels.notices import claim_notice, owe_again, owe_notice, record_sent
from console.questions.conversation import turns_before
from console.questions.models import (
    Answer,
    Question,
    Surface,
)
from console.sources.models import Document, Folder
from tests.bot.clicks.conftest import LIMIT, OTHER, PROBLEMS, Asked, close, told
from tests.bot.fake_slack import ALL_SCOPES, Failure, FakeSlack
from tests.bot.limits import buttons_of, texts_of
from tests.bot.payloads import ASKER, CHANNEL, TEAM, click, post_interaction
from tests.bot.test_acknowledgement import really_queued
from tests.bot.test_delivery import deliver


class TestShare:
    @pytest.fixture
    def private(self, answered: Asked, slack: FakeSlack, url: str) -> Question:
        question = answered(surface=Surface.SLACK_COMMAND, ts="cmd-1.2.abc", response_url=url)
        deliver(question)
        slack.private_messages.clear()
        return question

    def share(self, question: Question, url: str, user: str = ASKER) -> None:
        response = post_interaction(click("share", str(question.pk), user=user, response_url=url))
        assert response.status_code == 200

    def test_it_is_posted_once_with_who_asked_and_who_shared(
        self, slack: FakeSlack, private: Question, work: Callable[[], None], url: str
    ) -> None:
        for _ in range(2):
            self.share(private, url)
            work()
        (message,) = slack.messages[CHANNEL]
        shown = texts_of(message)
        assert shown[0] == f"{LIMIT} · 1 source"
        assert shown[1] == f"<@{ASKER}> asked: How much is the hotel limit?"
        assert shown[2] == f"{LIMIT} [1]"
        assert "From the documents this channel can see." in shown
        assert shown[-1] == f"Shared by <@{ASKER}>"
        assert "share" not in [button["action_id"] for button in buttons_of(message)]
        assert told(slack) == [ENGLISH.replies.sharing, PROBLEMS[Problem.SHARED_ALREADY]]
        private.refresh_from_db()
        assert private.shared_at is not None
        assert private.slack_thread_ts == message["ts"], "follow-ups under it find it"

    def test_that_it_is_posted_is_told_before_what_went_wrong(
        self,
        slack: FakeSlack,
        private: Question,
        sent: list,
        work: Callable[[], None],
        url: str,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(queue, "tell_who_clicked", really_queued)
        self.share(private, url)
        assert [name for name, _ in sent] == ["footnote.send_notice"], "one task tells both, in order"
        slack.script("conversations.info", Failure(error="channel_not_found"))
        slack.script("chat.postMessage", Failure(error="not_in_channel"))
        work()
        assert len(told(slack)) == 2
        assert told(slack)[0] == ENGLISH.replies.sharing

    def test_what_not_everyone_may_see_is_not_shared(
        self, slack: FakeSlack, private: Question, work: Callable[[], None], url: str
    ) -> None:
        SlackChannel.objects.create(team_id=TEAM, channel_id=CHANNEL).folders.add(
            Folder.objects.create(name="Other")
        )
        self.share(private, url)
        work()
        assert slack.posts == []
        assert told(slack) == [PROBLEMS[Problem.NOT_FOR_EVERYONE]]

    def test_a_folder_closed_between_click_and_post_is_not_shared(
        self, slack: FakeSlack, private: Question, travel: Folder, work: Callable[[], None], url: str
    ) -> None:
        self.share(private, url)
        close(travel)
        work()
        assert slack.posts == []
        assert told(slack) == [ENGLISH.replies.sharing, PROBLEMS[Problem.NOT_FOR_EVERYONE]]

    @pytest.mark.parametrize("is_queued", [False, True])
    def test_words_of_a_deleted_document_are_not_shared(
        self, slack: FakeSlack, private: Question, work: Callable[[], None], url: str, is_queued: bool
    ) -> None:
        if is_queued:
            self.share(private, url)
        Document.objects.update(deleted_at=timezone.now())
        if not is_queued:
            self.share(private, url)
        work()
        assert slack.posts == []
        assert told(slack)[-1] == PROBLEMS[Problem.SOURCES_CHANGED]

    def test_with_outsiders_only_what_is_shared_with_them_is(
        self, slack: FakeSlack, private: Question, work: Callable[[], None], url: str
    ) -> None:
        slack.shared_channels = {CHANNEL}
        self.share(private, url)
        work()
        assert slack.posts == []
        assert told(slack)[-1] == PROBLEMS[Problem.NOT_FOR_EVERYONE]
        Folder.objects.update(is_shared_externally=True)
        self.share(private, url)
        work()
        assert len(slack.posts) == 1

    def test_without_the_scope_to_know_it_is_not_shared(
        self, slack: FakeSlack, private: Question, work: Callable[[], None], url: str
    ) -> None:
        slack.scopes = ALL_SCOPES - {"channels:read"}
        self.share(private, url)
        work()
        assert slack.posts == []
        assert told(slack)[-1] == PROBLEMS[Problem.AUDIENCE_UNKNOWN]

    def test_where_the_bot_is_no_member_it_says_so_and_can_be_tried_again(
        self, slack: FakeSlack, private: Question, work: Callable[[], None], url: str
    ) -> None:
        slack.joined_channels = set()
        self.share(private, url)
        work()
        assert told(slack)[-1] == PROBLEMS[Problem.NO_MEMBER]
        slack.joined_channels = None
        self.share(private, url)
        work()
        assert len(slack.posts) == 1

    def test_nobody_else_shares_it(
        self, slack: FakeSlack, private: Question, work: Callable[[], None], url: str
    ) -> None:
        self.share(private, url, user=OTHER)
        work()
        assert slack.posts == []
        assert told(slack) == [PROBLEMS[Problem.GONE]], "who was shown nothing learns nothing"

    @pytest.mark.parametrize("is_taken", [True, False])
    def test_a_lost_response_doubles_nothing(
        self, slack: FakeSlack, private: Question, work: Callable[[], None], url: str, is_taken: bool
    ) -> None:
        slack.script("chat.postMessage", Failure(is_dropped=True, is_taken=is_taken))
        self.share(private, url)
        work()
        for _ in range(2):
            SlackNotice.objects.update(not_before=None)
            pick_up_unsent(at_start=True)
            work()
        assert len(slack.posts) == 1

    def test_a_long_one_goes_on_in_the_thread(
        self, slack: FakeSlack, private: Question, work: Callable[[], None], url: str
    ) -> None:
        sentences = [{"text": f"Sentence {n} fills the page.", "citations": [1]} for n in range(700)]
        Answer.objects.update(sentences=sentences)
        self.share(private, url)
        work()
        root, *rest = slack.messages[CHANNEL]
        assert rest
        assert {part["thread_ts"] for part in rest} == {root["ts"]}

    def test_a_private_answer_is_no_part_of_a_thread_until_it_is_shared(
        self, slack: FakeSlack, private: Question, work: Callable[[], None], url: str, finished: Asked
    ) -> None:
        Question.objects.filter(pk=private.pk).update(slack_thread_ts="5.5")
        follow_up = finished(LIMIT, ts="6.6", thread_ts="5.5")
        assert turns_before(follow_up) == []
        self.share(private, url)
        work()
        assert len(turns_before(follow_up)) == 1


@pytest.fixture
def share(slack: FakeSlack, answered: Asked) -> SlackNotice:
    """An answer to `/ask` that is to be shared."""
    question = answered(surface=Surface.SLACK_COMMAND, ts="cmd-1")
    owe_notice(question, NoticeKind.SHARE, recipient=CHANNEL, by_user_id=ASKER)
    return SlackNotice.objects.get()


def test_a_notice_is_given_up_where_the_token_is_revoked(
    slack: FakeSlack, share: SlackNotice, settings: object
) -> None:
    settings.SLACK_BOT_TOKEN = "xoxb-revoked"
    send_notice(share.pk)
    share.refresh_from_db()
    assert share.state == NoticeState.GIVEN_UP


def test_a_share_that_outlives_its_lease_is_posted_once(
    slack: FakeSlack, share: SlackNotice, monkeypatch: pytest.MonkeyPatch
) -> None:
    check, calls = notices._check_audience, []

    def slowly(*arguments: object) -> None:
        check(*arguments)
        calls.append(arguments)
        if len(calls) == 1:
            SlackNotice.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
            send_notice(share.pk)

    monkeypatch.setattr(notices, "_check_audience", slowly)
    send_notice(share.pk)
    assert len(calls) == 2
    assert len(slack.messages[CHANNEL]) == 1


def test_a_worker_from_before_a_notice_was_given_up_changes_nothing_after(
    slack: FakeSlack, share: SlackNotice
) -> None:
    late = claim_notice(share.pk)
    SlackNotice.objects.update(state=NoticeState.GIVEN_UP, lease_until=None)
    assert owe_again(share, by_user_id=ASKER, response_url="")
    assert late is not None
    assert claim_notice(share.pk) is not None
    record_sent(late, "9.9")
    share.refresh_from_db()
    assert (share.state, share.message_ts) == (NoticeState.SENDING, "")
