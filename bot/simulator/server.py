"""The simulator's HTTP server on the loopback: the Web API, `response_url`s, and whatever pages are added."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TypeAlias

from bot.simulator.web_api import HttpAnswer, WebApi

Pages: TypeAlias = Callable[["PageRequest"], HttpAnswer | None]


class PageRequest:
    """A request for something that is not Slack's API. `write` streams; then no answer is given back."""

    def __init__(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        self.method = handler.command
        self.path = handler.path
        self.headers = handler.headers
        self.body = body
        self._handler = handler

    def start_stream(self, content_type: str) -> None:
        """Answer 200 and keep the connection."""
        self._handler.close_connection = True
        self._handler.send_response(200)
        self._handler.send_header("Content-Type", content_type)
        self._handler.send_header("Cache-Control", "no-store")
        self._handler.end_headers()

    def write(self, data: bytes) -> None:
        """Send a piece of a stream.

        Raises:
            OSError: nobody listens any more.
        """
        self._handler.wfile.write(data)
        self._handler.wfile.flush()


class SimulatorServer:
    """Serves a Web API, and pages beside it, in threads of its own; only this machine can reach it."""

    def __init__(self, api: WebApi, *, port: int = 0, pages: Pages | None = None) -> None:
        self._server = _Server(("127.0.0.1", port), _handler(api, pages))
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.01,), name="simulator", daemon=True
        )
        self._thread.start()

    @property
    def url(self) -> str:
        """``http://127.0.0.1:<port>``."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def _handler(api: WebApi, pages: Pages | None) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if self.path.startswith(("/api/", "/commands/")):
                token = self.headers.get("Authorization", "").removeprefix("Bearer ")
                answer, wait_s = api.answer(self.path, raw, self.headers.get("Content-Type", ""), token)
                if wait_s:
                    time.sleep(wait_s)
            else:
                answer = pages(PageRequest(self, raw)) if pages else HttpAnswer(404, {}, b"")
            self._send(answer)

        do_GET = do_POST  # noqa: N815

        def _send(self, answer: HttpAnswer | None) -> None:
            if answer is None:
                self.close_connection = True
                return
            try:
                self.send_response(answer.status)
                for name, value in answer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer.body)))
                self.end_headers()
                self.wfile.write(answer.body)
            except OSError:
                self.close_connection = True  # whoever asked did not wait

        def log_message(self, *_: object) -> None:
            """Nothing: the requests are kept in `WebApi.calls`."""

    return Handler
