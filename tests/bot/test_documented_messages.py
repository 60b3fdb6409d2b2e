"""The messages shown in docs/slack are the ones the builders make.

After a wanted change write them anew: `WRITE_DOCUMENTED_MESSAGES=1 pytest tests/bot/test_documented_messages.py`.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from bot.answers import AnswerView, Closest, Sentence, Source
from bot.messages import messages_of
from console.questions import wording
from console.questions.models import QuestionState

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "slack"
_PAGE = "https://footnote.example.com/documents"

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
                f"{_PAGE}/7?start=1204&end=1257&of=9f86d081884c7d65#cited",
            ),
            Source(
                2,
                "Expense rules.xlsx · Limits!A3:C9",
                f"{_PAGE}/9?start=88&end=152&of=60303ae22b998861#cited",
            ),
        ),
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
        unreadable=wording.unreadable_sentence([{"folder": "Travel", "count": 2}]),
    ),
    "not_allowed": AnswerView(
        outcome=QuestionState.NOT_ALLOWED, audience="this channel", reason=wording.NOT_ALLOWED_EXTERNAL
    ),
    "broken": AnswerView(
        outcome=QuestionState.BROKEN, audience="this channel", reason=wording.BROKEN, reference="7F3A09C1"
    ),
}


def rendered(name: str) -> str:
    (message,) = messages_of(VIEWS[name])
    return json.dumps({"text": message.text, "blocks": message.blocks}, indent=2, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("name", sorted(VIEWS))
def test_the_documented_message_is_the_one_that_is_sent(name: str) -> None:
    file = FOLDER / f"{name}.json"
    if "WRITE_DOCUMENTED_MESSAGES" in os.environ:
        file.write_text(rendered(name), encoding="utf-8")
    assert file.read_text(encoding="utf-8") == rendered(name)


@pytest.mark.parametrize("name", sorted(VIEWS))
def test_the_guide_shows_it_line_by_line(name: str) -> None:
    guide = (FOLDER.parent / "slack.md").read_text(encoding="utf-8")
    (message,) = messages_of(VIEWS[name])
    for line in message.plain.split("\n"):
        assert line in guide, line
