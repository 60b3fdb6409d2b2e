"""A pytest plugin, loaded before Django reads its settings: nothing of the developer's machine leaks in.

Each run gets a data folder of its own, no `.env`, no Slack, no services. It cannot be a conftest:
pytest-django reads the settings before those.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

_OURS = ("FOOTNOTE_", "SLACK_", "CELERY_")
_SHARED_NAMES = {"DATABASE_URL", "REDIS_URL", "SECRET_KEY", "ALLOWED_HOSTS", "CSRF_TRUSTED_ORIGINS", "DEBUG"}

for name in [name for name in os.environ if name.startswith(_OURS) or name in _SHARED_NAMES]:
    del os.environ[name]
if "QDRANT_URL" in os.environ:  # for the contract test of the vector store (tests/rag) alone
    os.environ["TEST_QDRANT_URL"] = os.environ.pop("QDRANT_URL")
os.environ["FOOTNOTE_HOME"] = tempfile.mkdtemp(prefix="footnote-tests-")
atexit.register(shutil.rmtree, os.environ["FOOTNOTE_HOME"], ignore_errors=True)
os.environ["FOOTNOTE_IGNORE_DOTENV"] = "1"
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["FOOTNOTE_RERANKER"] = "none"  # a test that is about reranking says which
os.environ["FOOTNOTE_SUPPORT"] = "none"
if "TEST_DATABASE_URL" in os.environ:  # tests/contracts/test_postgres.py runs suites on PostgreSQL
    os.environ["DATABASE_URL"] = os.environ["TEST_DATABASE_URL"]
