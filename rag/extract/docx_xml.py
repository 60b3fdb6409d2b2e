"""The parts of a DOCX that reading needs: the body, style levels, notes and the stored title.

Elements are matched by local name, so that Strict documents, whose namespaces differ, read alike.
python-docx is not used: it skips content controls, tracked insertions, text boxes and notes, and
refuses Strict and macro-enabled documents.
"""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from rag.errors import DamagedDocument, ResourceLimit
from rag.extract.container import UNPACK_ERRORS

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

TITLE_LEVEL = 0
_BODY_TEXT = 9
_HEADING_NAME = re.compile(r"heading (\d)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Style:
    """What a paragraph style means for structure."""

    heading_level: int | None
    """0 for a title, 1 to 9 for a heading."""
    is_list: bool


@dataclass(frozen=True, slots=True)
class WordParts:
    """The parsed parts of one document."""

    body: Element
    styles: dict[str, Style] = field(default_factory=dict)
    notes: dict[str, Element] = field(default_factory=dict)
    """Footnotes and endnotes by ``footnote:ID`` and ``endnote:ID``."""
    title: str | None = None


def local_name(element: Element) -> str:
    """The tag without its namespace; empty for comments and processing instructions."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Element | None, name: str) -> str | None:
    """The attribute of that local name in any namespace; None without the element."""
    for key, value in element.attrib.items() if element is not None else ():
        if str(key).rpartition("}")[2] == name:
            return str(value)
    return None


def child(element: Element | None, name: str) -> Element | None:
    """The first child of that local name."""
    if element is None:
        return None
    return next((inner for inner in element if local_name(inner) == name), None)


def is_on(element: Element | None) -> bool:
    """A toggle property is present and not switched off."""
    return element is not None and (attribute(element, "val") or "true").lower() not in ("0", "false", "off")


def load_parts(container: zipfile.ZipFile) -> WordParts:
    """Parse the document's parts.

    Raises:
        DamagedDocument: no document part, or one that is no XML or cannot be unpacked.
        ResourceLimit: XML nested absurdly deep.
    """
    names = set(container.namelist())
    main = _main_part(container, names)
    folder = str(PurePosixPath(main).parent)
    document = _parse(container, main)
    body = child(document, "body")
    if body is None:
        raise DamagedDocument("The Word document has no body.")
    styles = f"{folder}/styles.xml"
    notes: dict[str, Element] = {}
    for kind in ("footnote", "endnote"):
        part = f"{folder}/{kind}s.xml"
        if part in names:
            for note in _parse(container, part):
                if local_name(note) == kind and attribute(note, "type") in (None, "normal"):
                    notes[f"{kind}:{attribute(note, 'id')}"] = note
    core = _parse(container, "docProps/core.xml") if "docProps/core.xml" in names else None
    title = child(core, "title")
    return WordParts(
        body,
        _styles(_parse(container, styles)) if styles in names else {},
        notes,
        title.text if title is not None else None,
    )


def _main_part(container: zipfile.ZipFile, names: set[str]) -> str:
    if "_rels/.rels" in names:
        for relation in _parse(container, "_rels/.rels"):
            target = (attribute(relation, "Target") or "").lstrip("/")
            if (attribute(relation, "Type") or "").endswith("/officeDocument") and target in names:
                return target
    if "word/document.xml" in names:
        return "word/document.xml"
    raise DamagedDocument("The Word document's main part is missing.")


def _parse(container: zipfile.ZipFile, name: str) -> Element:
    from lxml import etree

    # No entities, no DTD, no network: a document must not read files or grow by expansion.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        return etree.fromstring(container.read(name), parser)
    except etree.XMLSyntaxError as exc:
        if "depth" in str(exc) or "huge" in str(exc).lower():
            raise ResourceLimit("The document is nested too deeply.") from exc
        raise DamagedDocument("A part of the Word document is not well-formed XML.") from exc
    except (*UNPACK_ERRORS, KeyError) as exc:
        raise DamagedDocument("A part of the Word document cannot be unpacked.") from exc


def _styles(root: Element) -> dict[str, Style]:
    elements = {attribute(style, "styleId") or "": style for style in root if local_name(style) == "style"}
    return {name: _style(name, elements) for name in elements}


def _style(name: str, elements: dict[str, Element]) -> Style:
    """Follow ``basedOn`` until a name or an outline level decides."""
    level: int | None = None
    is_list = False
    seen: set[str] = set()
    while name in elements and name not in seen:
        seen.add(name)
        style = elements[name]
        properties = child(style, "pPr")
        level = level if level is not None else _own_level(style, properties)
        is_list = is_list or child(properties, "numPr") is not None
        name = attribute(child(style, "basedOn"), "val") or ""
    return Style(level, is_list and level is None)


def _own_level(style: Element, properties: Element | None) -> int | None:
    label = attribute(child(style, "name"), "val") or ""
    if label.lower() == "title":
        return TITLE_LEVEL
    named = _HEADING_NAME.fullmatch(label.strip())
    return int(named[1]) if named else outline_level(properties)


def outline_level(properties: Element | None) -> int | None:
    """1 to 9 from ``outlineLvl``, which counts from 0; its 9 means body text and gives None."""
    value = attribute(child(properties, "outlineLvl"), "val")
    if value is None or not value.isdigit():
        return None
    return int(value) + 1 if int(value) < _BODY_TEXT else None
