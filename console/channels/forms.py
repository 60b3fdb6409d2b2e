"""The form of a Slack channel's folders."""

from __future__ import annotations

from django import forms

from console.sources.models import Folder
from console.values import IdsField


class ChannelForm(forms.Form):
    """A channel and its folders."""

    team_id = forms.CharField(
        max_length=32, label="Team id", help_text="Starts with T; stands in Slack's URL."
    )
    channel_id = forms.CharField(
        max_length=32,
        label="Channel id",
        help_text="Starts with C; at the bottom of the channel's details in Slack.",
    )
    name = forms.CharField(max_length=100, required=False, label="Name", help_text="Only shown here.")
    folders = IdsField(
        queryset=Folder.objects.all(), required=False, widget=forms.CheckboxSelectMultiple, label="Folders"
    )
