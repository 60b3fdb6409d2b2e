"""The parts of a PPTX: slides in their order, what belongs to each, where its shapes stand.

python-pptx is not used: it loads every picture, skips diagrams and shapes of newer versions, and
refuses shows, templates and Strict documents.
"""

from __future__ import annotations

import re
import zipfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rag.errors import DamagedDocument
from rag.extract.xml_parts import (
    Relation,
    attribute,
    child,
    children,
    inner_elements,
    local_name,
    main_part,
    parse_part,
    relations_of,
    target_of,
)

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

DOCUMENT = "the presentation"
Position = tuple[int, int]
"""Top and left in EMU."""
_COMMENT_PART = re.compile(r"ppt/comments/[^/]+\.xml", re.IGNORECASE)
_BODY_TYPES = ("body", "subTitle", "obj", "tbl", "chart", "dgm")
# A placeholder of a slide takes its place from the master's of the same kind.
_MASTER_TYPES = {"ctrTitle": "title", **dict.fromkeys(_BODY_TYPES, "body")}


@dataclass(frozen=True, slots=True)
class SlidePart:
    """One slide: its tree, the parts it refers to, and the layout that places its placeholders."""

    root: Element
    relations: dict[str, Relation]

    @property
    def is_hidden(self) -> bool:
        """Left out when the presentation is shown."""
        return (attribute(self.root, "show") or "1").lower() in ("0", "false")

    def target(self, kind: str) -> str | None:
        """The part of that kind, e.g. ``notesSlide``."""
        return target_of(self.relations, kind)


@dataclass(slots=True)
class Presentation:
    """A container opened for reading; parts are parsed one at a time, when they are asked for."""

    container: zipfile.ZipFile
    slide_names: tuple[str | None, ...]
    """Parts in the order of the slides; None where the presentation names none."""
    _placements: dict[str, dict[str, Position]] = field(default_factory=dict)

    def slide(self, name: str) -> SlidePart:
        """One slide.

        Raises:
            DamagedDocument: the part is missing or broken.
            ResourceLimit: XML nested absurdly deep.
        """
        return SlidePart(
            parse_part(self.container, name, DOCUMENT), relations_of(self.container, name, DOCUMENT)
        )

    def part(self, name: str | None) -> Element | None:
        """A part that a slide refers to; None when it is not there."""
        if name is None or name not in self.container.NameToInfo:
            return None
        return parse_part(self.container, name, DOCUMENT)

    def position(self, shape: Element, slide: SlidePart) -> Position:
        """Where a shape stands; a placeholder without a place of its own takes its layout's."""
        own = _own_position(shape)
        if own is not None:
            return own
        placeholder = placeholder_of(shape)
        layout = slide.target("slideLayout")
        if placeholder is None or layout is None:
            return (0, 0)
        return self._placed(layout, "slideMaster", placeholder) or (0, 0)

    def _placed(self, part: str, above: str | None, placeholder: Element) -> Position | None:
        if part not in self._placements:
            self._placements[part] = _placements(self.part(part))
        found = self._placements[part]
        kind = attribute(placeholder, "type") or "obj"
        number = attribute(placeholder, "idx") or "0"
        keys = (f"idx {number}", kind) if above else (kind, _MASTER_TYPES.get(kind, kind))
        position = next((found[key] for key in keys if key in found), None)
        if position is not None or above is None:
            return position
        master = target_of(relations_of(self.container, part, DOCUMENT), above)
        return self._placed(master, None, placeholder) if master else None


def open_presentation(container: zipfile.ZipFile) -> Presentation:
    """The presentation in the container.

    Raises:
        DamagedDocument: the main part is missing, broken, or lists no slide.
        ResourceLimit: XML nested absurdly deep.
    """
    main = main_part(container, "ppt/presentation.xml", DOCUMENT)
    relations = relations_of(container, main, DOCUMENT)
    listed = children(child(parse_part(container, main, DOCUMENT), "sldIdLst"), "sldId")
    names = tuple(_target(relations, slide) for slide in listed)
    if not names:
        raise DamagedDocument("The presentation lists no slide.")
    return Presentation(container, names)


def count_comments(container: zipfile.ZipFile) -> int:
    """Comments and replies on all slides."""
    return sum(
        1
        for name in container.namelist()
        if _COMMENT_PART.fullmatch(name)
        for element in parse_part(container, name, DOCUMENT).iter()
        if local_name(element) in ("cm", "reply")
    )


def placeholder_of(shape: Element) -> Element | None:
    """The ``ph`` element of a shape that fills a placeholder."""
    for properties in shape:
        if local_name(properties).startswith("nv"):
            return child(properties, "nvPr", "ph")
    return None


def _target(relations: dict[str, Relation], slide: Element) -> str | None:
    # The element's own `id` is a number; the relation's stands in a namespace.
    for key, value in slide.attrib.items():
        if str(key).endswith("}id"):
            relation = relations.get(str(value))
            return relation.target if relation else None
    return None


def _placements(root: Element | None) -> dict[str, Position]:
    """Positions of a layout's or master's placeholders by ``idx N`` and by type."""
    found: dict[str, Position] = {}
    for shape in inner_elements(root, "sp"):
        placeholder, position = placeholder_of(shape), _own_position(shape)
        if placeholder is not None and position is not None:
            found.setdefault(f"idx {attribute(placeholder, 'idx') or '0'}", position)
            found.setdefault(attribute(placeholder, "type") or "obj", position)
    return found


def _own_position(shape: Element) -> Position | None:
    for path in (("spPr", "xfrm"), ("grpSpPr", "xfrm"), ("xfrm",)):
        offset = child(shape, *path, "off")
        if offset is not None:
            return _length(attribute(offset, "y")), _length(attribute(offset, "x"))
    return None


def _length(value: str | None) -> int:
    text = value or ""
    return int(text) if text.removeprefix("-").isdecimal() and len(text) < 16 else 0
