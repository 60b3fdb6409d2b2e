"""Answers of any length, in any script, full of code, links, tables and tricks: whole, within limits, harmless."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.answers import AnswerView, Sentence, Source
from bot.delivery import deliver_answer
from bot.messages import SECTION_CHARS, messages_of
from bot.splitting import split_mrkdwn
from bot.text import escape
from console.channels.models import DeliveryState, SlackDelivery
from console.questions.models import Question, QuestionState
from tests.bot.fake_slack import BASE_URL, FakeSlack
from tests.bot.limits import leaks, slack_would_refuse, texts_of

MOST_CHARS = 60_000
URL = "https://docs.example.com/handbook/travel?section=4&lang=en#hotels-in-capital-cities"
CODE = '```\nfor berth in harbour:\n    pay(berth, "180 EUR") & <go>\n```'
TABLE = "| City | Limit |\n| --- | ---: |\n| Paris | 180 EUR |\n| Rome & Bern | <150 EUR> |"
HEBREW = "הגבול ללילה בבירות הוא 180 אירו \u202eלהפך\u202c ועוד"
ARABIC = "الحد الأقصى لليلة الواحدة في العواصم هو ١٨٠ يورو"
FAMILY = "👩\u200d👩\u200d👧\u200d👦👍🏽"
THAI = "ค่าที่พักต่อคืนในเมืองหลวงไม่เกินหนึ่งร้อยแปดสิบยูโร"
CONTROL = ["<!channel>", "<!here>", "<!everyone>", "<@U00000USR01>", "<#C00000CHN01>", "<!subteam^S1>"]
PIECES = [
    URL,
    f"<{URL}|here>",
    CODE,
    TABLE,
    HEBREW,
    ARABIC,
    FAMILY,
    THAI,
    "e\u0301" * 40,
    "x" * 4_000,
    *CONTROL,
]

words = st.one_of(
    st.sampled_from(PIECES),
    st.text(max_size=80),
    st.text(alphabet="abc &<>`*_~|\n\t[]0123456789", max_size=200),
    st.sampled_from(
        ["The limit is 180 EUR.", "word", "\n", "\n\n", "- item", "> quoted", "&amp;", "*", "```"]
    ),
)


@st.composite
def bodies(draw: st.DrawFn) -> str:
    """A text of up to 60,000 characters: a drawn pattern repeated until a drawn length is reached."""
    pattern = " ".join(draw(st.lists(words, min_size=1, max_size=12)))
    n_chars = draw(st.sampled_from([0, 1, 2_990, 3_000, 3_010, 7_500, 12_000, 40_000, MOST_CHARS]))
    return (f"{pattern} " * (n_chars // (len(pattern) + 1) + 1))[:n_chars]


def view(sentences: list[str], n_sources: int) -> AnswerView:
    place = "Travel & <policy> › Hotels | Limits · page 4"
    return AnswerView(
        outcome=QuestionState.ANSWERED,
        audience="this channel",
        sentences=tuple(Sentence(text, (1, 2)) for text in sentences),
        sources=tuple(
            Source(number, place, f"{BASE_URL}/documents/{number}?start=1&end=9&of=ab#cited")
            for number in range(1, n_sources + 1)
        ),
    )


def sent(message: object) -> dict:
    return {"text": message.text, "blocks": message.blocks, "unfurl_links": False, "unfurl_media": False}


def bare(text: str) -> str:
    """Without what a cut may add or take away: space at the cut, and fences that are closed and opened again."""
    return "".join(text.replace("```", "").split())


@settings(max_examples=80, deadline=None)
@given(st.lists(bodies(), min_size=1, max_size=3), st.integers(1, 60))
def test_any_answer_arrives_whole_with_its_sources_within_the_limits(
    sentences: list[str], n_sources: int
) -> None:
    answer = view(sentences, n_sources)
    messages = [sent(message) for message in messages_of(answer)]
    for message in messages:
        assert slack_would_refuse(message) is None
        assert leaks(message, base_url=BASE_URL) == []
    told = "\n".join(text for message in messages for text in texts_of(message)[1:])
    if not any(text.strip() for text in sentences):
        return  # an empty answer is told as a fault of ours (test_messages.py)
    expected = " ".join(f"{escape(text)} [1] [2]" for text in sentences)
    assert bare(told).startswith(bare(expected))
    for source in answer.sources:
        line = f"[{source.number}] <{escape(source.url)}|{escape(source.place)}>"
        assert told.count(line) == 1, "a source is never cut"


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from([*PIECES[:3], "The limit is 180 EUR. [1] [2]", "word"]), min_size=5, max_size=400
    )
)
def test_no_cut_lies_inside_a_link_a_fence_or_a_citation(parts: list[str]) -> None:
    text = escape("\n".join(parts))
    pieces = split_mrkdwn(text, SECTION_CHARS)
    for piece in pieces:
        assert piece.count("```") % 2 == 0
        assert set(re.findall(r"\[[^\s\]]*\]?", piece)) <= {"[1]", "[2]"}
        assert piece.count("https://") == piece.count(escape(URL))
    assert sum(piece.count("[1] [2]") for piece in pieces) == parts.count("The limit is 180 EUR. [1] [2]")


@given(
    st.lists(st.sampled_from(["e\u0301", "👩\u200d👩\u200d👧", "👍🏽", "ที่", "a"]), min_size=60, max_size=400)
)
def test_no_cut_parts_a_letter_from_its_accents_or_an_emoji(parts: list[str]) -> None:
    pieces = split_mrkdwn("".join(parts), 100)
    assert "".join(pieces) == "".join(parts)
    for piece in pieces:
        assert not unicodedata.category(piece[0]).startswith("M")
        assert piece[0] != "\u200d"
        assert piece[-1] != "\u200d"
        assert not "\U0001f3fb" <= piece[0] <= "\U0001f3ff"


@settings(
    max_examples=25, deadline=None, database=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(body=bodies())
def test_any_answer_is_delivered_whole_through_the_outbox(
    local_slack: FakeSlack, finished: Callable[..., Question], body: str
) -> None:
    """The way over rows, outbox and client, against a workspace that refuses what Slack refuses."""
    Question.objects.all().delete()
    local_slack.workspace.messages.clear()
    question = finished(body.replace("\x00", ""), n_sources=30)
    deliver_answer(str(question.pk))
    assert SlackDelivery.objects.get().state == DeliveryState.DELIVERED
    assert local_slack.problems == []
    told = "\n".join(text for message in local_slack.posts for text in texts_of(message)[1:])
    if body.replace("\x00", "").strip():
        assert bare(told).startswith(bare(escape(body.replace("\x00", ""))))
        assert re.search(r"\[30\] <http[^|>]*\|Travel policy › Hotels › Limits · page 4>", told)


def test_the_longest_answer_goes_on_in_its_thread(
    local_slack: FakeSlack, finished: Callable[..., Question]
) -> None:
    deliver_answer(str(finished("harbour & berth " * (MOST_CHARS // 16)).pk))
    assert len(local_slack.posts) > MOST_CHARS / 8_000
    assert len({message["thread_ts"] for message in local_slack.posts}) == 1


@pytest.mark.parametrize("token", CONTROL)
def test_a_control_token_is_shown_and_does_nothing(token: str) -> None:
    (message,) = messages_of(view([f"Ask {token} first."], 1))
    assert f"Ask {escape(token)} first." in texts_of(sent(message))[1]
