"""The page one looks at: channels, threads, what only one person sees, modals, the Home tab, and the log."""

from __future__ import annotations

import json
import mimetypes
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

from django.template.loader import render_to_string

from bot.simulator.client import SlackClient
from bot.simulator.deliveries import Ack
from bot.simulator.failures import Failure, rate_limited
from bot.simulator.forms import action_of, state_of
from bot.simulator.server import PageRequest
from bot.simulator.web_api import HttpAnswer, WebApi
from bot.simulator.workspace import Channel, Json, Workspace

STATIC = Path(__file__).parent / "static"
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # without one a browser posts with the origin "null"
    "Cache-Control": "no-store",
}
FAULTS: dict[str, tuple[str, Failure]] = {
    "limited": ("429, wait 5 s", rate_limited(5)),
    "away": ("503", Failure(status=503, body="upstream")),
    "lost": ("taken, answer lost", Failure(is_taken=True, is_dropped=True)),
    "blocks": ("invalid_blocks", Failure(error="invalid_blocks")),
    "archived": ("is_archived", Failure(error="is_archived")),
}
KEPT_LINES = 200


def _moment(seconds: float) -> datetime:
    """Of Slack's times, which are seconds since 1970; in this machine's zone, and without it, as people read clocks."""
    return datetime.fromtimestamp(seconds, UTC).astimezone().replace(tzinfo=None)


