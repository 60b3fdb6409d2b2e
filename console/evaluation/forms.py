"""Forms of golden sets, their questions, and of calibration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

import rag
from console.evaluation.from_question import QuotedPassage
from console.evaluation.golden import GoldenRow
from console.evaluation.models import GoldenKind, GoldenQuestion, GoldenSet, RefusalKind
from console.evaluation.selectors import golden_sets_visible_to
from console.people.models import User
from console.sources.models import Folder
from console.sources.selectors import folders_visible_to
from console.values import IdsField

N_PLACES = 3
"""A question that needs more needles than this is one for a file; one that has more is shown with all of them."""
_ANSWERS_HELP = (
    "Of a few words, one a line, any of them right; it is measured whether one stands in a cited quote."
)


class GoldenSetForm(forms.Form):
    """A set and the folders that it is about."""

    name = forms.CharField(max_length=120, label="Name")
    description = forms.CharField(max_length=300, required=False, label="Description")
    folders = IdsField(
        queryset=Folder.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        label="Folders",
        error_messages={"required": "Choose at least one folder."},
    )

    def __init__(self, *args: Any, editor: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["folders"]
        assert isinstance(field, forms.ModelMultipleChoiceField)
        field.queryset = folders_visible_to(editor)


class _ManyFiles(forms.ClearableFileInput):
    allow_multiple_selected = True


class _FilesField(forms.FileField):
    """One or more files; Django's own field takes one."""

    widget = _ManyFiles

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile[Any]]:
        given = data if isinstance(data, list | tuple) else [data]
        return [super(_FilesField, self).clean(one, initial) for one in given or [None]]


class ImportForm(forms.Form):
    """Files of a golden set."""

    files = _FilesField(  # type: ignore[assignment]  # the form's own `files` is set when it is bound
        widget=_ManyFiles(attrs={"accept": ".jsonl,.zip"}),
        label="Files",
        help_text="needles.jsonl, refusals.jsonl and multihop.jsonl, alone or together, or a ZIP of them. "
        "A row whose id the set has already replaces that row.",
        error_messages={"required": "Choose at least one file."},
    )


