"""Slack's text in and out."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.splitting import split_mrkdwn
from bot.text import escape, plain_question, unescape, unlinked

BOT = "U00000BOT01"


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (f"<@{BOT}> how much?", "how much?"),
        (f"<@{BOT}|footnote> how much?", "how much?"),
        (f"<@{BOT}>", ""),
        (f"how much, <@{BOT}>?", "how much, ?"),
        (f"<@{BOT}> does <@U2|maria> sign for <@U00000USR02>?", "does @maria sign for @U00000USR02?"),
        (f"<@{BOT}> retention for &lt;audit&gt; logs &amp; where?", "retention for <audit> logs & where?"),
        ("a &amp;lt; b", "a &lt; b"),
        ("&lt;@U1&gt; typed by hand", "<@U1> typed by hand"),
        ("it's &copy; &#39;", "it's &copy; &#39;"),
        ("see <https://docs.example.com/k?a=1&amp;b=2|docs.example.com/k>", "see docs.example.com/k"),
        ("see <https://docs.example.com/k?a=1&amp;b=2>", "see https://docs.example.com/k?a=1&b=2"),
        ("in <#C1|travel> and <#C2|> and <#C3>", "in #travel and #C2 and #C3"),
        ("<!here> <!subteam^S1|@hr> <!subteam^S2> <!channel|channel>", "@here @hr @S2 @channel"),
        ("by <!date^1392734382^{date}|18 February>", "by 18 February"),
        ("mail <mailto:a@b.example|a@b.example> or <tel:+4930>", "mail a@b.example or +4930"),
        ("a < b and <> c", "a < b and  c"),
        ("no\u00a0break \u200bzero\x00nul", "no break zeronul"),
        ("lone \ud800 surrogate", "lone ? surrogate"),
        ("`code &lt;T&gt;` :tada:", "`code <T>` :tada:"),
    ],
)
def test_what_people_typed_is_read_as_they_meant_it(raw: str, expected: str) -> None:
    assert plain_question(raw, own_user_id=BOT) == expected


@given(st.text())
def test_escaped_text_comes_back_and_holds_no_token(text: str) -> None:
    assert unescape(escape(text)) == text
    assert "<" not in escape(text)


@given(st.text(), st.sampled_from([BOT, ""]))
def test_any_text_can_be_stored(raw: str, own_user_id: str) -> None:
    text = plain_question(raw, own_user_id=own_user_id)
    assert "\x00" not in text
    text.encode("utf-8")


WORDS = st.sampled_from(
    [
        "word",
        "a",
        "&amp;",
        "&lt;!channel&gt;",
        "end.",
        "[1]",
        "[12]",
        "\n",
        "\n\n",
        "```",
        "x" * 90,
        "–",
        "  ",
    ]
)


def without_space_and_fences(text: str) -> str:
    return "".join(text.replace("```", "").split())


@given(st.lists(WORDS, max_size=150).map(" ".join), st.integers(60, 400))
def test_pieces_fit_and_lose_nothing(text: str, limit: int) -> None:
    pieces = split_mrkdwn(text, limit)
    assert all(0 < len(piece) <= limit for piece in pieces)
    assert without_space_and_fences("".join(pieces)) == without_space_and_fences(text)
    for piece in pieces:
        assert piece.count("&") == piece.count("&amp;") + piece.count("&lt;") + piece.count("&gt;")
        assert piece.count("[") == piece.count("[1]") + piece.count("[12]")


@given(st.text(alphabet="ab &;`[1]\n", max_size=600), st.integers(60, 100))
def test_pieces_of_nonsense_fit_too(text: str, limit: int) -> None:
    assert all(0 < len(piece) <= limit for piece in split_mrkdwn(text, limit))


@pytest.mark.parametrize("whole", ["&amp;", "&lt;", "[12]"])
@pytest.mark.parametrize("shift", range(6))
def test_nothing_is_torn_where_there_is_no_space_to_cut_at(whole: str, shift: int) -> None:
    pieces = split_mrkdwn("x" * shift + whole * 100, 70)
    assert "".join(pieces) == "x" * shift + whole * 100
    assert all(piece.lstrip("x").replace(whole, "") == "" for piece in pieces)


def test_a_marker_stays_with_its_sentence() -> None:
    text = " ".join(f"This is sentence number {number:03}. [1] [2]" for number in range(40))
    pieces = split_mrkdwn(text, 200)
    assert len(pieces) > 5
    for piece in pieces:
        assert piece.startswith("This is sentence")
        assert piece.endswith("[1] [2]")


def test_a_paragraph_border_is_preferred() -> None:
    assert split_mrkdwn(f"{'a ' * 40}\n\n{'b ' * 60}", 150) == [("a " * 40).strip(), ("b " * 60).strip()]


def test_a_code_block_is_closed_and_opened_again() -> None:
    code = "```\n" + "\n".join(f"line {number}" for number in range(60)) + "\n```"
    pieces = split_mrkdwn(code, 200)
    assert len(pieces) > 2
    assert all(piece.startswith("```") and piece.endswith("```") for piece in pieces)


def test_nothing_makes_no_piece() -> None:
    assert split_mrkdwn("  \n ", 100) == []


@pytest.mark.parametrize(
    "text",
    [
        "see https://evil.example.com/x?a=1",
        "see www.evil.example.com now",
        "see evil.example.com/x",
        "write to ada@evil.example.com",
        "ask @here or @channel or #general",
        "mailto:ada and tel:+49",
    ],
)
def test_what_looks_like_an_address_is_none_without_blocks(text: str) -> None:
    shown = unlinked(escape(text))
    assert shown.replace("\u2060", "") == text, "nobody sees a difference"
    found = re.findall(r"://|\w\.[a-z]{2}|\w@\w|(?<!\w)[@#]\w|mailto:\w|tel:\+", shown)
    assert found == []


def test_our_own_links_stay_links_without_blocks() -> None:
    link = "<https://footnote.example.com/documents/7?a=1&amp;b=2|Travel policy>"
    assert unlinked(f"[1] {link} 1.5 EUR. Next e.g. one") == f"[1] {link} 1.5 EUR. Next e.g. one"