@dataclass(slots=True)
class Pages:
    """Draws a workspace and turns the forms of its page into what a person does in Slack."""

    workspace: Workspace
    api: WebApi
    client: SlackClient
    console_url: str = ""
    deliveries: list[dict[str, Any]] = field(default_factory=list)

    def note_delivery(self, kind: str, body: Json, acks: list[Ack]) -> None:
        """Keep what the log shows of a delivery: never more than its kind, times and statuses."""
        event = body.get("event")
        name = (
            str(event.get("type"))
            if isinstance(event, dict)
            else str(body.get("command") or body.get("type"))
        )
        for number, ack in enumerate(acks):
            line = {
                "kind": kind,
                "name": name,
                "number": number,
                "ack": ack,
                "at": _moment(self.workspace.clock()),
            }
            self.deliveries.append(line)
        del self.deliveries[:-KEPT_LINES]
        self.workspace.touch()

    def __call__(self, request: PageRequest) -> HttpAnswer | None:
        """Answer a request for a page; strangers' sites may neither read nor post."""
        if not _is_from_here(request):
            return HttpAnswer(403, {}, b"This page answers only to its own address.")
        parts = urlsplit(request.path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path == "/changes":
            self._stream(request)
            return None
        if parts.path.startswith("/static/"):
            return _static(parts.path.removeprefix("/static/"))
        with self.workspace.lock:
            if request.method == "POST":
                form = parse_qs(request.body.decode(), keep_blank_values=True)
                return self._do(parts.path.removeprefix("/do/"), form)
            return self._show(parts.path, query, is_refresh="X-Refresh" in request.headers)

    # --- showing

    def _show(self, path: str, query: dict[str, str], *, is_refresh: bool) -> HttpAnswer:
        person_id = query.get("as") or next(p.id for p in self.workspace.people.values() if not p.is_bot)
        if person_id not in self.workspace.people:
            return HttpAnswer(404, HEADERS, b"Nobody has this id.")
        context = self._context(person_id)
        if path == "/home":
            if not is_refresh:
                self.client.open_home(person_id)
            page = {**context, "home": self.workspace.homes.get(person_id), "place": "home"}
            return _html("simulator/home.html", page)
        if path == "/log":
            return _html("simulator/log.html", {**context, **self._log(), "place": "log"})
        channel_id = path.removeprefix("/c/")
        mine = context["channels"] + context["directs"]
        channel = next((c for c in mine if c.id == channel_id), mine[0])
        if channel.id != channel_id:
            return _redirect(f"/c/{channel.id}?as={quote(person_id)}")
        if channel.kind == "im" and not is_refresh:
            self.client.open_home(person_id, "messages")
        page = {**context, "channel": channel, "place": channel.id, **self._conversation(channel, person_id)}
        return _html("simulator/channel.html", page)

    def _context(self, person_id: str) -> dict[str, Any]:
        mine = [c for c in self.workspace.channels.values() if person_id in c.members]
        stack = self.workspace.modals[person_id]
        is_kept_out = self.client.is_kept_out(person_id)
        return {
            "is_agent": self.client.is_agent,
            "is_kept_out": is_kept_out,
            "workspace": self.workspace,
            "people": [p for p in self.workspace.people.values() if not p.is_bot],
            "person": self.workspace.people[person_id],
            "channels": [c for c in mine if c.kind != "im"],
            "directs": [c for c in mine if c.kind == "im" and not is_kept_out],
            "modal": stack[-1].view if stack else None,
            "names": self._names(),
            "console_url": self.console_url,
            "faults": {name: label for name, (label, _) in FAULTS.items()},
            "problems": self.api.problems[-5:],
        }

    def _names(self) -> dict[str, str]:
        names = {person.id: person.name for person in self.workspace.people.values()}
        return names | {channel.id: channel.name for channel in self.workspace.channels.values()}

    def _conversation(self, channel: Channel, person_id: str) -> dict[str, Any]:
        private = [m for m in self.workspace.private_messages if _is_for(m, channel, person_id)]
        statuses = {ts: text for where, ts, text in self.workspace.shown_statuses() if where == channel.id}
        threads = [
            {
                "root": self._drawn(root),
                "replies": [self._drawn(m) for m in self.workspace.replies(channel.id, root["ts"])],
                "private": [self._drawn(m) for m in private if m.get("thread_ts") == root["ts"]],
                "status": statuses.get(root["ts"], ""),
            }
            for root in self.workspace.roots(channel.id)
        ]
        loose = [self._drawn(m) for m in private if not m.get("thread_ts")]
        return {"threads": threads, "private": loose, "prompts": self.workspace.prompts.get(channel.id, [])}

    def _drawn(self, message: Json) -> dict[str, Any]:
        author = self.workspace.people.get(message.get("user", ""))
        is_ours = "bot_id" in message or "message_ts" in message
        ts = message.get("ts") or message["message_ts"]
        name = (
            "Slack"
            if message.get("is_of_slack")
            else self.workspace.bot_name
            if is_ours
            else author and author.name
        )
        return {
            "message": message,
            "name": name or "somebody",
            "is_ours": is_ours,
            "ts": ts,
            "at": _moment(float(ts)),
        }

    def _log(self) -> dict[str, Any]:
        calls = [
            {
                "method": c.method,
                "error": c.error,
                "at": _moment(c.at),
                "arguments": json.dumps(c.arguments, indent=1),
            }
            for c in self.api.calls[-KEPT_LINES:]
        ]
        return {"calls": calls[::-1], "deliveries": self.deliveries[::-1]}

    def _stream(self, request: PageRequest) -> None:
        request.start_stream("text/event-stream")
        seen = -1
        try:
            while True:
                with self.workspace.changed:
                    self.workspace.changed.wait_for(lambda: self.workspace.version != seen, timeout=15)  # noqa: B023
                    seen = self.workspace.version
                request.write(f"data: {seen}\n\n".encode())
        except OSError:
            return

    # --- doing

    def _do(self, what: str, form: dict[str, list[str]]) -> HttpAnswer:
        act = _ACTS.get(what)
        values = {name: given[0] for name, given in form.items()}
        if act is None or values.get("as") not in self.workspace.people:
            return HttpAnswer(404, HEADERS, b"There is no such action.")
        try:
            act(self, values, form)
        except (KeyError, LookupError, ValueError) as error:
            return HttpAnswer(400, HEADERS, f"That cannot be done: {error}".encode())
        back = values.get("back") or "/"
        return _redirect(back if back.startswith("/") and not back.startswith("//") else "/")

    def _write(self, values: dict[str, str], _: dict[str, list[str]]) -> None:
        text, channel_id = values["text"].strip(), values["channel"]
        if text.startswith("/") and not values.get("thread_ts"):
            command, _space, rest = text.partition(" ")
            self.client.command(values["as"], channel_id, command, rest)
        elif text:
            text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
            self.client.write(values["as"], channel_id, text, thread_ts=values.get("thread_ts", ""))

    def _edit(self, values: dict[str, str], _: dict[str, list[str]]) -> None:
        self.client.edit(values["channel"], values["ts"], values["text"])

    def _delete(self, values: dict[str, str], _: dict[str, list[str]]) -> None:
        self.client.delete(values["channel"], values["ts"])

    def _shortcut(self, values: dict[str, str], _: dict[str, list[str]]) -> None:
        self.client.shortcut(values["as"], values["callback_id"], values["channel"], values["ts"])

    def _click(self, values: dict[str, str], _: dict[str, list[str]]) -> None:
        self.client.click(values["as"], values["channel"], values["ts"], action_of(values["action"]))

    def _click_in_view(self, values: dict[str, str], _: dict[str, list[str]]) -> None:
        person_id = values["as"]
        stack = self.workspace.modals[person_id]
        view = stack[-1].view if stack else self.workspace.homes[person_id]
        self.client.click_in_view(person_id, view, action_of(values["action"]))

    def _stop(self, values: dict[str, str], _: dict[str, list[str]]) -> None:
        self.client.stop_session(values["as"], values["channel"], values["ts"])

    def _submit(self, values: dict[str, str], form: dict[str, list[str]]) -> None:
        view = self.workspace.modals[values["as"]][-1].view
        self.client.submit(values["as"], state_of(view, form))

    def _close(self, values: dict[str, str], _: dict[str, list[str]]) -> None:
        self.client.close_modal(values["as"])

    def _trouble(self, values: dict[str, str], _: dict[str, list[str]]) -> None:
        if values.get("fault"):
            self.api.script(values.get("method") or "chat.postMessage", FAULTS[values["fault"]][1])
        self.client.lost_acks = int(values.get("lost_acks") or 0)


_ACTS: dict[str, Callable[[Pages, dict[str, str], dict[str, list[str]]], None]] = {
    "write": Pages._write,  # noqa: SLF001 - of this class
    "edit": Pages._edit,  # noqa: SLF001
    "delete": Pages._delete,  # noqa: SLF001
    "shortcut": Pages._shortcut,  # noqa: SLF001
    "click": Pages._click,  # noqa: SLF001
    "click-in-view": Pages._click_in_view,  # noqa: SLF001
    "stop": Pages._stop,  # noqa: SLF001
    "submit": Pages._submit,  # noqa: SLF001
    "close": Pages._close,  # noqa: SLF001
    "trouble": Pages._trouble,  # noqa: SLF001
}


def _is_for(message: Json, channel: Channel, person_id: str) -> bool:
    return message.get("channel") == channel.id and message.get("user") in {person_id, None}


def _is_from_here(request: PageRequest) -> bool:
    """A page of another site cannot use the browser to reach this one, by whatever name it calls it."""
    host = request.headers.get("Host", "")
    if host.rpartition(":")[0] not in {"127.0.0.1", "localhost"}:
        return False
    origin = request.headers.get("Origin")
    return request.method == "GET" or origin in {None, f"http://{host}"}


def _html(template: str, context: dict[str, Any]) -> HttpAnswer:
    body = render_to_string(template, context).encode()
    return HttpAnswer(200, {"Content-Type": "text/html; charset=utf-8", **HEADERS}, body)


def _redirect(target: str) -> HttpAnswer:
    return HttpAnswer(303, {"Location": target, **HEADERS}, b"")


def _static(name: str) -> HttpAnswer:
    path = STATIC / name
    if "/" in name or not path.is_file():
        return HttpAnswer(404, HEADERS, b"")
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    return HttpAnswer(200, {"Content-Type": kind, **HEADERS}, path.read_bytes())
