"""Markdown: the inline source of each block as it stands, so that a quote is what the author typed.

Rendering for readers happens where a quote is shown, not here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rag.config import ExtractionLimits
from rag.extract.canonical import CanonicalBuilder, Reading, line_text, visible_text
from rag.extract.decoding import decode_text
from rag.extract.left_out import left_out
from rag.extract.markdown_html import SeenWords, keep_places, seen_words
from rag.extract.outline import HeadingTrail, choose_title
from rag.extract.tabular import joined_cells
from rag.types import Coverage, Locator

if TYPE_CHECKING:
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token

_MAX_DEPTH = 40
"""Of lists, which are two levels each with their items, and quotations."""
_FRONT_MATTER = re.compile(r"\A(---|\+\+\+)[^\S\n]*\n(.*?\n)?\1[^\S\n]*(\n|\Z)", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title\s*[:=]\s*(.+?)\s*$", re.MULTILINE)
_HARD_BREAK = re.compile(r"(?:  +|\\)\n")


def read(path: Path, *, filename: str, limits: ExtractionLimits) -> Reading:
    """The blocks of a Markdown file; front matter and what HTML hides are left out.

    Raises:
        ResourceLimit: the text is longer than the limit.
    """
    decoded = decode_text(path.read_bytes())
    # Normalised before it is parsed: a zero-width space before "#" would hide a heading.
    source = visible_text(decoded.text)
    front = _FRONT_MATTER.match(source)
    body = source[front.end() :] if front else source
    tokens = _parsed(body)
    seen = seen_words(tokens)
    blocks = _Blocks(CanonicalBuilder(limits.max_chars), seen)
    blocks.walk(tokens)
    return Reading(
        title=choose_title((_front_title(front), blocks.first_heading), filename),
        text=blocks.builder.text(),
        spans=blocks.builder.spans(),
        coverage=Coverage("document", 1, 1),
        is_partial=decoded.is_partial,
        encoding=decoded.encoding,
        warnings=(
            *decoded.warnings,
            *left_out("front_matter_dropped", _n_front_lines(front), "line", detail=" of front matter"),
            *seen.dropped.warnings,
        ),
    )


def _parsed(body: str) -> list[Token]:
    from markdown_it import MarkdownIt

    # The parser's own limit would drop everything after the first block that is nested too deep.
    parser = MarkdownIt("commonmark", {"maxNesting": 2 * _MAX_DEPTH}).enable("table")
    parser.block.ruler.before("table", "too_deep", _line_too_deep)
    keep_places(parser)
    return parser.parse(body)


def _line_too_deep(state: StateBlock, start: int, _end: int, silent: bool) -> bool:
    """A rule of the parser: below the last level each line is a paragraph, with its marks."""
    if state.level < _MAX_DEPTH:
        return False
    if not silent:
        state.line = start + 1
        state.push("paragraph_open", "p", 1).map = [start, state.line]
        line = state.push("inline", "", 0)
        line.content = state.getLines(start, state.line, state.blkIndent, False).strip()
        line.children = []
        state.push("paragraph_close", "p", -1)
    return True


def _n_front_lines(front: re.Match[str] | None) -> int:
    """Lines that say something, the title apart: it names the document."""
    lines = (front[2] or "").split("\n") if front else []
    return sum(bool(line.strip()) and _FRONT_TITLE.match(line) is None for line in lines)


def _front_title(front: re.Match[str] | None) -> str | None:
    found = _FRONT_TITLE.search(front[2] or "") if front else None
    return found[1].strip("\"'") if found else None


@dataclass(slots=True)
class _Blocks:
    """Turns the flat stream of block tokens into canonical blocks."""

    builder: CanonicalBuilder
    seen: SeenWords
    trail: HeadingTrail = field(default_factory=HeadingTrail)
    first_heading: str | None = None
    _item_depth: int = 0
    _table: int = 0
    _header: str | None = None
    _cells: list[str] | None = None

    def walk(self, tokens: Sequence[Token]) -> None:
        for position, token in enumerate(tokens):
            opener = tokens[position - 1] if position else None
            self._track_containers(token)
            if token.type == "inline":
                self._add_inline(token, opener)
            elif token.type in ("fence", "code_block"):
                self.builder.add(self.seen.of(token), "code", self._here())
            elif token.type == "html_block":
                self.builder.add(self.seen.of(token), "paragraph", self._here())

    def _track_containers(self, token: Token) -> None:
        if token.type in ("list_item_open", "list_item_close"):
            self._item_depth += token.nesting
        elif token.type == "table_open":
            self._table += 1
            self._header = None
        elif token.type == "tr_open":
            self._cells = []
        elif token.type == "tr_close":
            self._finish_row()

    def _finish_row(self) -> None:
        row = joined_cells(self._cells or [])
        self.builder.add(row, "table_row", self._here(), table_header=self._header, table=self._table)
        self._header = self._header or row
        self._cells = None

    def _add_inline(self, token: Token, opener: Token | None) -> None:
        source = _inline_source(self.seen.of(token))
        if self._cells is not None:
            self._cells.append(source)
        elif opener is not None and opener.type == "heading_open":
            title = line_text(_plain(token, self.seen)) if source.strip() else ""
            if not title:
                return
            path = self.trail.enter(int(opener.tag[1]), title)
            self.first_heading = self.first_heading or title
            self.builder.add(line_text(source), "heading", Locator(heading_path=path))
        else:
            self.builder.add(source, "list_item" if self._item_depth else "paragraph", self._here())

    def _here(self) -> Locator:
        return Locator(heading_path=self.trail.path)


def _inline_source(seen: str) -> str:
    """What is seen of a block's raw source; only hard breaks stay line breaks."""
    return "\n".join(part.replace("\n", " ") for part in _HARD_BREAK.split(seen))


def _plain(token: Token, seen: SeenWords) -> str:
    """A heading's words without markers, for paths and titles."""
    words = []
    for child in seen.children_of(token):
        if child.type in ("text", "code_inline", "image"):
            words.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            words.append(" ")
    return "".join(words)
