"""Forget which events of Slack were taken in, once Slack repeats them no more."""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from console.channels.models import SlackEvent

AT_ONCE = 500
"""Rows a sweep deletes: none holds the database for long, and the next one follows within seconds."""


def prune_events() -> int:
    """Delete the oldest rows that are old enough; gives back how many.

    A message that was asked stays known by its own key, (team, channel, ts), for as long as its question does.
    """
    too_old = timezone.now() - timedelta(days=settings.SLACK_EVENT_DAYS)
    old = SlackEvent.objects.filter(received_at__lt=too_old).order_by("received_at")
    ids = list(old.values_list("pk", flat=True)[:AT_ONCE])
    if ids:
        SlackEvent.objects.filter(pk__in=ids).delete()
    return len(ids)
