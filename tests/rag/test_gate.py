from dataclasses import replace

import pytest

from rag.gate import gate_score, pass_gate
from rag.types import Thresholds
from tests.rag.fakes import scored, stored_chunk

CUT = 0.525


@pytest.mark.parametrize(
    ("distance", "passes"), [(CUT, True), (CUT - 1e-9, True), (CUT + 1e-9, False), (0.0, True), (2.0, False)]
)
def test_the_cut_itself_passes(distance, passes):
    candidate = scored(stored_chunk("x"), distance)
    assert bool(pass_gate([candidate], Thresholds(CUT))) is passes


def test_at_most_max_chunks_pass_in_the_given_order():
    candidates = [
        scored(stored_chunk(name), distance)
        for name, distance in zip("abcde", (0.5, 0.9, 0.4, 0.3, 0.2), strict=True)
    ]
    passed = pass_gate(candidates, Thresholds(CUT, max_chunks=3))
    assert [candidate.chunk.content for candidate in passed] == ["a", "c", "d"]


def test_nothing_near_is_nothing():
    assert pass_gate([], Thresholds(CUT)) == ()
    assert pass_gate([scored(stored_chunk("x"), 0.9)], Thresholds(CUT)) == ()


@pytest.mark.parametrize(
    ("relevance", "passes"), [(0.5, True), (0.5 + 1e-9, True), (0.5 - 1e-9, False), (0.0, False)]
)
def test_where_a_reranker_read_its_score_alone_decides(relevance, passes):
    candidate = replace(scored(stored_chunk("x"), 1.9), relevance=relevance)
    assert bool(pass_gate([candidate], Thresholds(CUT, relevance_cut=0.5))) is passes


def test_what_the_reranker_did_not_read_does_not_pass_beside_what_it_read():
    read = replace(scored(stored_chunk("read"), 0.4), relevance=0.9)
    unread = scored(stored_chunk("unread"), 0.1)
    assert gate_score([unread, read]) == "relevance"
    assert pass_gate([unread, read], Thresholds(CUT, relevance_cut=0.5)) == (read,)
    assert gate_score([unread]) == "distance"
    assert pass_gate([unread], Thresholds(CUT, relevance_cut=0.5)) == (unread,)
