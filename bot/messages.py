"""Block Kit, built from plain values: no Slack, no database.

Every text that came from a document or a person is escaped here, and every length is counted after
that, because Slack counts what it is sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TypeAlias

from django.conf import settings

from bot.answers import AnswerView, Closest, Sentence, Source
from bot.splitting import split_mrkdwn
from bot.text import escape
from console.questions import wording
from console.questions.models import QuestionState

Block: TypeAlias = dict[str, object]

SECTION_CHARS = 3_000
MESSAGE_CHARS = 7_500
"""Slack's own limit is near 12,000 for all text of a message; what is longer goes on in the thread."""
MESSAGE_BLOCKS = 50
NOTIFICATION_CHARS = 1_000
PLACE_CHARS = 300


@dataclass(frozen=True, slots=True)
class Message:
    """One message: `text` is what notifications and screen readers get, the blocks what is seen."""

    text: str
    blocks: list[Block]

    @property
    def plain(self) -> str:
        """The blocks' text alone, for when Slack will not have the blocks."""
        return "\n".join(_text_of(block) for block in self.blocks)


def messages_of(view: AnswerView) -> list[Message]:
    """The terminal message and, when it is long, what continues it in the thread."""
    if view.outcome == QuestionState.ANSWERED and not any(s.text.strip() for s in view.sentences):
        view = replace(view, outcome=QuestionState.BROKEN)  # an empty answer is our fault, and none
    blocks = _BUILDERS[view.outcome](view)
    parts = list(_packed(blocks))
    texts = [
        _notification(view, blocks[0]),
        *(f"Part {number} of {len(parts)}" for number in range(2, len(parts) + 1)),
    ]
    return [Message(text, blocks) for text, blocks in zip(texts, parts, strict=True)]


def answer_blocks(view: AnswerView) -> list[Block]:
    """The answer with its markers first, then one line a source, then what was searched."""
    body = "\n".join(_told(group) for group in _by_document(view.sentences))
    sources = "\n".join(["*Sources*", *(_source_line(source) for source in view.sources)])
    return [
        *_sections(body),
        *(_sections(_disagreement(view.conflicts)) if view.conflicts else []),
        *(_sections_of_lines(sources) if view.sources else []),
        _context(f"From the documents {view.audience} can see."),
    ]


def refusal_blocks(view: AnswerView) -> list[Block]:
    """That it cannot be answered, why, what was closest and what could not be read."""
    if view.is_small_talk and view.reason.strip():
        return _sections(escape(view.reason))
    return _sections("\n".join([_headline(view), _reasons(view)]))


def not_allowed_blocks(view: AnswerView) -> list[Block]:
    """That this audience may not see it; never which folders there are."""
    return _sections(escape(view.reason.strip() or wording.NOT_ALLOWED_CHOSEN))


def broken_blocks(view: AnswerView) -> list[Block]:
    """That something failed on our side, with the reference that finds it in the log."""
    reference = f" Reference {escape(view.reference)}." if view.reference else ""
    return _sections(f"{escape(view.reason.strip() or wording.BROKEN)}{reference}")


_BUILDERS = {
    QuestionState.ANSWERED: answer_blocks,
    QuestionState.REFUSED: refusal_blocks,
    QuestionState.NOT_ALLOWED: not_allowed_blocks,
    QuestionState.BROKEN: broken_blocks,
}


def asked_message(user_id: str, question: str) -> Message:
    """The message under which a slash command's answer goes; it shows what was asked."""
    pieces = split_mrkdwn(escape(question), SECTION_CHARS - 100)
    shown = asked_text(user_id, f"{''.join(pieces[:1])}{'…' if len(pieces) > 1 else ''}")
    return Message(shown, [_section(shown)])


def asked_text(user_id: str, question: str) -> str:
    """``@ada asked: …``; the question is escaped already."""
    return f"<@{user_id}> asked: {question}"


def not_taken_text(question_id: str) -> str:
    """What is left to say when Slack refuses an answer in every form: where it can be read."""
    url = escape(f"{settings.BASE_URL}/questions/{question_id}")
    return f"I have an answer, but Slack did not take it: <{url}|read it in the console>."


