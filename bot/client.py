"""The one way to Slack's Web API."""

from __future__ import annotations

from django.conf import settings
from slack_sdk import WebClient

TIMEOUT_S = 10
"""Well under the delivery's lease, so that a hanging call ends before another worker may try."""


def web_client() -> WebClient:
    """A client of the workspace's bot.

    It resends nothing by itself: Slack may have accepted a post whose answer was lost, and only the
    outbox knows how to look that up before it posts again.
    """
    return WebClient(
        token=settings.SLACK_BOT_TOKEN,
        base_url=settings.SLACK_API_URL.rstrip("/") + "/",
        timeout=TIMEOUT_S,
        retry_handlers=[],
    )


def impatient(client: WebClient, timeout_s: int) -> WebClient:
    """The same client for use before an acknowledgement, which Slack waits for three seconds."""
    return WebClient(token=client.token, base_url=client.base_url, timeout=timeout_s, retry_handlers=[])
