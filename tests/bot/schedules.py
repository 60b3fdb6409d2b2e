"""One random life of the bot: events twice, twinned and out of order, processes killed anywhere, a Slack that fails.

Everything is drawn from one seed and nothing runs by itself: events, tasks, sweeps, restarts and the clock
are steps of the schedule. A kill is an exception no handler of ours catches, raised at any write to the
database, at any message to the queue, and before and after Slack took a call. What a real `kill -9` adds,
`tests/contracts/test_slack_kills.py` looks at.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import RequestFactory
from django.utils import timezone
from slack_bolt.adapter.socket_mode.internals import run_bolt_app
from slack_sdk.signature import SignatureVerifier
from slack_sdk.socket_mode.request import SocketModeRequest

from bot import statuses
from bot.app import slack_app
from bot.delivery import deliver_answer, pick_up_undelivered
from bot.simulator.failures import Failure, rate_limited
from bot.statuses import pick_up_statuses, show_status, take_down_statuses
from bot.views import slack_events
from console import queue
from console.channels.models import DeliveryState, SlackDelivery, SlackEvent, SlackStatus
from console.questions import services
from console.questions.models import Answer, Question, QuestionState
from console.questions.recording import AnswerRow
from console.questions.services import answer_question, pick_up_pending
from tests.bot.fake_slack import FakeSlack
from tests.bot.payloads import CHANNEL, DM, SECRET, channel_message, direct_message, mention

TASKS: dict[str, Callable[[str], Any]] = {
    "footnote.answer_question": answer_question,
    "footnote.deliver_answer": deliver_answer,
    "footnote.show_status": show_status,
    "footnote.take_down_statuses": take_down_statuses,
}
WRITES = ("INSERT", "UPDATE", "DELETE")
STATUS = "assistant.threads.setStatus"
FAULTS = [
    rate_limited(7),
    Failure(status=500, body="oops"),
    Failure(status=500, body="oops", is_taken=True),
    Failure(is_dropped=True),
    Failure(is_dropped=True, is_taken=True),
    Failure(status=502, body="<html>", is_taken=True),
    Failure(error="internal_error", is_taken=True),
    Failure(error="ratelimited"),
    Failure(error="invalid_blocks"),
]


class Killed(BaseException):
    """The process is gone; no `except Exception` may notice."""


@dataclass
class Event:
    """What Slack still has to hand over. `tries` counts deliveries, of which Slack makes four."""

    body: dict
    tries: int = 0


@dataclass
class Schedule:
    """The state of one run and its dice."""

    seed: int
    slack: FakeSlack
    patch: pytest.MonkeyPatch
    hand_over: Callable[[dict, int], bool]
    tasks: list[tuple[str, str]] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    offset: timedelta = timedelta()
    kill_in: int = 0
    is_calm: bool = False
    is_doubled: bool = False
    n_kills: int = 0
    n_faults: int = 0
    problems: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.dice = random.Random(self.seed)
        # An embedded process loses its queue when it dies, and clears up at its start; a server's queue stays.
        self.is_embedded = self.dice.random() < 0.5
        self.started = datetime.now(UTC)

    # --- the world

    def now(self) -> datetime:
        return self.started + self.offset

    def tick(self, _what: str = "") -> None:
        """A point at which the process may die."""
        if self.kill_in:
            self.kill_in -= 1
            if self.kill_in == 0:
                self.n_kills += 1
                raise Killed

    def send(self, name: str, argument: str) -> None:
        self.tick("queue")
        self.tasks.append((name, argument))

    def execute(self, run: Callable, sql: str, params: Any, many: bool, context: Any) -> Any:
        if sql.lstrip().startswith(WRITES):
            self.tick("write")
        return run(sql, params, many, context)

    def answer_over_http(self, original: Callable) -> Callable:
        """Before Slack takes a call, and between its taking it and our hearing of it."""

        def answer(*arguments: Any) -> Any:
            self.tick("call")
            self._another_worker(*arguments, is_late=False)
            result = original(*arguments)
            self._another_worker(*arguments, is_late=True)
            self.tick("answer")
            return result

        return answer

    def _another_worker(self, url: str, raw: bytes, *_: Any, is_late: bool) -> None:
        """Now and then a second worker has the same message, at once or when the first has hung past its lease."""
        if (
            self.is_calm
            or self.is_doubled
            or not url.endswith("chat.postMessage")
            or self.dice.random() > 0.1
        ):
            return
        self.is_doubled, kill_in, self.kill_in = True, self.kill_in, 0
        if is_late:
            self.offset += timedelta(seconds=61)
        deliver_answer(json.loads(raw)["metadata"]["event_payload"]["question"])
        self.is_doubled, self.kill_in = False, kill_in

    def fault(self, method: str, arguments: dict) -> Failure | None:
        self._watch(method, arguments)
        if self.is_calm or self.dice.random() > 0.25:
            return None
        self.n_faults += 1
        # Slack may dislike the blocks; a message it takes in no form at all is another story (test_delivery.py).
        return self.dice.choice(FAULTS if arguments.get("blocks") else FAULTS[:-1])

    def _watch(self, method: str, arguments: dict) -> None:
        if method != STATUS or not arguments.get("status"):
            return
        thread_ts = arguments["thread_ts"]
        owed = [q for q in self.questions() if thread_ts in {q.slack_ts, q.slack_thread_ts}]
        if all(self.terminal_messages(q) for q in owed):
            self.problems.append(f"a status in {thread_ts} after its last message")

    # --- what is asked

    def ask(self) -> None:
        """One to four questions in one conversation or two, each as the events Slack could send of it."""
        for number in range(self.dice.randint(1, 4)):
            ts = f"{int(self.started.timestamp()) - 60 + number * 7}.{self.dice.randint(0, 999_999):06d}"
            text = f"What is rule {number}?"
            in_thread = {"thread_ts": "1767370000.000001"} if self.dice.random() < 0.5 else {}
            name = f"Ev{self.seed}-{number}"
            if self.dice.random() < 0.6:
                bodies = [mention(text, event_id=name, ts=ts, **in_thread)]
                bodies.append(channel_message(text, event_id=f"{name}-m", ts=ts, **in_thread))
                bodies.append(mention(text, event_id=f"{name}-b", ts=ts, **in_thread))
            else:
                bodies = [direct_message(text, event_id=name, ts=ts, **in_thread)]
                twin = {"subtype": "thread_broadcast", **in_thread}
                bodies.append(direct_message(text, event_id=f"{name}-b", ts=ts, **twin))
            n_kinds = self.dice.randint(1, len(bodies))
            chosen = [bodies[0], *self.dice.sample(bodies[1:], n_kinds - 1)]
            self.events += [Event(body) for body in chosen for _ in range(self.dice.choice([1, 1, 2, 4]))]
            self.asked.append(ts)
        self.dice.shuffle(self.events)

    # --- steps

    def run(self) -> None:
        self.ask()
        while self.events:
            self.dice.choice(
                [
                    self.deliver,
                    self.deliver,
                    self.deliver,
                    self.work,
                    self.work,
                    self.work,
                    self.sweep,
                    self.pass_time,
                ]
            )()
        for _ in range(self.dice.randint(0, 6)):
            self.dice.choice([self.work, self.sweep, self.pass_time])()
        self.drain()

    def deliver(self) -> None:
        event = self.events.pop(self.dice.randrange(len(self.events)))
        event.tries += 1
        is_last = event.tries == 4
        if (
            self._guarded(lambda: self.hand_over(event.body, event.tries - 1), may_die=not is_last)
            is not True
            and not is_last
        ):
            self.events.append(event)  # not acknowledged: Slack sends it again
        elif self.dice.random() < 0.1 and not is_last:
            self.events.append(event)  # the acknowledgement is lost

    def work(self) -> None:
        if not self.tasks:
            return
        task = self.tasks.pop(self.dice.randrange(len(self.tasks)))
        name, argument = task
        is_done = self._guarded(lambda: TASKS[name](argument) or True)
        if is_done is not True and not self.is_embedded:
            self.tasks.append(task)  # acks_late: the broker gives it to another worker

    def sweep(self) -> None:
        self._guarded(lambda: self._pick_up(at_start=False))

    def _pick_up(self, *, at_start: bool) -> bool:
        pick_up_pending(at_start=at_start)
        pick_up_undelivered(at_start=at_start)
        pick_up_statuses(at_start=at_start)
        return True

    def pass_time(self) -> None:
        self.offset += timedelta(seconds=self.dice.choice([1, 5, 61, 130]))

    def _guarded(self, step: Callable[[], Any], *, may_die: bool = True) -> Any:
        """Run a step in a process that may die in it; then another one starts."""
        if may_die and not self.is_calm and self.dice.random() < 0.4:
            self.kill_in = self.dice.randint(1, 14)
        try:
            return step()
        except Killed:
            if self.is_embedded:
                self.tasks.clear()
                self._guarded(lambda: self._pick_up(at_start=True), may_die=self.dice.random() < 0.2)
            return None
        finally:
            self.kill_in = 0

    def drain(self) -> None:
        """Slack works, nobody dies, time passes: what is owed must come now, and what a pause left standing go."""
        self.is_calm = True
        for _ in range(40):
            self._pick_up(at_start=False)
            while self.tasks:
                name, argument = self.tasks.pop(0)
                TASKS[name](argument)
            if not self.owed() and not SlackStatus.objects.exists():
                break
            self.offset += timedelta(seconds=20)

    def owed(self) -> int:
        return SlackDelivery.objects.exclude(
            state__in=[DeliveryState.DELIVERED, DeliveryState.UNDELIVERABLE]
        ).count()

    # --- what must hold

    def questions(self) -> list[Question]:
        return list(Question.objects.all())

    def terminal_messages(self, question: Question) -> list[dict]:
        return [m for m in self.slack.posts if _mark(m) == (str(question.pk), 0)]

    def check(self) -> list[str]:
        """A sentence for each thing that must not be."""
        problems = [*self.problems, *self.slack.problems]
        questions = {q.slack_ts: q for q in self.questions()}
        if sorted(questions) != sorted(self.asked):
            problems.append(f"asked {sorted(self.asked)}, kept {sorted(questions)}")
        for question in questions.values():
            problems += self._check_question(question)
        if self.slack.workspace.statuses:
            problems.append(f"a status is left: {self.slack.workspace.statuses}")
        if SlackStatus.objects.exists():
            problems.append("a row of a status is left")
        marks = Counter(_mark(m)[0] for m in self.slack.posts)
        if set(marks) - {str(q.pk) for q in questions.values()}:
            problems.append("a message of no question")
        return problems

    def _check_question(self, question: Question) -> Iterator[str]:
        name = f"{question.text} ({question.slack_ts})"
        delivery = SlackDelivery.objects.filter(question=question).first()
        if delivery is None or delivery.state != DeliveryState.DELIVERED:
            yield f"{name} is {delivery and (delivery.state, delivery.last_error)}"
        ours = [m for m in self.slack.posts if _mark(m)[0] == str(question.pk)]
        parts = [_mark(m)[1] for m in ours]
        if parts != list(range(len(parts))) or not parts:
            yield f"{name} has the parts {parts}"
        place = (
            DM if question.surface == "slack_dm" else CHANNEL,
            question.slack_thread_ts or question.slack_ts,
        )
        if any((m["channel"], m["thread_ts"]) != place for m in ours):
            yield f"{name} was answered elsewhere"
        shown = " ".join(str(m.get("blocks") or m["text"]) for m in ours)
        if question.state == QuestionState.ANSWERED:
            missing = [s["text"] for s in question.answer.sentences if s["text"] not in shown]
            if missing:
                yield f"{name} lost {len(missing)} sentences"


def _mark(message: dict) -> tuple[str, int]:
    payload = message["metadata"]["event_payload"]
    return payload["question"], payload["part"]


def answered(question: Question, *_: object) -> AnswerRow:
    """An answer of one message or of several, by the question's last digit; now and then it breaks."""
    last = int(question.slack_ts[-1])
    if last == 0:
        raise RuntimeError("the model broke")
    n_sentences = 1 if last < 7 else 120
    sentences = [
        {
            "text": f"Rule {n} of {question.pk} says that every berth is paid for in advance, also at night.",
            "citations": [],
        }
        for n in range(n_sentences)
    ]
    return AnswerRow(Answer(outcome=QuestionState.ANSWERED, sentences=sentences))


