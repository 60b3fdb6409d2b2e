"""The shipped manifests: within Slack's limits, asking for nothing that is not used."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

import bot

FOLDER = Path(bot.__file__).parent
LIMITS = {
    # docs.slack.dev/reference/app-manifest, 2026-09; unknown keys are refused here, as Slack refuses them
    "type": "object",
    "additionalProperties": False,
    "required": ["_metadata", "display_information", "features", "oauth_config", "settings"],
    "properties": {
        "_metadata": {"type": "object"},
        "display_information": {
            "type": "object",
            "additionalProperties": False,
            "required": ["name"],
            "properties": {
                "name": {"type": "string", "maxLength": 35},
                "description": {"type": "string", "maxLength": 140},
                "background_color": {"type": "string", "pattern": "^#[0-9a-f]{6}$"},
            },
        },
        "features": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "app_home": {"type": "object"},
                "bot_user": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "display_name": {"type": "string", "maxLength": 80, "pattern": "^[a-z0-9_.-]+$"},
                        "always_online": {"type": "boolean"},
                    },
                },
                "slash_commands": {
                    "type": "array",
                    "maxItems": 50,
                    "items": {
                        "type": "object",
                        "additionalProperties": False,
                        "required": ["command", "description"],
                        "properties": {
                            "command": {"type": "string", "maxLength": 32, "pattern": "^/[a-z0-9_-]+$"},
                            "description": {"type": "string", "maxLength": 2000},
                            "usage_hint": {"type": "string", "maxLength": 1000},
                            "should_escape": {"type": "boolean"},
                            "url": {"type": "string", "pattern": "^https://"},
                        },
                    },
                },
            },
        },
        "oauth_config": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "scopes": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "bot": {"type": "array", "maxItems": 255, "uniqueItems": True},
                        "bot_optional": {"type": "array", "maxItems": 255, "uniqueItems": True},
                    },
                }
            },
        },
        "settings": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "event_subscriptions": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["bot_events"],
                    "properties": {
                        "request_url": {"type": "string", "pattern": "^https://"},
                        "bot_events": {"type": "array", "maxItems": 100, "uniqueItems": True},
                    },
                },
                "org_deploy_enabled": {"type": "boolean"},
                "socket_mode_enabled": {"type": "boolean"},
                "token_rotation_enabled": {"const": False},
            },
        },
    },
}


def manifest(name: str) -> dict:
    return json.loads((FOLDER / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["manifest.json", "manifest_http.json"])
def test_the_manifest_is_within_slacks_limits(name: str) -> None:
    body = manifest(name)
    jsonschema.validate(body, LIMITS)
    scopes = body["oauth_config"]["scopes"]
    assert set(scopes["bot_optional"]) <= set(scopes["bot"]), "optional scopes must be listed as well"
    assert "agent_view" not in body["features"], "it locks guests out"
    assert body["features"]["app_home"]["messages_tab_enabled"]
    assert not body["features"]["app_home"]["messages_tab_read_only_enabled"]


def test_only_events_with_a_listener_are_subscribed_to() -> None:
    assert manifest("manifest.json")["settings"]["event_subscriptions"]["bot_events"] == [
        "app_mention",
        "message.im",
    ]


def test_the_two_manifests_differ_in_the_way_in_only() -> None:
    socket, http = manifest("manifest.json"), manifest("manifest_http.json")
    assert socket["settings"].pop("socket_mode_enabled") is True
    assert http["settings"].pop("socket_mode_enabled") is False
    url = http["settings"]["event_subscriptions"].pop("request_url")
    assert http["features"]["slash_commands"][0].pop("url") == url
    assert url.endswith("/slack/events")
    assert socket == http
