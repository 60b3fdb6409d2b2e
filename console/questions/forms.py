"""The form of a question."""

from __future__ import annotations

from django import forms

from console.people.models import User
from console.sources.models import Folder
from console.sources.selectors import folders_visible_to
from console.values import IdsField


class AskForm(forms.Form):
    """A question, and the folders to answer it from; none ticked means all the person may see."""

    text = forms.CharField(
        label="Question",
        max_length=20_000,
        strip=True,
        error_messages={"required": "Write a question first."},
        widget=forms.Textarea(
            attrs={"rows": 3, "placeholder": "What do you want to know from the documents?"}
        ),
    )
    folders = IdsField(
        queryset=Folder.objects.none(),
        required=False,
        label="Answer from",
        widget=forms.CheckboxSelectMultiple,
        error_messages=dict.fromkeys(
            ("invalid_choice", "invalid_pk_value"), "One of the chosen folders does not exist."
        ),
    )

    def __init__(self, *args: object, asker: User, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        field = self.fields["folders"]
        assert isinstance(field, forms.ModelMultipleChoiceField)
        field.queryset = folders_visible_to(asker)

    def folder_ids(self) -> list[int] | None:
        """The ticked folders; None for all."""
        return [folder.pk for folder in self.cleaned_data["folders"]] or None
