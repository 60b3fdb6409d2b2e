"""The parts of Block Kit that messages, forms and the App Home are made of. Text comes in escaped."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import TypeAlias

Block: TypeAlias = dict[str, object]

SECTION_CHARS = 3_000
BUTTON_CHARS = 75
VIEW_BLOCKS = 100


class Action(StrEnum):
    """What can be clicked; each has its listener."""

    VIEW_SOURCES = "view_sources"
    SHOW_NEAREST = "show_nearest"
    FEEDBACK = "feedback"
    SHARE = "share"
    ASK_A_HUMAN = "ask_a_human"
    ANSWER_EDITED = "answer_edited"
    ASK_SUGGESTED = "ask_suggested"
    OPEN_CONSOLE = "open_console"


class Form(StrEnum):
    """What can be sent, or opened from a message's menu; each has its listener."""

    ASK_ABOUT_MESSAGE = "ask_about_message"
    ASK = "ask"
    FEEDBACK_REASON = "feedback_reason"


def section(text: str) -> Block:
    """One paragraph of at most 3,000 characters."""
    # `verbatim` keeps Slack from making links of what a document merely spells out.
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


def packed_lines(lines: Iterable[str]) -> list[str]:
    """Lines joined into as few pieces of at most 3,000 characters as go; a longer line is a piece of its own."""
    pieces: list[str] = []
    for line in lines:
        if pieces and len(pieces[-1]) + 1 + len(line) <= SECTION_CHARS:
            pieces[-1] += f"\n{line}"
        else:
            pieces.append(line)
    return pieces


def context(text: str) -> Block:
    """A quiet line below."""
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": text, "verbatim": True}]}


def header(text: str) -> Block:
    """A heading of at most 150 characters, shown as it is."""
    return {"type": "header", "text": plain(text[:150])}


def divider() -> Block:
    """A line across."""
    return {"type": "divider"}


def plain(text: str) -> dict[str, object]:
    """Text without any formatting; emoji names stay as they are written."""
    return {"type": "plain_text", "text": text, "emoji": False}


def button(action: Action, label: str, value: str) -> dict[str, object]:
    """A button. `value` is an opaque id: whoever clicks is looked at anew."""
    return {"type": "button", "action_id": action.value, "text": plain(label[:BUTTON_CHARS]), "value": value}


def link_button(label: str, url: str) -> dict[str, object]:
    """A button that opens the console; Slack tells of the click all the same."""
    text = plain(label[:BUTTON_CHARS])
    return {"type": "button", "action_id": Action.OPEN_CONSOLE.value, "text": text, "url": url}


def actions(elements: list[dict[str, object]]) -> Block:
    """A row of buttons."""
    return {"type": "actions", "elements": elements}


def feedback(helpful: str, not_helpful: str, question_id: str) -> Block:
    """The two thumbs of Slack's own feedback element."""
    return {
        "type": "context_actions",
        "elements": [
            {
                "type": "feedback_buttons",
                "action_id": Action.FEEDBACK.value,
                "positive_button": {"text": plain(helpful), "value": f"helpful:{question_id}"},
                "negative_button": {"text": plain(not_helpful), "value": f"not_helpful:{question_id}"},
            }
        ],
    }
