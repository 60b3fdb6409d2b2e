"""Workspaces: installed, uninstalled, their tokens sealed; and what an admin decides for all of one."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from console import sealing
from console.access import Rejected, require_admin
from console.audit.services import record
from console.channels.models import SlackWorkspace, UnconfiguredRule
from console.people.models import User

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Installed:
    """What Slack gives at the end of an installation. Its token is kept out of every representation."""

    team_id: str
    team_name: str
    app_id: str
    bot_user_id: str
    scopes: tuple[str, ...]
    bot_token: str = field(repr=False)


def save_installation(*, actor: User | None, installed: Installed) -> SlackWorkspace:
    """Keep a workspace with its token sealed; installing again replaces the token.

    Raises:
        NotPermitted: the actor is no admin.
        Rejected: Slack gave no token or no workspace.
    """
    require_admin(actor)
    if not installed.team_id or not installed.bot_token:
        raise Rejected("installation_incomplete", "Slack gave no workspace, or no token for it.")
    with transaction.atomic():
        workspace, _ = SlackWorkspace.objects.update_or_create(
            team_id=installed.team_id,
            defaults={
                "name": installed.team_name[:200],
                "app_id": installed.app_id,
                "bot_user_id": installed.bot_user_id,
                "scopes": ",".join(sorted(installed.scopes)),
                "sealed_token": sealing.seal(installed.bot_token, owner=installed.team_id),
                "installed_by": actor,
                "installed_at": timezone.now(),
                "removed_at": None,
            },
        )
        record(actor=actor, action="workspace.install", subject=f"{workspace.team_id} {workspace}")
    return workspace


def remove_installation(team_id: str, *, told_at: datetime) -> bool:
    """Delete a workspace's token because Slack says it is void; True when there was one.

    An event that Slack sent before the latest installation is about a token that was replaced since: Slack
    repeats events for hours.
    """
    with transaction.atomic():
        workspace = (
            SlackWorkspace.objects.select_for_update()
            .filter(team_id=team_id)
            .exclude(sealed_token="")
            .first()
        )
        if workspace is None or (workspace.installed_at and told_at < workspace.installed_at):
            return False
        workspace.sealed_token, workspace.removed_at = "", timezone.now()
        workspace.scopes = ""
        workspace.save(update_fields=["sealed_token", "removed_at", "scopes"])
        record(actor=None, action="workspace.uninstall", subject=f"{workspace.team_id} {workspace}")
    log.warning("the app was removed from workspace %s; its token is deleted", team_id)
    return True


def token_of(team_id: str) -> str:
    """The sealed token of a workspace, opened; empty when the workspace has none.

    Raises:
        sealing.CannotUnseal: the key that it was sealed with is gone.
    """
    workspace = SlackWorkspace.objects.filter(team_id=team_id).exclude(sealed_token="").first()
    return sealing.unseal(workspace.sealed_token, owner=team_id) if workspace else ""


def note_workspace(team_id: str, *, name: str, bot_user_id: str, scopes: Iterable[str]) -> None:
    """Remember what Slack says of a workspace. The one of `SLACK_BOT_TOKEN` gets its row here."""
    told = {"name": name[:200], "bot_user_id": bot_user_id, "scopes": ",".join(sorted(scopes))}
    SlackWorkspace.objects.update_or_create(
        team_id=team_id,
        defaults=told,
        # Whoever opened a folder was told that channels without a set-up are answered from it.
        create_defaults={**told, "unconfigured": UnconfiguredRule.OPEN},
    )


def set_workspace_rules(
    *, actor: User | None, workspace: SlackWorkspace, unconfigured: str, has_no_guests: bool
) -> SlackWorkspace:
    """Decide what channels without a set-up are answered from, and whether there are guests at all.

    Raises:
        NotPermitted: the actor is no admin.
        Rejected: the rule is unknown.
    """
    require_admin(actor)
    if unconfigured not in UnconfiguredRule.values:
        raise Rejected("unknown_rule", f"The rule is one of {', '.join(UnconfiguredRule.values)}.")
    with transaction.atomic():
        workspace.unconfigured, workspace.has_no_guests = unconfigured, has_no_guests
        workspace.save(update_fields=["unconfigured", "has_no_guests"])
        record(
            actor=actor,
            action="workspace.set_rules",
            subject=f"{workspace.team_id} {workspace}",
            unconfigured=unconfigured,
            has_no_guests=has_no_guests,
        )
    return workspace


def rotate_keys() -> tuple[int, list[str]]:
    """Seal every token under the newest key; gives back how many, and the teams whose token no key opens."""
    lost: list[str] = []
    n_resealed = 0
    for workspace in SlackWorkspace.objects.filter(~Q(sealed_token="")):
        if sealing.is_under_newest_key(workspace.sealed_token):
            continue
        try:
            resealed = sealing.reseal(workspace.sealed_token)
        except sealing.CannotUnseal:
            lost.append(workspace.team_id)
            continue
        # Only what was read: a workspace that was installed again meanwhile has a newer token.
        n_resealed += SlackWorkspace.objects.filter(
            pk=workspace.pk, sealed_token=workspace.sealed_token
        ).update(sealed_token=resealed)
    return n_resealed, lost
