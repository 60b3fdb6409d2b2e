"""The ASGI application: pages and API by Django, live messages by Channels."""

from __future__ import annotations

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")
django_application = get_asgi_application()

from channels.auth import AuthMiddlewareStack  # noqa: E402 - needs the loaded settings
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402

from console.consumers import socket_urls  # noqa: E402
from console.origin import SameOrigin  # noqa: E402

application = ProtocolTypeRouter(
    {
        "http": django_application,
        "websocket": SameOrigin(AuthMiddlewareStack(URLRouter(socket_urls))),
    }
)
