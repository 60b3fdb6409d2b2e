"""The simulated Slack refuses what the documented limits say: at the limit it takes it, one past it does not."""

from __future__ import annotations

from typing import Any

import pytest
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from slack_sdk.webhook import WebhookClient

from bot.simulator.limits import refusal_of_message
from bot.simulator.rates import RateLimiter
from bot.simulator.view_limits import refusal_of_view
from bot.simulator.workspace import Workspace
from tests.bot.fake_slack import TOKEN, FakeSlack
from tests.bot.payloads import ASKER, CHANNEL


def plain(text: str) -> dict:
    return {"type": "plain_text", "text": text}


def section(n_chars: int) -> dict:
    return {"type": "section", "text": {"type": "mrkdwn", "text": "x" * n_chars}}


def button(**values: Any) -> dict:
    return {
        "type": "actions",
        "elements": [{"type": "button", "text": plain("Go"), "action_id": "a", **values}],
    }


def modal(*blocks: dict, **values: Any) -> dict:
    return {"type": "modal", "title": plain("Title"), "blocks": list(blocks) or [section(1)], **values}


SIDE = {"text": plain("Yes"), "value": "1"}
FEEDBACK = {"type": "feedback_buttons", "action_id": "f", "positive_button": SIDE, "negative_button": SIDE}

MESSAGES = [
    ("no text", {"text": " "}, {"text": "x"}, "no_text"),
    ("text of a post", {"text": "x" * 40_001}, {"text": "x" * 40_000}, "msg_too_long"),
    ("blocks", {"blocks": [section(1)] * 51}, {"blocks": [section(1)] * 50}, "invalid_blocks"),
    ("section", {"blocks": [section(3_001)]}, {"blocks": [section(3_000)]}, "invalid_blocks"),
    ("empty section", {"blocks": [section(0)]}, {"blocks": [section(1)]}, "invalid_blocks"),
    (
        "all blocks",
        {"blocks": [section(3_000)] * 4 + [section(1)]},
        {"blocks": [section(3_000)] * 4},
        "msg_blocks_too_long",
    ),
    (
        "header",
        {"blocks": [{"type": "header", "text": plain("x" * 151)}]},
        {"blocks": [{"type": "header", "text": plain("x" * 150)}]},
        "invalid_blocks",
    ),
    (
        "context",
        {"blocks": [{"type": "context", "elements": [plain("x")] * 11}]},
        {"blocks": [{"type": "context", "elements": [plain("x")] * 10}]},
        "invalid_blocks",
    ),
    (
        "fields",
        {"blocks": [{"type": "section", "fields": [plain("x" * 2_001)]}]},
        {"blocks": [{"type": "section", "fields": [plain("x" * 2_000)] * 2}]},
        "invalid_blocks",
    ),
    (
        "button label",
        {"blocks": [button(text=plain("x" * 76))]},
        {"blocks": [button(text=plain("x" * 75))]},
        "invalid_blocks",
    ),
    (
        "button value",
        {"blocks": [button(value="x" * 2_001)]},
        {"blocks": [button(value="x" * 2_000)]},
        "invalid_blocks",
    ),
    (
        "button link",
        {"blocks": [button(url="x" * 3_001)]},
        {"blocks": [button(url="x" * 3_000)]},
        "invalid_blocks",
    ),
    (
        "action_id",
        {"blocks": [button(action_id="x" * 256)]},
        {"blocks": [button(action_id="x" * 255)]},
        "invalid_blocks",
    ),
    (
        "block_id twice",
        {"blocks": [{**section(1), "block_id": "b"}, {**section(1), "block_id": "b"}]},
        {"blocks": [{**section(1), "block_id": "b"}, {**section(1), "block_id": "c"}]},
        "invalid_blocks",
    ),
    (
        "context actions",
        {
            "blocks": [
                {"type": "context_actions", "elements": [{**FEEDBACK, "action_id": str(n)} for n in range(6)]}
            ]
        },
        {"blocks": [{"type": "context_actions", "elements": [FEEDBACK]}]},
        "invalid_blocks",
    ),
    (
        "feedback without a side",
        {"blocks": [{"type": "context_actions", "elements": [{**FEEDBACK, "negative_button": None}]}]},
        {"blocks": [{"type": "context_actions", "elements": [FEEDBACK]}]},
        "invalid_blocks",
    ),
    (
        "markdown of all blocks",
        {"blocks": [{"type": "markdown", "text": "x" * 6_001}] * 2},
        {"blocks": [{"type": "markdown", "text": "x" * 6_000}] * 2},
        "msg_blocks_too_long",
    ),
    (
        "unknown block",
        {"blocks": [{"type": "hologram"}]},
        {"blocks": [{"type": "divider"}]},
        "invalid_blocks",
    ),
    (
        "markdown beside text",
        {"text": "x", "markdown_text": "x"},
        {"markdown_text": "x"},
        "markdown_text_conflict",
    ),
    (
        "metadata",
        {"text": "x", "metadata": {"event_payload": {}}},
        {"text": "x", "metadata": {"event_type": "e", "event_payload": {}}},
        "invalid_metadata_format",
    ),
    (
        "metadata size",
        {"text": "x", "metadata": {"event_type": "e", "event_payload": {"a": "x" * 9_000}}},
        {"text": "x", "metadata": {"event_type": "e", "event_payload": {"a": "x"}}},
        "metadata_too_large",
    ),
]


