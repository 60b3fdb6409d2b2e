"""`manage.py slack rotate-keys`: seal every workspace's token under the newest key."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from console import sealing
from console.channels.workspaces import rotate_keys
from workers.first_start import require_tables

HELP = "Seal every workspace's token under the first key of SLACK_TOKEN_KEYS; with --new, print a key."


def add_arguments(parser: ArgumentParser) -> None:
    """Whether a key is wanted."""
    parser.add_argument("--new", action="store_true", help="print a new key and change nothing")


def run(command: BaseCommand, *, new: bool, **_: Any) -> None:
    """Print a key, or seal anew and say how many; tokens that no key opens are an error."""
    if new:
        command.stdout.write(sealing.new_key())
        return
    require_tables()
    n_resealed, lost = rotate_keys()
    command.stdout.write(f"{n_resealed} {'token is' if n_resealed == 1 else 'tokens are'} sealed anew.")
    if lost:
        raise CommandError(
            f"No key of SLACK_TOKEN_KEYS opens the token of {', '.join(lost)}. Add the key it was sealed with, or "
            "install the app there again."
        )
    command.stdout.write("Older keys can be taken out of SLACK_TOKEN_KEYS now.")
