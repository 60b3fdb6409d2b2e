"""The process is killed between Slack's ack and the answer, and started again: exactly one answer."""

from __future__ import annotations

import hashlib
import hmac
import json
import signal
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.bot.fake_slack import TOKEN, FakeSlack
from tests.bot.payloads import SECRET, mention
from tests.contracts.product import HANDBOOK, Product, wait_until
from tests.contracts.services import free_port

pytestmark = pytest.mark.model


@pytest.fixture
def slack() -> Iterator[FakeSlack]:
    fake = FakeSlack()
    yield fake
    fake.close()


def post_signed(product: Product, body: dict) -> int:
    data = json.dumps(body).encode()
    timestamp = str(int(time.time()))
    digest = hmac.new(SECRET.encode(), b"v0:" + timestamp.encode() + b":" + data, hashlib.sha256).hexdigest()
    request = urllib.request.Request(
        f"{product.url}/slack/events",
        data=data,
        headers={
            "Content-Type": "application/json",
            "X-Slack-Request-Timestamp": timestamp,
            "X-Slack-Signature": f"v0={digest}",
        },
    )
    with urllib.request.urlopen(request, timeout=10) as response:
        return response.status


def test_killed_between_ack_and_answer_and_started_again_gives_one_answer(
    tmp_path: Path, slack: FakeSlack
) -> None:
    product = Product(
        tmp_path,
        free_port(),
        {"SLACK_BOT_TOKEN": TOKEN, "SLACK_SIGNING_SECRET": SECRET, "SLACK_API_URL": f"{slack.url}/api/"},
    )
    (tmp_path / "policy.md").write_text(HANDBOOK)
    product.manage("setup", "--no-sample")
    product.manage("ingest", str(tmp_path / "policy.md"), "--folder", "Travel", "--open")
    server = product.serve()
    try:
        assert f"Footnote serves on {product.url}" in "".join(
            log.read_text() for log in tmp_path.glob("*.log")
        )
        body = mention("what is the nightly hotel limit in capital cities?")
        assert post_signed(product, body) == 200
        server.send_signal(signal.SIGKILL)
        server.wait(10)
        assert slack.posts == [], "it was killed before it answered"
        server = product.serve()
        wait_until(lambda: slack.posts, "the answer")
        assert post_signed(product, body) == 200, "Slack's own retry comes late"
        time.sleep(2)
        (answer,) = slack.posts
        assert answer["thread_ts"] == body["event"]["ts"]
        assert "180 EUR" in json.dumps(answer)
    finally:
        server.kill()
        server.wait(10)
