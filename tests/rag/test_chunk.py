from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from rag.chunk import chunk_document
from rag.types import Coverage, Extraction, Locator
from tests.rag.blocks import A, B, block_lists, extraction
from tests.rag.fakes import HashingEmbedder

EMBEDDER = HashingEmbedder(window_tokens=64)


def chunked(document, *, budget=120, window=64):
    return chunk_document(
        document, budget_chars=budget, window_tokens=window, count_tokens=EMBEDDER.count_tokens
    )


def test_paragraphs_of_a_section_share_a_chunk_up_to_the_budget():
    document = extraction([("paragraph", f"Paragraph {n} says a little.", A) for n in range(6)])
    chunks = chunked(document, budget=90).chunks
    assert [chunk.content.count("says") for chunk in chunks] == [3, 3]
    assert all(len(chunk.content) <= 90 for chunk in chunks)


def test_the_header_is_embedded_and_not_quoted():
    chunk = chunked(extraction([("paragraph", "Eight days.", B)])).chunks[0]
    assert chunk.text == "[Handbook > Travel > Hotels]\nEight days."
    assert chunk.content == "Eight days."
    assert chunk.section == "Travel > Hotels"


def test_sections_pages_and_sheets_are_never_mixed():
    places = [A, B, Locator(page=1), Locator(page=2), Locator(sheet="2023"), Locator(sheet="2024")]
    chunks = chunked(extraction([("paragraph", "Short.", place) for place in places])).chunks
    assert [chunk.locator for chunk in chunks] == places


def test_a_heading_between_two_equal_paths_still_separates():
    document = extraction(
        [
            ("heading", "Notes", Locator(heading_path=("Notes",))),
            ("paragraph", "First.", Locator(heading_path=("Notes",))),
            ("heading", "Notes", Locator(heading_path=("Notes",))),
            ("paragraph", "Second.", Locator(heading_path=("Notes",))),
        ]
    )
    assert [chunk.content for chunk in chunked(document).chunks] == ["First.", "Second."]


def test_a_paragraph_over_the_budget_is_cut_at_sentence_ends_only():
    sentences = [f"Sentence number {n} ends with No. {n} here." for n in range(8)]
    chunks = chunked(extraction([("paragraph", " ".join(sentences), A)]), budget=100).chunks
    assert len(chunks) > 2
    for sentence in sentences:
        assert any(sentence in chunk.content for chunk in chunks)


def test_a_single_sentence_may_pass_the_budget_but_not_the_window():
    sentence = "word " * 40 + "end."
    assert [
        chunk.content for chunk in chunked(extraction([("paragraph", sentence, A)]), budget=60).chunks
    ] == [sentence]
    result = chunked(extraction([("paragraph", sentence, A)]), budget=500, window=24)
    assert result.n_split_for_window > 0
    assert all(chunk.n_tokens <= 24 for chunk in result.chunks)


def test_a_run_of_characters_that_is_one_token_is_still_cut():
    def one_token_a_word(texts):
        return [2 + len(text.split()) for text in texts]

    document = extraction([("paragraph", "x" * 5_000, A)])
    chunks = chunk_document(
        document, budget_chars=100, window_tokens=64, count_tokens=one_token_a_word
    ).chunks
    assert all(len(chunk.content) <= 400 for chunk in chunks)
    assert "".join(chunk.content for chunk in chunks) == "x" * 5_000


def test_a_line_that_introduces_a_list_stays_with_its_list():
    document = extraction(
        [
            ("paragraph", "Some words that fill the chunk almost to the end of it.", A),
            ("paragraph", "You need:", A),
            ("list_item", "a passport that is valid for six months", A),
            ("list_item", "a visa", A),
        ]
    )
    contents = [chunk.content for chunk in chunked(document, budget=80).chunks]
    assert contents[1].startswith("You need:\n\na passport")


def test_a_list_that_fits_a_chunk_is_begun_in_a_new_one_when_this_one_is_half_full():
    items = [("list_item", f"item number {n}", A) for n in range(6)]
    half, less = "Words that fill this chunk up to about its half. " * 2, "Few words before it."
    full = chunked(extraction([("paragraph", half.strip(), A), *items]), budget=150).chunks
    assert [chunk.content.count("item") for chunk in full] == [0, 6]
    filled = chunked(extraction([("paragraph", less, A), *items]), budget=100).chunks
    assert [chunk.content.count("item") for chunk in filled] == [5, 1]


