"""The endpoint: what strangers send is a 4xx; what Slack sends is a 200."""

from __future__ import annotations

import json

import pytest
from django.test import Client
from slack_sdk.signature import Clock, SignatureVerifier

from bot.views import MAX_BODY_BYTES
from console.channels.models import SlackEvent
from console.questions.models import Question
from tests.bot.fake_slack import FakeSlack
from tests.bot.payloads import SECRET, command, event_body, mention, post, post_form, post_raw

pytestmark = pytest.mark.usefixtures("slack", "transactional_db", "sent")

BODY = json.dumps(mention("How much?")).encode()


def test_a_signed_request_is_taken_in() -> None:
    assert post_raw(BODY).status_code == 200
    assert SlackEvent.objects.count() == Question.objects.count() == 1


@pytest.mark.parametrize("signature", ["v0=0000", "", "v0=" + "é" * 10, "v0=" + "0" * 64])
def test_a_bad_signature_is_401(signature: str) -> None:
    assert post_raw(BODY, **{"X-Slack-Signature": signature}).status_code == 401
    assert not Question.objects.exists()


def test_no_signature_at_all_is_401() -> None:
    assert Client().post("/slack/events", data=BODY, content_type="application/json").status_code == 401


@pytest.mark.parametrize(
    ("age_s", "status"), [(301, 401), (-301, 401), (86_400, 401), (300, 200), (-300, 200)]
)
def test_a_stale_timestamp_is_401(age_s: int, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1_767_376_988
    # A clock that moves on between signing and checking makes 300 of 301 seconds ahead.
    monkeypatch.setattr(Clock, "now", lambda _: float(now))
    timestamp = str(now - age_s)
    signature = SignatureVerifier(SECRET).generate_signature(timestamp=timestamp, body=BODY)
    headers = {"X-Slack-Request-Timestamp": timestamp, "X-Slack-Signature": signature}
    assert post_raw(BODY, **headers).status_code == status


@pytest.mark.parametrize("timestamp", ["abc", "", "1e9", "-5", "٣", "1767376988.5", "9" * 400])
def test_a_timestamp_that_is_no_number_is_401(timestamp: str) -> None:
    assert post_raw(BODY, **{"X-Slack-Request-Timestamp": timestamp}).status_code == 401


@pytest.mark.parametrize(
    "body",
    [
        b"{bad",
        b"\xff\xfe{}",
        b"{" + b'"a":{' * 20_000,
        b"[1]",
        b'{"authorizations": 5}',
        b'{"event": 3, "type": "event_callback"}',
        b'{"event": null, "type": "event_callback"}',
        b'{"type": "event_callback", "event": {}}',
    ],
)
def test_a_malformed_body_is_a_4xx(body: bytes) -> None:
    assert 400 <= post_raw(body).status_code < 500
    assert 400 <= post_raw(body, **{"X-Slack-Signature": "v0=0"}).status_code < 500


@pytest.mark.parametrize(
    "body", [b"", b"hello", b"payload", b"payload=%7Bbad", b"payload=[1]", b"ssl_check=0"]
)
def test_a_form_that_is_none_is_a_4xx(body: bytes) -> None:
    assert 400 <= post_raw(body, "application/x-www-form-urlencoded").status_code < 500


def test_a_large_body_is_413() -> None:
    assert post_raw(b" " * (MAX_BODY_BYTES + 1)).status_code == 413


def test_other_methods_are_405() -> None:
    assert Client().get("/slack/events").status_code == 405


def test_without_a_signing_secret_it_says_that_slack_is_not_set_up(settings: object) -> None:
    settings.SLACK_SIGNING_SECRET = ""
    response = post_raw(BODY)
    assert response.status_code == 503
    assert "SLACK_SIGNING_SECRET is not set" in response.content.decode()


def test_slacks_url_verification_is_echoed() -> None:
    response = post({"type": "url_verification", "challenge": "abc123", "token": "x"})
    assert (response.status_code, response.json()) == (200, {"challenge": "abc123"})
    assert (
        post({"type": "url_verification", "challenge": "a"}, **{"X-Slack-Signature": "v0=0"}).status_code
        == 401
    )


def test_the_notice_of_dropped_events_is_acknowledged_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    assert post({"type": "app_rate_limited", "team_id": "T1", "minute_rate_limited": 1}).status_code == 200
    assert "Slack drops events of workspace T1" in caplog.text


@pytest.mark.parametrize(
    "kind", ["reaction_added", "app_uninstalled", "tokens_revoked", "made_up_by_slack_next_year"]
)
def test_events_nobody_listens_to_are_acknowledged(kind: str) -> None:
    body = event_body({"type": kind})
    body.pop("authorizations")
    assert post(body).status_code == 200
    assert not SlackEvent.objects.exists()


def test_a_database_that_fails_makes_slack_send_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The acknowledgement must follow the row: Slack only sends again what was not acknowledged."""

    def fail(_: object) -> None:
        raise RuntimeError("database is away")

    with monkeypatch.context() as patch:
        patch.setattr("bot.listeners.events.app_mention.receive_slack_question", fail)
        assert post_raw(BODY).status_code == 500
    assert post_raw(BODY, **{"X-Slack-Retry-Num": "1"}).status_code == 200
    assert Question.objects.count() == 1


class TestSlashCommands:
    def test_the_word_payload_in_a_command_is_no_interaction(self) -> None:
        response = post_form(command("what is the payload limit?"))
        assert response.status_code == 200
        assert response.json() == {"response_type": "ephemeral", "text": "Looking in the documents…"}
        assert Question.objects.get().text == "what is the payload limit?"

    def test_a_channel_named_payload_is_no_interaction_either(self) -> None:
        assert post_form(command("what is it?", channel_name="payload")).status_code == 200
        assert Question.objects.get().text == "what is it?"

    def test_an_empty_command_tells_how_to_ask(self) -> None:
        response = post_form(command("  "))
        assert "Write your question after the command: /ask" in response.json()["text"]
        assert not Question.objects.exists()

    def test_the_command_may_have_another_name(self) -> None:
        assert post_form(command("what?", command="/handbook")).status_code == 200
        assert Question.objects.count() == 1

    def test_the_same_command_twice_is_one_question(self) -> None:
        for _ in range(2):
            assert post_form(command("what?")).status_code == 200
        assert Question.objects.count() == 1

    def test_a_bad_signature_is_401(self) -> None:
        assert post_form(command("the payload"), **{"X-Slack-Signature": "v0=00"}).status_code == 401


def test_oauth_variables_of_another_app_change_nothing(
    monkeypatch: pytest.MonkeyPatch, slack: FakeSlack
) -> None:
    monkeypatch.setenv("SLACK_CLIENT_ID", "1.2")
    monkeypatch.setenv("SLACK_CLIENT_SECRET", "secret")
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-other")
    assert post_raw(BODY).status_code == 200
    assert Question.objects.count() == 1
    assert slack.calls == [], "an acknowledgement waits for no call to Slack"
