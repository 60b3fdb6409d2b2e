"""A message shows what its readers may see when it is posted, not when it was made."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.utils import timezone

import rag
from bot.phrases import ENGLISH
from console import storage
from console.channels.models import DeliveryState, SlackChannel
from console.questions import wording
from console.questions.models import Answer, Citation, Question, QuestionState, Surface
from console.sources.models import Document, DocumentState, Folder
from rag.extract.registry import extract_in_process
from tests.bot.fake_slack import Failure, FakeSlack
from tests.bot.limits import texts_of
from tests.bot.payloads import CHANNEL, TEAM
from tests.bot.test_delivery import deliver, make_due

LIMIT = "The nightly hotel limit is 180 EUR."
Waiting = Callable[..., Question]


@pytest.fixture
def travel(transactional_db: None) -> Folder:
    return Folder.objects.create(name="Travel", is_open=True)


@pytest.fixture
def waiting(slack: FakeSlack, finished: Callable[..., Question], travel: Folder) -> Waiting:
    """An answer from the folder Travel whose first try met a Slack that is away."""

    def make(*, n_sentences: int = 1, **options: object) -> Question:
        question = finished(*[LIMIT] * n_sentences, folder_ids=[travel.pk], **options)
        Citation.objects.update(folder_id=travel.pk)
        slack.script("chat.postMessage", Failure(error="internal_error"))
        slack.script("response_url", Failure(status=503))
        assert deliver(question).state == DeliveryState.POSTING
        make_due(question)
        return question

    return make


def shown(slack: FakeSlack) -> str:
    return "\n".join(text for message in slack.posts + slack.private_messages for text in texts_of(message))


def close(folder: Folder) -> None:
    Folder.objects.filter(pk=folder.pk).update(is_open=False)


def test_an_open_folder_is_quoted(slack: FakeSlack, waiting: Waiting) -> None:
    assert deliver(waiting()).state == DeliveryState.DELIVERED
    assert "180 EUR" in shown(slack)


@pytest.mark.parametrize("surface", [Surface.SLACK_MENTION, Surface.SLACK_DM])
def test_a_folder_that_was_closed_meanwhile_is_not(
    slack: FakeSlack, waiting: Waiting, travel: Folder, surface: Surface
) -> None:
    question = waiting(surface=surface)
    close(travel)
    assert deliver(question).state == DeliveryState.DELIVERED
    assert len(slack.posts) == 1
    assert wording.NOT_ALLOWED_CHOSEN in shown(slack)
    assert "180 EUR" not in shown(slack)
    assert "Travel policy" not in shown(slack)


def test_a_channel_that_was_given_other_folders_is_not_shown_the_former(
    slack: FakeSlack, waiting: Waiting
) -> None:
    question = waiting()
    channel = SlackChannel.objects.create(team_id=TEAM, channel_id=CHANNEL)
    channel.folders.add(Folder.objects.create(name="Other"))
    deliver(question)
    assert "180 EUR" not in shown(slack)


def test_outsiders_are_told_that_they_are_the_reason(
    slack: FakeSlack, waiting: Waiting, travel: Folder
) -> None:
    question = waiting()
    Question.objects.update(is_external=True)
    deliver(question)
    assert wording.NOT_ALLOWED_EXTERNAL in shown(slack)
    assert "180 EUR" not in shown(slack)


def test_a_document_that_was_moved_to_a_closed_folder_is_not_quoted(
    slack: FakeSlack, waiting: Waiting
) -> None:
    question = waiting()
    closed = Folder.objects.create(name="Board")
    Citation.objects.update(document=Document.objects.create(folder=closed, name="travel.md", size_bytes=1))
    deliver(question)
    assert "180 EUR" not in shown(slack)


def test_a_source_of_unknown_folder_counts_as_one_of_any_that_was_searched(
    slack: FakeSlack, waiting: Waiting, travel: Folder
) -> None:
    question = waiting()
    Citation.objects.update(folder_id=None)
    close(travel)
    deliver(question)
    assert "180 EUR" not in shown(slack)


def test_closing_a_folder_that_was_only_searched_hides_no_answer(
    slack: FakeSlack, waiting: Waiting, travel: Folder
) -> None:
    question = waiting()
    Answer.objects.update(folder_ids=[travel.pk, travel.pk + 1])
    deliver(question)
    assert "180 EUR" in shown(slack)


def test_a_refusal_no_longer_names_what_is_closed(slack: FakeSlack, waiting: Waiting, travel: Folder) -> None:
    question = waiting(
        outcome=QuestionState.REFUSED,
        reason="Nothing was close enough.",
        distance_cut=0.52,
        nearest=[{"title": "Travel policy", "label": "Flights", "distance": 0.58}],
        unreadable=[{"folder": "Travel", "count": 2}],
    )
    close(travel)
    deliver(question)
    assert "Nothing was close enough." in shown(slack)
    assert "Travel" not in shown(slack)


def test_what_the_asker_alone_sees_is_checked_too(slack: FakeSlack, waiting: Waiting, travel: Folder) -> None:
    question = waiting(surface=Surface.SLACK_COMMAND, ts="cmd-1", response_url=f"{slack.url}/commands/T1/1/x")
    close(travel)
    deliver(question)
    assert len(slack.private_messages) == 1
    assert "180 EUR" not in shown(slack)


def test_a_refusal_names_no_document_that_lies_in_a_closed_folder_by_now(
    slack: FakeSlack, finished: Callable[..., Question], travel: Folder
) -> None:
    document = Document.objects.create(folder=travel, name="travel.md", title="Board minutes", size_bytes=1)
    near = {"document_id": document.pk, "folder_id": travel.pk, "sha256": "0" * 64, "title": "Board minutes"}
    more = {"label": "Pay", "distance": 0.58, "start": 0, "end": 1, "quote": "x"}
    question = finished(outcome=QuestionState.REFUSED, folder_ids=[travel.pk], nearest=[{**near, **more}])
    Document.objects.update(folder=Folder.objects.create(name="Board"))
    deliver(question)
    assert slack.posts
    assert "Board minutes" not in shown(slack)


def delete() -> None:
    Document.objects.update(deleted_at=timezone.now())


def purge() -> None:
    Document.objects.all().delete()


def leave_out() -> None:
    Document.objects.update(
        state=DocumentState.LEFT_OUT, reason_code="disabled", reason="Disabled.", next_step="Enable it."
    )


def replace() -> None:
    Document.objects.update(sha256="1" * 64, canonical_sha256=text_of("A limit of 200 EUR holds now."))


def text_of(text: str) -> str:
    """Where a document's text is kept that says this."""
    path, _ = storage.store_original([text.encode()])
    limits = rag.ExtractionLimits()
    return storage.store_canonical(
        extract_in_process(storage.original_path(path), filename="travel.txt", limits=limits)
    )


