"""The simulator's end of Socket Mode, by the name the tests use."""

from __future__ import annotations

from bot.simulator.sockets import SocketServer


class FakeSocket(SocketServer):
    """`send` an envelope, then `next_ack`."""

    def send(self, envelope: dict) -> None:
        assert self.wait_until_connected(), "nobody connected"
        super().send(envelope)
