"""Slack's endpoint alone."""

from __future__ import annotations

from django.urls import path

from bot.views import slack_events

urlpatterns = [path("slack/events", slack_events)]
