from hypothesis import given
from hypothesis import strategies as st

from rag.cite import bind
from rag.generate import Draft, DraftSentence, read_markers
from rag.quote import find_quote
from rag.types import Locator, RefusalReason, Span
from tests.rag.fakes import scored, stored_chunk

CONTENT = "Mileage is paid\nat **0.58** USD. It does not cover [tolls](t.md) or parking. Ask Finance."
ONE = scored(stored_chunk(CONTENT, chunk_id="one", start=40), 0.3)
TWO = scored(stored_chunk("Tolls are expensed separately.", chunk_id="two", start=7, document_id=2), 0.2)


def draft(*sentences):
    return Draft(tuple(DraftSentence(text, passages) for text, passages in sentences))


def test_quotes_are_verbatim_with_found_offsets_and_text_is_plain():
    bound = bind(draft(("It does not cover [tolls](t.md) or parking.", (1,))), (ONE, TWO))
    (citation,) = bound.citations
    assert bound.sentences[0].text == "It does not cover tolls or parking."
    assert citation.quote == "It does not cover [tolls](t.md) or parking."
    assert CONTENT[citation.start - 40 : citation.end - 40] == citation.quote
    assert citation.distance == 0.3


def test_numbers_run_from_one_by_first_appearance():
    bound = bind(draft(("Tolls are expensed separately.", (2,)), ("Ask Finance.", (1,))), (ONE, TWO))
    assert [citation.chunk.chunk_id for citation in bound.citations] == ["two", "one"]
    assert [sentence.citation_numbers for sentence in bound.sentences] == [(1,), (2,)]


def test_one_quote_cited_twice_is_one_citation():
    bound = bind(draft(("Ask Finance.", (1, 1)), ("**Ask** Finance!", (1,))), (ONE,))
    assert len(bound.citations) == 1
    assert [sentence.citation_numbers for sentence in bound.sentences] == [(1,), (1,)]


def test_a_sentence_said_again_from_the_same_place_is_told_once():
    bound = bind(draft(*[("Ask Finance.", (1,))] * 9, ("Ask Finance.", (2,))), (ONE, TWO))
    assert [sentence.citation_numbers for sentence in bound.sentences] == [(1,), (2,)]
    assert bound.n_uncited == 0


def test_markers_that_name_nothing_are_counted_and_their_sentences_dropped():
    bound = bind(draft(("Invented.", (3, 0)), ("Ask Finance.", (1, 9)), ("No marker.", ())), (ONE, TWO))
    assert (bound.n_unresolved, bound.n_uncited) == (3, 2)
    assert [sentence.text for sentence in bound.sentences] == ["Ask Finance."]


def test_white_space_does_not_hide_a_quote():
    start, end = find_quote("Mileage is paid at **0.58** USD.", ONE.chunk)
    assert CONTENT[start:end] == "Mileage is paid\nat **0.58** USD."


def test_a_documents_own_bracketed_numbers_do_not_look_like_citations():
    said = "The tariff [1][2] is 14 EUR [3] a day."
    passage = scored(stored_chunk(f"{said} Ask Finance."))
    bound = bind(draft((said, (1,))), (passage,))
    assert [sentence.text for sentence in bound.sentences] == ["The tariff (1)(2) is 14 EUR (3) a day."]
    assert bound.citations[0].quote == said


def test_a_paraphrase_takes_the_nearest_sentence_and_a_strange_one_the_whole_passage():
    start, end = find_quote("Parking and tolls are not covered by it.", ONE.chunk)
    assert CONTENT[start:end] == "It does not cover [tolls](t.md) or parking."
    assert find_quote("Zebras!", ONE.chunk) == (0, len(CONTENT))


def test_a_row_is_cited_with_its_own_cells():
    place = Locator(sheet="Rates", cells="A2:B3")
    rows = (
        Span(0, 9, "table_row", Locator(sheet="Rates", cells="A2:B2", anchor="r2"), "City | Rate"),
        Span(11, 22, "table_row", Locator(sheet="Rates", cells="A3:B3", anchor="r3"), "City | Rate"),
    )
    chunk = stored_chunk("Oslo | 90\n\nLisbon | 70", locator=place, spans=rows)
    bound = bind(draft(("Lisbon | 70", (1,))), (scored(chunk),))
    assert bound.citations[0].locator == Locator(sheet="Rates", cells="A3:B3", anchor="r3")
    assert bound.citations[0].quote == "Lisbon | 70"
    assert bound.sentences[0].text == "City: Lisbon; Rate: 70"


def test_a_row_that_fills_its_chunk_may_be_the_rest_of_a_longer_one():
    for header, text in (("City | Rate", "City: Lisbon; Rate: 70"), ("City | Rate | Remark", "Lisbon · 70")):
        chunk = stored_chunk("Lisbon | 70", spans=(Span(0, 11, "table_row", Locator(), header),))
        assert bind(draft(("Lisbon | 70", (1,))), (scored(chunk),)).sentences[0].text == text


def test_words_with_pipes_outside_a_table_are_no_row():
    chunk = stored_chunk("Lisbon | 70")
    assert bind(draft(("Lisbon | 70", (1,))), (scored(chunk),)).sentences[0].text == "Lisbon | 70"


def test_a_models_text_is_read_sentence_by_sentence():
    read = read_markers("It is paid. Tolls are not [1][2]. Ask Finance. [1] Goodbye.")
    assert [(sentence.text, sentence.passages) for sentence in read.sentences] == [
        ("It is paid.", ()),
        ("Tolls are not.", (1, 2)),
        ("Ask Finance.", (1,)),
        ("Goodbye.", ()),
    ]


def test_a_model_may_abstain():
    for text in ("", "NO_ANSWER", " NO_ANSWER. "):
        assert read_markers(text) == Draft((), RefusalReason.MODEL_ABSTAINED)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["Ask Finance.", "Made up", "**", "Tolls"]),
            st.lists(st.integers(-1, 4), max_size=3),
        ),
        max_size=6,
    )
)
def test_every_sentence_is_cited_and_every_citation_used(sentences):
    bound = bind(draft(*((text, tuple(numbers)) for text, numbers in sentences)), (ONE, TWO))
    used = [number for sentence in bound.sentences for number in sentence.citation_numbers]
    assert all(sentence.citation_numbers for sentence in bound.sentences)
    assert sorted(set(used)) == [citation.number for citation in bound.citations]
    assert list(dict.fromkeys(used)) == sorted(set(used))
    for citation in bound.citations:
        chunk = citation.chunk
        assert chunk.content[citation.start - chunk.start : citation.end - chunk.start] == citation.quote
