"""Slack's end of Socket Mode: a websocket server on the loopback that sends envelopes and keeps acks."""

from __future__ import annotations

import asyncio
import contextlib
import json
import queue
import threading

from aiohttp import WSMsgType, web


class FakeSocket:
    """Runs its own loop in a thread; `send` an envelope, then `next_ack`."""

    def __init__(self) -> None:
        self.acks: queue.Queue[dict] = queue.Queue()
        self.connected = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._socket: web.WebSocketResponse | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        assert self._ready.wait(5)

    def send(self, envelope: dict) -> None:
        assert self.connected.wait(5), "nobody connected"
        sending = asyncio.run_coroutine_threadsafe(self._socket.send_str(json.dumps(envelope)), self._loop)
        sending.result(5)

    def nudge(self) -> None:
        """Let the other end's read return."""
        if self._socket is not None and not self._socket.closed:
            asyncio.run_coroutine_threadsafe(self._nudge(), self._loop)

    async def _nudge(self) -> None:
        with contextlib.suppress(ConnectionError, RuntimeError):
            await self._socket.send_str(json.dumps({"type": "hello"}))

    def next_ack(self, timeout_s: float = 5) -> dict | None:
        try:
            return self.acks.get(timeout=timeout_s)
        except queue.Empty:
            return None

    def close(self) -> None:
        asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result(5)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._start())
        self._ready.set()
        self._loop.run_forever()

    async def _start(self) -> None:
        app = web.Application()
        app.router.add_get("/link", self._serve)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"ws://127.0.0.1:{site._server.sockets[0].getsockname()[1]}/link"

    async def _serve(self, request: web.Request) -> web.WebSocketResponse:
        self._socket = web.WebSocketResponse()
        await self._socket.prepare(request)
        await self._socket.send_str(json.dumps({"type": "hello", "num_connections": 1}))
        self.connected.set()
        async for message in self._socket:
            if message.type == WSMsgType.TEXT:
                self.acks.put(json.loads(message.data))
        return self._socket
