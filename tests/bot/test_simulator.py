"""The simulated workspace in use: a person writes and clicks, the real bot answers, the page shows it."""

from __future__ import annotations

import json
import re
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from urllib.error import HTTPError
from urllib.parse import urlencode

import pytest

from bot.app import slack_app
from bot.phrases import ENGLISH, GERMAN
from bot.simulator.deliveries import Ack, deliver
from bot.simulator.mrkdwn import draw_mrkdwn
from bot.simulator.script import run_script
from bot.simulator.seed import ADA, GUS, HELP
from bot.simulator.simulation import Simulation
from bot.socket_mode import start_socket_mode
from console.questions.models import Question
from tests.bot.ways import close

PLAIN = {"type": "plain_text", "text": "Why"}


@pytest.fixture(params=["http", "socket"])
def simulation(
    request: pytest.FixtureRequest, settings: object, sent: list, live_server: object, transactional_db: None
) -> Iterator[Simulation]:
    """The bot of this process against a simulated workspace, as `manage.py slack simulate` wires it."""
    simulation = Simulation(way=request.param, product_url=live_server.url, has_rate_limits=False)
    for name, value in simulation.environment.items():
        setattr(settings, name.removeprefix("FOOTNOTE_"), value)
    slack_app.cache_clear()
    connection = start_socket_mode() if request.param == "socket" else None
    assert connection is None or simulation.sockets.wait_until_connected(30)
    yield simulation
    simulation.client.wait()
    if connection is not None:
        close(connection, simulation.sockets)
    slack_app.cache_clear()
    simulation.close()


def get(url: str, **headers: str) -> str:
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=30) as response:
        return response.read().decode()


def do(simulation: Simulation, what: str, **fields: str) -> None:
    data = urlencode({"as": ADA, "back": f"/c/{HELP}?as={ADA}", "channel": HELP, **fields}).encode()
    with urllib.request.urlopen(f"{simulation.url}/do/{what}", data=data, timeout=30):
        simulation.client.wait(30)


def test_what_a_person_writes_is_answered_and_shown(simulation: Simulation, work: Callable[[], None]) -> None:
    do(simulation, "write", text="@footnote how much is <b>it</b>?")
    work()
    page = get(f"{simulation.url}/c/{HELP}?as={ADA}")
    assert Question.objects.get().text == "how much is <b>it</b>?"
    assert "how much is &lt;b&gt;it&lt;/b&gt;?" in page
    assert "I can&#x27;t answer that from the documents this channel can see." in page
    assert simulation.api.problems == []
    log = get(f"{simulation.url}/log?as={ADA}")
    assert "app_mention" in log
    assert "chat.postMessage" in log


def test_a_command_is_acknowledged_to_the_asker_alone(
    simulation: Simulation, work: Callable[[], None]
) -> None:
    do(simulation, "write", text="/ask what is the payload limit?")
    assert "Only visible to you" in get(f"{simulation.url}/c/{HELP}?as={ADA}")
    assert "Only visible to you" not in get(f"{simulation.url}/c/{HELP}?as={GUS}")
    work()
    assert Question.objects.get().text == "what is the payload limit?"


def test_an_event_whose_acknowledgement_is_lost_comes_again_and_is_one_question(
    simulation: Simulation,
) -> None:
    simulation.client.pace, simulation.client.lost_acks = 0.0, 3
    do(simulation, "write", text="@footnote how much?")
    assert [line["number"] for line in simulation.pages.deliveries] == [0, 1, 2, 3]
    assert Question.objects.count() == 1


def test_edits_deletions_home_and_clicks_are_acknowledged(simulation: Simulation) -> None:
    simulation.client.subscriptions |= {"message.channels", "app_home_opened"}
    message = simulation.client.write(ADA, HELP, "hello")
    simulation.client.wait(30)
    do(simulation, "edit", ts=message["ts"], text="hello again")
    do(simulation, "click", ts=message["ts"], action='{"type": "button", "action_id": "nobody"}')
    do(simulation, "delete", ts=message["ts"])
    get(f"{simulation.url}/home?as={ADA}")
    simulation.client.wait(30)
    acks: list[Ack] = [line["ack"] for line in simulation.pages.deliveries]
    assert len(acks) == 5
    assert all(ack.ok for ack in acks)


def test_a_modal_is_drawn_filled_and_sent(simulation: Simulation) -> None:
    element = {"type": "plain_text_input", "action_id": "a"}
    options = [{"text": PLAIN, "value": "wrong"}, {"text": PLAIN, "value": "outdated"}]
    choice = {"type": "radio_buttons", "action_id": "r", "options": options}
    blocks = [
        {"type": "input", "block_id": "why", "label": PLAIN, "element": element},
        {"type": "input", "block_id": "kind", "label": PLAIN, "element": choice},
    ]
    view = {"type": "modal", "title": PLAIN, "submit": PLAIN, "callback_id": "c", "blocks": blocks}
    from bot.simulator.methods_views import views_open

    views_open(simulation.workspace, {"trigger_id": simulation.workspace.new_trigger(ADA), "view": view})
    assert 'role="dialog"' in get(f"{simulation.url}/c/{HELP}?as={ADA}")
    seen: list[dict] = []
    simulation.client.on_ack = lambda _kind, body, _acks: seen.append(body)
    do(simulation, "submit", **{"why|a": "It is old.", "kind|r": "outdated"})
    values = seen[0]["view"]["state"]["values"]
    assert values["why"]["a"]["value"] == "It is old."
    assert values["kind"]["r"]["selected_option"]["value"] == "outdated"
    assert not simulation.workspace.modals[ADA], "it closes when the app says nothing else"


