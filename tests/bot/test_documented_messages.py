"""The messages shown in docs/slack are the ones the builders make.

After a wanted change write them anew: `WRITE_DOCUMENTED_MESSAGES=1 pytest tests/bot/test_documented_messages.py`.
"""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

import rag
from bot.answers import AnswerView, Closest, Sentence, Source
from bot.home import AskedLine, FolderLine, Home, Suggestion, home_view
from bot.messages import messages_of, shared_message, with_question
from bot.modals import ask_view, feedback_view, nearest_view, sources_view
from bot.offers import edit_offer_message, owner_message
from bot.phrases import ENGLISH, GERMAN
from bot.reading import Passage
from console.questions import wording
from console.questions.models import QuestionState
from tests.bot.limits import view_would_refuse

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "slack"
_PAGE = "https://footnote.example.com/documents"
_ID = "0b6d5c1e-6f0f-4d55-9f55-3f0b7a3f2a11"
_LIMIT_URL = f"{_PAGE}/7?start=1204&end=1257&of=9f86d081884c7d65#cited"

VIEWS = {
    "answer": AnswerView(
        outcome=QuestionState.ANSWERED,
        audience="this channel",
        sentences=(
            Sentence("The nightly hotel limit in capital cities is 180 EUR.", (1,), "Travel policy"),
            Sentence(
                "Above it you need your lead's written approval before booking.", (2,), "Expense rules.xlsx"
            ),
        ),
        sources=(
            Source(
                1,
                "Travel policy › Hotels › Limits · page 4",
                _LIMIT_URL,
                ENGLISH.ages.of(23),
            ),
            Source(
                2,
                "Expense rules.xlsx · Limits!A3:C9",
                f"{_PAGE}/9?start=88&end=152&of=60303ae22b998861#cited",
                ENGLISH.ages.of(400),
            ),
        ),
        question_id=_ID,
    ),
    "conflict": AnswerView(
        outcome=QuestionState.ANSWERED,
        audience="this channel",
        sentences=(
            Sentence("The nightly hotel limit in capital cities is 180 EUR.", (1,), "Travel policy"),
            Sentence("The nightly hotel limit in capital cities is 150 EUR.", (2,), "Travel policy 2023"),
        ),
        sources=(
            Source(1, "Travel policy › Hotels", f"{_PAGE}/7?start=1204&end=1257&of=9f86d081884c7d65#cited"),
            Source(
                2, "Travel policy 2023 › Hotels", f"{_PAGE}/4?start=980&end=1033&of=2c26b46b68ffc68f#cited"
            ),
        ),
        conflicts=(
            "[1] Travel policy, uploaded 3 November 2026",
            "[2] Travel policy 2023, uploaded 12 January 2024",
        ),
    ),
    "small_talk": AnswerView(
        outcome=QuestionState.REFUSED,
        audience="this channel",
        reason=wording.SMALL_TALK["capability"],
        is_small_talk=True,
    ),
    "refusal": AnswerView(
        outcome=QuestionState.REFUSED,
        audience="this channel",
        reason="Nothing was close enough.",
        closest=Closest("Travel policy", "Flights", 0.58, 0.52),
        also_near=("Travel policy › Trains", "Expense rules.xlsx › Limits!A3:C9"),
        unreadable=wording.unreadable_sentence([{"folder": "Travel", "count": 2}]),
        next_step=ENGLISH.next_steps[rag.RefusalReason.BELOW_THRESHOLD],
        question_id=_ID,
        can_ask_a_human=True,
    ),
    "refusal_german": AnswerView(
        outcome=QuestionState.REFUSED,
        audience="you",
        reason=GERMAN.refusals[rag.RefusalReason.BELOW_THRESHOLD],
        closest=Closest("Travel policy", "Flights", 0.58, 0.52),
        unreadable=GERMAN.unreadable_sentence([{"folder": "Travel", "count": 2}]),
        next_step=GERMAN.next_steps[rag.RefusalReason.BELOW_THRESHOLD],
        question_id=_ID,
        can_ask_a_human=True,
        phrases=GERMAN,
    ),
    "not_allowed": AnswerView(
        outcome=QuestionState.NOT_ALLOWED, audience="this channel", reason=wording.NOT_ALLOWED_EXTERNAL
    ),
    "broken": AnswerView(
        outcome=QuestionState.BROKEN, audience="this channel", reason=wording.BROKEN, reference="7F3A09C1"
    ),
}


