"""Installing by OAuth: an admin begins it, the same admin ends it in the same browser, once, within ten minutes."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from bot.manifests import manifest
from bot.simulator.failures import Failure
from console.audit.models import AuditEntry
from console.channels.models import SlackOAuthState, SlackWorkspace, UnconfiguredRule
from console.channels.selectors import folders_of_channel, folders_of_person
from console.channels.workspaces import token_of
from console.people.models import Role, User
from console.sources.models import Folder
from tests.bot.fake_slack import BASE_URL, TOKEN, FakeSlack
from tests.bot.payloads import TEAM

COOKIE = "slack-app-oauth-state"
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def oauth(slack: FakeSlack, settings: object) -> FakeSlack:
    settings.SLACK_BOT_TOKEN = ""
    settings.SLACK_CLIENT_ID, settings.SLACK_CLIENT_SECRET = "12.34", "secret-of-the-app"
    return slack


@pytest.fixture
def boss(oauth: FakeSlack) -> Client:
    return browser_of(User.objects.create(username="boss", role=Role.ADMIN))


def browser_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def begin(client: Client) -> dict[str, str]:
    """Where the admin is sent, as Slack reads it."""
    response = client.get("/slack/install")
    assert response.status_code == 302
    url = urlsplit(response["Location"])
    assert (url.scheme, url.netloc, url.path) == ("https", "slack.com", "/oauth/v2/authorize")
    return {name: values[0] for name, values in parse_qs(url.query).items()}


def end(client: Client, **query: str) -> HttpResponse:
    return client.get("/slack/oauth_redirect", query)


def test_an_admin_installs_and_is_led_to_what_has_to_be_decided(boss: Client, oauth: FakeSlack) -> None:
    asked = begin(boss)
    assert asked["client_id"] == "12.34"
    assert asked["redirect_uri"] == f"{BASE_URL}/slack/oauth_redirect"
    assert asked["scope"].split(",") == manifest()["oauth_config"]["scopes"]["bot"]
    response = end(boss, code="valid", state=asked["state"])
    assert (response.status_code, response["Location"]) == (302, "/workspaces")
    row = SlackWorkspace.objects.get()
    assert (row.team_id, row.name, row.installed_by.username) == (TEAM, "Tests", "boss")
    assert token_of(TEAM) == TOKEN
    assert "users:read" in row.granted_scopes
    assert AuditEntry.objects.filter(action="workspace.install", actor__username="boss").exists()
    (call,) = oauth.calls_of("oauth.v2.access")
    assert call["redirect_uri"] == f"{BASE_URL}/slack/oauth_redirect"


def test_a_new_workspace_sees_nothing_until_somebody_says_so(boss: Client) -> None:
    Folder.objects.create(name="Handbook", is_open=True)
    end(boss, code="valid", state=begin(boss)["state"])
    row = SlackWorkspace.objects.get()
    assert row.unconfigured == UnconfiguredRule.NOTHING
    assert not folders_of_channel(TEAM, "C1").exists()
    assert not folders_of_person(TEAM, "U1").exists()
    boss.post(f"/workspaces/{row.pk}", {"unconfigured": "open"})
    assert folders_of_channel(TEAM, "C1").exists()


def test_another_browser_cannot_end_it(boss: Client) -> None:
    state = begin(boss)["state"]
    assert state not in str(SlackOAuthState.objects.values_list()), "only its digest is kept"
    other = browser_of(User.objects.get(username="boss"))
    response = end(other, code="valid", state=state)
    assert response.status_code == 400
    assert "browser" in response.content.decode()
    assert not SlackWorkspace.objects.exists()


def test_another_admin_cannot_end_it_even_with_the_cookie(boss: Client) -> None:
    state = begin(boss)["state"]
    other = browser_of(User.objects.create(username="other", role=Role.ADMIN))
    other.cookies[COOKIE] = state
    assert end(other, code="valid", state=state).status_code == 400
    assert not SlackWorkspace.objects.exists()


def test_a_state_is_good_once(boss: Client, oauth: FakeSlack) -> None:
    state = begin(boss)["state"]
    assert end(boss, code="valid", state=state).status_code == 302
    boss.cookies[COOKIE] = state
    assert end(boss, code="valid", state=state).status_code == 400
    assert len(oauth.calls_of("oauth.v2.access")) == 1


def test_a_state_expires(boss: Client) -> None:
    state = begin(boss)["state"]
    SlackOAuthState.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert end(boss, code="valid", state=state).status_code == 400
    begin(boss)
    assert SlackOAuthState.objects.count() == 1, "the expired one is gone"


@pytest.mark.parametrize("state", ["", "guessed", "\ud800", "x" * 5_000])
def test_a_made_up_state_ends_nothing(boss: Client, state: str) -> None:
    begin(boss)
    boss.cookies[COOKIE] = state.encode("utf-8", "replace").decode()
    query = {"code": "valid", "state": state.encode("utf-8", "replace").decode()}
    assert end(boss, **query).status_code == 400
    assert not SlackWorkspace.objects.exists()


@pytest.mark.parametrize("path", ["/slack/install", "/slack/oauth_redirect?code=valid&state=x"])
def test_only_admins_install(oauth: FakeSlack, path: str) -> None:
    assert Client().get(path)["Location"].startswith("/sign-in?next=")
    for role in (Role.VIEWER, Role.SUPPORT_LEAD):
        assert browser_of(User.objects.create(username=role, role=role)).get(path).status_code == 403
    assert not SlackOAuthState.objects.exists()
    assert oauth.calls == []


def test_the_cookie_is_kept_from_scripts_and_plain_http(boss: Client) -> None:
    begin(boss)
    cookie = boss.cookies[COOKIE]
    assert (cookie["secure"], cookie["httponly"], cookie["samesite"]) == (True, True, "Lax")
    assert cookie["max-age"] == 600


@pytest.mark.parametrize(
    ("query", "says"),
    [({"error": "access_denied"}, "called off"), ({"error": "<b>hello</b>"}, "Begin again"), ({}, "browser")],
)
def test_what_slack_sends_back_is_told_in_our_words(boss: Client, query: dict, says: str) -> None:
    response = end(boss, **query)
    page = response.content.decode()
    assert response.status_code == 400
    assert says in page
    assert "hello" not in page


@pytest.mark.parametrize(
    ("failure", "status"),
    [(Failure(error="bad_client_secret"), 400), (Failure(status=503), 400), (Failure(is_dropped=True), 502)],
)
def test_faults_of_slack_leave_no_trace_of_code_or_secret(
    boss: Client, oauth: FakeSlack, caplog: pytest.LogCaptureFixture, failure: Failure, status: int
) -> None:
    caplog.set_level("DEBUG")
    oauth.script("oauth.v2.access", failure)
    state = begin(boss)["state"]
    response = end(boss, code="code-worth-a-token", state=state)
    assert response.status_code == status
    told = response.content.decode() + "".join(
        record.getMessage() for record in caplog.records if not record.name.startswith(("django", "urllib"))
    )
    assert "code-worth-a-token" not in told
    assert "secret-of-the-app" not in told


def grant(monkeypatch: pytest.MonkeyPatch, **changes: object) -> None:
    """Slack gives something else at the end."""
    from bot.simulator import methods_read

    real = methods_read.installation

    def changed(*args: object) -> dict:
        return {**real(*args), **changes}

    monkeypatch.setattr(methods_read, "installation", changed)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"is_enterprise_install": True}, "whole organisation"),
        ({"refresh_token": "xoxe-1", "expires_in": 43_200}, "Token rotation"),
        ({"team": None}, "no workspace"),
    ],
)
def test_an_installation_that_cannot_be_used_is_not_kept(
    boss: Client, monkeypatch: pytest.MonkeyPatch, changes: dict, says: str
) -> None:
    grant(monkeypatch, **changes)
    response = end(boss, code="valid", state=begin(boss)["state"])
    assert response.status_code == 400
    assert says in response.content.decode()
    assert not SlackWorkspace.objects.exists()


def test_without_credentials_of_an_app_nothing_is_installed(boss: Client, settings: object) -> None:
    settings.SLACK_CLIENT_ID = settings.SLACK_CLIENT_SECRET = ""
    for path in ("/slack/install", "/slack/oauth_redirect"):
        response = boss.get(path)
        assert response.status_code == 404
        assert "SLACK_BOT_TOKEN" in response.content.decode()
