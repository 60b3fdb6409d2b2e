"""The App Home: what this person may be answered from, what they asked, what is worth asking."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from bot.clicks import unsealed
from bot.home_tab import publish_home
from bot.listeners.actions import asking
from bot.phrases import ENGLISH, GERMAN
from console.channels.audience import record_facts
from console.channels.models import SlackChannelFacts
from console.channels.suggestions import suggested_questions
from console.questions import wording
from console.questions.models import Answer, Citation, Feedback, Question, QuestionState, Surface
from console.sources.models import Document, DocumentState, Folder
from tests.bot.changes.events import deletion
from tests.bot.clicks.conftest import person
from tests.bot.fake_slack import Failure, FakeSlack
from tests.bot.limits import buttons_of, texts_of
from tests.bot.payloads import ASKER, CHANNEL, DM, TEAM, click, event_body, post, post_interaction

LIMIT = "The nightly hotel limit is 180 EUR."
OTHER = "U00000USR02"
Asked = Callable[..., Question]
Work = Callable[[], None]


@pytest.fixture(autouse=True)
def people(slack: FakeSlack) -> None:
    slack.knows(OTHER)


@pytest.fixture
def travel(transactional_db: None) -> Folder:
    folder = Folder.objects.create(name="Travel", is_open=True)
    trouble = {"reason_code": "damaged", "reason": "It is damaged.", "next_step": "Send it again."}
    states = [DocumentState.INDEXED, DocumentState.PARTIAL, DocumentState.FAILED, DocumentState.QUEUED]
    for number, state in enumerate(states):
        more = trouble if state in {DocumentState.PARTIAL, DocumentState.FAILED} else {}
        Document.objects.create(folder=folder, name=f"{number}.md", size_bytes=1, state=state, **more)
    gone = {"deleted_at": timezone.now(), "state": DocumentState.INDEXED}
    Document.objects.create(folder=folder, name="gone.md", size_bytes=1, **gone)
    return folder


@pytest.fixture
def board(transactional_db: None) -> Folder:
    return Folder.objects.create(name="Board <!channel>")


@pytest.fixture
def asked_by(finished: Asked, travel: Folder) -> Asked:
    """An answered question of somebody, from Travel."""

    def make(user: str, text: str, ts: str, folder: Folder = travel, **values: object) -> Question:
        record_facts(TEAM, CHANNEL, is_private=False)
        question = finished(LIMIT, ts=ts, folder_ids=[folder.pk])
        document, _ = Document.objects.get_or_create(
            folder=folder, name="cited.md", defaults={"size_bytes": 1}
        )
        Citation.objects.filter(answer__question=question).update(folder_id=folder.pk, document=document)
        Question.objects.filter(pk=question.pk).update(slack_user_id=user, text=text, **values)
        return question

    return make


@pytest.fixture
def minute(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The minute in which something is clicked: two clicks of one minute are one, and a real clock moves on."""
    now = [1_000.0]
    monkeypatch.setattr(asking, "time", SimpleNamespace(time=lambda: 60 * now[0]))
    return now


def open_home(user: str = ASKER, tab: str = "home") -> None:
    event = {"type": "app_home_opened", "user": user, "channel": DM, "tab": tab}
    assert post(event_body(event)).status_code == 200


def shown_at_home(slack: FakeSlack) -> str:
    return "\n".join(texts_of(slack.homes[ASKER]))


def test_the_folders_are_counted_as_they_are(
    slack: FakeSlack, travel: Folder, board: Folder, sent: list, work: Work
) -> None:
    open_home()
    assert slack.calls == [], "nothing is asked before the acknowledgement"
    work()
    texts = texts_of(slack.homes[ASKER])
    assert "*Travel*: 2 documents, 1 file could not be read, 1 is still being read" in texts
    assert ENGLISH.home.not_linked in texts
    assert not any("Board" in text for text in texts)
    assert {ENGLISH.home.no_recent, ENGLISH.home.no_suggestion} <= set(texts)


