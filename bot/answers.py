"""What the message builders need to know of a finished question, read from its rows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.utils import timezone

import rag
from bot.phrases import ENGLISH, Phrases, retold, retold_label
from console.channels.threads import is_taken_by_itself
from console.questions import wording
from console.questions.models import Answer, Citation, Question, QuestionState, Surface

N_ALSO_NEAR = 2


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the answer and the numbers of the sources that carry it."""

    text: str
    numbers: tuple[int, ...]
    quoted_from: str = ""
    """Title of the document whose own words it is; empty where a model wrote it."""
    n_more: int = 0
    """Items of the quoted list that are left out."""
    list_rest: rag.ListRest = rag.ListRest.NONE
    """Told instead where they could not be counted."""
    gap: str = ""
    """``…`` where items before it are left out."""


@dataclass(frozen=True, slots=True)
class Source:
    """A numbered source: ``Travel policy › Hotels · page 4``, the console page that shows it, and its age."""

    number: int
    place: str
    url: str = ""
    age: str = ""


@dataclass(frozen=True, slots=True)
class Closest:
    """The nearest passage of a refusal: a relevance, 0 to 1, larger is closer, or a cosine distance, 0 to 2."""

    title: str
    label: str
    score: float
    cut: float
    is_relevance: bool = False


@dataclass(frozen=True, slots=True)
class AnswerView:
    """How a question ended, as its asker is told it."""

    outcome: QuestionState
    audience: str
    """Who sees the documents that were searched: ``this channel`` or ``you``."""
    sentences: tuple[Sentence, ...] = ()
    sources: tuple[Source, ...] = ()
    reason: str = ""
    closest: Closest | None = None
    also_near: tuple[str, ...] = ()
    """The places of the next nearest passages."""
    unreadable: str = ""
    degraded: str = ""
    """What it was decided without, and to ask again; empty where nothing was missing."""
    next_step: str = ""
    reference: str = ""
    conflicts: tuple[str, ...] = ()
    """A line for each of the documents that do not agree: number, title and date."""
    unanswered: tuple[str, ...] = ()
    """A line for each part of the question that is refused beside the answer."""
    premise: str = ""
    """What the question takes for granted and which source says otherwise, as one line; for builders to show."""
    is_small_talk: bool = False
    """Nothing was asked of the documents, so none of them is spoken of."""
    note: str = ""
    """What the asker has to know of how the question was taken."""
    question_id: str = ""
    """What the buttons carry; without it there are none."""
    can_share: bool = False
    can_ask_a_human: bool = False
    phrases: Phrases = ENGLISH


def answer_view(question: Question, phrases: Phrases = ENGLISH, *, is_shared: bool = False) -> AnswerView:
    """The view of a question that has its answer, in the language of `phrases`.

    `is_shared`: a private answer as everyone in the channel is shown it.
    """
    answer = question.answer
    citations = {citation.number: citation for citation in answer.citations.all()}
    is_for_asker = question.surface == Surface.SLACK_DM or (question.is_private and not is_shared)
    is_small_talk = answer.reason_code == rag.RefusalReason.ROUTED_NO_RETRIEVAL
    return AnswerView(
        outcome=QuestionState(answer.outcome),
        audience="you" if is_for_asker else "this channel",
        sentences=tuple(
            Sentence(
                sentence["text"],
                tuple(sentence["citations"]),
                _quoted_from(sentence, answer, citations),
                int(sentence.get("n_more", 0)),
                rag.ListRest(sentence.get("list_rest", "")),
                wording.gap_before(sentence),
            )
            for sentence in answer.sentences
        ),
        sources=tuple(_source(citation, phrases) for citation in citations.values()),
        conflicts=tuple(_conflicting(citations[number], phrases) for number in answer.conflicting_numbers),
        unanswered=tuple(_unanswered(part, phrases) for part in answer.unanswered),
        premise=wording.premise_note(answer, phrases.assumes),
        reason=retold(answer.reason, phrases),
        closest=_closest(answer, phrases),
        also_near=_also_near(answer, phrases),
        unreadable=phrases.unreadable_sentence(answer.unreadable),
        degraded=_degraded(answer, phrases),
        next_step=_next_step(answer, phrases),
        reference=answer.error_reference,
        is_small_talk=is_small_talk,
        note="" if is_small_talk else _note(question, phrases),
        question_id=str(question.pk),
        # In a conversation of two there is nobody to share it with.
        can_share=question.is_private and is_for_asker and not question.slack_channel_id.startswith("D"),
        can_ask_a_human=not is_small_talk and bool(answer.folder_ids),
        phrases=phrases,
    )


