"""The shipped manifests: within Slack's limits, asking for nothing that is not used."""

from __future__ import annotations

import io
import json
from pathlib import Path

import jsonschema
import pytest
from django.core.management import CommandError, call_command

import bot
from bot.blocks import Form
from bot.manifests import AGENT_EVENTS, AGENT_SCOPE, EVERY_MESSAGE_EVENTS, manifest
from bot.scopes import WITHOUT_SCOPE
from tests.conftest import SHARED

FOLDER = Path(bot.__file__).parent


def text(most: int, least: int = 1, **more: object) -> dict:
    return {"type": "string", "minLength": least, "maxLength": most, **more}


def closed(required: list[str] | None = None, **properties: object) -> dict:
    """An object without other keys: Slack refuses what it does not know."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": required or [],
        "properties": properties,
    }


def listed(items: dict, most: int, least: int = 0) -> dict:
    return {"type": "array", "items": items, "minItems": least, "maxItems": most, "uniqueItems": True}


HTTPS = {"pattern": "^https://"}
FLAG = {"type": "boolean"}
SCOPES = listed(text(50), 255)
LIMITS = closed(
    ["display_information"],
    # docs.slack.dev/reference/app-manifest, 2026-09
    _metadata=closed(major_version={"type": "integer"}, minor_version={"type": "integer"}),
    display_information=closed(
        ["name"],
        name=text(35),
        description=text(140),
        background_color=text(7, 4, pattern="^#[0-9a-fA-F]{3}([0-9a-fA-F]{3})?$"),
        long_description=text(4_000, 175),
    ),
    features=closed(
        app_home=closed(
            home_tab_enabled=FLAG, messages_tab_enabled=FLAG, messages_tab_read_only_enabled=FLAG
        ),
        bot_user=closed(
            ["display_name"], display_name=text(80, pattern="^[a-z0-9_.-]+$"), always_online=FLAG
        ),
        slash_commands=listed(
            closed(
                ["command", "description"],
                command=text(32, 2, pattern="^/"),
                description=text(2_000),
                usage_hint=text(1_000),
                should_escape=FLAG,
                url=text(3_000, **HTTPS),
            ),
            50,
            1,
        ),
        shortcuts=listed(
            closed(
                ["name", "type", "callback_id", "description"],
                name=text(24),
                type={"enum": ["message", "global"]},
                callback_id=text(255),
                description=text(150),
            ),
            10,
            1,
        ),
        agent_view=closed(
            ["agent_description"],
            agent_description=text(300),
            suggested_prompts=listed(closed(["title", "message"], title=text(75), message=text(4_000)), 4),
        ),
    ),
    oauth_config=closed(
        redirect_urls=listed(text(2_500, **HTTPS), 1_000),
        scopes=closed(["bot"], bot=SCOPES, bot_optional=SCOPES),
    ),
    settings=closed(
        event_subscriptions=closed(
            ["bot_events"], request_url=text(3_500, **HTTPS), bot_events=listed(text(50), 100)
        ),
        interactivity=closed(["is_enabled"], is_enabled=FLAG, request_url=text(3_000, **HTTPS)),
        org_deploy_enabled=FLAG,
        socket_mode_enabled=FLAG,
        token_rotation_enabled={"const": False},
    ),
)
VARIANTS = {
    "socket": {},
    "http": {"http_url": "https://footnote.example.com/"},
    "oauth": {"http_url": "https://footnote.example.com", "oauth": True},
    "agent": {"agent": True},
    "agent by http": {"agent": True, "http_url": "https://footnote.example.com"},
    "every message": {"every_message": True},
    "everything": {
        "agent": True,
        "http_url": "https://footnote.example.com",
        "oauth": True,
        "every_message": True,
    },
}
NEEDS = {
    # event → a scope without which Slack never sends it
    "app_mention": "app_mentions:read",
    "message.im": "im:history",
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "message.mpim": "mpim:history",
    "reaction_added": "reactions:read",
}


def shipped(name: str) -> dict:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("options", VARIANTS.values(), ids=VARIANTS)
def test_every_variant_is_within_slacks_limits(options: dict) -> None:
    body = manifest(**options)
    jsonschema.validate(body, LIMITS)
    scopes = body["oauth_config"]["scopes"]
    assert set(scopes["bot_optional"]) <= set(scopes["bot"]), "optional scopes must be listed as well"
    assert body["features"]["app_home"]["messages_tab_enabled"]
    assert not body["features"]["app_home"]["messages_tab_read_only_enabled"]
    events = set(body["settings"]["event_subscriptions"]["bot_events"])
    assert {NEEDS[event] for event in events & NEEDS.keys()} <= set(scopes["bot"])
    assert set(scopes["bot"]) <= WITHOUT_SCOPE.keys(), "each scope has its reason"


@pytest.mark.parametrize("options", VARIANTS.values(), ids=VARIANTS)
def test_by_http_everything_goes_to_one_address_and_by_socket_to_none(options: dict) -> None:
    body = manifest(**options)
    addresses = [command.get("url") for command in body["features"]["slash_commands"]]
    addresses.append(body["settings"]["event_subscriptions"].get("request_url"))
    if "interactivity" in body["settings"]:
        addresses.append(body["settings"]["interactivity"].get("request_url"))
    is_http = "http_url" in options
    assert body["settings"]["socket_mode_enabled"] is not is_http
    assert set(addresses) == ({"https://footnote.example.com/slack/events"} if is_http else {None})


def test_the_agent_variant_differs_in_the_agent_surface_only() -> None:
    plain, agent = manifest(), manifest(agent=True)
    assert "agent_view" not in plain["features"], "it locks guests out"
    del agent["features"]["agent_view"]
    agent["oauth_config"]["scopes"]["bot"].remove(AGENT_SCOPE)
    events = agent["settings"]["event_subscriptions"]["bot_events"]
    agent["settings"]["event_subscriptions"]["bot_events"] = [
        event for event in events if event not in set(AGENT_EVENTS) - set(_events(plain))
    ]
    assert agent == plain


def _events(body: dict) -> list[str]:
    return body["settings"]["event_subscriptions"]["bot_events"]


def test_the_files_are_what_the_command_prints() -> None:
    assert shipped("manifest.json") == manifest()
    address = "https://footnote.example.com"
    assert shipped("manifest_http.json") == manifest(http_url=address, oauth=True), (
        "run: manage.py slack manifest --http https://footnote.example.com --oauth > bot/manifest_http.json"
    )
    assert shipped("manifest_agent.json") == manifest(agent=True), (
        "run: manage.py slack manifest --agent > bot/manifest_agent.json"
    )


def test_messages_without_a_mention_are_received_only_where_that_is_wanted() -> None:
    assert not set(EVERY_MESSAGE_EVENTS) & set(_events(manifest()))
    assert set(EVERY_MESSAGE_EVENTS) <= set(_events(manifest(every_message=True)))


def printed(*arguments: str) -> dict:
    out = io.StringIO()
    call_command("slack", "manifest", *arguments, stdout=out)
    return json.loads(out.getvalue())


def test_the_command_prints_each_variant(settings: object) -> None:
    settings.BASE_URL = "https://here.example.org"
    assert printed() == manifest()
    assert printed("--agent") == manifest(agent=True)
    assert printed("--http", "https://a.example.org") == manifest(http_url="https://a.example.org")
    assert printed("--oauth")["oauth_config"]["redirect_urls"] == [
        "https://here.example.org/slack/oauth_redirect"
    ]
    assert printed("--every-message") == manifest(every_message=True)


@pytest.mark.parametrize("url", ["http://a.example.org", "a.example.org", "https://"])
def test_an_address_slack_cannot_reach_is_refused(url: str) -> None:
    with pytest.raises(CommandError, match="https"):
        printed("--http", url)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared manifests do not lie beside this checkout")
@pytest.mark.parametrize("name", ["manifest_http.json", "manifest_socket.json"])
def test_the_rules_take_what_slacks_own_schema_takes(name: str) -> None:
    """Those two were validated against Slack's schemas; rules that refuse them would be stricter than Slack."""
    body = json.loads((SHARED / "slack" / "manifest" / name).read_text(encoding="utf-8"))
    body["settings"]["token_rotation_enabled"] = False  # ours alone: tokens that rotate are not kept
    jsonschema.validate(body, LIMITS)


