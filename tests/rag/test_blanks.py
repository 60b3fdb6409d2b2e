"""What only says that something is missing, and what says something beside its blank."""

import time

import pytest

from rag.blanks import is_blank, parts_of
from rag.quotable import quotables
from rag.types import Locator, Span
from tests.rag.fakes import stored_chunk

BLANKS = [
    "tbd",
    "tbd...",
    "@todo: needs content",
    "Number: to be added later.",
    "Terrace: ???",
    "_tbd..._",
    "4 | Dublin: to do",
    "Use these credentials to log in: //",
    "Phone: ____",
    "Phone: ......",
    "Phone: [ ]",
    "TBC",
    "XXX",
    "n/a",
    "<insert>",
    "Phone: TBC",
    "Phone: XXX",
    "Phone: n/a",
    "Phone: <insert>",
    "Phone: <insert number here>",
    "____.",
    "Phone: ____.",
    "(24h): ____",
    "Phone (24h): ____",
    "Name ____ Date ____",
    "**Phone:** ____",
    "Phone: {{phone}}",
    "Phone: [insert number]",
    "Berlin | tbd",
    "Berlin | n/a",
    "| Berlin | – |",
    "Contact - TBD",
    "Parking –",
    "Owner: tbd by HR",
    "Date: to be announced",
    "Date: to follow",
    "TODO: ask Ann",
    "TODO add the number",
    "The deposit is ____.",
    "Phone: …",
    "Phone ........",
    "Phone: _ _ _ _",
    "Phone: XXX-XXX",
    "Coming soon!",
    "Berlin; Hotel limit: tbd",
    "WIP",
    "Emergency: phone: ____",
    "(tbd)",
    "Phone: `tbd`",
    "TODO(anna): check",
    "Phone: N.A.",
    "Berlin | | tbd",
    "Price: ?? ",
    "Phone: __________ Fax: __________",
]


@pytest.mark.parametrize("words", BLANKS)
def test_blanks(words):
    assert is_blank(words)


@pytest.mark.parametrize(
    "words",
    [
        "TODO lists are kept in the tracker",
        "WIP limits are three per person",
        "Date: to be announced on Monday 5 May at 10",
        "Product | PD | TBD",
        "Date: to be announced by Friday",
        "Result: tbd, pending the audit in March",
        "Status: ✓",
        "Share: //server/forms",
        "Things to do: lock the gate.",
        "To be written off, a laptop must be old.",
        "Coming soon to Ghent: a new canteen.",
        "The TBD team sits in Ghent",
        "Mail: <ann@example.org>",
        "Site: <https://example.org/a>",
        "Call <mailto:ann@example.org>",
        "Size: XXL",
        "Chapter: XX",
        "Wait for it...",
        "He said: wait...",
        "[ ] Buy milk",
        "- [ ] Return the badge",
        "I, ____, agree to the terms.",
        "Winner: to be announced at the party in May",
        "See [insert cards](a.md)",
        "Use snake_case__names here",
        "Run __init__",
        "Pay is due: never",
        "Parking: free",
        "TODO items: three at most",
        "Ghent | 90",
        "Ghent | tbd | 90",
        "Question: Why?? Because.",
        "Code: 00__11",
        "Owner: Todo Rossi",
        "N/A in a form means not applicable.",
        "The path is a//b",
        "Not available on Sundays",
        "Coming soon means within a week.",
        "Laptop: to be returned in five days",
        "Room: NA-12",
        "The table | has",
        "WIP: three items at most per person",
        "To do: lock the gate",
        "Oslo – 90 EUR",
        "Mo–Fr - 9 to 5",
        "TBD Ltd. delivers the food",
        "Fax: 12 ____",
    ],
)
def test_what_tells_something_is_no_blank(words):
    assert not is_blank(words)


@pytest.mark.parametrize("kind", ["paragraph", "list_item"])
@pytest.mark.parametrize("form", ["Phone: ____\nFax:\nMail: a@b.org", "Phone: ____ Mail: a@b.org"])
def test_of_a_form_only_its_filled_fields_are_quotable(kind, form):
    chunk = stored_chunk(form, spans=(Span(0, len(form), kind, Locator()),))
    assert [form[each.start : each.end] for each in quotables(chunk)] == ["Mail: a@b.org"]


def test_a_label_with_nothing_behind_it_is_no_part_of_a_form():
    form = "Phone: ____\nFax:\nMail: a@b.org"
    assert [form[start:end] for start, end in parts_of(form)] == ["Phone: ____", "Mail: a@b.org"]


@pytest.mark.parametrize("words", ["One line\nand another.", "Floor: 3\nRoom: 12", "You need:\na visa"])
def test_lines_without_a_blank_stay_together(words):
    assert parts_of(words) == [(0, len(words))]


@pytest.mark.parametrize(
    "piece",
    [
        "_",
        "_ ",
        "a:",
        "a: _",
        "..",
        "[",
        "x",
        "x-",
        "xxx ",
        "a: \n",
        "{{",
        "|",
        "tbd ",
        "A: ____ ",
        "A ____ ",
    ],
)
def test_long_runs_cost_no_more_than_their_length(piece):
    words = piece * (20_000 // len(piece)) + "!a"
    started = time.monotonic()
    is_blank(words)
    is_blank(words[-290:])
    parts_of(words)
    assert time.monotonic() - started < 2.0  # measured: at most 0.3 s
