"""How the queues and the index stand, read from the database."""

from __future__ import annotations

from dataclasses import dataclass, field

from django.db.models import Min
from django.utils import timezone

from console import engine
from console.index.selectors import active_version
from console.questions.models import PENDING_STATES, Question
from console.questions.selectors import DECIDED_BY_DISTANCE, generator_faults, reranker_faults
from console.sources.models import UNREADABLE_STATES, WORKING_STATES, Document
from console.sources.stalled import START_A_WORKER, queue_without_worker, stalled_for_want_of_a_worker

QUESTION_LATE_S = 60.0
"""A question still pending after this has most likely no worker."""


@dataclass(frozen=True, slots=True)
class Health:
    """Counts and ages; `problems` holds a sentence for each thing that needs a person."""

    n_documents_waiting: int
    oldest_document_waiting_s: float | None
    n_questions_pending: int
    oldest_question_pending_s: float | None
    n_documents_failed: int
    index_version: int | None
    model: str
    n_generator_faults: int
    """Answers of the last 24 hours that were quoted because the language model could not write them."""
    generator_faults: dict[str, int] = field(default_factory=dict)
    """The same by the code of the error."""
    n_reranker_faults: int = 0
    """Questions of the last 24 hours that were decided without the reranker because it failed."""
    reranker_faults: dict[str, int] = field(default_factory=dict)
    """The same by the code of the error."""
    problems: list[str] = field(default_factory=list)


def health() -> Health:
    """The state now."""
    now = timezone.now()
    waiting = Document.objects.filter(deleted_at=None, state__in=WORKING_STATES)
    oldest_document = waiting.aggregate(at=Min("state_changed_at"))["at"]
    pending = Question.objects.filter(state__in=PENDING_STATES)
    oldest_question = pending.aggregate(at=Min("received_at"))["at"]
    version = active_version()
    document_s = (now - oldest_document).total_seconds() if oldest_document else None
    question_s = (now - oldest_question).total_seconds() if oldest_question else None
    faults, unread = generator_faults(), reranker_faults()
    problems = [*document_problems(), *model_problems()]
    if question_s is not None and question_s > QUESTION_LATE_S:
        problems.append("A question has been pending for long; is a worker running?")
    if version is None:
        problems.append("There is no active index version yet.")
    return Health(
        n_documents_waiting=waiting.count(),
        oldest_document_waiting_s=document_s,
        n_questions_pending=pending.count(),
        oldest_question_pending_s=question_s,
        n_documents_failed=Document.objects.filter(deleted_at=None, state__in=UNREADABLE_STATES).count(),
        index_version=version.pk if version else None,
        model=version.model_name if version else "",
        n_generator_faults=faults.n,
        generator_faults=faults.by_code,
        n_reranker_faults=unread.n,
        reranker_faults=unread.by_code,
        problems=problems,
    )


def model_problems() -> list[str]:
    """A sentence for each model that does not do its part, with what decided instead and what to do."""
    found = [generator_faults().problem, reranker_faults().problem or _not_loaded()]
    return [problem for problem in found if problem]


def _not_loaded() -> str:
    """Why this process has no reranker, also before the first question; empty where it has, or never tried."""
    error = engine.reranker_fault()
    if error is None:
        return ""
    return f"The reranker is not there; {DECIDED_BY_DISTANCE} {error.message} {error.next_step}".strip()


def document_problems() -> list[str]:
    """A sentence for each thing that keeps documents from being read, with what to do."""
    problems = []
    if stuck := queue_without_worker(timezone.now()):
        problems.append(stuck)
    if n_stalled := stalled_for_want_of_a_worker().count():
        documents = "document" if n_stalled == 1 else "documents"
        problems.append(f"{n_stalled} {documents} stalled because no worker came. {START_A_WORKER}")
    return problems
