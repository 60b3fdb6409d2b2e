"""Slack channels and the folders they are answered from."""

from __future__ import annotations

from django.contrib import messages
from django.db.models import Count
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from console.access import Rejected
from console.channels.forms import ChannelForm
from console.channels.models import SlackChannel
from console.channels.services import forget_channel, set_channel_folders
from console.guards import PersonRequest, admin_only, sent_form
from console.htmx import page_or_part
from console.listing import list_rows
from console.sources.models import Folder

CHANNELS_BY = {"name": "name", "channel": "channel_id", "folders": "n_folders"}


@require_safe
@admin_only
def channels(request: PersonRequest) -> HttpResponseBase:
    """Every channel that has a set-up of its own."""
    rows = SlackChannel.objects.annotate(n_folders=Count("folders")).prefetch_related("folders")
    context = {
        "listing": list_rows(request, rows, sortable=CHANNELS_BY, default="name"),
        "open_folders": Folder.objects.filter(is_open=True),
    }
    return page_or_part(request, "channels/list.html", context, parts={"list": "channels/_list.html"})


@require_http_methods(["GET", "HEAD", "POST"])
@admin_only
def edit_channel(request: PersonRequest, channel_pk: int | None = None) -> HttpResponseBase:
    """Connect a channel to folders."""
    channel = SlackChannel.objects.get(pk=channel_pk) if channel_pk else None
    initial = None
    if channel is not None:
        initial = {
            "team_id": channel.team_id,
            "channel_id": channel.channel_id,
            "name": channel.name,
            "folders": channel.folders.all(),
        }
    form = ChannelForm(sent_form(request), initial=initial)
    if channel is not None:
        # They are what the channel is known by; a wrong one is forgotten and added anew.
        form.fields["team_id"].disabled = form.fields["channel_id"].disabled = True
    if request.method == "POST" and form.is_valid():
        values = form.cleaned_data
        try:
            saved = set_channel_folders(
                actor=request.user,
                team_id=values["team_id"],
                channel_id=values["channel_id"],
                name=values["name"],
                folder_ids=[folder.pk for folder in values["folders"]],
            )
        except Rejected as error:
            field = {"team_id_wrong": "team_id", "channel_id_wrong": "channel_id"}.get(error.code)
            form.add_error(field, str(error))
        else:
            messages.success(request, f"{saved} is connected. It counts from the next question on.")
            return redirect("channels:list")
    context = {"form": form, "channel": channel}
    return render(request, "channels/form.html", context, status=422 if form.errors else 200)


@require_POST
@admin_only
def forget(request: PersonRequest, channel_pk: int) -> HttpResponseBase:
    """Remove a channel's set-up."""
    channel = SlackChannel.objects.get(pk=channel_pk)
    forget_channel(actor=request.user, channel=channel)
    messages.success(request, f"{channel} has no set-up any more; it is answered from the open folders.")
    return redirect("channels:list")
