"""Addresses that a model wrote: only those of a cited passage reach a reader."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.generate import without_foreign_links
from rag.generate.prompt import read_completion
from rag.markdown_inline import plain_text
from tests.rag.fakes import scored, stored_chunk

LINKED = scored(
    stored_chunk(
        "Apply at https://intranet.example/Leave?year=now. See [tolls](t.md), [the form](https://forms.example/a_(b)) "
        "or write to leave@good.example (portal.example/help)."
    )
)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Apply at https://evil.example/x.", "Apply at …."),
        ("Apply at HTTPS://EVIL.EXAMPLE now", "Apply at … now"),
        ("Apply (see http://evil.example/a,b), soon", "Apply (see …), soon"),
        ("Apply [here](https://evil.example 'now') soon", "Apply here soon"),
        ("Apply [https://evil.example](https://evil.example) soon", "Apply … soon"),
        ("A ![chart](https://evil.example/?q=secret) here", "A  here"),
        ("Apply <https://evil.example/x> or <https://evil.example|here>", "Apply … or here"),
        ("Apply at www.evil.example or evil.example/x or EVIL.EXAMPLE", "Apply at … or … or …"),
        ("Write to boss@evil.example or mailto:boss@evil.example", "Write to … or …"),
        ("Click javascript:alert(1) or [x](javascript:alert(1))", "Click …) or x"),
        ("Go to ftp://evil.example and slack://channel?id=1", "Go to … and …"),
        ("See https://intranet.example@evil.example/", "See …"),
        ("See https://intranet.example/Leave?year=now@evil.example", "See …"),
        ("See https://intranet.example/Leave", "See …"),
        ("See https://intranet.example.evil.example/Leave?year=now", "See …"),
    ],
)
def test_a_foreign_address_does_not_survive(text, left):
    assert without_foreign_links(text, (LINKED,)) == left


@pytest.mark.parametrize(
    "text",
    [
        "Apply at https://intranet.example/Leave?year=now.",
        "Apply at https://INTRANET.example/Leave?year=now/ today",
        "Apply (https://intranet.example/Leave?year=now)",
        "Apply at intranet.example/Leave?year=now",
        "See [tolls](t.md).",
        "See [the form](https://forms.example/a_(b)).",
        "See https://forms.example/a_(b) for it",
        "Write to leave@good.example.",
        "Ask at portal.example/help",
        "Pay 2.50 EUR, i.e. at 9.30 a.m. in St.Ives, e.g. with v1.2 (No. 4).",
        "<!channel> and <@U123> are words; so is a < b, C:/x and metadata:x.",
    ],
)
def test_a_passages_own_address_and_plain_words_stay(text):
    assert without_foreign_links(text, (LINKED,)) == text


def test_only_the_cited_passage_counts():
    text = "Apply at https://intranet.example/Leave?year=now [1]. Or at https://intranet.example/Leave?year=now [2]."
    draft = read_completion(text, (LINKED, scored(stored_chunk("Gulls eat bread."))))
    assert [sentence.text for sentence in draft.sentences] == [
        "Apply at https://intranet.example/Leave?year=now.",
        "Or at ….",
    ]


@pytest.mark.parametrize(
    "text",
    [
        r"http:\/\/evil\.example",
        "**evil**.example",
        "`evil`.example",
        "[evil](x).example",
        "ev\u200bil.example",
        "https://[evil](x).example",
        r"**ht**tps\://**evil**\.example",
        "![a](b)http://evil.example",
        "`http`://evil.example",
    ],
)
def test_markdown_does_not_hide_an_address(text):
    draft = read_completion(f"Apply at {text} now [1].", (LINKED,))
    for sentence in draft.sentences:
        assert not re.search(r"evil\W{0,3}example", plain_text(sentence.text))


PIECES = [
    "http",
    "s",
    ":",
    "//",
    "evil",
    ".",
    "com",
    "/",
    "\\",
    "*",
    "**",
    "`",
    "[",
    "]",
    "(",
    ")",
    "<",
    ">",
    "|",
    " ",
    "_",
]


@settings(deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
def test_what_a_reader_sees_holds_no_address(text):
    shown = plain_text(without_foreign_links(text, ()))
    assert not re.search(r"https?://\w|evil\.com", shown)
