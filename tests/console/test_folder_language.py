"""A folder's language: chosen in the form or by the API, checked once, and applied to what is there."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.test import Client

import rag
from console.access import Rejected
from console.sources.models import Document, DocumentState, ExtractionAttempt
from console.sources.services import create_folder, update_folder
from tests.console.conftest import World

As = Callable[..., Client]


def change(world: World, language: str | None) -> None:
    update_folder(
        actor=world.admin,
        folder=world.travel,
        is_open=True,
        is_shared_externally=False,
        description="",
        leaves_out_near_duplicates=False,
        language=language,
    )


def test_the_form_offers_the_languages_and_keeps_the_one_chosen(world: World, as_role: As) -> None:
    admin = as_role("admin")
    admin.post(f"/folders/{world.travel.pk}/edit", {"is_open": "on", "language": "norwegian"})
    page = admin.get(f"/folders/{world.travel.pk}/edit").content.decode()
    assert re.search(r'value="norwegian"\s+selected', page)
    assert len(re.findall("<option", page)) == len(rag.LANGUAGES)
    admin.post(f"/folders/{world.travel.pk}/edit", {"is_open": "on"})
    world.travel.refresh_from_db()
    assert world.travel.language == "norwegian"
    refused = admin.post(f"/folders/{world.travel.pk}/edit", {"is_open": "on", "language": "klingon"})
    assert refused.status_code == 422


def test_the_api_takes_a_language_and_says_which_there_are(world: World, as_role: As) -> None:
    admin = as_role("admin")
    made = admin.post("/api/v1/folders", {"name": "Avtaler", "language": "norwegian"}, "application/json")
    assert made.json()["language"] == "norwegian"
    assert admin.get(f"/api/v1/folders/{world.travel.pk}").json()["language"] == "english"
    unknown = admin.post("/api/v1/folders", {"name": "X", "language": "klingon"}, "application/json")
    assert unknown.status_code == 422
    assert unknown.json()["code"] == "language_unknown"
    assert "norwegian" in unknown.json()["detail"]


def test_another_language_queues_what_is_indexed_and_the_same_one_nothing(world: World) -> None:
    before = ExtractionAttempt.objects.count()
    change(world, None)
    change(world, "english")
    assert ExtractionAttempt.objects.count() == before
    indexed = set(
        Document.objects.filter(
            folder=world.travel, state__in=[DocumentState.INDEXED, DocumentState.PARTIAL], deleted_at=None
        ).values_list("pk", flat=True)
    )
    assert indexed
    change(world, "norwegian")
    queued = ExtractionAttempt.objects.filter(trigger="language")
    assert set(queued.values_list("document_id", flat=True)) == indexed
    assert set(Document.objects.filter(pk__in=indexed).values_list("state", flat=True)) == {"queued"}


def test_an_unknown_language_changes_nothing(world: World) -> None:
    with pytest.raises(Rejected, match="norwegian"):
        create_folder(actor=world.admin, name="New", language="klingon")
    with pytest.raises(Rejected):
        change(world, "klingon")
    world.travel.refresh_from_db()
    assert world.travel.language == "english"
