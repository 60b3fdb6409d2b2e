"""A workspace that stands in for Slack, and a queue that runs when told to."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from bot import agent
from bot.app import slack_app
from bot.channel_status import tell_status
from bot.clicks import tell_who_clicked
from bot.delivery import deliver_answer
from bot.home_tab import publish_home
from bot.notices import send_notice
from bot.statuses import show_status, take_down_statuses
from bot.threads import read_thread
from console import queue
from console.channels.models import SlackDelivery
from console.questions.models import Answer, Citation, Question, QuestionState, Surface
from console.questions.services import answer_question
from console.sources import ingest, upkeep
from console.sources.models import Document, Folder
from tests.bot.fake_slack import APP_TOKEN, BASE_URL, TOKEN, FakeSlack
from tests.bot.local_http import connect_by_call
from tests.bot.payloads import ASKER, CHANNEL, DM, SECRET, TEAM, TS
from tests.workers.conftest import (  # noqa: F401 - fixtures
    HOTELS,
    LAPTOPS,
    admin,
    data_folder,
    folder,
    sent,
    upload,
)

TASKS: dict[str, Callable] = {
    "footnote.ingest_document": ingest.ingest_document,
    "footnote.purge_document": upkeep.purge_document,
    "footnote.answer_question": partial(answer_question, read_thread=read_thread),
    "footnote.deliver_answer": deliver_answer,
    "footnote.send_notice": send_notice,
    "footnote.publish_home": publish_home,
    "footnote.show_status": show_status,
    "footnote.take_down_statuses": take_down_statuses,
    "footnote.tell_channel_status": tell_status,
    "footnote.tell_who_clicked": tell_who_clicked,
    "footnote.greet_agent_reader": agent.greet,
    "footnote.end_agent_session": agent.end_session,
}


@pytest.fixture(autouse=True)
def told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a click is answered with is at hand when it is acknowledged; `test_acknowledgement` looks at the queue."""
    monkeypatch.setattr(queue, "tell_who_clicked", tell_who_clicked)


@pytest.fixture
def slack(settings: object) -> Iterator[FakeSlack]:
    """The workspace; the test fails when something was sent that must not be."""
    fake = FakeSlack()
    settings.SLACK_API_URL = f"{fake.url}/api/"
    settings.SLACK_BOT_TOKEN = TOKEN
    settings.SLACK_APP_TOKEN = APP_TOKEN
    settings.SLACK_SIGNING_SECRET = SECRET
    settings.BASE_URL = BASE_URL
    # WhiteNoise warns about a missing folder, and warnings are errors here.
    Path(settings.STATIC_ROOT).mkdir(parents=True, exist_ok=True)
    slack_app.cache_clear()
    yield fake
    slack_app.cache_clear()
    fake.close()
    assert fake.problems == []


@pytest.fixture
def local_slack(settings: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeSlack]:
    """The workspace without sockets, and without what failing on purpose would log, for runs by the thousand."""
    fake = FakeSlack(is_served=False)
    settings.SLACK_API_URL = f"{fake.url}/api/"
    settings.SLACK_BOT_TOKEN, settings.SLACK_APP_TOKEN = TOKEN, APP_TOKEN
    settings.SLACK_SIGNING_SECRET = SECRET
    settings.BASE_URL = BASE_URL
    connect_by_call(monkeypatch, fake)
    slack_app.cache_clear()
    logging.disable(logging.CRITICAL)
    yield fake
    logging.disable(logging.NOTSET)
    slack_app.cache_clear()


@pytest.fixture
def work(sent: list) -> Callable[[], None]:  # noqa: F811 - the fixture
    """Run what is queued, and what that queues, until nothing is left."""

    def run() -> None:
        while sent:
            name, argument = sent.pop(0)
            TASKS[name](argument)

    return run


@pytest.fixture
def handbook(admin: object, folder: Folder, data_folder: object, work: Callable[[], None]) -> list[Document]:  # noqa: F811
    """Two documents in the real index, with the real model."""
    documents = [upload(admin, folder, "travel.md", HOTELS), upload(admin, folder, "laptops.md", LAPTOPS)]
    work()
    return documents


@pytest.fixture
def finished(transactional_db: None, sent: list) -> Callable[..., Question]:  # noqa: F811 - the fixture
    """Make a question that has its answer and is owed its message."""

    def make(
        *sentences: str,
        outcome: QuestionState = QuestionState.ANSWERED,
        surface: Surface = Surface.SLACK_MENTION,
        ts: str = TS,
        response_url: str = "",
        thread_ts: str = "",
        n_sources: int = 1,
        **answer: object,
    ) -> Question:
        channel = DM if surface == Surface.SLACK_DM else CHANNEL
        question = Question.objects.create(
            text="How much is the hotel limit?",
            surface=surface,
            state=outcome,
            slack_team_id=TEAM,
            slack_channel_id=channel,
            slack_user_id=ASKER,
            slack_ts=ts,
            slack_thread_ts=thread_ts,
        )
        SlackDelivery.objects.create(question=question, response_url=response_url)
        row = Answer.objects.create(
            question=question,
            outcome=outcome,
            sentences=[{"text": text, "citations": [1]} for text in sentences],
            **({} if outcome == QuestionState.ANSWERED else {"reason_code": "below_threshold"}),
            **answer,
        )
        if outcome == QuestionState.ANSWERED:
            document = _cited_document(row)
            Citation.objects.bulk_create(
                _citation(row, number, document) for number in range(1, n_sources + 1)
            )
        return question

    return make


def _cited_document(answer: Answer) -> Document:
    folder = (  # noqa: F811
        Folder.objects.filter(pk__in=answer.folder_ids).first()
        or Folder.objects.filter(is_open=True).order_by("pk").first()
        or Folder.objects.create(name="Cited", is_open=True, is_shared_externally=True)
    )
    document, _ = Document.objects.get_or_create(
        folder=folder, name="cited.md", deleted_at=None, defaults={"sha256": "0" * 64, "size_bytes": 1}
    )
    return document


def _citation(answer: Answer, number: int, document: Document) -> Citation:
    return Citation(
        answer=answer,
        number=number,
        document=document,
        document_name="travel.md",
        document_title="Travel policy",
        document_sha256=document.sha256,
        label="Hotels › Limits · page 4",
        locator={"page": 4, "heading_path": ["Hotels", "Limits"]},
        start=10,
        end=40,
        quote="The limit is 180 EUR.",
        distance=0.2,
    )
