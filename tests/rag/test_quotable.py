from rag.quotable import quotables
from rag.types import Locator, Span
from tests.rag.fakes import stored_chunk


def chunk_of(*blocks):
    """A chunk of (kind, text) or (kind, text, table header) blocks."""
    content, spans = "", []
    for kind, text, *header in blocks:
        content += "\n\n" if content else ""
        spans.append(
            Span(
                100 + len(content),
                100 + len(content) + len(text),
                kind,
                Locator(),
                header[0] if header else None,
            )
        )
        content += text
    return stored_chunk(content, start=100, spans=tuple(spans))


def words(chunk):
    return [chunk.content[place.start : place.end] for place in quotables(chunk)]


def test_prose_by_sentence_items_and_rows_whole():
    chunk = chunk_of(
        ("paragraph", "One here. Two here."),
        ("list_item", "First part. Second part."),
        ("table_row", "Oslo | 90. Really.", "City | Rate"),
    )
    assert words(chunk) == ["One here.", "Two here.", "First part. Second part.", "Oslo | 90. Really."]


def test_a_long_list_item_is_prose():
    chunk = chunk_of(("list_item", "A sentence of some length. " * 20))
    assert len(words(chunk)) == 20


def test_lead_ins_and_header_rows_are_context():
    chunk = chunk_of(
        ("paragraph", "You need:"),
        ("list_item", "a visa"),
        ("table_row", "City | Rate", "City | Rate"),
        ("table_row", "Oslo | 90", "City | Rate"),
    )
    assert words(chunk) == ["a visa", "Oslo | 90"]
    assert [place.context for place in quotables(chunk)] == ["You need:", "City | Rate"]


def test_a_lead_in_does_not_reach_past_the_next_paragraph():
    chunk = chunk_of(("paragraph", "You need:"), ("paragraph", "Nothing at all."), ("list_item", "a visa"))
    assert quotables(chunk)[-1].context == ""


def test_a_passage_that_is_only_a_lead_in_can_be_quoted():
    assert words(chunk_of(("paragraph", "You need:"))) == ["You need:"]


def test_placeholders_and_rules_are_not_quotable():
    missing = [
        "tbd",
        "tbd...",
        "@todo: needs content",
        "Number: to be added later.",
        "Terrace: ???",
        "--- | ---",
        "|||",
    ]
    assert words(chunk_of(*(("list_item", text) for text in missing))) == []
    kept = ["Product | PD | TBD", "What is this?? It is a gate.", "To be written off, a laptop must be old."]
    assert words(chunk_of(*(("list_item", text) for text in kept))) == kept


def test_a_chunk_without_blocks_is_prose():
    assert words(stored_chunk("One here. Two here.")) == ["One here.", "Two here."]
