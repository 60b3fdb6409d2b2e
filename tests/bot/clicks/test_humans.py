"""Clicks that put a refused question to a human."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bot.blocks import Action
from bot.phrases import ENGLISH, Problem
from console.people.models import User
from console.questions.models import (
    Answer,
    HelpRequest,
    Question,
)
from console.questions.selectors import questions_visible_to
from console.sources.models import Folder
from console.sources.selectors import folders_visible_to
from tests.bot.clicks.conftest import PROBLEMS, Asked, close, person, told
from tests.bot.fake_slack import FakeSlack
from tests.bot.limits import buttons_of, texts_of
from tests.bot.payloads import ASKER, CHANNEL, click, post_interaction
from tests.bot.test_delivery import deliver


class TestAskAHuman:
    @pytest.fixture
    def owner(self, travel: Folder) -> User:
        owner = person("ada", "U00000OWNER", first_name="Ada", last_name="Kahn")
        travel.owners.add(owner)
        return owner

    def ask(self, question: Question, url: str, user: str = ASKER, channel: str = CHANNEL) -> None:
        payload = click("ask_a_human", str(question.pk), user=user, channel=channel, response_url=url)
        assert post_interaction(payload).status_code == 200

    def test_the_owners_are_told_once_and_the_asker_learns_who(
        self, slack: FakeSlack, refused: Asked, owner: User, work: Callable[[], None], url: str
    ) -> None:
        question = refused()
        for _ in range(2):
            self.ask(question, url)
            work()
        (message,) = slack.messages[owner.slack_user_id]
        shown = texts_of(message)
        assert shown[1].startswith(f"<@{ASKER}> asked something that I could not answer")
        assert shown[2] == "&gt; How much is the hotel limit?"
        assert shown[3] == "You are named as owner of Travel."
        (link,) = buttons_of(message)
        assert link["url"].endswith(f"/questions/{question.pk}")
        assert told(slack) == [
            "I asked Ada Kahn. They see the question and what was near.",
            "Ada Kahn was asked already.",
        ]
        assert HelpRequest.objects.get().owners.get() == owner

    def test_an_owners_name_neither_pings_nor_links(
        self, slack: FakeSlack, refused: Asked, owner: User, work: Callable[[], None], url: str
    ) -> None:
        User.objects.update(first_name="<!channel> <https://evil.example|Olga>", last_name="")
        self.ask(refused(), url)
        self.ask(Question.objects.get(), url)
        shown = "&lt;!channel&gt; &lt;https://evil.example|Olga&gt;"
        assert told(slack) == [
            f"I asked {shown}. They see the question and what was near.",
            f"{shown} was asked already.",
        ]

    def test_the_owner_may_open_the_question_in_the_console(
        self, slack: FakeSlack, refused: Asked, owner: User, travel: Folder, url: str
    ) -> None:
        close(travel)
        assert travel in folders_visible_to(owner)
        question = refused()
        assert not questions_visible_to(owner).exists()
        Folder.objects.update(is_open=True)
        self.ask(question, url)
        assert questions_visible_to(owner).get() == question

    def test_an_owner_who_is_not_in_slack_finds_it_in_the_console(
        self, slack: FakeSlack, refused: Asked, owner: User, work: Callable[[], None], url: str
    ) -> None:
        User.objects.update(slack_user_id="", slack_team_id="")
        self.ask(refused(), url)
        work()
        assert slack.posts == []
        assert told(slack) == ["Ada Kahn will see the question in the console; I can't write to them here."]

    def test_where_nobody_is_named_it_is_kept_for_the_console(
        self, slack: FakeSlack, refused: Asked, url: str
    ) -> None:
        self.ask(refused(), url)
        assert told(slack) == [ENGLISH.replies.human_without_owner]
        assert HelpRequest.objects.count() == 1

    def test_the_owners_of_what_was_near_are_asked_before_those_of_all(
        self, slack: FakeSlack, refused: Asked, owner: User, work: Callable[[], None], url: str
    ) -> None:
        other = Folder.objects.create(name="Other", is_open=True)
        other.owners.add(person("cy", "U00000CY"))
        question = refused()
        Answer.objects.update(folder_ids=[*question.answer.folder_ids, other.pk])
        self.ask(question, url)
        work()
        assert list(slack.messages) == [owner.slack_user_id]

    def test_who_may_see_none_of_the_folders_asks_nobody(
        self, slack: FakeSlack, refused: Asked, owner: User, travel: Folder, url: str
    ) -> None:
        question = refused()
        close(travel)
        self.ask(question, url)
        assert told(slack) == [PROBLEMS[Problem.NOT_ALLOWED]]
        assert not HelpRequest.objects.exists()

    def test_owners_are_told_in_their_language(
        self, slack: FakeSlack, refused: Asked, owner: User, work: Callable[[], None], url: str
    ) -> None:
        slack.knows(owner.slack_user_id, locale="de-AT")
        self.ask(refused(), url)
        work()
        assert "möchte, dass ein Mensch es sieht" in slack.posts[0]["text"]

    def test_an_answer_offers_no_human(
        self, slack: FakeSlack, answered: Asked, owner: User, url: str
    ) -> None:
        self.ask(answered(), url)
        assert told(slack) == [PROBLEMS[Problem.GONE]]


def test_who_may_see_less_is_not_told_of_the_owners_asked_for_somebody_else(
    slack: FakeSlack, refused: Asked, travel: Folder, sent: list, url: str
) -> None:
    boss = person("secret")
    travel.owners.add(boss)
    question = refused()
    deliver(question)
    post_interaction(click(Action.ASK_A_HUMAN, str(question.pk), response_url=url))
    assert "secret" in str(slack.replies[-1])
    shared = Folder.objects.create(name="Shared", is_open=True, is_shared_externally=True)
    Answer.objects.update(folder_ids=[travel.pk, shared.pk])
    slack.knows("U0GUEST", is_restricted=True)
    post_interaction(click(Action.ASK_A_HUMAN, str(question.pk), response_url=url, user="U0GUEST"))
    assert slack.replies[-1] != slack.replies[0]
    assert "secret" not in str(slack.replies[-1])
