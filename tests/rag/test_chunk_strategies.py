import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.chunk import chunk_configured, chunk_document
from rag.chunking.strategy import CHUNKING_STRATEGIES, ChunkingStrategy, chunking_strategy
from rag.cite import bind
from rag.config import RagConfig
from rag.generate.protocol import Draft, DraftSentence
from rag.types import Coverage, Extraction, Locator, Span
from rag.vectors.payload import chunk_of, payload_of
from tests.rag.blocks import A, B, block_lists, extraction
from tests.rag.fakes import HashingEmbedder, scored, stored_chunk

EMBEDDER = HashingEmbedder(window_tokens=48)
LETTERS = tuple("ABCDEF")
PROSE = extraction(
    [
        ("heading", "Leave", A),
        ("paragraph", "Unused days of leave must be taken by March. After that they are lost.", A),
        ("paragraph", "Ask your manager first, and then the office, at least two weeks before.", A),
        ("heading", "Hotels", B),
        ("paragraph", "The limit in Oslo is ninety euros a night.", B),
    ]
)


def chunked(document, letter, *, budget=60, window=48, tokens=None):
    return chunk_document(
        document,
        budget_chars=budget,
        budget_tokens=tokens,
        window_tokens=window,
        count_tokens=EMBEDDER.count_tokens,
        strategy=CHUNKING_STRATEGIES[letter],
    )


def test_the_six_of_the_reference_study():
    assert [
        (each.letter, each.boundaries, each.header, each.overlap_chars)
        for each in CHUNKING_STRATEGIES.values()
    ] == [
        ("A", False, False, 0),
        ("B", False, False, 64),
        ("C", True, False, 0),
        ("D", True, False, 64),
        ("E", True, True, 0),
        ("F", True, True, 64),
    ]
    assert list(CHUNKING_STRATEGIES) == list(LETTERS)


def test_blind_cuts_wherever_the_budget_is_full():
    chunks = chunked(PROSE, "A").chunks
    text = PROSE.text
    assert [chunk.content for chunk in chunks] == [
        text[at : at + 60].strip() for at in range(0, len(text), 60)
    ]
    assert all(chunk.text == chunk.content for chunk in chunks)


def test_boundaries_cut_between_blocks_and_sentences_with_a_header_or_without():
    bare, headed = chunked(PROSE, "C").chunks, chunked(PROSE, "E").chunks
    assert [chunk.content for chunk in bare] == [
        "Unused days of leave must be taken by March.",
        "After that they are lost.",
        "Ask your manager first, and then the office, at least two weeks before.",
        "The limit in Oslo is ninety euros a night.",
    ]
    assert [chunk.content for chunk in headed] == [chunk.content for chunk in bare]
    assert [chunk.text for chunk in bare] == [chunk.content for chunk in bare]
    assert headed[0].text.startswith("[Handbook > Leave]\n")
    assert bare[0].section == "Leave"


@pytest.mark.parametrize(("plain", "with_overlap"), [("A", "B"), ("C", "D"), ("E", "F")])
def test_overlap_moves_a_start_back_over_the_last_64_characters_of_the_chunk_before(plain, with_overlap):
    before, after = (chunked(PROSE, letter, budget=90).chunks for letter in (plain, with_overlap))
    assert [chunk.end for chunk in before] == [chunk.end for chunk in after]
    assert before[0] == after[0]
    second = after[1]
    expected = PROSE.text[max(before[0].start, before[0].end - 64) : before[1].end].lstrip()
    assert second.content == expected == PROSE.text[second.start : second.end]


def test_overlap_does_not_cross_a_section_with_boundaries_and_does_without():
    assert chunked(PROSE, "F").chunks[-1].content == "The limit in Oslo is ninety euros a night."
    last = chunked(PROSE, "B", budget=90).chunks[-1]
    assert last.content.startswith("office, at least two weeks before.\n\nHotels")


def test_a_sentence_that_a_blind_cut_parts_is_whole_again_in_the_overlap():
    sentence = "Unused days of leave must be taken by March."
    text = "Words that stand before it. " * 2 + sentence + " And so on and on."
    document = extraction([("paragraph", text, A)])
    assert not any(sentence in chunk.content for chunk in chunked(document, "A", budget=80).chunks)
    assert any(sentence in chunk.content for chunk in chunked(document, "B", budget=80).chunks)


def test_overlap_gives_way_to_the_window_and_is_counted():
    document = extraction([("paragraph", "One two three four five. " * 16, A)])
    roomy, tight = chunked(document, "D", budget=100), chunked(document, "D", budget=100, window=24)
    assert roomy.n_split_for_window == 0
    assert tight.n_split_for_window == len(tight.chunks) - 1 > 0
    assert all(chunk.n_tokens <= 24 for chunk in tight.chunks)
    assert tight.chunks[1].start < tight.chunks[0].end
    assert tight.chunks[0].end - tight.chunks[1].start < 64


def test_a_blind_chunk_has_the_place_where_it_begins_and_a_quote_its_own():
    places = [
        Locator(page=1, heading_path=("Leave",)),
        Locator(page=2, heading_path=("Hotels",)),
    ]
    document = extraction(
        [("paragraph", "Leave ends in March.", places[0]), ("paragraph", "Oslo costs ninety.", places[1])]
    )
    (chunk,) = chunked(document, "A", budget=80).chunks
    assert (chunk.locator, chunk.section) == (places[0], "Leave")
    stored = stored_chunk(chunk.content, locator=chunk.locator, spans=chunk.spans)
    stored = chunk_of(stored.chunk_id, payload_of(stored))
    sentences = (DraftSentence("Leave ends in March.", (1,)), DraftSentence("Oslo costs ninety.", (1,)))
    bound = bind(Draft(sentences), (scored(stored),))
    assert [citation.locator for citation in bound.citations] == places


