"""The real client of the SDK without sockets: its requests reach the simulator by a call."""

from __future__ import annotations

import io
from email.message import Message as Headers
from http.client import RemoteDisconnected
from urllib.error import HTTPError
from urllib.request import Request

import pytest
from slack_sdk import WebClient

from bot.simulator.web_api import WebApi


def connect_by_call(patch: pytest.MonkeyPatch, api: WebApi) -> None:
    """Everything above the socket stays the SDK's: encoding, headers, errors, parsing."""

    def perform(_client: WebClient, url: str, request: Request) -> dict:
        token = (request.get_header("Authorization") or "").removeprefix("Bearer ")
        raw = request.data if isinstance(request.data, bytes) else b""
        answer, _ = api.answer(url, raw, request.get_header("Content-type") or "", token)
        if answer is None:
            raise RemoteDisconnected("Remote end closed connection without response")
        headers = Headers()
        for name, value in answer.headers.items():
            headers[name] = value
        if answer.status >= 400:
            raise HTTPError(url, answer.status, "refused", headers, io.BytesIO(answer.body))
        return {"status": answer.status, "headers": headers, "body": answer.body.decode()}

    patch.setattr(WebClient, "_perform_urllib_http_request_internal", perform)
