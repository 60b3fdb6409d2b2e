"""Block Kit, built from plain values: no Slack, no database.

Every text that came from a document or a person is escaped here, and every length is counted after
that, because Slack counts what it is sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from django.conf import settings

from bot import blocks as kit
from bot.answers import AnswerView, Closest, Sentence, Source
from bot.blocks import SECTION_CHARS, Action, Block, context, section
from bot.phrases import ENGLISH, Phrases
from bot.splitting import split_mrkdwn
from bot.text import escape
from console.questions.models import QuestionState

MESSAGE_CHARS = 7_500
"""Slack's own limit is near 12,000 for all text of a message; what is longer goes on in the thread."""
MESSAGE_BLOCKS = 50
NOTIFICATION_CHARS = 1_000
PLACE_CHARS = 300
SPARE_BLOCKS = 4
"""Left free in each message for what is put around an answer: its question, who shared it, a note."""
_STEP = re.compile(r"\(?\d{1,3}[.)]\s")
QUESTION_CHARS = 300
"""Of a question that is shown above its answer; who asked knows the rest."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message: `text` is what notifications and screen readers get, the blocks what is seen."""

    text: str
    blocks: list[Block]

    @property
    def plain(self) -> str:
        """The blocks' text alone, for when Slack will not have the blocks."""
        return "\n".join(text for block in self.blocks if (text := _text_of(block)))


def messages_of(view: AnswerView) -> list[Message]:
    """The terminal message and, when it is long, what continues it in the thread."""
    if view.outcome == QuestionState.ANSWERED and not any(s.text.strip() for s in view.sentences):
        view = replace(view, outcome=QuestionState.BROKEN)  # an empty answer is our fault, and none
    blocks = [*_BUILDERS[view.outcome](view), *([context(escape(view.note))] if view.note else [])]
    parts = list(_packed(blocks))
    texts = [
        _notification(view, blocks[0]),
        *(view.phrases.part.format(number=number, total=len(parts)) for number in range(2, len(parts) + 1)),
    ]
    return [Message(text, blocks) for text, blocks in zip(texts, parts, strict=True)]


def answer_blocks(view: AnswerView) -> list[Block]:
    """The answer with its markers first, then one line a source, then what was searched and what to do with it."""
    phrases = view.phrases
    body = "\n".join(_told(group, phrases) for group in _by_document(view.sentences))
    is_yours = view.audience == "you"
    return [
        *_sections(body),
        *(_sections(_unanswered(view)) if view.unanswered else []),
        *(_sections(_disagreement(view)) if view.conflicts else []),
        *(_sections(escape(view.premise)) if view.premise else []),
        *(_sections_of_lines(_sources(view)) if view.sources else []),
        *_degraded(view),
        context(phrases.from_documents_yours if is_yours else phrases.from_documents_here),
        *_answer_buttons(view),
    ]


def _sources(view: AnswerView) -> str:
    return "\n".join([f"*{view.phrases.sources}*", *(_source_line(source) for source in view.sources)])


def _answer_buttons(view: AnswerView) -> list[Block]:
    if not view.question_id:
        return []
    labels = view.phrases.buttons
    buttons = [kit.button(Action.VIEW_SOURCES, labels.view_sources, view.question_id)] if view.sources else []
    if view.can_share:
        buttons.append(kit.button(Action.SHARE, labels.share, view.question_id))
    return [
        *([kit.actions(buttons)] if buttons else []),
        kit.feedback(labels.helpful, labels.not_helpful, view.question_id),
    ]


def refusal_blocks(view: AnswerView) -> list[Block]:
    """That it cannot be answered, why, what was closest, what could not be read and what the asker can do."""
    if view.is_small_talk and view.reason.strip():
        return _sections(escape(view.reason))
    return [
        *_sections("\n".join(part for part in (_headline(view), _reasons(view), _also_near(view)) if part)),
        *_degraded(view),
        *_premise(view),
        *([context(escape(view.next_step))] if view.next_step else []),
        *_refusal_buttons(view),
    ]


def _degraded(view: AnswerView) -> list[Block]:
    """That a model ran out of time or was away: the same question can end otherwise."""
    return _sections(f"_{escape(view.degraded)}_") if view.degraded else []


