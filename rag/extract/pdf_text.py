"""The text layer of a PDF page as segments, read character by character with PDFium.

PDFium's own text order is the order of drawing; boxes are needed to find columns and margins.
"""

from __future__ import annotations

import ctypes
import math
from collections import Counter
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING

from rag.extract.canonical import line_text
from rag.extract.layout.segments import WIDE_GAP, PageText, Segment

if TYPE_CHECKING:
    import pypdfium2 as pdfium

_LINE_OVERLAP = 0.4
_BOLD_WEIGHT = 600
_UNREADABLE_SHARE = 0.3
_SLANT_TOLERANCE = math.radians(10)
_HYPHENS = {0x02: "-", 0xFFFE: "-"}  # PDFium's marks for a hyphen at a line's end
_LINE_ENDS = (0x0A, 0x0D)
_MIN_HEIGHT_PT = 0.5

_Box = tuple[float, float, float, float]


@dataclass(slots=True)
class _Run:
    """A segment that is being built: its characters, its box, its direction."""

    angle: int
    text: list[str] = field(default_factory=list)
    boxes: list[_Box] = field(default_factory=list)
    is_bold: bool = True

    def takes(self, angle: int, box: _Box) -> bool:
        """The character at `box` stands on this line, next to the last one."""
        last = self.boxes[-1]
        height = min(last[3] - last[1], box[3] - box[1])
        overlap = min(last[3], box[3]) - max(last[1], box[1])
        gap = max(box[0] - last[2], last[0] - box[2])
        return angle == self.angle and overlap > _LINE_OVERLAP * height and gap <= WIDE_GAP * height

    def box(self) -> _Box:
        """Its width, and the height of most of its characters: a root sign or a raised 2 is higher."""
        return (
            min(box[0] for box in self.boxes),
            median(box[1] for box in self.boxes),
            max(box[2] for box in self.boxes),
            median(box[3] for box in self.boxes),
        )


def read_page_text(page: pdfium.PdfPage, number: int) -> PageText:
    """The visible text of a page, upright: a page whose text runs sideways is turned.

    Text outside the page's visible box and text at odd angles (stamps across the page) is left out.
    A text layer that is mostly codes without a meaning gives no text: only OCR can read such a page.
    """
    from pypdfium2 import raw

    left, bottom, right, top = page.get_bbox()
    textpage = page.get_textpage()
    try:
        runs, n_unreadable = _runs(raw, textpage.raw, (left, bottom, right, top))
    finally:
        textpage.close()
    if n_unreadable > _UNREADABLE_SHARE * sum(len(run.boxes) for run in runs):
        runs = []
    weights = Counter[int]()
    for run in runs:
        weights[run.angle] += len(run.text)
    angle = weights.most_common(1)[0][0] if weights else 0
    x0, y0, x1, y1 = _turned((left, bottom, right, top), angle)
    segments = tuple(
        Segment(text, box[0] - x0, box[2] - x0, y1 - box[3], y1 - box[1], run.is_bold)
        for run in runs
        if run.angle == angle and (text := _joined(run.text))
        for box in (run.box(),)
        if box[3] - box[1] > _MIN_HEIGHT_PT
    )
    return PageText(number, segments, x1 - x0, y1 - y0)


def _runs(raw: ctypes.CDLL, handle: object, visible: _Box) -> tuple[list[_Run], int]:
    """The runs in drawing order, and how many characters are codes that stand for no letter."""
    rect = raw.FS_RECTF()
    runs: list[_Run] = []
    run: _Run | None = None
    has_space = False
    n_unreadable = 0
    for index in range(raw.FPDFText_CountChars(handle)):
        code = raw.FPDFText_GetUnicode(handle, index)
        if code in _LINE_ENDS:
            run = None
            continue
        char = _HYPHENS.get(code) or chr(code)
        if char.isspace() or code == 0:
            has_space = True
            continue
        if not raw.FPDFText_GetLooseCharBox(handle, index, ctypes.byref(rect)):
            continue
        box = (rect.left, rect.bottom, rect.right, rect.top)
        n_unreadable += code < 0x20 or code == 0xFFFD or 0xE000 <= code < 0xF8FF
        angle = _quarter_turns(raw.FPDFText_GetCharAngle(handle, index))
        if angle is None or not _is_inside(box, visible):
            continue
        box = _turned(box, angle)
        if run is None or not run.takes(angle, box):
            run = _Run(angle)
            runs.append(run)
            run.is_bold = _is_bold(raw, handle, index)
        elif has_space:
            run.text.append(" ")
            run.is_bold = run.is_bold and _is_bold(raw, handle, index)
        has_space = False
        run.text.append(char)
        run.boxes.append(box)
    return runs, n_unreadable


def _quarter_turns(clockwise: float) -> int | None:
    """0 to 3 quarter turns counter-clockwise; None for a slanted character. PDFium counts clockwise."""
    turns = round(clockwise / (math.pi / 2))
    return -turns % 4 if abs(clockwise - turns * math.pi / 2) <= _SLANT_TOLERANCE else None


def _turned(box: _Box, turns: int) -> _Box:
    """`box` as it lies once text that runs `turns` quarter turns off is upright."""
    x0, y0, x1, y1 = box
    if turns == 1:
        return (y0, -x1, y1, -x0)
    if turns == 2:
        return (-x1, -y1, -x0, -y0)
    if turns == 3:
        return (-y1, x0, -y0, x1)
    return box


def _is_inside(box: _Box, visible: _Box) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return visible[0] - 1 <= x <= visible[2] + 1 and visible[1] - 1 <= y <= visible[3] + 1


def _is_bold(raw: ctypes.CDLL, handle: object, index: int) -> bool:
    if raw.FPDFText_GetFontWeight(handle, index) >= _BOLD_WEIGHT:
        return True
    flags = ctypes.c_int()
    buffer = ctypes.create_string_buffer(128)
    raw.FPDFText_GetFontInfo(handle, index, buffer, 128, ctypes.byref(flags))
    name = buffer.value.lower()
    return b"bold" in name or b"black" in name or b"-bd" in name


def _joined(chars: list[str]) -> str:
    # Characters beyond the basic plane may come as two surrogates.
    text = "".join(chars).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return line_text(text)
