"""What a first start sets up: tables, the first admin, the sample handbook."""

from __future__ import annotations

import os
import secrets
from dataclasses import dataclass

from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from console.people.models import Role, User
from console.people.services import create_user
from workers.sample import load_sample

ADMIN = "admin"


def n_migrations_due() -> int:
    """How many migrations this release has that the database has not."""
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def require_tables() -> None:
    """Stop a command that needs the database before there is one of this release.

    Raises:
        CommandError: with the next step.
    """
    if n_migrations_due():
        raise CommandError(
            "There is no database yet, or it is of an older release. Run `make run` (or `manage.py setup`) once."
        )


@dataclass(frozen=True, slots=True)
class FirstStart:
    """What was made; `password` only when it was generated now and has to be shown."""

    password: str | None
    has_loaded_sample: bool


def set_up(*, with_sample: bool) -> FirstStart:
    """Migrate, and on an empty database create the admin and load the sample."""
    call_command("migrate", interactive=False, verbosity=0)
    password = None
    if not User.objects.exists():
        given = os.environ.get("FOOTNOTE_ADMIN_PASSWORD", "")
        password = given or secrets.token_urlsafe(9)
        create_user(actor=None, username=ADMIN, password=password, role=Role.ADMIN)
        if given:
            password = None
    has_loaded = with_sample and load_sample() is not None
    return FirstStart(password=password, has_loaded_sample=has_loaded)
