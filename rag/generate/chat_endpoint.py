"""Answers by a model behind an OpenAI-compatible ``/chat/completions``: vLLM, Ollama, llama.cpp's server, hosted ones.

The server is not trusted: it may be slow, endless, down, over its limits or talk nonsense, and each of these ends
within the time limit in a draft or in one of our errors. HTTP is spoken through httpcore, because there each read
of the socket can be given the time that is left; the limits of the clients above it start anew with every byte
that trickles in. It reads no environment, follows no redirect (the key goes to one host) and unpacks nothing.
"""

from __future__ import annotations

import json
import re
import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from rag.errors import ModelDown, ModelRefused, ModelTimeout, RagError, RateLimited
from rag.generate.prompt import Message, build_prompt, estimated_tokens, read_completion
from rag.generate.protocol import Draft
from rag.types import RefusalReason, ScoredChunk

if TYPE_CHECKING:
    import ssl

    import httpcore

_HEADERS = [("Content-Type", "application/json"), ("User-Agent", "footnote")]
_GREEDY = {"temperature": 0, "seed": 0, "stream": False}
_BACKOFF_S = 0.25
_WRITTEN_BYTES = 65_536
_CHARS_PER_TOKEN = 8
"""Twice what English has: a longer text has passed the limit on tokens, whatever its server says."""


@dataclass(frozen=True, slots=True)
class ChatEndpoint:
    """Where a model answers, and what one answer may cost. The API key stands in no representation of it.

    Attributes:
        base_url: up to and without ``/chat/completions``, e.g. ``http://127.0.0.1:8000/v1``.
        model: as the server calls it.
        api_key: sent as a bearer token; empty sends none.
        time_limit_s: for an answer as a whole, waiting and retries included.
        context_tokens: of the model, prompt and answer together; a prompt is estimated at a token for 3 bytes.
        max_tokens: of an answer.
        max_response_bytes: of a response as it comes in.
        max_tries: requests for one answer.
        max_concurrent, requests_per_minute: under way at once, and begun within any 60 seconds, in this process.

    Raises:
        ValueError: a value cannot be used; the message says which one and never repeats an address or key.
    """

    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    time_limit_s: float = 20.0
    context_tokens: int = 8_192
    max_tokens: int = 512
    max_response_bytes: int = 262_144
    max_tries: int = 3
    max_concurrent: int = 4
    requests_per_minute: int = 60

    def __post_init__(self) -> None:
        address = urlsplit(self.base_url)
        if address.scheme not in ("http", "https") or not address.hostname or address.username is not None:
            raise ValueError("base_url has to be http://host/path or https://host/path, without a user name")
        address.hostname.encode("idna")  # what cannot be looked up would raise what is no OSError
        if address.port == 0 or not re.fullmatch(r"[!-\"$->@-~]+", self.base_url):
            raise ValueError("base_url has to be printable ASCII without spaces, ? or #")
        if not self.model.strip():
            raise ValueError("model is empty")
        # A line break in it would put the key into the text of an error about headers.
        if not re.fullmatch(r"[!-~]*", self.api_key):
            raise ValueError("api_key has to be printable ASCII without spaces")
        limits = {name: getattr(self, name) for name in self.__slots__[3:]}
        if wrong := ", ".join(name for name, value in limits.items() if not value > 0):
            raise ValueError(f"{wrong}: has to be more than 0")
        if self.max_tokens >= self.context_tokens:
            raise ValueError("context_tokens has to be more than max_tokens")


