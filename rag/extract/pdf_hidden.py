"""Text of a PDF page that nobody sees: white on white, transparent, covered, clipped away, on a layer that is off.

How it is written proves nothing (white words stand on dark table heads), so text is looked up in a
rendering of the page: where not one pixel differs, nothing is to be seen.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field
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
_MIN_SIDE_PT = 10.0
_MAX_DEPTH = 3
# A map of 100,000 strokes is not asked stroke by stroke.
_MAX_OBJECTS = 5_000
# A picture of this share of the page is a scan: text under it is the layer of an OCR program.
_SCAN_SHARE = 0.5
_DARK = 96
_MIN_OCR_LAYER = 12
_MAX_LAYERS = 20
_MAX_MARKS = 20
_NAME_BYTES = 512
_NO_FILL = 0  # FPDF_FILLMODE_NONE
_INVISIBLE_MODES = (3, 7)  # PDF 32000-1, table 106: neither fill nor stroke; add to the clipping path only


class Paint(Enum):
    """How the letters of a text object are painted."""

    FULL = "full"
    FAINT = "faint"
    NONE = "none"
    COVERED = "covered"
    """Something was drawn over it, and nothing shows through."""
    UNKNOWN_FONT = "unknown_font"
    """The font is not in the file and may be missing here: that nothing is drawn says nothing."""


@dataclass(slots=True)
class _Layer:
    """What of a page belongs to one layer, by name: it may be off."""

    objects: list[pdfium.PdfObject] = field(default_factory=list)
    texts: set[int] = field(default_factory=set)
    """Addresses of its text objects, also of those inside forms."""


@dataclass(slots=True)
class _Areas:
    """What is drawn on a page beside text, in the order of drawing."""

    orders: dict[int, int] = field(default_factory=dict)
    """Address of a text object to its place in the order."""
    layers: dict[str, _Layer] = field(default_factory=dict)
    pictures: list[Box] = field(default_factory=list)
    scans: list[Box] = field(default_factory=list)
    """Pictures of most of the page."""
    last_scan: int = -1
    """Place of the last of them in the order."""
    covers: list[tuple[float, float, float, float, int, int]] = field(default_factory=list)
    """Box, place in the order, and 1 for a fill or 0 for a picture that is no scan."""
    _table: NDArray[np.float64] | None = None

    def are_later(self, box: Box, order: int) -> tuple[bool, bool]:
        """A fill, and a picture, was drawn over the middle of the box after `order`."""
        if not self.covers:
            return False, False
        if self._table is None:
            import numpy as np

            self._table = np.array(self.covers, dtype=np.float64)
        if self._table[-1, 4] <= order:
            return False, False
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        left, bottom, right, top, place, is_fill = self._table.T
        is_over = (place > order) & (left <= x) & (x <= right) & (bottom <= y) & (y <= top)
        return bool((is_over & (is_fill == 1)).any()), bool((is_over & (is_fill == 0)).any())


@dataclass(slots=True)
class HiddenText:
    """Tells for one page how its characters are painted, and which boxes show nothing."""

    page: pdfium.PdfPage
    n_of_ocr_layer: int = 0
    """Characters without ink, or with a scan drawn over them: what OCR programs add."""
    _areas: _Areas | None = None
    text_object: int | None = None
    """Address of the text object of the character that was asked for last."""
    _order: int = 0
    _paint: Paint = Paint.FULL
    _picture: NDArray[np.uint8] | None = None
    _is_rendered: bool = False
    _off: set[int] | None = None

    def paint_of(self, raw: ctypes.CDLL, handle: object, index: int, box: Box) -> Paint:
        """How the character at `box` is painted; a text object is asked only once."""
        painted = raw.FPDFText_GetTextObject(handle, index)
        address = ctypes.cast(painted, ctypes.c_void_p).value
        if self._areas is None:
            self._areas = _painted_areas(self.page)
        if address is not None and address != self.text_object:  # PDFium makes some characters up: spaces
            self.text_object = address
            self._order = self._areas.orders.get(address, -1)
            self._paint = _paint(raw, painted, handle, index)
            if self._paint in (Paint.FULL, Paint.FAINT) and address in self._texts_off(self._areas):
                self._paint = Paint.COVERED
        self.n_of_ocr_layer += self._paint is Paint.NONE or (
            self._order < self._areas.last_scan and any(_contains(area, box) for area in self._areas.scans)
        )
        return Paint.COVERED if self._is_covered(self._areas, box) else self._paint

    def is_scan(self) -> bool:
        """Pictures take up most of the page, and no OCR program has added their words."""
        if self._areas is None:
            self._areas = _painted_areas(self.page)
        width, height = self.page.get_size()
        covered = sum((box[2] - box[0]) * (box[3] - box[1]) for box in self._areas.pictures)
        return covered >= _SCAN_SHARE * width * height > 0 and self.n_of_ocr_layer < _MIN_OCR_LAYER

    def hides(self, box: Box, paint: Paint) -> bool:
        """Nothing is to be seen where the text stands.

        Text without ink over a picture, and text under a picture of the page, is what OCR programs
        add to a scan: it is kept.
        """
        if paint is Paint.COVERED:
            return True
        if paint is Paint.UNKNOWN_FONT:
            return False
        if self._areas is None:
            self._areas = _painted_areas(self.page)
        if paint is Paint.NONE and any(_contains(area, box) for area in self._areas.pictures):
            return False
        if any(_contains(area, box) for area in self._areas.scans):
            # The layers of OCR programs are seldom exact: the printed word stands somewhere near.
            height = box[3] - box[1]
            box = (box[0] - height, box[1] - height, box[2] + height, box[3] + height)
        return self._is_even(box)

    def _texts_off(self, areas: _Areas) -> set[int]:
        """The texts of layers without which the page looks the same."""
        if self._off is None:
            self._off = set()
            layers = [layer for layer in areas.layers.values() if layer.texts][:_MAX_LAYERS]
            before = self._render() if layers else None
            for layer in layers:
                if before is not None and _looks_the_same_without(layer, before, self._drawn):
                    self._off |= layer.texts
        return self._off

    def _is_covered(self, areas: _Areas, box: Box) -> bool:
        """Under a bar or a picture that was drawn later, and of one colour there."""
        is_below = areas.are_later(box, self._order)
        if not any(is_below):
            return False
        if self._paint is Paint.UNKNOWN_FONT or (self._paint is Paint.NONE and not is_below[0]):
            return self._is_even(box, darker_than=_DARK)
        return self._is_even(box)

    def _render(self) -> NDArray[np.uint8] | None:
        if not self._is_rendered:
            self._is_rendered = True
            self._picture = self._drawn()
        return self._picture

    def _drawn(self) -> NDArray[np.uint8] | None:
        """The page as a viewer shows it; None where it is too large or too small to tell."""
        width, height = self.page.get_size()
        scale = min(1.0, _MAX_PIXELS / max(width, height, 1.0))
        if scale < _MIN_SCALE or min(width, height) < _MIN_SIDE_PT:
            return None
        picture: NDArray[np.uint8] = self.page.render(scale=scale).to_numpy()
        return picture

    def _is_even(self, box: Box, *, darker_than: int = 256) -> bool:
        from pypdfium2 import raw

        picture = self._render()
        if picture is None:
            return False
        height, width = picture.shape[:2]
        xs, ys = [], []
        for x, y in ((box[0], box[1]), (box[2], box[3])):
            at_x, at_y = ctypes.c_int(), ctypes.c_int()
            raw.FPDF_PageToDevice(self.page.raw, 0, 0, width, height, 0, x, y, at_x, at_y)
            xs.append(at_x.value)
            ys.append(at_y.value)
        patch = picture[max(0, min(ys)) : max(ys) + 1, max(0, min(xs)) : max(xs) + 1]
        if patch.size == 0:
            return False
        darkest, lightest = patch.min(axis=(0, 1)).astype(int), patch.max(axis=(0, 1)).astype(int)
        return bool((lightest - darkest).max() <= _EVEN_RANGE and lightest.max() < darker_than)


def _looks_the_same_without(
    layer: _Layer, before: NDArray[np.uint8], draw: Callable[[], NDArray[np.uint8] | None]
) -> bool:
    import numpy as np
    from pypdfium2 import raw

    for item in layer.objects:
        raw.FPDFPageObj_SetIsActive(item.raw, False)
    after = draw()
    for item in layer.objects:
        raw.FPDFPageObj_SetIsActive(item.raw, True)
    return after is not None and np.array_equal(before, after)


def _layer_name(raw: ctypes.CDLL, item: pdfium.PdfObject) -> str | None:
    """The name of the layer that the object belongs to; None outside layers."""
    for index in range(min(raw.FPDFPageObj_CountMarks(item.raw), _MAX_MARKS)):
        mark = raw.FPDFPageObj_GetMark(item.raw, index)
        size = ctypes.c_ulong()
        buffer = ctypes.create_string_buffer(_NAME_BYTES)
        raw.FPDFPageObjMark_GetName(
            mark, ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), _NAME_BYTES, size
        )
        if buffer.raw[: size.value] != "OC\0".encode("utf-16-le"):
            continue
        size.value = 0
        raw.FPDFPageObjMark_GetParamStringValue(
            mark, b"Name", ctypes.cast(buffer, ctypes.POINTER(ctypes.c_ushort)), _NAME_BYTES, size
        )
        return buffer.raw[: min(size.value, _NAME_BYTES)].decode("utf-16-le", errors="replace")
    return None


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


def _painted_areas(page: pdfium.PdfPage) -> _Areas:
    """What is painted on the page beside text; a form's box stands for what it holds."""
    from pypdfium2 import raw

    width, height = page.get_size()
    areas = _Areas()
    outermost: pdfium.PdfObject | None = None
    layer: _Layer | None = None
    for order, item in enumerate(islice(page.get_objects(max_depth=_MAX_DEPTH), _MAX_OBJECTS)):
        if item.level == 0:
            outermost = item
            name = _layer_name(raw, item)
            layer = areas.layers.setdefault(name, _Layer()) if name is not None else None
            if layer is not None:
                layer.objects.append(item)
        if outermost is None:
            continue
        if item.type == raw.FPDF_PAGEOBJ_TEXT:
            address = ctypes.cast(item.raw, ctypes.c_void_p).value
            if address is not None:
                areas.orders[address] = order
                if layer is not None:
                    layer.texts.add(address)
        elif item.type == raw.FPDF_PAGEOBJ_IMAGE:
            box = _bounds(outermost)
            areas.pictures.append(box)
            if (box[2] - box[0]) * (box[3] - box[1]) >= _SCAN_SHARE * width * height:
                areas.scans.append(box)
                areas.last_scan = order
            else:
                areas.covers.append((*box, order, 0))
        elif item.type == raw.FPDF_PAGEOBJ_PATH and _is_filled(raw, item):
            areas.covers.append((*_bounds(outermost), order, 1))
    return areas


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
