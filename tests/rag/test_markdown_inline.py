import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.markdown_inline import _with_code, _without_emphasis, plain_row, plain_text


@pytest.mark.parametrize(
    ("markdown", "plain"),
    [
        ("**Bold** and _soft_ and ***both***", "Bold and soft and both"),
        ("Run `a_b --c` now", "Run a_b --c now"),
        ("``a `tick` inside``", "a `tick` inside"),
        (r"Pay \$2000 \(net\)", "Pay $2000 (net)"),
        ("See [the *travel* guide](../t.md 'title') now", "See the travel guide now"),
        ("![logo](a.png) text", "logo text"),
        ("[text][ref] and [1]", "text and [1]"),
        ("Mail <mailto:a@b.org> or <https://x.org/a_b>", "Mail a@b.org or https://x.org/a_b"),
        ("| Oslo | 90 EUR |", "Oslo · 90 EUR"),
        ("2017 | 1620 | 35", "2017 · 1620 · 35"),
        ("a | b", "a | b"),
        ("- [x] done", "done"),
        ("> quoted", "quoted"),
        ("## Heading", "Heading"),
        ("snake_case_name and 2 * 3 * 4", "snake_case_name and 2 * 3 * 4"),
        ("5 < 6 > 4", "5 < 6 > 4"),
        ("Do ~~not~~ pay", "Do ~~not~~ pay"),
        ("array a[i][j] is set", "array a[i][j] is set"),
        ("the tariff [1][2] is 14 EUR", "the tariff [1][2] is 14 EUR"),
        ("soft\nwrap", "soft wrap"),
        ("Phone: ____", "Phone: ____"),
        ("Name ________ Date ______.", "Name ________ Date ______."),
        ("**Phone:** ____", "Phone: ____"),
        ("A row of *****", "A row of *****"),
        ("***a** b*", "a b"),
        ("", ""),
    ],
)
def test_what_a_reader_sees(markdown, plain):
    assert plain_text(markdown) == plain


@given(st.text(alphabet=st.sampled_from("ab1 *_`[]()|\\<>!#~-\n"), max_size=120))
def test_any_text_gives_one_line_and_keeps_its_letters(text):
    plain = plain_text(text)
    assert plain == " ".join(plain.split())
    assert len(plain) <= len(text) + 2 * text.count("|")


def test_words_without_markup_stay_as_they_are():
    text = "The daily limit in Oslo is 90 EUR (2024); it's paid monthly."
    assert plain_text(text) == text


@pytest.mark.parametrize(
    ("row", "header", "read"),
    [
        ("Hull | UK | 105", "City | Country | Limit", "City: Hull; Country: UK; Limit: 105"),
        ("Hull | | 105", "City | Country | Limit | Remark", "City: Hull; Limit: 105"),
        ("| **Hull** | 105 |", "| `City` | Limit: |", "City: Hull; Limit: 105"),
        (r"a \| b | 1", "| Key | Value |", "Key: a | b; Value: 1"),
        ("Hull | 105", " | Limit", "Hull; Limit: 105"),
        ("Hull | 105 | 9", "City | Limit", "Hull · 105 · 9"),
        ("Hotel limits 2025", "City | Country | Limit", "Hotel limits 2025"),
        ("City | Limit", "City | Limit", "City · Limit"),
        ("Hull | | 105", None, "Hull · 105"),
        ("", "City", ""),
    ],
)
def test_a_row_is_read_with_its_header(row, header, read):
    assert plain_row(row, header) == read


CODE = re.compile(r"(`+)(?P<code>.+?)\1", re.DOTALL)
EMPHASIS = re.compile(
    r"(?<![\w*_])(?:(?P<stars>\*{1,3})(?P<bold>\**[^*\s](?:.*?[^*\s])??\**)(?P=stars)"
    r"|(?P<lines>_{1,3})(?P<soft>_*[^_\s](?:.*?[^_\s])??_*)(?P=lines))(?![\w*_])",
    re.DOTALL,
)


@settings(max_examples=500)
@given(st.text("`a \n", max_size=24))
def test_code_spans_are_those_of_the_slow_pattern(text):
    assert _with_code(text, lambda code: f"<{code}>") == CODE.sub(lambda match: f"<{match['code']}>", text)


@settings(max_examples=500)
@given(st.text("*_a .\n", max_size=24))
def test_emphasis_is_that_of_the_slow_pattern(text):
    assert _without_emphasis(text) == EMPHASIS.sub(lambda match: match["bold"] or match["soft"], text)


PIECES = [
    "`",
    "` ",
    "*a ",
    "**a ",
    "_",
    "a`b``c```d",
    "(`x`",
    "[a",
    "[",
    "](",
    "<a:",
    "<a@",
    "||",
    "\\`",
    "> ",
    "[a][",
]


@pytest.mark.parametrize("piece", PIECES)
def test_a_long_run_of_marks_costs_no_more_than_its_length(piece):
    """Measured: at most 0.1 s for each on a busy machine; 6,000 backticks took 3 to 7 s, unclosed bold text 18 s."""
    started = time.monotonic()
    plain_text(piece * (20_000 // len(piece)))
    assert time.monotonic() - started < 2.0
