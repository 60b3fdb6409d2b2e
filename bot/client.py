"""The one way to Slack's Web API; each workspace is called with its own token."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import Any

from django.conf import settings
from slack_sdk import WebClient
from slack_sdk.web import SlackResponse

from bot.faults import IncompleteAnswerError, lower_names
from console import sealing
from console.channels import workspaces

log = logging.getLogger(__name__)

TIMEOUT_S = 10
"""Well under the delivery's lease, so that a hanging call ends before another worker may try."""
BEFORE_ACK_S = 2.5
"""For all that Slack is asked before an acknowledgement, which it waits for three seconds."""
LEFT_BEHIND_S = 3


class NotInstalledError(Exception):
    """There is no token for this workspace. `code` says why, in a word that can be stored."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class Identity:
    """Who a token is, as `auth.test` says; `skew_s` is our clock minus Slack's, in seconds."""

    team_id: str
    team: str
    bot_user_id: str
    bot_name: str
    scopes: frozenset[str]
    skew_s: float


class SlackClient(WebClient):
    """A client whose answers are objects, as all of Slack's are."""

    def api_call(self, *arguments: Any, **named: Any) -> SlackResponse:
        """As `WebClient.api_call`.

        Raises:
            IncompleteAnswerError: what came is no answer of Slack: JSON of another kind, bytes, half a character.
        """
        try:
            answer = super().api_call(*arguments, **named)
        except (AttributeError, ValueError, LookupError, RecursionError):
            # The SDK takes every JSON for an object, and every body for text. The cause would quote the body.
            raise IncompleteAnswerError from None
        if not isinstance(answer.data, dict):
            raise IncompleteAnswerError
        return answer


def is_set_up() -> bool:
    """True when a workspace can be answered: there is a token, or workspaces can be installed."""
    return bool(settings.SLACK_BOT_TOKEN or settings.SLACK_CLIENT_ID)


def web_client(token: str | None = None) -> WebClient:
    """A client of this token; without one, of `SLACK_BOT_TOKEN`. For a question take `client_of`.

    It resends nothing by itself: Slack may have accepted a post whose answer was lost, and only the
    outbox knows how to look that up before it posts again.
    """
    return SlackClient(
        token=settings.SLACK_BOT_TOKEN if token is None else token,
        base_url=settings.SLACK_API_URL.rstrip("/") + "/",
        timeout=TIMEOUT_S,
        retry_handlers=[],
    )


def impatient(client: WebClient, timeout_s: int) -> WebClient:
    """The same client for a question that an answer waits for."""
    return SlackClient(token=client.token, base_url=client.base_url, timeout=timeout_s, retry_handlers=[])


def punctual(client: WebClient, within_s: float, calls: Executor | None = None) -> PunctualClient:
    """The same client for what somebody waits for; of a punctual one, until its own end at the latest.

    `calls` runs what is no part of an acknowledgement, so that a form never waits for calls that hang there.
    """
    ends_at = time.monotonic() + within_s
    if isinstance(client, PunctualClient):
        ends_at = min(ends_at, client.ends_at)
    return PunctualClient(client, ends_at, calls or _calls)


class PunctualClient(SlackClient):
    """A client all of whose calls end by one moment, whatever Slack does.

    A socket's timeout bounds each step of a call alone: a Slack that takes its time to connect, then to answer, then
    with every byte, holds a call for many times that. So the call runs in a thread and is left behind when its time is
    up, which raises `TimeoutError`; it ends by its own timeout.
    """

    def __init__(self, client: WebClient, ends_at: float, calls: Executor) -> None:
        super().__init__(
            token=client.token, base_url=client.base_url, timeout=LEFT_BEHIND_S, retry_handlers=[]
        )
        self.ends_at = ends_at
        self.calls = calls

    def api_call(self, *arguments: Any, **named: Any) -> SlackResponse:
        """As `WebClient.api_call`.

        Raises:
            TimeoutError: Slack took too long. It may have done what was asked.
        """
        left_s = self.ends_at - time.monotonic()
        if left_s <= 0:
            raise TimeoutError
        call = self.calls.submit(super().api_call, *arguments, **named)
        try:
            return call.result(timeout=left_s)
        except TimeoutError:
            call.cancel()
            raise


_calls = ThreadPoolExecutor(max_workers=16, thread_name_prefix="before-ack")
"""More calls at once than wait here are in trouble anyway: their time runs out in the queue."""


def client_of(team_id: str) -> WebClient:
    """The client that speaks for this workspace, and for no other.

    Raises:
        NotInstalledError: no token belongs to this workspace.
        SlackApiError, OSError, HTTPException: whose `SLACK_BOT_TOKEN` is could not be asked just now.
    """
    token = _stored_token(team_id)
    if token:
        return web_client(token)
    if settings.SLACK_BOT_TOKEN and identity_of(settings.SLACK_BOT_TOKEN).team_id == team_id:
        return web_client()
    raise NotInstalledError("not_installed")


def token_for_listener(team_id: str | None) -> str:
    """The token of an incoming request's workspace, without a call to Slack: it stands before the ack.

    Until it is known whose `SLACK_BOT_TOKEN` is, a workspace that was not installed by OAuth is taken for it.
    """
    try:
        token = _stored_token(team_id or "")
    except NotInstalledError:
        return ""
    known = _known_team.get(settings.SLACK_BOT_TOKEN)
    return token or ("" if known and known != team_id else settings.SLACK_BOT_TOKEN)


def _stored_token(team_id: str) -> str:
    try:
        return workspaces.token_of(team_id)
    except sealing.CannotUnseal as error:
        log.error("the token of workspace %s cannot be opened: %s", team_id, error)  # noqa: TRY400
        raise NotInstalledError("token_sealed_with_a_lost_key") from None


_known_team: dict[str, str] = {}


def identity_of(token: str) -> Identity:
    """Who this token is; asked once a process.

    Raises:
        SlackApiError, OSError, HTTPException: Slack does not know the token, or could not be asked.
    """
    return _identity(token, settings.SLACK_API_URL)


@cache
def _identity(token: str, _api_url: str) -> Identity:
    identity = ask_identity(token)
    _known_team[token] = identity.team_id
    return identity


def ask_identity(token: str) -> Identity:
    """Who this token is, asked now; what is kept of its workspace is brought up to date.

    Raises:
        SlackApiError, OSError, HTTPException: Slack does not know the token, or could not be asked.
    """
    answer = web_client(token).auth_test()
    headers = lower_names(answer.headers)
    identity = Identity(
        team_id=str(answer.get("team_id") or ""),
        team=str(answer.get("team") or ""),
        bot_user_id=str(answer.get("user_id") or ""),
        bot_name=str(answer.get("user") or ""),
        scopes=frozenset(s.strip() for s in headers.get("x-oauth-scopes", "").split(",") if s.strip()),
        skew_s=_skew_s(headers),
    )
    if identity.team_id:
        workspaces.note_workspace(
            identity.team_id,
            name=identity.team,
            bot_user_id=identity.bot_user_id,
            scopes=identity.scopes,
        )
    return identity


def _skew_s(headers: Mapping[str, str]) -> float:
    """Our clock minus Slack's by its `Date` header, which is whole seconds; 0 where it says none."""
    try:
        told = parsedate_to_datetime(headers["date"])
    except (KeyError, ValueError):
        return 0.0
    return (datetime.now(UTC) - told.astimezone(UTC)).total_seconds()
