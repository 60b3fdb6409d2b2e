"""`manage.py slack simulate`: Slack's side and the whole product on this machine, without a workspace or a token."""

from __future__ import annotations

import json
import sys
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from bot.simulator.script import run_script
from bot.simulator.simulation import Simulation
from workers.simulated_product import ADMIN_PASSWORD, SimulatedProduct, free_port

HELP = "Run the bot against a simulated workspace: a page to write in, click and look at threads."


def add_arguments(parser: ArgumentParser) -> None:
    """Ports, the way events come in, and the script mode."""
    parser.add_argument("--port", type=int, default=8010, help="of the page that stands in for Slack")
    parser.add_argument(
        "--product-port", type=int, default=0, help="of the console; default: any that is free"
    )
    parser.add_argument("--http", action="store_true", help="signed HTTP requests instead of Socket Mode")
    parser.add_argument(
        "--agent", action="store_true", help="an app made from manifest --agent: prompts, Stop, no guests"
    )
    parser.add_argument(
        "--every-message",
        action="store_true",
        help="an app made from manifest --every-message: of channels it is told all, also edits and deletions",
    )
    parser.add_argument("--no-rate-limits", action="store_true", help="let the bot call as often as it likes")
    parser.add_argument("--home", default="", help="data folder; default: a folder beside the real one")
    parser.add_argument(
        "--script", metavar="FILE", help="run steps (JSON, one a line; - for standard input), print JSON, end"
    )


def run(command: BaseCommand, **options: Any) -> None:
    """Serve until interrupted, or until the script is done.

    Raises:
        CommandError: a port is taken, or the product did not start.
    """
    port = options["product_port"] or free_port()
    way = "http" if options["http"] else "socket"
    try:
        simulation = Simulation(
            way="http" if options["http"] else "socket",
            product_url=f"http://127.0.0.1:{port}",
            port=0 if options["script"] else options["port"],
            has_rate_limits=not options["no_rate_limits"],
            agent=options["agent"],
            every_message=options["every_message"],
        )
    except OSError as error:
        raise CommandError(
            f"Port {options['port']} cannot be used ({error.strerror}). Give another --port."
        ) from error
    home = Path(options["home"] or settings.HOME / "simulator").resolve()
    product = SimulatedProduct(home, port, simulation.environment, is_quiet=bool(options["script"]))
    try:
        product.start()
        if options["script"]:
            product.wait_until_read()
            _play(command, simulation, options["script"])
            return
        command.stdout.write(_greeting(simulation, port, way, tells_all=options["every_message"]))
        command.stdout.flush()
        product.wait()
    except KeyboardInterrupt:
        pass
    finally:
        product.stop()
        simulation.close()


def _play(command: BaseCommand, simulation: Simulation, name: str) -> None:
    lines = sys.stdin if name == "-" else Path(name).read_text(encoding="utf-8").splitlines()
    if simulation.api.socket_url and simulation.environment["SLACK_APP_TOKEN"]:
        simulation.sockets.wait_until_connected(30)
    started = time.monotonic()
    for result in run_script(simulation, lines):
        command.stdout.write(json.dumps(result, ensure_ascii=False))
        command.stdout.flush()
    command.stderr.write(f"done in {time.monotonic() - started:.1f} s")


def _greeting(simulation: Simulation, port: int, way: str, *, tells_all: bool) -> str:
    how = "Socket Mode" if way == "socket" else "signed HTTP requests"
    return "\n".join(
        [
            "",
            f"Slack, simulated:  {simulation.url}",
            f"The console:       http://127.0.0.1:{port} (admin, {ADMIN_PASSWORD})",
            "Told to the app: every message, with its edits and deletions."
            if tells_all
            else "Told to the app: mentions and direct messages; edits and deletions in direct messages alone "
            "(with --every-message in channels too).",
            f"Events come by {how}. Nothing leaves this machine. Stop with Ctrl+C.",
            "",
        ]
    )
