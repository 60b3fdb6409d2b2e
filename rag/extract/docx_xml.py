"""The parts of a DOCX that reading needs: the body, style levels, notes and the stored title.

python-docx is not used: it skips content controls, tracked insertions, text boxes and notes, and
refuses Strict and macro-enabled documents.
"""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rag.errors import DamagedDocument
from rag.extract.canonical import line_text
from rag.extract.docx_numbering import ListPlace, Numbering, list_place, load_numbering
from rag.extract.xml_parts import (
    attribute,
    child,
    children,
    inner_elements,
    local_name,
    main_part,
    parse_part,
    relations_of,
    stored_title,
)

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_TITLE_LEVEL = 0
_DOCUMENT = "the Word document"
_BODY_TEXT = 9
_HEADING_NAME = re.compile(r"heading (\d)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Look:
    """How a run or style shows its text; None where it does not say."""

    is_hidden: bool | None = None
    is_struck: bool | None = None
    script: str | None = None
    """``superscript``, ``subscript`` or ``baseline``."""

    def over(self, base: Look) -> Look:
        """What this says, else what `base` says."""
        return Look(
            base.is_hidden if self.is_hidden is None else self.is_hidden,
            base.is_struck if self.is_struck is None else self.is_struck,
            self.script or base.script,
        )


@dataclass(frozen=True, slots=True)
class Style:
    """What a style means for structure, and for what is shown."""

    heading_level: int | None
    """0 for a title, 1 to 9 for a heading."""
    is_list: bool
    look: Look = Look()
    list_place: ListPlace = field(default_factory=ListPlace)


_PLAIN = Style(None, is_list=False)


@dataclass(frozen=True, slots=True)
class WordParts:
    """The parsed parts of one document."""

    body: Element
    styles: dict[str, Style] = field(default_factory=dict)
    notes: dict[str, Element] = field(default_factory=dict)
    """Footnotes and endnotes by ``footnote:ID`` and ``endnote:ID``."""
    numbering: Numbering = field(default_factory=Numbering)
    graphics: dict[str, Element] = field(default_factory=dict)
    """Charts and the data of diagrams by the id of the body's relation to them."""
    title: str | None = None
    n_comments: int = 0
    n_header_paragraphs: int = 0
    """Paragraphs with text in page headers and footers."""


def is_on(element: Element | None) -> bool:
    """A toggle property is present and not switched off."""
    return element is not None and (attribute(element, "val") or "true").lower() not in ("0", "false", "off")


def load_parts(container: zipfile.ZipFile) -> WordParts:
    """Parse the document's parts.

    Raises:
        DamagedDocument: no document part, or one that is no XML or cannot be unpacked.
        ResourceLimit: XML nested absurdly deep.
    """
    main = main_part(container, "word/document.xml", _DOCUMENT)
    folder = str(PurePosixPath(main).parent)
    body = child(parse_part(container, main, _DOCUMENT), "body")
    if body is None:
        raise DamagedDocument("The Word document has no body.")
    styles = _part(container, f"{folder}/styles.xml")
    notes: dict[str, Element] = {}
    for kind in ("footnote", "endnote"):
        for note in children(_part(container, f"{folder}/{kind}s.xml"), kind):
            if attribute(note, "type") in (None, "normal"):
                notes[f"{kind}:{attribute(note, 'id')}"] = note
    return WordParts(
        body,
        _styles(styles) if styles is not None else {},
        notes,
        load_numbering(_part(container, f"{folder}/numbering.xml")),
        _graphics(container, main),
        stored_title(container, "docProps/core.xml", _DOCUMENT),
        n_comments=sum(1 for _ in inner_elements(_part(container, f"{folder}/comments.xml"), "comment")),
        n_header_paragraphs=_count_header_paragraphs(container, main),
    )


def _part(container: zipfile.ZipFile, name: str) -> Element | None:
    return parse_part(container, name, _DOCUMENT) if name in container.NameToInfo else None


def _graphics(container: zipfile.ZipFile, main: str) -> dict[str, Element]:
    found: dict[str, Element] = {}
    for name, relation in relations_of(container, main, _DOCUMENT).items():
        if relation.kind in ("chart", "diagramData"):
            try:
                part = _part(container, relation.target)
            except DamagedDocument:  # it is counted as not read where it stands
                continue
            if part is not None:
                found[name] = part
    return found


def _count_header_paragraphs(container: zipfile.ZipFile, main: str) -> int:
    """Paragraphs with text in the headers and footers that the document uses."""
    parts = {
        relation.target
        for relation in relations_of(container, main, _DOCUMENT).values()
        if relation.kind in ("header", "footer")
    }
    return sum(
        any(line_text(text.text or "") for text in inner_elements(paragraph, "t"))
        for name in sorted(parts)
        for paragraph in inner_elements(_part(container, name), "p")
    )


def _styles(root: Element) -> dict[str, Style]:
    """Each style with what it takes from those it is based on; a chain of thousands is walked once."""
    elements = {attribute(style, "styleId") or "": style for style in root if local_name(style) == "style"}
    found: dict[str, Style] = {}
    for name in elements:
        chain: dict[str, Element] = {}
        above = name
        while above in elements and above not in found and above not in chain:
            chain[above] = elements[above]
            above = attribute(child(elements[above], "basedOn"), "val") or ""
        style = found.get(above, _PLAIN)
        for link in reversed(chain):
            style = found[link] = _style(chain[link], style)
    return found


def _style(element: Element, base: Style) -> Style:
    """A style whose own name, outline level and numbers come before those it is based on."""
    properties = child(element, "pPr")
    own_level = _own_level(element, properties)
    level = own_level if own_level is not None else base.heading_level
    is_list = base.is_list or child(properties, "numPr") is not None
    return Style(
        level,
        is_list and level is None,
        look_of(child(element, "rPr")).over(base.look),
        list_place(properties).over(base.list_place),
    )


def look_of(properties: Element | None) -> Look:
    """What the properties of a run or style (``rPr``) say."""
    hidden = struck = script = None
    for toggle in properties if properties is not None else ():
        name = local_name(toggle)
        if name == "vanish":
            hidden = is_on(toggle)
        elif name in ("strike", "dstrike"):
            struck = struck or is_on(toggle)
        elif name == "vertAlign":
            script = attribute(toggle, "val")
    return Look(hidden, struck, script)


def _own_level(style: Element, properties: Element | None) -> int | None:
    label = attribute(child(style, "name"), "val") or ""
    if label.lower() == "title":
        return _TITLE_LEVEL
    named = _HEADING_NAME.fullmatch(label.strip())
    return int(named[1]) if named else outline_level(properties)


def outline_level(properties: Element | None) -> int | None:
    """1 to 9 from ``outlineLvl``, which counts from 0; its 9 means body text and gives None."""
    value = attribute(child(properties, "outlineLvl"), "val")
    if value is None or not value.isdigit():
        return None
    return int(value) + 1 if int(value) < _BODY_TEXT else None
