"""Several workspaces: each is spoken to with its own token, which is sealed, and gone when Slack says so."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator

import pytest
from django.db import connection
from django.test import Client

from bot.app import slack_app
from bot.client import NotInstalledError, client_of, token_for_listener
from console import sealing
from console.channels.models import DeliveryState, SlackDelivery, SlackWorkspace
from console.channels.workspaces import Installed, rotate_keys, save_installation, token_of
from console.people.models import User
from console.questions.models import Question, Surface
from tests.bot.fake_slack import APP_TOKEN, BASE_URL, TOKEN
from tests.bot.payloads import SECRET, TEAM, event_body, post
from tests.bot.test_delivery import deliver, make_due
from tests.bot.two_teams import TEAM_A, TEAM_B, TOKEN_A, TOKEN_B, TwoTeams

LIMIT = "The nightly hotel limit is 180 EUR."


@pytest.fixture
def slack(settings: object) -> Iterator[TwoTeams]:
    fake = TwoTeams()
    settings.SLACK_API_URL = f"{fake.url}/api/"
    settings.SLACK_BOT_TOKEN = ""
    settings.SLACK_CLIENT_ID, settings.SLACK_CLIENT_SECRET = "1.2", "of-the-tests"
    settings.SLACK_APP_TOKEN = APP_TOKEN
    settings.SLACK_SIGNING_SECRET = SECRET
    settings.BASE_URL = BASE_URL
    slack_app.cache_clear()
    yield fake
    slack_app.cache_clear()
    fake.close()
    assert fake.problems == []


def install(team_id: str, token: str) -> SlackWorkspace:
    scopes = ("chat:write", "users:read")
    return save_installation(
        actor=None,
        installed=Installed(team_id, f"Team {team_id[-1]}", "A1", "U00000BOT01", scopes, token),
    )


@pytest.fixture
def installed(slack: TwoTeams, transactional_db: None) -> tuple[SlackWorkspace, SlackWorkspace]:
    return install(TEAM_A, TOKEN_A), install(TEAM_B, TOKEN_B)


def asked_in(team_id: str, finished: Callable[..., Question], **options: object) -> Question:
    question = finished(LIMIT, **options)
    Question.objects.filter(pk=question.pk).update(slack_team_id=team_id)
    question.refresh_from_db()
    return question


@pytest.mark.parametrize("team_id", [TEAM_A, TEAM_B])
@pytest.mark.parametrize("surface", [Surface.SLACK_MENTION, Surface.SLACK_DM, Surface.SLACK_COMMAND])
def test_every_call_for_a_question_is_made_with_its_workspaces_token(
    slack: TwoTeams, installed: object, finished: Callable, team_id: str, surface: Surface
) -> None:
    question = asked_in(
        team_id, finished, surface=surface, ts="1.5" if surface != "slack_command" else "cmd-1"
    )
    assert deliver(question).state == DeliveryState.DELIVERED
    assert {team for _, team in slack.used} == {team_id}
    assert "chat.postMessage" in dict(slack.used)


def test_a_question_of_a_workspace_without_a_token_is_posted_with_nobody_elses(
    slack: TwoTeams, installed: object, finished: Callable
) -> None:
    row = deliver(asked_in("T0NOWHERE", finished))
    assert (row.state, row.last_error) == (DeliveryState.UNDELIVERABLE, "not_installed")
    assert slack.used == []


def test_the_one_token_of_the_settings_serves_its_own_workspace_only(
    slack: TwoTeams, finished: Callable, settings: object
) -> None:
    settings.SLACK_BOT_TOKEN = TOKEN
    assert deliver(asked_in(TEAM_B, finished)).last_error == "not_installed"
    assert slack.teams_of("chat.postMessage") == set()
    other = asked_in(TEAM, finished, ts="2.5")
    assert deliver(other).state == DeliveryState.DELIVERED
    assert slack.teams_of("chat.postMessage") == {TEAM}


def test_a_token_in_another_workspaces_row_opens_for_nobody(
    slack: TwoTeams, installed: tuple[SlackWorkspace, SlackWorkspace], finished: Callable
) -> None:
    a, _ = installed
    SlackWorkspace.objects.filter(team_id=TEAM_B).update(sealed_token=a.sealed_token)
    row = deliver(asked_in(TEAM_B, finished))
    assert (row.state, row.last_error) == (DeliveryState.UNDELIVERABLE, "token_sealed_with_a_lost_key")
    assert slack.used == []


def test_a_listener_is_given_the_token_of_the_requests_workspace(installed: object, settings: object) -> None:
    assert [token_for_listener(team) for team in (TEAM_A, TEAM_B, "T0NOWHERE")] == [TOKEN_A, TOKEN_B, ""]
    settings.SLACK_BOT_TOKEN = TOKEN
    client_of_known_team = client_of(TEAM)
    assert client_of_known_team.token == TOKEN
    assert token_for_listener("T0NOWHERE") == "", "by now it is known whose the token is"


def test_tokens_are_nowhere_to_be_read(
    installed: object, finished: Callable, caplog: pytest.LogCaptureFixture, django_user_model: type[User]
) -> None:
    caplog.set_level(logging.DEBUG)
    deliver(asked_in(TEAM_A, finished))
    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM slack_channels_slackworkspace")
        rows = str(cursor.fetchall())
    client = Client()
    client.force_login(django_user_model.objects.create(username="boss", role="admin"))
    pages = "".join(
        client.get(path).content.decode()
        for path in ("/workspaces", f"/workspaces/{SlackWorkspace.objects.first().pk}", "/channels", "/audit")
    )
    details = repr(Installed("T1", "One", "A1", "U1", (), TOKEN_A))
    sealed = SlackWorkspace.objects.get(team_id=TEAM_A).sealed_token
    for token in (TOKEN_A, TOKEN_B):
        assert token not in rows + pages + details + caplog.text
    assert sealed not in pages + caplog.text


@pytest.mark.parametrize(
    "event",
    [
        {"type": "app_uninstalled"},
        {"type": "tokens_revoked", "tokens": {"oauth": ["U1"], "bot": ["U00000BOT01"]}},
    ],
)
def test_an_uninstalled_workspace_loses_its_token_at_once(
    slack: TwoTeams, installed: object, finished: Callable, event: dict
) -> None:
    body = event_body(event, team_id=TEAM_A, event_time=4_000_000_000)
    assert post(body).status_code == 200
    row = SlackWorkspace.objects.get(team_id=TEAM_A)
    assert (row.sealed_token, row.scopes) == ("", "")
    assert row.removed_at is not None
    with pytest.raises(NotInstalledError):
        client_of(TEAM_A)
    assert deliver(asked_in(TEAM_A, finished)).last_error == "not_installed"
    assert token_of(TEAM_B) == TOKEN_B, "the other workspace is untouched"


def test_revoked_tokens_of_people_change_nothing(slack: TwoTeams, installed: object) -> None:
    event = {"type": "tokens_revoked", "tokens": {"oauth": ["U1"], "bot": []}}
    assert post(event_body(event, team_id=TEAM_A, event_time=4_000_000_000)).status_code == 200
    assert token_of(TEAM_A) == TOKEN_A


def test_a_late_event_about_the_former_installation_does_not_end_the_new_one(
    slack: TwoTeams, installed: object
) -> None:
    body = event_body({"type": "app_uninstalled"}, team_id=TEAM_A, event_time=1_767_376_988)
    assert post(body).status_code == 200
    assert token_of(TEAM_A) == TOKEN_A


@pytest.mark.parametrize("when", ["soon", None, -5, 10**30, True, 1.5])
def test_an_uninstall_event_without_a_usable_time_counts_as_now(
    slack: TwoTeams, installed: object, when: object
) -> None:
    assert post(event_body({"type": "app_uninstalled"}, team_id=TEAM_A, event_time=when)).status_code == 200
    assert token_of(TEAM_A) == ""


def test_installed_again_what_waited_can_be_delivered(
    slack: TwoTeams, installed: object, finished: Callable, work: Callable[[], None]
) -> None:
    from console.channels.services import redeliver_answer

    SlackWorkspace.objects.filter(team_id=TEAM_A).update(sealed_token="")
    question = asked_in(TEAM_A, finished)
    assert deliver(question).state == DeliveryState.UNDELIVERABLE
    install(TEAM_A, TOKEN_A)
    redeliver_answer(actor=None, question_id=str(question.pk))
    make_due(question)
    work()
    assert SlackDelivery.objects.get().state == DeliveryState.DELIVERED
    assert slack.teams_of("chat.postMessage") == {TEAM_A}


def test_keys_rotate_without_anybody_noticing(installed: object, settings: object) -> None:
    old = settings.SLACK_TOKEN_KEYS
    settings.SLACK_TOKEN_KEYS = [sealing.new_key(), *old]
    assert rotate_keys() == (2, [])
    assert rotate_keys() == (0, []), "all are under the newest key"
    settings.SLACK_TOKEN_KEYS = settings.SLACK_TOKEN_KEYS[:1]
    assert (token_of(TEAM_A), token_of(TEAM_B)) == (TOKEN_A, TOKEN_B)
    settings.SLACK_TOKEN_KEYS = [sealing.new_key()]
    assert rotate_keys() == (0, [TEAM_A, TEAM_B])
