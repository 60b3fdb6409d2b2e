"""All recorded kinds of Slack's requests, signed and replayed: each is a 200, and few are questions."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

import jsonschema
import pytest

import bot
from console.questions.models import Question, QuestionState, Surface
from tests.bot.fake_slack import FakeSlack
from tests.bot.limits import texts_of
from tests.bot.payloads import post, post_form, post_raw

pytestmark = [pytest.mark.shared, pytest.mark.usefixtures("transactional_db", "sent")]

QUESTIONS = {
    "01": (Surface.SLACK_MENTION, "what is the retention for <audit> logs & where is it set?"),
    "03": (Surface.SLACK_MENTION, "and for EU tenants?"),
    "04": (Surface.SLACK_DM, "How do I rotate an API key? See docs.example.com/keys and #C00000CHN02"),
    "05": (Surface.SLACK_DM, "And how long is the old key valid?"),
    "06": (Surface.SLACK_DM, "Summarise this channel's policy"),
    "19": (Surface.SLACK_MENTION, "what is on the internal roadmap?"),
    "22": (Surface.SLACK_COMMAND, "what is the payload size limit?"),
    "29": (Surface.SLACK_DM, "Which of these support remote upgrades?"),
}
FORMS = {"22"}
HOME = {"14"}
INTERACTIONS = {"23", "24"}
ENVELOPES = {"25"}
NO_QUESTION = sorted(
    {f"{number:02}" for number in range(1, 31)} - set(QUESTIONS) - INTERACTIONS - ENVELOPES - HOME
)


@pytest.fixture
def payload(shared_data: Path) -> Callable[[str], dict]:
    folder = shared_data.parent / "slack" / "payloads"
    return lambda number: json.loads(next(folder.glob(f"{number}_*.json")).read_text(encoding="utf-8"))


@pytest.mark.parametrize("number", sorted(QUESTIONS))
def test_a_question_is_taken_in_as_it_was_meant(
    slack: FakeSlack, payload: Callable[[str], dict], number: str
) -> None:
    send = post_form if number in FORMS else post
    for _ in range(4):
        assert send(payload(number)).status_code == 200
    question = Question.objects.get()
    assert (question.surface, question.text) == QUESTIONS[number]
    assert question.is_external is (number == "19")


@pytest.mark.parametrize("number", NO_QUESTION)
def test_everything_else_is_acknowledged_and_not_answered(
    slack: FakeSlack, payload: Callable[[str], dict], sent: list, number: str
) -> None:
    assert post(payload(number)).status_code == 200
    assert not Question.objects.exists()
    assert slack.calls == []
    # Of the agent surface's events Slack is told something later, but no question is taken in.
    assert {name for name, _ in sent} <= {"footnote.greet_agent_reader", "footnote.end_agent_session"}


def test_an_opened_home_tab_is_published(
    slack: FakeSlack, payload: Callable[[str], dict], work: Callable[[], None]
) -> None:
    assert post(payload("14")).status_code == 200
    assert slack.calls == [], "nothing is asked before the acknowledgement"
    work()
    assert list(slack.homes) == ["U00000USR01"]


@pytest.mark.parametrize("number", sorted(INTERACTIONS))
def test_clicks_and_forms_are_acknowledged(
    slack: FakeSlack, payload: Callable[[str], dict], number: str
) -> None:
    body = urlencode({"payload": json.dumps(payload(number))}).encode()
    assert post_raw(body, "application/x-www-form-urlencoded").status_code == 200


@pytest.mark.parametrize("order", [("01", "02"), ("02", "01")])
def test_the_recorded_twins_are_one_question(
    slack: FakeSlack, payload: Callable[[str], dict], order: tuple[str, str]
) -> None:
    for number in order:
        assert post(payload(number)).status_code == 200
    assert Question.objects.count() == 1


def test_the_mention_from_another_organisation_is_told_that_it_is_not_allowed(
    slack: FakeSlack, payload: Callable[[str], dict], work: Callable[[], None], folder: object
) -> None:
    post(payload("19"))
    work()
    assert Question.objects.get().state == QuestionState.NOT_ALLOWED
    (message,) = slack.posts
    assert texts_of(message)[1].startswith("I can't answer this here: people from outside")


@pytest.mark.parametrize("name", ["manifest.json", "manifest_http.json"])
def test_the_manifest_has_the_shape_of_the_validated_ones(shared_data: Path, name: str) -> None:
    """Those beside the checkout were validated against Slack's own schema; ours may use no other keys."""
    folder = shared_data.parent / "slack" / "manifest"
    other = "manifest_http.json" if "http" in name else "manifest_socket.json"
    schema = _shape(json.loads((folder / other).read_text(encoding="utf-8")))
    ours = json.loads((Path(bot.__file__).parent / name).read_text(encoding="utf-8"))
    jsonschema.validate(ours, schema)


def _shape(value: object) -> dict:
    if isinstance(value, dict):
        properties = {key: _shape(item) for key, item in value.items()}
        return {"type": "object", "properties": properties, "additionalProperties": False}
    if isinstance(value, list):
        return {"type": "array", "items": _shape(value[0])}
    return {"type": {str: "string", bool: "boolean", int: "integer"}[type(value)]}
