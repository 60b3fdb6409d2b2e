"""Progress of runs reaches the pages of those who may see the set, and of nobody else."""

from __future__ import annotations

import pytest
from asgiref.sync import sync_to_async

from console import sockets
from console.evaluation.models import GoldenSet
from tests.console.conftest import World, golden_set
from tests.console.test_live import connected, tell

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.asyncio]


@pytest.fixture
def world(transactional_db: None, world: World) -> World:
    return world


@pytest.fixture
def pay(world: World) -> GoldenSet:
    return golden_set("Pay", world.closed)


async def test_runs_of_visible_sets_only(world: World, pay: GoldenSet) -> None:
    viewer, lead, admin = [await connected(user) for user in (world.viewer, world.lead, world.admin)]
    hidden = {"kind": "run", "id": 7, "set": pay.pk, "state": "running", "done": 1, "total": 4}
    await tell(sockets.EVALUATIONS, **hidden)
    assert await admin.receive_json() == hidden
    shown = hidden | {"id": world.run.pk, "set": world.golden.pk}
    await tell(sockets.EVALUATIONS, **shown)
    assert await admin.receive_json() == shown
    assert await lead.receive_json() == shown, "the hidden one was not sent before"
    assert await viewer.receive_nothing()
    for socket in (viewer, lead, admin):
        await socket.leave()


async def test_a_set_made_a_moment_ago_is_known(world: World) -> None:
    lead = await connected(world.lead)
    made = await sync_to_async(golden_set)("New", world.travel)
    message = {"kind": "run", "id": 9, "set": made.pk, "state": "queued", "done": 0, "total": 1}
    await tell(sockets.EVALUATIONS, **message)
    assert await lead.receive_json() == message
    await lead.leave()
