"""Lines to paragraphs, list items and table rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from rag.extract.layout.segments import LIST_MARKER, Line, is_cjk
from rag.extract.layout.tables import is_figure, table_length, table_rows
from rag.extract.tabular import joined_cells

_LIST_ITEM = re.compile(rf"({LIST_MARKER.pattern})\s+\S")
_SENTENCE_END = re.compile(r"[.!?:;…。！？]['\")\]”’»]*$")
_MAX_WORD_CHARS = 80  # a pattern that looked back farther would take minutes on a page of letters
_HYPHENATED = re.compile(r"([^\W\d_]+)[-\u00ad\u2010\x02\ufffe]$")


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a page. `table` is set on rows: rows of one table share the number."""

    text: str
    height: float
    is_bold: bool
    is_list_item: bool = False
    has_cells: bool = False
    """A line of it has wide gaps: a row of column names rather than a heading."""
    table: int | None = None
    table_header: str | None = None


@dataclass(frozen=True, slots=True)
class Joiner:
    """Joins the lines of a paragraph; `words` are the words seen unbroken in the document."""

    words: frozenset[str] = frozenset()

    def join(self, lines: Sequence[str]) -> str:
        """One text: hyphenated line ends rejoined, other line ends a space (none between CJK)."""
        text = lines[0] if lines else ""
        for line in lines[1:]:
            broken = _HYPHENATED.search(text[-_MAX_WORD_CHARS:])
            if broken and line[:1].islower():
                text = text[:-1] + ("-" if self._is_compound(broken[1], line) else "") + line
            elif is_cjk(text[-1:]) and is_cjk(line[:1]):
                text += line
            else:
                text += f" {line}"
        return text

    def _is_compound(self, start: str, line: str) -> bool:
        """The hyphen belongs to the word: seen so elsewhere, and never without it."""
        rest = re.match(r"[^\W\d_]+", line)
        if not rest:
            return True
        start, end = start.casefold(), rest[0].casefold()
        return f"{start}-{end}" in self.words and f"{start}{end}" not in self.words


def blocks_of(
    flow: Sequence[Line], *, joiner: Joiner, body_height: float, tolerance: float, table: int
) -> list[Block]:
    """The blocks of one column stretch.

    Args:
        flow: lines from top to bottom.
        body_height: the document's usual font height in points.
        tolerance: relative difference of heights that still counts as one font (OCR is noisy).
        table: the number for the first table found here; later ones count on.
    """
    blocks: list[Block] = []
    position = 0
    pending: list[Line] = []
    while position < len(flow):
        n_rows = table_length(flow, position)
        if n_rows:
            blocks += _paragraphs(pending, joiner, body_height, tolerance)
            pending = []
            blocks += _row_blocks(flow[position : position + n_rows], joiner, table)
            table += 1
            position += n_rows
        else:
            pending.append(flow[position])
            position += 1
    return blocks + _paragraphs(pending, joiner, body_height, tolerance)


def _row_blocks(lines: Sequence[Line], joiner: Joiner, table: int) -> Iterator[Block]:
    header: str | None = None
    rows = [[joiner.join(cell) for cell in row] for row in table_rows(lines)]
    if _is_numbered_list(rows):
        for number, item in rows:
            yield Block(f"{number} {item}", lines[0].height, is_bold=False, is_list_item=True)
        return
    for texts in rows:
        text = joined_cells(texts)
        yield Block(text, lines[0].height, is_bold=False, table=table, table_header=header)
        if header is None and not any(is_figure(cell) for cell in texts):
            header = text


def _is_numbered_list(rows: Sequence[Sequence[str]]) -> bool:
    """1, 2, 3, … each beside words: items whose number stands apart, not a table."""
    return all(len(row) == 2 and not is_figure(row[1]) for row in rows) and [row[0] for row in rows] == [
        str(number) for number in range(1, len(rows) + 1)
    ]


def _paragraphs(lines: Sequence[Line], joiner: Joiner, body_height: float, tolerance: float) -> list[Block]:
    if not lines:
        return []
    leading = _typical_leading(lines)
    left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
    groups: list[list[Line]] = [[lines[0]]]
    for previous, line in pairwise(lines):
        is_title = min(previous.height, line.height) > 1.15 * body_height
        if _is_break(previous, line, leading, tolerance) or (
            not is_title and _is_paragraph_end(previous, line, left, right)
        ):
            groups.append([line])
        else:
            groups[-1].append(line)
    return [_block(group, joiner) for group in groups]


def _block(group: Sequence[Line], joiner: Joiner) -> Block:
    return Block(
        joiner.join([line.text for line in group]),
        median(line.height for line in group),
        is_bold=all(line.is_bold for line in group),
        is_list_item=_LIST_ITEM.match(group[0].text) is not None,
        has_cells=any(len(line.segments) > 1 for line in group),
    )


def _typical_leading(lines: Sequence[Line]) -> float:
    leadings = [line.top - previous.top for previous, line in pairwise(lines) if line.top > previous.top]
    usual = [value for value in leadings if value < 2.2 * lines[0].height] or [1.3 * lines[0].height]
    return median(usual)


def _is_break(previous: Line, line: Line, leading: float, tolerance: float) -> bool:
    """The look changes: other font height, bold begins or ends, a gap, or a list marker."""
    tallest = max(previous.height, line.height)
    return (
        abs(previous.height - line.height) > tolerance * tallest
        or previous.is_bold != line.is_bold
        or line.top - previous.top > 1.3 * leading + 1
        or line.top < previous.top - tallest
        or _LIST_ITEM.match(line.text) is not None
    )


def _is_paragraph_end(previous: Line, line: Line, left: float, right: float) -> bool:
    """`previous` leaves room for the next word, or it ends a sentence and `line` is indented."""
    if _HYPHENATED.search(previous.text) and line.text[:1].islower():
        return False
    first_word = line.text.split(" ", 1)[0]
    word_width = len(first_word) * (line.x1 - line.x0) / max(1, len(line.text))
    has_room = right - previous.x1 > word_width + 1.5 * line.height
    ends = _SENTENCE_END.search(previous.text) is not None
    indent = line.x0 - max(left, previous.x0)
    is_indented = 0.6 * line.height < indent < 6 * line.height
    return (has_room and (ends or right - previous.x1 > 0.35 * (right - left))) or (ends and is_indented)
