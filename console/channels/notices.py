"""What Slack is told once beside terminal messages: recorded in the transaction that causes it, sent by the workers.

`n_claims` guards every write of a claim, as with deliveries (`outbox`).
"""

from __future__ import annotations

import logging
from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from console import queue
from console.channels.models import NoticeKind, NoticeState, SlackNotice
from console.questions.models import Question, Surface

log = logging.getLogger(__name__)

LEASE_S = 60
MAX_ATTEMPTS = 40
MAX_LIMITED_ATTEMPTS = 400
"""How often a notice may be tried when Slack itself asks to wait, as with deliveries: more than a day."""
LONGEST_WAIT_S = 3_600.0
LONGEST_BACKOFF_S = 300
MAYBE_TAKEN = "maybe_taken"
MAY_BE_SHOWN = Q(last_error=MAYBE_TAKEN)
"""Of an offer that is under way; a worker that ends here leaves it so."""


def owe_notice(
    question: Question,
    kind: NoticeKind,
    *,
    recipient: str,
    by_user_id: str = "",
    text: str = "",
    response_url: str = "",
) -> bool:
    """Owe Slack a notice and queue it; False when the same is owed, or was sent, already."""
    with transaction.atomic():
        notice, is_new = SlackNotice.objects.get_or_create(
            question=question,
            kind=kind,
            recipient=recipient,
            defaults={"by_user_id": by_user_id, "text": text, "response_url": response_url},
        )
        if is_new:
            queue.send_notice(notice.pk)
    return is_new


def owe_again(notice: SlackNotice, *, by_user_id: str, response_url: str) -> bool:
    """Owe a notice anew that was given up; False when it is under way or was sent."""
    given_up = SlackNotice.objects.filter(pk=notice.pk, state=NoticeState.GIVEN_UP)
    with transaction.atomic():
        if not given_up.update(
            state=NoticeState.PENDING,
            n_attempts=0,
            by_user_id=by_user_id,
            response_url=response_url,
            last_error="",
        ):
            return False
        queue.send_notice(notice.pk)
    return True


def claim_notice(notice_id: int) -> SlackNotice | None:
    """Mark a notice as being sent; None when it is not due, done, or another worker's."""
    now = timezone.now()
    with transaction.atomic():
        notice = (
            SlackNotice.objects.select_for_update(of=("self",))
            .select_related("question")
            .filter(_is_due(), pk=notice_id)
            .first()
        )
        if notice is None:
            return None
        if notice.n_attempts >= MAX_LIMITED_ATTEMPTS:
            # Each of those tries ended without a word, as when a process dies while it sends.
            give_up(notice, "too_many_attempts")
            return None
        notice.state, notice.lease_until = NoticeState.SENDING, now + timedelta(seconds=LEASE_S)
        notice.n_attempts += 1
        notice.n_claims += 1
        notice.save(update_fields=["state", "lease_until", "n_attempts", "n_claims"])
    return notice


def _is_due() -> Q:
    now = timezone.now()
    is_free = Q(state=NoticeState.PENDING) | Q(state=NoticeState.SENDING) & (
        Q(lease_until=None) | Q(lease_until__lt=now)
    )
    return is_free & (Q(not_before=None) | Q(not_before__lte=now))


def record_sent(notice: SlackNotice, message_ts: str = "") -> None:
    """Slack took it."""
    _write(notice, state=NoticeState.DONE, message_ts=message_ts, lease_until=None, last_error="")


def may_show_offer(notice: SlackNotice) -> bool:
    """Right before an offer is shown: False when it stands for nothing any more, or an earlier try may have shown it.

    From here on it counts as shown, until Slack says that it is not.
    """
    mine = SlackNotice.objects.filter(pk=notice.pk, n_claims=notice.n_claims, state=NoticeState.SENDING)
    return bool(mine.exclude(text="").exclude(MAY_BE_SHOWN).update(last_error=MAYBE_TAKEN))


def is_maybe_shown(notice: SlackNotice) -> bool:
    """True for an offer that Slack may have shown."""
    return SlackNotice.objects.filter(MAY_BE_SHOWN, pk=notice.pk).exists()


def drop_unshown(notice: SlackNotice) -> None:
    """Forget an offer that was surely not shown: a further edit is offered anew."""
    with transaction.atomic():
        # Edits hold the question's row: what one of them changes here is not lost.
        Question.objects.select_for_update().get(pk=notice.question_id)
        SlackNotice.objects.filter(pk=notice.pk, n_claims=notice.n_claims).delete()