def test_a_member_sees_their_own_folders(
    slack: FakeSlack, travel: Folder, board: Folder, sent: list, work: Work
) -> None:
    board.members.add(person("ada", ASKER))
    open_home()
    work()
    texts = texts_of(slack.homes[ASKER])
    assert "*Board &lt;!channel&gt;*: 0 documents\n*Travel*" in "\n".join(texts)
    assert ENGLISH.home.not_linked not in texts


def test_a_guest_sees_what_is_shared_with_outsiders(
    slack: FakeSlack, travel: Folder, sent: list, work: Work
) -> None:
    slack.knows(ASKER, is_restricted=True)
    open_home()
    work()
    assert ENGLISH.home.no_folder in texts_of(slack.homes[ASKER])


def test_own_questions_stand_with_their_outcome(
    slack: FakeSlack, asked_by: Asked, finished: Asked, sent: list, work: Work
) -> None:
    asked_by(ASKER, "How much is a hotel?", "1.1")
    finished(outcome=QuestionState.REFUSED, ts="1.2")
    asked_by(ASKER, "Deleted?", "1.3", withdrawn_at=timezone.now())
    asked_by(OTHER, "Somebody else's?", "1.4", surface=Surface.SLACK_DM)
    open_home()
    work()
    lines = "\n".join(texts_of(slack.homes[ASKER])).split("\n")
    assert "How much is a hotel? · _answered_" in lines
    assert "How much is the hotel limit? · _refused_" in lines
    assert not any(line.startswith(("Deleted?", "Somebody")) for line in lines)


def test_what_is_no_question_is_no_row(
    slack: FakeSlack, finished: Asked, travel: Folder, sent: list, work: Work
) -> None:
    told = {
        "": wording.QUESTION_EMPTY,
        "!!": wording.QUESTION_EMPTY,
        "hello": wording.SMALL_TALK["greeting"],
        "Far too long": wording.QUESTION_TOO_LONG,
    }
    for number, (text, reason) in enumerate(told.items()):
        question = finished(outcome=QuestionState.REFUSED, ts=f"1.{number}", reason=reason)
        Answer.objects.filter(question=question).update(reason_code="routed_no_retrieval")
        Question.objects.filter(pk=question.pk).update(text=text)
    asked = {"slack_team_id": TEAM, "slack_user_id": ASKER, "surface": Surface.SLACK_DM}
    Question.objects.create(text="Not answered yet?", slack_ts="1.8", **asked)
    Question.objects.create(text="", slack_ts="1.9", **asked)
    open_home()
    work()
    lines = "\n".join(texts_of(slack.homes[ASKER])).split("\n")
    assert [line for line in lines if " · _" in line] == [
        "Not answered yet? · _waiting_",
        "Far too long · _refused_",
    ]


def test_a_deleted_questions_words_go_from_the_tab(
    slack: FakeSlack, asked_by: Asked, sent: list, work: Work
) -> None:
    question = asked_by(ASKER, "How much is a hotel?", "1.1", surface=Surface.SLACK_DM, slack_channel_id=DM)
    open_home()
    work()
    assert "How much is a hotel?" in shown_at_home(slack)
    post(deletion(channel=DM, ts=question.slack_ts))
    work()
    assert "How much is a hotel?" not in shown_at_home(slack)
    assert unsealed(slack.homes[ASKER]["private_metadata"], user_id=ASKER) == {"user": ASKER, "dm": DM}


def test_one_deleted_in_a_channel_leaves_the_direct_message_known(
    slack: FakeSlack, asked_by: Asked, sent: list, work: Work
) -> None:
    asked_by(ASKER, "Another", "1.2", surface=Surface.SLACK_DM, slack_channel_id=DM)
    question = asked_by(ASKER, "How much is a hotel?", "1.1")
    open_home()
    work()
    post(deletion(ts=question.slack_ts))
    work()
    assert "How much is a hotel?" not in shown_at_home(slack)
    assert unsealed(slack.homes[ASKER]["private_metadata"], user_id=ASKER) == {"user": ASKER, "dm": DM}