_ANSWER = messages_of(VIEWS["answer"])[0]
_PRIVATE = messages_of(replace(VIEWS["answer"], audience="you", can_share=True))[0]
_QUESTION = "How much may a hotel in Paris cost?"
OTHER_MESSAGES = {
    "private_answer": with_question(_PRIVATE, _QUESTION, ENGLISH),
    "shared_answer": shared_message(
        _ANSWER, asker_id="U00000USR01", sharer_id="U00000USR01", question=_QUESTION, phrases=ENGLISH
    ),
    "edited_question": edit_offer_message(_ID, ENGLISH),
    "ask_a_human": owner_message(
        _ID, who_id="U00000USR01", question=_QUESTION, folders=["Travel", "Expenses"], phrases=ENGLISH
    ),
}
FORMS = {
    "sources_form": sources_view(
        [
            Passage(
                "[1] Travel policy › Hotels › Limits · page 4",
                _LIMIT_URL,
                "The nightly hotel limit in capital cities is 180 EUR.",
                ENGLISH.ages.of(23),
            ),
            Passage("[2]", note=ENGLISH.modals.hidden_source),
            Passage("[3] All-hands, March · 00:14:32", note=ENGLISH.modals.gone_source),
        ],
        ENGLISH,
    ),
    "nearest_form": nearest_view(
        [
            Passage(
                "Travel policy › Flights", _LIMIT_URL, "Flights are booked in economy.", ENGLISH.ages.of(23)
            )
        ],
        ENGLISH,
    ),
    "feedback_form": feedback_view("signed", ENGLISH),
    "ask_form": ask_view("Does anybody know what a hotel in Paris may cost?", "signed", ENGLISH),
    "home": home_view(
        Home(
            folders=[FolderLine("Expenses", 12), FolderLine("Travel", 31, n_unreadable=2, n_working=1)],
            is_linked=True,
            asked=[
                AskedLine(_QUESTION, QuestionState.ANSWERED),
                AskedLine("Who won the cup?", QuestionState.REFUSED),
            ],
            suggestions=[Suggestion(_ID, "Until when must unused days of leave be taken?")],
        ),
        "signed",
        ENGLISH,
    ),
}


def rendered(name: str) -> str:
    if name in FORMS:
        body: object = FORMS[name]
    else:
        message = OTHER_MESSAGES.get(name) or messages_of(VIEWS[name])[0]
        body = {"text": message.text, "blocks": message.blocks}
    return json.dumps(body, indent=2, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("name", sorted([*VIEWS, *OTHER_MESSAGES, *FORMS]))
def test_the_documented_message_is_the_one_that_is_sent(name: str) -> None:
    file = FOLDER / f"{name}.json"
    if "WRITE_DOCUMENTED_MESSAGES" in os.environ:
        file.write_text(rendered(name), encoding="utf-8")
    assert file.read_text(encoding="utf-8") == rendered(name)


@pytest.mark.parametrize("name", sorted(FORMS))
def test_the_documented_form_is_within_slacks_limits(name: str) -> None:
    assert view_would_refuse(FORMS[name]) == ""


@pytest.mark.parametrize("name", sorted(VIEWS))
def test_the_guide_shows_it_line_by_line(name: str) -> None:
    guide = (FOLDER.parent / "slack.md").read_text(encoding="utf-8")
    (message,) = messages_of(VIEWS[name])
    for line in message.plain.split("\n"):
        assert line in guide, line