@contextmanager
def world(schedule: Schedule) -> Iterator[None]:
    """The product with the schedule's clock, queue and kill points."""
    patch, slack = schedule.patch, schedule.slack
    for model in (SlackDelivery, Answer, Question, SlackEvent, SlackStatus):
        model.objects.all().delete()
    slack.workspace.messages.clear()
    slack.workspace.statuses.clear()
    slack.calls.clear()
    slack.problems.clear()
    with patch.context() as inner:
        inner.setattr(timezone, "now", schedule.now)
        inner.setattr(queue, "_send", schedule.send)
        inner.setattr(services, "_answer", answered)
        inner.setattr(statuses, "PATIENCE_S", 0)  # the schedule's clock stands still meanwhile
        inner.setattr(slack, "answer", schedule.answer_over_http(slack.answer))
        slack.fault = schedule.fault
        slack.workspace.clock = lambda: schedule.now().timestamp()
        with connection.execute_wrapper(schedule.execute):
            yield


def over_http(body: dict, retry_number: int) -> bool:
    """The signed request, through the endpoint without the middleware around it."""
    raw, timestamp = json.dumps(body).encode(), str(int(time.time()))
    headers = {
        "X-Slack-Request-Timestamp": timestamp,
        "X-Slack-Signature": SignatureVerifier(SECRET).generate_signature(timestamp=timestamp, body=raw),
        **({"X-Slack-Retry-Num": str(retry_number)} if retry_number else {}),
    }
    request = RequestFactory().post("/", data=raw, content_type="application/json", headers=headers)
    return slack_events(request).status_code == 200


def over_socket(body: dict, retry_number: int) -> bool:
    """What Bolt's Socket Mode adapter does with an envelope."""
    envelope: dict[str, Any] = {"type": "events_api", "payload": body, "envelope_id": "e"}
    if retry_number:
        envelope |= {"retry_attempt": retry_number, "retry_reason": "timeout"}
    return run_bolt_app(slack_app(), SocketModeRequest.from_dict(envelope)).status == 200


def run_schedules(
    seeds: Iterable[int], slack: FakeSlack, patch: pytest.MonkeyPatch, hand_over: Callable[[dict, int], bool]
) -> tuple[int, int]:
    """Run them until one goes wrong; gives back how often a process died and how often Slack failed.

    Raises:
        AssertionError: with the seed and what was wrong.
    """
    n_kills = n_faults = 0
    for seed in seeds:
        schedule = Schedule(seed, slack, patch, hand_over)
        with world(schedule):
            schedule.run()
            problems = schedule.check()
        assert problems == [], f"schedule {seed}: {problems}"
        n_kills, n_faults = n_kills + schedule.n_kills, n_faults + schedule.n_faults
    return n_kills, n_faults
