"""The blocks of an HTML page: paragraphs, list items, headings, tables and code, in reading order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rag.extract.canonical import CanonicalBuilder, line_text
from rag.extract.html_inline import BLOCKS, inline_text, script_of, script_text
from rag.extract.html_rows import is_data_table, table_rows
from rag.extract.outline import HeadingTrail
from rag.types import BlockKind, Locator

if TYPE_CHECKING:
    from bs4 import Tag

_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_LIST_PARTS = frozenset(("li", "dt", "dd"))
_PERMALINK_SIGNS = ("¶", "#", "§", "🔗")
_SPACE = re.compile(r"[ \t\r\n\f]+")


@dataclass(slots=True)
class HtmlBlocks:
    """Adds the blocks of one page after another to `builder`; inline text is collected until a block ends.

    `file` names the page inside a book; anchors are then ``file#id``, or ``file`` above the first id.
    """

    builder: CanonicalBuilder
    trail: HeadingTrail = field(default_factory=HeadingTrail)
    file: str = ""
    table: int = 0
    """Tables so far; rows of one table share a number."""
    first_heading: str | None = None
    _anchor: str | None = None
    _inline: list[str] = field(default_factory=list)

    def add_page(self, root: Tag, *, file: str = "") -> None:
        """Add everything inside `root`.

        Raises:
            ResourceLimit: the text is longer than the builder's limit.
        """
        self.file, self._anchor = file, None
        self._walk(root, "paragraph")
        self._flush("paragraph")

    def _walk(self, element: Tag, kind: BlockKind) -> None:
        from bs4.element import NavigableString, PreformattedString, Tag

        for child in element.children:
            if isinstance(child, Tag):
                self._enter(child, kind)
            elif isinstance(child, NavigableString) and not isinstance(child, PreformattedString):
                self._inline.append(_SPACE.sub(" ", child))

    def _enter(self, element: Tag, kind: BlockKind) -> None:
        name = element.name
        if name == "br":
            self._inline.append("\n")
        elif name not in BLOCKS:
            script = script_of(element)
            if script:
                self._inline.append(_SPACE.sub(" ", script_text(element, script)))
            else:
                self._walk(element, kind)
        else:
            self._flush(kind)
            self._enter_block(element, kind)

    def _enter_block(self, element: Tag, kind: BlockKind) -> None:
        if element.name in _HEADINGS:
            self._add_heading(element)
        elif element.name == "pre":
            for line_break in element.find_all("br"):
                line_break.replace_with("\n")
            self.builder.add(inline_text(element), "code", self._here())
        elif element.name == "table" and is_data_table(element):
            self._add_table(element)
        else:
            inner: BlockKind = "list_item" if element.name in _LIST_PARTS else kind
            self._walk(element, inner)
            self._flush(inner)

    def _add_heading(self, element: Tag) -> None:
        anchor = _anchor_of(element)
        title = _title_of(element)
        if not title:
            return
        self.first_heading = self.first_heading or title
        self._anchor = anchor or self._anchor
        self.trail.enter(int(element.name[1]), title)
        self.builder.add(title, "heading", self._here())

    def _add_table(self, element: Tag) -> None:
        self.table += 1
        header: str | None = None
        for row in table_rows(element):
            self.builder.add(row.text, row.kind, self._here(), table_header=header, table=self.table)
            if row.is_header:
                header = row.text

    def _flush(self, kind: BlockKind) -> None:
        """End the running block; a doubled line break parts it into two."""
        text = "".join(self._inline)
        self._inline.clear()
        for part in re.split(r"\n\s*\n", text):
            self.builder.add(part, kind, self._here())

    def _here(self) -> Locator:
        anchor = self._anchor
        if self.file:
            anchor = f"{self.file}#{anchor}" if anchor else self.file
        return Locator(heading_path=self.trail.path, anchor=anchor)


def _title_of(heading: Tag) -> str:
    """A heading's words, without the sign that links to itself."""
    for link in heading.find_all("a"):
        if link.get_text(strip=True) in _PERMALINK_SIGNS:
            link.extract()
    return line_text(inline_text(heading))


def _anchor_of(heading: Tag) -> str | None:
    """The id that a link to this heading uses: its own, one inside or right before it, or that of its section."""
    inner = heading.find(lambda tag: tag.has_attr("id") or (tag.name == "a" and tag.has_attr("name")))
    for element in (heading, inner, _empty_anchor_before(heading), *_opened_by(heading)):
        for attribute in ("id", "name"):
            value = element.get(attribute) if element is not None else None
            if isinstance(value, str) and value:
                return value
    return None


def _opened_by(heading: Tag) -> Iterator[Tag]:
    """The elements around the heading, from the inside, of which it is the first heading."""
    for parent in heading.parents:
        if parent.name in ("body", "main", "html") or parent.find(_HEADINGS) is not heading:
            return
        yield parent


def _empty_anchor_before(heading: Tag) -> Tag | None:
    """``<a id="x"></a>`` as the element before the heading."""
    before = heading.find_previous_sibling()
    is_anchor = before is not None and before.name == "a" and not before.get_text(strip=True)
    return before if is_anchor else None
