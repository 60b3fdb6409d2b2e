"""The forms of a Slack channel and of a workspace."""

from __future__ import annotations

from django import forms

from console.channels.models import AnswersFrom, Hears, UnconfiguredRule
from console.sources.models import Folder
from console.values import IdsField


class ChannelForm(forms.Form):
    """A channel: what it is answered from, what is a question there, and its own cut."""

    team_id = forms.CharField(
        max_length=32, label="Team id", help_text="Starts with T; stands in Slack's URL."
    )
    channel_id = forms.CharField(
        max_length=32,
        label="Channel id",
        help_text="Starts with C; at the bottom of the channel's details in Slack.",
    )
    name = forms.CharField(max_length=100, required=False, label="Name", help_text="Only shown here.")
    answers_from = forms.ChoiceField(
        choices=AnswersFrom.choices,
        initial=AnswersFrom.CHOSEN,
        label="Answered from",
        widget=forms.RadioSelect,
        required=False,
    )
    folders = IdsField(
        queryset=Folder.objects.all(), required=False, widget=forms.CheckboxSelectMultiple, label="Folders"
    )
    hears = forms.ChoiceField(
        choices=Hears.choices,
        initial=Hears.MENTIONS,
        label="What is a question",
        widget=forms.RadioSelect,
        required=False,
        help_text="A message asks something when a sentence ends in a question mark and it is no reply in a thread. "
        "Slack sends such messages only to an app that is subscribed to message.channels and message.groups "
        "(manage.py slack manifest --every-message); where none came, the channel's page says so.",
    )
    relevance_cut = forms.FloatField(
        required=False,
        label="Relevance cut of this channel",
        help_text="From 0 to 1. Left empty, the index version's cut counts. Larger refuses more, smaller answers more "
        "and bluffs more.",
        widget=forms.NumberInput(attrs={"step": "0.005", "min": "0", "max": "1"}),
    )
    cut_reason = forms.CharField(
        max_length=300,
        required=False,
        label="Why this cut",
        help_text="Needed when the cut changes; it stands in the history beside your name.",
    )

    def clean_answers_from(self) -> str:
        """A form without the field means the folders that are ticked."""
        return str(self.cleaned_data["answers_from"] or AnswersFrom.CHOSEN)

    def clean_hears(self) -> str:
        """A form without the field means mentions."""
        return str(self.cleaned_data["hears"] or Hears.MENTIONS)


class WorkspaceForm(forms.Form):
    """What an admin decides for all of a workspace."""

    unconfigured = forms.ChoiceField(
        choices=UnconfiguredRule.choices,
        label="Channels and direct messages without a set-up are answered from",
        widget=forms.RadioSelect,
    )
    has_no_guests = forms.BooleanField(
        required=False,
        label="This workspace has no guests",
        help_text="Counts only where Slack does not tell who is a guest. Ticked wrongly, guests are answered from "
        "folders that are not shared externally.",
    )
