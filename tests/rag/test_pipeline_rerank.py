import math
import time
from dataclasses import replace

import pytest

from rag.errors import ModelDown, ModelFailed, ModelMissing
from rag.index import index_document
from rag.pipeline import answer, retrieve
from rag.rerank import AbsentReranker, Reranked
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


class Broken(ScriptedReranker):
    """Raises, or gives what is no score."""

    def __init__(self, fault):
        super().__init__({})
        self._fault = fault
        self.n_calls = 0

    def rerank(self, question, candidates, *, embedding_model, time_limit_s):
        self.n_calls += 1
        if isinstance(self._fault, Exception):
            raise self._fault
        return self._fault(len(candidates))


FAULTS = {
    "breaks": (ZeroDivisionError("in a library"), "model_failed"),
    "away": (ModelDown("It is away."), "model_down"),
    "too few": (lambda n: Reranked((0.5,), (0.5,)), "model_failed"),
    "not of one count": (lambda n: Reranked((0.5,) * n, (0.5,) * (n - 1)), "model_failed"),
    "nothing": (lambda n: None, "model_failed"),
    "no number": (lambda n: Reranked((math.nan,) * n, (0.5,) * n), "model_failed"),
    "no number as relevance": (lambda n: Reranked((0.5,) * n, (math.nan,) * n), "model_failed"),
    "out of range": (lambda n: Reranked((0.5,) * n, (1.5,) * n), "model_failed"),
    "no scores": (lambda n: Reranked(("much",) * n, (0.5,) * n), "model_failed"),
}


@pytest.mark.parametrize(("fault", "code"), FAULTS.values(), ids=FAULTS)
def test_a_reranker_that_fails_leaves_the_fused_order_and_the_distance_decides(full, fault, code):
    broken = Broken(fault)
    result = ask(full, broken, distance_cut=0.75)
    assert isinstance(result, Answered)
    assert (result.gate_score, result.best_relevance) == ("distance", None)
    assert documents(result.trace.candidates) == documents(retrieve(QUESTION, index=full, scope=EVERYWHERE))
    detail = next(stage.detail for stage in result.trace.stages if stage.name == "rerank")
    assert (detail["reranker"], detail["n_reranked"], detail["degraded"]) == ("scripted", 0, code)
    assert detail["message"]
    assert "ZeroDivisionError" not in str(detail["message"])
    assert result.trace.degrades == ("rerank",)
    refused = ask(full, broken, distance_cut=0.0)
    assert isinstance(refused, Refused)
    assert (refused.reason, refused.gate_score) == (RefusalReason.BELOW_THRESHOLD, "distance")


def test_one_that_is_not_there_says_why_in_the_trace(full):
    absent = AbsentReranker("/nosuch", ModelMissing("There is no cross-encoder.", next_step="Give a folder."))
    result = ask(full, absent, distance_cut=0.75)
    assert isinstance(result, Answered)
    detail = next(stage.detail for stage in result.trace.stages if stage.name == "rerank")
    assert (detail["reranker"], detail["degraded"]) == ("/nosuch", "model_missing")
    assert (detail["message"], detail["next_step"]) == ("There is no cross-encoder.", "Give a folder.")


def test_one_that_failed_is_not_asked_again_for_the_same_question(full):
    broken = Broken(ZeroDivisionError())
    answer(
        "On which days may gulls be fed, and when are salaries paid?",
        index=full,
        scope=EVERYWHERE,
        thresholds=Thresholds(0.0),
        reranker=broken,
    )
    assert broken.n_calls == 1


def test_what_is_measured_as_reranked_was(full):
    with pytest.raises(ModelFailed):
        retrieve(QUESTION, index=full, scope=EVERYWHERE, reranker=Broken(ZeroDivisionError()))


def test_scores_that_come_after_the_limit_do_not_count(full):
    class Slow(ScriptedReranker):
        """Looks at its time too seldom."""

        def rerank(self, question, candidates, *, embedding_model, time_limit_s):
            time.sleep(0.05)
            return super().rerank(question, candidates, embedding_model=embedding_model, time_limit_s=60.0)

    hurried = replace(full, config=replace(full.config, rerank_time_s=0.01))
    result = ask(hurried, Slow({"Fridays": 0.9}), distance_cut=0.75)
    assert (result.gate_score, result.trace.degrades) == ("distance", ("rerank",))
    assert {candidate.relevance for candidate in result.trace.candidates} == {None}
    assert ask(full, Slow({"Fridays": 0.9})).trace.degrades == ()
