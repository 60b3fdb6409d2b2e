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
