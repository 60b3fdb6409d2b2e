"""Slack channels: what they are answered from, and why they would not be; and the workspaces they are in."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.db.models import Count
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from console.access import Rejected
from console.channels.forms import ChannelForm, WorkspaceForm
from console.channels.instances import duplicate_sentence
from console.channels.models import AnswersFrom, SlackChannel, SlackWorkspace
from console.channels.reports import report_of
from console.channels.selectors import cut_in_force
from console.channels.services import forget_channel, set_channel_cut, set_channel_folders
from console.channels.workspaces import set_workspace_rules
from console.guards import PersonRequest, admin_only, sent_form
from console.htmx import page_or_part
from console.listing import list_rows
from console.people.models import User
from console.sources.models import Folder

CHANNELS_BY = {"name": "name", "channel": "channel_id", "folders": "n_folders"}
FIELD_OF_ERROR = {
    "team_id_wrong": "team_id",
    "channel_id_wrong": "channel_id",
    "no_folder": "folders",
    "cut_out_of_range": "relevance_cut",
    "reason_missing": "cut_reason",
}


@require_safe
@admin_only
def channels(request: PersonRequest) -> HttpResponseBase:
    """Every channel that has a set-up of its own."""
    rows = SlackChannel.objects.annotate(n_folders=Count("folders")).prefetch_related("folders")
    listing = list_rows(request, rows, sortable=CHANNELS_BY, default="name")
    context = {
        "listing": listing,
        "rows": [(row, report_of(row.team_id, row.channel_id)) for row in listing.rows],
        "open_folders": Folder.objects.filter(is_open=True),
        "workspaces": SlackWorkspace.objects.all(),
    }
    return page_or_part(request, "channels/list.html", context, parts={"list": "channels/_list.html"})


@require_http_methods(["GET", "HEAD", "POST"])
@admin_only
def edit_channel(request: PersonRequest, channel_pk: int | None = None) -> HttpResponseBase:
    """Set a channel up, with what is wrong there above the form."""
    channel = SlackChannel.objects.get(pk=channel_pk) if channel_pk else None
    form = ChannelForm(sent_form(request), initial=_initial(channel))
    if channel is not None:
        # They are what the channel is known by; a wrong one is forgotten and added anew.
        form.fields["team_id"].disabled = form.fields["channel_id"].disabled = True
    if request.method == "POST" and form.is_valid():
        try:
            saved = _save(request.user, form.cleaned_data)
        except Rejected as error:
            form.add_error(FIELD_OF_ERROR.get(error.code), str(error))
        else:
            messages.success(request, f"{saved} is set up. It counts from the next question on.")
            return redirect("channels:edit", saved.pk)
    context = {
        "form": form,
        "channel": channel,
        "report": report_of(channel.team_id, channel.channel_id) if channel else None,
        "cuts": channel.cuts.select_related("set_by")[:10] if channel else [],
    }
    return render(request, "channels/form.html", context, status=422 if form.errors else 200)


def _initial(channel: SlackChannel | None) -> dict[str, object] | None:
    if channel is None:
        return None
    cut = cut_in_force(channel)
    return {
        "team_id": channel.team_id,
        "channel_id": channel.channel_id,
        "name": channel.name,
        "answers_from": channel.answers_from,
        "hears": channel.hears,
        "folders": channel.folders.all(),
        "relevance_cut": cut.relevance_cut if cut else None,
    }


def _save(actor: User, values: dict[str, Any]) -> SlackChannel:
    """The rules and the cut, both or neither.

    Raises:
        Rejected: one of them cannot be as it is.
    """
    with transaction.atomic():
        saved = set_channel_folders(
            actor=actor,
            team_id=values["team_id"],
            channel_id=values["channel_id"],
            name=values["name"],
            folder_ids=[folder.pk for folder in values["folders"]],
            answers_from=values["answers_from"] or AnswersFrom.CHOSEN,
            hears=values["hears"],
        )
        cut = cut_in_force(saved)
        if values["relevance_cut"] != (cut.relevance_cut if cut else None):
            set_channel_cut(
                actor=actor,
                channel=saved,
                relevance_cut=values["relevance_cut"],
                reason=values["cut_reason"],
            )
    return saved


@require_POST
@admin_only
def forget(request: PersonRequest, channel_pk: int) -> HttpResponseBase:
    """Remove a channel's set-up."""
    channel = SlackChannel.objects.get(pk=channel_pk)
    forget_channel(actor=request.user, channel=channel)
    messages.success(request, f"{channel} has no set-up any more; the workspace's rule counts for it.")
    return redirect("channels:list")


@require_safe
@admin_only
def workspaces(request: PersonRequest) -> HttpResponseBase:
    """The workspaces Footnote is in, and how another is added."""
    rows = SlackWorkspace.objects.select_related("installed_by")
    context = {
        "workspaces": rows,
        "can_install": bool(settings.SLACK_CLIENT_ID),
        "has_token": bool(settings.SLACK_BOT_TOKEN),
        "duplicate": duplicate_sentence(),
    }
    return render(request, "channels/workspaces.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@admin_only
def edit_workspace(request: PersonRequest, workspace_pk: int) -> HttpResponseBase:
    """What counts for all of a workspace."""
    workspace = SlackWorkspace.objects.get(pk=workspace_pk)
    initial = {"unconfigured": workspace.unconfigured, "has_no_guests": workspace.has_no_guests}
    form = WorkspaceForm(sent_form(request), initial=initial)
    if request.method == "POST" and form.is_valid():
        set_workspace_rules(actor=request.user, workspace=workspace, **form.cleaned_data)
        messages.success(request, f"That counts in {workspace} from the next question on.")
        return redirect("channels:workspaces")
    context = {
        "form": form,
        "workspace": workspace,
        "scopes": sorted(workspace.granted_scopes),
        "open_folders": Folder.objects.filter(is_open=True),
    }
    return render(request, "channels/workspace.html", context, status=422 if form.errors else 200)
