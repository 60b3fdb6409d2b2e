"""A data folder a test, the real model once a session, and a queue whose messages are seen."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.db import connections

import rag
from console import engine, queue
from console.people.models import Role, User
from console.people.services import create_user
from console.sources.models import Document, Folder
from console.sources.services import create_folder
from console.sources.uploads import upload_document


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int | str]]:
    """Messages handed to the workers, as (task name, id); nothing runs them by itself."""
    messages: list[tuple[str, int | str]] = []
    monkeypatch.setattr(queue, "_send", lambda name, argument: messages.append((name, argument)))
    return messages


@pytest.fixture
def data_folder(
    tmp_path: Path, settings: object, monkeypatch: pytest.MonkeyPatch, real_embedder: rag.Embedder
) -> Iterator[Path]:
    """An empty data folder; its vector store is closed afterwards."""
    settings.HOME = tmp_path
    engine.close()
    monkeypatch.setattr(engine, "embedder", lambda model: real_embedder)
    yield tmp_path
    engine.close()


@pytest.fixture
def admin(transactional_db: None) -> User:
    return create_user(actor=None, username="ada", password="correct horse", role=Role.ADMIN)


@pytest.fixture
def folder(admin: User) -> Folder:
    return create_folder(actor=admin, name="Travel", is_open=True)


def in_a_reader(change: Callable[[], object]) -> None:
    """Change the database from whatever thread reads files; it must not keep its connection."""
    try:
        change()
    finally:
        if threading.current_thread() is not threading.main_thread():
            connections.close_all()


def upload(actor: User, folder: Folder, name: str, body: bytes) -> Document:
    return upload_document(actor=actor, folder=folder, name=name, pieces=[body]).document


HOTELS = b"""# Travel policy

## Hotels

The nightly hotel limit in capital cities is 180 EUR. Above it you need your lead's written approval before booking.

## Trains

Book second class for journeys under three hours. First class is allowed above that.
"""

LAPTOPS = b"""# Laptops

Every employee gets a new laptop after 42 months. The old one goes back to the depot in Rotterdam.
"""
