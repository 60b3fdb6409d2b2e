"""A question's way: one row → claim → `rag.answer` → one Answer row → one message, one socket event."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import TypeAlias

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

import rag
from console import engine, queue, sockets
from console.access import Rejected
from console.channels.selectors import search_scope, with_channel_cut
from console.channels.threads import was_unread
from console.index.models import IndexVersion, ThresholdSetting
from console.index.selectors import active_version, threshold_in_force
from console.people.models import User
from console.questions import wording
from console.questions.conversation import (
    delete_words,
    first_in_turn,
    is_anothers_turn,
    is_called_into_thread,
    is_of_deleted_words,
    is_thread_known,
    questions_after,
    turns_before,
)
from console.questions.models import PENDING_STATES, Answer, Citation, Question, QuestionState, Surface
from console.questions.recording import (
    AnswerRow,
    StaleCitation,
    broken_row,
    forget_what_is_out,
    not_allowed_row,
    refused_row,
    row_of,
)
from console.sources.selectors import folders_visible_to

log = logging.getLogger(__name__)

MAX_CLAIMS = 3
"""A question whose worker died this often ends broken instead of being tried a fourth time."""

ReadThread: TypeAlias = Callable[[Question], list[rag.Turn]]
"""Looks up what was asked in a thread before the bot was called into it; [] where that cannot be known."""


def ask_question(
    *, actor: User, text: str, surface: str = Surface.CONSOLE, folder_ids: list[int] | None = None
) -> Question:
    """Record a question and queue it.

    Raises:
        Rejected: it is blank or too long, or a chosen folder is not the person's to see.
    """
    text = text.strip()
    if not any(c.isalnum() for c in text):
        raise Rejected("empty_question", wording.QUESTION_EMPTY)
    if len(text) > engine.config().max_question_chars:
        raise Rejected("question_too_long", wording.QUESTION_TOO_LONG)
    if folder_ids is not None:
        visible = set(folders_visible_to(actor).filter(pk__in=folder_ids).values_list("pk", flat=True))
        if visible != set(folder_ids):
            raise Rejected("unknown_folder", "One of the chosen folders does not exist.")
    with transaction.atomic():
        question = Question.objects.create(text=text, surface=surface, asker=actor, folder_ids=folder_ids)
        queue.answer_question(str(question.pk))
    return question


def answer_question(question_id: str, *, read_thread: ReadThread | None = None) -> Question | None:
    """Bring one question to its terminal state; None if another worker has it or it is done.

    `read_thread` is called at most once a try, and only for a question whose thread has nothing to lean on here.

    Raises:
        rag.Unavailable: something is away; the sweep sends the question again after a pause, until no try
            is left.
    """
    question = _claim(question_id)
    if question is None:
        return None
    started, started_at = time.perf_counter(), timezone.now()
    try:
        row = _answer(question, read_thread)
    except rag.Unavailable:
        if question.n_claims < MAX_CLAIMS:
            pause = timedelta(seconds=4 ** (question.n_claims - 1))
            Question.objects.filter(pk=question.pk).update(
                state=QuestionState.RECEIVED, lease_until=timezone.now() + pause
            )
            raise
        log.exception("question %s: the store or a model stayed away", question_id)
        row = broken_row(_new_reference())
    except Exception:
        reference = _new_reference()
        log.exception("question %s broke, reference %s", question_id, reference)
        row = broken_row(reference)
    return _finish(question, row, started_at, elapsed_ms=(time.perf_counter() - started) * 1000)


def _new_reference() -> str:
    return secrets.token_hex(4).upper()


def _claim(question_id: str) -> Question | None:
    now = timezone.now()
    with transaction.atomic():
        question = (
            Question.objects.select_for_update()
            .filter(pk=question_id, state__in=PENDING_STATES)
            .filter(Q(lease_until=None) | Q(lease_until__lt=now))
            .first()
        )
        if question is None or is_anothers_turn(question):
            return None
        question.n_claims += 1
        question.state = QuestionState.ANSWERING
        question.lease_until = now + timedelta(seconds=settings.ANSWER_LEASE_S)
        question.save(update_fields=["n_claims", "state", "lease_until"])
    return question


def _answer(question: Question, read_thread: ReadThread | None = None) -> AnswerRow:
    if question.n_claims > MAX_CLAIMS:
        return broken_row(_new_reference())
    if question.withdrawn_at is not None:
        return refused_row(rag.RefusalReason.ROUTED_NO_RETRIEVAL, wording.WITHDRAWN)
    if not any(c.isalnum() for c in question.text):
        return refused_row(rag.RefusalReason.ROUTED_NO_RETRIEVAL, wording.QUESTION_EMPTY)
    if len(question.text) > engine.config().max_question_chars:
        return refused_row(rag.RefusalReason.ROUTED_NO_RETRIEVAL, wording.QUESTION_TOO_LONG)
    scope = search_scope(question)
    if not scope.folder_ids:
        if scope.is_denied:
            return not_allowed_row(scope.denial)
        return refused_row(rag.RefusalReason.OUT_OF_SCOPE_FOLDER)
    version = active_version()
    setting = threshold_in_force(version) if version else None
    if version is None or setting is None:
        return refused_row(rag.RefusalReason.INDEX_NOT_READY, folder_ids=scope.folder_ids)
    setting = with_channel_cut(setting, question)
    turns = _turns_of(question, read_thread)
    for _ in range(3):
        forget_what_is_out(version)
        try:
            return _ask_core(question, turns, scope.folder_ids, version, setting)
        except StaleCitation:
            # A cited document was deleted or replaced while the answer was made: ask again.
            continue
    return refused_row(rag.RefusalReason.INDEX_NOT_READY, folder_ids=scope.folder_ids)


def _turns_of(question: Question, read_thread: ReadThread | None) -> list[rag.Turn]:
    turns = turns_before(question)
    is_known = is_thread_known(question) and not was_unread(question)
    if read_thread is None or is_known or not is_called_into_thread(question):
        return turns
    return [*read_thread(question), *turns]


def _ask_core(
    question: Question,
    turns: Sequence[rag.Turn],
    folder_ids: list[int],
    version: IndexVersion,
    setting: ThresholdSetting,
) -> AnswerRow:
    try:
        result = rag.answer(
            question.text,
            index=engine.index_of(version),
            scope=rag.Scope(folder_ids=tuple(folder_ids)),
            thresholds=rag.Thresholds(
                distance_cut=setting.distance_cut,
                max_chunks=setting.max_chunks,
                relevance_cut=setting.relevance_cut,
            ),
            turns=turns,
            reranker=engine.reranker_for_answers(),
            generator=engine.generator(),
            support=engine.support(),
        )
    except rag.NotReady as error:
        log.error("question %s: %s (%s)", question.pk, error.message, error.code)  # noqa: TRY400 - known, no trace
        return refused_row(rag.RefusalReason.INDEX_NOT_READY, folder_ids=folder_ids)
    return row_of(result, folder_ids=folder_ids, version=version, setting=setting)


def _finish(
    question: Question, row: AnswerRow, started_at: datetime, *, elapsed_ms: float
) -> Question | None:
    with transaction.atomic():
        current = Question.objects.select_for_update().get(pk=question.pk)
        if not current.is_pending:
            return None
        row.answer.question = current
        row.answer.elapsed_ms = elapsed_ms
        if is_of_deleted_words(current, since=started_at):
            delete_words(row.answer)
        row.answer.save()
        for citation in row.citations:
            citation.answer = row.answer
        Citation.objects.bulk_create(row.citations)
        current.state = row.answer.outcome
        current.finished_at = timezone.now()
        current.lease_until = None
        current.save(update_fields=["state", "finished_at", "lease_until"])
        if current.is_from_slack:
            queue.deliver_answer(str(current.pk))
            following = first_in_turn(questions_after(current).filter(state__in=PENDING_STATES))
            if following is not None:  # its turn has come
                queue.answer_question(str(following.pk))
        sockets.publish(sockets.QUESTIONS, kind="question", id=str(current.pk), state=current.state)
    return current


def pick_up_pending(*, at_start: bool = False) -> int:
    """Queue questions that wait without a live claim; gives back how many.

    `at_start` voids the claims of an earlier process (embedded mode, where one process owns the work).
    """
    now = timezone.now()
    waiting = Question.objects.filter(state__in=PENDING_STATES)
    if at_start:
        waiting.update(lease_until=None)
    else:
        waiting = waiting.filter(
            Q(lease_until__lt=now)
            | Q(lease_until=None, received_at__lt=now - timedelta(seconds=2))
            | Q(lease_until=None, surface=Surface.CLI)  # asked in a process without workers
        )
    ids = list(waiting.order_by("received_at").values_list("pk", flat=True)[:200])
    for question_id in ids:
        queue.answer_question(str(question_id))
    return len(ids)


def answer_of(question: Question) -> Answer | None:
    """The answer row, or None while the question is pending."""
    return Answer.objects.filter(question=question).select_related("index_version").first()
