"""What `manage.py doctor` says about Slack, and that it never says a token."""

from __future__ import annotations

import io
import uuid
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from bot.doctor import check_channels, check_slack
from bot.scopes import WITHOUT_SCOPE, needed_scopes
from bot.simulator.failures import rate_limited
from console import sealing
from console.channels.instances import report_connection
from console.channels.models import SlackChannel
from console.channels.workspaces import Installed, save_installation
from tests.bot.fake_slack import ALL_SCOPES, APP_TOKEN, TOKEN, Failure, FakeSlack
from tests.bot.payloads import CHANNEL, TEAM
from workers.simulated_product import free_port

pytestmark = pytest.mark.django_db(transaction=True)


def test_all_is_well(slack: FakeSlack) -> None:
    checks = check_slack()
    assert all(check.ok for check in checks)
    assert [check.message for check in checks] == [
        "Slack is set up for Socket Mode.",
        "The bot is footnote in Tests.",
        "Every scope is granted.",
        "Socket Mode can connect.",
    ]


def test_not_set_up_names_the_guide(slack: FakeSlack, settings: object) -> None:
    settings.SLACK_BOT_TOKEN = ""
    (check,) = check_slack()
    assert check.ok, "the console is complete without Slack"
    assert "docs/slack.md" in check.next_step
    assert slack.calls == []


def test_a_token_without_a_way_in_is_a_fault(slack: FakeSlack, settings: object) -> None:
    settings.SLACK_APP_TOKEN = settings.SLACK_SIGNING_SECRET = ""
    assert "SLACK_SIGNING_SECRET" in check_slack()[0].next_step


def test_a_missing_scope_is_named_with_what_it_costs(slack: FakeSlack) -> None:
    slack.scopes = ALL_SCOPES - {"im:history", "channels:history"}
    missing = [check for check in check_slack() if "scope" in check.message]
    assert [(check.ok, check.message) for check in missing] == [
        (False, "The scope im:history is missing: direct messages are not seen."),
        (True, f"The optional scope channels:history is missing: {WITHOUT_SCOPE['channels:history']}."),
    ]


@pytest.mark.parametrize(
    "failure", [Failure(error="invalid_auth"), Failure(is_dropped=True), Failure(status=503)]
)
def test_tokens_that_do_not_work_are_faults_without_the_token(slack: FakeSlack, failure: Failure) -> None:
    slack.script("auth.test", failure)
    slack.script("apps.connections.open", failure)
    checks = check_slack()
    assert [check.ok for check in checks] == [True, False, False]
    assert not any(token in str(check) for token in (TOKEN, APP_TOKEN) for check in checks)


UNREACHABLE = [
    (Failure(is_dropped=True), "could not be asked (RemoteDisconnected)."),
    (Failure(status=503), "could not be asked (http_503)."),
    (Failure(status=407, body="<p>Sign in</p>"), "could not be asked (http_407)."),
    (Failure(error="internal_error"), "could not be asked (internal_error)."),
    (rate_limited(7), "asks to be left alone."),
]


@pytest.mark.parametrize(("failure", "told"), UNREACHABLE, ids=lambda value: str(value)[-40:])
def test_a_slack_that_is_away_is_not_taken_for_a_refused_token(
    slack: FakeSlack, settings: object, failure: Failure, told: str
) -> None:
    save_installation(actor=None, installed=Installed(TEAM, "Tests", "A1", "U1", (), TOKEN))
    SlackChannel.objects.create(team_id=TEAM, channel_id=CHANNEL, name="help")
    slack.script("auth.test", failure, failure)
    slack.script("apps.connections.open", failure)
    slack.script("conversations.info", failure)
    faults = [check for check in [*check_slack(), *check_channels()] if not check.ok]
    subjects = ("SLACK_BOT_TOKEN", "Tests", "SLACK_APP_TOKEN", "help")
    assert [check.message for check in faults] == [f"{subject}: Slack {told}" for subject in subjects]
    step = "Try again in 7 s." if "alone" in told else f"reaches {slack.url.removeprefix('http://')} "
    assert all(step in check.next_step for check in faults)


def test_a_closed_port_is_no_refused_token(slack: FakeSlack, settings: object) -> None:
    settings.SLACK_API_URL = f"http://127.0.0.1:{free_port()}/api/"
    assert [check.message for check in check_slack() if not check.ok] == [
        "SLACK_BOT_TOKEN: Slack could not be asked (URLError).",
        "SLACK_APP_TOKEN: Slack could not be asked (URLError).",
    ]


def test_a_refused_token_is_told_as_such(slack: FakeSlack) -> None:
    slack.script("auth.test", Failure(error="token_revoked"))
    slack.script("apps.connections.open", Failure(error="invalid_auth"))
    bot, app = (check for check in check_slack() if not check.ok)
    assert bot.message == "SLACK_BOT_TOKEN: Slack does not accept the token (token_revoked)."
    assert bot.next_step.startswith("Install the app again")
    assert app.message == "SLACK_APP_TOKEN: Slack does not accept the token (invalid_auth)."
    assert "connections:write" in app.next_step


