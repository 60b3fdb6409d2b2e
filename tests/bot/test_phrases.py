"""One table of strings: complete in each language, and in each the four outcomes never sound alike."""

from __future__ import annotations

import dataclasses
import string
import time
from collections.abc import Callable, Iterator, Mapping

import pytest

import rag
from bot.answers import AnswerView
from bot.messages import messages_of
from bot.modals import ask_view, expired_view, feedback_view, nearest_view, sources_view
from bot.notices import send_notice
from bot.phrases import (
    ENGLISH,
    GERMAN,
    LANGUAGES,
    Phrases,
    Plural,
    Problem,
    phrases_of,
    retold,
    retold_label,
)
from bot.phrases.retelling import fixed_sentences
from console.channels.models import NoticeKind, SlackNotice
from console.channels.notices import owe_notice
from console.questions import wording
from console.questions.models import FeedbackReason, Question, QuestionState, Surface
from console.questions.recording import broken_row, not_allowed_row, refused_row
from tests.bot.fake_slack import ALL_SCOPES, Failure, FakeSlack
from tests.bot.limits import texts_of, view_would_refuse
from tests.bot.payloads import ASKER, CHANNEL, command, post_form
from tests.bot.test_delivery import deliver

LIMIT = "The nightly hotel limit is 180 EUR."
CLOSED_LIST = {*rag.RefusalReason, "not_allowed", "broken"}
ROWS = {
    **{reason.value: refused_row(reason) for reason in rag.RefusalReason},
    "empty": refused_row(rag.RefusalReason.ROUTED_NO_RETRIEVAL, wording.QUESTION_EMPTY),
    "too long": refused_row(rag.RefusalReason.ROUTED_NO_RETRIEVAL, wording.QUESTION_TOO_LONG),
    "outsiders": not_allowed_row(wording.NOT_ALLOWED_EXTERNAL),
    "not chosen": not_allowed_row(wording.NOT_ALLOWED_CHOSEN),
    "broken": broken_row("7F3A09C1"),
}
BOTH = pytest.mark.parametrize("phrases", [ENGLISH, GERMAN], ids=["en", "de"])


def told(name: str, phrases: Phrases) -> str:
    """An ending as it is told in Slack."""
    answer = ROWS[name].answer
    view = AnswerView(
        QuestionState(answer.outcome),
        audience="this channel",
        reason=retold(answer.reason, phrases),
        reference=answer.error_reference,
        is_small_talk=answer.reason_code == rag.RefusalReason.ROUTED_NO_RETRIEVAL,
        phrases=phrases,
    )
    (message,) = messages_of(view)
    return message.plain


@BOTH
def test_no_two_endings_sound_alike(phrases: Phrases) -> None:
    said = [told(name, phrases) for name in ROWS]
    said += list(phrases.replies.problems.values())
    assert len(set(said)) == len(ROWS) + len(Problem)


@BOTH
def test_each_ending_says_its_own_kind_and_no_other(phrases: Phrases) -> None:
    marks = {
        QuestionState.REFUSED: phrases.cannot_here,
        QuestionState.NOT_ALLOWED: (phrases.not_allowed_external, phrases.not_allowed_chosen),
        QuestionState.BROKEN: phrases.broken,
    }
    for name, row in ROWS.items():
        said, outcome = told(name, phrases), QuestionState(row.answer.outcome)
        is_routed = row.answer.reason_code == rag.RefusalReason.ROUTED_NO_RETRIEVAL
        for other, mark in marks.items():
            is_expected = other == outcome and not is_routed
            assert said.startswith(mark) is is_expected, (name, other)
        for other in set(ROWS) - {name}:
            assert told(other, phrases) not in said, (name, other)


def test_every_ending_has_a_code_of_the_closed_list() -> None:
    codes = {row.answer.reason_code for row in ROWS.values()}
    assert codes == CLOSED_LIST
    assert {row.answer.outcome for row in ROWS.values()} == {"refused", "not_allowed", "broken"}


def test_a_failure_is_never_told_as_nothing_found() -> None:
    for phrases in LANGUAGES.values():
        for name in ("broken", "outsiders", "not chosen"):
            for reason in rag.RefusalReason:
                assert phrases.refusals[reason] not in told(name, phrases)