def test_blind_cells_are_not_merged_over_sheets():
    document = extraction(
        [
            ("table_row", "Oslo | 90", Locator(sheet="Rates", cells="A2:B2")),
            ("table_row", "Ann | 12", Locator(sheet="Rooms", cells="A7:B9")),
        ]
    )
    (chunk,) = chunked(document, "A").chunks
    assert chunk.locator == Locator(sheet="Rates", cells="A2:B2")


def test_a_row_that_was_cut_or_is_another_tables_is_no_row():
    rates, rooms = "City | Rate", "Name | Room"
    rows = [
        ("table_row", "Oslo and the islands | 90", A, rates),
        ("table_row", "Rome | 70", A, rates),
        ("table_row", "Ann | 12", A, rooms),
        ("table_row", "Bob who came later | 13", A, rooms),
    ]
    document = extraction(rows)
    cut_in_last = chunked(document, "A", budget=70).chunks[0]
    assert [span.kind for span in cut_in_last.spans] == ["table_row", "table_row", "paragraph", "paragraph"]
    assert all(span.table_header in (None, rates) for span in cut_in_last.spans)
    overlapping = chunked(extraction(rows[:2]), "F", budget=30).chunks
    assert overlapping[1].content == "Oslo and the islands | 90\n\nRome | 70"
    assert [span.kind for span in overlapping[1].spans] == ["table_row", "table_row"]
    longer = "Oslo and the islands in the fjord and the farther coast and its lights | 90"
    parted = chunked(extraction([("table_row", longer, A, rates), rows[1]]), "F", budget=30).chunks[1]
    assert parted.content == f"{longer[-64:].lstrip()}\n\nRome | 70"
    assert [span.kind for span in parted.spans] == ["paragraph", "table_row"]


def test_text_outside_blocks_is_not_lost_by_a_blind_cut():
    text = "Leave ends in March.\n\nNobody's words."
    document = Extraction("T", text, (Span(0, 20, "paragraph", A),), "md", "md/1", Coverage("document", 1, 1))
    chunks = chunked(document, "A", budget=22).chunks
    assert [chunk.content for chunk in chunks] == ["Leave ends in March.", "Nobody's words."]
    assert chunks[1].spans == (Span(22, 37, "paragraph", Locator()),)


def test_a_blind_cut_can_have_a_header_too():
    strategy = ChunkingStrategy("G", boundaries=False, header=True)
    chunks = chunk_document(
        PROSE, budget_chars=60, window_tokens=48, count_tokens=EMBEDDER.count_tokens, strategy=strategy
    ).chunks
    assert chunks[0].text.startswith("[Handbook > Leave]\nLeave")
    assert chunks[-1].text.startswith("[Handbook > Travel > Hotels]\n")


def test_a_configuration_names_its_strategy():
    result = chunk_configured(PROSE, config=RagConfig(chunking="A", chunk_chars=60), embedder=EMBEDDER)
    assert result == chunked(PROSE, "A")
    assert chunk_configured(PROSE, config=RagConfig(), embedder=EMBEDDER) == chunked(PROSE, "E", budget=512)
    with pytest.raises(ValueError, match="no chunking strategy 'X'; there are A, B, C, D, E, F"):
        chunking_strategy("X")


@pytest.mark.parametrize("letter", LETTERS)
@settings(max_examples=40, deadline=None)
@given(block_lists, st.integers(20, 300), st.one_of(st.none(), st.integers(1, 60)))
def test_whatever_comes_in_no_word_is_lost_and_no_window_passed(letter, blocks, budget, tokens):
    document = extraction(blocks)
    chunks = chunked(document, letter, budget=budget, tokens=tokens).chunks
    strategy = CHUNKING_STRATEGIES[letter]
    covered, previous = set(), None
    for index, chunk in enumerate(chunks):
        assert chunk.index == index
        assert document.text[chunk.start : chunk.end] == chunk.content == chunk.content.strip() != ""
        assert chunk.text.endswith(chunk.content)
        assert strategy.header or chunk.text == chunk.content
        assert chunk.n_tokens == EMBEDDER.count_tokens([chunk.text])[0] <= 48
        assert chunk.spans
        assert all(chunk.start <= span.start < span.end <= chunk.end for span in chunk.spans)
        assert len({span.table_header for span in chunk.spans if span.table_header}) <= 1
        if strategy.boundaries:
            assert len({(span.locator.container, span.locator.heading_path) for span in chunk.spans}) == 1
        if previous is not None:
            assert previous.start <= chunk.start
            assert chunk.start >= previous.end - strategy.overlap_chars
            assert chunk.end > previous.end
        covered |= set(range(chunk.start, chunk.end))
        previous = chunk
    only_headings = all(kind == "heading" for kind, *_ in blocks)
    for span in document.spans:
        if span.kind != "heading" or only_headings or not strategy.boundaries:
            inside = (at for at in range(span.start, span.end) if not document.text[at].isspace())
            assert all(at in covered for at in inside)