def test_other_sites_can_neither_read_nor_post(simulation: Simulation) -> None:
    for url, data, headers in (
        (f"{simulation.url}/c/{HELP}", None, {"Host": "evil.example:80"}),
        (f"{simulation.url}/do/write", b"as=x", {"Origin": "https://evil.example"}),
    ):
        with pytest.raises(HTTPError) as caught:
            urllib.request.urlopen(urllib.request.Request(url, data=data, headers=headers), timeout=30)
        assert caught.value.code == 403
        caught.value.close()


class _Deaf:
    """An app that never acknowledges."""

    def __init__(self) -> None:
        self.retries: list[object] = []

    def send(self, kind: str, body: dict, *, retry: object = None) -> Ack:
        self.retries.append(retry)
        return Ack(0, 3.0)


def test_slack_tries_an_event_four_times_and_a_click_once() -> None:
    deaf = _Deaf()
    started = time.monotonic()
    assert len(deliver(deaf, "events_api", {}, pace=0)) == 4
    assert [getattr(retry, "number", 0) for retry in deaf.retries] == [0, 1, 2, 3]
    assert len(deliver(deaf, "interactive", {}, pace=0)) == 1
    assert time.monotonic() - started < 5


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("*bold* _it_ ~no~ `a&lt;b`", "<strong>bold</strong> <em>it</em> <s>no</s> <code>a&lt;b</code>"),
        ("a &lt;b&gt; &amp; c", "a &lt;b&gt; &amp; c"),
        ("<script>alert(1)</script>", "script&gt;"),
        ("<https://x.example/?a=1&amp;b=2|see *it*>", '<a href="https://x.example/?a=1&amp;b=2"'),
        ("*[1] <https://x.example|a>*", '<strong>[1] <a href="https://x.example"'),
        ("<javascript:alert(1)|click>", "click"),
        ("<@U1> <!channel>", '<span class="ping">@ada</span> <span class="ping">@channel</span>'),
        ("```x &lt; y\n*no*```", "<pre>x &lt; y\n*no*</pre>"),
        ("&gt; quoted\nnot", "<blockquote>quoted</blockquote>not"),
    ],
)
def test_mrkdwn_is_drawn_as_slack_draws_it_and_never_as_html(text: str, html: str) -> None:
    drawn = draw_mrkdwn(text, {"U1": "ada"})
    assert html in drawn or html == "script&gt;"
    assert "<script" not in drawn
    assert "javascript:" not in drawn


def test_times_are_told_as_people_read_clocks(simulation: Simulation) -> None:
    simulation.workspace.clock = lambda: 1_767_376_988.5
    do(simulation, "write", text="@footnote hello")
    page = get(f"{simulation.url}/c/{HELP}?as={ADA}")
    here = datetime.fromtimestamp(1_767_376_988, UTC).astimezone()
    assert re.search(rf">{here.day} Jan {here:%H:%M}:\d\d</time>", page)
    assert not re.search(r">\s*1767376\d+\.\d+\s*<", page), "no bare ts"
    assert re.search(rf"<td>{here:%H:%M:%S}</td>", get(f"{simulation.url}/log?as={ADA}"))


def play(simulation: Simulation, *steps: dict) -> tuple[list[list[str]], float]:
    """What the bot said to each step, and the longest that a step took, in seconds."""
    results = list(run_script(simulation, [json.dumps(step) for step in steps]))
    texts = [[message["text"] for message in result["messages"]] for result in results]
    return texts, max(result["seconds"] for result in results)


def test_a_script_goes_on_when_a_command_is_answered_at_once(simulation: Simulation) -> None:
    usage, longest_s = play(
        simulation,
        {"as": "ada", "in": "help", "command": "/ask", "say": ""},
        {"as": "ben", "in": "help", "command": "/ask", "say": " "},
        {"as": "ada", "in": "footnote", "command": "/footnote", "say": "blah"},
    )
    assert [len(texts) for texts in usage] == [1, 1, 1]
    assert usage[2] == [ENGLISH.channel.usage]
    assert longest_s < 15


def test_a_script_goes_on_when_nobody_was_asked(simulation: Simulation) -> None:
    texts, longest_s = play(simulation, {"as": "ada", "in": "help", "say": "Good morning"})
    assert texts == [[]]
    assert longest_s < 3, "Slack does not tell the app of it"
    simulation.client.subscriptions.add("message.channels")
    texts, longest_s = play(simulation, {"as": "ada", "in": "help", "say": "Good morning"})
    assert texts == [[]]
    assert longest_s < 15


@pytest.mark.parametrize(
    ("person", "command", "say", "looking"),
    [
        ("ada", "/ask", "until when?", ENGLISH.replies.looking),
        ("ben", "/ask", "until when?", GERMAN.replies.looking),
        ("ada", "/footnote", "status", ENGLISH.channel.looking),
    ],
)
def test_a_script_waits_for_what_a_command_was_promised(
    simulation: Simulation, person: str, command: str, say: str, looking: str
) -> None:
    """The answer comes later than it takes a conversation to settle."""
    workspace = simulation.workspace

    def answer() -> None:
        answer = {"channel": HELP, "text": "31 March", "message_ts": workspace.next_ts()}
        workspace.private_messages.append(answer)

    timer = threading.Timer(4, answer)
    timer.start()
    texts, longest_s = play(simulation, {"as": person, "in": "help", "command": command, "say": say})
    timer.join()
    assert texts == [[looking, "31 March"]]
    assert 3 < longest_s < 30
