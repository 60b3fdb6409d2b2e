"""`manage.py redeliver`: have a stored answer posted to Slack after its delivery was given up."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from console.access import Rejected
from console.channels.services import redeliver_answer
from workers.first_start import require_tables


class Command(BaseCommand):
    """Queue one given-up delivery; the workers post it."""

    help = (
        "Have the stored answer to a Slack question posted, once the cause of its given-up delivery is mended. "
        "The log names the question's id and Slack's word for the cause."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which question."""
        parser.add_argument("question_id", type=UUID)

    def handle(self, *, question_id: UUID, **_: Any) -> None:
        """Queue it, or say why not."""
        require_tables()
        try:
            redeliver_answer(actor=None, question_id=str(question_id))
        except Rejected as error:
            raise CommandError(str(error)) from error
        self.stdout.write("The answer is queued; a running worker posts it within seconds.")
