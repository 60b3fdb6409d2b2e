"""Which processes hold a Socket Mode connection of an app, and whether somebody else's does too."""

from __future__ import annotations

import os
import socket
from datetime import timedelta
from uuid import UUID

from django.utils import timezone

from console.channels.models import SlackInstance

GONE_AFTER = timedelta(minutes=3)
"""A process says every half minute that it is there; one that was killed does not say that it is gone."""
COUNT_HOLDS_FOR = timedelta(hours=12)
"""Slack counts when a connection opens, and renews each every few hours."""


def report_connection(instance_id: UUID, *, app_id: str, n_connections: int) -> None:
    """This process's connection is open; Slack counted `n_connections` of the app, this one included."""
    now = timezone.now()
    SlackInstance.objects.update_or_create(
        pk=instance_id,
        defaults={
            "place": f"{socket.gethostname()}, process {os.getpid()}"[:120],
            "app_id": app_id[:32],
            "n_connections": min(n_connections, 99),
            "counted_at": now,
            "seen_at": now,
        },
    )
    SlackInstance.objects.filter(seen_at__lt=now - timedelta(days=1)).delete()


def still_there(instance_id: UUID) -> None:
    """The process is alive and connected."""
    SlackInstance.objects.filter(pk=instance_id).update(seen_at=timezone.now())


def gone(instance_id: UUID) -> None:
    """The connection was closed."""
    SlackInstance.objects.filter(pk=instance_id).delete()


def duplicate_sentence(app_id: str = "") -> str:
    """Says that more connections of the app are open than this installation holds; empty when not.

    Slack gives each event to any one of them, so that half of the questions land in the other
    installation. Ours are those that this database knows, which may be several processes of one installation.
    """
    now = timezone.now()
    ours = SlackInstance.objects.filter(seen_at__gt=now - GONE_AFTER)
    if app_id:
        ours = ours.filter(app_id__in=["", app_id])
    counted = ours.filter(counted_at__gt=now - COUNT_HOLDS_FOR).order_by("-counted_at").first()
    if counted is None:
        return ""
    n_others = counted.n_connections - ours.count()
    if n_others <= 0:
        return ""
    return (
        f"Slack counted {counted.n_connections} connections with this app-level token, and this installation holds "
        f"{ours.count()}: another Footnote runs with the same token, and each question reaches only one of them."
    )