@pytest.mark.parametrize(
    "break_it",
    [
        lambda body: body["display_information"].update(name="x" * 36),
        lambda body: body["features"]["slash_commands"][0].update(command="ask"),
        lambda body: body["features"].update(unknown={}),
        lambda body: body["features"]["agent_view"].update(agent_description="x" * 301),
        lambda body: body["features"]["agent_view"].update(
            suggested_prompts=[{"title": str(n), "message": "m"} for n in range(5)]
        ),
        lambda body: body["settings"].update(token_rotation_enabled=True),
        lambda body: body["settings"]["event_subscriptions"].update(request_url="http://a.example.org"),
    ],
)
def test_the_rules_refuse_what_slack_refuses(break_it: object) -> None:
    body = manifest(agent=True)
    break_it(body)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(body, LIMITS)


def test_everything_that_is_offered_has_its_listener() -> None:
    body = manifest(agent=True)
    callbacks = {shortcut["callback_id"] for shortcut in body["features"]["shortcuts"]}
    assert callbacks == {Form.ASK_ABOUT_MESSAGE.value}
    assert body["settings"]["interactivity"]["is_enabled"], "buttons and forms come to nothing without it"
    assert {command["command"] for command in body["features"]["slash_commands"]} == {"/ask", "/footnote"}