GONE = pytest.mark.parametrize("go", [delete, purge, leave_out, replace])


@GONE
@pytest.mark.parametrize("surface", [Surface.SLACK_MENTION, Surface.SLACK_DM, Surface.SLACK_COMMAND])
def test_words_of_a_document_that_went_meanwhile_are_not_posted(
    slack: FakeSlack, waiting: Waiting, data_folder: object, go: Callable[[], None], surface: Surface
) -> None:
    question = waiting(surface=surface, response_url=f"{slack.url}/commands/T1/1/x")
    go()
    assert deliver(question).state == DeliveryState.DELIVERED
    assert ENGLISH.sources_changed in shown(slack)
    assert "180 EUR" not in shown(slack)
    assert "Travel policy" not in shown(slack)


def test_words_that_still_stand_in_the_new_bytes_are_posted(
    slack: FakeSlack, waiting: Waiting, data_folder: object
) -> None:
    question = waiting()
    Citation.objects.update(start=0, end=21, quote="The limit is 180 EUR.")
    Document.objects.update(sha256="1" * 64, canonical_sha256=text_of("The limit is 180 EUR. And more."))
    deliver(question)
    assert "180 EUR" in shown(slack)


@GONE
def test_a_refusal_names_no_document_that_went_meanwhile(
    slack: FakeSlack, finished: Waiting, travel: Folder, data_folder: object, go: Callable[[], None]
) -> None:
    document = Document.objects.create(folder=travel, name="b.md", sha256="0" * 64, size_bytes=1)
    near = {"document_id": document.pk, "folder_id": travel.pk, "sha256": "0" * 64, "title": "Board minutes"}
    more = {"label": "Pay", "distance": 0.58, "start": 0, "end": 1, "quote": "x"}
    question = finished(
        outcome=QuestionState.REFUSED,
        folder_ids=[travel.pk],
        nearest=[{**near, **more}],
        distance_cut=0.52,
        reason="Nothing was close enough.",
    )
    go()
    deliver(question)
    assert "Nothing was close enough." in shown(slack)
    assert "Board minutes" not in shown(slack)
