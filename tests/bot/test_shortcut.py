"""“Ask Footnote about this”: from a message's menu to an answer for who asked, shared in that message's thread."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bot.phrases import ENGLISH, GERMAN, Problem
from console.channels.models import SlackChannel, SlackPerson, SlackProfile
from console.channels.selectors import search_scope
from console.questions.models import Citation, HelpRequest, Question, QuestionState, Surface
from console.sources.models import Document, Folder
from tests.bot.clicks.conftest import person
from tests.bot.fake_slack import Failure, FakeSlack
from tests.bot.limits import buttons_of, texts_of
from tests.bot.payloads import (
    ASKER,
    CHANNEL,
    DM,
    TEAM,
    TS,
    click,
    message_shortcut,
    post_interaction,
    sent_form,
)
from tests.bot.test_delivery import deliver

ABOUT = "Is the hotel limit &lt;b&gt;180&lt;/b&gt; &amp; what of <@U00000USR09|bo>?"


@pytest.fixture
def travel(transactional_db: None) -> Folder:
    return Folder.objects.create(name="Travel", is_open=True)


def send(view: dict, text: object, **more: object) -> object:
    return post_interaction(
        sent_form(view, {"question": {"type": "plain_text_input", "value": text}}, **more)
    )


def opened(slack: FakeSlack, **message: object) -> dict:
    assert post_interaction(message_shortcut(ABOUT, **message)).status_code == 200
    return slack.views[-1]


def test_the_message_stands_in_the_form_as_a_person_reads_it(slack: FakeSlack, travel: Folder) -> None:
    element = opened(slack)["blocks"][0]["element"]
    assert element["initial_value"] == "Is the hotel limit <b>180</b> & what of @bo?"


@pytest.mark.parametrize(
    "failure",
    [Failure(body='"x"'), Failure(body="[1]"), Failure(body="3")],
    ids=["text", "list", "number"],
)
def test_what_is_no_answer_of_slack_costs_the_language_alone(
    slack: FakeSlack, travel: Folder, failure: Failure
) -> None:
    slack.script("users.info", failure)
    assert opened(slack)["blocks"][0]["element"]["initial_value"].startswith("Is the hotel limit")


@pytest.mark.parametrize("text", ["", "x" * 9_000])
def test_any_length_of_message_opens(slack: FakeSlack, travel: Folder, text: str) -> None:
    post_interaction(message_shortcut(text))
    assert len(slack.views[0]["blocks"][0]["element"].get("initial_value", "")) == min(3_000, len(text))


@pytest.mark.parametrize(("message", "thread"), [({}, TS), ({"thread_ts": "1.1"}, "1.1")])
def test_it_is_asked_once_for_who_asked_alone(
    slack: FakeSlack, travel: Folder, sent: list, message: dict, thread: str
) -> None:
    view = opened(slack, **message)
    for _ in range(2):
        response = send(view, " How much is a hotel? ").json()
        assert response["response_action"] == "update"
        assert texts_of(response["view"])[1:] == [ENGLISH.modals.asked], "a sign of life at once"
    question = Question.objects.get()
    assert question.surface == Surface.SLACK_SHORTCUT
    assert question.text == "How much is a hotel?"
    assert (question.slack_channel_id, question.slack_user_id) == (CHANNEL, ASKER)
    assert question.slack_thread_ts == thread
    assert [name for name, _ in sent].count("footnote.answer_question") == 1


def test_the_answer_comes_as_a_direct_message_and_is_shared_in_the_thread(
    slack: FakeSlack, travel: Folder, finished: Callable[..., Question], work: Callable[[], None]
) -> None:
    options = {"ts": "form-V1", "thread_ts": "1.1", "folder_ids": [travel.pk]}
    question = finished("The limit is 180 EUR.", surface=Surface.SLACK_SHORTCUT, **options)
    Citation.objects.update(folder_id=travel.pk)
    deliver(question)
    (message,) = slack.messages[ASKER]
    assert slack.messages[CHANNEL] == []
    assert texts_of(message)[1] == "You asked: How much is the hotel limit?"
    (share,) = [button for button in buttons_of(message) if button["action_id"] == "share"]
    post_interaction(click("share", share["value"], channel=DM))
    work()
    (shared,) = slack.messages[CHANNEL]
    assert shared["thread_ts"] == "1.1"


def test_it_searches_what_the_channel_and_the_asker_see_together(
    slack: FakeSlack, travel: Folder, finished: Callable[..., Question]
) -> None:
    folders = {name: Folder.objects.create(name=name) for name in ("of channel", "of ada", "of nobody")}
    SlackChannel.objects.create(team_id=TEAM, channel_id=CHANNEL).folders.add(folders["of channel"])
    folders["of ada"].members.add(person("ada", ASKER))
    for position, surface in enumerate((Surface.SLACK_SHORTCUT, Surface.SLACK_COMMAND)):
        question = finished("Yes.", surface=surface, ts=f"form-{position}")
        expected = {travel.pk, folders["of channel"].pk, folders["of ada"].pk}
        assert set(search_scope(question).folder_ids) == expected
    asked_aloud = finished("Yes.", ts="2.2")
    assert search_scope(asked_aloud).folder_ids == [folders["of channel"].pk]


def test_a_guest_is_answered_as_one(slack: FakeSlack, travel: Folder, sent: list) -> None:
    slack.knows(ASKER, is_restricted=True)
    send(opened(slack), "How much?")
    assert Question.objects.get().is_external


@pytest.mark.parametrize("text", ["", "   ", "?!", None, 5])
def test_a_form_without_a_question_says_so(slack: FakeSlack, travel: Folder, text: object) -> None:
    response = send(opened(slack), text).json()
    assert response == {
        "response_action": "errors",
        "errors": {"question": ENGLISH.replies.problems[Problem.NO_TEXT]},
    }


@pytest.mark.parametrize("change", [{"user": "U00000USR02"}, {"token": ""}, {"token": "forged"}])
def test_a_form_that_is_another_persons_or_forged_is_refused(
    slack: FakeSlack, travel: Folder, change: dict
) -> None:
    view = opened(slack)
    if "token" in change:
        view = {**view, "private_metadata": change["token"]}
    response = send(view, "How much?", user=change.get("user", ASKER)).json()
    assert response["response_action"] == "update"
    assert not Question.objects.exists()


def test_a_trigger_that_ran_out_is_told(slack: FakeSlack, travel: Folder) -> None:
    slack.script("views.open", Failure(error="expired_trigger_id"))
    post_interaction(message_shortcut(ABOUT, response_url=f"{slack.url}/commands/T1/1/x"))
    assert slack.replies == [ENGLISH.replies.problems[Problem.TOO_LATE]]


def test_the_form_speaks_the_persons_language(slack: FakeSlack, travel: Folder) -> None:
    slack.knows(ASKER, locale="de-CH")
    assert opened(slack)["title"]["text"] == GERMAN.modals.ask


@pytest.mark.parametrize("text", ["What do a < b and c > d mean?", "What is &amp; for?", "Who is <@U1>?"])
def test_what_is_typed_into_the_form_is_taken_as_it_is(
    slack: FakeSlack, travel: Folder, sent: list, text: str
) -> None:
    send(opened(slack), text)
    assert Question.objects.get().text == text


def test_what_the_form_was_filled_with_comes_back_unchanged(
    slack: FakeSlack, travel: Folder, sent: list
) -> None:
    view = opened(slack)
    send(view, view["blocks"][0]["element"]["initial_value"])
    assert Question.objects.get().text == "Is the hotel limit <b>180</b> & what of @bo?"


def test_one_failed_look_up_makes_no_member_a_stranger_for_good(
    slack: FakeSlack, travel: Folder, sent: list
) -> None:
    view = opened(slack)
    SlackPerson.objects.all().delete()
    SlackProfile.objects.all().delete()
    slack.script("users.info", Failure(is_dropped=True))
    send(view, "How much is a hotel?")
    assert Question.objects.get().is_external is False


@pytest.fixture
def url(slack: FakeSlack) -> str:
    return f"{slack.url}/commands/T1/1/click"


@pytest.fixture
def ops(transactional_db: None) -> Folder:
    """A closed folder that the channel, and nothing else, is answered from."""
    folder = Folder.objects.create(name="Ops")
    SlackChannel.objects.create(team_id=TEAM, channel_id=CHANNEL).folders.set([folder])
    return folder


def test_the_sources_of_an_answer_open_in_the_direct_message_it_came_in(
    slack: FakeSlack, ops: Folder, finished: Callable[..., Question], url: str
) -> None:
    document = Document.objects.create(folder=ops, name="ops.md", title="Ops", sha256="0" * 64, size_bytes=1)
    options = {"ts": "form-V1", "thread_ts": "1.1", "folder_ids": [ops.pk]}
    question = finished("The limit is 180 EUR.", surface=Surface.SLACK_SHORTCUT, **options)
    Citation.objects.update(folder_id=ops.pk, document=document)
    deliver(question)
    assert "The limit is 180 EUR." in str(texts_of(slack.messages[ASKER][0]))
    post_interaction(click("view_sources", str(question.pk), channel=DM, response_url=url))
    assert "The limit is 180 EUR." in str(slack.views[-1])


def test_a_human_is_asked_from_the_direct_message_a_refusal_came_in(
    slack: FakeSlack, ops: Folder, finished: Callable[..., Question], sent: list, url: str
) -> None:
    ops.owners.add(person("boss", "U00000BOSS1"))
    options = {"ts": "form-V1", "thread_ts": "1.1", "folder_ids": [ops.pk]}
    question = finished(outcome=QuestionState.REFUSED, surface=Surface.SLACK_SHORTCUT, **options)
    deliver(question)
    post_interaction(click("ask_a_human", str(question.pk), channel=DM, response_url=url))
    assert HelpRequest.objects.get().owners.count() == 1
