"""OpenDocument files: encryption, styles, and the text of a paragraph as it is seen."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rag.errors import DamagedDocument, EncryptedDocument
from rag.extract.canonical import line_text
from rag.extract.container import open_container
from rag.extract.scripts import lowered, raised
from rag.extract.tabular import table_lines
from rag.extract.xml_parts import (
    attribute,
    child,
    inner_elements,
    inner_text,
    local_name,
    parse_part,
    stored_title,
)

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

DOCUMENT = "the OpenDocument file"
CONTENT, META = "content.xml", "meta.xml"
_STYLES, _MANIFEST = "styles.xml", "META-INF/manifest.xml"
# What stands inside a paragraph's element without being its text: notes and boxes are read apart.
_APART = frozenset(
    (
        "annotation",
        "note",
        "frame",
        "custom-shape",
        "rect",
        "g",
        "line",
        "ellipse",
        "text-box",
        "rt",
        "ruby-text",
    )
)
_SKIPPED = frozenset(("tracked-changes", "title", "desc", "script", "event-listeners"))
PICTURES = frozenset(("image", "object", "object-ole", "plugin"))
_BREAKS = {"tab": " ", "line-break": "\n"}
# A style's properties and their value that say: not shown.
_HIDING = {
    ("text-properties", "none"),
    ("section-properties", "none"),
    ("table-properties", "false"),
    ("drawing-page-properties", "hidden"),
}
_SPACE = re.compile(r"\s+")
_MAX_COLUMNS = 1_024


@dataclass(frozen=True, slots=True)
class OdfStyle:
    """A named or automatic style, as far as reading needs it."""

    parent: str | None
    is_hidden: bool
    """Text, section, sheet or slide that is not shown."""
    is_struck: bool | None = None
    script: str | None = None
    """``super``, ``sub``, or how far its line is raised: ``-33% 58%``."""

    def over(self, base: OdfStyle) -> OdfStyle:
        """What this style says, else what the one it is based on says."""
        return OdfStyle(
            self.parent,
            self.is_hidden or base.is_hidden,
            base.is_struck if self.is_struck is None else self.is_struck,
            base.script if self.script is None else self.script,
        )


_PLAIN = OdfStyle(None, is_hidden=False)


def check_not_encrypted(container: zipfile.ZipFile) -> None:
    """Refuse a file whose parts its manifest declares as encrypted.

    Raises:
        EncryptedDocument: a password is needed.
        DamagedDocument: no content part, or a manifest that is no XML.
    """
    if _MANIFEST in container.NameToInfo:
        manifest = parse_part(container, _MANIFEST, DOCUMENT)
        if any(True for _ in inner_elements(manifest, "encryption-data")):
            raise EncryptedDocument("The file is an OpenDocument file with a password.")
    if CONTENT not in container.NameToInfo:
        raise DamagedDocument(f"The main part of {DOCUMENT} is missing.")


def _load_styles(*roots: Element | None) -> dict[str, OdfStyle]:
    """The styles of the parts by name; a later part wins."""
    return {
        attribute(element, "name") or "": style_of(element)
        for root in roots
        for element in inner_elements(root, "style")
    }


def style_of(element: Element) -> OdfStyle:
    """One ``style:style`` element."""
    is_hidden = any(
        (local_name(properties), attribute(properties, name)) in _HIDING
        for properties in element
        for name in ("display", "visibility")
    )
    text = child(element, "text-properties")
    line = attribute(text, "text-line-through-style") or attribute(text, "text-line-through-type")
    return OdfStyle(
        attribute(element, "parent-style-name"),
        is_hidden,
        None if line is None else line != "none",
        attribute(text, "text-position"),
    )


@dataclass(slots=True)
class OdfText:
    """The visible text of paragraphs; counts what it leaves out and sets notes aside."""

    styles: dict[str, OdfStyle]
    n_comments: int = 0
    n_hidden_chars: int = 0
    n_struck: int = 0
    n_pictures: int = 0
    """Pictures, charts and embedded objects met outside the text."""
    _resolved: dict[str, OdfStyle] = field(default_factory=dict)
    notes: list[Element] = field(default_factory=list)
    """Footnotes and endnotes met since the list was last emptied."""

    def is_hidden(self, element: Element) -> bool:
        """The element's style, or one it is based on, is not shown."""
        return self._style(element).is_hidden or attribute(element, "display") == "none"

    def _style(self, element: Element) -> OdfStyle:
        """The element's style with what it takes from those it is based on; each chain is walked once."""
        name = attribute(element, "style-name")
        chain: dict[str, OdfStyle] = {}
        while name is not None and name in self.styles and name not in self._resolved and name not in chain:
            chain[name] = self.styles[name]
            name = chain[name].parent
        found = self._resolved.get(name or "", _PLAIN)
        for link in reversed(chain):
            found = self._resolved[link] = chain[link].over(found)
        return found

    def text(self, element: Element) -> str:
        """A paragraph's own text, without comments, notes and the boxes anchored in it."""
        if self.is_hidden(element):
            self.n_hidden_chars += len(line_text(self._shown(element)))
            return ""
        if self._style(element).is_struck:
            self.n_struck += bool(line_text(self._shown(element)))
            return ""
        return self._shown(element)

    def _shown(self, element: Element) -> str:
        return "".join(self._pieces(element))

    def _pieces(self, element: Element) -> Iterator[str]:
        yield _SPACE.sub(" ", element.text or "")
        for inner in element:
            name = local_name(inner)
            if name == "s":
                yield " "
            elif name in _BREAKS:
                yield _BREAKS[name]
            elif name == "annotation":
                self.n_comments += 1
            elif name == "note":
                self.notes.append(inner)
            elif name in ("hidden-text", "hidden-paragraph"):
                self.n_hidden_chars += len(line_text(attribute(inner, "string-value") or ""))
            elif name == "span":
                yield self._span_text(inner)
            elif name and name not in _SKIPPED and name not in _APART:
                yield from self._pieces(inner)
            yield _SPACE.sub(" ", inner.tail or "")

    def _span_text(self, span: Element) -> str:
        """What a span shows: nothing when it is hidden or crossed out."""
        text = self._shown(span)
        if self.is_hidden(span):
            self.n_hidden_chars += len(line_text(text))
            return ""
        style = self._style(span)
        if style.is_struck:
            self.n_struck += bool(line_text(text))
            return ""
        script = style.script or ""
        if script.startswith(("sub", "-")):
            return lowered(text)
        return raised(text) if script.startswith("super") or script[:1].strip("0").isdigit() else text

    def count_picture(self, picture: Element) -> None:
        """Count one, not the stand-in behind an embedded object."""
        previous = picture.getprevious()
        self.n_pictures += previous is None or local_name(previous) not in PICTURES

    def cell(self, cell: Element) -> str:
        """All paragraphs of a table's cell on one line, boxes included."""
        texts = []
        for inner in cell:
            name = local_name(inner)
            if name in ("p", "h"):
                texts.append(self.text(inner))
                texts += [self.cell(box) for box in boxes_in(inner)]
            elif name == "annotation":
                self.n_comments += 1
            elif name in PICTURES:
                self.count_picture(inner)
            elif name not in _SKIPPED:
                texts.append(self.cell(inner))
        return line_text(" ".join(texts))

    def table(self, table: Element, *, max_cells: int) -> Iterator[tuple[str, str | None]]:
        """Each row as one line with the line that names its columns; at most `max_cells` cells in all.

        A cell merged with the one above repeats its text; one merged with its left neighbour is empty.
        """
        return table_lines(self._rows(table, max_cells))

    def _rows(self, table: Element, max_cells: int) -> Iterator[list[str]]:
        above: dict[int, tuple[int, str]] = {}
        for row in table_rows(table):
            texts: list[str] = []
            for cell in row:
                self._add_cell(cell, texts, above)
            for _ in range(repeated(row, "rows", most=max_cells)):
                max_cells -= len(texts)
                if not any(texts) or max_cells < 0:
                    break
                yield texts

    def _add_cell(self, cell: Element, texts: list[str], above: dict[int, tuple[int, str]]) -> None:
        name = local_name(cell)
        if name not in ("table-cell", "covered-table-cell"):
            return
        n_columns = min(repeated(cell, "columns", most=_MAX_COLUMNS), _MAX_COLUMNS - len(texts))
        own = self.cell(cell)
        n_rows = _number(attribute(cell, "number-rows-spanned"))
        for column in range(len(texts), len(texts) + n_columns):
            rows_left, merged = above.get(column, (0, ""))
            if name == "covered-table-cell":
                above[column] = (rows_left - 1, merged)
                texts.append(own or (merged if rows_left > 0 else ""))
            else:
                above[column] = (n_rows - 1, own)
                texts.append(own)


