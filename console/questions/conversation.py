"""What was asked before in the same conversation."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone

import rag
from console.questions import wording
from console.questions.models import (
    PENDING_STATES,
    PRIVATE_SURFACES,
    Answer,
    Question,
    QuestionState,
    Surface,
)

N_TURNS = 3
WORDS_DELETED = "words_deleted"
_WORDS = frozenset({"asked_as", "follow_up", "premise", "searched", "searched_next"})
"""Where the stages of a trace quote what was asked."""
EDITED = "edit-"
"""Before the ts of an edited message, where it is asked in its new words."""
_WITHOUT_MESSAGE = Q(slack_ts__contains="-")
"""As `Question.has_message` has it."""
_TS = re.compile(r"\d{1,10}\.\d{1,6}", re.ASCII)
_PAUSE = timedelta(minutes=30)
"""A direct message without a thread goes on from the last ones for this long."""
LONGEST_TURN = timedelta(minutes=10)
"""A question that takes longer than this no longer holds up those after it."""
_WITHOUT_TOPIC = rag.RefusalReason.ROUTED_NO_RETRIEVAL
"""Small talk, an empty message, one that is too long: nothing was asked that a question could lean on."""
_NOT_UNDERSTOOD = (rag.RefusalReason.OUT_OF_SCOPE_FOLDER, rag.RefusalReason.INDEX_NOT_READY)
"""Refused before it was completed with what was asked earlier, so it may lack its half."""


def turns_before(question: Question) -> list[rag.Turn]:
    """The last questions of the thread or direct message that asked something, oldest first; [] where there is none.

    Only what stands in the conversation for everyone in it: its questions, and which documents were cited.
    """
    rows = _asked_before(question).select_related("answer").prefetch_related("answer__citations")
    return [_turn(row, question) for row in reversed(rows.order_by("-received_at")[:N_TURNS])]


def is_thread_known(question: Question) -> bool:
    """True where an earlier question of the conversation was understood, so that what it was about is known here."""
    return _asked_before(question).exclude(answer__reason_code__in=_NOT_UNDERSTOOD).exists()


def _asked_before(question: Question) -> QuerySet[Question]:
    """What a question can lean on: questions that were answered or refused before, and asked of something."""
    earlier = _conversation(question)
    if earlier is None:
        return Question.objects.none()
    # What was told to one person alone is no part of a conversation that others read.
    return (
        earlier.exclude(surface__in=PRIVATE_SURFACES, shared_at=None)
        .filter(
            withdrawn_at=None,
            received_at__lt=question.received_at,
            state__in=[QuestionState.ANSWERED, QuestionState.REFUSED],
        )
        .exclude(answer__reason_code=_WITHOUT_TOPIC)
        .exclude(answer__trace__has_key=WORDS_DELETED)
    )


def is_called_into_thread(question: Question) -> bool:
    """True for a mention in a thread that somebody else began, or that began without a question to the bot."""
    asks = message_ts(question)
    is_reply = question.slack_thread_ts not in {"", asks}
    return question.surface == Surface.SLACK_MENTION and is_reply and bool(asks)


def message_ts(question: Question) -> str:
    """The ts of the message that asks, also where it was edited and is asked again; empty where none does."""
    ts = question.slack_ts.removeprefix(EDITED)
    return "" if "-" in ts else ts


def questions_before(question: Question) -> QuerySet[Question]:
    """What was asked earlier in the same conversation, by Slack's own times: a retry can come in late."""
    earlier = _conversation(question)
    if earlier is None:
        return Question.objects.none()
    ts, at = _asked_at(question)
    return earlier.filter(~_WITHOUT_MESSAGE & Q(slack_ts__lt=ts) | _WITHOUT_MESSAGE & Q(received_at__lt=at))


def is_anothers_turn(question: Question) -> bool:
    """True while a question before it in the conversation has no answer: one conversation is answered in order."""
    since = timezone.now() - LONGEST_TURN
    return questions_before(question).filter(state__in=PENDING_STATES, received_at__gt=since).exists()


