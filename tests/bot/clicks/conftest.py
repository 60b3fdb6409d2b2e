"""An answer and a refusal to click on, the folder they come from, and where clicks are answered."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.contrib.auth.hashers import make_password

from bot.phrases import ENGLISH
from console.people.models import User
from console.questions.models import (
    Citation,
    Question,
    QuestionState,
)
from console.sources.models import Document, Folder
from tests.bot.fake_slack import FakeSlack
from tests.bot.payloads import TEAM

LIMIT = "The nightly hotel limit is 180 EUR."
OTHER = "U00000USR02"
Asked = Callable[..., Question]
PROBLEMS = ENGLISH.replies.problems


@pytest.fixture(autouse=True)
def people(slack: FakeSlack) -> None:
    slack.knows(OTHER)


@pytest.fixture
def travel(transactional_db: None) -> Folder:
    return Folder.objects.create(name="Travel", is_open=True)


@pytest.fixture
def document(travel: Folder) -> Document:
    return Document.objects.create(
        folder=travel, name="travel.md", title="Travel policy", sha256="0" * 64, size_bytes=1
    )


@pytest.fixture
def answered(slack: FakeSlack, finished: Asked, travel: Folder, document: Document) -> Asked:
    """An answer from Travel that stands in the channel."""

    def make(**options: object) -> Question:
        question = finished(LIMIT, folder_ids=[travel.pk], **options)
        Citation.objects.filter(answer__question=question).update(folder_id=travel.pk, document=document)
        return question

    return make


@pytest.fixture
def refused(slack: FakeSlack, finished: Asked, travel: Folder, document: Document) -> Asked:
    def make(**options: object) -> Question:
        near = {
            "document_id": document.pk,
            "folder_id": travel.pk,
            "sha256": "0" * 64,
            "title": "Travel policy",
            "label": "Flights",
            "start": 0,
            "end": 20,
            "distance": 0.58,
            "relevance": None,
            "excerpt": "Flights are booked in economy.",
        }
        return finished(
            outcome=QuestionState.REFUSED,
            reason="Nothing was close enough.",
            distance_cut=0.52,
            folder_ids=[travel.pk],
            nearest=[near],
            **options,
        )

    return make


@pytest.fixture
def url(slack: FakeSlack) -> str:
    return f"{slack.url}/commands/T1/1/click"


def person(name: str, slack_user_id: str = "", **fields: object) -> User:
    return User.objects.create(
        username=name,
        password=make_password(None),
        slack_team_id=TEAM if slack_user_id else "",
        slack_user_id=slack_user_id,
        **fields,
    )


def told(slack: FakeSlack) -> list[str]:
    """What was told to whoever clicked."""
    return slack.replies


def close(folder: Folder) -> None:
    Folder.objects.filter(pk=folder.pk).update(is_open=False)
