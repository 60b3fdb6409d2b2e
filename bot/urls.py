"""Every URL of the site: the console's, the one Slack posts to, and those that need Slack."""

from __future__ import annotations

from django.urls import include, path

from bot.channel_views import check_channel
from bot.install_views import install, oauth_redirect
from bot.views import slack_events
from console.urls import handler400, handler403, handler404, handler500

urlpatterns = [
    path("slack/events", slack_events, name="slack-events"),
    path("slack/install", install, name="slack-install"),
    path("slack/oauth_redirect", oauth_redirect, name="slack-oauth-redirect"),
    path("channels/<int:channel_pk>/check", check_channel, name="slack-check-channel"),
    path("", include("console.urls")),
]

__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]
