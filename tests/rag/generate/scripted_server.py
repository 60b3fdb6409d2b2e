"""A language model's server that does what a script says: a real HTTP server on the loopback, and it may lie.

Each request takes the next reply; the last one is repeated. A reply may be a function of the request's JSON, so that
a test can play a model that reads its prompt.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from rag.generate import ChatEndpoint

KEY = "sk-of-the-tests-1f7c"


@dataclass(frozen=True, slots=True)
class Reply:
    """What one request gets: `body` after `delay_s`.

    `is_dropped`: the connection closes after `body`, without a status line when it is empty. `is_hanging`: nothing
    comes until the server closes. `dripped`: these bytes again and again, one every 20 ms, after the headers; with
    `drips_headers` before their end.
    """

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    is_dropped: bool = False
    is_hanging: bool = False
    dripped: bytes = b""
    drips_headers: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it came in; header names in lower case."""

    path: str
    headers: dict[str, str]
    json: dict


def says(text, *, finish_reason="stop", **more):
    """A chat completion as servers send it."""
    message = {"role": "assistant", "content": text, **more}
    return sends({"choices": [{"index": 0, "message": message, "finish_reason": finish_reason}]})


def sends(value):
    """Any JSON with status 200."""
    return Reply(body=json.dumps(value).encode(), headers={"Content-Type": "application/json"})


def fails(status, **headers):
    """A status; `Retry_After="1"` becomes the header Retry-After."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    # Some servers quote the key that they refuse.
    return Reply(status, json.dumps({"error": f"Incorrect API key provided: {KEY}"}).encode(), named)


HANGS = Reply(is_hanging=True)
DROPS = Reply(is_dropped=True)
DRIPS = Reply(dripped=b" ")
DRIPS_HEADERS = Reply(dripped=b"X-More: 1\r\n", drips_headers=True)


class ScriptedServer:
    """Use as a context manager; `requests` and `max_at_once` tell what came in."""

    def __init__(self, *replies: Reply | Callable[[dict], Reply]) -> None:
        self.requests: list[Request] = []
        self.max_at_once = 0
        self.n_sent_bytes = 0
        self._replies = replies
        self._at_once = 0
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def endpoint(self, **more) -> ChatEndpoint:
        """Where this server is, with limits that suit a test."""
        return ChatEndpoint(
            **{"base_url": self.url, "model": "scripted", "api_key": KEY, "time_limit_s": 10.0, **more}
        )

    def close(self) -> None:
        self._closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> ScriptedServer:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                headers = {name.lower(): value for name, value in self.headers.items()}
                with server._lock:
                    at = min(len(server.requests), len(server._replies) - 1)
                    server.requests.append(Request(self.path, headers, body))
                    server._at_once += 1
                    server.max_at_once = max(server.max_at_once, server._at_once)
                try:
                    reply = server._replies[at]
                    reply = reply if isinstance(reply, Reply) else reply(body)
                    if reply.is_hanging:
                        server._closing.wait()
                    server._closing.wait(reply.delay_s)
                finally:
                    # Before the first byte goes out: the client may send its next request once it has the last,
                    # which can be before this thread goes on.
                    with server._lock:
                        server._at_once -= 1
                server._send(self, reply)

            def log_message(self, *arguments):
                pass

        return Handler

    def _send(self, handler: BaseHTTPRequestHandler, reply: Reply) -> None:
        if reply.is_dropped and not reply.body:
            handler.close_connection = True
            return
        handler.send_response(reply.status)
        for name, value in reply.headers.items():
            handler.send_header(name, value)
        # More is promised than comes when the connection drops half-way.
        length = len(reply.body) * (2 if reply.is_dropped else 1)
        if not reply.dripped:
            handler.send_header("Content-Length", str(length))
        if reply.drips_headers:
            handler.flush_headers()
        else:
            handler.end_headers()
        handler.wfile.write(reply.body)
        self.n_sent_bytes += len(reply.body)
        while reply.dripped and not self._closing.wait(0.02):
            handler.wfile.write(reply.dripped)
            self.n_sent_bytes += len(reply.dripped)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A client that went away is what most of these tests are about."""
