"""The form of the gate."""

from __future__ import annotations

from django import forms


class ThresholdForm(forms.Form):
    """A new setting of the gate; ranges are checked by the service."""

    relevance_cut = forms.FloatField(
        label="Relevance cut",
        help_text="From 0 to 1. Larger refuses more, smaller answers more; calibrate before you change it much.",
        widget=forms.NumberInput(attrs={"step": "any", "min": "0", "max": "1"}),
    )
    distance_cut = forms.FloatField(
        label="Distance cut, where the reranker did not read",
        help_text="Cosine distance from 0 to 2. Smaller refuses more, larger answers more.",
        widget=forms.NumberInput(attrs={"step": "any", "min": "0", "max": "2"}),
    )
    max_chunks = forms.IntegerField(
        label="Most passages that may pass",
        help_text="From 1 to 20.",
        widget=forms.NumberInput(attrs={"min": "1", "max": "20"}),
    )
    reason = forms.CharField(max_length=300, label="Why", help_text="Stands in the history beside your name.")