def forget_offer(question: Question) -> None:
    """There is nothing to offer any more. One that was surely not shown may be shown after a new edit."""
    offer = question.notices.filter(kind=NoticeKind.EDIT_OFFER)
    offer.filter(state__in=[NoticeState.PENDING, NoticeState.SENDING]).exclude(MAY_BE_SHOWN).delete()
    offer.update(text="")


def record_place(notice: SlackNotice, channel_id: str) -> None:
    """Remember the direct message that it went into, so that it can be taken back from there."""
    _write(notice, message_channel=channel_id)


class NotYetError(Exception):
    """Something is being posted at this moment; what is not there yet cannot be taken back."""


def owners_written_to(question: Question) -> list[SlackNotice]:
    """The notices that stand, or may stand, in owners' direct messages: a response of Slack's can have been lost."""
    once_and_not_taken = Q(n_claims=1, message_ts="") & (
        Q(state__in=[NoticeState.GIVEN_UP, NoticeState.DONE]) | Q(last_error="ratelimited")
    )
    tried = question.notices.filter(kind=NoticeKind.HUMAN, n_claims__gt=0)
    return list(tried.exclude(once_and_not_taken).select_related("question").order_by("pk"))


def direct_message_with(team_id: str, user_id: str) -> str:
    """The conversation of a person with the bot, as far as it was seen before; else empty."""
    written = SlackNotice.objects.filter(
        kind=NoticeKind.HUMAN, recipient=user_id, question__slack_team_id=team_id
    ).exclude(message_channel="")
    asked = Question.objects.filter(
        surface=Surface.SLACK_DM, slack_team_id=team_id, slack_user_id=user_id
    ).exclude(slack_channel_id="")
    return (
        written.order_by("-pk").values_list("message_channel", flat=True).first()
        or asked.order_by("-received_at").values_list("slack_channel_id", flat=True).first()
        or ""
    )


class LostLeaseError(Exception):
    """Another worker has the notice by now."""


def renew_lease(notice: SlackNotice) -> None:
    """Go on for another lease.

    Raises:
        LostLeaseError: another worker took over meanwhile.
    """
    mine = SlackNotice.objects.filter(pk=notice.pk, n_claims=notice.n_claims, state=NoticeState.SENDING)
    if not mine.update(lease_until=timezone.now() + timedelta(seconds=LEASE_S)):
        raise LostLeaseError


def backoff_s(notice: SlackNotice) -> float:
    """Two seconds after the first try, doubled each time, five minutes at most."""
    return float(min(LONGEST_BACKOFF_S, 2 ** min(notice.n_attempts, 10)))


def put_off(notice: SlackNotice, *, wait_s: float, error: str, max_attempts: int = MAX_ATTEMPTS) -> None:
    """Try again after `wait_s` seconds, an hour at most; after `max_attempts` the notice is given up."""
    if notice.n_attempts >= max_attempts:
        give_up(notice, error)
        return
    due = timezone.now() + timedelta(seconds=min(LONGEST_WAIT_S, max(0.0, wait_s)))
    # It stays in `sending`: an earlier try may have got through, and some kinds can look.
    _write(notice, lease_until=None, not_before=due, last_error=error[:200])


def put_off_as_told(notice: SlackNotice, *, wait_s: float, error: str) -> None:
    """Try again when Slack says so, which may be far more often than after a fault; then the more slowly."""
    is_stuck = notice.n_attempts > MAX_ATTEMPTS
    put_off(
        notice,
        wait_s=max(wait_s, LONGEST_BACKOFF_S) if is_stuck else wait_s,
        error=error,
        max_attempts=MAX_LIMITED_ATTEMPTS,
    )


def give_up(notice: SlackNotice, error: str) -> None:
    """Slack will not take it, or nobody may see it any more."""
    log.warning("notice %s of question %s is given up: %s", notice.kind, notice.question_id, error)
    _write(notice, state=NoticeState.GIVEN_UP, lease_until=None, not_before=None, last_error=error[:200])


def _write(notice: SlackNotice, **values: object) -> None:
    SlackNotice.objects.filter(pk=notice.pk, n_claims=notice.n_claims).update(**values)


def pick_up_unsent(*, at_start: bool = False) -> int:
    """Queue notices that are due; gives back how many. `at_start` voids the leases of an earlier process."""
    if at_start:
        SlackNotice.objects.filter(state=NoticeState.SENDING).update(lease_until=None)
    waiting = SlackNotice.objects.filter(_is_due())
    if not at_start:
        # A new one was queued by what caused it.
        waiting = waiting.exclude(
            state=NoticeState.PENDING, created_at__gt=timezone.now() - timedelta(seconds=2)
        )
    ids = list(waiting.order_by("pk").values_list("pk", flat=True)[:200])
    for notice_id in ids:
        queue.send_notice(notice_id)
    return len(ids)
