"""The services' tests once more, on a real PostgreSQL: row locks and constraints differ from SQLite's."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.contracts.services import postgres

SUITES = [
    "tests/workers/test_documents_way.py",
    "tests/workers/test_questions_way.py",
    "tests/bot/test_once.py",
    "tests/bot/test_delivery.py",
    "tests/bot/test_commands.py",
]


@pytest.mark.services
def test_the_services_behave_alike_on_postgresql() -> None:
    with postgres() as url:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *SUITES],
            env={**os.environ, "TEST_DATABASE_URL": url},
            capture_output=True,
            text=True,
            check=False,
            timeout=240,
        )
    assert done.returncode == 0, done.stdout[-6000:]
    assert " passed" in done.stdout
