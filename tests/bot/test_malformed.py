"""Signed requests of any shape: ignored or 400, never a fault of ours."""

from __future__ import annotations

import copy
import logging
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from console.questions.models import Question
from tests.bot.payloads import command, direct_message, event_body, mention, post, post_form

pytestmark = pytest.mark.usefixtures("slack", "transactional_db", "sent")

CLICK = {
    "type": "block_actions",
    "user": {"id": "U1", "team_id": "T1"},
    "team": {"id": "T1"},
    "channel": {"id": "C1"},
    "actions": [{"type": "button", "action_id": "a", "block_id": "b"}],
}
FORM = {"type": "view_submission", "user": {"id": "U1"}, "team": {"id": "T1"}, "view": {"callback_id": "c"}}
WRONG = [None, 3, 1.5, True, "", "x", "\x00", "\ud800", "x" * 5_000, [], [1], [[]], {}, {"id": 1}]
FUZZ = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    database=None,
)


def without(body: dict, *names: str) -> dict:
    return {name: value for name, value in body.items() if name not in names}


@pytest.mark.parametrize(
    "body",
    [
        event_body({"type": 3}),
        event_body({"type": ["app_mention"]}),
        event_body({"type": None}),
        mention("x", user_profile="guest"),
        mention("x", user_profile=[1]),
        mention("x", subtype=["file_share"]),
        mention("x", user={"id": "U1"}),
        mention("x", channel=["C1"]),
        mention("x", ts=1767376988.8),
        mention("x", ts="1" * 100),
        mention("x", channel="C\x00"),
        mention("x", envelope={"authorizations": [3]}),
        mention("x", envelope={"authorizations": {"0": {}}}),
        mention("x", envelope={"authorizations": "T1"}),
        mention("x", event_id={"a": 1}),
        mention("x", envelope={"team_id": ["T1"], "authorizations": None}),
        without(mention("x"), "event"),
        without(direct_message("x"), "event", "type"),
        without(CLICK, "actions"),
        {**CLICK, "actions": []},
        {**CLICK, "actions": [3]},
        {**FORM, "view": {}},
    ],
)
def test_an_odd_shape_is_no_fault_of_ours(body: dict) -> None:
    assert post(body).status_code < 500


@pytest.mark.parametrize(
    "missing", ["channel_id", "user_id", "trigger_id", "team_id", "response_url", "text"]
)
def test_a_command_that_lacks_a_field_is_no_fault_of_ours(missing: str) -> None:
    expected = 400 if missing in {"channel_id", "user_id"} else 200
    assert post_form(without(command("what?"), missing)).status_code == expected
    assert Question.objects.exists() == (missing not in {"channel_id", "user_id", "text"})


def test_an_author_of_unknown_standing_counts_as_an_outsider() -> None:
    assert post(mention("x", user_profile="guest")).status_code == 200
    assert Question.objects.get().is_external


def test_what_was_typed_stays_out_of_the_log(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(incoming: Any) -> None:
        raise RuntimeError(incoming.text)

    monkeypatch.setattr("bot.listeners.events.app_mention.receive_slack_question", fail)
    with caplog.at_level(logging.DEBUG, logger="bot"):
        assert post(mention("a very private matter")).status_code == 500
    assert "RuntimeError in test_malformed.py" in caplog.text
    assert "private matter" not in caplog.text


@st.composite
def bent(draw: st.DrawFn, make: Callable[[], dict]) -> dict:
    """A body of Slack's in which up to three places are gone or hold something else."""
    body = copy.deepcopy(make())
    for _ in range(draw(st.integers(1, 3))):
        places = list(_places(body))
        if not places:
            break
        parent, key = draw(st.sampled_from(places))
        if draw(st.booleans()) and isinstance(parent, dict):
            del parent[key]
        else:
            parent[key] = copy.deepcopy(draw(st.sampled_from(WRONG)))
    return body


def _places(value: Any) -> Any:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield value, key
        yield from _places(inner)


def shared_mention() -> dict:
    envelope = {"is_ext_shared_channel": True}
    return mention("How much?", user_profile={"is_restricted": False}, envelope=envelope)


@FUZZ
@given(
    st.one_of(
        bent(shared_mention),
        bent(lambda: direct_message("How much?")),
        bent(lambda: direct_message("", subtype="file_share", files=[{"id": "F1"}])),
        bent(lambda: dict(command("How much?", response_url="https://hooks.slack.com/x"))),
        bent(lambda: dict(CLICK)),
        bent(lambda: dict(FORM)),
    )
)
def test_no_shape_of_json_is_a_fault_of_ours(body: dict) -> None:
    assert post(body).status_code < 500


@FUZZ
@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["type", "event", "team", "authorizations", "user", "command", "actions", "view"]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=8,
    )
)
def test_no_json_at_all_is_a_fault_of_ours(body: Any) -> None:
    assert post(body).status_code < 500