def test_who_can_sign_in_gets_links(slack: FakeSlack, asked_by: Asked, sent: list, work: Work) -> None:
    person("ada", ASKER)
    question = asked_by(ASKER, "How much is a hotel?", "1.1")
    open_home()
    work()
    assert f"/questions/{question.pk}|How much is a hotel?> · _answered_" in "\n".join(
        texts_of(slack.homes[ASKER])
    )


def test_the_tab_speaks_the_persons_language(
    slack: FakeSlack, sent: list, work: Work, travel: Folder
) -> None:
    slack.knows(ASKER, locale="de-DE")
    open_home()
    work()
    assert texts_of(slack.homes[ASKER])[1] == GERMAN.home.folders


@pytest.mark.parametrize("tab", ["messages", None])
def test_another_tab_publishes_nothing(slack: FakeSlack, travel: Folder, sent: list, tab: str | None) -> None:
    open_home(tab=tab)
    assert "footnote.publish_home" not in {name for name, _ in sent}


def test_a_slack_that_is_away_breaks_nothing(
    slack: FakeSlack, travel: Folder, sent: list, work: Work
) -> None:
    slack.script("views.publish", Failure(status=503, body="<html>"))
    open_home()
    work()
    assert slack.homes == {}


class TestSuggestions:
    def suggested(self, *folders: Folder, user: str = ASKER) -> list[str]:
        found = suggested_questions(TEAM, user, folder_ids=[folder.pk for folder in folders], n=4)
        return [question.text for question in found]

    def test_what_others_asked_aloud_where_this_person_asked_too(
        self, slack: FakeSlack, asked_by: Asked, travel: Folder
    ) -> None:
        asked_by(OTHER, "How much is a hotel?", "1.1")
        assert self.suggested(travel) == [], "this person was never seen in the channel"
        asked_by(ASKER, "My own?", "1.2")
        assert self.suggested(travel) == ["How much is a hotel?"]

    def test_what_two_people_asked_alike(self, slack: FakeSlack, asked_by: Asked, travel: Folder) -> None:
        asked_by(OTHER, "How much is a hotel?", "1.1", surface=Surface.SLACK_DM)
        assert self.suggested(travel) == []
        asked_by("U00000USR03", "How much is a hotel?", "1.2", surface=Surface.SLACK_COMMAND)
        assert self.suggested(travel) == ["How much is a hotel?"]

    @pytest.mark.parametrize("ts", ["home-1", "1767376690.000001"], ids=["Home tab", "agent view"])
    def test_who_clicked_what_one_person_asked_aloud_makes_it_no_less_a_secret(
        self, slack: FakeSlack, asked_by: Asked, travel: Folder, ts: str
    ) -> None:
        asked_by(OTHER, "Why was Bob fired?", "1.1")
        asked_by("U00000USR03", "Why was Bob fired?", ts, surface=Surface.SLACK_DM)
        assert self.suggested(travel) == [], "the reader was never seen in the channel"
        asked_by("U00000USR04", "Why was Bob fired?", "1767376691.000001")
        assert self.suggested(travel) == ["Why was Bob fired?"], "two asked it aloud"

    def test_who_asked_it_before_it_was_asked_aloud_counts(
        self, slack: FakeSlack, asked_by: Asked, travel: Folder
    ) -> None:
        asked_by("U00000USR03", "How much is a hotel?", "1.1", surface=Surface.SLACK_DM)
        asked_by(OTHER, "How much is a hotel?", "1.2")
        assert self.suggested(travel) == ["How much is a hotel?"]

    def test_a_click_counts_for_nothing_once_what_was_clicked_is_too_old(
        self, slack: FakeSlack, asked_by: Asked, travel: Folder
    ) -> None:
        asked_by(OTHER, "Why was Bob fired?", "1.1", received_at=timezone.now() - timedelta(days=91))
        asked_by("U00000USR03", "Why was Bob fired?", "home-1", surface=Surface.SLACK_DM)
        asked_by("U00000USR04", "Why was Bob fired?", "1.2")
        assert self.suggested(travel) == []

    def test_that_a_channel_is_public_has_to_be_known_from_lately(
        self, slack: FakeSlack, asked_by: Asked, travel: Folder
    ) -> None:
        asked_by(ASKER, "My own?", "1.1")
        asked_by(OTHER, "How much is a hotel?", "1.2")
        SlackChannelFacts.objects.update(checked_at=timezone.now() - timedelta(days=2))
        assert self.suggested(travel) == []

    def test_only_from_folders_this_person_may_see(
        self, slack: FakeSlack, asked_by: Asked, travel: Folder, board: Folder
    ) -> None:
        asked_by(ASKER, "My own?", "1.1")
        asked_by(OTHER, "Whom do we sell to?", "1.2", folder=board)
        assert self.suggested(travel) == []
        assert self.suggested(travel, board) == ["Whom do we sell to?"]

    def test_not_from_a_document_that_was_moved_to_another_folder(
        self, slack: FakeSlack, asked_by: Asked, travel: Folder, board: Folder
    ) -> None:
        asked_by(ASKER, "My own?", "1.1")
        asked_by(OTHER, "How much is a hotel?", "1.2")
        Citation.objects.update(document=Document.objects.create(folder=board, name="a.md", size_bytes=1))
        assert self.suggested(travel) == []

    def test_neither_refused_nor_deleted_nor_found_wrong_nor_asked_by_oneself(
        self, slack: FakeSlack, asked_by: Asked, finished: Asked, travel: Folder
    ) -> None:
        asked_by(ASKER, "how much is a  HOTEL", "1.1")
        asked_by(OTHER, "How much is a hotel?", "1.2")
        asked_by(OTHER, "Deleted?", "1.3", withdrawn_at=timezone.now())
        asked_by(OTHER, "Outsiders'?", "1.4", is_external=True)
        wrong = asked_by(OTHER, "Wrong?", "1.5")
        Feedback.objects.create(
            question=wrong, slack_user_id=OTHER, verdict="not_helpful", given_at=timezone.now()
        )
        refused = finished(outcome=QuestionState.REFUSED, ts="1.6")
        Question.objects.filter(pk=refused.pk).update(slack_user_id=OTHER)
        assert self.suggested(travel) == []

    def test_a_click_asks_it_in_the_direct_message(
        self, slack: FakeSlack, asked_by: Asked, sent: list, work: Work, minute: list[float]
    ) -> None:
        asked_by(ASKER, "My own?", "1.1")
        asked_by(OTHER, "How much is a hotel?", "1.2")
        open_home()
        work()
        (button,) = buttons_of(slack.homes[ASKER])
        for _ in range(2):
            post_interaction(self.clicked(slack, button["value"]))
        new = Question.objects.get(slack_ts__startswith="home-")
        assert (new.text, new.surface, new.slack_channel_id) == ("How much is a hotel?", "slack_dm", DM)
        assert new.slack_user_id == ASKER
        publish_home(next(argument for name, argument in sent if name == "footnote.publish_home"))
        assert f"How much is a hotel? · _{ENGLISH.home.outcomes[QuestionState.RECEIVED]}_" in shown_at_home(
            slack
        )
        sent[:] = [(name, argument) for name, argument in sent if name != "footnote.publish_home"]
        work()
        ended = ENGLISH.home.outcomes[QuestionState.REFUSED]
        assert f"How much is a hotel? · _{ended}_" in shown_at_home(slack), (
            "and how it ended, once it is posted"
        )

    def test_one_that_went_stale_vanishes_instead(
        self, slack: FakeSlack, asked_by: Asked, sent: list, work: Work, travel: Folder
    ) -> None:
        asked_by(ASKER, "My own?", "1.1")
        stale = asked_by(OTHER, "How much is a hotel?", "1.2")
        open_home()
        work()
        Folder.objects.update(is_open=False)
        for value in (str(stale.pk), "abc"):
            assert post_interaction(self.clicked(slack, value)).status_code == 200
            work()
        assert Question.objects.count() == 2
        assert buttons_of(slack.homes[ASKER]) == []

    def test_another_persons_tab_asks_nothing(
        self, slack: FakeSlack, asked_by: Asked, sent: list, work: Work
    ) -> None:
        question = asked_by(OTHER, "How much is a hotel?", "1.2")
        open_home()
        work()
        payload = self.clicked(slack, str(question.pk)) | {"user": {"id": OTHER, "team_id": TEAM}}
        post_interaction(payload)
        assert Question.objects.count() == 1

    @staticmethod
    def clicked(slack: FakeSlack, value: str) -> dict:
        payload = click("ask_suggested", value)
        del payload["channel"], payload["response_url"]
        view = {"type": "home", "private_metadata": slack.homes[ASKER]["private_metadata"]}
        return {**payload, "container": {"type": "view", "view_id": "V1"}, "view": view}