def test_without_its_scope_group_messages_are_told_of(slack: FakeSlack) -> None:
    slack.scopes = ALL_SCOPES - {"mpim:read"}
    (missing,) = [check for check in check_slack() if "scope" in check.message]
    assert missing.ok, "the rest works"
    assert "group direct message" in missing.message


def test_every_scope_of_the_manifest_has_its_reason() -> None:
    required, optional = needed_scopes(agent=True)
    assert set(required) | set(optional) == set(WITHOUT_SCOPE)


def messages() -> str:
    return "\n".join(f"{check.ok} {check.message} {check.next_step}" for check in check_slack())


@pytest.mark.parametrize(
    ("skew_s", "ok"), [(0, None), (-45, True), (100, True), (290, False), (-3_600, False)]
)
def test_a_clock_that_is_off_is_told_before_signatures_fail(
    slack: FakeSlack, monkeypatch: pytest.MonkeyPatch, skew_s: int, ok: bool | None
) -> None:
    real = timezone.now()
    monkeypatch.setattr("bot.client.datetime", _Clock(real + timedelta(seconds=skew_s)))
    checks = [check for check in check_slack() if "clock" in check.message]
    assert [check.ok for check in checks] == ([] if ok is None else [ok])
    if checks:
        assert ("ahead of" if skew_s > 0 else "behind") in checks[0].message


class _Clock:
    def __init__(self, at: object) -> None:
        self._at = at

    def now(self, _: object) -> object:
        return self._at


def test_a_second_footnote_with_the_same_token_is_a_fault(slack: FakeSlack) -> None:
    report_connection(uuid.uuid4(), app_id="A1", n_connections=1)
    assert "another Footnote" not in messages()
    report_connection(uuid.uuid4(), app_id="A1", n_connections=3)
    assert (
        "False Slack counted 3 connections with this app-level token, and this installation holds 2"
        in messages()
    )


@pytest.mark.parametrize("secret", ["tiny", "with spaces in between it"])
def test_a_signing_secret_that_cannot_be_one_is_told(slack: FakeSlack, settings: object, secret: str) -> None:
    settings.SLACK_APP_TOKEN, settings.SLACK_SIGNING_SECRET = "", secret
    settings.BASE_URL = "https://footnote.example.org"
    told = messages()
    assert "does not look like one" in told
    assert secret not in told


def test_http_needs_a_public_address(slack: FakeSlack, settings: object) -> None:
    settings.SLACK_APP_TOKEN = ""
    assert "False FOOTNOTE_BASE_URL is http://127.0.0.1:8000" in messages()


def test_each_installed_workspace_is_checked_with_its_own_token(slack: FakeSlack, settings: object) -> None:
    settings.SLACK_BOT_TOKEN, settings.SLACK_CLIENT_ID = "", "1.2"
    for team, token in ((TEAM, TOKEN), ("T0GONE", "xoxb-revoked"), ("T0OTHER", TOKEN)):
        save_installation(actor=None, installed=Installed(team, team, "A1", "U1", (), token))
    told = messages()
    assert "True The bot is footnote in Tests, installed by OAuth." in told
    assert "False T0GONE: Slack does not accept the token (invalid_auth)." in told
    assert "False T0OTHER: the token is of another workspace." in told
    settings.SLACK_TOKEN_KEYS = [sealing.new_key(), *settings.SLACK_TOKEN_KEYS]
    assert "its token is under an older key. Run manage.py slack rotate-keys." in messages()
    settings.SLACK_TOKEN_KEYS = [sealing.new_key()]
    told = messages()
    assert told.count("no key of SLACK_TOKEN_KEYS opens its token") == 3
    assert TOKEN not in told


def test_the_command_prints_it_and_fails_when_something_is_wrong(slack: FakeSlack) -> None:
    out = io.StringIO()
    call_command("slack", "doctor", stdout=out)
    assert "ok    The bot is footnote in Tests." in out.getvalue()
    slack.scopes = ALL_SCOPES - {"users:read"}
    out = io.StringIO()
    with pytest.raises(SystemExit) as caught:
        call_command("slack", "doctor", stdout=out)
    assert caught.value.code == 1
    assert "FAULT The scope users:read is missing" in out.getvalue()
    assert TOKEN not in out.getvalue()


def test_keys_are_made_and_rotated_by_command(slack: FakeSlack, settings: object) -> None:
    save_installation(actor=None, installed=Installed(TEAM, "Tests", "A1", "U1", (), TOKEN))
    out = io.StringIO()
    call_command("slack", "rotate-keys", "--new", stdout=out)
    settings.SLACK_TOKEN_KEYS = [out.getvalue().strip(), *settings.SLACK_TOKEN_KEYS]
    out = io.StringIO()
    call_command("slack", "rotate-keys", stdout=out)
    assert "1 token is sealed anew." in out.getvalue()
    settings.SLACK_TOKEN_KEYS = [sealing.new_key()]
    with pytest.raises(CommandError, match=TEAM):
        call_command("slack", "rotate-keys", stdout=io.StringIO())
