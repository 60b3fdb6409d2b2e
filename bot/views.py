"""The one endpoint Slack posts to."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt


@csrf_exempt
def slack_events(request: HttpRequest) -> HttpResponse:
    """Not yet connected."""
    return HttpResponse("Slack is not set up.", status=503, content_type="text/plain")
