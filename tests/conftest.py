"""Settings every test runs under: a data folder of its own, no Slack, no services.

The network is closed but for this machine's loopback (`--allow-hosts` in pyproject.toml).
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

# Before Django reads its settings: nothing of the developer's machine may leak into a test.
for name in list(os.environ):
    if name.startswith(("FOOTNOTE_", "SLACK_", "CELERY_")) or name in {"DATABASE_URL", "REDIS_URL", "SECRET_KEY"}:
        del os.environ[name]
os.environ["FOOTNOTE_HOME"] = tempfile.mkdtemp(prefix="footnote-tests-")
os.environ["FOOTNOTE_IGNORE_DOTENV"] = "1"
os.environ.setdefault("HF_HUB_OFFLINE", "1")
if "TEST_DATABASE_URL" in os.environ:  # tests/contracts/test_postgres.py runs suites on PostgreSQL
    os.environ["DATABASE_URL"] = os.environ["TEST_DATABASE_URL"]

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture
def shared_data() -> Path:
    """The corpora beside the checkout; the test is skipped without them."""
    if not SHARED.is_dir():
        pytest.skip("the shared corpora do not lie beside this checkout")
    return SHARED / "data"