def test_many_folders_and_hostile_names_stay_within_the_limits(
    slack: FakeSlack, transactional_db: None, sent: list, work: Work
) -> None:
    names = [f"{n} <@U1> & <!here> " + "x" * 80 for n in range(40)]
    Folder.objects.bulk_create(Folder(name=name, is_open=True) for name in names)
    open_home()
    work()
    assert "and 20 more folders" in "\n".join(texts_of(slack.homes[ASKER]))


def test_nobody_is_suggested_what_was_asked_in_a_private_channel(
    slack: FakeSlack, asked_by: Asked, travel: Folder
) -> None:
    """Who asked there once may have left it since."""
    asked_by(ASKER, "How much is a hotel?", "1.1")
    asked_by(OTHER, "What notice period applies when we dismiss Ada?", "1.2")
    assert len(suggested_questions(TEAM, ASKER, folder_ids=[travel.pk], n=4)) == 1
    record_facts(TEAM, CHANNEL, is_private=True)
    assert suggested_questions(TEAM, ASKER, folder_ids=[travel.pk], n=4) == []
    asked_by("U00000USR03", "What notice period applies when we dismiss Ada?", "1.3")
    record_facts(TEAM, CHANNEL, is_private=True)
    assert len(suggested_questions(TEAM, ASKER, folder_ids=[travel.pk], n=4)) == 1, "two people asked it"


