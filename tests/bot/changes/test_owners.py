"""What owners were written about a question goes with it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.utils import timezone

from bot.notices import pick_up_unsent, send_notice
from bot.phrases import GERMAN
from bot.simulator.failures import rate_limited
from console.channels.models import (
    DeliveryState,
    NoticeKind,
    NoticeState,
    SlackDelivery,
    SlackNotice,
    SlackProfile,
)
from console.channels.notices import owe_notice
from console.people.models import User
from console.questions.models import Question, QuestionState, Surface
from console.sources.models import Folder
from tests.bot.changes.events import LIMIT, Asked, Work, deletion, time_passes
from tests.bot.fake_slack import Failure, FakeSlack, OpenWorkspace
from tests.bot.limits import buttons_of, texts_of
from tests.bot.payloads import (
    ASKER,
    TEAM,
    post,
)
from tests.bot.test_delivery import deliver

pytestmark = pytest.mark.usefixtures("owner")


def test_owners_are_not_told_of_a_question_deleted_before_they_could_be(
    slack: FakeSlack, finished: Asked, sent: list, travel: Folder
) -> None:
    question = finished(outcome=QuestionState.REFUSED, folder_ids=[travel.pk])
    owe_notice(question, NoticeKind.HUMAN, recipient="U00000BOSS1", by_user_id=ASKER)
    post(deletion())
    send_notice(SlackNotice.objects.get(kind=NoticeKind.HUMAN).pk)
    assert not slack.messages.get("U00000BOSS1")


@pytest.mark.parametrize("is_told_to_wait", [False, True])
@pytest.mark.parametrize("how", ["taken_off", "deactivated", "unlinked"])
def test_who_is_no_owner_any_more_is_not_written_to(
    slack: FakeSlack,
    finished: Asked,
    work: Work,
    travel: Folder,
    owner: User,
    how: str,
    is_told_to_wait: bool,
) -> None:
    question = finished(outcome=QuestionState.REFUSED, folder_ids=[travel.pk])
    owe_notice(question, NoticeKind.HUMAN, recipient=OWNER, by_user_id=ASKER)
    if is_told_to_wait:
        slack.script("chat.postMessage", rate_limited(600))
        work()
    # Whoever comes after is no reason to write to who was it before.
    travel.owners.add(User.objects.create(username="next", slack_user_id="U00000NEXT1", slack_team_id=TEAM))
    match how:
        case "taken_off":
            travel.owners.remove(owner)
        case "deactivated":
            User.objects.filter(pk=owner.pk).update(is_active=False)
        case _:
            User.objects.filter(pk=owner.pk).update(slack_user_id="")
    time_passes()
    work()
    assert slack.posts == []
    notice = SlackNotice.objects.get()
    assert (notice.state, notice.last_error) == (NoticeState.GIVEN_UP, "no_owner_any_more")


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
