"""The random schedules find what they are there to find: each part of the delivery is broken once."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import pytest

from bot import delivery
from bot.listeners.events import app_mention, message
from console.channels import outbox, services
from console.channels.services import IncomingQuestion, receive_slack_question
from console.questions.models import Question
from tests.bot import schedules
from tests.bot.fake_slack import FakeSlack
from tests.bot.schedules import over_socket, run_schedules

pytestmark = pytest.mark.usefixtures("transactional_db")

N_SCHEDULES = 60


def no_deduplication(patch: pytest.MonkeyPatch) -> None:
    """Every delivery is a question of its own."""

    def receive(incoming: IncomingQuestion) -> Question | None:
        ts = f"{incoming.ts}{uuid.uuid4().int % 10**6:06d}"
        return receive_slack_question(replace(incoming, event_id=uuid.uuid4().hex, ts=ts))

    for module in (app_mention, message):
        patch.setattr(module, "receive_slack_question", receive)


def no_look_before_posting_again(patch: pytest.MonkeyPatch) -> None:
    """What an earlier try may have posted is posted again."""
    patch.setattr(delivery, "_already_posted", lambda *_: {})


def no_lease(patch: pytest.MonkeyPatch) -> None:
    """Whoever comes may post, also while another worker does."""
    patch.setattr(outbox, "LEASE_S", -1)


def rows_apart(patch: pytest.MonkeyPatch) -> None:
    """The event is kept before its question: a process that dies in between has lost it for every retry."""
    patch.setattr(services, "transaction", SimpleNamespace(atomic=nullcontext))


def no_sweep(patch: pytest.MonkeyPatch) -> None:
    """Messages to the queue that a dead process took along are not made up for."""
    patch.setattr(schedules, "pick_up_undelivered", lambda **_: 0)


def no_look_at_statuses(patch: pytest.MonkeyPatch) -> None:
    """A status that a dead process left is nobody's."""
    patch.setattr(schedules, "pick_up_statuses", lambda **_: None)
    patch.setattr(delivery, "take_down_status", lambda _: None)


BREAKS = [no_deduplication, no_look_before_posting_again, no_lease, rows_apart, no_sweep, no_look_at_statuses]


@pytest.mark.parametrize("break_it", BREAKS, ids=lambda break_it: break_it.__name__)
def test_the_schedules_find_a_delivery_that_has(
    local_slack: FakeSlack, monkeypatch: pytest.MonkeyPatch, break_it: Callable[[pytest.MonkeyPatch], None]
) -> None:
    break_it(monkeypatch)
    with pytest.raises(AssertionError, match="schedule"):
        run_schedules(range(N_SCHEDULES), local_slack, monkeypatch, over_socket)