def test_the_tab_is_made_with_as_many_queries_for_many_questions_as_for_few(
    slack: FakeSlack, asked_by: Asked, travel: Folder, board: Folder
) -> None:
    document = Document.objects.create(folder=board, name="board.md", size_bytes=1)

    def n_queries(numbers: range) -> int:
        for number in numbers:
            asked_by(OTHER, f"Question {number}?", f"1.{number}", board)
        Citation.objects.update(document=document)
        asked_by(ASKER, "How much is a hotel?", f"2.{numbers.start}")
        with CaptureQueriesContext(connection) as queries:
            suggested_questions(TEAM, ASKER, folder_ids=[travel.pk], n=4)
        return len(queries)

    assert n_queries(range(5)) == n_queries(range(5, 30))


def test_a_double_click_on_a_suggestion_asks_once(
    slack: FakeSlack,
    asked_by: Asked,
    sent: list,
    minute: list[float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(asking, "unsealed", lambda *_, **__: {"user": ASKER, "dm": DM})
    suggested = asked_by(OTHER, "How much is a hotel?", "1.1")
    for number in range(2):
        post_interaction(click("ask_suggested", str(suggested.pk), trigger_id=f"9.9.{number}"))
    assert Question.objects.filter(surface=Surface.SLACK_DM).count() == 1
    minute[0] += 1
    post_interaction(click("ask_suggested", str(suggested.pk), trigger_id="9.9.9"))
    assert Question.objects.filter(surface=Surface.SLACK_DM).count() == 2