def _premise(view: AnswerView) -> list[Block]:
    """What the question takes for granted and a document says otherwise, with its source."""
    if not view.premise:
        return []
    return [*_sections(escape(view.premise)), *(_sections_of_lines(_sources(view)) if view.sources else [])]


def _refusal_buttons(view: AnswerView) -> list[Block]:
    if not view.question_id:
        return []
    labels = view.phrases.buttons
    buttons = []
    if view.closest is not None:
        buttons.append(kit.button(Action.SHOW_NEAREST, labels.show_nearest, view.question_id))
    if view.can_ask_a_human:
        buttons.append(kit.button(Action.ASK_A_HUMAN, labels.ask_a_human, view.question_id))
    return [kit.actions(buttons)] if buttons else []


def not_allowed_blocks(view: AnswerView) -> list[Block]:
    """That this audience may not see it; never which folders there are."""
    return _sections(escape(view.reason.strip() or view.phrases.not_allowed_chosen))


def broken_blocks(view: AnswerView) -> list[Block]:
    """That something failed on our side, with the reference that finds it in the log."""
    parts = [escape(view.reason.strip() or view.phrases.broken)]
    if view.reference:
        parts.append(view.phrases.reference.format(reference=escape(view.reference)))
    return _sections(" ".join(parts))


_BUILDERS = {
    QuestionState.ANSWERED: answer_blocks,
    QuestionState.REFUSED: refusal_blocks,
    QuestionState.NOT_ALLOWED: not_allowed_blocks,
    QuestionState.BROKEN: broken_blocks,
}


def asked_message(user_id: str, question: str, phrases: Phrases = ENGLISH) -> Message:
    """The message under which an answer goes whose question is no message; it shows what was asked."""
    shown = asked_text(user_id, _beginning(question, SECTION_CHARS - 100), phrases)
    return Message(shown, [section(shown)])


def asked_text(user_id: str, question: str, phrases: Phrases = ENGLISH) -> str:
    """``@ada asked: …``; the question is escaped already."""
    return phrases.replies.asked.format(who=f"<@{user_id}>", question=question)


def with_question(message: Message, question: str, phrases: Phrases) -> Message:
    """The message below the question it answers, for where the question does not stand above it."""
    told = phrases.replies.asked_privately.format(question=_beginning(question))
    return Message(message.text, [context(told), *message.blocks])


def shared_message(
    message: Message, *, asker_id: str, sharer_id: str, question: str, phrases: Phrases
) -> Message:
    """A private answer as everyone is shown it: who asked what, the answer, who shared it."""
    asked = asked_text(asker_id, _beginning(question), phrases)
    shared = phrases.replies.shared_by.format(who=f"<@{sharer_id}>")
    return Message(message.text, [section(asked), *message.blocks, context(shared)])


def _beginning(question: str, limit: int = QUESTION_CHARS) -> str:
    """The question escaped, cut where it would fill the message."""
    pieces = split_mrkdwn(escape(question), limit)
    return f"{''.join(pieces[:1])}{'…' if len(pieces) > 1 else ''}"


def not_taken_text(question_id: str, phrases: Phrases = ENGLISH) -> str:
    """What is left to say when Slack refuses an answer in every form: where it can be read."""
    url = escape(f"{settings.BASE_URL}/questions/{question_id}")
    return f"{phrases.not_taken} <{url}|{phrases.not_taken_link}>."


def stopped_message(phrases: Phrases = ENGLISH) -> Message:
    """What ends a question whose asker pressed Stop."""
    return Message(phrases.stopped, [section(escape(phrases.stopped))])


def with_note(message: Message, note: str) -> Message:
    """The message with a closing line of ours."""
    return Message(message.text, [*message.blocks, context(note)])


def _headline(view: AnswerView) -> str:
    return view.phrases.cannot_yours if view.audience == "you" else view.phrases.cannot_here


def _reasons(view: AnswerView) -> str:
    reason = escape(view.reason)
    if view.closest is not None:
        reason = f"{reason.removesuffix('.')} ({_closest(view.closest, view.phrases)})."
    return " ".join(part for part in (reason, escape(view.unreadable)) if part)


