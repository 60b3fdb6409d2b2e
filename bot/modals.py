"""Forms, built from plain values: no Slack, no database. Text of documents and people is escaped here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from bot import blocks as kit
from bot.blocks import SECTION_CHARS, VIEW_BLOCKS, Block, Form, context, plain, section
from bot.phrases import Phrases
from bot.reading import Passage
from bot.splitting import split_mrkdwn
from bot.text import escape
from console.questions.feedback import COMMENT_CHARS

View: TypeAlias = dict[str, object]

INPUT_CHARS = 3_000
HEADING_CHARS = 300
QUOTE_CHARS = 2 * SECTION_CHARS
"""More of one passage is read in the console."""
REASON, COMMENT, QUESTION = "reason", "comment", "question"


def sources_view(passages: Sequence[Passage], phrases: Phrases) -> View:
    """The quotes of an answer with their places and links."""
    return _reading_view(phrases.modals.sources, passages, phrases)


def nearest_view(passages: Sequence[Passage], phrases: Phrases) -> View:
    """What was near when nothing was near enough."""
    return _reading_view(phrases.modals.nearest, passages, phrases)


def _reading_view(title: str, passages: Sequence[Passage], phrases: Phrases) -> View:
    blocks: list[Block] = []
    for position, passage in enumerate(passages):
        shown = _passage_blocks(passage)
        if len(blocks) + len(shown) + 2 > VIEW_BLOCKS:
            blocks.append(context(phrases.modals.more.of(len(passages) - position)))
            break
        blocks += [*([kit.divider()] if blocks else []), *shown]
    return {
        "type": "modal",
        "title": plain(title),
        "close": plain(phrases.buttons.close),
        "blocks": blocks or [section(phrases.modals.no_source)],
    }


def _passage_blocks(passage: Passage) -> list[Block]:
    heading = escape(_one_line(passage.heading))
    shown = [section(f"*<{escape(passage.url)}|{heading}>*" if passage.url else f"*{heading}*")]
    shown += [section(piece) for piece in kit.packed_lines(_quoted(passage.quote))]
    return [*shown, *([context(escape(passage.note))] if passage.note else [])]


def _quoted(quote: str) -> Iterator[str]:
    """The quote's own lines, each marked as quoted; what is very long is cut and says so."""
    if not quote.strip():
        return
    shown = quote.strip()
    for line in f"{shown[:QUOTE_CHARS]}{'…' if len(shown) > QUOTE_CHARS else ''}".split("\n"):
        for piece in split_mrkdwn(escape(line), SECTION_CHARS - 10) or [""]:
            yield f"&gt; {piece}"


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= HEADING_CHARS else f"{line[: HEADING_CHARS - 1]}…"


def feedback_view(token: str, phrases: Phrases) -> View:
    """Why an answer did not help."""
    words = phrases.modals
    reasons: dict[str, object] = {
        "type": "radio_buttons",
        "action_id": REASON,
        "options": [{"text": plain(label), "value": reason.value} for reason, label in words.reasons.items()],
    }
    comment: dict[str, object] = {
        "type": "plain_text_input",
        "action_id": COMMENT,
        "multiline": True,
        "max_length": COMMENT_CHARS,
    }
    return {
        **_form(Form.FEEDBACK_REASON, words.feedback, token, phrases),
        "blocks": [
            _input(REASON, words.feedback_reason, reasons),
            _input(COMMENT, words.feedback_comment, comment, hint=words.feedback_hint, is_optional=True),
        ],
    }


def ask_view(text: str, token: str, phrases: Phrases) -> View:
    """A question about a message, which can be rewritten before it is asked."""
    element: dict[str, object] = {
        "type": "plain_text_input",
        "action_id": QUESTION,
        "multiline": True,
        "max_length": INPUT_CHARS,
    }
    if text.strip():
        element["initial_value"] = text.strip()[:INPUT_CHARS]
    words = phrases.modals
    return {
        **_form(Form.ASK, words.ask, token, phrases, submit=phrases.buttons.ask),
        "blocks": [_input(QUESTION, words.ask_question, element, hint=words.ask_hint)],
    }


def asked_view(phrases: Phrases) -> View:
    """What takes the place of a form whose question was taken in."""
    return _told_view(phrases.modals.ask, phrases.modals.asked, phrases)


def expired_view(phrases: Phrases) -> View:
    """What takes the place of a form that is too old or not this person's."""
    return _told_view("Footnote", phrases.modals.expired, phrases)


def _told_view(title: str, text: str, phrases: Phrases) -> View:
    return {
        "type": "modal",
        "title": plain(title),
        "close": plain(phrases.buttons.close),
        "blocks": [section(text)],
    }


def _form(form: Form, title: str, token: str, phrases: Phrases, submit: str = "") -> View:
    return {
        "type": "modal",
        "callback_id": form.value,
        "private_metadata": token,
        "title": plain(title),
        "submit": plain(submit or phrases.buttons.send),
        "close": plain(phrases.buttons.cancel),
    }


def _input(
    block_id: str, label: str, element: dict[str, object], *, hint: str = "", is_optional: bool = False
) -> Block:
    block: Block = {
        "type": "input",
        "block_id": block_id,
        "label": plain(label),
        "element": element,
        "optional": is_optional,
    }
    return {**block, "hint": plain(hint)} if hint else block
