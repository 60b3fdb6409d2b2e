"""Which threads show that something is being looked up: rows that outlive the process that wrote to Slack.

The row stands before Slack is told, so that whatever ends the process, what was shown can be taken down.
A terminal message waits while a call that shows a status is under way (`busy_until`); after it none begins.
"""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from console import queue
from console.channels.models import DeliveryState, SlackDelivery, SlackStatus
from console.questions.models import PENDING_STATES, Question

BUSY_S = 15
"""Longer than a call to Slack may take (`bot.client.TIMEOUT_S`)."""
LIFETIME_S = 3_600
"""Slack takes a status down by itself after two minutes, a session's in its agent view after an hour."""

SHORTEST_PAUSE_S, LONGEST_PAUSE_S = 2.0, 300.0

OWED = (DeliveryState.PENDING, DeliveryState.POSTING)


def thread_of(question: Question) -> str:
    """The thread that the answer goes to; empty for what is answered to its asker alone, which goes to none."""
    if question.is_private:
        return ""
    thread_ts = question.slack_thread_ts or question.slack_ts
    return thread_ts if thread_ts.replace(".", "").isdecimal() else ""


def begin_status(question: Question) -> SlackStatus | None:
    """Write down that the status is about to be shown; None when its question is past that."""
    now = timezone.now()
    with transaction.atomic():
        delivery = SlackDelivery.objects.select_for_update().filter(question=question).first()
        if delivery is None or delivery.state != DeliveryState.PENDING or delivery.n_attempts:
            return None
        if delivery.stopped_at is not None:
            return None
        status, _ = SlackStatus.objects.update_or_create(
            team_id=question.slack_team_id,
            channel_id=question.slack_channel_id,
            thread_ts=thread_of(question),
            defaults={"shown_at": now, "busy_until": now + timedelta(seconds=BUSY_S)},
        )
    return status


def end_status_call(status: SlackStatus) -> None:
    """The call that shows it is over; whether it worked is not asked."""
    SlackStatus.objects.filter(pk=status.pk, busy_until=status.busy_until).update(busy_until=None)


def status_for(question: Question) -> SlackStatus | None:
    """What may stand in the question's thread now."""
    return SlackStatus.objects.filter(
        team_id=question.slack_team_id, channel_id=question.slack_channel_id, thread_ts=thread_of(question)
    ).first()


def is_busy(status: SlackStatus) -> bool:
    """True while a call that shows it may be under way."""
    return SlackStatus.objects.filter(pk=status.pk, busy_until__gt=timezone.now()).exists()


def forget_status(status: SlackStatus) -> None:
    """It is taken down; one that was begun anew meanwhile stays."""
    SlackStatus.objects.filter(pk=status.pk, shown_at=status.shown_at).delete()


def put_off(status: SlackStatus, *, wait_s: float = 0.0) -> None:
    """It could not be taken down: the sweep waits as long as Slack says, and as long again as it has stood by now.

    So the pause doubles, from two seconds to five minutes.
    """
    now = timezone.now()
    stood_s = (now - status.shown_at).total_seconds()
    pause_s = max(wait_s, min(LONGEST_PAUSE_S, max(SHORTEST_PAUSE_S, stood_s)))
    row = SlackStatus.objects.filter(pk=status.pk, shown_at=status.shown_at)
    row.update(not_before=now + timedelta(seconds=pause_s))


def void_calls() -> None:
    """At a start: the process that was showing something is gone."""
    SlackStatus.objects.update(busy_until=None)


def statuses_to_take_down(*, at_start: bool = False) -> list[SlackStatus]:
    """Those that nobody waits under; at a start all, since the process that wrote them is gone.

    What Slack has taken down by itself is forgotten here.
    """
    now = timezone.now()
    SlackStatus.objects.filter(shown_at__lt=now - timedelta(seconds=LIFETIME_S)).delete()
    free = SlackStatus.objects.filter(
        Q(busy_until=None) | Q(busy_until__lt=now), Q(not_before=None) | Q(not_before__lt=now)
    ).order_by("shown_at")
    if at_start:
        return list(free[:200])
    return [status for status in free[:50] if not is_waited_under(status)]


def claim_to_take_down(status: SlackStatus) -> bool:
    """Keep other workers from the same call for as long as it may take; False when one of them was first."""
    now = timezone.now()
    free = SlackStatus.objects.filter(Q(not_before=None) | Q(not_before__lt=now), pk=status.pk)
    return bool(free.update(not_before=now + timedelta(seconds=BUSY_S)))


def is_waited_under(status: SlackStatus) -> bool:
    """True while a question of the thread is still owed its message."""
    return (
        Question.objects.filter(slack_team_id=status.team_id, slack_channel_id=status.channel_id)
        .filter(Q(slack_thread_ts=status.thread_ts) | Q(slack_ts=status.thread_ts))
        .filter(delivery__state__in=OWED)
        .exists()
    )


def show_again() -> None:
    """After a start: have it shown once more for what is still being looked up."""
    for question_id in Question.objects.filter(
        state__in=PENDING_STATES, delivery__state=DeliveryState.PENDING
    ).values_list("pk", flat=True)[:200]:
        queue.show_status(str(question_id))