def _closest(closest: Closest, phrases: Phrases) -> str:
    """``closest: *Travel policy › Flights*, 0.58; limit 0.52``; without numbers when the cut was not the reason."""
    parts = (escape(_one_line(part)) for part in (closest.title, closest.label))
    place = f"*{' › '.join(part for part in parts if part)}*"
    passed = closest.score >= closest.cut if closest.is_relevance else closest.score <= closest.cut
    if passed:
        return phrases.closest.format(place=place)
    form = phrases.closest_relevance if closest.is_relevance else phrases.closest_distance
    return form.format(place=place, score=phrases.number(closest.score), cut=phrases.number(closest.cut))


def _also_near(view: AnswerView) -> str:
    places = [f"*{escape(_one_line(place))}*" for place in view.also_near]
    return view.phrases.also_near.format(places=view.phrases.listed(places)) if places else ""


def _by_document(sentences: Sequence[Sentence]) -> list[list[Sentence]]:
    """Neighbouring sentences of one document together."""
    return [list(group) for _, group in groupby(sentences, key=lambda sentence: sentence.quoted_from)]


def _told(group: list[Sentence], phrases: Phrases) -> str:
    """The sentences, after the name of the document whose words they are."""
    told = [_sentence(sentence, phrases) for sentence in group]
    words = "".join(f"{_before(sentence)}{each}" for sentence, each in zip(group, told, strict=True)).lstrip(
        " "
    )
    title = _one_line(group[0].quoted_from)
    return f"{phrases.according_to.format(title=f'*{escape(title)}*')} {words}" if title else words


def _unanswered(view: AnswerView) -> str:
    return "\n".join(escape(_one_line(line)) for line in view.unanswered)


def _before(sentence: Sentence) -> str:
    """A step of a numbered list begins a line."""
    return "\n" if _STEP.match(sentence.text) else " "


def _disagreement(view: AnswerView) -> str:
    lines = "; ".join(escape(_one_line(line)) for line in view.conflicts)
    return f"*{view.phrases.disagree}* {lines}"


def _sentence(sentence: Sentence, phrases: Phrases) -> str:
    """``… Open the flap. [1] (The list has 3 more items; see the source.)``; first and last are ours, no quote."""
    more = phrases.list_rest.get(sentence.list_rest, "")
    if not more and sentence.n_more:
        more = phrases.more_items.of(sentence.n_more)
    words = [sentence.gap, escape(sentence.text), *(f"[{number}]" for number in sentence.numbers)]
    return " ".join(word for word in (*words, f"_{escape(more)}_" if more else "") if word)


def _source_line(source: Source) -> str:
    place = escape(_one_line(source.place))
    linked = f"<{escape(source.url)}|{place}>" if source.url else place
    return f"[{source.number}] {linked}{f' · {source.age}' if source.age else ''}"


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= PLACE_CHARS else f"{line[: PLACE_CHARS - 1]}…"


def _notification(view: AnswerView, first_block: Block) -> str:
    """``The nightly limit is 180 EUR. · 2 sources``; what is no answer is told as it is."""
    if view.outcome != QuestionState.ANSWERED:
        return _cut(_text_of(first_block))
    first = next(sentence.text for sentence in view.sentences if sentence.text.strip())
    return f"{_cut(escape(first))} · {view.phrases.n_sources.of(len(view.sources))}"


def _cut(text: str) -> str:
    pieces = split_mrkdwn(text, NOTIFICATION_CHARS)
    return f"{pieces[0]}…" if len(pieces) > 1 else "".join(pieces)


def _sections(text: str) -> list[Block]:
    return [section(piece) for piece in split_mrkdwn(text, SECTION_CHARS)]


def _sections_of_lines(text: str) -> list[Block]:
    """Cut between lines only, so that no link is torn."""
    return [section(piece) for piece in kit.packed_lines(text.split("\n"))]


def _packed(blocks: list[Block]) -> Iterator[list[Block]]:
    """The blocks of each message, in order."""
    message: list[Block] = []
    n_chars = 0
    for block in blocks:
        length = len(_text_of(block))
        if message and (len(message) == MESSAGE_BLOCKS - SPARE_BLOCKS or n_chars + length > MESSAGE_CHARS):
            yield message
            message, n_chars = [], 0
        message.append(block)
        n_chars += length + 1
    yield message


def _text_of(block: Block) -> str:
    match block:
        case {"text": {"text": str(text)}} | {"elements": [{"type": "mrkdwn", "text": str(text)}]}:
            return text
    return ""
