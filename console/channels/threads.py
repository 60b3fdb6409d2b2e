"""Which threads have to be read before a question in them is understood, and what became of reading them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from django.db.models import Q, QuerySet
from django.utils import timezone

from console.channels.linting import RECENT, Effect, Finding
from console.channels.models import SlackThreadReading
from console.questions.models import Question


def readings_of_thread(question: Question) -> QuerySet[SlackThreadReading]:
    """What became of reading this question's thread, for it and for those asked there before, the latest first."""
    thread_ts = question.slack_thread_ts
    in_thread = Q(question__slack_thread_ts=thread_ts) | Q(question__slack_ts=thread_ts)
    return SlackThreadReading.objects.filter(
        in_thread,
        question__slack_team_id=question.slack_team_id,
        question__slack_channel_id=question.slack_channel_id,
    ).order_by("-read_at")


def was_unread(question: Question) -> bool:
    """True where the last try to read this thread failed, so that questions asked there before may lack their half."""
    last = readings_of_thread(question).first()
    return last is not None and bool(last.fault)


def may_be_read(team_id: str) -> bool:
    """False while Slack wants no thread of this workspace to be read."""
    limited = SlackThreadReading.objects.filter(retry_at__gt=timezone.now(), question__slack_team_id=team_id)
    return not limited.exists()


def record_read(question: Question, *, n_messages: int, is_whole: bool) -> None:
    """The thread was read."""
    _record(question, n_messages=n_messages, is_whole=is_whole)


def record_unread(question: Question, *, fault: str, wait_s: float = 0.0) -> None:
    """The thread could not be read; the question is taken by itself, and its asker is told so.

    `wait_s`: so long Slack wants to be left alone with such calls.
    """
    retry_at = timezone.now() + timedelta(seconds=wait_s) if wait_s else None
    _record(question, fault=fault[:200], retry_at=retry_at)


def _record(question: Question, **values: object) -> None:
    told = {"n_messages": 0, "is_whole": False, "fault": "", "retry_at": None, **values}
    SlackThreadReading.objects.update_or_create(
        question=question, defaults={**told, "read_at": timezone.now()}
    )


def is_taken_by_itself(question: Question) -> bool:
    """True where the thread of this question should have been read and could not be."""
    return SlackThreadReading.objects.filter(question=question).exclude(fault="").exists()


def findings_of_threads(team_id: str, channel_id: str) -> Iterator[Finding]:
    """That threads of a channel could not be read lately, and why."""
    here = SlackThreadReading.objects.filter(
        question__slack_team_id=team_id,
        question__slack_channel_id=channel_id,
        read_at__gt=timezone.now() - RECENT,
    )
    last = here.order_by("-read_at").first()
    if last is None or not last.fault:
        return
    is_scope = last.fault.startswith("missing_scope")
    yield Finding(
        Effect.NOTE,
        "thread_not_read",
        f"A thread here could not be read ({last.fault}): a question in it was taken by itself.",
        "Add the permission to the app in Slack and install the app again." if is_scope else "",
    )
