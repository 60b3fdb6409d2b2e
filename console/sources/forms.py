"""Forms of folders."""

from __future__ import annotations

from django import forms

import rag
from console.people.models import User
from console.values import IdsField


class FolderForm(forms.Form):
    """A folder and who may be answered from it."""

    name = forms.CharField(max_length=120, label="Name")
    description = forms.CharField(max_length=300, required=False, label="Description")
    is_open = forms.BooleanField(
        required=False,
        label="Open to everyone",
        help_text="All people of the console, direct messages, and channels without a set-up of their own.",
    )
    is_shared_externally = forms.BooleanField(
        required=False,
        label="Shared externally",
        help_text="Guests and people of other organisations may be answered from it too.",
    )
    leaves_out_near_duplicates = forms.BooleanField(
        required=False,
        label="Leave out near-duplicates",
        help_text="A document that says nearly the same as an older one here is not searched; its page names both.",
    )
    language = forms.ChoiceField(
        required=False,
        choices=[(language, language.capitalize()) for language in rag.LANGUAGES],
        initial=rag.DEFAULT_LANGUAGE,
        label="Language",
        help_text="What the documents are mostly written in, so that a word is found in its other forms. None takes "
        "words as they are. Chinese, Japanese, Korean and Thai are found with any. "
        "After a change the documents are read again.",
    )

    def clean_language(self) -> str:
        """A form without the field leaves the language as it is."""
        chosen = self.cleaned_data["language"]
        return str(chosen or self.get_initial_for_field(self.fields["language"], "language"))


class FolderAccessForm(FolderForm):
    """The same for a folder that exists; its name stays, since documents are known by it."""

    name = None  # type: ignore[assignment]
    members = IdsField(
        queryset=User.objects.filter(is_active=True).order_by("username"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Members",
        help_text="Who may read and ask it when it is not open. Admins see every folder.",
    )
    owners = IdsField(
        queryset=User.objects.filter(is_active=True).order_by("username"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Owners",
        help_text="Who is told when somebody wants a human to see a refused question. They may read and ask it too; "
        "those linked to a Slack user are told there.",
    )
