"""API of questions and refusals."""

from __future__ import annotations

import time
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.http import HttpRequest
from ninja import Query, Router, Schema, Status
from pydantic import Field

import rag
from console.api_auth import person_of
from console.api_keys import Body
from console.api_pages import PageQuery, cut
from console.api_types import StrictId, Text
from console.questions import wording
from console.questions.models import Question, QuestionState, Surface
from console.questions.reading import ContradictedPremise, Reading, Source, read_question, read_questions
from console.questions.selectors import question_for, questions_visible_to, refusals_visible_to
from console.questions.services import ask_question
from console.questions.verification import CheckedAnswer, Claim

router = Router()
POLL_EVERY_S = 0.1


class QuestionIn(Body):
    """A question. `wait_s` holds the request open until there is an answer, at most that long."""

    text: Text = Field(max_length=20_000)
    folder_ids: list[StrictId] | None = Field(
        None, description="Only from these folders; null means all you may see."
    )
    wait_s: float = Field(0, strict=True, ge=0, le=30)


class SourceOut(Schema):
    """A cited or near passage. `url` opens the console there; null when you may not open it."""

    number: int
    document_id: int | None
    title: str
    label: str
    distance: float
    relevance: float | None
    quote: str
    url: str | None


class SentenceOut(Schema):
    """One sentence and the numbers of the citations that carry it.

    `is_withheld`: the caller may open none of its sources; `text` says that instead. `more` says, in our words, that
    the list it was quoted from goes on; `gap` is ``…`` where items of it before this one are left out.
    """

    text: str
    is_withheld: bool = False
    citations: list[int]
    more: str = ""
    gap: str = ""


class ContradictedPremiseOut(Schema):
    """What the question takes for granted, and the cited sentence that says otherwise."""

    premise: str
    says: str
    citation: int


class ConflictOut(Schema):
    """A cited document that does not agree with another one; `uploaded_at` is null once it is gone."""

    citation: int
    title: str
    uploaded_at: datetime | None


class GeneratorFaultOut(Schema):
    """Why the passages were quoted although a language model was to write; `next_step` is for support leads."""

    generator: str
    code: str
    message: str
    next_step: str = ""


class ClaimOut(Schema):
    """A claim of a sentence and what its citations say to it.

    `method`: `verbatim` stands there word for word, `model` was weighed by the support model, `mechanical` contradicts
    its citation (`faults` say how), `unchecked` could not be checked.
    """

    text: str
    method: str
    support: float = Field(description="0 to 1; the claim holds from the threshold on.")
    citations: list[int]
    faults: list[str]
    is_weakest: bool


class CheckedSentenceOut(Schema):
    """A sentence of the answer that the caller may see, and its claims."""

    text: str
    claims: list[ClaimOut]


class DroppedClaimOut(Schema):
    """A claim of a draft that nobody was told, and the sentence it stood in."""

    sentence: str
    claim: ClaimOut


class UnansweredPartOut(Schema):
    """A part of the question that is refused beside the answer, its best score by its own `gate_score`, and the cut."""

    question: str
    reason_code: str
    best: float | None
    cut: float
    gate_score: str


class VerificationOut(Schema):
    """What was checked of the answer. `dropped` is for support leads; `n_dropped` counts them for everybody."""

    threshold: float
    model: str
    sentences: list[CheckedSentenceOut]
    dropped: list[DroppedClaimOut]
    n_dropped: int


class QuestionOut(Schema):
    """A question with, once it is finished, its answer or the reason why there is none."""

    id: UUID
    text: str
    state: QuestionState
    surface: Surface
    received_at: datetime
    finished_at: datetime | None
    sentences: list[SentenceOut] = []
    citations: list[SourceOut] = []
    reason_code: str = ""
    reason: str = ""
    gate_score: str = ""
    best_relevance: float | None = None
    relevance_cut: float | None = None
    best_distance: float | None = None
    distance_cut: float | None = None
    conflicts: list[ConflictOut] = []
    contradicted: ContradictedPremiseOut | None = None
    unanswered: list[UnansweredPartOut] = []
    nearest: list[SourceOut] = []
    unreadable: str = ""
    degraded: list[rag.Degrade] = Field(
        default=[],
        description="Models that ran out of time or were away, so that it was decided without them.",
    )
    degraded_note: str = ""
    what_you_can_do: list[str] = []
    index_version: int | None = None
    model: str = ""
    generator: str = ""
    generator_fault: GeneratorFaultOut | None = None
    n_unresolved_markers: int = 0
    min_support: float | None = None
    verification: VerificationOut | None = None
    elapsed_ms: float | None = None
    error_reference: str = ""


class QuestionsOut(Schema):
    """A page of questions, newest first."""

    count: int
    items: list[QuestionOut]


class QuestionFilter(PageQuery):
    """Filters of the list of questions; `q` is part of the text."""

    state: QuestionState | None = None
    surface: Surface | None = None
    q: Text = ""


class RefusalFilter(PageQuery):
    """Filters of the list of refusals."""

    reason_code: rag.RefusalReason | None = None


def _source(source: Source) -> SourceOut:
    return SourceOut(
        number=source.number,
        document_id=source.document_id,
        title=source.title,
        label=source.label,
        distance=source.distance,
        relevance=source.relevance,
        quote=source.quote,
        url=f"{settings.BASE_URL}{source.url}" if source.url else None,
    )


def _claim(claim: Claim) -> ClaimOut:
    return ClaimOut(
        text=claim.text,
        method=claim.method,
        support=claim.support,
        citations=list(claim.numbers),
        faults=list(claim.faults),
        is_weakest=claim.is_weakest,
    )


