"""The terminal messages Slack is still owed: claimed by lease, recorded, or put off.

A claim counts up `n_claims`, which then guards every write of that claim: a worker that was overtaken because its
lease ran out changes nothing any more, not even after the delivery was given up and resumed.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from console import queue
from console.channels.models import DeliveryState, SlackDelivery
from console.questions.conversation import first_in_turn, questions_after, questions_before
from console.questions.models import TERMINAL_STATES, Question

log = logging.getLogger(__name__)

LEASE_S = 60
MAX_ATTEMPTS = 40
"""With the longest wait of five minutes that is about three hours of Slack being away."""
MAX_LIMITED_ATTEMPTS = 400
"""How often a delivery may be tried when Slack itself asks to wait: more than a day."""
LONGEST_WAIT_S = 3_600.0
LONGEST_BACKOFF_S = 300
ORDER_WAIT_S = 60
"""How long a message waits for the one before it in its conversation; a delivery in trouble holds up no others."""


class LostLeaseError(Exception):
    """Another worker has the delivery by now."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A delivery this worker may post. `was_posting`: an earlier try may have posted already."""

    delivery: SlackDelivery
    was_posting: bool


def claim_delivery(question_id: str) -> Claim | None:
    """Mark the delivery as being posted; None when it is not due, done, or another worker's."""
    now = timezone.now()
    with transaction.atomic():
        delivery = (
            SlackDelivery.objects.select_for_update(of=("self",))
            .select_related("question")
            .filter(
                _is_due(),
                question_id=question_id,
                question__state__in=TERMINAL_STATES,
                question__withdrawn_at=None,
            )
            .first()
        )
        if delivery is None or _is_overtaking(delivery.question):
            return None
        was_posting = delivery.state == DeliveryState.POSTING
        if delivery.n_attempts >= MAX_LIMITED_ATTEMPTS:
            # Each of those tries ended without a word, as when a process dies while it posts.
            record_undeliverable(Claim(delivery, was_posting), "too_many_attempts")
            return None
        delivery.state = DeliveryState.POSTING
        delivery.lease_until = now + timedelta(seconds=LEASE_S)
        delivery.n_attempts += 1
        delivery.n_claims += 1
        delivery.save(update_fields=["state", "lease_until", "n_attempts", "n_claims"])
    return Claim(delivery, was_posting)


def _is_overtaking(question: Question) -> bool:
    """True while a message before it in the same conversation is still owed."""
    since = timezone.now() - timedelta(seconds=ORDER_WAIT_S)
    owed = (DeliveryState.PENDING, DeliveryState.POSTING)
    return questions_before(question).filter(delivery__state__in=owed, finished_at__gt=since).exists()


def queue_following(claim: Claim) -> None:
    """The next message of the conversation need not wait for the sweep."""
    owed = questions_after(claim.delivery.question).filter(
        state__in=TERMINAL_STATES, delivery__state=DeliveryState.PENDING
    )
    following = first_in_turn(owed)
    if following is not None:
        queue.deliver_answer(str(following.pk))


def _is_due() -> Q:
    now = timezone.now()
    is_free = Q(state=DeliveryState.PENDING) | Q(state=DeliveryState.POSTING) & (
        Q(lease_until=None) | Q(lease_until__lt=now)
    )
    return is_free & (Q(not_before=None) | Q(not_before__lte=now))


def renew_lease(claim: Claim) -> None:
    """Go on for another lease.

    Raises:
        LostLeaseError: another worker took over meanwhile.
    """
    _write(claim, lease_until=timezone.now() + timedelta(seconds=LEASE_S))


def record_thread(claim: Claim, thread_ts: str) -> None:
    """Remember the message under which the answer goes, before the answer is posted."""
    _write(claim, thread_ts=thread_ts)
    claim.delivery.thread_ts = thread_ts


def record_message(claim: Claim, message_ts: str) -> None:
    """Remember the terminal message; what continues it may still have to follow."""
    _write(claim, message_ts=message_ts)
    claim.delivery.message_ts = message_ts


def record_shown(claim: Claim, n_shown: int, *, message_ts: str) -> None:
    """Remember how many messages of a private answer were taken, and the one that begins it where that is known."""
    _write(claim, n_shown=n_shown, message_ts=message_ts)
    claim.delivery.n_shown, claim.delivery.message_ts = n_shown, message_ts


def record_delivered(claim: Claim) -> None:
    """The asker has it all."""
    _write(
        claim,
        state=DeliveryState.DELIVERED,
        delivered_at=timezone.now(),
        lease_until=None,
        not_before=None,
        last_error="",
    )


