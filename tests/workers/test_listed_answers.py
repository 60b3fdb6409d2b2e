"""A numbered procedure in an answer: no step is hidden, and what is left out is said outside of the quotes."""

from __future__ import annotations

import pytest
from django.test import Client

from bot.answers import answer_view
from bot.messages import messages_of
from bot.phrases import ENGLISH, GERMAN
from console import storage
from console.people.models import User
from console.questions.models import QuestionState
from console.questions.services import answer_of, answer_question, ask_question
from console.sources import ingest
from console.sources.models import Folder
from tests.workers.conftest import upload

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("data_folder", "sent")]
STEPS = [
    "1. Open the flap of the printer that blinks.",
    "2. Pull the jammed paper out, never backwards.",
    "3. Close all flaps of the printer.",
    "4. Switch the printer off and count to thirty.",
    "5. Write a ticket with the number on the blue sticker.",
]
GUIDE = "PRINTERS\n\nClearing a paper jam\n\n" + "\n".join(STEPS) + "\n"
MORE = "(The list has 1 more item; see the source.)"
MORE_GERMAN = "(Die Liste hat 1 weiteren Punkt; siehe die Quelle.)"


def test_a_procedure_is_told_in_order_and_what_is_left_out_is_said(
    admin: User, folder: Folder, client: Client
) -> None:
    document = ingest.ingest_document(upload(admin, folder, "printers.txt", GUIDE.encode()).pk)
    question = ask_question(
        actor=admin, text="How do I open the flap of the printer that blinks and pull the jammed paper out?"
    )
    answer_question(str(question.pk))
    answer = answer_of(question)
    assert answer is not None
    assert answer.outcome == QuestionState.ANSWERED, answer.reason
    assert [sentence["text"] for sentence in answer.sentences] == STEPS[:4]
    assert [sentence.get("n_more", 0) for sentence in answer.sentences] == [0, 0, 0, 1]
    canonical = storage.load_canonical(document.canonical_sha256).text
    for citation in answer.citations.all():
        assert canonical[citation.start : citation.end] == citation.quote
        assert MORE not in citation.quote
    for phrases, more in ((ENGLISH, MORE), (GERMAN, MORE_GERMAN)):
        (message,) = messages_of(answer_view(answer.question, phrases))
        assert f"{STEPS[2]} [3]\n{STEPS[3]} [4] _{more}_" in message.plain
        assert message.plain.count(more) == 1
    client.force_login(admin)
    page = client.get(f"/questions/{answer.question_id}").content.decode()
    assert page.count(MORE) == 1
    shown = client.get(f"/api/v1/questions/{answer.question_id}").json()["sentences"]
    assert [sentence["more"] for sentence in shown] == ["", "", "", MORE]


CARTRIDGE = [
    f"{n}. Lift part {n} of the cartridge with both hands, turn it as the label in the lid shows and wait for it."
    for n in range(1, 9)
]
GOES_ON = "(The list goes on in the document; see the source.)"
GOES_ON_GERMAN = "(Die Liste geht im Dokument weiter; siehe die Quelle.)"


def test_a_procedure_longer_than_a_passage_is_told_as_going_on_everywhere(
    admin: User, folder: Folder, client: Client
) -> None:
    guide = "PRINTERS\n\nReplacing the cartridge\n\nTo replace the cartridge of the printer:\n" + "\n".join(
        CARTRIDGE
    )
    ingest.ingest_document(upload(admin, folder, "cartridge.txt", guide.encode()).pk)
    question = ask_question(actor=admin, text="How do I replace the cartridge of the printer?")
    answer_question(str(question.pk))
    answer = answer_of(question)
    assert answer is not None
    assert answer.outcome == QuestionState.ANSWERED, answer.reason
    assert not any("n_more" in sentence for sentence in answer.sentences)
    noted = [sentence for sentence in answer.sentences if sentence.get("list_rest") == "goes_on"]
    n_gaps = sum(bool(sentence.get("is_after_gap")) for sentence in answer.sentences)
    assert noted
    assert noted[-1] == answer.sentences[-1]
    for phrases, more in ((ENGLISH, GOES_ON), (GERMAN, GOES_ON_GERMAN)):
        (message,) = messages_of(answer_view(answer.question, phrases))
        assert message.plain.count(f"_{more}_") == len(noted)
        assert message.plain.count("…") == n_gaps
    client.force_login(admin)
    assert client.get(f"/questions/{answer.question_id}").content.decode().count(GOES_ON) == len(noted)
    shown = client.get(f"/api/v1/questions/{answer.question_id}").json()["sentences"]
    assert shown[-1]["more"] == GOES_ON
    assert [bool(each["gap"]) for each in shown].count(True) == n_gaps
