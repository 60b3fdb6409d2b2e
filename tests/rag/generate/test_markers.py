"""A model's text → sentences and the numbers of passages; only ``[n]`` is read as one."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.generate import Draft, read_markers
from rag.generate.protocol import ends_finished
from rag.types import RefusalReason


def read(text):
    return [(sentence.text, sentence.passages) for sentence in read_markers(text).sentences]


@pytest.mark.parametrize(
    "text",
    [
        "Gulls eat bread [1][2].",
        "Gulls eat bread. [1][2]",
        "Gulls eat bread.[1] [2]",
        "Gulls eat bread [1, 2].",
        "Gulls eat bread [1,2]",
        "Gulls eat bread [1], [2].",
        "Gulls eat bread 【1】【2】.",
        "Gulls [1] eat bread [2].",
        "Gulls eat bread [1]. [2]",
        "Gulls eat bread\n[1][2]",
        "Gulls eat bread [1].[2].",
    ],
)
def test_markers_stand_before_behind_or_inside_a_sentence(text):
    ((words, numbers),) = read(text)
    assert words.rstrip(".") == "Gulls eat bread"
    assert numbers == (1, 2)


def test_a_marker_speaks_for_its_own_sentence_alone():
    assert read("Gulls eat bread. Ferries leave at nine [2]. Trams do not.") == [
        ("Gulls eat bread.", ()),
        ("Ferries leave at nine.", (2,)),
        ("Trams do not.", ()),
    ]


def test_without_full_stops_a_capital_or_a_new_line_ends_a_sentence():
    assert read("Gulls eat bread [1] Ferries leave [2]\ntrams run [3]") == [
        ("Gulls eat bread", (1,)),
        ("Ferries leave", (2,)),
        ("trams run", (3,)),
    ]


def test_a_sentence_goes_on_behind_a_marker_in_it():
    assert read("Feed gulls [1], 5 ferries [2] (and trams) on Fridays [3]. Ask the harbour [1]!") == [
        ("Feed gulls, 5 ferries (and trams) on Fridays.", (1, 2, 3)),
        ("Ask the harbour!", (1,)),
    ]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("It is so [12345].", (12_345,)),
        ("It is so [0].", (0,)),
        (f"It is so [{'9' * 5_000}].", (0,)),
        ("It is so [99, 1].", (99, 1)),
        ("It is so [-1].", ()),
        ("It is so [1-3].", ()),
        ("It is so [a1b2].", ()),
        ("It is so [doc:1].", ()),
        ("It is so [^1].", ()),
        ("It is so (1).", ()),
        ("It is so [1](http://evil.example).", ()),
        ("It is so `[1]`.", ()),
        ("It is so: `x[1]` is two [2].", (2,)),
        ("It is so, see https://evil.example/1", ()),
    ],
)
def test_an_invented_number_is_told_as_written_and_nothing_else_is_a_number(text, numbers):
    assert [sentence[1] for sentence in read(text)] == [numbers]


@pytest.mark.parametrize(
    "text",
    [
        "[1] Gulls eat bread. [2] Ferries leave at nine.",
        "Sources:\n[1] Harbour rules\n[2] Timetable",
        "Sources:\n- [1] Harbour rules",
        "Sources:\n1. [1] Harbour rules",
        "Sources:\n[1]: http://evil.example",
    ],
)
def test_markers_before_the_words_they_mean_would_name_the_wrong_sentence(text):
    assert {numbers for _, numbers in read(text)} == {()}


def test_a_leading_marker_is_passed_over_where_the_sentences_end_with_theirs():
    assert read("Gulls eat bread.\n[1] Ferries leave at nine. [2]") == [
        ("Gulls eat bread.", ()),
        ("Ferries leave at nine.", (2,)),
    ]


@pytest.mark.parametrize(
    "text", ["NO_ANSWER", "**NO_ANSWER**", "`no_answer`.", "NO ANSWER", "NO_ANSWER: it is not said [1]."]
)
def test_abstaining(text):
    assert read_markers(text) == Draft((), RefusalReason.MODEL_ABSTAINED)


def test_the_word_for_abstaining_never_reaches_an_answer():
    assert read("Gulls eat bread [1]. For the rest NO_ANSWER [1].") == [("Gulls eat bread.", (1,))]
    assert read_markers("I say NO_ANSWER [1].") == Draft((), RefusalReason.MODEL_ABSTAINED)


@pytest.mark.parametrize(
    ("text", "is_finished"),
    [
        ("Gulls eat bread [1].", True),
        ("Gulls eat bread. [1][2] ", True),
        ("Gulls eat bread [1]", False),
        ("Gulls eat bread.", False),
        ("Gulls eat bread [1]. But only", False),
        ("Gulls eat bread. [1", False),
        ("", False),
    ],
)
def test_what_a_cut_off_text_ends_with(text, is_finished):
    assert ends_finished(text) is is_finished


PIECES = [
    "Gulls eat",
    "bread",
    ".",
    " ",
    "\n",
    "[1]",
    "[2]",
    "[99]",
    "[1](http://e.example)",
    "`[3]`",
    "Ask",
    "[",
    "]",
]


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_every_number_was_written_in_brackets_and_no_word_is_lost_or_invented(text):
    sentences = read_markers(text).sentences
    numbers = {number for sentence in sentences for number in sentence.passages}
    assert numbers <= {1, 2, 99}
    assert all(f"[{number}]" in text for number in numbers)
    assert _letters("".join(sentence.text for sentence in sentences)) == _letters(text)


def _letters(text):
    return [character for character in text if character.isalpha()]
