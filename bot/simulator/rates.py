"""Slack's rate limits: calls of one method a minute for a workspace, and one message a second for a channel."""

from __future__ import annotations

import math
import time
from collections import defaultdict, deque
from collections.abc import Callable

WINDOW_S = 60.0
TIERS = {1: 1, 2: 20, 3: 50, 4: 100}
"""Calls a minute that Slack promises at least; it lets short bursts through, this does not."""

TIER_OF = {
    "chat.update": 3,
    "chat.delete": 3,
    "reactions.add": 3,
    "conversations.info": 3,
    "conversations.history": 3,
    "conversations.replies": 3,
    "conversations.open": 3,
    "users.conversations": 3,
    "users.lookupByEmail": 3,
    "team.info": 3,
    "chat.postEphemeral": 4,
    "views.open": 4,
    "views.push": 4,
    "views.update": 4,
    "views.publish": 4,
    "users.info": 4,
    "conversations.members": 4,
    "assistant.threads.setSuggestedPrompts": 4,
}
PER_MINUTE = {"chat.postMessage": 300, "assistant.threads.setStatus": 600}
CHANNEL_BURST = 10
"""Messages one channel takes at once before it is one a second. Slack allows bursts and gives no number."""


class RateLimiter:
    """Counts the calls of the last minute. Times in seconds of `clock`."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._calls: dict[str, deque[float]] = defaultdict(deque)
        self._channels: dict[str, tuple[float, float]] = {}

    def retry_after_s(self, method: str, channel: str = "") -> int:
        """0 and the call is counted, or the whole seconds to wait before it may be made."""
        most = PER_MINUTE.get(method) or TIERS[TIER_OF.get(method, 4)]
        now, calls = self._clock(), self._calls[method]
        while calls and calls[0] <= now - WINDOW_S:
            calls.popleft()
        if len(calls) >= most:
            return max(1, math.ceil(calls[0] + WINDOW_S - now))
        if method == "chat.postMessage" and not self._take_from(channel, now):
            return 1
        calls.append(now)
        return 0

    def _take_from(self, channel: str, now: float) -> bool:
        """A bucket of `CHANNEL_BURST` messages that fills up by one a second."""
        left, since = self._channels.get(channel, (float(CHANNEL_BURST), now))
        left = min(float(CHANNEL_BURST), left + now - since)
        if left < 1:
            return False
        self._channels[channel] = (left - 1, now)
        return True
