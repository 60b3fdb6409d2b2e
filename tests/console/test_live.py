"""The socket forwards ids of what its person may see, and nothing else."""

from __future__ import annotations

import json

import pytest
from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator
from channels.layers import get_channel_layer
from channels.routing import URLRouter
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.backends.db import SessionStore

from console import consumers, sockets
from console.consumers import SIGNED_OUT, socket_urls
from console.origin import SameOrigin
from console.people.models import User
from tests.console.conftest import World

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio]


@pytest.fixture
def world(transactional_db: None, world: World) -> World:
    return world


class Socket(ApplicationCommunicator):
    """What `channels.testing` offers, which cannot be imported without Daphne."""

    async def receive_json(self) -> dict[str, object]:
        return json.loads((await self.receive_output())["text"])

    async def leave(self) -> None:
        await self.send_input({"type": "websocket.disconnect", "code": 1000})
        await self.wait()


def session_of(user: User | AnonymousUser) -> SessionBase:
    """A session as a sign-in leaves it."""
    session = SessionStore()
    if user.is_authenticated:
        session[SESSION_KEY] = str(user.pk)
        session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
        session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        session.create()
    return session


async def connected(user: User | AnonymousUser, session: SessionBase | None = None) -> Socket:
    scope = {
        "type": "websocket",
        "path": "/live/",
        "query_string": b"",
        "headers": [],
        "subprotocols": [],
        "user": user,
        "session": session or await sync_to_async(session_of)(user),
    }
    socket = Socket(URLRouter(socket_urls), scope)
    await socket.send_input({"type": "websocket.connect"})
    assert (await socket.receive_output())["type"] == "websocket.accept"
    return socket


async def tell(group: str, **payload: object) -> None:
    await get_channel_layer().group_send(group, {"type": "live.message", "payload": payload})


async def test_nobody_is_closed_with_a_code_the_page_understands(world: World) -> None:
    socket = await connected(AnonymousUser())
    assert (await socket.receive_output()) == {"type": "websocket.close", "code": SIGNED_OUT}


async def test_documents_of_visible_folders_only(world: World) -> None:
    viewer, admin = await connected(world.viewer), await connected(world.admin)
    hidden = {"kind": "document", "id": world.salaries.pk, "folder": world.closed.pk, "state": "indexed"}
    shown = {"kind": "document", "id": world.policy.pk, "folder": world.travel.pk, "state": "indexed"}
    await tell(sockets.DOCUMENTS, **hidden)
    await tell(sockets.DOCUMENTS, **shown)
    assert await viewer.receive_json() == shown
    assert await viewer.receive_nothing()
    assert [await admin.receive_json(), await admin.receive_json()] == [hidden, shown]
    await viewer.leave()
    await admin.leave()


async def test_a_folder_made_after_the_page_was_opened_counts(world: World) -> None:
    viewer = await connected(world.viewer)
    await sync_to_async(world.closed.members.add)(world.viewer)
    message = {"kind": "document", "id": 1, "folder": world.closed.pk, "state": "queued"}
    await tell(sockets.DOCUMENTS, **message)
    assert await viewer.receive_json() == message
    await viewer.leave()


async def test_questions_of_others_only_for_support_leads(world: World) -> None:
    viewer, lead = await connected(world.viewer), await connected(world.lead)
    own = {"kind": "question", "id": str(world.answered.pk), "state": "answered"}
    of_lead = {"kind": "question", "id": str(world.refused.pk), "state": "refused"}
    await tell(sockets.QUESTIONS, **of_lead)
    await tell(sockets.QUESTIONS, **own)
    assert await viewer.receive_json() == own
    assert await viewer.receive_nothing()
    assert [await lead.receive_json(), await lead.receive_json()] == [of_lead, own]
    await viewer.leave()
    await lead.leave()


async def test_a_blocked_person_is_signed_out_of_open_pages(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(consumers, "RIGHTS_LAST_S", 0.0)
    viewer = await connected(world.viewer)
    await sync_to_async(User.objects.filter(pk=world.viewer.pk).update)(is_active=False)
    await tell(sockets.DOCUMENTS, kind="document", id=1, folder=world.travel.pk, state="queued")
    assert (await viewer.receive_output())["code"] == SIGNED_OUT
    await viewer.leave()


async def test_a_sign_out_ends_open_sockets(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumers, "RIGHTS_LAST_S", 0.0)
    session = await sync_to_async(session_of)(world.viewer)
    viewer = await connected(world.viewer, session)
    await sync_to_async(session.flush)()
    await tell(sockets.DOCUMENTS, kind="document", id=1, folder=world.travel.pk, state="queued")
    assert (await viewer.receive_output())["code"] == SIGNED_OUT
    await viewer.leave()


async def test_a_new_password_ends_open_sockets(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consumers, "RIGHTS_LAST_S", 0.0)
    viewer = await connected(world.viewer)
    world.viewer.set_password("another horse")
    await sync_to_async(world.viewer.save)()
    await tell(sockets.DOCUMENTS, kind="document", id=1, folder=world.travel.pk, state="queued")
    assert (await viewer.receive_output())["code"] == SIGNED_OUT
    await viewer.leave()


@pytest.mark.parametrize(
    ("origin", "host", "is_let_in"),
    [
        ("http://127.0.0.1:8000", "127.0.0.1:8000", True),
        ("http://127.0.0.1:9000", "127.0.0.1:8000", False),
        ("http://127.0.0.1", "127.0.0.1:8000", False),
        ("http://localhost:8000", "127.0.0.1:8000", False),
        ("http://localhost", "localhost:80", True),
        ("https://localhost", "localhost", True),
        ("https://localhost:443", "localhost", True),
        ("http://[::1]:8000", "[::1]:8000", True),
        ("http://evil.example", "evil.example", False),
        ("https://trusted.example", "127.0.0.1:8000", True),
        ("null", "127.0.0.1:8000", False),
        ("", "", False),
        ("http://127.0.0.1:port", "127.0.0.1:port", False),
        ("http://[", "[", False),
    ],
)
async def test_only_pages_of_this_host_and_port_may_listen(
    origin: str, host: str, is_let_in: bool, settings: object
) -> None:
    settings.ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]"]
    settings.CSRF_TRUSTED_ORIGINS = ["https://trusted.example"]
    reached: list[str] = []

    async def application(scope: object, receive: object, send: object) -> None:
        reached.append("application")

    headers = [(b"origin", origin.encode()), (b"host", host.encode())]
    scope = {"type": "websocket", "path": "/live/", "headers": headers}
    socket = Socket(SameOrigin(application), scope)
    await socket.send_input({"type": "websocket.connect"})
    if not is_let_in:
        assert (await socket.receive_output())["type"] == "websocket.close"
    await socket.wait()
    assert bool(reached) is is_let_in


async def test_what_a_page_sends_is_ignored(world: World) -> None:
    viewer = await connected(world.viewer)
    await viewer.send_input({"type": "websocket.receive", "text": '{"subscribe": "everything"}'})
    assert await viewer.receive_nothing()
    await viewer.leave()
