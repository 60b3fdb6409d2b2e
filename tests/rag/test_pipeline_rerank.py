from dataclasses import replace

import pytest

from rag.index import index_document
from rag.pipeline import answer, retrieve
from rag.types import Answered, RefusalReason, Refused, Scope, Thresholds
from tests.rag.fakes import ScriptedReranker

EVERYWHERE = Scope((7,))
QUESTION = "On which days may gulls be fed?"
PAGES = {
    1: ("Gulls", "Gulls may be fed on Fridays only."),
    2: ("Gull days", "On which days may gulls be fed is often asked."),
    3: ("Payroll", "Salaries are paid on the 25th of each month."),
}


@pytest.fixture
def full(index, handbook):
    for document_id, section in PAGES.items():
        index_document(index, handbook(section), document_id=document_id, folder_id=7, title="Handbook")
    return index


def ask(full, reranker, *, cut=0.5, distance_cut=2.0):
    return answer(
        QUESTION,
        index=full,
        scope=EVERYWHERE,
        thresholds=Thresholds(distance_cut, relevance_cut=cut),
        reranker=reranker,
    )


def documents(candidates):
    return [candidate.chunk.document_id for candidate in candidates]


def test_the_reranker_decides_the_order(full):
    plain = retrieve(QUESTION, index=full, scope=EVERYWHERE)
    turned = ScriptedReranker({"25th": 0.9, "Fridays": 0.5, "asked": 0.1})
    found = retrieve(QUESTION, index=full, scope=EVERYWHERE, reranker=turned)
    assert documents(plain) != documents(found) == [3, 1, 2]
    assert [candidate.relevance for candidate in found] == [0.9, 0.5, 0.1]
    assert {candidate.relevance for candidate in plain} == {None}


def test_only_the_head_of_the_list_is_read_and_the_rest_stays_behind(full):
    short = replace(full, config=replace(full.config, n_rerank=2))
    reranker = ScriptedReranker({"Fridays": 0.2, "asked": 0.1, "25th": 0.9})
    found = retrieve(QUESTION, index=short, scope=EVERYWHERE, reranker=reranker)
    assert len(reranker.read) == 2
    assert len(found) == 3
    assert found[-1].relevance is None
    assert documents(found)[-1] == documents(retrieve(QUESTION, index=full, scope=EVERYWHERE))[-1]


def test_relevance_alone_decides_at_the_gate(full):
    sure = ScriptedReranker({"Fridays": 0.5})
    result = ask(full, sure, cut=0.5, distance_cut=0.0)
    assert isinstance(result, Answered)
    assert (result.gate_score, result.best_relevance) == ("relevance", 0.5)
    assert {citation.relevance for citation in result.citations} == {0.5}
    refused = ask(full, sure, cut=0.5 + 1e-9, distance_cut=2.0)
    assert isinstance(refused, Refused)
    assert refused.reason == RefusalReason.BELOW_THRESHOLD
    assert (refused.gate_score, refused.best_relevance, refused.relevance_cut) == (
        "relevance",
        0.5,
        0.5 + 1e-9,
    )
    assert documents(refused.nearest)[0] == 1


def test_the_trace_holds_the_number_that_was_compared(full):
    stages = {
        stage.name: stage.detail for stage in ask(full, ScriptedReranker({"Fridays": 0.7})).trace.stages
    }
    assert stages["rerank"] == {"reranker": "scripted", "n_reranked": 3, "n_sentences": 0, "degraded": False}
    assert stages["gate"] == {"score": "relevance", "best": 0.7, "cut": 0.5, "n_passed": 1}


def test_out_of_time_the_fused_order_stands_and_the_distance_decides(full):
    late = ScriptedReranker({"25th": 0.9}, seconds=full.config.rerank_time_s)
    result = ask(full, late, distance_cut=0.75)
    assert isinstance(result, Answered)
    assert (result.gate_score, result.best_relevance) == ("distance", None)
    assert documents(result.trace.candidates) == documents(retrieve(QUESTION, index=full, scope=EVERYWHERE))
    stages = {stage.name: stage.detail for stage in result.trace.stages}
    assert stages["rerank"] == {
        "reranker": "scripted",
        "n_reranked": 0,
        "n_sentences": 0,
        "degraded": True,
    }
    assert stages["gate"]["score"] == "distance"
    refused = ask(full, late, distance_cut=0.0)
    assert isinstance(refused, Refused)
    assert refused.gate_score == "distance"
    assert refused.trace.degrades == result.trace.degrades == ("rerank",)
    assert ask(full, ScriptedReranker({"Fridays": 0.7})).trace.degrades == ()
