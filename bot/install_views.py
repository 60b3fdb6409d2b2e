"""`/slack/install` and where Slack sends the browser back to."""

from __future__ import annotations

import logging

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET
from slack_bolt.adapter.django.handler import to_bolt_request, to_django_response

from bot.faults import CALL_FAILED, fault_of
from bot.installing import UnfitInstallationError, oauth_flow
from console.access import Rejected
from console.guards import PersonRequest, admin_only

log = logging.getLogger(__name__)

NOT_SET_UP = (
    "Workspaces are installed here only with SLACK_CLIENT_ID and SLACK_CLIENT_SECRET set. With one workspace, "
    "SLACK_BOT_TOKEN is all it takes; docs/slack.md has both."
)


@require_GET
@admin_only
def install(request: PersonRequest) -> HttpResponseBase:
    """Send an admin to Slack to choose a workspace.

    For admins only: whoever installs decides whose people may ask these documents.
    """
    if not settings.SLACK_CLIENT_ID:
        return _told(request, NOT_SET_UP, status=404)
    response = to_django_response(oauth_flow(request.user).handle_installation(to_bolt_request(request)))
    _set_samesite(response)
    return response


@require_GET
@admin_only
def oauth_redirect(request: PersonRequest) -> HttpResponseBase:
    """Take the installation in that Slack sends back."""
    if not settings.SLACK_CLIENT_ID:
        return _told(request, NOT_SET_UP, status=404)
    try:
        outcome = oauth_flow(request.user).handle_callback(to_bolt_request(request))
    except (UnfitInstallationError, Rejected) as error:
        return _told(request, str(error), status=400)
    except CALL_FAILED as error:
        log.error("an installation failed: %s", fault_of(error).code)  # noqa: TRY400 - its text can hold tokens
        return _told(request, "Slack could not be reached. Begin again in a minute.", status=502)
    if outcome.status != 200:
        return _told(request, outcome.body, status=outcome.status)
    messages.success(
        request,
        f"Footnote is installed in {outcome.body}. Its channels are answered from nothing until you say so here.",
    )
    response = redirect("channels:workspaces")
    response.delete_cookie("slack-app-oauth-state")
    return response


def _told(request: PersonRequest, text: str, *, status: int) -> HttpResponse:
    return render(request, "channels/not_installed.html", {"text": text}, status=status)


def _set_samesite(response: HttpResponse) -> None:
    for cookie in response.cookies.values():
        cookie["samesite"] = "Lax"  # it has to come back when Slack redirects the browser, and only then
