"""Is Slack set up as this code needs it?"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from urllib.parse import urlsplit

from django.conf import settings
from django.db.models import Q

from bot.audience import learn_channel
from bot.client import Identity, NotInstalledError, ask_identity, client_of, web_client
from bot.faults import CALL_FAILED, Kind, fault_of
from bot.manifests import AGENT_SCOPE
from bot.scopes import lost_without
from console import sealing
from console.channels import instances, workspaces
from console.channels.linting import Effect
from console.channels.models import SlackChannel, SlackWorkspace
from console.channels.reports import report_of

SKEW_WARNS_S = 30
SKEW_FAILS_S = 240
"""Slack's signatures are good for 300 s; a clock that is off by that much turns every request away."""


class Check(NamedTuple):
    """One finding. It never holds a token."""

    ok: bool
    message: str
    next_step: str = ""


def check_slack() -> list[Check]:
    """What is set, whether the tokens work, which permissions are missing, and whether another Footnote runs."""
    if not settings.SLACK_BOT_TOKEN and not settings.SLACK_CLIENT_ID:
        # No fault: the console is complete without Slack.
        return [Check(True, "Slack is not set up.", "To use it, follow docs/slack.md.")]
    return [
        _way_in(),
        *_signing_secret(),
        *(_bot_token() if settings.SLACK_BOT_TOKEN else []),
        *_installations(),
        *_app_token(),
        *_duplicates(),
    ]


def check_channels() -> list[Check]:
    """Every channel that is set up, asked about in Slack now."""
    return [check for channel in SlackChannel.objects.all() for check in _channel(channel)]


def _way_in() -> Check:
    if settings.SLACK_APP_TOKEN:
        return Check(True, "Slack is set up for Socket Mode.")
    if settings.SLACK_SIGNING_SECRET:
        return Check(True, f"Slack is set up for HTTP at {settings.BASE_URL}/slack/events.")
    name = "SLACK_BOT_TOKEN" if settings.SLACK_BOT_TOKEN else "SLACK_CLIENT_ID"
    return Check(
        False,
        f"{name} is set, but no events can come in.",
        "Set SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (HTTP).",
    )


def _signing_secret() -> Iterator[Check]:
    if settings.SLACK_APP_TOKEN or not settings.SLACK_SIGNING_SECRET:
        return
    if not re.fullmatch(r"\S{16,}", settings.SLACK_SIGNING_SECRET, re.ASCII):
        yield Check(
            False,
            "SLACK_SIGNING_SECRET does not look like one: it is short, or holds spaces.",
            "Copy it from Basic Information, App Credentials, Signing Secret.",
        )
    if not settings.BASE_URL.startswith("https://"):
        yield Check(
            False,
            f"FOOTNOTE_BASE_URL is {settings.BASE_URL}; Slack delivers to https addresses only.",
            "Set it to the public https address, or use Socket Mode.",
        )


def _bot_token() -> list[Check]:
    try:
        identity = ask_identity(settings.SLACK_BOT_TOKEN)
    except CALL_FAILED as error:
        step = "Install the app again and copy the Bot User OAuth Token into SLACK_BOT_TOKEN."
        return [_failed(error, "SLACK_BOT_TOKEN", step)]
    return [
        Check(True, f"The bot is {identity.bot_name} in {identity.team}."),
        *_scopes(identity.scopes),
        *_clock(identity),
    ]


def _failed(error: Exception, subject: str, step: str) -> Check:
    """What a failed call says: that a token is refused, with the `step` that mends it, only where Slack says no."""
    fault = fault_of(error)
    match fault.kind:
        case Kind.RATE_LIMITED:
            what, step = "asks to be left alone", f"Try again in {fault.wait_s:.0f} s."
        case Kind.UNSURE:
            host = urlsplit(settings.SLACK_API_URL).netloc or settings.SLACK_API_URL
            what = f"could not be asked ({fault.code})"
            step = f"See whether this machine reaches {host} (SLACK_API_URL, firewall, proxy), and try again."
        case _:
            what = f"does not accept the token ({fault.code})"
    return Check(False, f"{subject}: Slack {what}.", step)


def _clock(identity: Identity) -> Iterator[Check]:
    skew_s = identity.skew_s
    if abs(skew_s) < SKEW_WARNS_S:
        return
    side = "ahead of" if skew_s > 0 else "behind"
    yield Check(
        abs(skew_s) < SKEW_FAILS_S,
        f"This machine's clock is {abs(skew_s):.0f} s {side} Slack's.",
        "Set the clock by NTP: beyond 300 s every request of Slack is turned away.",
    )


def _scopes(granted: Iterable[str]) -> list[Check]:
    lost, declined = lost_without(granted)
    checks = [
        Check(False, f"The scope {scope} is missing: {what}.", "Add it and install the app again.")
        for scope, what in lost
    ]
    checks += [Check(True, f"The optional scope {scope} is missing: {what}.") for scope, what in declined]
    if AGENT_SCOPE in set(granted):
        checks.append(Check(True, "The agent surface is on: workspace guests can not use the app."))
    return checks or [Check(True, "Every scope is granted.")]


def _installations() -> Iterator[Check]:
    """Each workspace that was installed by OAuth, by its own token."""
    for row in SlackWorkspace.objects.filter(~Q(sealed_token="")):
        try:
            identity = ask_identity(workspaces.token_of(row.team_id))
        except sealing.CannotUnseal:
            yield Check(
                False,
                f"{row}: no key of SLACK_TOKEN_KEYS opens its token.",
                "Put the key back, or install the app there again.",
            )
            continue
        except CALL_FAILED as error:
            step = "Install the app there again at /slack/install."
            yield _failed(error, str(row), step)
            continue
        if identity.team_id != row.team_id:
            yield Check(False, f"{row}: the token is of another workspace.", "Install the app there again.")
            continue
        yield Check(True, f"The bot is {identity.bot_name} in {identity.team}, installed by OAuth.")
        yield from _scopes(identity.scopes)
        yield from _clock(identity)
        if not sealing.is_under_newest_key(row.sealed_token):
            yield Check(True, f"{row}: its token is under an older key.", "Run manage.py slack rotate-keys.")


def _app_token() -> list[Check]:
    if not settings.SLACK_APP_TOKEN:
        return []
    try:
        web_client().apps_connections_open(app_token=settings.SLACK_APP_TOKEN)
    except CALL_FAILED as error:
        step = "Create an app-level token with connections:write, turn Socket Mode on, set SLACK_APP_TOKEN."
        return [_failed(error, "SLACK_APP_TOKEN", step)]
    return [Check(True, "Socket Mode can connect.")]


def _duplicates() -> Iterator[Check]:
    duplicate = instances.duplicate_sentence()
    if duplicate:
        yield Check(False, duplicate, "Stop one of them, or give it an app of its own.")


def _channel(channel: SlackChannel) -> Iterator[Check]:
    try:
        learn_channel(client_of(channel.team_id), channel.team_id, channel.channel_id, at_once=True)
    except NotInstalledError:
        yield Check(
            False, f"{channel}: no token belongs to its workspace {channel.team_id}.", "Install it there."
        )
        return
    except CALL_FAILED as error:
        yield _failed(error, str(channel), "See above, at the token itself.")
        return
    report = report_of(channel.team_id, channel.channel_id)
    if not report.findings:
        yield Check(True, f"{report.name}: questions are answered.")
    for finding in report.findings:
        yield Check(finding.effect is Effect.NOTE, f"{report.name}: {finding.sentence}", finding.next_step)
