"""Buttons: what they do, for whom, and that the person who clicks is looked at anew each time."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.contrib.auth.hashers import make_password
from django.core import signing
from django.utils import timezone

from bot import notices
from bot.blocks import Action
from bot.notices import pick_up_unsent, send_notice
from bot.phrases import ENGLISH, GERMAN, Problem
from console.channels.models import NoticeKind, NoticeState, SlackChannel, SlackNotice
from console.channels.notices import claim_notice, owe_again, owe_notice, record_sent
from console.people.models import User
from console.questions.conversation import turns_before
from console.questions.models import (
    Answer,
    Citation,
    Feedback,
    FeedbackReason,
    HelpRequest,
    Question,
    QuestionState,
    Surface,
    Verdict,
)
from console.questions.selectors import questions_visible_to
from console.sources.models import Document, Folder
from console.sources.selectors import folders_visible_to
from tests.bot.fake_slack import ALL_SCOPES, Failure, FakeSlack
from tests.bot.limits import buttons_of, texts_of
from tests.bot.payloads import ASKER, CHANNEL, DM, TEAM, click, post_interaction, sent_form
from tests.bot.test_delivery import deliver

LIMIT = "The nightly hotel limit is 180 EUR."
OTHER = "U00000USR02"
Asked = Callable[..., Question]
PROBLEMS = ENGLISH.replies.problems


@pytest.fixture(autouse=True)
def people(slack: FakeSlack) -> None:
    slack.knows(OTHER)


@pytest.fixture
def travel(transactional_db: None) -> Folder:
    return Folder.objects.create(name="Travel", is_open=True)


@pytest.fixture
def document(travel: Folder) -> Document:
    return Document.objects.create(folder=travel, name="travel.md", title="Travel policy", size_bytes=1)


@pytest.fixture
def answered(slack: FakeSlack, finished: Asked, travel: Folder, document: Document) -> Asked:
    """An answer from Travel that stands in the channel."""

    def make(**options: object) -> Question:
        question = finished(LIMIT, folder_ids=[travel.pk], **options)
        Citation.objects.filter(answer__question=question).update(folder_id=travel.pk, document=document)
        return question

    return make


@pytest.fixture
def refused(slack: FakeSlack, finished: Asked, travel: Folder, document: Document) -> Asked:
    def make(**options: object) -> Question:
        near = {
            "document_id": document.pk,
            "folder_id": travel.pk,
            "sha256": "0" * 64,
            "title": "Travel policy",
            "label": "Flights",
            "start": 0,
            "end": 20,
            "distance": 0.58,
            "relevance": None,
            "excerpt": "Flights are booked in economy.",
        }
        return finished(
            outcome=QuestionState.REFUSED,
            reason="Nothing was close enough.",
            distance_cut=0.52,
            folder_ids=[travel.pk],
            nearest=[near],
            **options,
        )

    return make


@pytest.fixture
def url(slack: FakeSlack) -> str:
    return f"{slack.url}/commands/T1/1/click"


def person(name: str, slack_user_id: str = "", **fields: object) -> User:
    return User.objects.create(
        username=name,
        password=make_password(None),
        slack_team_id=TEAM if slack_user_id else "",
        slack_user_id=slack_user_id,
        **fields,
    )


def told(slack: FakeSlack) -> list[str]:
    """What was told to whoever clicked."""
    return slack.replies


def close(folder: Folder) -> None:
    Folder.objects.filter(pk=folder.pk).update(is_open=False)


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

    def test_a_quote_of_a_deleted_document_stays_without_a_link(
        self, slack: FakeSlack, answered: Asked, document: Document, url: str
    ) -> None:
        question = answered()
        Document.objects.update(deleted_at=timezone.now())
        post_interaction(click("view_sources", str(question.pk), response_url=url))
        heading, quote, note = texts_of(slack.views[0])[1:]
        assert "<" not in heading
        assert (quote, note) == ("&gt; The limit is 180 EUR.", ENGLISH.modals.gone_source)

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

    def test_a_passage_of_a_closed_folder_is_not(
        self, slack: FakeSlack, refused: Asked, travel: Folder, url: str
    ) -> None:
        question = refused()
        Folder.objects.create(name="Other", is_open=True)
        close(travel)
        post_interaction(click("show_nearest", str(question.pk), response_url=url))
        assert texts_of(slack.views[0])[1:] == [ENGLISH.modals.no_source]


class TestFeedback:
    def test_a_good_word_is_kept(self, slack: FakeSlack, answered: Asked, url: str) -> None:
        question = answered()
        linked = person("bo", OTHER)
        post_interaction(click("feedback", f"helpful:{question.pk}", user=OTHER, response_url=url))
        row = Feedback.objects.get()
        assert (row.question, row.verdict, row.person, row.reason) == (question, Verdict.HELPFUL, linked, "")
        assert told(slack) == [ENGLISH.replies.thanks]
        assert slack.views == []

    def test_a_bad_one_is_kept_at_once_and_asks_why(
        self, slack: FakeSlack, answered: Asked, url: str
    ) -> None:
        question = answered()
        deliver(question)
        (pair,) = [b for b in buttons_of(slack.posts[0]) if b["type"] == "feedback_buttons"]
        assert pair["positive_button"]["value"] == f"helpful:{question.pk}"
        post_interaction(click("feedback", pair["negative_button"]["value"], response_url=url))
        assert Feedback.objects.get().verdict == Verdict.NOT_HELPFUL
        (view,) = slack.views
        assert self.send(view, "outdated", " It is 190 by now. ").content == b""
        row = Feedback.objects.get()
        assert (row.reason, row.comment) == (FeedbackReason.OUTDATED, "It is 190 by now.")

    def test_the_form_offers_every_reason(self, slack: FakeSlack, answered: Asked, url: str) -> None:
        post_interaction(click("feedback", f"not_helpful:{answered().pk}", response_url=url))
        options = slack.views[0]["blocks"][0]["element"]["options"]
        assert [option["value"] for option in options] == list(FeedbackReason)

    def test_a_verdict_can_be_changed_and_is_one_a_person(
        self, slack: FakeSlack, answered: Asked, url: str
    ) -> None:
        question = answered()
        for user, verdict in ((ASKER, "helpful"), (OTHER, "helpful"), (OTHER, "not_helpful")):
            post_interaction(click("feedback", f"{verdict}:{question.pk}", user=user, response_url=url))
        verdicts = dict(Feedback.objects.values_list("slack_user_id", "verdict"))
        assert verdicts == {ASKER: "helpful", OTHER: "not_helpful"}

    def test_where_the_form_does_not_open_the_verdict_is_kept(
        self, slack: FakeSlack, answered: Asked, url: str
    ) -> None:
        slack.script("views.open", Failure(error="expired_trigger_id"))
        post_interaction(click("feedback", f"not_helpful:{answered().pk}", response_url=url))
        assert Feedback.objects.get().verdict == Verdict.NOT_HELPFUL
        assert told(slack) == [PROBLEMS[Problem.TOO_LATE]]

    @pytest.mark.parametrize("reason", ["", "made_up"])
    def test_a_reason_that_is_none_is_told_in_the_form(
        self, slack: FakeSlack, answered: Asked, url: str, reason: str
    ) -> None:
        post_interaction(click("feedback", f"not_helpful:{answered().pk}", response_url=url))
        response = self.send(slack.views[0], reason, "x").json()
        assert response["response_action"] == "errors"
        assert Feedback.objects.get().reason == ""

    def test_another_persons_form_is_refused(self, slack: FakeSlack, answered: Asked, url: str) -> None:
        post_interaction(click("feedback", f"not_helpful:{answered().pk}", response_url=url))
        response = self.send(slack.views[0], "wrong", "x", user=OTHER).json()
        assert response["response_action"] == "update"
        assert ENGLISH.modals.expired in texts_of(response["view"])
        assert Feedback.objects.get().reason == ""

    def test_a_form_that_is_too_old_is_refused(
        self, slack: FakeSlack, answered: Asked, url: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as patch:
            yesterday = signing.b62_encode(int(time.time()) - 86_401)
            patch.setattr(signing.TimestampSigner, "timestamp", lambda _: yesterday)
            post_interaction(click("feedback", f"not_helpful:{answered().pk}", response_url=url))
        assert self.send(slack.views[0], "wrong", "x").json()["response_action"] == "update"

    @pytest.mark.parametrize("token", ["", "{}", "eyJ1c2VyIjoiVTEifQ:1tX:bad", 5, None])
    def test_a_forged_form_is_refused(
        self, slack: FakeSlack, answered: Asked, url: str, token: object
    ) -> None:
        post_interaction(click("feedback", f"not_helpful:{answered().pk}", response_url=url))
        view = {**slack.views[0], "private_metadata": token}
        assert self.send(view, "wrong", "x").json()["response_action"] == "update"

    @staticmethod
    def send(view: dict, reason: str, comment: str, user: str = ASKER) -> object:
        chosen = {"type": "radio_buttons", "selected_option": {"value": reason} if reason else None}
        typed = {"type": "plain_text_input", "value": comment}
        return post_interaction(sent_form(view, {"reason": chosen, "comment": typed}, user=user))


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


VALUES = ["", "abc", "{}", "1", str(uuid.uuid4()), "helpful:abc", f"helpful:{uuid.uuid4()}", "'; DROP TABLE"]
MESSAGE_ACTIONS = sorted(set(Action) - {Action.OPEN_CONSOLE, Action.ASK_SUGGESTED})


def test_a_button_of_nothing_is_refused_politely(slack: FakeSlack, transactional_db: None, url: str) -> None:
    for action in MESSAGE_ACTIONS:
        for value in VALUES:
            slack.private_messages.clear()
            assert post_interaction(click(action, value, response_url=url)).status_code == 200
            assert told(slack) == [PROBLEMS[Problem.GONE]], (action, value)
    assert slack.views == slack.posts == []


def value_of(action: Action, question: Question) -> str:
    return f"helpful:{question.pk}" if action == Action.FEEDBACK else str(question.pk)


@pytest.mark.parametrize(
    "place",
    [
        {"channel": {"id": "C00000OTHER"}, "container": {"channel_id": "C00000OTHER"}},
        {"channel": {"id": "D00000OTHER"}, "container": {"channel_id": "D00000OTHER"}},
        {"team": {"id": "T00000OTHER"}, "user": {"id": ASKER, "team_id": "T00000OTHER"}},
    ],
    ids=["other channel", "direct message", "other workspace"],
)
def test_a_button_taken_elsewhere_is_refused_politely(
    slack: FakeSlack, answered: Asked, refused: Asked, url: str, place: dict
) -> None:
    for question in (answered(), refused(ts="2.2")):
        for action in MESSAGE_ACTIONS:
            slack.private_messages.clear()
            payload = click(action, value_of(action, question), response_url=url)
            assert post_interaction({**payload, **place}).status_code == 200
            assert told(slack) == [PROBLEMS[Problem.GONE]], action
    assert slack.views == slack.posts == []
    for model in (Feedback, HelpRequest, SlackNotice):
        assert not model.objects.exists()


@pytest.mark.parametrize("surface", [Surface.SLACK_DM, Surface.SLACK_COMMAND, Surface.SLACK_SHORTCUT])
def test_what_was_told_to_one_person_alone_answers_nobody_else(
    slack: FakeSlack, answered: Asked, url: str, surface: Surface
) -> None:
    question = answered(surface=surface, ts="form-1")
    for action in MESSAGE_ACTIONS:
        slack.private_messages.clear()
        for channel in (question.slack_channel_id, CHANNEL, DM):
            value = value_of(action, question)
            post_interaction(click(action, value, user=OTHER, channel=channel, response_url=url))
        assert told(slack) == [PROBLEMS[Problem.GONE]] * 3, action
    assert slack.views == []


def test_buttons_of_a_deleted_question_do_nothing(slack: FakeSlack, answered: Asked, url: str) -> None:
    question = answered()
    Question.objects.update(withdrawn_at=timezone.now())
    for action in MESSAGE_ACTIONS:
        post_interaction(click(action, value_of(action, question), response_url=url))
    assert told(slack) == [PROBLEMS[Problem.GONE]] * len(MESSAGE_ACTIONS)


BROKEN = [
    {"actions": []},
    {"actions": 5},
    {"user": {}},
    {"user": {"id": 5}},
    {"team": None},
    {"channel": None, "container": None},
    {"actions": [{"action_id": "share", "type": "button", "value": 7}]},
    {"response_url": "https://evil.example/x"},
    {"trigger_id": 5},
]


def test_a_payload_of_another_shape_is_no_fault_of_ours(slack: FakeSlack, answered: Asked, url: str) -> None:
    payload = click("view_sources", str(answered().pk), response_url=url)
    for broken in BROKEN:
        assert post_interaction({**payload, **broken}).status_code < 500, broken
    assert slack.posts == []


def test_who_clicked_is_told_nothing_where_slack_is_away(
    slack: FakeSlack, transactional_db: None, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    slack.script("response_url", Failure(is_dropped=True))
    assert post_interaction(click("share", "abc", response_url=url)).status_code == 200
    assert "could not be told" in caplog.text


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
