"""The server way: web, workers and queue as processes of their own, over real PostgreSQL and Redis.

Qdrant's server is not installed here, so the one worker process uses Qdrant Edge; the server side of the
vector store has its own contract test (tests/rag), over a real server where `QDRANT_URL` is set.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.contracts.product import HANDBOOK, Product, wait_until
from tests.contracts.services import free_port, postgres, redis


@pytest.mark.services
@pytest.mark.model
def test_web_and_worker_processes_share_postgresql_and_redis(tmp_path: Path) -> None:
    with postgres() as database, redis(tmp_path) as broker:
        product = Product(tmp_path, free_port(), {"DATABASE_URL": database, "REDIS_URL": broker})
        assert "The database is ready." in product.manage("setup", "--no-sample")
        product.make_token()
        processes = [
            product.start(
                *(sys.executable, "-m", "uvicorn", "console.asgi:application", "--port", str(product.port))
            ),
            product.start(
                *(sys.executable, "-m", "celery", "-A", "console", "worker", "-P", "threads", "-c", "2"),
                *("-Q", "questions,documents,deliveries", "-B", "-s", str(tmp_path / "beat")),
            ),
        ]
        try:
            product.wait_for_site(processes[0])
            folder = product.api("POST", "/folders", {"name": "Travel", "is_open": True})
            good = product.upload(folder["id"], "policy.md", HANDBOOK.encode())
            broken = product.upload(folder["id"], "broken.pdf", b"%PDF-1.7 broken")

            def state(document: dict) -> str:
                return product.api("GET", f"/documents/{document['id']}")["state"]

            wait_until(lambda: state(good) == "indexed", "the good file to be indexed")
            wait_until(lambda: state(broken) == "failed", "the broken file to fail")
            question = {"text": "What is the nightly hotel limit in capital cities?", "wait_s": 20}
            answer = product.api("POST", "/questions", question)
            assert answer["state"] == "answered"
            assert "180 EUR" in answer["citations"][0]["quote"]
            refused = product.api("POST", "/questions", {"text": "Who won the 1998 world cup?", "wait_s": 20})
            assert (refused["state"], refused["reason_code"]) == ("refused", "below_threshold")
        finally:
            for process in processes:
                process.terminate()
            for process in processes:
                process.wait(30)