def stopped_message() -> Message:
    """What ends a question whose asker pressed Stop."""
    return Message(wording.STOPPED, [_section(escape(wording.STOPPED))])


def with_note(message: Message, note: str) -> Message:
    """The message with a closing line of ours."""
    return Message(message.text, [*message.blocks[: MESSAGE_BLOCKS - 1], _context(note)])


def _headline(view: AnswerView) -> str:
    return f"I can't answer that from the documents {view.audience} can see."


def _reasons(view: AnswerView) -> str:
    reason = escape(view.reason)
    if view.closest is not None:
        reason = f"{reason.removesuffix('.')} ({_closest(view.closest)})."
    return " ".join(part for part in (reason, escape(view.unreadable)) if part)


def _closest(closest: Closest) -> str:
    title, label = escape(_one_line(closest.title)), escape(_one_line(closest.label))
    sentence = wording.closest(
        title, label, score=closest.score, cut=closest.cut, is_relevance=closest.is_relevance
    )
    place = f"{title} › {label}" if label else title
    return sentence.replace(f": {place}", f": *{place}*", 1)


def _by_document(sentences: Sequence[Sentence]) -> list[list[Sentence]]:
    """Neighbouring sentences of one document together."""
    return [list(group) for _, group in groupby(sentences, key=lambda sentence: sentence.quoted_from)]


def _told(group: list[Sentence]) -> str:
    """The sentences, after the name of the document whose words they are."""
    words = " ".join(_sentence(sentence) for sentence in group)
    title = _one_line(group[0].quoted_from)
    return f"{wording.according_to(f'*{escape(title)}*')} {words}" if title else words


def _disagreement(conflicts: Sequence[str]) -> str:
    return " ".join([f"*{wording.DISAGREE}*", "; ".join(escape(_one_line(line)) for line in conflicts)])


def _sentence(sentence: Sentence) -> str:
    return escape(sentence.text) + "".join(f" [{number}]" for number in sentence.numbers)


def _source_line(source: Source) -> str:
    place = escape(_one_line(source.place))
    return f"[{source.number}] <{escape(source.url)}|{place}>" if source.url else f"[{source.number}] {place}"


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= PLACE_CHARS else f"{line[: PLACE_CHARS - 1]}…"


def _notification(view: AnswerView, first_block: Block) -> str:
    """``The nightly limit is 180 EUR. · 2 sources``; what is no answer is told as it is."""
    if view.outcome != QuestionState.ANSWERED:
        return _cut(_text_of(first_block))
    count = len(view.sources)
    return f"{_cut(escape(view.sentences[0].text))} · {count} {'source' if count == 1 else 'sources'}"


def _cut(text: str) -> str:
    pieces = split_mrkdwn(text, NOTIFICATION_CHARS)
    return f"{pieces[0]}…" if len(pieces) > 1 else text


def _sections(text: str) -> list[Block]:
    return [_section(piece) for piece in split_mrkdwn(text, SECTION_CHARS)]


def _sections_of_lines(text: str) -> list[Block]:
    """Cut between lines only, so that no link is torn."""
    pieces: list[str] = []
    for line in text.split("\n"):
        if pieces and len(pieces[-1]) + 1 + len(line) <= SECTION_CHARS:
            pieces[-1] += f"\n{line}"
        else:
            pieces.append(line)
    return [_section(piece) for piece in pieces]


def _packed(blocks: list[Block]) -> Iterator[list[Block]]:
    """The blocks of each message, in order."""
    message: list[Block] = []
    n_chars = 0
    for block in blocks:
        length = len(_text_of(block))
        if message and (len(message) == MESSAGE_BLOCKS or n_chars + length > MESSAGE_CHARS):
            yield message
            message, n_chars = [], 0
        message.append(block)
        n_chars += length + 1
    yield message


def _section(text: str) -> Block:
    # `verbatim` keeps Slack from making links of what a document merely spells out.
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


def _context(text: str) -> Block:
    return {"type": "context", "elements": [{"type": "mrkdwn", "text": text, "verbatim": True}]}


def _text_of(block: Block) -> str:
    match block:
        case {"text": {"text": str(text)}} | {"elements": [{"text": str(text)}]}:
            return text
    return ""
