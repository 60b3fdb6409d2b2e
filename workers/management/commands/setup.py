"""`manage.py setup`: migrate and, on an empty database, make the admin and load the sample (server mode)."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from workers.first_start import ADMIN, set_up


class Command(BaseCommand):
    """Prepare the database; safe to run at every start."""

    help = "Migrate, and on an empty database create the first admin and queue the sample handbook."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Whether the sample is wanted."""
        parser.add_argument("--no-sample", action="store_true")

    def handle(self, *, no_sample: bool, **_: Any) -> None:
        """Set up and say what was made."""
        first = set_up(with_sample=not no_sample)
        if first.password:
            self.stdout.write(f"Sign in as {ADMIN} with the password {first.password} (shown only now).")
        if first.has_loaded_sample:
            self.stdout.write("The sample handbook is queued.")
        self.stdout.write("The database is ready.")
