"""OpenDocument texts: headings, paragraphs, lists, tables, boxes and notes in body order."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rag.config import ExtractionLimits
from rag.extract.canonical import CanonicalBuilder, Reading, line_text
from rag.extract.left_out import (
    comments_left_out,
    deletions_left_out,
    headers_left_out,
    hidden_text_left_out,
    pictures_not_read,
    struck_text_left_out,
)
from rag.extract.odf import (
    PICTURES,
    OdfText,
    boxes_in,
    count_paragraphs,
    is_frame,
    load_document,
    note_body,
    table_rows,
)
from rag.extract.outline import HeadingTrail, choose_title
from rag.extract.xml_parts import attribute, inner_elements, inner_text, local_name
from rag.types import BlockKind, Coverage, Locator

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_SKIPPED = frozenset(
    ("forms", "sequence-decls", "user-field-decls", "variable-decls", "dde-connection-decls")
)
_TITLE_STYLE = "Title"
_MASTER_HEADERS = ("header", "header-left", "header-first", "footer", "footer-left", "footer-first")
_MAX_HEADING_LEVEL = 10


def read(path: Path, *, filename: str, limits: ExtractionLimits) -> Reading:
    """The document's body; deleted and hidden text, comments, page headers and footers are left out.

    Raises:
        EncryptedDocument: a password is needed to open it.
        DamagedDocument: a part is missing or broken.
        ResourceLimit: more characters or unpacked bytes than the limits, or absurd nesting.
    """
    document = load_document(path, "text", max_unpacked_mib=limits.max_unpacked_mib)
    body = _Body(document.inline, CanonicalBuilder(limits.max_chars), limits.max_cells)
    body.walk(document.body, "paragraph")
    body.add_notes()
    headers = (header for name in _MASTER_HEADERS for header in inner_elements(document.styles, name))
    return Reading(
        title=choose_title((document.title, body.first_heading), filename),
        text=body.builder.text(),
        spans=body.builder.spans(),
        coverage=Coverage("document", 1, 1),
        warnings=(
            *hidden_text_left_out(body.inline.n_hidden_chars),
            *struck_text_left_out(body.inline.n_struck),
            *deletions_left_out(sum(1 for _ in inner_elements(document.body, "deletion"))),
            *comments_left_out(body.inline.n_comments),
            *headers_left_out(count_paragraphs(headers)),
            *pictures_not_read(body.inline.n_pictures),
        ),
    )


@dataclass(slots=True)
class _Body:
    inline: OdfText
    builder: CanonicalBuilder
    max_cells: int
    trail: HeadingTrail = field(default_factory=HeadingTrail)
    first_heading: str | None = None
    _table: int = 0
    _notes: list[tuple[Element, Locator]] = field(default_factory=list)
    _place: Locator | None = None

    def walk(self, container: Element, kind: BlockKind) -> None:
        """Add the blocks inside `container`, in order."""
        for element in container:
            name = local_name(element)
            if name in ("p", "h"):
                self._add_paragraph(element, kind, is_heading=name == "h")
            elif name == "table":
                self._add_table(element, kind)
            elif name == "annotation":
                self.inline.n_comments += 1
            elif name in PICTURES:
                self.inline.count_picture(element)
            elif name == "tracked-changes" or name in _SKIPPED or not name:
                continue
            elif self.inline.is_hidden(element):
                self.inline.n_hidden_chars += len(line_text(inner_text(element)))
            else:
                self.walk(element, "list_item" if name in ("list-item", "list-header") else kind)

    def add_notes(self) -> None:
        """Footnotes and endnotes after the body, in the order and under the headings they are referred to."""
        for note, place in self._notes:
            body = note_body(note)
            self._place = place
            if body is not None:
                self.walk(body, "paragraph")

    def _add_paragraph(self, paragraph: Element, kind: BlockKind, *, is_heading: bool) -> None:
        text = self.inline.text(paragraph)
        level = self._heading_level(paragraph, is_heading=is_heading)
        title = line_text(text)
        if level is None or not title:
            self.builder.add(text, kind, self._here())
        else:
            self.first_heading = self.first_heading or title
            self.builder.add(title, "heading", Locator(heading_path=self.trail.enter(level, title)))
        self._set_notes_aside()
        for box in boxes_in(paragraph):
            self.walk(box, "paragraph")

    def _heading_level(self, paragraph: Element, *, is_heading: bool) -> int | None:
        """0 for the title, from 1 for headings; None for other paragraphs."""
        if is_heading:
            level = attribute(paragraph, "outline-level") or ""
            return min(int(level), _MAX_HEADING_LEVEL) if level.isdecimal() and len(level) < 4 else 1
        name = attribute(paragraph, "style-name")
        style = self.inline.styles.get(name or "")
        is_title = _TITLE_STYLE in (name, style.parent if style else None)
        return 0 if is_title else None

    def _add_table(self, table: Element, kind: BlockKind) -> None:
        if is_frame(table):
            for row in table_rows(table):
                for cell in row:
                    self.walk(cell, kind)
            return
        self._table += 1
        for text, header in self.inline.table(table, max_cells=self.max_cells):
            self.builder.add(text, "table_row", self._here(), table_header=header, table=self._table)
            self._set_notes_aside()

    def _set_notes_aside(self) -> None:
        self._notes += [(note, self._here()) for note in self.inline.notes]
        self.inline.notes.clear()

    def _here(self) -> Locator:
        return self._place or Locator(heading_path=self.trail.path)
