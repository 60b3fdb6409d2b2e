"""What of a passage can be quoted as it stands: sentences, list items and table rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rag.blanks import is_blank, parts_of
from rag.markdown_inline import plain_row
from rag.sentences import sentence_spans
from rag.types import BlockKind, Span, StoredChunk

_WHOLE_ITEM_CHARS = 320
"""A list item up to here is quoted whole; a longer one is prose and is quoted by sentence."""
_CAPTION_CHARS = 60

_CODE = re.compile(r"\b[A-Z]{1,5}-?\d{1,5}\b")
"""``L-40``, ``E404``: the name of a thing, no figure that somebody asks for."""
_CODED_CAPTION_WORDS = 3
_SAYS = re.compile(r"[:=→]|\b(?:is|are|was|has|use|see|call|dial|go to)\b", re.IGNORECASE)
"""In a line with a code: "Your locker is B12" says something."""
_SAYS_IN_HEADING = re.compile(
    r"[:=→]\s*\S|\b(?:is|are|was|were|has|have|must|may|can|shall|should|will|not|no|never|always)\b|\S [^?]*[.!]\s*\Z",
    re.IGNORECASE,
)
_FEW_WORDS = 3
_MAIL_HEADER = re.compile(
    r"(?=(?:.*\n)*From: )(?=(?:.*\n)*(?:Date|Subject): )(?:(?:From|To|Cc|Date|Subject): .*(?:\n|\Z)){2,}"
)
"""Who wrote to whom about what: names the message, and says nothing of what stands in it."""

_FOLLOWERS = frozenset({"list_item", "table_row", "code"})
"""Kinds that a line or a question before them may introduce several of."""

_EMPHASIS = "*_`~ \n"
_CLOSED_BY = {'"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "(": ")", "[": "]"}


@dataclass(frozen=True, slots=True)
class Quotable:
    """A stretch ``content[start:end]`` of a passage, and what a reader needs before it.

    `context` is the line that introduces a list item, the question before its answer or the header of a
    table row; it may be empty.
    """

    start: int
    end: int
    kind: BlockKind
    context: str

    def within(self, chunk: StoredChunk) -> str:
        """The stretch as a model reads it alone: the chunk's header line, the context and its words, each on a line."""
        header = chunk.text.removesuffix(chunk.content).rstrip("\n")
        words = chunk.content[self.start : self.end]
        return "\n".join(part for part in (header, self.context, words) if part)


def row_in_words(words: str, header: str) -> str:
    """The table row with its column names; a header that does not fit its cells stands before it.

    >>> row_in_words("Oslo | 90", "City | Rate"), row_in_words("Oslo", "City | Rate")
    ('City: Oslo; Rate: 90', 'City | Rate\\nOslo')
    """
    read = plain_row(words, header)
    return read if not header or ": " in read else f"{header}\n{read}"


def quotables(chunk: StoredChunk) -> list[Quotable]:
    """The quotable stretches of a passage in reading order; they never overlap.

    A line that only introduces what follows ("You need:", a table's header row) is context, not a
    quotation, unless the passage has nothing else. A question is the context of its answer: the rest of
    its block, or the next block; so is a paragraph that captions the next one. Questions and blanks
    ("tbd", "Phone: ____") are never quotable, nor are the lines From, To and Subject of an e-mail, nor a
    heading that only names a topic.
    """
    found: list[Quotable] = []
    introductions: list[Quotable] = []
    lead_in = question = ""
    is_answered = False
    previous: BlockKind | None = None
    blocks = chunk.spans or (Span(chunk.start, chunk.end, "paragraph", chunk.locator),)
    for block, following in zip(blocks, (*blocks[1:], None), strict=True):
        goes_on = block.kind in _FOLLOWERS and (block.kind == previous or lead_in)
        if is_answered and not goes_on:
            question = ""
        for start, end in _stretches(chunk, block):
            words = chunk.content[start:end]
            if not any(map(str.isalnum, words)) or is_blank(words):
                continue
            if (block.kind not in {"table_row", "code"} and is_question(words)) or _captions(
                words, block, following, chunk
            ):
                question, is_answered = words, False
                continue
            if block.kind == "heading" and not _heading_says(words):
                continue
            is_answered = True
            quotable = Quotable(start, end, block.kind, _context(block, lead_in, question))
            if _same(words, block.table_header):
                introductions.append(quotable)
            elif _introduces(words):
                lead_in = words
                introductions.append(quotable)
            else:
                found.append(quotable)
        if block.kind not in _FOLLOWERS and not _introduces(chunk.content[: block.end - chunk.start]):
            lead_in = ""
        if block.kind == previous == "list_item" and not is_answered:
            question = ""  # a list of questions; what comes after it is no answer
        previous = block.kind
    return found or introductions


