"""Plain text: blank lines part paragraphs; underlined and all-capital lines are headings."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from rag.config import ExtractionLimits
from rag.extract.canonical import CanonicalBuilder, Reading, line_text, visible_text
from rag.extract.decoding import decode_text
from rag.extract.layout.blocks import Joiner
from rag.extract.layout.segments import is_cjk
from rag.extract.outline import HeadingTrail, choose_title
from rag.types import BlockKind, Coverage, Locator

_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")
_UNDERLINE = re.compile(r"(={3,}|-{3,}|~{3,}|\*{3,})")
_LIST_ITEM = re.compile(r"([-*•‣▪–]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+\S")
_MAX_HEADING_CHARS = 80
# A line this long was broken by a margin; a shorter one probably by its writer.
_WRAPPED_CHARS = 55
_NARROW_CHARS = 30
"""Also a narrow column breaks a word with a hyphen; a shorter line that ends in one was meant so."""
_MAX_WORD_CHARS = 80
_BROKEN_WORD = re.compile(r"[^\W\d_]{2,}[-\u2010]$")
# A soft hyphen at a line's end says itself that the word goes on.
_SOFT_BREAK = re.compile(r"\u00ad[^\S\n]*\r?\n[^\S\n]*(?=\S)")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


def read(path: Path, *, filename: str, limits: ExtractionLimits) -> Reading:
    """The text of a plain text file in any common encoding.

    Raises:
        ResourceLimit: the text is longer than the limit.
    """
    decoded = decode_text(path.read_bytes())
    blocks = TextBlocks(CanonicalBuilder(limits.max_chars))
    blocks.add_text(decoded.text)
    return Reading(
        title=choose_title((blocks.first_heading,), filename),
        text=blocks.builder.text(),
        spans=blocks.builder.spans(),
        coverage=Coverage("document", 1, 1),
        is_partial=decoded.is_partial,
        encoding=decoded.encoding,
        warnings=decoded.warnings,
    )


@dataclass(slots=True)
class TextBlocks:
    """Adds the paragraphs, list items and headings of plain text to `builder`."""

    builder: CanonicalBuilder
    trail: HeadingTrail = field(default_factory=HeadingTrail)
    first_heading: str | None = None

    def add_text(self, text: str) -> None:
        """Add all of `text`; words that a margin broke with a hyphen are made whole.

        Raises:
            ResourceLimit: the text is longer than the builder's limit.
        """
        source = visible_text(_SOFT_BREAK.sub("", text))
        joiner = Joiner(_vocabulary(source))
        for paragraph in _BLANK_LINES.split(source):
            self._add_paragraph([line.strip() for line in paragraph.split("\n") if line.strip()], joiner)

    def _add_paragraph(self, lines: list[str], joiner: Joiner) -> None:
        heading = _leading_heading(lines)
        if heading is not None:
            level, n_lines = heading
            title = line_text(lines[0])
            self.builder.add(title, "heading", Locator(heading_path=self.trail.enter(level, title)))
            self.first_heading = self.first_heading or title
            lines = lines[n_lines:]
        for item in _items(lines, joiner):
            kind: BlockKind = "list_item" if _LIST_ITEM.match(item) else "paragraph"
            self.builder.add(item, kind, Locator(heading_path=self.trail.path))


def _vocabulary(text: str) -> frozenset[str]:
    """Words that stand unbroken within a line: they decide whether a hyphen at a line's end stays."""
    return frozenset(
        word.casefold() for line in text.split("\n") for word in _WORD.findall(line.rstrip()[:-1])
    )


def _leading_heading(lines: list[str]) -> tuple[int, int] | None:
    """Level and number of lines of a heading that opens the paragraph, or None."""
    if not lines or len(lines[0]) > _MAX_HEADING_CHARS or not any(char.isalpha() for char in lines[0]):
        return None
    if len(lines) > 1 and _UNDERLINE.fullmatch(lines[1]) and not _UNDERLINE.fullmatch(lines[0]):
        return (1 if lines[1][0] in "=*" else 2), 2
    letters = [char for char in lines[0] if char.isalpha()]
    is_capital = lines[0] == lines[0].upper() and lines[0] != lines[0].lower()
    if len(lines) == 1 and is_capital and len(letters) >= 4 and lines[0][-1] not in ".!?,;":
        return 1, 1
    return None


def _items(lines: list[str], joiner: Joiner) -> list[str]:
    """The paragraph, or its list items one by one; lines a margin broke are joined."""
    items: list[list[str]] = []
    for line in lines:
        if _UNDERLINE.fullmatch(line):
            continue
        if not items or _LIST_ITEM.match(line):
            items.append([line])
        else:
            items[-1].append(line)
    return [_joined(item, joiner) for item in items]


def _joined(lines: list[str], joiner: Joiner) -> str:
    """Whole stretches that a margin broke, each on a line of its own."""
    stretches = [[lines[0]]]
    for previous, line in pairwise(lines):
        if _is_wrapped(previous, line):
            stretches[-1].append(line)
        else:
            stretches.append([line])
    return "\n".join(joiner.join(stretch) for stretch in stretches)


def _is_wrapped(previous: str, line: str) -> bool:
    is_word_broken = _BROKEN_WORD.search(previous[-_MAX_WORD_CHARS:]) is not None and line[0].islower()
    width = sum(2 if is_cjk(char) else 1 for char in previous)
    return width >= (_NARROW_CHARS if is_word_broken else _WRAPPED_CHARS)