@pytest.mark.parametrize(
    ("past", "at", "error"), [row[1:] for row in MESSAGES], ids=[row[0] for row in MESSAGES]
)
def test_a_message_past_a_limit_is_refused_and_one_at_it_is_not(past: dict, at: dict, error: str) -> None:
    refusal = refusal_of_message(past)
    assert refusal is not None
    assert refusal.error == error
    assert refusal_of_message(at) is None


def test_an_update_takes_less_text_than_a_post() -> None:
    assert refusal_of_message({"text": "x" * 4_001}) is None
    assert refusal_of_message({"text": "x" * 4_000}, "chat.update") is None
    assert refusal_of_message({"text": "x" * 4_001}, "chat.update") is not None


INPUT = {
    "type": "input",
    "block_id": "i",
    "label": plain("Why"),
    "element": {"type": "plain_text_input", "action_id": "a"},
}
VIEWS = [
    ("title", modal(title=plain("x" * 25)), modal(title=plain("x" * 24))),
    ("submit", modal(submit=plain("x" * 25)), modal(submit=plain("x" * 24))),
    ("blocks", modal(*[section(1)] * 101), modal(*[section(1)] * 100)),
    ("private_metadata", modal(private_metadata="x" * 3_001), modal(private_metadata="x" * 3_000)),
    ("callback_id", modal(callback_id="x" * 256), modal(callback_id="x" * 255)),
    ("input without submit", modal(INPUT), modal(INPUT, submit=plain("Send"))),
    ("message block", modal({"type": "context_actions", "elements": [FEEDBACK]}), modal(button())),
]


@pytest.mark.parametrize(("past", "at"), [row[1:] for row in VIEWS], ids=[row[0] for row in VIEWS])
def test_a_view_past_a_limit_is_refused_and_one_at_it_is_not(past: dict, at: dict) -> None:
    assert refusal_of_view(past) is not None
    assert refusal_of_view(at) is None


def client(slack: FakeSlack) -> WebClient:
    return WebClient(token=TOKEN, base_url=f"{slack.url}/api/")


def error_of(call: Any) -> str:
    with pytest.raises(SlackApiError) as caught:
        call()
    return str(caught.value.response["error"])


def test_the_error_names_the_place_as_slack_does(slack: FakeSlack) -> None:
    with pytest.raises(SlackApiError) as caught:
        client(slack).chat_postMessage(channel=CHANNEL, text="x", blocks=[section(1), section(3_001)])
    assert caught.value.response["response_metadata"]["messages"] == [
        "must be less than 3001 characters [json-pointer:/blocks/1/text/text]"
    ]


