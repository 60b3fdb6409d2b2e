"""App configuration: the label `channels` belongs to Django Channels."""

from __future__ import annotations

from django.apps import AppConfig


class SlackChannelsConfig(AppConfig):
    """Slack channels, events and deliveries."""

    name = "console.channels"
    label = "slack_channels"
