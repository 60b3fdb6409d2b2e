"""The folder that a command puts documents into."""

from __future__ import annotations

from argparse import ArgumentParser

from django.core.management.base import CommandError

from console.access import Rejected
from console.sources.models import Folder
from console.sources.services import create_folder

INTERRUPTED = "Interrupted. What was stored is kept: `make run` reads the rest, and so does the same command."


def add_folder_options(parser: ArgumentParser) -> None:
    """`--folder`, `--open`, and `--timeout` for the server that reads what was put there."""
    parser.add_argument("--folder", required=True, help="name of the folder; created when it does not exist")
    parser.add_argument("--open", action="store_true", help="a folder created now may be asked by everyone")
    parser.add_argument("--timeout", type=float, default=3_600.0, help="seconds to wait for a running server")


def target_folder(name: str, *, is_open: bool) -> Folder:
    """The folder of that name, created when it does not exist.

    Raises:
        CommandError: the name cannot be one.
    """
    found = Folder.objects.filter(name=name).first()
    try:
        return found or create_folder(actor=None, name=name, is_open=is_open)
    except Rejected as error:
        raise CommandError(str(error)) from error


def closed_notice(name: str, *, is_open: bool) -> str:
    """What to say when a folder that exists was asked to be open and is not; else empty."""
    if not is_open or not Folder.objects.filter(name=name, is_open=False).exists():
        return ""
    return f"{name} exists and stays closed; open it on its page in the console."
