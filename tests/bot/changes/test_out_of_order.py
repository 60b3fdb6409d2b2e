"""Slack delivers an edit or a deletion before its question."""

from __future__ import annotations

import time

import pytest

from console.channels.models import (
    Hears,
    SlackChannel,
    SlackEvent,
)
from console.questions.models import Question, Surface
from tests.bot.changes.events import ASKED, EDITED, Work, deletion, edit, edited
from tests.bot.fake_slack import FakeSlack
from tests.bot.payloads import (
    CHANNEL,
    DM,
    TEAM,
    TS,
    channel_message,
    direct_message,
    mention,
    post,
)


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
        assert not SlackEvent.objects.filter(event_id__startswith="deleted:").exists()

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

    @pytest.mark.parametrize(
        ("old", "new", "thread_ts", "is_mention"),
        [
            (ASKED, EDITED, "1767376000.000001", True),
            ("Tell me the hotel limit.", "Tell me the flight limit.", "", True),
            (ASKED, "Tell me the flight limit.", "", False),
        ],
        ids=["a mention in a thread", "a mention without a question mark", "no question mark any more"],
    )
    def test_and_so_is_an_edited_one_that_was_asked_by_its_first_words(
        self, slack: FakeSlack, sent: list, old: str, new: str, thread_ts: str, is_mention: bool
    ) -> None:
        SlackChannel.objects.create(team_id=TEAM, channel_id=CHANNEL, hears=Hears.ALL)
        ts = just_now()
        place = {"thread_ts": thread_ts} if thread_ts else {}
        first, late = edit(new, before=old, ts=ts, **place), mention(old, ts=ts, **place)
        if not is_mention:
            late = channel_message(old, ts=ts)
            late["event"]["text"] = first["event"]["previous_message"]["text"] = old
            first["event"]["message"]["text"] = new
        post(first)
        post(late)
        assert Question.objects.get().text == new

    def test_one_that_nobody_asked_is_not(self, slack: FakeSlack, sent: list) -> None:
        SlackChannel.objects.create(team_id=TEAM, channel_id=CHANNEL, hears=Hears.ALL)
        body = edit("Fine, thanks.", ts=just_now())
        body["event"]["message"]["text"] = "Fine, thanks."
        body["event"]["previous_message"]["text"] = "Fine."
        post(body)
        assert not Question.objects.exists()
