"""`manage.py slack manifest`: print the app manifest that Slack makes the app from."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any
from urllib.parse import urlsplit

from django.core.management.base import BaseCommand, CommandError

from bot.manifests import manifest

HELP = "Print the app manifest; paste it at api.slack.com/apps, Create New App, From a manifest."


def add_arguments(parser: ArgumentParser) -> None:
    """Which variant."""
    parser.add_argument(
        "--agent",
        action="store_true",
        help="with Slack's agent surface; workspace guests can then not use the app at all",
    )
    parser.add_argument(
        "--http",
        metavar="URL",
        default="",
        help="events by HTTP to this public https address, not Socket Mode",
    )
    parser.add_argument(
        "--oauth",
        action="store_true",
        help="for several workspaces: with the address that an installation returns to",
    )
    parser.add_argument(
        "--every-message",
        action="store_true",
        help="with the events of messages that do not mention the bot, for channels where every question is answered",
    )


def run(command: BaseCommand, *, agent: bool, http: str, oauth: bool, every_message: bool, **_: Any) -> None:
    """Print it as JSON."""
    if http and (urlsplit(http).scheme != "https" or not urlsplit(http).netloc):
        raise CommandError(
            "--http takes the address as Slack reaches it, such as https://footnote.example.org"
        )
    body = manifest(agent=agent, http_url=http, oauth=oauth, every_message=every_message)
    command.stdout.write(json.dumps(body, indent=2, ensure_ascii=False))