@dataclass(frozen=True, slots=True)
class OdfDocument:
    """The parsed parts of a text or presentation."""

    body: Element
    styles: Element | None
    """The part that holds page headers and footers."""
    inline: OdfText
    title: str | None


def load_document(path: Path, kind: Literal["text", "presentation"], *, max_unpacked_mib: int) -> OdfDocument:
    """The document at `path`; `kind` is the name of the element that holds its content.

    Raises:
        EncryptedDocument: a password is needed.
        DamagedDocument: a part is missing or broken.
        ResourceLimit: more unpacked bytes than the limit, or XML nested absurdly deep.
    """
    with open_container(path, max_unpacked_mib=max_unpacked_mib) as container:
        check_not_encrypted(container)
        content = parse_part(container, CONTENT, DOCUMENT)
        has_styles = _STYLES in container.NameToInfo
        styles = parse_part(container, _STYLES, DOCUMENT) if has_styles else None
        title = stored_title(container, META, DOCUMENT)
    body = child(content, "body", kind)
    if body is None:
        raise DamagedDocument("The OpenDocument file has no content.")
    return OdfDocument(body, styles, OdfText(_load_styles(styles, content)), title)


def table_rows(table: Element) -> Iterator[Element]:
    """Rows of a table, also inside header and group elements, without those of tables in its cells."""
    for inner in table:
        name = local_name(inner)
        if name == "table-row":
            yield inner
        elif name in ("table-header-rows", "table-rows", "table-row-group"):
            yield from table_rows(inner)


