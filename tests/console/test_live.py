"""The socket forwards ids of what its person may see, and nothing else."""

from __future__ import annotations

import json

import pytest
from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator
from channels.layers import get_channel_layer
from channels.routing import URLRouter
from django.contrib.auth.models import AnonymousUser

from console import consumers, sockets
from console.consumers import SIGNED_OUT, socket_urls
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


async def connected(user: User | AnonymousUser) -> Socket:
    scope = {
        "type": "websocket",
        "path": "/live/",
        "query_string": b"",
        "headers": [],
        "subprotocols": [],
        "user": user,
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


async def test_what_a_page_sends_is_ignored(world: World) -> None:
    viewer = await connected(world.viewer)
    await viewer.send_input({"type": "websocket.receive", "text": '{"subscribe": "everything"}'})
    assert await viewer.receive_nothing()
    await viewer.leave()