class NeedleForm(forms.Form):
    """A question with the sentence that answers it."""

    key = forms.CharField(max_length=80, required=False, label="Id", help_text="Left empty, it gets one.")
    question = forms.CharField(
        label="Question",
        help_text="In the documents' words.",
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    ticket = forms.CharField(
        required=False,
        label="The same need in other words",
        help_text="As somebody would put it in a chat.",
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    document = forms.CharField(
        max_length=400,
        label="Document",
        help_text="Its name in the folder, as the folder's page shows it.",
        widget=forms.TextInput(attrs={"list": "documents"}),
    )
    needle = forms.CharField(
        label="Needle",
        strip=True,
        help_text="The sentence that answers it, word for word. It must stand once in all documents and be no heading.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    answers = forms.CharField(
        required=False,
        label="Gold answers",
        help_text=_ANSWERS_HELP,
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    @staticmethod
    def initial_of(stored: GoldenQuestion) -> dict[str, object]:
        """What the form shows of a stored question."""
        [(document, needle)] = stored.places
        return {
            "key": stored.key,
            "question": stored.question,
            "ticket": stored.ticket,
            "document": document,
            "needle": needle,
            "answers": "\n".join(stored.answers),
        }

    def row(self) -> GoldenRow:
        """The row that was written."""
        values = self.cleaned_data
        return rag.GoldenNeedle(
            values["key"],
            values["document"],
            values["needle"],
            values["question"],
            values["ticket"],
            _answers(values["answers"]),
        )


class RefusalForm(forms.Form):
    """A question that the documents do not answer."""

    key = forms.CharField(max_length=80, required=False, label="Id", help_text="Left empty, it gets one.")
    question = forms.CharField(label="Question", widget=forms.Textarea(attrs={"rows": 2}))
    refusal_kind = forms.ChoiceField(choices=RefusalKind.choices, label="Kind")
    why = forms.CharField(
        required=False,
        label="Why",
        help_text="For whoever reads the figures: what the documents say and what they do not.",
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    @staticmethod
    def initial_of(stored: GoldenQuestion) -> dict[str, object]:
        """What the form shows of a stored question."""
        return {name: getattr(stored, name) for name in ("key", "question", "refusal_kind", "why")}

    def row(self) -> GoldenRow:
        """The row that was written."""
        values = self.cleaned_data
        return rag.GoldenRefusal(values["key"], values["refusal_kind"], values["question"], values["why"])


class MultihopForm(forms.Form):
    """A question that only several sentences together answer."""

    key = forms.CharField(max_length=80, required=False, label="Id", help_text="Left empty, it gets one.")
    question = forms.CharField(label="Question", widget=forms.Textarea(attrs={"rows": 2}))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        n_stored = sum(name.startswith("needle_") for name in self.initial)
        self.places = range(1, max(N_PLACES, n_stored) + 1)
        for number in self.places:
            is_needed = number <= 2
            self.fields[f"document_{number}"] = forms.CharField(
                max_length=400,
                required=is_needed,
                label=f"Document {number}",
                widget=forms.TextInput(attrs={"list": "documents"}),
            )
            self.fields[f"needle_{number}"] = forms.CharField(
                required=is_needed, label=f"Needle {number}", widget=forms.Textarea(attrs={"rows": 2})
            )
        self.fields["answers"] = forms.CharField(
            required=False,
            label="Gold answers",
            help_text=_ANSWERS_HELP,
            widget=forms.Textarea(attrs={"rows": 2}),
        )

    @staticmethod
    def initial_of(stored: GoldenQuestion) -> dict[str, object]:
        """What the form shows of a stored question."""
        shown: dict[str, object] = {
            "key": stored.key,
            "question": stored.question,
            "answers": "\n".join(stored.answers),
        }
        for number, (document, needle) in enumerate(stored.places, start=1):
            shown |= {f"document_{number}": document, f"needle_{number}": needle}
        return shown

    def clean(self) -> dict[str, Any]:
        """Where one needle more is written, it has its document, and the other way round."""
        values = super().clean() or {}
        for number in self.places:
            pair = [f"document_{number}", f"needle_{number}"]
            blank = [name for name in pair if name in values and not values[name]]
            if len(blank) == 1 and not self.fields[blank[0]].required:
                self.add_error(blank[0], "A needle and its document go together: write both, or neither.")
        return values

    def row(self) -> GoldenRow:
        """The row that was written."""
        values = self.cleaned_data
        places = [
            rag.NeedlePlace(values[f"document_{number}"], values[f"needle_{number}"])
            for number in self.places
            if values[f"needle_{number}"]
        ]
        return rag.GoldenMultihop(
            values["key"], values["question"], tuple(places), _answers(values["answers"])
        )


def _answers(text: str) -> tuple[str, ...]:
    """The lines that hold something, each once."""
    return tuple(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))


QuestionForm = NeedleForm | RefusalForm | MultihopForm
FORMS: dict[str, type[NeedleForm] | type[RefusalForm] | type[MultihopForm]] = {
    GoldenKind.NEEDLE: NeedleForm,
    GoldenKind.MULTIHOP: MultihopForm,
    GoldenKind.REFUSAL: RefusalForm,
}


class FromQuestionForm(forms.Form):
    """A real question as a golden one."""

    golden_set = forms.ModelChoiceField(
        queryset=GoldenSet.objects.none(),
        label="Set",
        empty_label=None,
        error_messages={"invalid_choice": "There is no such set."},
    )
    kind = forms.ChoiceField(
        choices=[(GoldenKind.NEEDLE, "Answered by a sentence"), (GoldenKind.REFUSAL, "To be refused")],
        label="As",
    )
    text = forms.CharField(label="Question", widget=forms.Textarea(attrs={"rows": 2}))
    ticket = forms.CharField(
        required=False,
        label="The same need in other words",
        help_text="For a needle: so that both wordings are measured.",
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    citation = forms.TypedChoiceField(
        coerce=int,
        required=False,
        empty_value=None,
        label="Needle: the quoted sentence",
        widget=forms.RadioSelect,
    )
    document = forms.CharField(
        max_length=400,
        required=False,
        label="Or a sentence that it does not cite: its document",
        help_text="Its name in the folder.",
    )
    needle = forms.CharField(
        required=False,
        label="The sentence, word for word",
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    refusal_kind = forms.ChoiceField(
        choices=RefusalKind.choices, required=False, label="Kind, when it is to be refused"
    )
    why = forms.CharField(
        required=False, label="Why, when it is to be refused", widget=forms.Textarea(attrs={"rows": 2})
    )

    def __init__(self, *args: Any, editor: User, quotes: Sequence[QuotedPassage], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        sets = self.fields["golden_set"]
        assert isinstance(sets, forms.ModelChoiceField)
        sets.queryset = golden_sets_visible_to(editor)
        citation = self.fields["citation"]
        assert isinstance(citation, forms.ChoiceField)
        citation.choices = [(q.number, f"[{q.number}] {q.document}: {q.quote}") for q in quotes]
        if not quotes:
            del self.fields["citation"]


class CalibrationForm(forms.Form):
    """What is calibrated, and how many bluffs are let through."""

    configuration = forms.ChoiceField(label="Gate")
    budget = forms.FloatField(
        min_value=0,
        max_value=100,
        label="Budget of bluffs, percent",
        widget=forms.NumberInput(attrs={"step": "0.5", "min": "0", "max": "100"}),
    )
    bound = forms.ChoiceField(
        choices=[("rate", "the rate itself"), ("upper", "the upper end of its interval")],
        label="Kept by",
    )

    def __init__(self, *args: Any, configurations: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        labels = {"reranked": "relevance (reranked)", "hybrid": "distance (not reranked)"}
        field = self.fields["configuration"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [(name, labels.get(name, name)) for name in configurations]
