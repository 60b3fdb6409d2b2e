"""`manage.py slack bench`: how fast events are acknowledged while answers are being made, over both ways."""

from __future__ import annotations

import json
import os
import platform
import tempfile
import threading
import time
from argparse import ArgumentParser
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from bot.simulator import events
from bot.simulator.deliveries import Ack
from bot.simulator.seed import ADA
from bot.simulator.seed import HELP as HELP_CHANNEL
from bot.simulator.simulation import Simulation, Way
from bot.simulator.workspace import Json
from workers.simulated_product import SimulatedProduct, free_port

HELP = "Measure acknowledgements while answers are being made, by HTTP and by Socket Mode."
LIMIT_S = 1.0
START_S = 120.0
DOCUMENT = """# Leave

## Unused days

Unused days of leave must be taken until 31 March of the following year. After that they lapse.
"""
QUESTION = "<@{bot}> Until when must unused days of leave be taken?"


@dataclass(frozen=True, slots=True)
class AckReport:
    """Times in seconds. `n_held_first`, `n_held_last`: answers under way at the first and at the last ack."""

    way: str
    n_acks: int
    n_failed: int
    n_asked: int
    n_held_first: int
    n_held_last: int
    answer_s: float
    alone_p99_s: float
    p50_s: float
    p99_s: float
    worst_s: float


def add_arguments(parser: ArgumentParser) -> None:
    """How many, how slow, and where the figures go."""
    parser.add_argument("--events", type=int, default=100, help="events sent while answers are made")
    parser.add_argument("--answers", type=int, default=10, help="answers under way meanwhile")
    parser.add_argument("--seconds", type=float, default=8.0, help="how long the language model takes")
    parser.add_argument("--senders", type=int, default=4, help="events under way at once")
    parser.add_argument("--way", choices=["http", "socket", "both"], default="both")
    parser.add_argument("--json", metavar="FILE", help="also write the figures there")


def run(command: BaseCommand, **options: Any) -> None:
    """Start the product with a language model that takes its time, ask, and take the times of the acks.

    Raises:
        CommandError: a way does not acknowledge within a second.
    """
    ways: list[Way] = ["http", "socket"] if options["way"] == "both" else [options["way"]]
    reports = []
    for way in ways:
        report = _measure(way, options)
        reports.append(report)
        command.stdout.write(_line(report))
    if options["json"]:
        machine = {"machine": f"{os.cpu_count()} cores, Python {platform.python_version()}"}
        text = json.dumps([asdict(report) | machine for report in reports], indent=2)
        Path(options["json"]).write_text(text + "\n", encoding="utf-8")
    slow = [report.way for report in reports if report.p99_s >= LIMIT_S or report.n_failed]
    if slow:
        raise CommandError(f"Too slow, or not acknowledged: {', '.join(slow)}.")


def _measure(way: Way, options: dict[str, Any]) -> AckReport:
    port = free_port()
    model = SlowModel(options["seconds"])
    simulation = Simulation(way=way, product_url=f"http://127.0.0.1:{port}", has_rate_limits=False)
    environment = {
        **simulation.environment,
        "FOOTNOTE_GENERATOR": "chat",
        "FOOTNOTE_LLM_URL": model.url,
        "FOOTNOTE_LLM_MODEL": "slow",
        "FOOTNOTE_ANSWERS_AT_ONCE": str(options["answers"]),
    }
    with tempfile.TemporaryDirectory(prefix="footnote-bench-") as home:
        product = SimulatedProduct(Path(home), port, environment, is_quiet=True)
        try:
            product.read("leave.md", DOCUMENT)
            product.start()
            if way == "socket" and not simulation.sockets.wait_until_connected(30):
                raise CommandError("The product did not open its socket.")
            return _ask_and_time(way, simulation, product, options)
        finally:
            product.stop()
            simulation.close()
            model.close()


def _ask_and_time(
    way: Way, simulation: Simulation, product: SimulatedProduct, options: dict[str, Any]
) -> AckReport:
    def send(number: int) -> Ack:
        return simulation.client.transport.send("events_api", _event(simulation, number))

    _warm_up(simulation, send)
    alone = [send(-number) for number in range(1, 21)]  # questions of a bot: acknowledged, not answered
    for number in range(options["answers"]):
        send(number)
    deadline = time.monotonic() + START_S
    while (held_first := product.n_answering()) < options["answers"]:
        if time.monotonic() > deadline:
            raise CommandError(f"Only {held_first} of {options['answers']} answers are under way.")
        time.sleep(0.05)
    with ThreadPoolExecutor(options["senders"]) as pool:
        acks = list(pool.map(send, range(1_000, 1_000 + options["events"])))
    held_last = product.n_answering()
    times = sorted(ack.elapsed_s for ack in acks)
    return AckReport(
        way=way,
        n_acks=len(acks),
        n_failed=sum(not ack.ok for ack in acks),
        n_asked=options["answers"],
        n_held_first=held_first,
        n_held_last=held_last,
        answer_s=options["seconds"],
        alone_p99_s=round(max(ack.elapsed_s for ack in alone), 4),
        p50_s=round(times[len(times) // 2], 4),
        p99_s=round(times[min(len(times) - 1, int(len(times) * 0.99))], 4),
        worst_s=round(times[-1], 4),
    )


def _warm_up(simulation: Simulation, send: Callable[[int], Ack]) -> None:
    """One question first: models are loaded when they are first needed."""
    send(500)
    deadline = time.monotonic() + START_S
    while not any(m.get("bot_id") for m in simulation.workspace.messages[HELP_CHANNEL]):
        if time.monotonic() > deadline:
            raise CommandError("The first question was not answered.")
        time.sleep(0.1)


def _event(simulation: Simulation, number: int) -> Json:
    """A mention in a thread of its own; a negative number is one by another bot."""
    workspace = simulation.workspace
    text = QUESTION.format(bot=workspace.bot_user_id)
    message: Json = {"user": ADA, "ts": workspace.next_ts(), "text": text, "team": workspace.team_id}
    if number < 0:
        message["bot_id"] = "B00000OTHER"
    return events.event_callback(workspace, events.mention_event(workspace.channels[HELP_CHANNEL], message))


def _line(report: AckReport) -> str:
    return (
        f"{report.way:<7} {report.n_acks} events, {report.n_failed} not acknowledged; p50 {report.p50_s:.3f} s, "
        f"p99 {report.p99_s:.3f} s, worst {report.worst_s:.3f} s (idle: {report.alone_p99_s:.3f} s); "
        f"{report.n_held_first} answers of {report.answer_s:g} s under way at the first ack, "
        f"{report.n_held_last} at the last"
    )


class SlowModel:
    """An OpenAI-compatible endpoint on the loopback that says nothing useful after `seconds`."""

    def __init__(self, seconds: float) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(seconds))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def url(self) -> str:
        """The address for `FOOTNOTE_LLM_URL`."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()


def _handler(seconds: float) -> type[BaseHTTPRequestHandler]:
    message = {"role": "assistant", "content": "{}"}
    body = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            time.sleep(seconds)
            try:
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except OSError:
                self.close_connection = True  # the product did not wait

        def log_message(self, *_: object) -> None:
            """Nothing."""

    return Handler
