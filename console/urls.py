"""Every page of the console and its API; one line a feature."""

from __future__ import annotations

from django.urls import include, path

from console import overview
from console.api import api
from console.problems import urls_with_problems

urlpatterns = [
    path("", overview.overview, name="overview"),
    path("healthz", overview.healthz, name="healthz"),
    path("api/v1/", urls_with_problems(api)),
    path("", include("console.people.urls")),
    path("", include("console.sources.urls")),
    path("", include("console.questions.urls")),
    path("", include("console.refusals.urls")),
    path("", include("console.index.urls")),
    path("", include("console.evaluation.urls")),
    path("", include("console.channels.urls")),
    path("", include("console.audit.urls")),
]

# Django looks for these in the root URLs, which import them from here.
handler400 = "console.errors.bad_request"
handler403 = "console.errors.forbidden"
handler404 = "console.errors.not_found"
handler500 = "console.errors.server_error"