class ChatEndpointGenerator:
    """A `Generator` over a `ChatEndpoint`; greedy (temperature 0, a fixed seed). Safe to share between threads."""

    def __init__(self, endpoint: ChatEndpoint) -> None:
        """Nothing is sent yet. One instance for all questions: the limits on requests are its own."""
        self._endpoint = endpoint
        self._url = f"{endpoint.base_url.rstrip('/')}/chat/completions"
        self._slots = _Slots(endpoint.max_concurrent, endpoint.requests_per_minute)
        self._ssl_context: ssl.SSLContext | None = None

    @property
    def name(self) -> str:
        """See `Generator.name`."""
        return f"chat/{self._endpoint.model}"

    def generate(
        self, question: str, passages: tuple[ScoredChunk, ...], *, time_limit_s: float | None = None
    ) -> Draft:
        """See `Generator.generate`. The shorter of `time_limit_s` and the endpoint's own limit counts.

        Only looking up the host's name, and trying further addresses of it, can outlast it. Retried are 429 and
        503 (``Retry-After`` is obeyed), 500, 502 and broken connections, each only when the wait ends within the
        limit. An empty, filtered or refused answer is an abstention.
        """
        endpoint = self._endpoint
        limit_s = endpoint.time_limit_s if time_limit_s is None else min(time_limit_s, endpoint.time_limit_s)
        deadline = time.monotonic() + limit_s
        if not passages:
            return Draft((), RefusalReason.MODEL_ABSTAINED)
        budget = endpoint.context_tokens - endpoint.max_tokens
        prompt = build_prompt(question, passages, budget_tokens=budget, count_tokens=estimated_tokens)
        text, is_truncated = self._answer(self._body(prompt.messages), deadline)
        shown = passages[: prompt.n_passages]
        return read_completion(text, shown, n_left_out=prompt.n_left_out, is_truncated=is_truncated)

    def _body(self, messages: tuple[Message, ...]) -> bytes:
        asked = {"model": self._endpoint.model, "messages": [asdict(message) for message in messages]}
        return json.dumps({**asked, "max_tokens": self._endpoint.max_tokens, **_GREEDY}).encode()

    def _answer(self, body: bytes, deadline: float) -> tuple[str, bool]:
        """The model's text, and whether it was cut off; asked for again while that may help."""
        n_tries = 0
        while True:
            n_tries += 1
            try:
                with self._slots.taken(deadline):
                    answer = self._posted(body, deadline)
                return _text(answer, self._endpoint.max_tokens * _CHARS_PER_TOKEN)
            except _Passing as failure:
                wait_s = _BACKOFF_S * 2 ** (n_tries - 1) if failure.wait_s is None else failure.wait_s
                if isinstance(failure.error, RateLimited):
                    failure.error.retry_after_s = wait_s
                if n_tries >= self._endpoint.max_tries or time.monotonic() + wait_s >= deadline:
                    raise failure.error from failure
            time.sleep(wait_s)

    def _posted(self, body: bytes, deadline: float) -> bytes:
        """The body of a response with status 200."""
        import httpcore

        key = self._endpoint.api_key
        headers = [*_HEADERS, ("Authorization", f"Bearer {key}")] if key else _HEADERS
        try:
            # A connection for each request: nothing of an answer that was given up can be read as the next one.
            with (
                self._connected(deadline) as connection,
                connection.stream("POST", self._url, headers=headers, content=body) as response,
            ):
                if response.status != 200:
                    raise _failure(response.status, _retry_after_s(response.headers))
                return self._read(response)
        except httpcore.TimeoutException as exc:
            raise ModelTimeout("The model's server did not answer within the time limit.") from exc
        except (httpcore.NetworkError, httpcore.ProtocolError) as exc:
            raise _Passing(ModelDown("The connection to the model's server failed."), None) from exc

    def _connected(self, deadline: float) -> httpcore.HTTP11Connection:
        import httpcore

        url = httpcore.URL(self._url)
        host, port = url.host.decode(), url.port or (443 if url.scheme == b"https" else 80)
        stream = httpcore.SyncBackend().connect_tcp(host, port, timeout=_left_s(deadline))
        if url.scheme == b"https":
            self._ssl_context = self._ssl_context or httpcore.default_ssl_context()
            stream = stream.start_tls(self._ssl_context, host, timeout=_left_s(deadline))
        limited = cast("httpcore.NetworkStream", _Stream(stream, deadline))
        return httpcore.HTTP11Connection(origin=url.origin, stream=limited)

    def _read(self, response: httpcore.Response) -> bytes:
        body = bytearray()
        for part in response.iter_stream():
            body += part
            if len(body) > self._endpoint.max_response_bytes:
                raise ModelDown("The model's server sent a response over the limit on its size.")
        return bytes(body)


