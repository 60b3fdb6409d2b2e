"""What the message builders need to know of a finished question, read from its rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.conf import settings

import rag
from console.questions import wording
from console.questions.models import Answer, Citation, Question, QuestionState, Surface


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the answer and the numbers of the sources that carry it."""

    text: str
    numbers: tuple[int, ...]
    quoted_from: str = ""
    """Title of the document whose own words it is; empty where a model wrote it."""


@dataclass(frozen=True, slots=True)
class Source:
    """A numbered source: ``Travel policy › Hotels · page 4`` and the console page that shows it."""

    number: int
    place: str
    url: str = ""


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
    unreadable: str = ""
    reference: str = ""
    conflicts: tuple[str, ...] = ()
    """A line for each of the documents that do not agree: number, title and date."""
    premise: str = ""
    """What the question takes for granted and which source says otherwise, as one line; for builders to show."""
    is_small_talk: bool = False
    """Nothing was asked of the documents, so none of them is spoken of."""


def answer_view(question: Question) -> AnswerView:
    """The view of a question that has its answer."""
    answer = question.answer
    citations = {citation.number: citation for citation in answer.citations.all()}
    return AnswerView(
        outcome=QuestionState(answer.outcome),
        audience="you" if question.surface == Surface.SLACK_DM else "this channel",
        sentences=tuple(
            Sentence(
                sentence["text"], tuple(sentence["citations"]), _quoted_from(sentence, answer, citations)
            )
            for sentence in answer.sentences
        ),
        sources=tuple(_source(citation) for citation in citations.values()),
        conflicts=tuple(_conflicting(citations[number]) for number in answer.conflicting_numbers),
        premise=wording.premise_note(answer),
        reason=answer.reason,
        closest=_closest(answer),
        unreadable=wording.unreadable_sentence(answer.unreadable),
        reference=answer.error_reference,
        is_small_talk=answer.reason_code == rag.RefusalReason.ROUTED_NO_RETRIEVAL,
    )


def _quoted_from(sentence: dict[str, Any], answer: Answer, citations: dict[int, Citation]) -> str:
    return citations[sentence["citations"][0]].document_title if answer.is_quoted else ""


def _conflicting(citation: Citation) -> str:
    document = citation.document
    told = wording.dated(citation.document_title, document.uploaded_at if document else None)
    return f"[{citation.number}] {told}"


def _source(citation: Citation) -> Source:
    separator = " › " if citation.locator.get("heading_path") else " · "
    place = separator.join(part for part in (citation.document_title, citation.label) if part)
    if citation.document_id is None:
        return Source(citation.number, place)
    # `of` lets the page notice that the file was replaced since.
    passage = urlencode({"start": citation.start, "end": citation.end, "of": citation.document_sha256[:16]})
    return Source(
        citation.number, place, f"{settings.BASE_URL}/documents/{citation.document_id}?{passage}#cited"
    )


def _closest(answer: Answer) -> Closest | None:
    if not answer.nearest or answer.cut is None:
        return None
    nearest = answer.nearest[0]
    score = nearest.get(answer.gate_score)
    if score is None:
        return None
    is_relevance = answer.gate_score == "relevance"
    return Closest(nearest["title"], nearest["label"], score, answer.cut, is_relevance)
