"""Requirements 6 and 12 to 15 of the Slack bot, by HTTP and by Socket Mode."""

# ruff: noqa: F811 - fixtures of other tests are arguments here
from __future__ import annotations

from collections.abc import Callable

import pytest

from bot.phrases import ENGLISH, GERMAN, Problem
from console.channels.selectors import search_scope
from console.questions import wording
from console.questions.models import Feedback, FeedbackReason, HelpRequest, Question, Surface
from console.sources.models import Document, Folder
from tests.bot.changes.events import EDITED, deletion, edit
from tests.bot.clicks.conftest import (  # noqa: F401 - fixtures
    OTHER,
    answered,
    close,
    document,
    people,
    person,
    refused,
    travel,
    url,
)
from tests.bot.fake_slack import FakeSlack
from tests.bot.limits import buttons_of, texts_of
from tests.bot.payloads import ASKER, CHANNEL, click, command, message_shortcut, sent_form
from tests.bot.test_delivery import deliver
from tests.bot.ways import Way, way  # noqa: F401 - the fixture

Asked = Callable[..., Question]
Work = Callable[[], None]
PROBLEMS = ENGLISH.replies.problems


@pytest.fixture
def by(way: Way) -> Way:
    return way


def test_requirement_6_an_edit_is_offered_once_and_a_deletion_takes_the_answer_along(
    slack: FakeSlack,
    by: Way,
    answered: Asked,
    work: Work,
    url: str,
) -> None:
    question = answered()
    deliver(question)
    for text in ("Another?", EDITED):
        assert by.send(edit(text)).ok
        work()
    (offer,) = slack.ephemeral
    value = buttons_of(offer)[0]["value"]
    for _ in range(2):
        assert by.send(click("answer_edited", value, response_url=url), kind="interactive").ok
    assert Question.objects.filter(text=EDITED).count() == 1
    work()
    assert len(slack.posts) == 2
    assert by.send(deletion()).ok
    work()
    assert slack.posts == []
    assert set(Question.objects.values_list("text", flat=True)) == {wording.WITHDRAWN}


def test_requirement_13_a_bad_verdict_asks_why_and_is_kept(
    slack: FakeSlack,
    by: Way,
    answered: Asked,
    url: str,
) -> None:
    payload = click("feedback", f"not_helpful:{answered().pk}", response_url=url)
    assert by.send(payload, kind="interactive").ok
    values = {
        "reason": {"selected_option": {"value": "outdated"}},
        "comment": {"value": "It is 190 by now."},
    }
    assert by.send(sent_form(slack.views[0], values), kind="interactive").ok
    row = Feedback.objects.get()
    assert (row.verdict, row.reason, row.comment) == (
        "not_helpful",
        FeedbackReason.OUTDATED,
        "It is 190 by now.",
    )


def test_requirement_13_a_human_is_asked_once(
    slack: FakeSlack,
    by: Way,
    refused: Asked,
    travel: Folder,
    work: Work,
    url: str,
) -> None:
    travel.owners.add(person("ada", "U00000OWNER"))
    payload = click("ask_a_human", str(refused().pk), response_url=url)
    for _ in range(2):
        assert by.send(payload, kind="interactive").ok
        work()
    assert len(slack.messages["U00000OWNER"]) == HelpRequest.objects.count() == 1
    assert slack.replies == [
        ENGLISH.replies.human_asked.format(names="ada"),
        ENGLISH.replies.human_asked_before.format(names="ada"),
    ]


def test_requirement_14_the_person_clicking_is_checked_again(
    slack: FakeSlack,
    by: Way,
    answered: Asked,
    document: Document,
    travel: Folder,
    url: str,
) -> None:
    question = answered()
    payload = click("view_sources", str(question.pk), user=OTHER, response_url=url)
    assert by.send(payload, kind="interactive").ok
    assert "&gt; The limit is 180 EUR." in texts_of(slack.views[0])
    close(travel)
    assert by.send(payload, kind="interactive").ok
    assert len(slack.views) == 1
    assert slack.replies == [PROBLEMS[Problem.NOT_ALLOWED]]


def test_requirement_14_a_private_folder_is_answered_from_to_its_member_alone_and_not_shared(
    slack: FakeSlack,
    by: Way,
    answered: Asked,
    travel: Folder,
    work: Work,
    url: str,
) -> None:
    assert by.send(command("How much?", response_url=url), kind="slash_commands").ok
    asked = Question.objects.get()
    close(travel)
    assert search_scope(asked).folder_ids == []
    travel.members.add(person("bo", ASKER))
    assert search_scope(asked).folder_ids == [travel.pk]
    private = answered(surface=Surface.SLACK_COMMAND, ts="cmd-2", response_url=url)
    deliver(private)
    assert by.send(click("share", str(private.pk), response_url=url), kind="interactive").ok
    work()
    assert slack.messages[CHANNEL] == []
    assert PROBLEMS[Problem.NOT_FOR_EVERYONE] in slack.replies


def test_requirement_15_forms_speak_the_language_of_who_opens_them(
    slack: FakeSlack,
    by: Way,
    travel: Folder,
    url: str,
) -> None:
    slack.knows(ASKER, locale="de-DE")
    assert by.send(message_shortcut("How much is it?", response_url=url), kind="interactive").ok
    (view,) = slack.views
    assert view["title"]["text"] == GERMAN.modals.ask
    assert by.send(sent_form(view, {"question": {"value": "Wie viel kostet es?"}}), kind="interactive").ok
    assert Question.objects.get().surface == Surface.SLACK_SHORTCUT
