"""Sentence boundaries with offsets, for prose, Markdown and text that came out of a PDF.

A wrong cut costs more than a missed one: a sentence cut in two can neither be found nor quoted
whole. So every doubt is decided against a boundary. Pure regular expressions: an answer is split
within the latency budget, and the same text is always split the same way.
"""

from __future__ import annotations

import re
from bisect import bisect_right

from rag.english import BEFORE_NUMBER, NEVER_LAST, OPENERS, SELDOM_LAST, TYPED_OPENERS

# A terminator, closing marks that belong to the sentence, then white space or the end. Tried only where a run of marks
# begins: a line of dots would be read anew from each of them.
_TERMINATOR = re.compile(
    r"(?P<mark>(?<![.!?…])[.!?…]++)(?P<close>[\"'”’»)\]*_`~]*)(?=\s|\Z)|(?P<wide>[。！？]+[」』”）]*)"
)
# A line that begins a new block by itself even where the extractor saw one paragraph.
_BLOCK_START = re.compile(r"\n(?=[ \t]*(?:[-*+•▪‣–][ \t]|\d{1,3}[.)][ \t]|\||#{1,6}[ \t]|\n))")
# Inside these a full stop ends nothing: code spans, link texts with their targets, short parentheses.
_PROTECTED = re.compile(r"`[^`\n]+`|\[[^\[\]\n]*\]\([^()\s]*\)|<[^<>\s]+>|\((?:[^()]|\([^()]*\)){0,240}\)")
_WORD_BEFORE = re.compile(r"[\w.&'’-]*\Z")
_LIST_NUMBER = re.compile(r"(?:\A|\n)[ \t]*(?:[-*+][ \t]+)?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})\Z")
_NEXT = re.compile(r"\s*(?P<open>[\"'“‘«(\[*_`~<\\]*)(?P<word>\w+)?")
_WORD_AFTER = re.compile(r"[\w'’]+")


def sentence_spans(text: str, *, is_typed: bool = False) -> list[tuple[int, int]]:
    """Half-open offsets of the sentences of `text`, without the white space around them.

    Every character that is not white space lies in exactly one span. Abbreviations (``e.g.``,
    ``No. 4``, ``Dr.``), initials, decimals, list numbers, code spans, links and parentheses of up to
    240 characters are not cut; a line that starts a list item or a table row begins a new sentence.
    In what people type to each other (`is_typed`) a sentence can begin in lower case: behind a question or exclamation
    mark, and behind a full stop where the word is one that opens sentences.

    >>> [text[a:b] for text in ["See No. 4. It costs 2.50 EUR."] for a, b in sentence_spans(text)]
    ['See No. 4.', 'It costs 2.50 EUR.']
    """
    spans = []
    start = 0
    for cut in [*_cuts(text, is_typed=is_typed), len(text)]:
        piece = text[start:cut]
        stripped = piece.strip()
        if stripped:
            first = start + len(piece) - len(piece.lstrip())
            spans.append((first, first + len(stripped)))
        start = cut
    return spans


def _cuts(text: str, *, is_typed: bool) -> list[int]:
    """Offsets inside `text` where one sentence ends and the next may begin, in order."""
    cuts = {match.start() for match in _BLOCK_START.finditer(text)}
    ranges = [match.span() for match in _PROTECTED.finditer(text)]
    starts = [start for start, _ in ranges]
    for match in _TERMINATOR.finditer(text):
        if match["wide"] is not None:
            cuts.add(match.end())
            continue
        around = bisect_right(starts, match.start("mark")) - 1
        if around >= 0 and match.start("mark") < ranges[around][1]:
            continue
        if _ends_sentence(text, match, is_typed=is_typed):
            cuts.add(match.end())
    return sorted(cut for cut in cuts if 0 < cut < len(text))


def _ends_sentence(text: str, match: re.Match[str], *, is_typed: bool) -> bool:
    """Whether the terminator closes a sentence, judged by the words on both sides."""
    following = _NEXT.match(text, match.end())
    word = following["word"] if following else None
    if word is None:
        return True
    is_lower = word[0].islower() and not (following and "`" in following["open"])
    if is_lower and not (
        is_typed and following and _opens_typed(text, match["mark"], following.start("word"))
    ):
        return False
    if match["mark"] != ".":
        return True
    before_text = text[max(0, match.start() - 40) : match.start()]
    if _LIST_NUMBER.search(before_text):
        return False
    found = _WORD_BEFORE.search(before_text)
    before = found.group().lower() if found else ""
    if before in NEVER_LAST or (len(before) == 1 and before.isalpha() and before != "i"):
        return False
    if before in BEFORE_NUMBER:
        return not (is_lower or word[0].isdigit())
    if before in SELDOM_LAST:
        return not is_lower and word.lower() in OPENERS
    return True


def _opens_typed(text: str, mark: str, start: int) -> bool:
    """Whether the word in lower case at `start` opens a sentence after this mark."""
    word = _WORD_AFTER.match(text, start)
    return (
        "?" in mark or "!" in mark or (word is not None and word.group().replace("’", "'") in TYPED_OPENERS)
    )
