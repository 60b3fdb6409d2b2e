"""XML parts of a zip container: parsed without entities, found by local names.

Elements are matched by local name, so that Strict Office documents, whose namespaces differ, read alike.
"""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag.errors import DamagedDocument, ResourceLimit
from rag.extract.container import UNPACK_ERRORS

if TYPE_CHECKING:
    from lxml.etree import _Element as Element


@dataclass(frozen=True, slots=True)
class Relation:
    """Where a part of an Office file points to: the kind of target and its name in the container."""

    kind: str
    """The last piece of the relation's type, e.g. ``slide`` or ``notesSlide``."""
    target: str


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


def child(element: Element | None, *path: str) -> Element | None:
    """The first child of the first local name, its first child of the next one, and so on."""
    for name in path:
        if element is None:
            return None
        element = next((inner for inner in element if local_name(inner) == name), None)
    return element


def children(element: Element | None, name: str) -> Iterator[Element]:
    """The children of that local name; none without the element."""
    return (inner for inner in (element if element is not None else ()) if local_name(inner) == name)


def inner_elements(element: Element | None, name: str) -> Iterator[Element]:
    """The elements of that local name at any depth, in document order."""
    return (inner for inner in (element.iter() if element is not None else ()) if local_name(inner) == name)


def inner_text(element: Element | None) -> str:
    """All text inside, at any depth; empty without the element."""
    return "".join(str(text) for text in element.itertext()) if element is not None else ""


def parse_part(container: zipfile.ZipFile, name: str, document: str) -> Element:
    """The root of one part; `document` names the file in sentences: ``the Word document``.

    Raises:
        DamagedDocument: the part is missing, no XML, or cannot be unpacked.
        ResourceLimit: XML nested absurdly deep.
    """
    from lxml import etree

    # No entities, no DTD, no network: a document must not read files or grow by expansion.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        return etree.fromstring(container.read(name), parser)
    except etree.XMLSyntaxError as exc:
        raise xml_error(exc, document) from exc
    except (*UNPACK_ERRORS, KeyError) as exc:
        raise DamagedDocument(f"A part of {document} cannot be unpacked.") from exc


def xml_error(error: SyntaxError, document: str) -> DamagedDocument | ResourceLimit:
    """The reason behind the parser's error: nested too deeply, or no XML."""
    said = str(error).lower()
    if "depth" in said or "huge" in said:
        return ResourceLimit("The document is nested too deeply.")
    return DamagedDocument(f"A part of {document} is not well-formed XML.")


def relations_of(container: zipfile.ZipFile, part: str, document: str) -> dict[str, Relation]:
    """A part's relations by id, targets inside the container only; none when it has no such list.

    Raises:
        DamagedDocument, ResourceLimit: as `parse_part`.
    """
    folder, name = posixpath.split(part)
    listing = posixpath.join(folder, "_rels", f"{name}.rels")
    if listing not in container.NameToInfo:
        return {}
    found = {}
    for relation in parse_part(container, listing, document):
        target = attribute(relation, "Target") or ""
        if attribute(relation, "TargetMode") == "External" or not target:
            continue
        path = target if target.startswith("/") else posixpath.join(folder, target)
        kind = (attribute(relation, "Type") or "").rpartition("/")[2]
        found[attribute(relation, "Id") or ""] = Relation(kind, posixpath.normpath(path).lstrip("/"))
    return found


def target_of(relations: Mapping[str, Relation], kind: str) -> str | None:
    """The first target of that kind, e.g. ``notesSlide``; None without one."""
    return next((relation.target for relation in relations.values() if relation.kind == kind), None)


def main_part(container: zipfile.ZipFile, usual: str, document: str) -> str:
    """The part that an Office file names as its document, else the one of the `usual` name.

    Raises:
        DamagedDocument: neither is there.
    """
    for relation in relations_of(container, "", document).values():
        if relation.kind == "officeDocument" and relation.target in container.NameToInfo:
            return relation.target
    if usual in container.NameToInfo:
        return usual
    raise DamagedDocument(f"The main part of {document} is missing.")


def stored_title(container: zipfile.ZipFile, part: str, document: str) -> str | None:
    """The title among a file's properties (``docProps/core.xml``, ``meta.xml``); None without one."""
    if part not in container.NameToInfo:
        return None
    title = next(inner_elements(parse_part(container, part, document), "title"), None)
    return title.text if title is not None else None
