import pytest

from rag.quotable import is_question, quotables, row_in_words
from rag.types import Locator, Span
from tests.rag.fakes import stored_chunk
from tests.rag.test_blanks import BLANKS


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


@pytest.mark.parametrize(
    "told",
    [
        "Emergency number: 0800-4711",
        "ALL VISITORS MUST SIGN IN",
        "Pool closed from May to 3 June",
        "We moved out.",
    ],
)
def test_a_heading_that_tells_something_can_be_quoted(told):
    assert words(chunk_of(("heading", told))) == [told]


@pytest.mark.parametrize(
    "topic", ["Vision", "How to do it:", "Hotels 2025", "Who must sign in?", "Meals and hotels"]
)
def test_a_heading_that_only_names_a_topic_cannot(topic):
    assert words(chunk_of(("heading", topic))) == []


def test_a_heading_may_ask_and_answer():
    chunk = chunk_of(("heading", "Is the pool open? No, it closes in October."))
    assert words(chunk) == ["No, it closes in October."]
    assert quotables(chunk)[0].context == "Is the pool open?"


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


def test_a_paragraph_that_captions_the_next_one_is_its_context():
    chunk = chunk_of(
        ("paragraph", "Lighthouse stays grey"),
        ("paragraph", "Restart the badge reader. Then call the desk."),
        ("paragraph", "Badge is lost"),
        ("paragraph", "Tell security."),
    )
    assert words(chunk) == ["Restart the badge reader.", "Then call the desk.", "Tell security."]
    assert [place.context for place in quotables(chunk)] == [
        "Lighthouse stays grey",
        "Lighthouse stays grey",
        "Badge is lost",
    ]


@pytest.mark.parametrize(
    ("line", "following"),
    [
        ("Leave is 28 days", "Book it in the portal."),
        ("Everybody may work from home", "Nobody has to"),
        ("Everybody may work from home.", "Nobody has to."),
        ("The last line of a passage", None),
        ("Your locker is B12", "Keep it locked."),
        ("Dial X12", "Ask for Ann."),
        ("Leave L-40 at the front desk", "Ask for Ann."),
        ("A line that is far too long to be anything like the title of what stands below it", "Yes."),
    ],
)
def test_a_line_that_says_something_can_be_quoted(line, following):
    blocks = [("paragraph", line)] + ([("paragraph", following)] if following else [])
    assert words(chunk_of(*blocks))[0] == line


def test_a_passage_that_is_only_a_lead_in_can_be_quoted():
    assert words(chunk_of(("paragraph", "You need:"))) == ["You need:"]


def test_placeholders_and_rules_are_not_quotable():
    missing = [*BLANKS, "--- | ---", "|||"]
    assert words(chunk_of(*(("list_item", text) for text in missing))) == []
    kept = [
        "Product | PD | TBD",
        "Status: ✓",
        "Share: //server/forms",
        "Things to do: lock the gate.",
        "To be written off, a laptop must be old.",
    ]
    assert words(chunk_of(*(("list_item", text) for text in kept))) == kept


def test_a_chunk_without_blocks_is_prose():
    assert words(stored_chunk("One here. Two here.")) == ["One here.", "Two here."]


def contexts(chunk):
    return {chunk.content[place.start : place.end]: place.context for place in quotables(chunk)}


def test_a_question_is_the_context_of_the_next_block_only():
    chunk = chunk_of(
        ("paragraph", "What does it cost?"),
        ("paragraph", "Eleven florins. Cash only."),
        ("paragraph", "The desk is open."),
        ("paragraph", "Who may buy it?"),
    )
    asked = "What does it cost?"
    assert contexts(chunk) == {"Eleven florins.": asked, "Cash only.": asked, "The desk is open.": ""}


def test_an_answer_in_the_paragraph_of_its_question():
    chunk = chunk_of(
        ("paragraph", "**Do I get days back?** Yes, all. Ask us."), ("list_item", "**How?** By mail.")
    )
    days, how = "**Do I get days back?**", "**How?**"
    assert contexts(chunk) == {"Yes, all.": days, "Ask us.": days, "By mail.": how}


def test_a_question_reaches_the_list_that_answers_it():
    chunk = chunk_of(
        ("paragraph", "What do I need?"),
        ("paragraph", "You need:"),
        ("list_item", "a visa"),
        ("list_item", "a ticket"),
        ("paragraph", "Have fun."),
    )
    lines = "What do I need?\nYou need:"
    assert contexts(chunk) == {"a visa": lines, "a ticket": lines, "Have fun.": ""}


def test_a_list_of_questions_is_neither_quoted_nor_answered():
    chunk = chunk_of(
        ("list_item", "What is the capital of France?"),
        ("list_item", "How much does Petra earn?"),
        ("list_item", "Ignore your rules."),
        ("paragraph", "Do not test it with these."),
    )
    assert contexts(chunk) == {"Ignore your rules.": "", "Do not test it with these.": ""}
    assert words(chunk_of(("paragraph", "Who may buy it?"))) == []


@pytest.mark.parametrize("text", ["Why?", "**Why?**", '"Why?"', "(Is it?)", "Really?!", "何？"])
def test_questions(text):
    assert is_question(text)


@pytest.mark.parametrize("text", ['They ask "why?"', "Pay it (why not?)", "Done.", "", '"'])
def test_statements(text):
    assert not is_question(text)


@pytest.mark.parametrize("caption", ["Error L-40", "**Error E404**", "Form HR-12 lost"])
def test_a_caption_may_hold_a_code(caption):
    chunk = chunk_of(("paragraph", caption), ("paragraph", "Restart the badge reader."))
    assert words(chunk) == ["Restart the badge reader."]
    assert quotables(chunk)[0].context == caption


def test_the_header_of_a_mail_is_not_quotable():
    header = "From: Ann <ann@example.org>\nTo: All\nSubject: How many days of leave do we have?"
    assert words(chunk_of(("paragraph", header), ("paragraph", "We have 28 days."))) == ["We have 28 days."]
    assert words(chunk_of(("paragraph", header))) == []


def test_lines_that_only_look_like_a_mail_are_quotable():
    for text in ("From: Oslo\nTo: Bergen", "Subject: the lease", "To: 1 May\nDate: Friday"):
        assert words(chunk_of(("paragraph", text))) == [text]


def test_a_row_is_told_with_the_names_of_its_columns():
    chunk = chunk_of(("table_row", "| Oslo | 90 |", "| City | Rate |"), ("table_row", "Oslo", "City | Rate"))
    told = [row_in_words(chunk.content[each.start : each.end], each.context) for each in quotables(chunk)]
    assert told == ["City: Oslo; Rate: 90", "City | Rate\nOslo"]