def test_a_list_is_cut_where_its_lead_in_would_stay_behind():
    items = [("list_item", f"item number {n}", A) for n in range(6)]
    blocks = [
        ("paragraph", "Words that fill more than the half of this chunk.", A),
        ("paragraph", "Take:", A),
    ]
    contents = [chunk.content for chunk in chunked(extraction([*blocks, *items]), budget=92).chunks]
    assert [content.count("item") for content in contents] == [2, 4]
    assert "Take:\n\nitem number 0" in contents[0]


def test_a_code_block_and_a_table_that_fit_a_chunk_stay_whole():
    code = "\n".join(f"line {n}" for n in range(5))
    rows = [("table_row", f"City {n} | {n}", A, "City | Rate") for n in range(5)]
    words = ("paragraph", "Words that fill this chunk to about its half, and more.", A)
    for blocks in ([("code", code, A)], rows):
        chunks = chunked(extraction([words, *blocks]), budget=90).chunks
        assert [len(chunk.spans) for chunk in chunks] == [1, len(blocks)]


def test_an_item_that_introduces_code_stays_with_it():
    blocks = [
        ("list_item", "First log in to the machine.", A),
        ("list_item", "Then run:", A),
        ("code", "make everything and then wait", A),
    ]
    contents = [chunk.content for chunk in chunked(extraction(blocks), budget=50).chunks]
    assert contents == ["First log in to the machine.", "Then run:\n\nmake everything and then wait"]


def test_rows_are_kept_whole_share_cells_and_repeat_their_header():
    header = "City | Rate"
    rows = [
        (
            "table_row",
            f"City number {n} | {n} EUR",
            Locator(sheet="Rates", cells=f"A{n}:{'BC'[n % 2]}{n}"),
            header,
        )
        for n in range(2, 12)
    ]
    chunks = chunked(extraction(rows), budget=70).chunks
    assert len(chunks) > 2
    assert all(chunk.text.startswith(f"[Handbook > Rates]\n{header}\n") for chunk in chunks)
    assert all(header not in chunk.content for chunk in chunks)
    assert chunks[0].locator.cells == "A2:C4"
    assert [span.locator.cells for span in chunks[0].spans] == ["A2:B2", "A3:C3", "A4:B4"]


def test_a_row_over_the_budget_is_kept_whole():
    row = "Oslo. Norway. Ferry. Bus. Tram. No bikes at all. | 90 EUR"
    document = extraction([("table_row", row, A), ("table_row", "Rome | 70", A)])
    assert [chunk.content for chunk in chunked(document, budget=30).chunks] == [row, "Rome | 70"]


def test_a_header_row_inside_the_chunk_is_not_repeated():
    rows = [("table_row", "City | Rate", A), ("table_row", "Oslo | 90", A, "City | Rate")]
    chunk = chunked(extraction(rows)).chunks[0]
    assert chunk.text.count("City | Rate") == 1


def test_two_tables_do_not_share_a_chunk():
    rows = [("table_row", "Oslo | 90", A, "City | Rate"), ("table_row", "Ann | 12", A, "Name | Room")]
    assert [chunk.content for chunk in chunked(extraction(rows)).chunks] == ["Oslo | 90", "Ann | 12"]


def test_a_document_of_headings_only_is_still_indexed():
    document = extraction([("heading", "Code of conduct", A), ("heading", "Be kind to gulls", B)])
    assert " ".join(chunk.content for chunk in chunked(document).chunks) == "Code of conduct Be kind to gulls"


