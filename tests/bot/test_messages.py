"""The builders alone: what is said, and that nothing of a document can do more than be read."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.answers import AnswerView, Closest, Sentence, Source
from bot.messages import asked_message, messages_of
from console.questions import wording
from console.questions.models import QuestionState
from tests.bot.fake_slack import BASE_URL
from tests.bot.limits import leaks, slack_would_refuse, texts_of

LINK = f"{BASE_URL}/documents/7?start=1&end=9#cited"
PLACES = [
    "Travel policy › Hotels › Limits · page 4",
    "Expense rules.xlsx · Limits!A3:C9",
    "a | b <x> & *y*\nz",
]


def view(outcome: QuestionState = QuestionState.ANSWERED, **values: object) -> AnswerView:
    return AnswerView(outcome=outcome, audience="this channel", **values)


def sent(message: object) -> dict:
    return {"text": message.text, "blocks": message.blocks, "unfurl_links": False, "unfurl_media": False}


def test_an_answer_reads_like_the_design() -> None:
    (message,) = messages_of(
        view(
            sentences=(
                Sentence("The nightly hotel limit in capital cities is 180 EUR.", (1,)),
                Sentence("Above it you need your lead's written approval before booking.", (1, 2)),
            ),
            sources=tuple(Source(number, place, LINK) for number, place in enumerate(PLACES[:2], start=1)),
        )
    )
    assert message.text == "The nightly hotel limit in capital cities is 180 EUR. · 2 sources"
    link = LINK.replace("&", "&amp;")
    answer, sources, context = texts_of(sent(message))[1:]
    assert answer == (
        "The nightly hotel limit in capital cities is 180 EUR. [1] "
        "Above it you need your lead's written approval before booking. [1] [2]"
    )
    assert sources.split("\n") == [
        "*Sources*",
        f"[1] <{link}|Travel policy › Hotels › Limits · page 4>",
        f"[2] <{link}|Expense rules.xlsx · Limits!A3:C9>",
    ]
    assert context == "From the documents this channel can see."


def test_quoted_sentences_name_their_document_once_and_a_disagreement_is_told() -> None:
    policy, old = "Travel policy <!channel>", "Travel policy 2023"
    (message,) = messages_of(
        view(
            sentences=(
                Sentence("The limit is 180 EUR.", (1,), policy),
                Sentence("Book early.", (2,), policy),
                Sentence("The limit is 150 EUR.", (3,), old),
            ),
            sources=tuple(Source(number, PLACES[0], LINK) for number in (1, 2, 3)),
            conflicts=("[1] Travel policy <!channel>, uploaded 3 March 2026", "[3] Travel policy 2023"),
        )
    )
    answer, disagreement = texts_of(sent(message))[1:3]
    assert answer.split("\n") == [
        "According to *Travel policy &lt;!channel&gt;*: The limit is 180 EUR. [1] Book early. [2]",
        "According to *Travel policy 2023*: The limit is 150 EUR. [3]",
    ]
    assert disagreement == (
        f"*{wording.DISAGREE}* [1] Travel policy &lt;!channel&gt;, uploaded 3 March 2026; [3] Travel policy 2023"
    )
    assert message.text == "The limit is 180 EUR. · 3 sources"
    assert not slack_would_refuse(sent(message))
    assert not leaks(sent(message), base_url=BASE_URL)


def test_small_talk_speaks_of_no_documents() -> None:
    reason = wording.SMALL_TALK["greeting"]
    (message,) = messages_of(view(QuestionState.REFUSED, reason=reason, is_small_talk=True))
    assert message.text == message.plain == reason
    assert not slack_would_refuse(sent(message))


def test_a_source_whose_document_is_gone_has_no_link() -> None:
    (message,) = messages_of(view(sentences=(Sentence("Yes.", (1,)),), sources=(Source(1, "Old policy"),)))
    assert "*Sources*\n[1] Old policy" in texts_of(sent(message))


def test_the_notification_skips_what_is_blank_and_says_the_first_sentence() -> None:
    blank = Sentence(" " * 3_100, (1,))
    (message,) = messages_of(view(sentences=(blank, Sentence(" Yes. ", (1,))), sources=(Source(1, "A"),)))
    assert message.text == "Yes. · 1 source"


@pytest.mark.parametrize("text", ["", "  \n"])
def test_an_answer_without_text_is_told_as_our_fault(text: str) -> None:
    (message,) = messages_of(view(sentences=(Sentence(text, ()),) if text else ()))
    assert texts_of(sent(message)) == [wording.BROKEN, wording.BROKEN]


def test_the_closest_place_is_marked_whatever_it_is_called() -> None:
    (message,) = messages_of(
        view(
            QuestionState.REFUSED,
            reason="Nothing was close enough.",
            closest=Closest("close", "", 0.58, 0.52),
        )
    )
    assert "(closest: *close*, 0.58; limit 0.52)." in message.text


def test_a_relevance_has_to_be_high_and_the_message_says_which_number_it_is() -> None:
    def said(score: float) -> str:
        near = Closest("Travel policy", "Flights", score, 0.45, is_relevance=True)
        reason = "Nothing was close enough."
        (message,) = messages_of(view(QuestionState.REFUSED, reason=reason, closest=near))
        return message.text

    assert "(closest: *Travel policy › Flights*, relevance 0.31; needed 0.45)." in said(0.31)
    # Another reason refused: a number that passed would read like the reason.
    assert "(closest: *Travel policy › Flights*)." in said(0.45)


@pytest.mark.parametrize("outcome", [QuestionState.NOT_ALLOWED, QuestionState.BROKEN])
@pytest.mark.parametrize("reason", ["", " \n"])
def test_an_outcome_without_a_reason_still_says_something(outcome: QuestionState, reason: str) -> None:
    (message,) = messages_of(view(outcome, reason=reason))
    assert message.text.strip().startswith(("The answer may stand", "Something failed"))
    assert slack_would_refuse(sent(message)) is None


def test_a_refusal_with_nothing_near_says_only_why() -> None:
    (message,) = messages_of(
        view(QuestionState.REFUSED, reason="The documents hold nothing that I could search.")
    )
    assert texts_of(sent(message))[1] == (
        "I can't answer that from the documents this channel can see.\nThe documents hold nothing that I could search."
    )
    assert message.text == texts_of(sent(message))[1]


HOSTILE = st.lists(
    st.sampled_from(
        [
            "<!channel>",
            "<@U1>",
            "<#C1|x>",
            "<https://evil.example|ok>",
            "&",
            "&amp;",
            "word",
            "```",
            "*",
            "\n",
            "@here",
            ">",
        ]
    ),
    max_size=900,
).map(" ".join)


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(list(QuestionState)[2:]),
    st.lists(HOSTILE, max_size=6),
    st.lists(st.sampled_from(PLACES) | HOSTILE, max_size=60),
    HOSTILE,
)
def test_every_message_is_within_the_limits_and_harmless(
    outcome: QuestionState, sentences: list[str], places: list[str], other: str
) -> None:
    messages = messages_of(
        view(
            outcome,
            sentences=tuple(Sentence(text, (1,)) for text in sentences),
            sources=tuple(Source(number, place, LINK) for number, place in enumerate(places, start=1)),
            reason=other or "Because.",
            closest=Closest(other, other, 0.58, 0.52),
            unreadable=other,
            reference="AB12",
        )
    )
    for message in messages:
        assert slack_would_refuse(sent(message)) is None
        assert leaks(sent(message), base_url=BASE_URL) == []
        assert leaks({**sent(message), "blocks": [], "text": message.plain}, base_url=BASE_URL) == []


@given(HOSTILE)
def test_the_question_of_a_command_is_shown_harmlessly(question: str) -> None:
    message = asked_message("U1", question or "what?")
    assert slack_would_refuse(sent(message)) is None
    assert leaks(sent(message), base_url=BASE_URL, asker="U1") == []
