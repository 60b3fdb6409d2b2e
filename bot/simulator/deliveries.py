"""How Slack hands an event to an app: signed HTTP or Socket Mode, within three seconds, else again and again."""

from __future__ import annotations

import hashlib
import hmac
import http.client
import json
import time
import uuid
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias
from urllib.parse import urlencode, urlsplit

from bot.simulator.sockets import SocketServer
from bot.simulator.workspace import Json

ACK_S = 3.0
RETRIES_AFTER_S = (0.0, 60.0, 300.0)
"""Slack sends again almost at once, after one minute and after five."""

Kind: TypeAlias = Literal["events_api", "interactive", "slash_commands"]


@dataclass(frozen=True, slots=True)
class Retry:
    """Which repetition it is, from 1 on, and what Slack says went wrong before."""

    number: int
    reason: str = "http_timeout"


@dataclass(frozen=True, slots=True)
class Ack:
    """What the app answered. `status` is 0 when nothing came in time."""

    status: int
    elapsed_s: float
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """True for an acknowledgement that Slack counts."""
        return 200 <= self.status < 300


class Transport(Protocol):
    """A way to an app."""

    def send(self, kind: Kind, body: Json, *, retry: Retry | None = None) -> Ack:
        """Deliver once and wait for the acknowledgement, three seconds at most."""


class HttpTransport:
    """Posts to the app's request URL, signed as Slack signs."""

    def __init__(self, url: str, signing_secret: str, *, timeout_s: float = ACK_S) -> None:
        self._parts = urlsplit(url)
        self._secret = signing_secret.encode()
        self._timeout_s = timeout_s

    def send(self, kind: Kind, body: Json, *, retry: Retry | None = None) -> Ack:
        """Events as JSON, commands as a form, clicks as a form whose field ``payload`` is JSON."""
        raw, content_type = _encoded(kind, body)
        headers = {"Content-Type": content_type, **self._signature(raw)}
        if retry is not None:
            headers |= {"X-Slack-Retry-Num": str(retry.number), "X-Slack-Retry-Reason": retry.reason}
        started = time.perf_counter()
        connection = http.client.HTTPConnection(self._parts.netloc, timeout=self._timeout_s)
        try:
            connection.request("POST", self._parts.path, raw, headers)
            response = connection.getresponse()
            answer, status, kept = response.read(), response.status, dict(response.getheaders())
        except (OSError, http.client.HTTPException):
            return Ack(0, time.perf_counter() - started)
        finally:
            connection.close()
        return Ack(status, time.perf_counter() - started, _read(answer), kept)

    def _signature(self, raw: bytes) -> dict[str, str]:
        timestamp = str(int(time.time()))
        digest = hmac.new(self._secret, b"v0:" + timestamp.encode() + b":" + raw, hashlib.sha256).hexdigest()
        return {"X-Slack-Request-Timestamp": timestamp, "X-Slack-Signature": f"v0={digest}"}


class SocketTransport:
    """Sends an envelope over the connection the app opened."""

    def __init__(self, server: SocketServer, *, timeout_s: float = ACK_S) -> None:
        self._server = server
        self._timeout_s = timeout_s

    def send(self, kind: Kind, body: Json, *, retry: Retry | None = None) -> Ack:
        """No answer in time counts as none: the SDK acknowledges only what the app answered with 200."""
        envelope: Json = {
            "envelope_id": str(uuid.uuid4()),
            "type": kind,
            "payload": body,
            "accepts_response_payload": kind != "events_api",
        }
        if retry is not None:
            envelope |= {"retry_attempt": retry.number, "retry_reason": retry.reason}
        started = time.perf_counter()
        try:
            self._server.send(envelope)
        except ConnectionError:
            return Ack(0, time.perf_counter() - started)
        ack = self._server.wait_for_ack(envelope["envelope_id"], self._timeout_s)
        elapsed_s = time.perf_counter() - started
        return Ack(200 if ack else 0, elapsed_s, (ack or {}).get("payload"))


def deliver(
    transport: Transport, kind: Kind, body: Json, *, lost_acks: int = 0, pace: float = 1.0
) -> list[Ack]:
    """Deliver until it is acknowledged, four times at most; clicks and commands once, as Slack does.

    `lost_acks`: so many acknowledgements are taken for lost. `pace` multiplies Slack's waits between tries.
    """
    acks = [transport.send(kind, body)]
    if kind != "events_api":
        return acks
    for number, wait_s in enumerate(RETRIES_AFTER_S, start=1):
        last = acks[-1]
        if last.ok and len(acks) > lost_acks:
            break
        if last.headers.get("X-Slack-No-Retry") == "1":
            break
        time.sleep(wait_s * pace)
        reason = "http_error" if last.status and not last.ok else "http_timeout"
        acks.append(transport.send(kind, body, retry=Retry(number, reason)))
    return acks


def _encoded(kind: Kind, body: Json) -> tuple[bytes, str]:
    if kind == "events_api":
        return json.dumps(body).encode(), "application/json"
    fields = body if kind == "slash_commands" else {"payload": json.dumps(body)}
    return urlencode(fields).encode(), "application/x-www-form-urlencoded"


def _read(answer: bytes) -> Any:
    try:
        return json.loads(answer)
    except ValueError:
        return answer.decode("utf-8", "replace")
