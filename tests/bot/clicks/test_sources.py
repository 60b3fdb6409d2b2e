"""Clicks that open passages: the sources of an answer, what was near a refused question."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.utils import timezone

from bot.phrases import ENGLISH, GERMAN, Problem
from console.questions.models import (
    Citation,
)
from console.sources.models import Document, Folder
from tests.bot.clicks.conftest import OTHER, PROBLEMS, Asked, close, person, told
from tests.bot.fake_slack import Failure, FakeSlack
from tests.bot.limits import buttons_of, texts_of
from tests.bot.payloads import click, post_interaction
from tests.bot.test_delivery import deliver
from tests.bot.test_rights_at_delivery import GONE, leave_out, replace, text_of


class TestViewSources:
    def test_the_quotes_are_shown_with_place_age_and_link(
        self, slack: FakeSlack, answered: Asked, document: Document, url: str
    ) -> None:
        question = answered()
        deliver(question)
        (message,) = slack.posts
        (shown,) = [b for b in buttons_of(message) if b["action_id"] == "view_sources"]
        post_interaction(click("view_sources", shown["value"], response_url=url))
        (view,) = slack.views
        heading, quote, age = texts_of(view)[1:]
        link = f"/documents/{document.pk}?start=10&amp;end=40"
        assert link in heading
        assert "[1] Travel policy › Hotels › Limits · page 4" in heading
        assert quote == "&gt; The limit is 180 EUR."
        assert age == "added today"
        assert told(slack) == []

    def test_a_folder_closed_since_shows_nothing_of_the_source(
        self, slack: FakeSlack, answered: Asked, travel: Folder, url: str
    ) -> None:
        question = answered()
        Folder.objects.create(name="Other", is_open=True)
        close(travel)
        post_interaction(click("view_sources", str(question.pk), response_url=url))
        assert texts_of(slack.views[0])[1:] == ["*[1]*", ENGLISH.modals.hidden_source]

    def test_where_nothing_may_be_seen_no_form_opens(
        self, slack: FakeSlack, answered: Asked, travel: Folder, url: str
    ) -> None:
        question = answered()
        close(travel)
        post_interaction(click("view_sources", str(question.pk), response_url=url))
        assert slack.views == []
        assert told(slack) == [PROBLEMS[Problem.NOT_ALLOWED]]

    def test_who_is_a_member_sees_what_the_channel_does_not(
        self, slack: FakeSlack, answered: Asked, travel: Folder, url: str
    ) -> None:
        question = answered()
        close(travel)
        travel.members.add(person("bo", OTHER))
        post_interaction(click("view_sources", str(question.pk), user=OTHER, response_url=url))
        assert "&gt; The limit is 180 EUR." in texts_of(slack.views[0])

    def test_a_guest_is_shown_what_is_shared_with_outsiders_alone(
        self, slack: FakeSlack, answered: Asked, travel: Folder, url: str
    ) -> None:
        question = answered()
        slack.knows(OTHER, is_restricted=True)
        post_interaction(click("view_sources", str(question.pk), user=OTHER, response_url=url))
        assert slack.views == []
        Folder.objects.update(is_shared_externally=True)
        post_interaction(click("view_sources", str(question.pk), user=OTHER, response_url=url))
        assert "&gt; The limit is 180 EUR." in texts_of(slack.views[0])

    def test_somebody_of_another_workspace_counts_as_a_guest(
        self, slack: FakeSlack, answered: Asked, url: str
    ) -> None:
        payload = click("view_sources", str(answered().pk), user=OTHER, response_url=url)
        post_interaction({**payload, "user": {"id": OTHER, "team_id": "T00000OTHER"}})
        assert slack.views == []
        assert told(slack) == [PROBLEMS[Problem.NOT_ALLOWED]]

    @pytest.mark.parametrize("is_purged", [False, True])
    def test_a_deleted_document_is_quoted_no_more(
        self, slack: FakeSlack, answered: Asked, document: Document, url: str, is_purged: bool
    ) -> None:
        question = answered()
        if is_purged:
            Document.objects.all().delete()
        else:
            Document.objects.update(deleted_at=timezone.now())
        post_interaction(click("view_sources", str(question.pk), response_url=url))
        heading, note = texts_of(slack.views[0])[1:]
        assert heading == "*[1] Travel policy › Hotels › Limits · page 4*"
        assert note == ENGLISH.modals.gone_source

    @pytest.mark.parametrize("go", [leave_out, replace])
    def test_a_document_that_says_it_no_more_is_quoted_no_more(
        self, slack: FakeSlack, answered: Asked, data_folder: object, url: str, go: Callable[[], None]
    ) -> None:
        question = answered()
        go()
        post_interaction(click("view_sources", str(question.pk), response_url=url))
        heading, note = texts_of(slack.views[0])[1:]
        assert "|[1] Travel policy › Hotels › Limits · page 4>" in heading, "its newer version can be opened"
        assert note == ENGLISH.modals.changed_source

    def test_words_that_still_stand_in_the_new_bytes_are_quoted(
        self, slack: FakeSlack, answered: Asked, data_folder: object, url: str
    ) -> None:
        question = answered()
        Citation.objects.update(start=0, end=21, quote="The limit is 180 EUR.")
        Document.objects.update(sha256="1" * 64, canonical_sha256=text_of("The limit is 180 EUR. And more."))
        post_interaction(click("view_sources", str(question.pk), response_url=url))
        assert "&gt; The limit is 180 EUR." in texts_of(slack.views[0])

    def test_a_document_moved_to_a_closed_folder_is_not_quoted(
        self, slack: FakeSlack, answered: Asked, document: Document, url: str
    ) -> None:
        question = answered()
        Document.objects.update(folder=Folder.objects.create(name="Board"))
        post_interaction(click("view_sources", str(question.pk), response_url=url))
        assert texts_of(slack.views[0])[1:] == ["*[1]*", ENGLISH.modals.hidden_source]

    def test_many_long_quotes_stay_within_slacks_limits(
        self, slack: FakeSlack, answered: Asked, url: str
    ) -> None:
        question = answered(n_sources=60)
        Citation.objects.update(quote="<!channel> & <b>\n" * 900)
        post_interaction(click("view_sources", str(question.pk), response_url=url))
        assert texts_of(slack.views[0])[-1].endswith("more stand in the console.")

    def test_the_form_speaks_the_language_of_who_clicks(
        self, slack: FakeSlack, answered: Asked, url: str
    ) -> None:
        slack.knows(OTHER, locale="de-DE")
        post_interaction(click("view_sources", str(answered().pk), user=OTHER, response_url=url))
        assert slack.views[0]["title"]["text"] == GERMAN.modals.sources
        assert texts_of(slack.views[0])[-1] == "heute hinzugefügt"
        assert "&gt; The limit is 180 EUR." in texts_of(slack.views[0]), "quotes stay as they are"

    @pytest.mark.parametrize(
        ("failure", "problem"),
        [
            (Failure(error="expired_trigger_id"), Problem.TOO_LATE),
            (Failure(error="exchanged_trigger_id"), Problem.TOO_LATE),
            (Failure(is_dropped=True), Problem.TOO_LATE),
            (Failure(error="invalid_auth"), Problem.SLACK_REFUSED),
        ],
    )
    def test_a_form_that_cannot_open_is_told(
        self, slack: FakeSlack, answered: Asked, url: str, failure: Failure, problem: Problem
    ) -> None:
        slack.script("views.open", failure)
        response = post_interaction(click("view_sources", str(answered().pk), response_url=url))
        assert response.status_code == 200
        assert told(slack) == [PROBLEMS[problem]]


class TestShowNearest:
    def test_what_was_near_is_shown(self, slack: FakeSlack, refused: Asked, url: str) -> None:
        question = refused()
        deliver(question)
        names = [button["action_id"] for button in buttons_of(slack.posts[0])]
        assert names == ["show_nearest", "ask_a_human"]
        post_interaction(click("show_nearest", str(question.pk), response_url=url))
        assert "&gt; Flights are booked in economy." in texts_of(slack.views[0])

    @GONE
    def test_a_passage_that_stands_no_more_is_not(
        self, slack: FakeSlack, refused: Asked, data_folder: object, url: str, go: Callable[[], None]
    ) -> None:
        question = refused()
        go()
        post_interaction(click("show_nearest", str(question.pk), response_url=url))
        assert texts_of(slack.views[0])[1:] == [ENGLISH.modals.no_source]

    def test_a_passage_of_a_closed_folder_is_not(
        self, slack: FakeSlack, refused: Asked, travel: Folder, url: str
    ) -> None:
        question = refused()
        Folder.objects.create(name="Other", is_open=True)
        close(travel)
        post_interaction(click("show_nearest", str(question.pk), response_url=url))
        assert texts_of(slack.views[0])[1:] == [ENGLISH.modals.no_source]
