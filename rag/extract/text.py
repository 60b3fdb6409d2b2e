"""Plain text: blank lines part paragraphs; underlined and all-capital lines are headings."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

from rag.config import ExtractionLimits
from rag.extract.canonical import CanonicalBuilder, Reading, line_text, visible_text
from rag.extract.decoding import decode_text
from rag.extract.outline import HeadingTrail, choose_title
from rag.types import BlockKind, Coverage, Locator

_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")
_UNDERLINE = re.compile(r"(={3,}|-{3,}|~{3,}|\*{3,})")
_LIST_ITEM = re.compile(r"([-*•‣▪–]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+\S")
_MAX_HEADING_CHARS = 80
# A line this long was broken by a margin; a shorter one probably by its writer.
_WRAPPED_CHARS = 55


def read(path: Path, *, filename: str, limits: ExtractionLimits) -> Reading:
    """The text of a plain text file in any common encoding.

    Raises:
        ResourceLimit: the text is longer than the limit.
    """
    decoded = decode_text(path.read_bytes())
    builder = CanonicalBuilder(limits.max_chars)
    trail = HeadingTrail()
    first_heading: str | None = None
    for paragraph in _BLANK_LINES.split(visible_text(decoded.text)):
        lines = [line.strip() for line in paragraph.split("\n") if line.strip()]
        heading = _leading_heading(lines)
        if heading is not None:
            level, n_lines = heading
            title = line_text(lines[0])
            builder.add(title, "heading", Locator(heading_path=trail.enter(level, title)))
            first_heading = first_heading or title
            lines = lines[n_lines:]
        for item in _items(lines):
            kind: BlockKind = "list_item" if _LIST_ITEM.match(item) else "paragraph"
            builder.add(item, kind, Locator(heading_path=trail.path))
    return Reading(
        title=choose_title((first_heading,), filename),
        text=builder.text(),
        spans=builder.spans(),
        coverage=Coverage("document", 1, 1),
        is_partial=decoded.is_partial,
        encoding=decoded.encoding,
        warnings=decoded.warnings,
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


def _items(lines: list[str]) -> list[str]:
    """The paragraph, or its list items one by one; lines a margin broke are joined."""
    items: list[list[str]] = []
    for line in lines:
        if _UNDERLINE.fullmatch(line):
            continue
        if not items or _LIST_ITEM.match(line):
            items.append([line])
        else:
            items[-1].append(line)
    return [_joined(item) for item in items]


def _joined(lines: list[str]) -> str:
    text = lines[0]
    for previous, line in pairwise(lines):
        text += (" " if len(previous) >= _WRAPPED_CHARS else "\n") + line
    return text
