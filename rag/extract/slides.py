"""Presentations of every format: slides as blocks, in the order people read them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TypeVar

from rag.errors import DamagedDocument, NoText
from rag.extract.canonical import CanonicalBuilder, Reading, line_text
from rag.extract.left_out import left_out, pictures_not_read
from rag.extract.outline import choose_title
from rag.extract.wording import count_of, listed_pages
from rag.types import BlockKind, Coverage, ExtractionWarning, Locator

_T = TypeVar("_T")
_NOTES = "Notes"
"""The last heading of what the speaker's notes say; it stands in their place, not in the text."""
_SAME_LINE = 228_600
"""Shapes whose tops differ by a quarter of an inch (in EMU, 914,400 to the inch) stand side by side."""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, list item or table row of a slide."""

    text: str
    kind: BlockKind
    table_header: str | None = None
    table: int | None = None


@dataclass(slots=True)
class Slide:
    """What a reader found on one slide, in reading order."""

    title: str = ""
    blocks: list[Block] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    n_unread: int = 0
    """Pictures and embedded objects, whose words are not read."""

    def add_table(self, lines: Iterable[tuple[str, str | None]], table: int) -> None:
        """Append a table's lines and their header; rows of one table share the number."""
        self.blocks += [Block(text, "table_row", header, table) for text, header in lines if text]


def reading_order(shapes: Iterable[tuple[int, int, _T]]) -> list[_T]:
    """Shapes given as (top, left, shape) in EMU: from top to bottom, those side by side from the left."""
    bands: list[tuple[int, int, int, _T]] = []
    band_top = 0
    for position, (top, left, shape) in enumerate(sorted(shapes, key=lambda placed: placed[0])):
        if position == 0 or top - band_top > _SAME_LINE:
            band_top = top
        bands.append((band_top, left, position, shape))
    return [shape for *_, shape in sorted(bands, key=lambda placed: placed[:3])]


@dataclass(slots=True)
class Deck:
    """Collects the visible slides of one presentation. Slides count from 1, hidden ones included."""

    builder: CanonicalBuilder
    first_title: str | None = None
    n_hidden: int = 0
    _n_slides: int = 0
    _n_pictures: int = 0
    """On slides that have text as well."""
    _blank: list[int] = field(default_factory=list)
    _unread: list[int] = field(default_factory=list)
    _damaged: list[int] = field(default_factory=list)

    def add(self, number: int, slide: Slide) -> None:
        """Append a slide: its title as a heading, its blocks, its notes under the heading ``Notes``."""
        self._n_slides += 1
        title = line_text(slide.title)
        path = (title,) if title else ()
        place = Locator(slide=number, heading_path=path)
        has_more = any(line_text(text) for text in (*(block.text for block in slide.blocks), *slide.notes))
        n_added = 0
        if title:
            self.first_title = self.first_title or title
            # Alone on its slide a title is what the slide says; as a heading it would be in no passage.
            n_added += self.builder.add(title, "heading" if has_more else "paragraph", place)
        for block in slide.blocks:
            n_added += self.builder.add(
                block.text, block.kind, place, table_header=block.table_header, table=block.table
            )
        for note in slide.notes:
            n_added += self.builder.add(
                note, "paragraph", Locator(slide=number, heading_path=(*path, _NOTES))
            )
        if n_added:
            self._n_pictures += slide.n_unread
        else:
            (self._unread if slide.n_unread else self._blank).append(number)

    def add_damaged(self, number: int) -> None:
        """Record a slide whose part is missing or broken."""
        self._n_slides += 1
        self._damaged.append(number)

    def reading(
        self, stored_title: str | None, filename: str, warnings: Iterable[ExtractionWarning]
    ) -> Reading:
        """The presentation as it was read.

        A slide that shows a picture and no text makes it partial: its words, if any, are not searchable.
        A blank slide hides nothing; it is listed, no more.

        Raises:
            NoText: no visible slide has text.
            DamagedDocument: no slide could be read.
        """
        if self._damaged and len(self._damaged) == self._n_slides:
            raise DamagedDocument("The presentation is damaged; no slide of it can be read.")
        missing = sorted((*self._blank, *self._unread, *self._damaged))
        if len(missing) == self._n_slides:
            pictures = "; they hold pictures only" if self._unread else ""
            hidden = f"; {count_of(self.n_hidden, 'hidden slide')} not read" if self.n_hidden else ""
            raise NoText(f"No text was found in {count_of(self._n_slides, 'slide')}{pictures}{hidden}.")
        return Reading(
            title=choose_title((stored_title, self.first_title), filename),
            text=self.builder.text(),
            spans=self.builder.spans(),
            coverage=Coverage(
                "slide",
                self._n_slides - len(missing),
                self._n_slides,
                tuple(str(number) for number in missing[: Coverage.MAX_MISSING]),
            ),
            is_partial=bool(self._unread or self._damaged),
            warnings=(*self._slide_warnings(), *warnings),
        )

    def _slide_warnings(self) -> Iterable[ExtractionWarning]:
        yield from left_out("hidden_slides_dropped", self.n_hidden, "hidden slide")
        for code, sentence, numbers in (
            ("slides_without_text", "Pictures and no text: {}.", self._unread),
            ("blank_slides", "Nothing is written on {}.", self._blank),
            ("damaged_slides", "Damaged and not read: {}.", self._damaged),
        ):
            if numbers:
                listed = sentence.format(listed_pages(numbers, "slide"))
                yield ExtractionWarning(code, listed, len(numbers))
        yield from pictures_not_read(self._n_pictures)
