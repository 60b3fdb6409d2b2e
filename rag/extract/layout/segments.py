"""Stretches of text that stand on one line without a wide gap, and lines made of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_CJK = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
_LINE_OVERLAP = 0.5
# In heights of a font's box, about 1.2 font sizes. Words of justified text stand up to 0.6 sizes
# apart, columns and cells at least one. Nearer than a wide gap is one stretch of text: a raised 2 starts a new segment,
# but no new cell. Farther than a word gap stands a space.
WIDE_GAP = 0.75
_WORD_GAP = 0.12
_MARKER_GAP = 3.0
LIST_MARKER = re.compile(r"[•‣▪●○◦·–—*\u2023\uf0b7\uf0a7-]|\(?\d{1,3}[.)]|\(?[a-zA-Z][.)]|\(?[ivx]{1,4}[.)]")


@dataclass(frozen=True, slots=True)
class Segment:
    """Text and its box in points, from the page's top left corner, y downwards."""

    text: str
    x0: float
    x1: float
    top: float
    bottom: float
    is_bold: bool = False

    @property
    def height(self) -> float:
        """Height of the box of most of its characters; about 1.2 font sizes."""
        return self.bottom - self.top

    @property
    def width(self) -> float:
        """Horizontal extent."""
        return self.x1 - self.x0


@dataclass(frozen=True, slots=True)
class PageText:
    """The segments of one page, in any order."""

    number: int
    segments: tuple[Segment, ...]
    width: float
    height: float
    is_ocr: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """Segments side by side, in reading direction; several are cells or words with a wide gap."""

    segments: tuple[Segment, ...]

    @property
    def text(self) -> str:
        """The line's words."""
        return " ".join(segment.text for segment in self.segments)

    @property
    def x0(self) -> float:
        """Left edge."""
        return min(segment.x0 for segment in self.segments)

    @property
    def x1(self) -> float:
        """Right edge."""
        return max(segment.x1 for segment in self.segments)

    @property
    def top(self) -> float:
        """Upper edge of its tallest segment."""
        return min(segment.top for segment in self.segments)

    @property
    def bottom(self) -> float:
        """Lower edge."""
        return max(segment.bottom for segment in self.segments)

    @property
    def height(self) -> float:
        """Font height of most of its characters."""
        return max(self.segments, key=lambda segment: len(segment.text)).height

    @property
    def is_bold(self) -> bool:
        """Every segment is bold."""
        return all(segment.is_bold for segment in self.segments)


def is_cjk(text: str) -> bool:
    """The text holds Chinese, Japanese or Korean characters, which are written without spaces."""
    return _CJK.search(text) is not None


def lines_of(segments: Iterable[Segment]) -> list[Line]:
    """Segments grouped to lines from top to bottom; each line in its writing direction."""
    groups: list[list[Segment]] = []
    bottom = top = 0.0
    for segment in sorted(segments, key=lambda item: (item.top + item.bottom, item.x0)):
        overlap = min(bottom, segment.bottom) - max(top, segment.top)
        if groups and overlap > _LINE_OVERLAP * min(bottom - top, segment.height):
            groups[-1].append(segment)
        else:
            groups.append([segment])
            top, bottom = segment.top, segment.bottom
    return [Line(_in_writing_direction(group)) for group in groups]


def _in_writing_direction(group: Sequence[Segment]) -> tuple[Segment, ...]:
    text = "".join(segment.text for segment in group)
    is_rtl = len(_RTL.findall(text)) > 0.5 * sum(char.isalpha() for char in text) > 0
    merged: list[Segment] = []
    for segment in sorted(group, key=lambda segment: segment.x0, reverse=is_rtl):
        if merged and _gap(merged[-1], segment) < WIDE_GAP * max(merged[-1].height, segment.height):
            merged[-1] = _merged(merged[-1], segment)
        else:
            merged.append(segment)
    if len(merged) == 2 and _is_marked(*merged):
        merged = [_merged(*merged)]
    return tuple(merged)


def _is_marked(marker: Segment, text: Segment) -> bool:
    """A bullet or number and the item it stands before: one stretch of text, not two cells."""
    return LIST_MARKER.fullmatch(marker.text) is not None and _gap(marker, text) < _MARKER_GAP * text.height


def _gap(first: Segment, second: Segment) -> float:
    return max(second.x0 - first.x1, first.x0 - second.x1)


def _merged(first: Segment, second: Segment) -> Segment:
    longer = max(first, second, key=lambda segment: len(segment.text))
    gap = _gap(first, second) / longer.height
    space = "" if -_WORD_GAP <= gap <= _WORD_GAP else " "  # farther apart, or on top of each other
    return Segment(
        first.text + space + second.text,
        min(first.x0, second.x0),
        max(first.x1, second.x1),
        longer.top,
        longer.bottom,
        first.is_bold and second.is_bold,
    )


def typical_height(pages: Iterable[PageText]) -> float:
    """The font height that most characters of a document have, in points."""
    heights = [
        segment.height
        for page in pages
        for segment in page.segments
        for _ in range(1 + len(segment.text) // 10)
    ]
    return median(heights) if heights else 0.0
