import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.cite import bind
from rag.generate import Draft, DraftSentence
from rag.types import AnswerSentence
from rag.verify import renumbered
from tests.rag.fakes import scored, stored_chunk

PASSAGES = tuple(scored(stored_chunk(f"Rule {at} holds.", chunk_id=str(at))) for at in range(1, 6))
BOUND = bind(Draft(tuple(DraftSentence(f"Rule {at} holds.", (at,)) for at in range(1, 6))), PASSAGES)


def test_gaps_close_and_unused_citations_go():
    sentences, citations = renumbered(
        (AnswerSentence("B", (4, 2)), AnswerSentence("A", (2,))), BOUND.citations
    )
    assert [sentence.citation_numbers for sentence in sentences] == [(1, 2), (2,)]
    assert [(citation.number, citation.quote) for citation in citations] == [
        (1, "Rule 4 holds."),
        (2, "Rule 2 holds."),
    ]


def test_a_number_without_citation_is_an_error():
    with pytest.raises(KeyError):
        renumbered((AnswerSentence("A", (9,)),), BOUND.citations)


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(1, 5), min_size=1, max_size=3, unique=True), max_size=5))
def test_numbers_run_from_one_and_still_name_the_same_quote(cited):
    before = tuple(AnswerSentence("A", tuple(numbers)) for numbers in cited)
    sentences, citations = renumbered(before, BOUND.citations)
    used = [number for sentence in sentences for number in sentence.citation_numbers]
    assert list(dict.fromkeys(used)) == [citation.number for citation in citations]
    assert [citation.number for citation in citations] == list(range(1, len(citations) + 1))
    quote_of = {citation.number: citation.quote for citation in citations}
    assert [[quote_of[number] for number in each.citation_numbers] for each in sentences] == [
        [f"Rule {number} holds." for number in numbers] for numbers in cited
    ]
