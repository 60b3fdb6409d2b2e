"""Every URL of the site: the console's, and the one Slack posts to."""

from __future__ import annotations

from django.urls import include, path

from bot.views import slack_events
from console.urls import handler400, handler403, handler404, handler500

urlpatterns = [
    path("slack/events", slack_events, name="slack-events"),
    path("", include("console.urls")),
]

__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]
