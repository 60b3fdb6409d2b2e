"""Install the app in a workspace by OAuth: begun by an admin, ended in the same browser by the same admin."""

from __future__ import annotations

import hashlib
import logging
import secrets
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from slack_bolt.oauth import OAuthFlow
from slack_bolt.oauth.callback_options import CallbackOptions, FailureArgs, SuccessArgs
from slack_bolt.oauth.oauth_settings import OAuthSettings
from slack_bolt.response import BoltResponse
from slack_sdk.oauth.installation_store import InstallationStore
from slack_sdk.oauth.installation_store.models.bot import Bot
from slack_sdk.oauth.installation_store.models.installation import Installation
from slack_sdk.oauth.state_store import OAuthStateStore

from bot.client import web_client
from bot.scopes import needed_scopes
from console.channels import workspaces
from console.channels.models import SlackOAuthState, SlackWorkspace
from console.people.models import User

log = logging.getLogger(__name__)

INSTALL_PATH = "/slack/install"
REDIRECT_PATH = "/slack/oauth_redirect"
STATE_EXPIRES_S = 600


class UnfitInstallationError(Exception):
    """Slack installed the app in a way that it cannot be used; `str()` is fit to be shown."""


class OneTimeStates(OAuthStateStore):
    """States in the database: of one admin, good for ten minutes and once. Only their digests are kept.

    That a state comes back in the browser it was given to is checked by Bolt, with a cookie.
    """

    def __init__(self, user: User) -> None:
        self._user = user

    def issue(self, *_: Any, **__: Any) -> str:
        """A new state; states that have expired are removed on this occasion."""
        SlackOAuthState.objects.filter(expires_at__lt=timezone.now()).delete()
        state = secrets.token_urlsafe(32)
        SlackOAuthState.objects.create(
            digest=_digest(state),
            user=self._user,
            expires_at=timezone.now() + timedelta(seconds=STATE_EXPIRES_S),
        )
        return state

    def consume(self, state: str) -> bool:
        """True once for a state that this admin was given and that has not expired."""
        mine = SlackOAuthState.objects.filter(
            digest=_digest(state), user=self._user, expires_at__gt=timezone.now()
        )
        with transaction.atomic():
            n_deleted, _ = mine.delete()
        return n_deleted == 1


class SealedInstallations(InstallationStore):
    """Bolt's way to the workspaces' rows, where tokens are sealed (`console.channels.workspaces`)."""

    def __init__(self, user: User | None = None) -> None:
        self._user = user

    def save(self, installation: Installation) -> None:
        """Keep an installation.

        Raises:
            UnfitInstallationError: it is of a whole organisation, or its token expires.
        """
        if installation.is_enterprise_install:
            raise UnfitInstallationError(
                "This was an installation for a whole organisation. Install the app in one workspace after the other."
            )
        if installation.bot_refresh_token:
            raise UnfitInstallationError(
                "Token rotation is on for this app, which Footnote does not do. "
                "Make a new app from the manifest, where it is off."
            )
        workspaces.save_installation(
            actor=self._user,
            installed=workspaces.Installed(
                team_id=installation.team_id or "",
                team_name=installation.team_name or "",
                app_id=installation.app_id or "",
                bot_user_id=installation.bot_user_id or "",
                scopes=tuple(installation.bot_scopes or ()),
                bot_token=installation.bot_token or "",
            ),
        )

    def find_bot(
        self,
        *,
        enterprise_id: str | None,
        team_id: str | None,
        is_enterprise_install: bool | None = False,
    ) -> Bot | None:
        """The workspace's bot with its token, if it is installed."""
        row = SlackWorkspace.objects.filter(team_id=team_id).first()
        token = workspaces.token_of(team_id or "")
        if row is None or not token or is_enterprise_install:
            return None
        return Bot(
            app_id=row.app_id,
            enterprise_id=enterprise_id,
            team_id=row.team_id,
            team_name=row.name,
            bot_token=token,
            bot_id="",
            bot_user_id=row.bot_user_id,
            bot_scopes=sorted(row.granted_scopes),
            installed_at=row.installed_at.timestamp() if row.installed_at else 0.0,
        )

    def delete_bot(self, *, enterprise_id: str | None, team_id: str | None) -> None:  # noqa: ARG002 - Bolt's names
        """Delete the workspace's token."""
        workspaces.remove_installation(team_id or "", told_at=timezone.now())

    def delete_installation(
        self,
        *,
        enterprise_id: str | None,  # noqa: ARG002 - Bolt's names
        team_id: str | None,
        user_id: str | None = None,
    ) -> None:
        """Delete the workspace's token; no tokens of people are kept."""
        if user_id is None:
            workspaces.remove_installation(team_id or "", told_at=timezone.now())


def oauth_flow(user: User, callbacks: CallbackOptions | None = None) -> OAuthFlow:
    """The flow as this admin goes through it; building it needs no network."""
    # Bolt's warnings here hold the code that a token can be had for.
    logger = logging.getLogger("slack_bolt.footnote")
    logger.setLevel(logging.ERROR)
    needed, optional = needed_scopes()
    return OAuthFlow(
        client=web_client(token=""),
        logger=logger,
        settings=OAuthSettings(
            client_id=settings.SLACK_CLIENT_ID,
            client_secret=settings.SLACK_CLIENT_SECRET,
            scopes=[*needed, *optional],
            redirect_uri=f"{settings.BASE_URL}{REDIRECT_PATH}",
            install_path=INSTALL_PATH,
            redirect_uri_path=REDIRECT_PATH,
            install_page_rendering_enabled=False,
            callback_options=callbacks or CallbackOptions(success=_succeeded, failure=_failed),
            installation_store=SealedInstallations(user),
            state_store=OneTimeStates(user),
            state_expiration_seconds=STATE_EXPIRES_S,
            logger=logger,
        ),
    )


FAILURES = {
    "access_denied": "The installation was called off in Slack.",
    "invalid_browser": "The installation has to end in the browser it was begun in. Begin again.",
    "invalid_state": "The installation took longer than ten minutes, was ended already, or was begun by somebody else. "
    "Begin again.",
    "missing_code": "Slack's answer was incomplete. Begin again.",
    "invalid_code": "Slack did not accept the app's credentials or the code. Check SLACK_CLIENT_ID, "
    "SLACK_CLIENT_SECRET and the redirect URL of the app, and begin again.",
}
OTHER_FAILURE = "Slack did not install the app. Begin again."


def _succeeded(args: SuccessArgs) -> BoltResponse:
    return BoltResponse(status=200, body=args.installation.team_name or args.installation.team_id or "")


def _failed(args: FailureArgs) -> BoltResponse:
    # `reason` can be anything that stands in the address; only sentences of ours are shown.
    return BoltResponse(status=400, body=FAILURES.get(args.reason, OTHER_FAILURE))


def _digest(state: str) -> str:
    return hashlib.sha256(state.encode("utf-8", "replace")).hexdigest()
