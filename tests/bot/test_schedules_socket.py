"""Five hundred of the thousand random schedules, by Socket Mode: one terminal message for every question.

`TEST_SCHEDULES=10000 pytest tests/bot/test_schedules_socket.py` runs more.
"""

from __future__ import annotations

import os

import pytest

from tests.bot.fake_slack import FakeSlack
from tests.bot.schedules import over_socket, run_schedules

pytestmark = pytest.mark.usefixtures("transactional_db")

N_SCHEDULES = int(os.environ.get("TEST_SCHEDULES", "500"))


def test_requirement_1_every_question_gets_exactly_one_terminal_message_by_socket(
    local_slack: FakeSlack, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds = range(1, 2 * N_SCHEDULES, 2)
    n_kills, n_faults = run_schedules(seeds, local_slack, monkeypatch, over_socket)
    assert n_kills > N_SCHEDULES, "schedules that kill nobody prove nothing"
    assert n_faults > N_SCHEDULES