def test_a_heading_that_nothing_stands_under_is_words_of_the_section_around_it():
    faq, open_q = Locator(heading_path=("FAQ",)), Locator(heading_path=("FAQ", "Is the pool open? No."))
    notes = Locator(heading_path=("FAQ", "Notes"))
    document = extraction(
        [
            ("heading", "FAQ", faq),
            ("heading", "Is the pool open? No.", open_q),
            ("heading", "Notes", notes),
            ("paragraph", "Bring a towel.", notes),
            ("heading", "Gate 7 is locked at night.", Locator(heading_path=("Gate 7 is locked at night.",))),
        ]
    )
    assert [(chunk.content, chunk.section) for chunk in chunked(document).chunks] == [
        ("Is the pool open? No.", "FAQ"),
        ("Bring a towel.", "FAQ > Notes"),
        ("Gate 7 is locked at night.", ""),
    ]


def test_a_heading_too_long_for_a_header_line_is_cut_like_a_paragraph():
    words = " ".join(f"word{n}" for n in range(400))
    place = Locator(heading_path=(words[:200],))
    chunks = chunked(extraction([("heading", words, place), ("paragraph", "The end.", place)])).chunks
    assert " ".join(chunk.content for chunk in chunks) == f"{words} The end."


def test_a_heading_whose_header_line_gave_way_is_not_lost():
    deep = tuple(f"an endless heading number {n} of many" for n in range(30))
    blocks = [("heading", title, Locator(heading_path=deep[: n + 1])) for n, title in enumerate(deep)]
    document = extraction([*blocks, ("paragraph", "The end.", Locator(heading_path=deep))])
    read = " ".join(chunk.text for chunk in chunked(document).chunks)
    assert all(title in read for title in deep)


def test_a_long_line_of_code_makes_no_empty_chunk():
    code = "def f():\n    return '" + "z" * 3_000 + "'"
    chunks = chunked(extraction([("code", code, A)]), budget=100).chunks
    assert all(chunk.content for chunk in chunks)
    assert "".join("".join(chunk.content.split()) for chunk in chunks) == "".join(code.split())


def test_what_is_cut_for_its_length_is_not_tokenized_whole():
    longest = 0

    def count(texts):
        nonlocal longest
        longest = max([longest, *map(len, texts)])
        return [2 + len(text) // 4 for text in texts]

    chunk_document(
        extraction([("paragraph", "word " * 200_000, A)]),
        budget_chars=200,
        window_tokens=64,
        count_tokens=count,
    )
    assert longest < 2_000


def test_text_without_blocks_is_one_paragraph_and_no_text_gives_no_chunk():
    bare = Extraction("T", "Just text.", (), "txt", "txt/1", Coverage("document", 1, 1))
    assert [chunk.content for chunk in chunked(bare).chunks] == ["Just text."]
    empty = Extraction("T", " \n", (), "txt", "txt/1", Coverage("document", 1, 1))
    assert chunked(empty).chunks == ()


def test_a_monstrous_header_gives_way_to_the_words():
    place = Locator(heading_path=tuple(f"an endless heading number {n} of many" for n in range(30)))
    words = "These few words must stay."
    chunks = chunked(extraction([("paragraph", words, place)])).chunks
    assert [chunk.content for chunk in chunks] == [words]
    assert chunks[0].n_tokens <= 64


@settings(deadline=None)
@given(block_lists, st.integers(20, 300))
def test_whatever_comes_in_no_word_is_lost_and_no_window_passed(blocks, budget):
    document = extraction(blocks)
    chunks = chunked(document, budget=budget, window=48).chunks
    assert all(left.end <= right.start for left, right in pairwise(chunks))
    covered = set()
    for index, chunk in enumerate(chunks):
        assert chunk.index == index
        assert document.text[chunk.start : chunk.end] == chunk.content
        assert chunk.text.endswith(chunk.content)
        assert chunk.n_tokens == EMBEDDER.count_tokens([chunk.text])[0] <= 48
        assert chunk.content == chunk.content.strip() != ""
        assert chunk.spans
        assert all(chunk.start <= span.start < span.end <= chunk.end for span in chunk.spans)
        covered |= set(range(chunk.start, chunk.end))
    for span in document.spans:
        inside = (at for at in range(span.start, span.end) if not document.text[at].isspace())
        if not all(at in covered for at in inside):
            assert span.kind == "heading"
            title = " ".join(span.locator.heading_path[-1].split()).casefold()
            assert any(title in chunk.text.removesuffix(chunk.content).casefold() for chunk in chunks)
