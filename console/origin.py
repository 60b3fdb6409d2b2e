"""Which pages may open the live socket."""

from __future__ import annotations

from typing import Any
from urllib.parse import SplitResult, urlsplit

from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.http.request import split_domain_port, validate_host

DEFAULT_PORTS = {"http": 80, "https": 443}


class SameOrigin:
    """Lets a socket through only from a page of the host and port it is opened on, or a trusted origin.

    Channels' own validator compares names and leaves the port out: any page of another program on
    this machine could then listen with the person's cookies.
    """

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Hand over, or deny the handshake."""
        headers = {name.lower(): value.decode("latin1") for name, value in scope.get("headers", [])}
        is_ours = is_own_origin(headers.get(b"origin", ""), headers.get(b"host", ""))
        await (self.application if is_ours else WebsocketDenier())(scope, receive, send)


def is_own_origin(origin: str, host: str) -> bool:
    """True when `origin` (of the page) is `host` (of the socket), which must be an allowed one."""
    if origin in settings.CSRF_TRUSTED_ORIGINS:
        return True
    try:
        page = urlsplit(origin)
        here = urlsplit(f"{page.scheme}://{host}")
        is_same = page.hostname is not None and _place(page) == _place(here)
    except ValueError:
        return False
    return is_same and validate_host(split_domain_port(host)[0], settings.ALLOWED_HOSTS)


def _place(url: SplitResult) -> tuple[str | None, int | None]:
    return url.hostname, url.port or DEFAULT_PORTS.get(url.scheme)
