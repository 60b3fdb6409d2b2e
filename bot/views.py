"""The one endpoint Slack posts to: events, commands and clicks."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from slack_bolt import BoltRequest, BoltResponse
from slack_bolt.request.internals import build_context
from slack_sdk.signature import SignatureVerifier

from bot.app import UNREADABLE, slack_app

MAX_BODY_BYTES = 1_000_000
_TIMESTAMP = re.compile(r"[0-9]{1,12}", re.ASCII)


@csrf_exempt
@require_POST
def slack_events(request: HttpRequest) -> HttpResponse:
    """Verify, hand over to Bolt, answer; whatever strangers send is a 4xx, never a traceback."""
    if not settings.SLACK_SIGNING_SECRET:
        return _plain(503, "Slack is not set up here: SLACK_SIGNING_SECRET is not set. See docs/slack.md.")
    if not _is_small(request):
        return _plain(413, "The request is too large.")
    try:
        # Slack sends UTF-8; the SDK decodes what it signs and would fail on anything else.
        body = request.body.decode("utf-8")
        if not _is_signed_by_slack(request, body):
            return _plain(401, "The signature is missing, stale or wrong.")
        # Bolt answers errors itself; what it raises is a body that its own error handling stumbled over.
        return _django_response(slack_app().dispatch(_bolt_request(request, body)))
    except UNREADABLE:
        return _plain(400, "The request body could not be read.")


def _is_small(request: HttpRequest) -> bool:
    """Told by the header before the body is read; a body that was announced shorter is counted."""
    announced = request.META.get("CONTENT_LENGTH") or "0"
    return announced.isdecimal() and int(announced) <= MAX_BODY_BYTES and len(request.body) <= MAX_BODY_BYTES


def _is_signed_by_slack(request: HttpRequest, body: str) -> bool:
    """Checked before anything is parsed.

    Bolt checks again; alone it fails with a 500 on a timestamp that is no number or a signature
    that is not ASCII.
    """
    timestamp = request.headers.get("X-Slack-Request-Timestamp", "")
    signature = request.headers.get("X-Slack-Signature", "")
    if not _TIMESTAMP.fullmatch(timestamp) or not signature.isascii():
        return False
    verifier = SignatureVerifier(settings.SLACK_SIGNING_SECRET)
    return verifier.is_valid(body=body, timestamp=timestamp, signature=signature)


def _bolt_request(request: HttpRequest, raw: str) -> BoltRequest:
    bolt_request = BoltRequest(body=raw, query=request.META["QUERY_STRING"], headers=dict(request.headers))
    if not bolt_request.body and not raw.startswith("{"):
        # Bolt 1.30 takes a form that merely contains the word "payload" for an interaction and drops
        # it, so that `/ask what is the payload limit?` would come to nothing.
        bolt_request.body = dict(parse_qsl(raw, keep_blank_values=True))
        build_context(bolt_request.context, bolt_request.body)
    if not isinstance(bolt_request.body.get("event", {}), dict):
        raise TypeError("an event is an object")
    return bolt_request


def _django_response(response: BoltResponse) -> HttpResponse:
    answer = HttpResponse(response.body, status=response.status)
    for name, value in response.first_headers_without_set_cookie().items():
        answer[name] = value
    return answer


def _plain(status: int, text: str) -> HttpResponse:
    return HttpResponse(text, status=status, content_type="text/plain; charset=utf-8")
