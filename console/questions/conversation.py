"""What was asked before in the same conversation."""

from __future__ import annotations

from datetime import timedelta

from django.db.models import Q, QuerySet

import rag
from console.questions.models import PRIVATE_SURFACES, Question, QuestionState, Surface

N_TURNS = 3
_PAUSE = timedelta(minutes=30)
"""A direct message without a thread goes on from the last ones for this long."""


def turns_before(question: Question) -> list[rag.Turn]:
    """The last answered or refused questions of the thread or direct message, oldest first; [] where there is none.

    Only what stands in the conversation for everyone in it: its questions, and which documents were cited.
    """
    earlier = _conversation(question)
    if earlier is None:
        return []
    rows = (
        # What was told to one person alone is no part of a conversation that others read.
        earlier.exclude(surface__in=PRIVATE_SURFACES, shared_at=None)
        .filter(
            withdrawn_at=None,
            received_at__lt=question.received_at,
            state__in=[QuestionState.ANSWERED, QuestionState.REFUSED],
        )
        .select_related("answer")
        .prefetch_related("answer__citations")
        .order_by("-received_at")[:N_TURNS]
    )
    return [_turn(row) for row in reversed(rows)]


def _conversation(question: Question) -> QuerySet[Question] | None:
    if not question.slack_channel_id:
        return None
    here = Question.objects.filter(
        slack_team_id=question.slack_team_id, slack_channel_id=question.slack_channel_id
    )
    if question.slack_thread_ts:
        return here.filter(Q(slack_thread_ts=question.slack_thread_ts) | Q(slack_ts=question.slack_thread_ts))
    if question.surface == Surface.SLACK_DM:
        return here.filter(slack_thread_ts="", received_at__gte=question.received_at - _PAUSE)
    return None


def _turn(row: Question) -> rag.Turn:
    citations = row.answer.citations.all()
    return rag.Turn(
        question=row.text,
        answer=tuple(str(sentence["text"]) for sentence in row.answer.sentences),
        titles=tuple(dict.fromkeys(citation.document_title for citation in citations)),
    )
