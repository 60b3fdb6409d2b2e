import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.sentences import sentence_spans


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("Ask Dr. Smith. He knows.", ["Ask Dr. Smith.", "He knows."]),
        (
            "Bring fruit, e.g. Apples or pears. Wash them.",
            ["Bring fruit, e.g. Apples or pears.", "Wash them."],
        ),
        ("Call the desk at ext. 6030. It is open.", ["Call the desk at ext. 6030.", "It is open."]),
        ("Call tel. 03 123. Ask for Ann.", ["Call tel. 03 123.", "Ask for Ann."]),
        ("See No. 4 in the list. Then go.", ["See No. 4 in the list.", "Then go."]),
        (
            "It costs 2.50 EUR. Pay at 9.15 a.m. on Monday.",
            ["It costs 2.50 EUR.", "Pay at 9.15 a.m. on Monday."],
        ),
        ("Signed by J. R. Hartley. Filed.", ["Signed by J. R. Hartley.", "Filed."]),
        ("The U.S. Government pays. Good.", ["The U.S. Government pays.", "Good."]),
        ("Bring pens etc. The rest is there.", ["Bring pens etc.", "The rest is there."]),
        ("1. First do this. Then that.", ["1. First do this.", "Then that."]),
        ("He said “Stop.” Then he left.", ["He said “Stop.”", "Then he left."]),
        ("Run `a. B` now. Done.", ["Run `a. B` now.", "Done."]),
        ("See [page. Two](x.md). Done.", ["See [page. Two](x.md).", "Done."]),
        ("It works (see A. Then B.) always. Done.", ["It works (see A. Then B.) always.", "Done."]),
        ("Wait... no. Go.", ["Wait... no.", "Go."]),
        ("Use version 2.0. It is stable.", ["Use version 2.0.", "It is stable."]),
        ("Intro:\n- one thing\n- another thing", ["Intro:", "- one thing", "- another thing"]),
        ("A soft\nwrapped line. Next.", ["A soft\nwrapped line.", "Next."]),
        ("**Bold ends.** Next one.", ["**Bold ends.**", "Next one."]),
        ("これは文です。次の文です。", ["これは文です。", "次の文です。"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text, expected):
    assert [text[start:end] for start, end in sentence_spans(text)] == expected


@given(st.text(alphabet=st.sampled_from("aB1 .!?\n\"')(`*-|[]:。é"), max_size=200))
def test_spans_are_ordered_disjoint_and_lose_only_white_space(text):
    spans = sentence_spans(text)
    end = 0
    for start, stop in spans:
        assert end <= start < stop
        assert not text[end:start].strip()
        assert text[start:stop] == text[start:stop].strip()
        end = stop
    assert not text[end:].strip()


def test_a_long_line_of_open_brackets_is_split_in_no_time():
    assert len(sentence_spans("(" * 20_000 + " a. B" * 2_000)) > 0


def test_a_line_of_dots_costs_no_more_than_its_length():
    started = time.process_time()
    assert sentence_spans("." * 50_000 + "a") == [(0, 50_001)]
    assert sentence_spans("Leave " + ". " * 20_000 + "12")[0][0] == 0
    assert time.process_time() - started < 5
