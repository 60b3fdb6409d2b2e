"""`manage.py slack doctor`: tokens, permissions, teams, clock, duplicates, and every channel."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import IO, Any, cast

from django.core.management.base import BaseCommand
from rich.console import Console
from rich.text import Text

from bot.doctor import check_channels, check_slack
from workers.first_start import require_tables

HELP = "Check tokens, permissions, workspaces, clock and duplicates, and every channel that is set up."


def add_arguments(parser: ArgumentParser) -> None:
    """How much."""
    parser.add_argument("--no-channels", action="store_true", help="leave the channels out")


def run(command: BaseCommand, *, no_channels: bool, **_: Any) -> None:
    """Print a line a finding; the exit status is 1 when something is wrong."""
    require_tables()
    out = Console(file=cast("IO[str]", command.stdout), highlight=False)
    checks = [*check_slack(), *([] if no_channels else check_channels())]
    for ok, message, next_step in checks:
        mark = Text("ok   ", style="green") if ok else Text("FAULT", style="bold red")
        out.print(mark, Text(message))
        if next_step:
            out.print(Text(f"      → {next_step}"))
    if not all(check.ok for check in checks):
        raise SystemExit(1)
