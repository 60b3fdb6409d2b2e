"""Index versions and thresholds."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from console.access import Rejected, require_admin
from console.evaluation.drift import drifts_of
from console.guards import PersonRequest, sent_form, support_lead_only
from console.index.forms import ThresholdForm
from console.index.selectors import active_version, threshold_in_force, versions_with_counts
from console.index.services import set_threshold

FIELD_OF_CODE = {
    "cut_out_of_range": "distance_cut",
    "relevance_cut_out_of_range": "relevance_cut",
    "max_chunks_out_of_range": "max_chunks",
    "reason_missing": "reason",
    "reason_unusable": "reason",
}


@require_safe
@support_lead_only
def versions(request: PersonRequest) -> HttpResponseBase:
    """Every build of the index with its counts."""
    return render(request, "index/versions.html", {"versions": versions_with_counts()})


@require_http_methods(["GET", "HEAD", "POST"])
@support_lead_only
def thresholds(request: PersonRequest) -> HttpResponseBase:
    """The setting in force, its history, and for admins the form to change it."""
    version = active_version()
    setting = threshold_in_force(version) if version else None
    fields = ("relevance_cut", "distance_cut", "max_chunks")
    initial = {name: getattr(setting, name) for name in fields} if setting else None
    form = ThresholdForm(sent_form(request), initial=initial)
    if request.method == "POST":
        require_admin(request.user)
        if version is None:
            raise Rejected("index_not_ready", "There is no index yet, so there is nothing to set.")
        if form.is_valid():
            try:
                new = set_threshold(actor=request.user, version=version, **form.cleaned_data)
            except Rejected as error:
                form.add_error(FIELD_OF_CODE.get(error.code), str(error))
            else:
                messages.success(
                    request,
                    f"The cut is relevance {new.relevance_cut:.3f}, distance {new.distance_cut:.3f}. "
                    "It counts from the next question on.",
                )
                return redirect("index:thresholds")
    context = {
        "version": version,
        "setting": setting,
        "drifts": drifts_of(setting) if setting else [],
        "form": form,
        "history": version.thresholds.select_related("set_by")[:100] if version else [],
    }
    return render(request, "index/thresholds.html", context, status=422 if form.errors else 200)
