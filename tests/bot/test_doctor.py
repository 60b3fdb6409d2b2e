"""What `manage.py doctor` says about Slack, and that it never says a token."""

from __future__ import annotations

import pytest

from bot.doctor import WITHOUT_SCOPE, check_slack, needed_scopes
from tests.bot.fake_slack import ALL_SCOPES, APP_TOKEN, TOKEN, Failure, FakeSlack


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


def test_every_scope_of_the_manifest_has_its_reason() -> None:
    required, optional = needed_scopes()
    assert set(required) | set(optional) == set(WITHOUT_SCOPE)
