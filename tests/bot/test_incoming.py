"""Who is outside, and which workspace an event belongs to."""

from __future__ import annotations

import pytest

from bot.incoming import question_of_event
from console.questions.models import Surface
from tests.bot.payloads import TEAM, direct_message, mention


def is_external(body: dict) -> bool:
    question = question_of_event(body, Surface.SLACK_MENTION)
    assert question is not None
    return question.is_external


def test_a_colleague_in_a_channel_of_our_own_is_inside() -> None:
    assert not is_external(mention("How much?", user_team=TEAM, source_team=TEAM))
    assert not is_external(mention("How much?", user_profile={"is_restricted": False}))
    assert not is_external(direct_message("How much?"))


def test_a_colleague_in_a_shared_channel_has_outsiders_reading_along() -> None:
    assert is_external(mention("How much?", envelope={"is_ext_shared_channel": True}))


@pytest.mark.parametrize(
    "event",
    [
        {"user_team": "T00000TEAM2"},
        {"user_team": "E00000ORG02"},
        {"source_team": "T00000TEAM2"},
        {"team": "T00000TEAM2"},
        {"user_profile": {"is_restricted": True}},
        {"user_profile": {"is_ultra_restricted": True}},
        {"user_profile": {"is_stranger": True}},
    ],
)
def test_outsiders_and_guests_are_outside(event: dict) -> None:
    assert is_external(mention("How much?", **event))


@pytest.mark.parametrize(
    ("envelope", "team"),
    [
        ({"team_id": "T00000TEAM2"}, TEAM),
        ({"authorizations": []}, TEAM),
        ({"authorizations": None}, TEAM),
        ({"authorizations": [{"team_id": None, "enterprise_id": "E1"}], "team_id": None}, "E1"),
    ],
)
def test_the_workspace_is_the_one_the_app_is_installed_in(envelope: dict, team: str) -> None:
    question = question_of_event(mention("How much?", envelope=envelope), Surface.SLACK_MENTION)
    assert question is not None
    assert question.team_id == team


def test_an_event_without_an_id_has_its_message_for_one() -> None:
    body = mention("How much?")
    del body["event_id"]
    question = question_of_event(body, Surface.SLACK_MENTION)
    assert question is not None
    assert question.event_id == f"{question.channel_id}:{question.ts}"
