"""Reads of questions and refusals, already limited to what the reader may see."""

from __future__ import annotations

from django.db.models import Count, Q, QuerySet

from console.people.models import User
from console.questions.models import PENDING_STATES, Question, QuestionState


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
