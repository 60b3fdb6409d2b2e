"""The one way to Slack's Web API; each workspace is called with its own token."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache

from django.conf import settings
from slack_sdk import WebClient

from bot.faults import lower_names
from console import sealing
from console.channels import workspaces

log = logging.getLogger(__name__)

TIMEOUT_S = 10
"""Well under the delivery's lease, so that a hanging call ends before another worker may try."""


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


def is_set_up() -> bool:
    """True when a workspace can be answered: there is a token, or workspaces can be installed."""
    return bool(settings.SLACK_BOT_TOKEN or settings.SLACK_CLIENT_ID)


def web_client(token: str | None = None) -> WebClient:
    """A client of this token; without one, of `SLACK_BOT_TOKEN`. For a question take `client_of`.

    It resends nothing by itself: Slack may have accepted a post whose answer was lost, and only the
    outbox knows how to look that up before it posts again.
    """
    return WebClient(
        token=settings.SLACK_BOT_TOKEN if token is None else token,
        base_url=settings.SLACK_API_URL.rstrip("/") + "/",
        timeout=TIMEOUT_S,
        retry_handlers=[],
    )


def impatient(client: WebClient, timeout_s: int) -> WebClient:
    """The same client for use before an acknowledgement, which Slack waits for three seconds."""
    return WebClient(token=client.token, base_url=client.base_url, timeout=timeout_s, retry_handlers=[])


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