def _captions(words: str, block: Span, following: Span | None, chunk: StoredChunk) -> bool:
    """Whether a paragraph is the title of the next block, as help pages write them: no sentence, and no figure.

    A code is none: "Error L-40" names what the next block is about.
    """
    if block.kind != "paragraph" or following is None or following.kind != "paragraph":
        return False
    title = _CODE.sub("code", words)
    if title != words and (len(words.split()) > _CODED_CAPTION_WORDS or _SAYS.search(words)):
        return False
    told = chunk.content[following.start - chunk.start : following.end - chunk.start]
    return (
        told.rstrip(_EMPHASIS).endswith((".", "!", ":"))
        and len(words) == block.end - block.start <= _CAPTION_CHARS
        and title.rstrip(_EMPHASIS)[-1:].isalpha()
        and not any(map(str.isdigit, title))
    )


def _heading_says(words: str) -> bool:
    """Whether a heading tells something ("Emergency number: 4711", "Visitors must sign in") or only names a topic."""
    few = len(words.split()) <= _FEW_WORDS
    tells = _SAYS_IN_HEADING.search(words) or (not few and any(map(str.isdigit, words)))
    return bool(tells) and not words.rstrip(_EMPHASIS).endswith((":", "?"))


def is_question(words: str) -> bool:
    """Whether the sentence asks; one that only ends with a quoted question does not."""
    words = words.strip(_EMPHASIS)
    while len(words) > 1 and _CLOSED_BY.get(words[0]) == words[-1]:
        words = words[1:-1].strip(_EMPHASIS)
    return words.rstrip("!").endswith(("?", "？"))


def _introduces(words: str) -> bool:
    """Whether their last line introduces what follows."""
    return words.rstrip("*_` \n").endswith(":")


def _same(words: str, header: str | None) -> bool:
    return header is not None and " ".join(words.split()) == " ".join(header.split())


def _context(block: Span, lead_in: str, question: str) -> str:
    if block.kind == "table_row":
        return block.table_header or ""
    introduction = lead_in if block.kind in {"list_item", "code"} else ""
    return "\n".join(line for line in (question, introduction) if line)


def _stretches(chunk: StoredChunk, block: Span) -> Iterator[tuple[int, int]]:
    start, end = block.start - chunk.start, block.end - chunk.start
    text = chunk.content[start:end]
    if block.kind == "paragraph" and _MAIL_HEADER.fullmatch(text):
        return
    spans = sentence_spans(text)
    whole = block.kind in {"table_row", "code"} or (
        block.kind == "list_item"
        and len(text) <= _WHOLE_ITEM_CHARS
        and not any(is_question(text[a:b]) for a, b in spans)
    )
    if whole:
        first = len(text) - len(text.lstrip())
        spans = [(first, first + len(text.strip()))]
    for a, b in spans:
        if block.kind in {"table_row", "code"}:
            yield start + a, start + b
            continue
        for c, d in parts_of(text[a:b]):
            yield start + a + c, start + a + d