def is_frame(table: Element) -> bool:
    """No row has two cells: the table only draws a frame around text."""
    return all(
        sum(1 for cell in row if local_name(cell) == "table-cell") < 2 and len(row) < 2
        for row in table_rows(table)
    )


def repeated(element: Element, what: str, *, most: int) -> int:
    """How often a ``rows`` or ``columns`` element stands for itself, from 1 to `most`."""
    return min(_number(attribute(element, f"number-{what}-repeated")), max(1, most))


def _number(value: str | None) -> int:
    return max(1, int(value)) if value and value.isdecimal() and len(value) < 10 else 1


def boxes_in(paragraph: Element) -> Iterator[Element]:
    """The text boxes and shapes anchored in a paragraph, outermost only."""
    for inner in paragraph:
        name = local_name(inner)
        if name in _APART and name not in ("annotation", "note"):
            yield inner
        elif name in ("span", "a"):
            yield from boxes_in(inner)


def note_body(note: Element) -> Element | None:
    """The paragraphs of a footnote or endnote."""
    return child(note, "note-body")


def count_paragraphs(elements: Iterable[Element]) -> int:
    """How many paragraphs with text the elements hold."""
    return sum(
        bool(line_text(inner_text(paragraph)))
        for element in elements
        for paragraph in inner_elements(element, "p")
    )
