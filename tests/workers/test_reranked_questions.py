"""A question with the packaged reranker: which number decided is on the record, on the page and in what is told."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.test import Client

from bot.answers import answer_view
from bot.messages import messages_of
from bot.phrases import ENGLISH, GERMAN
from console import engine
from console.index.selectors import active_version
from console.index.services import set_threshold
from console.people.models import User
from console.questions.models import Answer, QuestionState
from console.questions.services import answer_of, answer_question, ask_question
from console.sources import ingest
from console.sources.models import Folder
from tests.workers.conftest import HOTELS, upload

pytestmark = pytest.mark.model
QUESTION = "What is the nightly hotel limit in capital cities?"


@pytest.fixture(autouse=True)
def reranked(
    settings: object,
    monkeypatch: pytest.MonkeyPatch,
    data_folder: object,
    sent: list,
    admin: User,
    folder: Folder,
) -> None:
    settings.RERANKER = "footnote-relevance"
    monkeypatch.setattr(engine, "_reranker", None)
    ingest.ingest_document(upload(admin, folder, "policy.md", HOTELS).pk)


def answered(actor: User, text: str) -> Answer:
    question = ask_question(actor=actor, text=text)
    answer_question(str(question.pk))
    answer = answer_of(question)
    assert answer is not None
    return answer


def test_relevance_decides_and_is_on_the_record(admin: User) -> None:
    answer = answered(admin, QUESTION)
    assert answer.outcome == QuestionState.ANSWERED
    assert "180 EUR" in answer.text
    assert (answer.gate_score, answer.cut) == ("relevance", engine.config().relevance_cut)
    assert answer.best_score == answer.best_relevance >= answer.cut
    assert answer.reranker.startswith("footnote-relevance/")
    assert all(citation.relevance >= answer.cut for citation in answer.citations.all())
    candidates = answer.trace["candidates"]
    scores = [candidate["rerank_score"] for candidate in candidates]
    assert scores == sorted(scores, reverse=True)
    assert max(candidate["relevance"] for candidate in candidates) >= answer.best_relevance


def test_a_refusal_tells_the_number_it_fell_short_with(admin: User, client: Client) -> None:
    set_threshold(
        actor=admin,
        version=active_version(),
        distance_cut=2.0,
        relevance_cut=1.0,
        max_chunks=4,
        reason="Nothing may pass.",
    )
    answer = answered(admin, QUESTION)
    assert (answer.outcome, answer.reason_code) == (QuestionState.REFUSED, "below_threshold")
    assert (answer.relevance_cut, answer.gate_score) == (1.0, "relevance")
    assert answer.best_relevance < 1.0
    assert answer.nearest[0]["relevance"] == answer.best_relevance
    (message,) = messages_of(answer_view(answer.question))
    assert f"relevance {answer.best_relevance:.2f}; needed 1.00" in message.text
    client.force_login(admin)
    for page in (f"/questions/{answer.question_id}", "/refusals", "/questions"):
        assert f"{answer.best_relevance:.3f}" in client.get(page).content.decode()


def test_out_of_time_the_distance_decides_and_the_trace_says_so(
    admin: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = engine.index_of(active_version())
    hurried = replace(index, config=replace(index.config, rerank_time_s=-1.0))
    monkeypatch.setattr(engine, "index_of", lambda version: hurried)
    answer = answered(admin, QUESTION)
    assert (answer.gate_score, answer.relevance_cut, answer.best_relevance) == ("distance", None, None)
    stages = {stage["name"]: stage["detail"] for stage in answer.trace["stages"]}
    assert stages["rerank"]["degraded"] is True
    assert stages["gate"]["score"] == "distance"
    assert (answer.reranker, answer.degrades) == ("", ("rerank",))


HURRIED = "I ran out of time before I had read all passages closely."
AGAIN = "Ask again in a moment: it may end otherwise."
HURRIED_GERMAN = "Die Zeit reichte nicht, um alle Stellen genau zu lesen."
AGAIN_GERMAN = "Frag gleich noch einmal: Es kann anders ausgehen."


@pytest.mark.parametrize("distance_cut", [2.0, 0.0], ids=["answered", "refused"])
def test_who_reads_it_is_told_that_it_was_decided_in_a_hurry(
    admin: User, client: Client, monkeypatch: pytest.MonkeyPatch, distance_cut: float
) -> None:
    index = engine.index_of(active_version())
    hurried = replace(index, config=replace(index.config, rerank_time_s=-1.0, evidence_floor=0.0))
    monkeypatch.setattr(engine, "index_of", lambda version: hurried)
    set_threshold(
        actor=admin,
        version=active_version(),
        distance_cut=distance_cut,
        relevance_cut=0.6,
        max_chunks=4,
        reason="All or nothing passes.",
    )
    answer = answered(admin, QUESTION)
    is_refused = distance_cut == 0.0
    assert answer.outcome == (QuestionState.REFUSED if is_refused else QuestionState.ANSWERED)
    for phrases, told in ((ENGLISH, f"{HURRIED} {AGAIN}"), (GERMAN, f"{HURRIED_GERMAN} {AGAIN_GERMAN}")):
        (message,) = messages_of(answer_view(answer.question, phrases))
        assert told in message.plain
        assert "relevance" not in message.plain.lower()
        assert "Relevanz" not in message.plain
    client.force_login(admin)
    page = client.get(f"/questions/{answer.question_id}").content.decode()
    assert f"{HURRIED} {AGAIN}" in page
    shown = client.get(f"/api/v1/questions/{answer.question_id}").json()
    assert (shown["degraded"], shown["degraded_note"]) == (["rerank"], f"{HURRIED} {AGAIN}")
    assert (shown["gate_score"], shown["best_relevance"], shown["relevance_cut"]) == ("distance", None, None)
    assert shown["what_you_can_do"][:1] == ([AGAIN] if is_refused else [])


def test_in_peace_nothing_of_a_hurry_is_told(admin: User, client: Client) -> None:
    answer = answered(admin, QUESTION)
    (message,) = messages_of(answer_view(answer.question))
    client.force_login(admin)
    page = client.get(f"/questions/{answer.question_id}").content.decode()
    assert answer.degrades == ()
    assert not any(AGAIN in text for text in (message.plain, page))