class _Passing(Exception):
    """A failure that another try may mend, after `wait_s` seconds where the server said so."""

    def __init__(self, error: RagError, wait_s: float | None) -> None:
        super().__init__(error.message)
        self.error = error
        self.wait_s = wait_s


def _failure(status: int, wait_s: float | None) -> RagError | _Passing:
    """What a status means. The body is not read: servers repeat parts of the key in it."""
    if status == 429:
        return _Passing(RateLimited("The model's server takes no more requests for now."), wait_s)
    error = ModelDown(f"The model's server failed with status {status}.")
    if status in (500, 502, 503):
        return _Passing(error, wait_s)
    if status >= 500 or status == 408:
        return error
    return ModelRefused(f"The model's server refused the request with status {status}.")


def _retry_after_s(headers: list[tuple[bytes, bytes]]) -> float | None:
    """Seconds that ``Retry-After`` (RFC 9110, 10.2.3: seconds or a date) asks for; None without a usable one."""
    told = next((value for name, value in headers if name.lower() == b"retry-after"), b"").strip()
    if re.fullmatch(rb"\d{1,9}(\.\d*)?", told):
        return float(told)
    try:
        moment = parsedate_to_datetime(told.decode("ascii"))
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def _text(body: bytes, max_chars: int) -> tuple[str, bool]:
    """The first choice's text, and whether it was cut off; empty where the model or a filter refused."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError) as exc:
        raise ModelDown("The model's server sent something that is not JSON.") from exc
    match answer:
        case {"choices": [{"message": {"content": str() | None as text} as message} as choice, *_]}:
            reason = choice.get("finish_reason")
        case _:
            raise ModelDown("The model's server sent JSON that is no chat completion.")
    if text is None or message.get("refusal") or reason == "content_filter":
        return "", False
    return text[:max_chars], reason == "length" or len(text) > max_chars


class _Slots:
    """At most so many requests at once, and so many within any minute."""

    def __init__(self, max_concurrent: int, per_minute: int) -> None:
        self._free = max_concurrent
        self._begun: deque[float] = deque(maxlen=per_minute)
        self._changed = threading.Condition()

    @contextmanager
    def taken(self, deadline: float) -> Iterator[None]:
        """One slot while inside; RateLimited when none comes free before the deadline."""
        with self._changed:
            self._wait(deadline)
            self._free -= 1
            self._begun.append(time.monotonic())
        try:
            yield
        finally:
            with self._changed:
                self._free += 1
                self._changed.notify_all()

    def _wait(self, deadline: float) -> None:
        while True:
            now = time.monotonic()
            is_full = len(self._begun) == self._begun.maxlen
            minute_s = max(0.0, self._begun[0] + 60.0 - now) if is_full else 0.0
            if self._free and not minute_s:
                return
            if now + minute_s >= deadline:
                raise RateLimited(
                    "Footnote's own limit on requests to the model is reached.",
                    next_step="Raise max_concurrent or requests_per_minute if the server bears more.",
                    retry_after_s=minute_s or 1.0,
                )
            self._changed.wait(min(minute_s or deadline - now, deadline - now))


class _Stream:
    """An `httpcore.NetworkStream` that ends at one moment; the limits its caller gives would start anew each time."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: float) -> None:
        self._stream = stream
        self._deadline = deadline
        self.close = stream.close
        self.get_extra_info = stream.get_extra_info

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002
        return self._stream.read(max_bytes, _left_s(self._deadline))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002
        for start in range(0, len(buffer), _WRITTEN_BYTES):
            self._stream.write(buffer[start : start + _WRITTEN_BYTES], _left_s(self._deadline))


def _left_s(deadline: float) -> float:
    import httpcore

    left_s = deadline - time.monotonic()
    if left_s <= 0:
        raise httpcore.TimeoutException
    return left_s