def questions_after(question: Question) -> QuerySet[Question]:
    """What was asked later in the same conversation; `first_in_turn` says what is next."""
    ts, at = _asked_at(question)
    here = Question.objects.filter(
        slack_team_id=question.slack_team_id, slack_channel_id=question.slack_channel_id
    ).filter(~_WITHOUT_MESSAGE & Q(slack_ts__gt=ts) | _WITHOUT_MESSAGE & Q(received_at__gt=at))
    in_thread = Q(slack_thread_ts=question.slack_thread_ts or question.slack_ts)
    if question.surface == Surface.SLACK_DM and not question.slack_thread_ts:
        in_thread |= Q(slack_thread_ts="", surface=Surface.SLACK_DM)
    return here.filter(in_thread)


def first_in_turn(questions: QuerySet[Question]) -> Question | None:
    """Which of these was asked first; None where there is none."""
    return min(questions, key=lambda question: _asked_at(question)[0], default=None)


def _asked_at(question: Question) -> tuple[str, datetime]:
    """When it was asked, as Slack writes times and as we do.

    What a button or a form asked has no time of Slack's: an edited question is asked when that is clicked, not when
    its message was written.
    """
    if not question.has_message:
        return f"{question.received_at.timestamp():.6f}", question.received_at
    ts = question.slack_ts
    return ts, datetime.fromtimestamp(float(ts), UTC) if _TS.fullmatch(ts) else question.received_at


def _asked_after(question: Question) -> QuerySet[Question]:
    """What came in later in the same conversation, and so may lean on it."""
    here = Question.objects.filter(
        slack_team_id=question.slack_team_id,
        slack_channel_id=question.slack_channel_id,
        received_at__gt=question.received_at,
    )
    thread_ts = question.slack_thread_ts or question.slack_ts
    if question.surface != Surface.SLACK_DM or question.slack_thread_ts:
        return here.filter(slack_thread_ts=thread_ts)
    until, ids, threads = question.received_at, [], [thread_ts]
    for row in here.filter(slack_thread_ts="", surface=Surface.SLACK_DM).order_by("received_at"):
        if row.received_at > until + _PAUSE:
            break
        until = row.received_at
        ids.append(row.pk)
        threads.append(row.slack_ts)
    return here.filter(Q(pk__in=ids) | Q(slack_thread_ts__in=threads))


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


def _turn(row: Question, question: Question) -> rag.Turn:
    citations = row.answer.citations.all()
    return rag.Turn(
        # As it was completed: what completed it may stand in a thread that was read then, and is not kept.
        question=asked_as(row.answer) or row.text,
        answer=tuple(str(sentence["text"]) for sentence in row.answer.sentences),
        titles=tuple(dict.fromkeys(citation.document_title for citation in citations)),
        is_of_another=row.slack_user_id != question.slack_user_id,
    )


def forget_words(question: Question) -> None:
    """The words of a question that was deleted go from its record, and from those of questions that leaned on it.

    Which of the later ones did is not kept; where one was completed at all, what completed it goes.
    """
    for answer in Answer.objects.select_for_update(of=("self",)).filter(
        Q(question=question) | Q(question__in=_asked_after(question))
    ):
        if answer.question_id == question.pk or asked_as(answer):
            delete_words(answer)
            answer.save(update_fields=["trace", "unanswered", "contradicted"])


def is_of_deleted_words(question: Question, *, since: datetime) -> bool:
    """True where the question, or one before it in its conversation, was deleted while it was being answered."""
    if question.withdrawn_at is not None:
        return True
    earlier = _conversation(question)
    return earlier is not None and earlier.filter(withdrawn_at__gte=since).exists()


def delete_words(answer: Answer) -> None:
    """Take what was asked out of an answer's record, on the instance: what was decided stays."""
    stages = [
        {**stage, "detail": {name: told for name, told in stage["detail"].items() if name not in _WORDS}}
        for stage in answer.trace.get("stages") or []
    ]
    answer.trace = {**answer.trace, "stages": stages, WORDS_DELETED: True}
    answer.unanswered = [{**part, "question": wording.WITHDRAWN} for part in answer.unanswered]
    if answer.contradicted:
        answer.contradicted = {**answer.contradicted, "premise": wording.WITHDRAWN}


def are_words_deleted(answer: Answer) -> bool:
    """True where what was searched for is not on record any more, since it was deleted in Slack."""
    return WORDS_DELETED in answer.trace


def asked_as(answer: Answer) -> str:
    """What was searched for where a question leaned on an earlier one; empty where it stood alone."""
    stages = answer.trace.get("stages") or []
    detail: dict[str, Any] = next((stage["detail"] for stage in stages if stage.get("name") == "route"), {})
    return str(detail.get("asked_as") or "")