def strings(value: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Every string of a table with its place in it."""
    if isinstance(value, str):
        yield path, value
    elif dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from strings(getattr(value, field.name), f"{path}.{field.name}")
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from strings(item, f"{path}[{key}]")
    elif isinstance(value, tuple):
        for position, item in enumerate(value):
            yield from strings(item, f"{path}[{position}]")


def gaps(form: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(form) if name}


def test_the_languages_have_the_same_strings_with_the_same_gaps() -> None:
    english, german = dict(strings(ENGLISH)), dict(strings(GERMAN))
    assert english.keys() == german.keys()
    for path, text in english.items():
        assert gaps(text) == gaps(german[path]), path
        assert bool(text.strip()) == bool(german[path].strip()), path
    same = {path for path in english if english[path] == german[path] and english[path].strip()}
    assert same == {".months[3]", ".months[7]", ".months[8]", ".months[10]"}, "really translated"


def test_every_closed_list_is_told_whole() -> None:
    for phrases in LANGUAGES.values():
        assert set(phrases.refusals) == set(phrases.next_steps) == set(rag.RefusalReason)
        assert set(phrases.small_talk) == set(wording.SMALL_TALK)
        assert set(phrases.replies.problems) == set(Problem)
        assert set(phrases.modals.reasons) == set(FeedbackReason)
        assert set(phrases.home.outcomes) == set(QuestionState)


@pytest.mark.parametrize(
    ("label", "german"),
    [
        ("Hotels › Limits · page 4", "Hotels › Limits · Seite 4"),
        ("page 4", "Seite 4"),
        ("Aims · slide 12", "Aims · Folie 12"),
        ("Our page 4", "Our page 4"),
        ("page 4 · Annex", "page 4 · Annex"),
        ("Limits!A3:C9", "Limits!A3:C9"),
        ("00:14:32", "00:14:32"),
        ("", ""),
    ],
)
def test_pages_and_slides_are_counted_in_the_readers_language(label: str, german: str) -> None:
    assert retold_label(label, GERMAN) == german
    assert retold_label(label, ENGLISH) == label


@BOTH
def test_titles_and_buttons_fit_in_every_language(phrases: Phrases) -> None:
    for view in (
        sources_view([], phrases),
        nearest_view([], phrases),
        feedback_view("t", phrases),
        ask_view("", "t", phrases),
        expired_view(phrases),
    ):
        assert view_would_refuse(view) == ""
    assert all(len(text) <= 40 for _, text in strings(phrases.buttons))


class TestRetelling:
    def test_every_stored_sentence_is_told_in_german(self) -> None:
        for english, german in zip(fixed_sentences(ENGLISH), fixed_sentences(GERMAN), strict=True):
            assert retold(english, GERMAN) == german
            assert retold(english, ENGLISH) == english

    @pytest.mark.parametrize("n", [1, 7, 120])
    def test_so_is_what_is_still_being_read(self, n: int) -> None:
        stored = wording.refusal_sentence(rag.RefusalReason.BELOW_THRESHOLD) + wording.still_working(n)
        assert retold(stored, GERMAN) == (
            GERMAN.refusals[rag.RefusalReason.BELOW_THRESHOLD] + GERMAN.still_working.of(n)
        )

    def test_any_other_sentence_stays_as_it_is(self) -> None:
        assert retold("An answer of an older version.", GERMAN) == "An answer of an older version."

    def test_names_that_nothing_mentions(self):
        stored = wording.not_mentioned(("Ocryopsis", "R&D")) + wording.still_working(2)
        assert stored.startswith("The nearest passages do not mention “Ocryopsis”, “R&D”.")
        assert retold(stored, ENGLISH) == stored
        assert retold(stored, GERMAN).startswith(
            "Die nächstliegenden Stellen erwähnen „Ocryopsis“, „R&D“ nicht. "
        )


@pytest.mark.parametrize(
    ("locale", "phrases"),
    [
        ("en-US", ENGLISH),
        ("de-DE", GERMAN),
        ("de", GERMAN),
        ("DE-ch", GERMAN),
        ("fr-FR", ENGLISH),
        ("", ENGLISH),
    ],
)
def test_a_locale_chooses_the_language(locale: str, phrases: Phrases) -> None:
    assert phrases_of(locale) is phrases


@pytest.mark.parametrize(
    ("n_days", "english"),
    [
        (0, "added today"),
        (1, "added 1 day ago"),
        (13, "added 13 days ago"),
        (14, "added 2 weeks ago"),
        (59, "added 8 weeks ago"),
        (60, "added 2 months ago"),
        (729, "added 24 months ago"),
        (730, "added 2 years ago"),
    ],
)
def test_an_age_is_no_finer_than_it_needs_to_be(n_days: int, english: str) -> None:
    assert ENGLISH.ages.of(n_days) == english


def test_braces_of_people_are_no_format() -> None:
    assert Plural("{n} in {folder}", "").of(1, folder="{n}{0}{x}") == "1 in {n}{0}{x}"


class TestTheAskersLanguage:
    def test_fixed_strings_are_german_and_quotes_are_not(
        self, slack: FakeSlack, finished: Callable[..., Question]
    ) -> None:
        slack.knows(ASKER, locale="de-DE")
        deliver(finished(LIMIT))
        (message,) = slack.posts
        assert message["text"] == f"{LIMIT} · 1 Quelle"
        texts = texts_of(message)
        assert texts[1] == f"{LIMIT} [1]"
        assert texts[2].startswith("*Quellen*\n[1] <http")
        assert "|Travel policy › Hotels › Limits · Seite 4> · heute hinzugefügt" in texts[2]
        assert texts[3] == "Aus den Dokumenten, die dieser Kanal sehen kann."

    def test_what_contradicts_a_premise_is_german(
        self, slack: FakeSlack, finished: Callable[..., Question]
    ) -> None:
        slack.knows(ASKER, locale="de-DE")
        said = {"premise": "The {limit} is 90 EUR.", "says": "The limit is 180 EUR.", "number": 1}
        deliver(finished(LIMIT, contradicted=said))
        note = (
            "Die Frage setzt voraus: „The {limit} is 90 EUR.“ Travel policy sagt: „The limit is 180 EUR.“ [1]"
        )
        assert note in texts_of(slack.posts[0])

    def test_what_slack_did_not_take_when_it_was_shared_is_german(
        self, slack: FakeSlack, finished: Callable[..., Question]
    ) -> None:
        slack.knows(ASKER, locale="de-DE")
        question = finished(LIMIT, surface=Surface.SLACK_COMMAND, ts="cmd-1")
        owe_notice(question, NoticeKind.SHARE, recipient=CHANNEL, by_user_id=ASKER)
        slack.script("chat.postMessage", Failure(error="invalid_blocks"), Failure(error="msg_too_long"))
        send_notice(SlackNotice.objects.get().pk)
        assert slack.posts[0]["text"].startswith(GERMAN.not_taken)

    @pytest.mark.parametrize("name", ["/ask", "/footnote"])
    def test_the_first_command_is_acknowledged_in_it(
        self, slack: FakeSlack, transactional_db: None, sent: list, name: str
    ) -> None:
        slack.knows(ASKER, locale="de-DE")
        for said in (GERMAN.replies.looking if name == "/ask" else GERMAN.channel.usage,) * 2:
            response = post_form(command("How much?", command=name))
            assert response.json()["text"] == said
        assert len(slack.calls_of("users.info")) == 1

    def test_a_slack_that_hangs_costs_the_language_and_little_time(
        self, slack: FakeSlack, transactional_db: None, sent: list
    ) -> None:
        slack.script("users.info", Failure(wait_s=3.2, is_dropped=True))
        started = time.monotonic()
        assert post_form(command("How much?")).json()["text"] == ENGLISH.replies.looking
        assert time.monotonic() - started < 3
        assert Question.objects.count() == 1

    def test_a_refusal_is_german_too(self, slack: FakeSlack, finished: Callable[..., Question]) -> None:
        slack.knows(ASKER, locale="de-DE")
        deliver(
            finished(
                outcome=QuestionState.REFUSED,
                reason="Nothing was close enough." + wording.still_working(3),
                distance_cut=0.52,
                nearest=[{"title": "Travel policy", "label": "Flights", "distance": 0.58}],
                unreadable=[{"folder": "Travel", "count": 2}],
            )
        )
        assert texts_of(slack.posts[0])[1] == (
            "Das kann ich aus den Dokumenten, die dieser Kanal sehen kann, nicht beantworten.\n"
            "Nichts lag nahe genug. 3 Dateien werden noch gelesen; frag später noch einmal "
            "(am nächsten: *Travel policy › Flights*, 0,58; Grenze 0,52). Nicht lesbar: 2 Dateien in Travel."
        )

    def test_slack_is_asked_once_a_day(self, slack: FakeSlack, finished: Callable[..., Question]) -> None:
        for ts in ("1.1", "1.2", "1.3"):
            deliver(finished(LIMIT, ts=ts))
        (call,) = slack.calls_of("users.info")
        assert call["include_locale"] in {"1", "true", True}

    @pytest.mark.parametrize("failure", [Failure(error="user_not_found"), Failure(is_dropped=True)])
    def test_a_look_up_that_fails_is_english_and_not_repeated_at_once(
        self, slack: FakeSlack, finished: Callable[..., Question], failure: Failure
    ) -> None:
        slack.knows(ASKER, locale="de-DE")
        slack.script("users.info", failure)
        for ts in ("1.1", "1.2"):
            deliver(finished(LIMIT, ts=ts))
        assert [message["text"] for message in slack.posts] == [f"{LIMIT} · 1 source"] * 2
        assert len(slack.calls_of("users.info")) == 1

    def test_without_the_scope_it_is_english(
        self, slack: FakeSlack, finished: Callable[..., Question]
    ) -> None:
        slack.scopes = ALL_SCOPES - {"users:read"}
        deliver(finished(LIMIT))
        assert slack.posts[0]["text"].endswith("1 source")