def _verification(checked: CheckedAnswer) -> VerificationOut:
    return VerificationOut(
        threshold=checked.threshold,
        model=checked.model,
        sentences=[
            CheckedSentenceOut(text=each.text, claims=[_claim(claim) for claim in each.claims])
            for each in checked.sentences
        ],
        dropped=[
            DroppedClaimOut(sentence=each.sentence, claim=_claim(each.claim)) for each in checked.dropped
        ],
        n_dropped=checked.n_dropped,
    )


def _contradicted(said: ContradictedPremise) -> ContradictedPremiseOut:
    return ContradictedPremiseOut(premise=said.premise, says=said.says, citation=said.source.number)


def _fault(reading: Reading) -> GeneratorFaultOut | None:
    answer = reading.answer
    if answer is None or not answer.generator_fault:
        return None
    told = GeneratorFaultOut(code=answer.generator_fault, **answer.generator_fault_detail)
    return told if reading.is_for_support else told.model_copy(update={"next_step": ""})


def question_out(reading: Reading) -> QuestionOut:
    """The question as the API shows it."""
    question, answer = reading.question, reading.answer
    shown = QuestionOut(
        id=question.pk,
        text=question.text,
        state=QuestionState(question.state),
        surface=Surface(question.surface),
        received_at=question.received_at,
        finished_at=question.finished_at,
    )
    if answer is None:
        return shown
    return shown.model_copy(
        update={
            "sentences": [
                SentenceOut(
                    text=sentence.text,
                    is_withheld=sentence.is_withheld,
                    citations=[source.number for source in sentence.sources],
                    more=sentence.more,
                    gap=sentence.gap,
                )
                for sentence in reading.sentences
            ],
            "citations": [_source(source) for source in reading.sources],
            "reason_code": answer.reason_code,
            "reason": answer.reason,
            "gate_score": answer.gate_score if answer.cut is not None else "",
            "best_relevance": answer.best_relevance,
            "relevance_cut": answer.relevance_cut,
            "best_distance": answer.best_distance,
            "distance_cut": answer.distance_cut,
            "conflicts": [
                ConflictOut(citation=each.number, title=each.title, uploaded_at=each.uploaded_at)
                for each in reading.conflicts
            ],
            "contradicted": _contradicted(reading.contradicted) if reading.contradicted else None,
            "unanswered": [
                UnansweredPartOut(**{**part, "gate_score": wording.gate_score_of(part, answer)})
                for part in answer.unanswered
            ],
            "nearest": [_source(source) for source in reading.nearest],
            "unreadable": reading.unreadable,
            "degraded": list(answer.degrades),
            "degraded_note": reading.degraded,
            "what_you_can_do": reading.steps,
            "index_version": answer.index_version_id,
            "model": answer.model_name,
            "generator": answer.generator,
            "generator_fault": _fault(reading),
            "n_unresolved_markers": answer.n_unresolved_markers,
            "min_support": answer.min_support,
            "verification": _verification(reading.checked) if reading.checked else None,
            "elapsed_ms": answer.elapsed_ms,
            "error_reference": answer.error_reference,
        }
    )


@router.post("/questions", response={201: QuestionOut, 202: QuestionOut}, tags=["questions"])
def ask(request: HttpRequest, body: QuestionIn) -> Status[QuestionOut]:
    """Ask. 201 with the finished answer or refusal, or 202 while it is pending: then read it by its id."""
    user = person_of(request)
    question = ask_question(actor=user, text=body.text, surface=Surface.API, folder_ids=body.folder_ids)
    finished = _wait(question, body.wait_s)
    shown = question_out(read_question(question_for(user, str(question.pk)), reader=user))
    return Status(201 if finished else 202, shown)


def _wait(question: Question, wait_s: float) -> bool:
    """True once the question is finished."""
    deadline = time.monotonic() + wait_s
    while question.is_pending and time.monotonic() < deadline:
        time.sleep(POLL_EVERY_S)
        question.refresh_from_db(fields=["state"])
    return not question.is_pending


@router.get("/questions", response=QuestionsOut, tags=["questions"])
def list_questions(request: HttpRequest, filters: Query[QuestionFilter]) -> QuestionsOut:
    """Your questions; support leads and admins see everybody's."""
    user = person_of(request)
    rows = questions_visible_to(user).prefetch_related("answer__citations")
    if filters.state is not None:
        rows = rows.filter(state=filters.state)
    if filters.surface is not None:
        rows = rows.filter(surface=filters.surface)
    if filters.q:
        rows = rows.filter(text__icontains=filters.q)
    count, items = cut(rows, filters)
    return QuestionsOut(count=count, items=[question_out(one) for one in read_questions(items, reader=user)])


@router.get("/questions/{question_id}", response=QuestionOut, tags=["questions"])
def one_question(request: HttpRequest, question_id: str) -> QuestionOut:
    """One question."""
    user = person_of(request)
    return question_out(read_question(question_for(user, question_id), reader=user))


@router.get("/refusals", response=QuestionsOut, tags=["refusals"])
def list_refusals(request: HttpRequest, filters: Query[RefusalFilter]) -> QuestionsOut:
    """Refused questions with the numbers that decided them."""
    user = person_of(request)
    rows = refusals_visible_to(user).prefetch_related("answer__citations")
    if filters.reason_code is not None:
        rows = rows.filter(answer__reason_code=filters.reason_code)
    count, items = cut(rows, filters)
    return QuestionsOut(count=count, items=[question_out(one) for one in read_questions(items, reader=user)])
