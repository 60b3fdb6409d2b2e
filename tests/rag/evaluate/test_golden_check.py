from dataclasses import replace

import pytest

from rag.evaluate import (
    GoldenMultihop,
    GoldenNeedle,
    GoldenRefusal,
    GoldenSet,
    NeedlePlace,
    check_golden_set,
    headings_of,
    read_golden_set,
)
from rag.extract import extract_file

TEXTS = {
    "a.md": "# Leave\n\nYou have 25 days of **leave** a year.\n\nAsk your lead first.",
    "b.md": "# Travel\n\nBook second class.\n\nAsk your lead first.",
}
HEADINGS = {"a.md": ["Leave"], "b.md": ["Travel"]}
GOOD = GoldenSet(
    "good",
    (GoldenNeedle("n1", "a.md", "You have 25 days of **leave** a year.", "how many days?", "time off??"),),
    (GoldenRefusal("r1", "near", "how many days in Peru?"),),
    (
        GoldenMultihop(
            "m1",
            "leave and trains?",
            (
                NeedlePlace("a.md", "You have 25 days of **leave** a year."),
                NeedlePlace("b.md", "Book second class."),
            ),
        ),
    ),
)


def faults(golden):
    return [(fault.id, fault.code) for fault in check_golden_set(golden, TEXTS, headings=HEADINGS)]


def with_needle(**changes):
    return replace(GOOD, needles=(replace(GOOD.needles[0], **changes),), multihop=())


def test_a_good_set_has_no_faults():
    assert faults(GOOD) == []


def test_a_needle_as_a_reader_sees_it_is_found():
    assert faults(with_needle(needle="You have 25 days of leave a year.")) == []


def test_a_needle_stands_once_and_where_it_is_said_to():
    assert faults(with_needle(needle="You have 26 days.")) == [("n1", "not_found")]
    assert faults(with_needle(document="b.md")) == [("n1", "other_document")]
    assert faults(with_needle(document="c.md")) == [("n1", "no_such_document")]
    assert faults(with_needle(needle="Ask your lead first.")) == [("n1", "not_unique")]
    assert faults(with_needle(document="b.md", needle="Travel")) == [("n1", "is_heading")]


@pytest.mark.parametrize(
    ("heading", "needle"),
    [
        ("Leave policy", "# Leave policy"),
        ("Leave policy", "**Leave policy**"),
        ("**Leave** policy", "Leave policy"),
        ("# Leave policy", "Leave  policy"),
        ("[Leave policy](x.md)", "## Leave policy"),
    ],
)
def test_a_heading_is_one_however_it_is_written(heading, needle):
    golden = GoldenSet("one", (GoldenNeedle("n1", "a.md", needle, "what?", "eh?"),))
    texts = {"a.md": f"## {heading.removeprefix('# ')}\n\nYou have 25 days."}
    found = check_golden_set(golden, texts, headings={"a.md": [heading]})
    assert [fault.code for fault in found] == ["is_heading"]


@pytest.mark.parametrize("needle", ["You have **25 days** a year.", "You have 25 days a year."])
def test_a_sentence_stands_twice_in_whatever_form(needle):
    golden = GoldenSet("one", (GoldenNeedle("n1", "a.md", needle, "what?", "eh?"),))
    texts = {"a.md": "You have **25 days** a year.", "b.md": "You have 25 days a year."}
    (fault,) = check_golden_set(golden, texts)
    assert (fault.code, fault.message) == ("not_unique", "The needle stands 2 times, in a.md, b.md.")
    both = {"a.md": " ".join(texts.values())}
    assert [fault.code for fault in check_golden_set(golden, both)] == ["not_unique"]


def test_repeats_that_overlap_are_counted():
    golden = GoldenSet("one", (GoldenNeedle("n1", "a.md", "ha ha ha", "what?", "eh?"),))
    (fault,) = check_golden_set(golden, {"a.md": "They say ha ha ha ha."})
    assert fault.message == "The needle stands 2 times, in a.md."


def test_rows_are_checked_by_themselves():
    assert faults(with_needle(ticket="")) == [("n1", "no_ticket")]
    assert faults(with_needle(ticket="How  many DAYS?")) == [("n1", "duplicate_question")]
    refusal = GOOD.refusals[0]
    assert faults(replace(GOOD, refusals=(replace(refusal, kind="odd"),))) == [("r1", "unknown_kind")]
    assert faults(replace(GOOD, refusals=(replace(refusal, id="n1"),))) == [("n1", "duplicate_id")]
    one = replace(GOOD.multihop[0], needles=GOOD.multihop[0].needles[:1])
    assert faults(replace(GOOD, multihop=(one,))) == [("m1", "too_few_needles")]


def test_headings_come_from_the_extraction(tmp_path):
    page = tmp_path / "a.md"
    page.write_text(TEXTS["a.md"])
    assert [title.strip("# ") for title in headings_of(extract_file(page, filename="a.md"))] == ["Leave"]


def test_the_developers_set_has_no_faults(shared_data):
    book = shared_data / "handbook_civicactions"
    golden = read_golden_set(shared_data / "golden" / "civicactions")
    read = {
        path.relative_to(book).as_posix(): extract_file(path, filename=path.name)
        for path in sorted(book.rglob("*.md"))
    }
    texts = {name: extraction.text for name, extraction in read.items()}
    headings = {name: headings_of(extraction) for name, extraction in read.items()}
    assert (len(golden.needles), len(golden.refusals), len(golden.multihop)) == (60, 60, 15)
    assert check_golden_set(golden, texts, headings=headings) == ()
    moved = replace(golden, needles=(replace(golden.needles[0], document="README.md"), *golden.needles[1:]))
    assert [fault.id for fault in check_golden_set(moved, texts, headings=headings)] == [golden.needles[0].id]
