from itertools import pairwise

import pytest

from rag.evaluate import CONFIGURATIONS, Configuration
from rag.evaluate.searches import search_with
from rag.index import index_document
from rag.pipeline import retrieve
from rag.types import Scope
from tests.rag.fakes import ScriptedReranker

SCOPE = Scope((1,))


@pytest.fixture
def filled(index, handbook):
    pages = [("Gulls", "Gulls eat bread."), ("Ferry", "The ferry leaves at nine."), ("Dogs", "Dogs sleep.")]
    index_document(index, handbook(*pages), document_id=1, folder_id=1, title="Harbour")
    index_document(index, handbook(("Secret", "Gulls eat gold.")), document_id=2, folder_id=2, title="Vault")
    return index


def ids(found):
    return [candidate.chunk.chunk_id for candidate in found]


def test_one_side_alone_ranks_as_that_side_does(filled):
    question = "when does the ferry leave"
    vector = filled.embedder.encode_question(question)
    dense = search_with(CONFIGURATIONS["dense"], index=filled, scope=SCOPE)(question)
    stored = filled.store.search(filled.name, vector, 25, SCOPE)
    assert ids(dense) == [chunk.chunk_id for chunk, _ in stored]
    assert [found.distance for found in dense] == [distance for _, distance in stored]
    lexical = search_with(CONFIGURATIONS["bm25"], index=filled, scope=SCOPE)(question)
    scores = filled.lexical.search(question, 25, SCOPE.folder_ids)
    assert [(found.chunk.chunk_id, found.bm25_score) for found in lexical] == scores
    by_id = {chunk.chunk_id: distance for chunk, distance in stored}
    assert [found.distance for found in lexical] == pytest.approx([by_id[at] for at in ids(lexical)])
    assert all(earlier.rrf_score > later.rrf_score for earlier, later in pairwise(dense))


def test_hybrid_is_what_the_pipeline_retrieves(filled):
    hybrid = search_with(CONFIGURATIONS["hybrid"], index=filled, scope=SCOPE)
    assert hybrid("gulls and ferry") == retrieve("gulls and ferry", index=filled, scope=SCOPE)


def test_reranked_is_what_the_pipeline_reranks(filled):
    reranker = ScriptedReranker({"Dogs": 0.9, "ferry": 0.4})
    reranked = search_with(CONFIGURATIONS["reranked"], index=filled, scope=SCOPE, reranker=reranker)
    found = reranked("gulls and ferry")
    assert found == retrieve("gulls and ferry", index=filled, scope=SCOPE, reranker=reranker)
    assert [candidate.relevance for candidate in found] == [0.9, 0.4, 0.0]
    plain = search_with(CONFIGURATIONS["hybrid"], index=filled, scope=SCOPE, reranker=reranker)
    assert {candidate.relevance for candidate in plain("gulls and ferry")} == {None}


def test_a_reranked_configuration_needs_a_reranker_and_both_sides(filled):
    with pytest.raises(ValueError, match="needs a reranker"):
        search_with(CONFIGURATIONS["reranked"], index=filled, scope=SCOPE)
    one_side = Configuration("x", retrieval="dense", reranked=True)
    with pytest.raises(ValueError, match="hybrid candidates"):
        search_with(one_side, index=filled, scope=SCOPE, reranker=ScriptedReranker({}))


@pytest.mark.parametrize("name", ["dense", "bm25", "hybrid"])
def test_nothing_outside_the_scope_is_found(filled, name):
    search = search_with(CONFIGURATIONS[name], index=filled, scope=SCOPE)
    assert {found.chunk.document_id for found in search("what do gulls eat")} == {1}


def test_the_depth_can_be_given(filled):
    assert len(search_with(CONFIGURATIONS["dense"], index=filled, scope=SCOPE, n=2)("gulls")) == 2
