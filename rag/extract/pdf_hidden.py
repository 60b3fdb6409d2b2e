"""Text of a PDF page that nobody sees: white on white, fully transparent, or under a painted area.

Colour alone proves nothing (white words stand on dark table heads), so suspects are looked up in a
rendering of the page: where not one pixel differs, nothing is to be seen.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import pypdfium2 as pdfium
    from numpy.typing import NDArray

Box = tuple[float, float, float, float]
"""Left, bottom, right, top in points of the page, y upwards."""

_LAST_LATIN = 0x24F
_NEAR_WHITE = 240
_MIN_ALPHA = 12
# Grey levels: light grey on white differs by 20 and more, noise of a JPEG by a few.
_EVEN_RANGE = 6
_MAX_PIXELS = 2_000
_MIN_SCALE = 0.3
_MAX_DEPTH = 3
# A map of 100,000 strokes is not asked stroke by stroke.
_MAX_OBJECTS = 5_000
_MAX_AREAS = 200
_NO_FILL = 0  # FPDF_FILLMODE_NONE
_INVISIBLE_MODES = (3, 7)  # PDF 32000-1, table 106: neither fill nor stroke; add to the clipping path only


class Paint(Enum):
    """How the letters of a text object are painted."""

    FULL = "full"
    FAINT = "faint"
    NONE = "none"
    UNKNOWN_FONT = "unknown_font"
    """The font is not in the file and may be missing here: that nothing is drawn says nothing."""


@dataclass(slots=True)
class HiddenText:
    """Tells for one page how its characters are painted, and which boxes show nothing."""

    page: pdfium.PdfPage
    _areas: tuple[list[Box], list[Box]] | None = None
    _object: int | None = None
    _paint: Paint = Paint.FULL
    _picture: NDArray[np.uint8] | None = None
    _is_rendered: bool = False

    def paint_of(self, raw: ctypes.CDLL, handle: object, index: int) -> Paint:
        """How the character is painted; a text object is asked only once."""
        painted = raw.FPDFText_GetTextObject(handle, index)
        address = ctypes.cast(painted, ctypes.c_void_p).value
        if address is not None and address != self._object:  # PDFium makes some characters up: spaces
            self._object = address
            self._paint = _paint(raw, painted, handle, index)
        return self._paint

    def hides(self, box: Box, paint: Paint) -> bool:
        """Nothing is to be seen where the text stands.

        Text without ink over a picture is what OCR programs add to a scan: it is kept.
        """
        if paint is Paint.UNKNOWN_FONT:
            return False
        if self._areas is None:
            self._areas = _painted_areas(self.page)
        fills, pictures = self._areas
        if paint is Paint.NONE and any(_contains(area, box) for area in pictures):
            return False
        is_suspect = paint is not Paint.FULL or any(_contains(area, box) for area in fills)
        return is_suspect and self._is_even(box)

    def _is_even(self, box: Box) -> bool:
        from pypdfium2 import raw

        if not self._is_rendered:
            self._is_rendered = True
            scale = min(1.0, _MAX_PIXELS / max(*self.page.get_size(), 1.0))
            if scale >= _MIN_SCALE:
                self._picture = self.page.render(scale=scale, grayscale=True).to_numpy()
        if self._picture is None:
            return False
        height, width = self._picture.shape[:2]
        xs, ys = [], []
        for x, y in ((box[0], box[1]), (box[2], box[3])):
            at_x, at_y = ctypes.c_int(), ctypes.c_int()
            raw.FPDF_PageToDevice(self.page.raw, 0, 0, width, height, 0, x, y, at_x, at_y)
            xs.append(at_x.value)
            ys.append(at_y.value)
        patch = self._picture[max(0, min(ys)) : max(ys) + 1, max(0, min(xs)) : max(xs) + 1]
        return patch.size > 0 and int(patch.max()) - int(patch.min()) <= _EVEN_RANGE


def _paint(raw: ctypes.CDLL, painted: object, handle: object, index: int) -> Paint:
    font = raw.FPDFTextObj_GetFont(painted)
    # Stand-ins for Latin fonts are part of PDFium; for other scripts they are not.
    if raw.FPDFText_GetUnicode(handle, index) > _LAST_LATIN and raw.FPDFFont_GetIsEmbedded(font) != 1:
        return Paint.UNKNOWN_FONT
    if raw.FPDFTextObj_GetTextRenderMode(painted) in _INVISIBLE_MODES:
        return Paint.NONE
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if not raw.FPDFText_GetFillColor(handle, index, red, green, blue, alpha):
        return Paint.FULL
    is_white = min(red.value, green.value, blue.value) >= _NEAR_WHITE
    return Paint.FAINT if is_white or alpha.value < _MIN_ALPHA else Paint.FULL


def _painted_areas(page: pdfium.PdfPage) -> tuple[list[Box], list[Box]]:
    """The boxes that a fill paints, and those of pictures; a form's box stands for what it holds."""
    from pypdfium2 import raw

    fills: list[Box] = []
    pictures: list[Box] = []
    outermost: pdfium.PdfObject | None = None
    for item in islice(page.get_objects(max_depth=_MAX_DEPTH), _MAX_OBJECTS):
        if item.level == 0:
            outermost = item
        if outermost is None:
            continue
        if item.type == raw.FPDF_PAGEOBJ_IMAGE:
            pictures.append(_bounds(outermost))
        elif item.type == raw.FPDF_PAGEOBJ_PATH and len(fills) < _MAX_AREAS and _is_filled(raw, item):
            fills.append(_bounds(outermost))
    return fills, pictures[:_MAX_AREAS]


def _is_filled(raw: ctypes.CDLL, path: pdfium.PdfObject) -> bool:
    mode, stroke = ctypes.c_int(), ctypes.c_int()
    return bool(raw.FPDFPath_GetDrawMode(path.raw, mode, stroke)) and mode.value != _NO_FILL


def _bounds(item: pdfium.PdfObject) -> Box:
    import pypdfium2 as pdfium

    try:
        left, bottom, right, top = item.get_bounds()
    except pdfium.PdfiumError:
        return (0.0, 0.0, 0.0, 0.0)
    return (left, bottom, right, top)


def _contains(area: Box, box: Box) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return area[0] <= x <= area[2] and area[1] <= y <= area[3]
