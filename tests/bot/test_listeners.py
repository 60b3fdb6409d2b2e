"""Nothing that Slack can send because of us meets no listener: events we subscribe to, and all that can be clicked."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from slack_bolt import App

from bot.answers import AnswerView, Closest, Sentence, Source
from bot.app import slack_app
from bot.blocks import Action, Form
from bot.home import Home, Suggestion, home_view
from bot.listeners.actions.other import on_other_action
from bot.listeners.events.other import on_other_event
from bot.manifests import manifest
from bot.messages import messages_of
from bot.modals import ask_view, expired_view, feedback_view, nearest_view, sources_view
from bot.offers import edit_offer_message, owner_message
from bot.phrases import ENGLISH
from console.questions.models import QuestionState
from tests.bot.fake_slack import FakeSlack
from tests.bot.limits import buttons_of
from tests.bot.payloads import click, event_body, post, post_interaction, sent_form

pytestmark = pytest.mark.usefixtures("slack", "transactional_db", "sent")

ANSWERED = AnswerView(
    QuestionState.ANSWERED,
    audience="you",
    sentences=(Sentence("Yes.", (1,)),),
    sources=(Source(1, "Policy"),),
    question_id="q",
    can_share=True,
)
REFUSED = AnswerView(
    QuestionState.REFUSED,
    audience="you",
    reason="Nothing was close enough.",
    closest=Closest("Policy", "Hotels", 0.6, 0.5),
    question_id="q",
    can_ask_a_human=True,
)
MESSAGES = [
    *messages_of(ANSWERED),
    *messages_of(REFUSED),
    edit_offer_message("q", ENGLISH),
    owner_message("q", who_id="U1", question="What?", folders=["Travel"], phrases=ENGLISH),
]
VIEWS = [
    home_view(Home(suggestions=[Suggestion("q", "What?")]), "t", ENGLISH),
    sources_view([], ENGLISH),
    nearest_view([], ENGLISH),
    feedback_view("t", ENGLISH),
    ask_view("", "t", ENGLISH),
    expired_view(ENGLISH),
]


def offered_actions() -> set[str]:
    payloads = [{"blocks": message.blocks} for message in MESSAGES] + VIEWS
    return {button["action_id"] for payload in payloads for button in buttons_of(payload)}


def offered_forms() -> set[str]:
    shortcuts = manifest()["features"]["shortcuts"]
    return {v["callback_id"] for v in VIEWS if "callback_id" in v} | {s["callback_id"] for s in shortcuts}


def test_what_is_offered_is_the_closed_list() -> None:
    assert offered_actions() == set(Action)
    assert offered_forms() == set(Form)


def heard_by(app: App, send: Callable[[], object]) -> set[str]:
    """Names of the listeners that a request reaches."""
    reached: set[str] = set()
    for listener in app._listeners:
        name = listener.ack_function.__name__
        original = listener.run_ack_function

        def run(_name: str = name, _original: Callable = original, **arguments: object) -> object:
            reached.add(_name)
            return _original(**arguments)

        listener.run_ack_function = run
    assert send().status_code == 200
    return reached


@pytest.mark.parametrize("action", list(Action))
def test_every_button_has_a_listener_of_its_own(slack: FakeSlack, action: Action) -> None:
    reached = heard_by(slack_app(), lambda: post_interaction(click(action, "abc")))
    assert len(reached) == 1
    assert on_other_action.__name__ not in reached


@pytest.mark.parametrize("form", list(Form))
def test_every_form_and_shortcut_has_a_listener_of_its_own(slack: FakeSlack, form: Form) -> None:
    view = {"type": "modal", "callback_id": form, "blocks": []}
    payload = sent_form(view, {})
    if form == Form.ASK_ABOUT_MESSAGE:
        payload = {**click("x", "y"), "type": "message_action", "callback_id": form, "message": {"text": "?"}}
        del payload["actions"]
    reached = heard_by(slack_app(), lambda: post_interaction(payload))
    assert len(reached) == 1
    assert on_other_action.__name__ not in reached


@pytest.mark.parametrize(
    "event",
    sorted(set(manifest(agent=True, every_message=True)["settings"]["event_subscriptions"]["bot_events"])),
)
def test_every_event_we_subscribe_to_has_a_listener_of_its_own(slack: FakeSlack, event: str) -> None:
    kind, _, where = event.partition(".")
    body = event_body({"type": kind, "channel_type": where, "tab": "home", "user": "U1", "tokens": {}})
    reached = heard_by(slack_app(), lambda: post(body))
    assert len(reached) == 1
    if event not in ACKNOWLEDGED_ONLY:
        assert on_other_event.__name__ not in reached


ACKNOWLEDGED_ONLY = {"agent_session_title_changed"}
"""Subscribed to because Slack wants it so; there is nothing to do."""


def test_what_nobody_offers_is_acknowledged(slack: FakeSlack) -> None:
    assert post_interaction(click("made_up", "abc")).status_code == 200
    assert heard_by(slack_app(), lambda: post_interaction(click("made_up", "abc"))) == {
        on_other_action.__name__
    }
