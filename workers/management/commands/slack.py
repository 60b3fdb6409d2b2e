"""`manage.py slack …`: everything about the Slack app; each subcommand is a module of `workers.slack_commands`."""

from __future__ import annotations

import pkgutil
from argparse import ArgumentParser
from importlib import import_module
from typing import Any, Protocol, cast

from django.core.management.base import BaseCommand, CommandError

from workers import slack_commands


class Subcommand(Protocol):
    """What a module of `workers.slack_commands` offers; its name, with dashes, is the subcommand's."""

    HELP: str

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Options of its own."""

    def run(self, command: BaseCommand, **options: Any) -> None:
        """Do it; what is wrong is a `CommandError` or an exit status."""


def subcommands() -> dict[str, Subcommand]:
    """Every subcommand by its name."""
    names = sorted(module.name for module in pkgutil.iter_modules(slack_commands.__path__))
    return {
        name.replace("_", "-"): cast("Subcommand", import_module(f"{slack_commands.__name__}.{name}"))
        for name in names
    }


class Command(BaseCommand):
    """Hand over to a subcommand."""

    help = "Set up, check and look at the Slack app."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """A parser for each subcommand."""
        parsers = parser.add_subparsers(dest="subcommand", metavar="SUBCOMMAND", required=True)
        for name, module in subcommands().items():
            one = parsers.add_parser(name, help=module.HELP, description=module.HELP)
            module.add_arguments(one)

    def handle(self, *, subcommand: str, **options: Any) -> None:
        """Run the one that was named."""
        module = subcommands().get(subcommand)
        if module is None:
            raise CommandError(f"There is no subcommand {subcommand}.")
        module.run(self, **options)
