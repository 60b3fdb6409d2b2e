"""The product is killed while Slack's events come in: each question has one message afterwards.

``TEST_KILLS=20 python -m pytest tests/contracts/test_slack_kills.py`` kills it more often than the default.
"""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from pathlib import Path

import pytest

from bot.simulator.seed import ADA, HELP
from bot.simulator.simulation import Simulation
from workers.simulated_product import SimulatedProduct, free_port

pytestmark = pytest.mark.model

N_KILLS = int(os.environ.get("TEST_KILLS", "2"))
N_QUESTIONS = 4
SEED = 20_261_201


def test_killed_at_random_moments_every_question_ends_with_one_message(tmp_path: Path) -> None:
    dice, port = random.Random(SEED), free_port()
    simulation = Simulation(way="http", product_url=f"http://127.0.0.1:{port}", has_rate_limits=False)
    product = SimulatedProduct(
        tmp_path / "home", port, {**simulation.environment, "FOOTNOTE_IGNORE_DOTENV": "1"}, is_quiet=True
    )
    simulation.client.pace = 0.02
    product.read("leave.md", "# Leave\n\nUnused days of leave must be taken until 31 March.\n")
    asked: list[str] = []
    try:
        for _ in range(N_KILLS):
            product.start()
            for _ in range(N_QUESTIONS):
                text = "@footnote Until when must unused days of leave be taken?"
                asked.append(simulation.client.write(ADA, HELP, text)["ts"])
            simulation.client.wait(60)
            time.sleep(dice.uniform(0.0, 1.5))
            product.kill()
        product.start()
        wait_until_answered(simulation, asked)
        time.sleep(3)  # a second message would come now
        assert Counter(threads(simulation)) == Counter(asked)
        assert not simulation.workspace.statuses
        assert simulation.api.problems == []
    finally:
        product.kill()
        simulation.close()


def threads(simulation: Simulation) -> list[str]:
    return [m["thread_ts"] for m in simulation.workspace.messages[HELP] if m.get("bot_id")]


def wait_until_answered(simulation: Simulation, asked: list[str]) -> None:
    deadline = time.monotonic() + 240
    while set(threads(simulation)) < set(asked) and time.monotonic() < deadline:
        time.sleep(0.2)
