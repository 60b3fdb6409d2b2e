"""The simulated Slack by the manifest the app is made from: what the app is told, and who may use it."""

from __future__ import annotations

import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urlencode

import pytest
from django.core.management import CommandError, call_command

from bot.manifests import AGENT_SCOPE, manifest
from bot.simulator.deliveries import Ack
from bot.simulator.seed import ADA, BOARD, GUS, HELP, PARTNERS, TRIO
from bot.simulator.simulation import Simulation
from bot.simulator.workspace import Json
from workers.slack_commands import simulate

PROMPT = {"title": "How much leave …", "message": "How much leave is there, and for whom?"}


class _Told:
    """An app that acknowledges, and what it was told."""

    def __init__(self) -> None:
        self.bodies: list[Json] = []

    def send(self, kind: str, body: Json, *, retry: object = None) -> Ack:
        self.bodies.append(body)
        return Ack(200, 0.0)

    @property
    def events(self) -> list[str]:
        told = [body["event"] for body in self.bodies if "event" in body]
        return sorted(str(event.get("subtype") or event["type"]) for event in told)


@contextmanager
def simulated(**options: bool) -> Iterator[tuple[Simulation, _Told]]:
    simulation, told = Simulation(way="http", product_url="http://127.0.0.1:9", **options), _Told()
    simulation.client.transport = told
    try:
        yield simulation, told
    finally:
        simulation.client.wait()
        simulation.close()


def page(simulation: Simulation, path: str, person: str) -> str:
    with urllib.request.urlopen(f"{simulation.url}{path}?as={person}", timeout=30) as response:
        return response.read().decode()


def do(simulation: Simulation, what: str, **fields: str) -> None:
    data = urlencode({"back": "/log", **fields}).encode()
    with urllib.request.urlopen(f"{simulation.url}/do/{what}", data=data, timeout=30):
        simulation.client.wait()


@pytest.mark.parametrize("channel", [HELP, BOARD, TRIO])
def test_only_with_every_message_is_the_app_told_of_what_changes_in_channels(channel: str) -> None:
    for options, expected in (
        ({}, ["app_mention"]),
        ({"every_message": True}, ["app_mention", "message", "message_changed", "message_deleted"]),
    ):
        with simulated(**options) as (simulation, told):
            message = simulation.client.write(ADA, channel, "@footnote how much?")
            simulation.client.edit(channel, message["ts"], "@footnote how many?")
            simulation.client.delete(channel, message["ts"])
            simulation.client.wait()
            assert told.events == expected


@pytest.mark.parametrize("agent", [False, True])
def test_the_app_has_the_scopes_of_its_manifest(agent: bool) -> None:
    with simulated(agent=agent) as (simulation, _):
        assert simulation.api.scopes == set(manifest(agent=agent)["oauth_config"]["scopes"]["bot"])
        assert (AGENT_SCOPE in simulation.api.scopes) is agent


def test_the_agent_surface_suggests_and_can_be_stopped() -> None:
    with simulated(agent=True) as (simulation, told):
        conversation = simulation.workspace.direct_channel(ADA).id
        simulation.workspace.prompts[conversation] = [PROMPT]
        assert PROMPT["message"] in page(simulation, f"/c/{conversation}", ADA)
        simulation.client.wait()
        assert [body["event"]["tab"] for body in told.bodies] == ["messages"]
        do(simulation, "write", channel=conversation, text=PROMPT["message"], **{"as": ADA})
        (message,) = simulation.workspace.messages[conversation]
        assert message["text"] == PROMPT["message"]
        simulation.workspace.set_status(conversation, message["ts"], "is working")
        assert "Stop" in page(simulation, f"/c/{conversation}", ADA)
        do(simulation, "stop", channel=conversation, ts=message["ts"], **{"as": ADA})
        event = told.bodies[-1]["event"]
        assert (event["type"], event["thread_ts"]) == ("agent_session_stopped", message["ts"])


def test_without_it_nothing_is_to_be_stopped() -> None:
    with simulated() as (simulation, told):
        conversation = simulation.workspace.direct_channel(ADA).id
        message = simulation.client.write(ADA, conversation, "how much?")
        simulation.workspace.set_status(conversation, message["ts"], "is looking")
        assert "Stop" not in page(simulation, f"/c/{conversation}", ADA)
        simulation.client.stop_session(ADA, conversation, message["ts"])
        simulation.client.wait()
        assert "agent_session_stopped" not in told.events


def test_guests_are_kept_out_of_an_app_with_the_agent_surface_alone() -> None:
    def use(simulation: Simulation, person: str) -> None:
        simulation.client.write(person, PARTNERS, "@footnote how much?")
        simulation.client.write(person, simulation.workspace.direct_channel(person).id, "how much?")
        simulation.client.command(person, PARTNERS, "/ask", "how much?")
        simulation.client.open_home(person)
        simulation.client.wait()

    with simulated(agent=True) as (simulation, told):
        use(simulation, GUS)
        assert told.bodies == []
        (said,) = simulation.workspace.private_messages
        assert "did not work" in said["text"]
        assert "Guests may not use an app" in page(simulation, f"/c/{PARTNERS}", GUS)
        use(simulation, ADA)
        assert len(told.bodies) == 4
    with simulated() as (simulation, told):
        use(simulation, GUS)
        assert len(told.bodies) == 4
        assert "Guests may not use an app" not in page(simulation, f"/c/{PARTNERS}", GUS)


@pytest.mark.parametrize(
    ("arguments", "made_with"),
    [
        ([], {"agent": False, "every_message": False}),
        (["--agent"], {"agent": True, "every_message": False}),
        (["--every-message"], {"agent": False, "every_message": True}),
    ],
)
def test_the_command_takes_the_variants(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], made_with: dict[str, bool]
) -> None:
    seen: list[dict] = []

    def make(**options: object) -> Callable[..., None]:
        seen.append(options)
        raise OSError(98, "taken")

    monkeypatch.setattr(simulate, "Simulation", make)
    with pytest.raises(CommandError, match="Port 8010 cannot be used"):
        call_command("slack", "simulate", *arguments)
    assert {name: seen[0][name] for name in made_with} == made_with
