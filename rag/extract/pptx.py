"""PowerPoint presentations: slide by slide, with tables, charts, diagrams and the speaker's notes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rag.config import ExtractionLimits
from rag.errors import DamagedDocument, ResourceLimit
from rag.extract.canonical import CanonicalBuilder, Reading, line_text
from rag.extract.container import open_container
from rag.extract.left_out import comments_left_out, headers_left_out, macros_ignored, struck_text_left_out
from rag.extract.pptx_graphics import (
    chart_texts,
    chart_title,
    diagram_texts,
    is_struck,
    paragraph_text,
    table_texts,
)
from rag.extract.pptx_parts import (
    DOCUMENT,
    Presentation,
    SlidePart,
    count_comments,
    open_presentation,
    placeholder_of,
)
from rag.extract.slides import Block, Deck, Slide, reading_order
from rag.extract.tabular import table_lines
from rag.extract.wording import count_of
from rag.extract.xml_parts import attribute, child, children, inner_elements, local_name, stored_title
from rag.types import BlockKind

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_TITLES = ("title", "ctrTitle")
_FIELDS = ("dt", "ftr", "hdr", "sldNum")
_SHAPES = frozenset(("sp", "grpSp", "graphicFrame", "pic", "contentPart"))
_BULLETS = ("buChar", "buAutoNum", "buBlip")


def read(path: Path, *, filename: str, limits: ExtractionLimits) -> Reading:
    """The visible slides: titles, text, tables, charts, diagrams and notes; macros are never run.

    Raises:
        DamagedDocument: the main part or all slides are missing or broken.
        NoText: no visible slide has text.
        ResourceLimit: more slides, characters or unpacked bytes than the limits.
    """
    with open_container(path, max_unpacked_mib=limits.max_unpacked_mib) as container:
        presentation = open_presentation(container)
        n_slides = len(presentation.slide_names)
        if n_slides > limits.max_pages:
            raise ResourceLimit(
                f"The presentation has {count_of(n_slides, 'slide')}; at most {limits.max_pages:,} are read."
            )
        deck = Deck(CanonicalBuilder(limits.max_chars))
        n_fields = 0
        reader = _Reader(presentation)
        for number, name in enumerate(presentation.slide_names, start=1):
            n_fields += reader.add_slide(deck, number, name)
        warnings = (
            *struck_text_left_out(reader.n_struck),
            *comments_left_out(count_comments(container)),
            *headers_left_out(n_fields),
            *macros_ignored(container),
        )
        stored = stored_title(container, "docProps/core.xml", DOCUMENT)
    return deck.reading(stored, filename, warnings)


@dataclass(slots=True)
class _Reader:
    presentation: Presentation
    n_struck: int = 0
    """Crossed-out passages on the visible slides."""
    _table: int = 0
    _n_fields: int = 0

    def add_slide(self, deck: Deck, number: int, name: str | None) -> int:
        """Read a slide into the deck; the paragraphs left out in its date, footer and number fields."""
        self._n_fields = 0
        if name is None:
            deck.add_damaged(number)
            return 0
        try:
            part = self.presentation.slide(name)
            slide = Slide()
            if not part.is_hidden:
                self._add_shapes(child(part.root, "cSld", "spTree"), part, slide)
                slide.notes += self._notes(part)
        except DamagedDocument:
            deck.add_damaged(number)
            return 0
        if part.is_hidden:
            deck.n_hidden += 1
        else:
            deck.add(number, slide)
            self.n_struck += sum(is_struck(run) for run in inner_elements(part.root, "r"))
        return self._n_fields

    def _add_shapes(self, container: Element | None, part: SlidePart, slide: Slide) -> None:
        shapes = _shapes(container) if container is not None else ()
        placed = ((*self.presentation.position(shape, part), shape) for shape in shapes)
        for shape in reading_order(placed):
            self._add_shape(shape, part, slide)

    def _add_shape(self, shape: Element, part: SlidePart, slide: Slide) -> None:
        name = local_name(shape)
        if _is_hidden(shape):
            return
        if name == "grpSp":
            self._add_shapes(shape, part, slide)
        elif name == "graphicFrame":
            self._add_graphic(shape, part, slide)
        elif name == "sp":
            self._add_text(shape, slide)
        else:
            slide.n_unread += 1

    def _add_text(self, shape: Element, slide: Slide) -> None:
        placeholder = placeholder_of(shape)
        role = (attribute(placeholder, "type") or "obj") if placeholder is not None else ""
        paragraphs = list(children(child(shape, "txBody"), "p"))
        texts = [paragraph_text(paragraph) for paragraph in paragraphs]
        if role in _FIELDS:
            self._n_fields += any(line_text(text) for text in texts)
        elif role in _TITLES and not slide.title:
            slide.title = line_text(" ".join(texts))
        else:
            slide.blocks += [
                Block(text, _kind(paragraph, in_body=role in ("body", "obj")))
                for paragraph, text in zip(paragraphs, texts, strict=True)
                if line_text(text)
            ]
            slide.n_unread += child(shape, "spPr", "blipFill") is not None

    def _add_graphic(self, frame: Element, part: SlidePart, slide: Slide) -> None:
        data = child(frame, "graphic", "graphicData")
        for content in data if data is not None else ():
            name = local_name(content)
            if name == "tbl":
                self._table += 1
                slide.add_table(table_lines(table_texts(content)), self._table)
            elif name == "chart":
                self._add_chart(self._related(content, "id", part), slide)
            elif name == "relIds":
                diagram = self._related(content, "dm", part)
                texts = diagram_texts(diagram) if diagram is not None else ()
                slide.blocks += [Block(text, "list_item") for text in texts if line_text(text)]
            else:
                slide.n_unread += 1

    def _add_chart(self, chart: Element | None, slide: Slide) -> None:
        title = chart_title(chart) if chart is not None else ""
        rows = list(chart_texts(chart)) if chart is not None else []
        if title:
            slide.blocks.append(Block(title, "paragraph"))
        self._table += 1
        slide.add_table(table_lines(rows, has_header=True), self._table)
        slide.n_unread += not rows  # a kind of chart that newer versions write

    def _related(self, element: Element, name: str, part: SlidePart) -> Element | None:
        relation = part.relations.get(attribute(element, name) or "")
        return self.presentation.part(relation.target) if relation else None

    def _notes(self, part: SlidePart) -> Iterator[str]:
        tree = child(self.presentation.part(part.target("notesSlide")), "cSld", "spTree")
        for shape in _shapes(tree) if tree is not None else ():
            placeholder = placeholder_of(shape)
            # The other placeholders repeat the slide's picture and the fields around it.
            if placeholder is None or attribute(placeholder, "type") == "body":
                yield from (paragraph_text(paragraph) for paragraph in inner_elements(shape, "p"))


def _shapes(container: Element) -> Iterator[Element]:
    """The shapes of a tree or group; of alternatives the first, which newer versions show."""
    for element in container:
        name = local_name(element)
        if name in _SHAPES:
            yield element
        elif name == "AlternateContent":
            chosen = child(element, "Choice")
            yield from _shapes(chosen) if chosen is not None else ()


def _is_hidden(shape: Element) -> bool:
    """Hidden by name in the selection pane."""
    for properties in shape:
        if local_name(properties).startswith("nv"):
            return attribute(child(properties, "cNvPr"), "hidden") in ("1", "true")
    return False


def _kind(paragraph: Element, *, in_body: bool) -> BlockKind:
    """Paragraphs of a body have bullets unless they say that they have none."""
    properties = child(paragraph, "pPr")
    if child(properties, "buNone") is not None:
        return "paragraph"
    has_bullet = any(child(properties, name) is not None for name in _BULLETS)
    return "list_item" if has_bullet or in_body else "paragraph"