def test_a_trigger_opens_one_modal_within_three_seconds(slack: FakeSlack) -> None:
    workspace, now = slack.workspace, [1_000.0]
    workspace.clock = lambda: now[0]
    api = client(slack)
    fresh, late = workspace.new_trigger(ASKER), workspace.new_trigger(ASKER)
    assert api.views_open(trigger_id=fresh, view=modal())["view"]["id"].startswith("V")
    assert error_of(lambda: api.views_open(trigger_id=fresh, view=modal())) == "exchanged_trigger_id"
    now[0] += 3.1
    assert error_of(lambda: api.views_open(trigger_id=late, view=modal())) == "expired_trigger_id"
    assert Workspace.use_trigger(workspace, "1.2") == (None, "invalid_trigger_id")


@pytest.mark.parametrize(("wait_s", "n_taken"), [(0, 5), (1_801, 0)])
def test_a_response_url_works_five_times_within_half_an_hour(
    slack: FakeSlack, wait_s: int, n_taken: int
) -> None:
    now = [1_000.0]
    slack.workspace.clock = lambda: now[0]
    url = slack.url + slack.workspace.new_response_url(ASKER, CHANNEL)
    now[0] += wait_s
    hook = WebhookClient(url)
    statuses = [hook.send(text="x", unfurl_links=False, unfurl_media=False).status_code for _ in range(6)]
    assert statuses == [200] * n_taken + [404] * (6 - n_taken)
    assert len(slack.private_messages) == n_taken


def test_rate_limits_count_a_minute_of_each_method_and_a_second_of_each_channel() -> None:
    now = [0.0]
    limiter = RateLimiter(lambda: now[0])
    assert [limiter.retry_after_s("chat.update") for _ in range(50)] == [0] * 50
    assert limiter.retry_after_s("chat.update") == 60
    assert limiter.retry_after_s("views.open") == 0, "other methods stay usable"
    assert sum(limiter.retry_after_s("chat.postMessage", "C1") == 0 for _ in range(20)) == 10
    assert limiter.retry_after_s("chat.postMessage", "C2") == 0
    now[0] += 1.0
    assert [limiter.retry_after_s("chat.postMessage", "C1") for _ in range(2)] == [0, 1]
    now[0] += 60.0
    assert limiter.retry_after_s("chat.update") == 0


def test_a_limited_call_is_a_429_that_says_how_long(slack: FakeSlack) -> None:
    slack.limiter = RateLimiter(lambda: 0.0)
    api = client(slack)
    for _ in range(10):
        api.chat_postMessage(channel=CHANNEL, text="x", unfurl_links=False, unfurl_media=False)
    with pytest.raises(SlackApiError) as caught:
        api.chat_postMessage(channel=CHANNEL, text="x")
    assert caught.value.response.status_code == 429
    assert caught.value.response.headers["Retry-After"] == "1"


def test_a_message_that_is_updated_twice_within_a_second_is_told(slack: FakeSlack) -> None:
    now = [1_000.0]
    slack.workspace.clock = lambda: now[0]
    api, quiet = client(slack), {"unfurl_links": False, "unfurl_media": False}
    ts = api.chat_postMessage(channel=CHANNEL, text="x", **quiet)["ts"]
    for wait_s in (0.0, 1.0, 0.5):
        now[0] += wait_s
        api.chat_update(channel=CHANNEL, ts=ts, text=f"after {wait_s}", **quiet)
    assert slack.problems == [f"the message {ts} is updated twice within a second"]
    slack.problems.clear()


def test_what_the_bot_may_not_see_is_refused(slack: FakeSlack) -> None:
    api = client(slack)
    slack.scopes = {"chat:write"}
    assert error_of(lambda: api.users_info(user=ASKER)) == "missing_scope"
    assert error_of(lambda: api.conversations_replies(channel=CHANNEL, ts="1.1")) == "missing_scope"
    assert (
        error_of(lambda: WebClient("xoxb-other", base_url=f"{slack.url}/api/").auth_test()) == "invalid_auth"
    )
    assert error_of(lambda: api.api_call("chat.startStream")) == "unknown_method"