def _note(question: Question, phrases: Phrases) -> str:
    was_searched = question.answer.outcome in {QuestionState.ANSWERED, QuestionState.REFUSED}
    return phrases.thread_not_read if was_searched and is_taken_by_itself(question) else ""


def _quoted_from(sentence: dict[str, Any], answer: Answer, citations: dict[int, Citation]) -> str:
    return citations[sentence["citations"][0]].document_title if answer.is_quoted else ""


def _unanswered(part: dict[str, Any], phrases: Phrases) -> str:
    """Without numbers: the console's page has them."""
    reason = phrases.refusals[rag.RefusalReason(part["reason_code"])]
    return phrases.not_answered.format(question=part["question"], reason=reason)


def _conflicting(citation: Citation, phrases: Phrases) -> str:
    document, title = citation.document, citation.document_title
    if document is None:
        return f"[{citation.number}] {title}"
    told = phrases.dated.format(title=title, date=phrases.on(document.uploaded_at))
    return f"[{citation.number}] {told}"


def _source(citation: Citation, phrases: Phrases) -> Source:
    age = phrases.ages.of(days_since(citation.document.uploaded_at)) if citation.document else ""
    return Source(citation.number, place_of(citation, phrases), url_of(citation), age)


def days_since(moment: datetime) -> int:
    """Whole days; 0 for what lies ahead of this machine's clock."""
    return max(0, (timezone.now() - moment).days)


def place_of(citation: Citation, phrases: Phrases) -> str:
    """``Travel policy › Hotels · page 4``; ``Expense rules.xlsx · Limits!A3:C9``."""
    separator = " › " if citation.locator.get("heading_path") else " · "
    label = retold_label(citation.label, phrases)
    return separator.join(part for part in (citation.document_title, label) if part)


def url_of(citation: Citation) -> str:
    """The console page opened at the quote; empty when the document is gone."""
    if citation.document_id is None:
        return ""
    # `of` lets the page notice that the file was replaced since.
    passage = urlencode({"start": citation.start, "end": citation.end, "of": citation.document_sha256[:16]})
    return f"{settings.BASE_URL}/documents/{citation.document_id}?{passage}#cited"


def _closest(answer: Answer, phrases: Phrases) -> Closest | None:
    if not answer.nearest or answer.cut is None:
        return None
    nearest = answer.nearest[0]
    score = nearest.get(answer.gate_score)
    if score is None:
        return None
    is_relevance = answer.gate_score == "relevance"
    label = retold_label(nearest["label"], phrases)
    return Closest(nearest["title"], label, score, answer.cut, is_relevance)


def _also_near(answer: Answer, phrases: Phrases) -> tuple[str, ...]:
    """The next places after the closest one, each once."""
    places = [near_place(near, phrases) for near in answer.nearest]
    return tuple(dict.fromkeys(place for place in places[1:] if place != places[0]))[:N_ALSO_NEAR]


def near_place(near: dict[str, Any], phrases: Phrases) -> str:
    """``Travel policy › Flights`` of a stored nearest passage."""
    label = retold_label(str(near.get("label") or ""), phrases)
    return " › ".join(part for part in (str(near.get("title") or ""), label) if part)


def _degraded(answer: Answer, phrases: Phrases) -> str:
    told = [phrases.degraded[each] for each in answer.degrades]
    return " ".join([*told, *([phrases.again_in_a_moment] if answer.may_end_otherwise else [])])


def _next_step(answer: Answer, phrases: Phrases) -> str:
    if answer.outcome != QuestionState.REFUSED or answer.reason_code not in list(rag.RefusalReason):
        return ""
    return phrases.next_steps[rag.RefusalReason(answer.reason_code)]
