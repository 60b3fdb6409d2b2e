"""What readers made of answers."""

from __future__ import annotations

from django.db.models import QuerySet
from django.utils import timezone

from console.access import Rejected, require_support_lead
from console.people.models import User
from console.questions.models import Feedback, FeedbackReason, Question, QuestionState, Verdict

COMMENT_CHARS = 2_000


def give_feedback(
    *, question: Question, verdict: Verdict, slack_user_id: str, person: User | None
) -> Feedback:
    """Store a person's verdict on an answer; it replaces that person's earlier one, with its reason.

    Raises:
        Rejected: `gone` when there is no answer, or its question was deleted.
    """
    if question.state != QuestionState.ANSWERED or question.withdrawn_at is not None:
        raise Rejected("gone", "There is no answer to judge.")
    row, _ = Feedback.objects.update_or_create(
        question=question,
        slack_user_id=slack_user_id,
        defaults={
            "verdict": verdict,
            "reason": "",
            "comment": "",
            "person": person,
            "given_at": timezone.now(),
        },
    )
    return row


def explain_feedback(*, question: Question, slack_user_id: str, reason: str, comment: str) -> Feedback:
    """Store why an answer did not help that person.

    Raises:
        Rejected: `gone` when that person gave no such verdict or took it back, `reason_unknown` when it is none of the
            closed list.
    """
    row = Feedback.objects.filter(
        question=question, slack_user_id=slack_user_id, verdict=Verdict.NOT_HELPFUL
    ).first()
    if row is None:
        raise Rejected("gone", "There is no such verdict.")
    if reason not in FeedbackReason.values:
        raise Rejected("reason_unknown", f"The reason is one of {', '.join(FeedbackReason.values)}.")
    row.reason, row.comment, row.given_at = reason, comment.strip()[:COMMENT_CHARS], timezone.now()
    row.save(update_fields=["reason", "comment", "given_at"])
    return row


def feedback_visible_to(user: User) -> QuerySet[Feedback]:
    """Every verdict, for support leads.

    Raises:
        NotPermitted: the person is none.
    """
    require_support_lead(user)
    return Feedback.objects.select_related("question", "question__answer", "person")
