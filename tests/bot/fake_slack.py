"""A stand-in for Slack's Web API: a real HTTP server on the loopback that keeps messages and limits.

It refuses what Slack refuses (`limits.py`), notes what Slack would take but we must not send, honours
scopes, and can be scripted to fail: before a message is taken or after it, which looks the same to us.
"""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from tests.bot.limits import leaks, slack_would_refuse, view_would_refuse

TOKEN = "xoxb-of-the-tests"
APP_TOKEN = "xapp-of-the-tests"
ALL_SCOPES = {
    "app_mentions:read",
    "chat:write",
    "commands",
    "im:history",
    "channels:history",
    "groups:history",
    "channels:read",
    "groups:read",
    "users:read",
}
BASE_URL = "http://127.0.0.1:8000"


@dataclass(frozen=True, slots=True)
class Failure:
    """One scripted failure. `is_taken`: the message is kept and only the response is lost."""

    status: int = 200
    error: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    is_taken: bool = False
    is_dropped: bool = False
    body: str | None = None


@dataclass(slots=True)
class Call:
    """A request as it came in."""

    method: str
    arguments: dict


class FakeSlack:
    """The workspace: its channels' messages, the bot's scopes, and every request made."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.messages: dict[str, list[dict]] = defaultdict(list)
        self.private_messages: list[dict] = []
        self.ephemeral: list[dict] = []
        self.views: list[dict] = []
        self.homes: dict[str, dict] = {}
        self.users: dict[str, dict] = {}
        self.problems: list[str] = []
        self.scopes = set(ALL_SCOPES)
        self.joined_channels: set[str] | None = None
        self.shared_channels: set[str] = set()
        self.socket_url = ""
        self.asker = "U00000USR01"
        self._scripts: dict[str, list[Failure | None]] = defaultdict(list)
        self._clock = itertools.count(1)
        self._epoch = int(time.time()) + 1
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def script(self, method: str, *failures: Failure | None) -> None:
        """What the next calls of a method meet; None lets one through."""
        self._scripts[method] += failures

    def calls_of(self, method: str) -> list[dict]:
        return [call.arguments for call in self.calls if call.method == method]

    @property
    def posts(self) -> list[dict]:
        """Every message in the workspace."""
        return [message for channel in self.messages.values() for message in channel]

    # --- the server

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                is_json = "json" in self.headers.get("Content-Type", "")
                arguments = json.loads(raw) if is_json else dict(parse_qsl(raw, keep_blank_values=True))
                path = urlsplit(self.path)
                arguments |= dict(parse_qsl(path.query))
                token = self.headers.get("Authorization", "").removeprefix("Bearer ")
                with fake._lock:
                    answer = fake._answer(path.path, arguments, token)
                if answer is None:
                    self.close_connection = True
                    return
                status, headers, body = answer
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST

            def log_message(self, *_: object) -> None:
                pass

        return Handler

    def _answer(self, path: str, arguments: dict, token: str) -> tuple[int, dict[str, str], bytes] | None:
        method = "response_url" if path.startswith("/commands/") else path.removeprefix("/api/")
        self.calls.append(Call(method, arguments))
        failure = self._scripts[method].pop(0) if self._scripts[method] else None
        if failure is not None and not failure.is_taken:
            return None if failure.is_dropped else _failed(failure)
        if method == "response_url":
            self._check(arguments)
            self.private_messages.append(arguments)
            return 200, {"Content-Type": "text/plain"}, b"ok"
        if token not in {TOKEN, APP_TOKEN}:
            return _json({"ok": False, "error": "invalid_auth"})
        result = getattr(self, f"_on_{method.replace('.', '_')}")(arguments)
        if failure is not None:
            return None if failure.is_dropped else _failed(failure)
        return _json(result, {"x-oauth-scopes": ",".join(sorted(self.scopes))})

    def _check(self, arguments: dict) -> dict | None:
        refused = slack_would_refuse(arguments)
        if refused is not None:
            return {"ok": False, "error": refused[0], "response_metadata": {"messages": [refused[1]]}}
        self.problems += leaks(arguments, base_url=BASE_URL, asker=self.asker)
        return None

    def _lacks(self, *names: str) -> dict | None:
        needed = [name for name in names if name not in self.scopes]
        return {"ok": False, "error": "missing_scope", "needed": ",".join(needed)} if needed else None

    def _is_outside(self, channel: str) -> bool:
        return self.joined_channels is not None and channel not in self.joined_channels

    # --- the methods

    def _on_auth_test(self, _: dict) -> dict:
        return {
            "ok": True,
            "user": "footnote",
            "team": "Tests",
            "user_id": "U00000BOT01",
            "bot_id": "B00000BOT01",
        }

    def _on_chat_postMessage(self, arguments: dict) -> dict:
        channel = arguments["channel"]
        if self._is_outside(channel):
            return {"ok": False, "error": "channel_not_found"}
        error = self._lacks("chat:write") or self._check(arguments)
        if error:
            return error
        ts = f"{self._epoch}.{next(self._clock):06d}"
        message = {**arguments, "ts": ts, "bot_id": "B00000BOT01", "user": "U00000BOT01"}
        self.messages[channel].append(message)
        return {"ok": True, "channel": channel, "ts": ts, "message": message}

    def _on_conversations_info(self, arguments: dict) -> dict:
        channel = arguments["channel"]
        if self._is_outside(channel):
            return {"ok": False, "error": "channel_not_found"}
        info = {"id": channel, "is_ext_shared": channel in self.shared_channels}
        return self._lacks("channels:read") or {"ok": True, "channel": info}

    def _on_conversations_replies(self, arguments: dict) -> dict:
        root = arguments["ts"]
        return self._history(arguments, lambda message: root in {message["ts"], message.get("thread_ts")})

    def _on_conversations_history(self, arguments: dict) -> dict:
        return self._history(arguments, lambda message: not message.get("thread_ts"))

    def _history(self, arguments: dict, is_wanted: object) -> dict:
        channel = arguments["channel"]
        error = self._lacks("im:history" if channel.startswith("D") else "channels:history")
        if error:
            return error
        with_metadata = arguments.get("include_all_metadata") in {"1", "true", True}
        found = [
            message if with_metadata else {k: v for k, v in message.items() if k != "metadata"}
            for message in self.messages[channel]
            if is_wanted(message) and float(message["ts"]) >= float(arguments.get("oldest") or 0)
        ]
        page, size = int(arguments.get("cursor") or 0), int(arguments.get("limit") or 100)
        following = page + size if page + size < len(found) else ""
        return {
            "ok": True,
            "messages": found[page : page + size],
            "response_metadata": {"next_cursor": str(following)},
        }

    def _on_chat_postEphemeral(self, arguments: dict) -> dict:
        if self._is_outside(arguments["channel"]):
            return {"ok": False, "error": "user_not_in_channel"}
        error = self._lacks("chat:write") or self._check(arguments)
        if error:
            return error
        self.ephemeral.append(arguments)
        return {"ok": True, "message_ts": f"{self._epoch}.{next(self._clock):06d}"}

    def _own_message(self, arguments: dict) -> dict | None:
        found = [m for m in self.messages[arguments["channel"]] if m["ts"] == arguments["ts"]]
        return found[0] if found else None

    def _on_chat_delete(self, arguments: dict) -> dict:
        message = self._own_message(arguments)
        if message is None:
            return {"ok": False, "error": "message_not_found"}
        self.messages[arguments["channel"]].remove(message)
        return {"ok": True}

    def _on_chat_update(self, arguments: dict) -> dict:
        message = self._own_message(arguments)
        if message is None:
            return {"ok": False, "error": "message_not_found"}
        if len(arguments.get("text") or "") > 4_000:
            return {"ok": False, "error": "msg_too_long"}
        error = self._check({"unfurl_links": False, "unfurl_media": False, **arguments})
        if error:
            return error
        message.update(text=arguments["text"], blocks=arguments["blocks"])
        return {"ok": True, "ts": message["ts"]}

    def _on_users_info(self, arguments: dict) -> dict:
        user = {"id": arguments["user"], "team_id": "T00000TEAM1", "locale": "en-US"}
        user |= self.users.get(arguments["user"], {})
        return self._lacks("users:read") or {"ok": True, "user": user}

    def _checked_view(self, view: object) -> dict:
        view = json.loads(view) if isinstance(view, str) else view
        if error := view_would_refuse(view):
            return {"ok": False, "error": "invalid_arguments", "response_metadata": {"messages": [error]}}
        self.problems += leaks({**view, "unfurl_links": False, "unfurl_media": False}, base_url=BASE_URL)
        return {"ok": True, "view": view}

    def _on_views_open(self, arguments: dict) -> dict:
        if arguments["trigger_id"].startswith("expired"):
            return {"ok": False, "error": "expired_trigger_id"}
        answer = self._checked_view(arguments["view"])
        if answer["ok"]:
            self.views.append(answer["view"])
        else:
            self.problems.append(str(answer))
        return answer

    def _on_views_publish(self, arguments: dict) -> dict:
        answer = self._checked_view(arguments["view"])
        if answer["ok"]:
            self.homes[arguments["user_id"]] = answer["view"]
        else:
            self.problems.append(str(answer))
        return answer

    def _on_apps_connections_open(self, _: dict) -> dict:
        return {"ok": True, "url": self.socket_url}


def _json(body: dict, headers: dict[str, str] | None = None) -> tuple[int, dict[str, str], bytes]:
    return 200, {"Content-Type": "application/json", **(headers or {})}, json.dumps(body).encode()


def _failed(failure: Failure) -> tuple[int, dict[str, str], bytes]:
    body = failure.body if failure.body is not None else json.dumps({"ok": False, "error": failure.error})
    return failure.status, {"Content-Type": "application/json", **failure.headers}, body.encode()