def backoff_s(claim: Claim) -> float:
    """Two seconds after the first try, doubled each time, five minutes at most."""
    return float(min(LONGEST_BACKOFF_S, 2 ** min(claim.delivery.n_attempts, 10)))


def put_off(
    claim: Claim, *, wait_s: float, error: str, may_be_posted: bool, max_attempts: int = MAX_ATTEMPTS
) -> None:
    """Try again after `wait_s` seconds, an hour at most; after `max_attempts` the delivery is given up.

    `may_be_posted` keeps the row in `posting`, so that the next try looks in the thread first.
    """
    if claim.delivery.n_attempts >= max_attempts:
        record_undeliverable(claim, error)
        return
    log.warning("delivery of question %s is put off: %s", claim.delivery.question_id, error)
    _write(
        claim,
        state=DeliveryState.POSTING if may_be_posted else DeliveryState.PENDING,
        lease_until=None,
        not_before=timezone.now() + timedelta(seconds=min(LONGEST_WAIT_S, max(0.0, wait_s))),
        last_error=error[:200],
    )


def put_off_as_told(claim: Claim, *, wait_s: float, error: str, may_be_posted: bool) -> None:
    """Try again when Slack says so, which may be far more often than after a fault; then the more slowly."""
    is_stuck = claim.delivery.n_attempts > MAX_ATTEMPTS
    put_off(
        claim,
        wait_s=max(wait_s, LONGEST_BACKOFF_S) if is_stuck else wait_s,
        error=error,
        may_be_posted=may_be_posted,
        max_attempts=MAX_LIMITED_ATTEMPTS,
    )


def record_undeliverable(claim: Claim, error: str) -> None:
    """Slack will not take it; the answer itself is untouched and can be delivered again."""
    log.error("delivery of question %s is given up: %s", claim.delivery.question_id, error)
    _write(
        claim,
        state=DeliveryState.UNDELIVERABLE,
        lease_until=None,
        not_before=None,
        last_error=error[:200],
    )


def _write(claim: Claim, **values: object) -> None:
    mine = SlackDelivery.objects.filter(pk=claim.delivery.pk, n_claims=claim.delivery.n_claims).exclude(
        state=DeliveryState.RETRACTED
    )
    if not mine.update(**values):
        raise LostLeaseError


def resume_delivery(question_id: str) -> bool:
    """Make a delivery that was given up due at once, with every try before it; False when it was not."""
    given_up = SlackDelivery.objects.filter(question_id=question_id, state=DeliveryState.UNDELIVERABLE)
    # What only the asker saw in the channel has gone from there by now; what stands in their direct message has not.
    given_up.filter(message_ts="").update(n_shown=0)
    # Posting, not pending: an earlier try may have got as far as posting it.
    return bool(given_up.update(state=DeliveryState.POSTING, n_attempts=0))


def pick_up_undelivered(*, at_start: bool = False) -> int:
    """Queue finished questions whose message is due; gives back how many.

    `at_start` voids the leases of an earlier process (embedded mode, where one process owns the work).
    """
    waiting = SlackDelivery.objects.filter(question__state__in=TERMINAL_STATES, question__withdrawn_at=None)
    if at_start:
        waiting.filter(state=DeliveryState.POSTING).update(lease_until=None)
    else:
        # One that was just finished has been queued by its own answer.
        waiting = waiting.filter(question__finished_at__lt=timezone.now() - timedelta(seconds=2))
    due = waiting.filter(_is_due()).order_by("question__finished_at")
    ids = list(due.values_list("question_id", flat=True)[:200])
    for question_id in ids:
        queue.deliver_answer(str(question_id))
    return len(ids)


def stop_answers(*, team_id: str, channel_id: str, thread_ts: str, user_id: str) -> int:
    """The asker pressed Stop: what is not posted yet of their questions in this thread is not; gives back how many.

    The question still gets its one terminal message, which says that it was stopped; its answer stays stored.
    """
    if not channel_id or not thread_ts or not user_id:
        return 0
    in_thread = Q(question__slack_thread_ts=thread_ts) | Q(question__slack_ts=thread_ts)
    unposted = SlackDelivery.objects.filter(
        in_thread,
        question__slack_team_id=team_id,
        question__slack_channel_id=channel_id,
        question__slack_user_id=user_id,
        state__in=[DeliveryState.PENDING, DeliveryState.POSTING],
        message_ts="",
        stopped_at=None,
    )
    return unposted.update(stopped_at=timezone.now())
