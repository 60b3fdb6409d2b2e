import pytest

from rag.lists import listings, without_number
from tests.rag.test_quotable import chunk_of


def shown(chunk):
    return [
        (
            [chunk.content[start:end] for start, end in each.items],
            each.lead_in and chunk.content[slice(*each.lead_in)],
            each.is_numbered,
        )
        for each in listings(chunk)
    ]


def test_items_in_a_row_are_a_list_with_the_line_that_introduces_them():
    chunk = chunk_of(
        ("list_item", "one alone"),
        ("paragraph", "Bring these early. You need:"),
        ("list_item", "1. a visa"),
        ("list_item", "2. a map "),
        ("paragraph", "The end."),
        ("list_item", "salt"),
        ("list_item", "---"),
        ("list_item", "pepper"),
    )
    assert shown(chunk) == [
        (["1. a visa", "2. a map"], "You need:", True),
        (["salt", "pepper"], None, False),
    ]
    (first, second) = listings(chunk)
    assert (first.is_one_thing, second.is_one_thing) == (True, False)
    assert first.position_of(first.items[1][0] + 3) == 1
    assert first.position_of(0) is None


@pytest.mark.parametrize(
    ("items", "is_numbered"),
    [
        (("1. one", "2. two"), True),
        (("3) one", "nested", "4) two"), True),
        (("**1.** one", "**2.** two"), True),
        (("2. two", "1. one"), False),
        (("2.5 metres", "3.5 metres"), False),
        (("one", "1. two", "2. three"), False),
    ],
)
def test_rising_numbers_make_a_numbered_list(items, is_numbered):
    chunk = chunk_of(*(("list_item", item) for item in items))
    assert listings(chunk)[0].is_numbered is is_numbered


@pytest.mark.parametrize(
    ("line", "introduces"),
    [("Never:", True), ("Not allowed:", True), ("Therefore:", False), ("*Note*:", False)],
)
def test_a_word_that_only_joins_is_no_introduction(line, introduces):
    chunk = chunk_of(("paragraph", line), ("list_item", "one"), ("list_item", "two"))
    assert (listings(chunk)[0].lead_in is not None) is introduces


def test_only_a_number_of_a_list_is_left_out():
    assert without_number("12) Wait.") == "Wait."
    assert without_number("12 apples") == "12 apples"
