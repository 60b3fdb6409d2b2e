"""Pages of the console that ask Slack something."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponseBase
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from bot.audience import learn_channel
from bot.client import NotInstalledError, client_of
from bot.faults import CALL_FAILED, fault_of
from console.channels.models import SlackChannel
from console.guards import PersonRequest, admin_only


@require_POST
@admin_only
def check_channel(request: PersonRequest, channel_pk: int) -> HttpResponseBase:
    """Ask Slack about one channel now, and show its page again."""
    channel = SlackChannel.objects.get(pk=channel_pk)
    try:
        learn_channel(client_of(channel.team_id), channel.team_id, channel.channel_id, at_once=True)
    except NotInstalledError:
        messages.error(request, f"No token belongs to the workspace {channel.team_id}.")
    except CALL_FAILED as error:
        messages.error(request, f"Slack could not be asked just now ({fault_of(error).code}).")
    return redirect("channels:edit", channel_pk)
