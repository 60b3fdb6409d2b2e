"""Slack's Web API over a workspace: tokens, scopes, rate limits, scripted faults, then the method itself."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

from bot.simulator import methods_chat, methods_read, methods_views
from bot.simulator.failures import Failure, rate_limited
from bot.simulator.limits import refusal_of_message
from bot.simulator.methods import ApiError, Method
from bot.simulator.rates import RateLimiter
from bot.simulator.workspace import RESPONSE_URL_S, RESPONSE_URL_USES, Json, Workspace

METHODS: dict[str, Method] = {**methods_chat.METHODS, **methods_read.METHODS, **methods_views.METHODS}
UPDATE_EVERY_S = 1.0
_JSON_ARGUMENTS = {"blocks", "attachments", "metadata", "view", "prompts", "loading_messages"}


class HttpAnswer(NamedTuple):
    """What goes back over the wire."""

    status: int
    headers: dict[str, str]
    body: bytes


@dataclass(slots=True)
class Call:
    """A request as it came in, with what was answered."""

    method: str
    arguments: Json
    error: str = ""
    at: float = 0.0


@dataclass(slots=True)
class WebApi:
    """The API of one workspace. `rules` are looked at besides Slack's own: what they find lands in `problems`."""

    workspace: Workspace
    bot_tokens: set[str]
    app_token: str
    scopes: set[str]
    limiter: RateLimiter | None = None
    rules: Callable[[str, Json], list[str]] | None = None
    fault: Callable[[str, Json], Failure | None] | None = None
    """Asked before every call, so that faults can be drawn by chance."""
    socket_url: str = ""
    calls: list[Call] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    _updated_at: dict[str, float] = field(default_factory=dict)
    _scripts: dict[str, list[Failure | None]] = field(default_factory=lambda: defaultdict(list))

    def script(self, method: str, *failures: Failure | None) -> None:
        """What the next calls of a method meet; None lets one through."""
        self._scripts[method] += failures

    def answer(self, url: str, raw: bytes, content_type: str, token: str) -> tuple[HttpAnswer | None, float]:
        """What an HTTP request gets (None: the connection is cut), and how many seconds it is held back."""
        path, arguments = _read(url, raw, content_type)
        with self.workspace.lock:
            if path in self.workspace.response_urls or path.startswith("/commands/"):
                method = "response_url"
            else:
                method = path.removeprefix("/api/")
            call = Call(method, arguments, at=self.workspace.clock())
            self.calls.append(call)
            return self._answer(call, path, token)

    def _answer(self, call: Call, path: str, token: str) -> tuple[HttpAnswer | None, float]:
        failure = self._next_failure(call)
        if failure is not None and not failure.is_taken:
            call.error = failure.error or f"http {failure.status}"
            return _failed(failure), failure.wait_s
        by_url = call.method == "response_url"
        done = self._use_response_url(path, call) if by_url else self._do(call, token)
        if failure is None:
            return done, 0.0
        call.error = call.error or "answer lost"
        return _failed(failure), failure.wait_s

    def _next_failure(self, call: Call) -> Failure | None:
        script = self._scripts[call.method]
        if script:
            return script.pop(0)
        if self.limiter is not None:
            wait_s = self.limiter.retry_after_s(call.method, str(call.arguments.get("channel") or ""))
            if wait_s:
                return rate_limited(wait_s)
        return self.fault(call.method, call.arguments) if self.fault is not None else None

    def _do(self, call: Call, token: str) -> HttpAnswer:
        try:
            result = {"ok": True, **self._result(call, token)}
        except ApiError as error:
            call.error = error.code
            result = {"ok": False, "error": error.code, **error.facts}
        return _json(result, {"x-oauth-scopes": ",".join(sorted(self.scopes))})

    def _result(self, call: Call, token: str) -> Json:
        if call.method == "apps.connections.open":
            if token != self.app_token:
                raise ApiError("invalid_auth")
            return {"url": self.socket_url}
        if call.method == "oauth.v2.access":
            return methods_read.installation(self.workspace, call.arguments, self.bot_tokens, self.scopes)
        if token not in self.bot_tokens:
            raise ApiError("invalid_auth")
        method = METHODS.get(call.method)
        if method is None:
            raise ApiError("unknown_method", req_method=call.method)
        needed = method.needed_scopes(self.workspace, call.arguments)
        if needed and not self.scopes.intersection(needed):
            raise ApiError("missing_scope", needed=needed[0], provided=",".join(sorted(self.scopes)))
        result = method.run(self.workspace, call.arguments)
        self._look_at(call)
        return result

    def _look_at(self, call: Call) -> None:
        if self.rules is not None:
            self.problems += self.rules(call.method, call.arguments)
        if call.method == "chat.update":
            # Slack has no such limit; more often than this nobody can read it, and the minute's budget is gone.
            ts = str(call.arguments.get("ts"))
            if call.at - self._updated_at.get(ts, 0.0) < UPDATE_EVERY_S:
                self.problems.append(f"the message {ts} is updated twice within a second")
            self._updated_at[ts] = call.at

    def _use_response_url(self, path: str, call: Call) -> HttpAnswer:
        url = self.workspace.response_urls.get(path)
        if url is not None:
            if url.n_uses >= RESPONSE_URL_USES:
                call.error = "used_url"
            elif self.workspace.clock() - url.made_at > RESPONSE_URL_S:
                call.error = "expired_url"
            url.n_uses += 1
        if call.error:
            return HttpAnswer(404, {"Content-Type": "text/plain"}, call.error.encode())
        refused = None if _only_deletes(call.arguments) else refusal_of_message(call.arguments)
        if refused is not None:
            call.error = refused.error
            return _json({"ok": False, "error": refused.error})
        self._look_at(call)
        methods_chat.answer_by_response_url(self.workspace, url, call.arguments)
        return HttpAnswer(200, {"Content-Type": "text/plain"}, b"ok")


def _only_deletes(arguments: Json) -> bool:
    return bool(arguments.get("delete_original")) and not arguments.get("text")


def _read(url: str, raw: bytes, content_type: str) -> tuple[str, Json]:
    """Path and arguments of a request, whether they came as JSON, as a form or in the query."""
    parts = urlsplit(url)
    body = json.loads(raw or b"{}") if "json" in content_type else dict(parse_qsl(raw.decode(), True))
    arguments = {**body, **dict(parse_qsl(parts.query, keep_blank_values=True))}
    for name in _JSON_ARGUMENTS & arguments.keys():
        if isinstance(arguments[name], str) and arguments[name][:1] in {"{", "["}:
            arguments[name] = json.loads(arguments[name])
    return parts.path, arguments


def _json(body: Json, headers: dict[str, str] | None = None) -> HttpAnswer:
    return HttpAnswer(200, {"Content-Type": "application/json", **(headers or {})}, json.dumps(body).encode())


def _failed(failure: Failure) -> HttpAnswer | None:
    if failure.is_dropped:
        return None
    return HttpAnswer(failure.status, {"Content-Type": "application/json", **failure.headers}, failure.answer)
