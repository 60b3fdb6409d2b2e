"""Reads of questions and refusals, already limited to what the reader may see."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from console.people.models import User
from console.questions.models import PENDING_STATES, Answer, Question, QuestionState

FAULTS_FOR = timedelta(hours=24)
DECIDED_BY_DISTANCE = "the distance decided instead, by its own cut."


def questions_visible_to(user: User) -> QuerySet[Question]:
    """Support leads and admins see every question, others their own and those they were asked about; newest first."""
    questions = Question.objects.select_related("answer", "answer__index_version", "asker")
    # The key breaks ties: without it a row may stand on two pages of a list and another on none.
    questions = questions.order_by("-received_at", "-pk")
    if user.is_support_lead:
        return questions
    if not user.is_active:
        return questions.none()
    return questions.filter(Q(asker=user) | Q(pk__in=user.help_requests.values("question")))


def question_for(user: User, question_id: str) -> Question:
    """The question, if the person may see it.

    Raises:
        Question.DoesNotExist: it does not exist, or is not theirs to see.
        django.core.exceptions.ValidationError: the id is no UUID.
    """
    return questions_visible_to(user).get(pk=question_id)


def refusals_visible_to(user: User) -> QuerySet[Question]:
    """Refused questions the person may see, newest first."""
    return questions_visible_to(user).filter(state=QuestionState.REFUSED)


def outcome_counts(user: User) -> dict[str, int]:
    """How many visible questions stand in each outcome, and how many are pending."""
    counts: dict[str, int] = (
        questions_visible_to(user)
        .order_by()
        .aggregate(
            answered=Count("pk", filter=Q(state=QuestionState.ANSWERED)),
            refused=Count("pk", filter=Q(state=QuestionState.REFUSED)),
            not_allowed=Count("pk", filter=Q(state=QuestionState.NOT_ALLOWED)),
            broken=Count("pk", filter=Q(state=QuestionState.BROKEN)),
            pending=Count("pk", filter=Q(state__in=PENDING_STATES)),
        )
    )
    return counts


@dataclass(frozen=True, slots=True)
class ModelFaults:
    """How often in the last 24 hours questions were answered or refused without a model that failed.

    `by_code` counts each code of `rag.errors`. `last` is the newest question that came to the model if it failed there;
    None says that the model works again, or that nothing came to it.
    """

    by_code: dict[str, int]
    last: Answer | None

    @property
    def n(self) -> int:
        """All of them."""
        return sum(self.by_code.values())


@dataclass(frozen=True, slots=True)
class GeneratorFaults(ModelFaults):
    """How often quoting took the place of the language model, of how many drafts."""

    n_drafted: int

    @property
    def problem(self) -> str:
        """What failed, how often and what to do; empty where the newest draft is the language model's."""
        if self.last is None:
            return ""
        detail = self.last.generator_fault_detail
        return (
            f"The language model {detail['generator']} did not write {self.n} of the {self.n_drafted} answers of the "
            f"last 24 hours; passages were quoted instead. {detail['message']} {detail['next_step']}"
        ).strip()


@dataclass(frozen=True, slots=True)
class RerankerFaults(ModelFaults):
    """How often the distance decided because the reranker failed; running out of time is no fault."""

    @property
    def problem(self) -> str:
        """What failed, how often and what to do; empty where the newest question was read by the reranker."""
        if self.last is None:
            return ""
        detail = self.last.reranker_fault_detail
        questions = "question" if self.n == 1 else "questions"
        return (
            f"The reranker {detail.get('reranker', '')} did not read for {self.n} {questions} of the last 24 hours; "
            f"{DECIDED_BY_DISTANCE} {detail.get('message', '')} {detail.get('next_step', '')}"
        ).strip()


def reranker_faults() -> RerankerFaults:
    """The faults of the reranker as they stand now."""
    read = _lately().exclude(reranker="", reranker_fault="")
    return RerankerFaults(_by_code(read, "reranker_fault"), _newest_if_failed(read, "reranker_fault"))


def generator_faults() -> GeneratorFaults:
    """The faults of the language model as they stand now."""
    drafts = _lately().exclude(generator="")
    return GeneratorFaults(
        _by_code(drafts, "generator_fault"),
        _newest_if_failed(drafts, "generator_fault"),
        n_drafted=drafts.count(),
    )


def _lately() -> QuerySet[Answer]:
    return Answer.objects.filter(created_at__gte=timezone.now() - FAULTS_FOR)


def _by_code(answers: QuerySet[Answer], field: str) -> dict[str, int]:
    failed = answers.exclude(**{field: ""}).order_by()
    return dict(failed.values(field).annotate(n=Count("pk")).values_list(field, "n"))


def _newest_if_failed(answers: QuerySet[Answer], field: str) -> Answer | None:
    newest = answers.order_by("-created_at", "-pk").first()
    return newest if newest is not None and getattr(newest, field) else None
