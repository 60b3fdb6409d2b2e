"""The text layer of a PDF page as segments, read character by character with PDFium.

PDFium's own text order is the order of drawing; boxes are needed to find columns and margins.
"""

from __future__ import annotations

import ctypes
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from statistics import median
from typing import TYPE_CHECKING

from rag.errors import ResourceLimit
from rag.extract.canonical import line_text
from rag.extract.layout.segments import WIDE_GAP, PageText, Segment
from rag.extract.pdf_alternates import undo_alternates
from rag.extract.pdf_hidden import Box, HiddenText, Paint
from rag.extract.scripts import lowered, raised

if TYPE_CHECKING:
    import pypdfium2 as pdfium

_LINE_OVERLAP = 0.4
_BOLD_WEIGHT = 600
_UNREADABLE_SHARE = 0.3
_SLANT_TOLERANCE = math.radians(10)
_HYPHENS = {0x02: "-", 0xFFFE: "-"}  # PDFium's marks for a hyphen at a line's end
_LINE_ENDS = (0x0A, 0x0D)
_MIN_HEIGHT_PT = 1.0
# Less than one character for two text objects: seen where a Japanese font is missing.
_MIN_TEXT_OBJECTS = 20
_OBJECTS_PER_CHAR = 2
# Chinese and Japanese set with a space after every character, to fill the line.
_EAST_ASIAN = "[\u3001-\u30ff\u3400-\u9fff\uff01-\uff60]"
_SPACED_PAIR = re.compile(f"(?<={_EAST_ASIAN}) (?={_EAST_ASIAN})")
_PAIR = re.compile(f"{_EAST_ASIAN}(?={_EAST_ASIAN})")
_MIN_SPACED_PAIRS = 3
# Of the font size of the text beside it: sizes of scripts, and how far their baselines lie apart.
_SCRIPT_SIZES = (0.4, 0.8)
_RAISED_SHIFT, _LOWERED_SHIFT, _MAX_SHIFT = 0.15, 0.08, 0.8
_SCRIPT_GAP = 0.5
_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff]")


@dataclass(frozen=True, slots=True)
class _Setting:
    """How a text object is set: its font size and its baseline, y upwards once its text is upright."""

    size: float
    baseline: float

    def script(self, base: _Setting) -> int:
        """1 for raised beside `base`, -1 for lowered, 0 for a size or height that is no script's."""
        if not _SCRIPT_SIZES[0] * base.size <= self.size <= _SCRIPT_SIZES[1] * base.size:
            return 0
        shift = (self.baseline - base.baseline) / base.size
        if abs(shift) > _MAX_SHIFT:
            return 0
        return (shift > _RAISED_SHIFT) - (shift < -_LOWERED_SHIFT)


@dataclass(slots=True)
class _Run:
    """A segment that is being built: its characters, its box, its direction."""

    angle: int
    paint: Paint
    text: list[str] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)
    is_bold: bool = True
    setting: _Setting | None = None
    script: int = 0

    def takes(self, angle: int, paint: Paint, box: Box, setting: _Setting | None) -> bool:
        """The character at `box` stands on this line, next to the last one."""
        last = self.boxes[-1]
        height = min(last[3] - last[1], box[3] - box[1])
        overlap = min(last[3], box[3]) - max(last[1], box[1])
        gap = max(box[0] - last[2], last[0] - box[2])
        is_alike = angle == self.angle and paint is self.paint and not self._is_script(setting)
        return is_alike and overlap > _LINE_OVERLAP * height and gap <= WIDE_GAP * height

    def _is_script(self, setting: _Setting | None) -> bool:
        """One is a script beside the other."""
        mine = self.setting
        if mine is setting or mine is None or setting is None:
            return False
        return bool(setting.script(mine) or mine.script(setting))

    def add(self, char: str, box: Box) -> None:
        """Append a character. PDFium spells a right-to-left ligature out backwards: لا as ا and ل."""
        n_same = 0
        if _RIGHT_TO_LEFT.match(char):
            n_same = sum(1 for _ in takewhile(lambda other: other == box, reversed(self.boxes)))
        self.text.insert(len(self.text) - n_same, char)
        self.boxes.append(box)

    def height(self) -> float:
        """The usual height of its characters."""
        box = self.box()
        return box[3] - box[1]

    def box(self) -> Box:
        """Its width, and the height of most of its characters: a root sign or a raised 2 is higher."""
        return (
            min(box[0] for box in self.boxes),
            median(box[1] for box in self.boxes),
            max(box[2] for box in self.boxes),
            median(box[3] for box in self.boxes),
        )


@dataclass(frozen=True, slots=True)
class TextLayer:
    """What a page's text layer gives, and what of it was left out."""

    page: PageText
    n_hidden: int = 0
    """Characters that nobody sees: smaller than a point, or without a trace in the rendered page."""
    is_undecoded: bool = False
    """Most of the page's text objects gave no character: their fonts do not tell which."""
    is_scan: bool = False
    """Pictures take up most of the page, and the text layer is none that an OCR program made of them."""
    n_alternates: int = 0
    """Stretches for which the file has words other than the drawn ones; the drawn ones are read."""


def read_text_layer(
    page: pdfium.PdfPage, number: int, *, max_chars: int, fields: Sequence[tuple[str, Box]] = ()
) -> TextLayer:
    """The visible text of a page, upright: a page whose text runs sideways is turned.

    Text outside the page's visible box and text at odd angles (stamps across the page) is left out.
    A text layer that is mostly codes without a meaning gives no text: only OCR can read such a page.
    `fields` are filled form fields, which stand in no text layer, and their boxes.

    Raises:
        ResourceLimit: the page has more than `max_chars` characters.
    """
    from pypdfium2 import raw

    n_alternates = undo_alternates(page, number)
    textpage = page.get_textpage()
    try:
        n_chars = raw.FPDFText_CountChars(textpage.raw)
        if n_chars > max_chars:
            raise ResourceLimit(f"Page {number} has more than {max_chars:,} characters.")
        hidden = HiddenText(page)
        runs, n_unreadable = _runs(raw, textpage.raw, n_chars, hidden, _visible_box(page))
        runs, n_hidden = _without_hidden(runs, hidden)
    finally:
        textpage.close()
    if n_unreadable > _UNREADABLE_SHARE * (n_unreadable + sum(len(run.boxes) for run in runs)):
        runs, n_hidden = [], 0
    _mark_scripts(runs)
    angle = _reading_angle(runs)
    runs += [_Run(angle, Paint.FULL, [text], [_turned(box, angle)], is_bold=False) for text, box in fields]
    upright = _upright(number, runs, angle, _page_box(page, runs))
    return TextLayer(upright, n_hidden, _is_undecoded(page, n_chars), hidden.is_scan(), n_alternates)


def _reading_angle(runs: Sequence[_Run]) -> int:
    weights = Counter[int]()
    for run in runs:
        weights[run.angle] += len(run.text)
    return weights.most_common(1)[0][0] if weights else 0


def _without_hidden(runs: Sequence[_Run], hidden: HiddenText) -> tuple[list[_Run], int]:
    kept = [
        run
        for run in runs
        if run.height() > _MIN_HEIGHT_PT and not hidden.hides(_turned(run.box(), -run.angle % 4), run.paint)
    ]
    return kept, sum(len(run.boxes) for run in runs) - sum(len(run.boxes) for run in kept)


def _upright(number: int, runs: Sequence[_Run], angle: int, page_box: Box) -> PageText:
    x0, y0, x1, y1 = _turned(page_box, angle)
    segments = tuple(
        Segment(_written(text, run.script), box[0] - x0, box[2] - x0, y1 - box[3], y1 - box[1], run.is_bold)
        for run in runs
        if run.angle == angle and (text := _joined(run.text))
        for box in (run.box(),)
    )
    return PageText(number, segments, x1 - x0, y1 - y0)


def _mark_scripts(runs: Sequence[_Run]) -> None:
    """Which runs are raised or lowered beside the text before or after them: they stand on its line."""
    base: _Run | None = None
    for place, run in enumerate(runs):
        after = runs[place + 1] if place + 1 < len(runs) else None
        # Before its text stands the mark of a note, never an index.
        for other, scripts in ((base, (1, -1)), (after, (1,))):
            script = _script_of(run, other)
            if other is not None and script in scripts:
                run.script = script
                _, bottom, _, top = other.box()
                run.boxes = [(box[0], bottom, box[2], top) for box in run.boxes]
                break
        else:
            base = run


def _script_of(run: _Run, base: _Run | None) -> int:
    if base is None or run.setting is None or base.setting is None or run.angle != base.angle:
        return 0
    box, beside = run.box(), base.box()
    if beside[0] < (box[0] + box[2]) / 2 < beside[2]:
        return 0  # above or below it
    gap = max(box[0] - beside[2], beside[0] - box[2])
    return run.setting.script(base.setting) if gap <= _SCRIPT_GAP * base.setting.size else 0


def _written(text: str, script: int) -> str:
    return raised(text) if script > 0 else lowered(text) if script < 0 else text


def _visible_box(page: pdfium.PdfPage) -> Box:
    """What a viewer shows; everything where the boxes of the page are nonsense."""
    left, bottom, right, top = page.get_bbox()
    if right - left < 1 or top - bottom < 1:
        return (-math.inf, -math.inf, math.inf, math.inf)
    return (left, bottom, right, top)


def _page_box(page: pdfium.PdfPage, runs: Sequence[_Run]) -> Box:
    box = _visible_box(page)
    if math.isfinite(box[0]) or not runs:
        return box if math.isfinite(box[0]) else (0.0, 0.0, 0.0, 0.0)
    boxes = [_turned(run.box(), -run.angle % 4) for run in runs]
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )


def _is_undecoded(page: pdfium.PdfPage, n_chars: int) -> bool:
    """Text is drawn that the text layer does not give: a text object has at least one character."""
    from pypdfium2 import raw

    if raw.FPDFPage_CountObjects(page.raw) < max(_MIN_TEXT_OBJECTS, _OBJECTS_PER_CHAR * n_chars):
        return False
    n_objects = sum(1 for _ in page.get_objects(filter=[raw.FPDF_PAGEOBJ_TEXT], max_depth=1))
    return n_objects >= max(_MIN_TEXT_OBJECTS, _OBJECTS_PER_CHAR * n_chars)


def _runs(
    raw: ctypes.CDLL, handle: object, n_chars: int, hidden: HiddenText, visible: Box
) -> tuple[list[_Run], int]:
    """The runs in drawing order, and how many characters are codes that stand for no letter."""
    rect = raw.FS_RECTF()
    runs: list[_Run] = []
    run: _Run | None = None
    text_object: int | None = None
    setting: _Setting | None = None
    has_space = False
    n_unreadable = 0
    for index in range(n_chars):
        code = raw.FPDFText_GetUnicode(handle, index)
        if code in _LINE_ENDS:
            run = None
            continue
        char = _HYPHENS.get(code) or chr(code)
        if char.isspace():
            has_space = True
            continue
        if not raw.FPDFText_GetLooseCharBox(handle, index, ctypes.byref(rect)):
            continue
        if _is_unreadable(code):
            n_unreadable += 1
            has_space = has_space or code == 0
            if code == 0:
                continue
        box = (rect.left, rect.bottom, rect.right, rect.top)
        angle = _quarter_turns(raw.FPDFText_GetCharAngle(handle, index))
        if angle is None or not _is_inside(box, visible):
            continue
        paint = hidden.paint_of(raw, handle, index, box)
        if hidden.text_object != text_object:
            text_object = hidden.text_object
            setting = _setting(raw, handle, index, angle)
        box = _turned(box, angle)
        if run is None or not run.takes(angle, paint, box, setting):
            run = _Run(angle, paint, setting=setting)
            runs.append(run)
            run.is_bold = _is_bold(raw, handle, index)
        elif has_space:
            run.text.append(" ")
            run.is_bold = run.is_bold and _is_bold(raw, handle, index)
        has_space = False
        run.add(char, box)
    return runs, n_unreadable


def _setting(raw: ctypes.CDLL, handle: object, index: int, angle: int) -> _Setting | None:
    x, y, matrix = ctypes.c_double(), ctypes.c_double(), raw.FS_MATRIX()
    if not raw.FPDFText_GetCharOrigin(handle, index, x, y) or not raw.FPDFText_GetMatrix(
        handle, index, ctypes.byref(matrix)
    ):
        return None
    size = raw.FPDFText_GetFontSize(handle, index) * math.sqrt(abs(matrix.a * matrix.d - matrix.b * matrix.c))
    return _Setting(size, _turned((x.value, y.value, x.value, y.value), angle)[1]) if size > 0 else None


def _is_unreadable(code: int) -> bool:
    return (code < 0x20 and code not in _HYPHENS) or code == 0xFFFD or 0xE000 <= code < 0xF8FF


def _quarter_turns(clockwise: float) -> int | None:
    """0 to 3 quarter turns counter-clockwise; None for a slanted character. PDFium counts clockwise."""
    turns = round(clockwise / (math.pi / 2))
    return -turns % 4 if abs(clockwise - turns * math.pi / 2) <= _SLANT_TOLERANCE else None


def _turned(box: Box, turns: int) -> Box:
    """`box` as it lies once text that runs `turns` quarter turns off is upright."""
    x0, y0, x1, y1 = box
    if turns == 1:
        return (y0, -x1, y1, -x0)
    if turns == 2:
        return (-x1, -y1, -x0, -y0)
    if turns == 3:
        return (-y1, x0, -y0, x1)
    return box


def _is_inside(box: Box, visible: Box) -> bool:
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
    return _unspaced(line_text(text))


def _unspaced(text: str) -> str:
    n_spaced = len(_SPACED_PAIR.findall(text))
    if n_spaced < _MIN_SPACED_PAIRS or n_spaced < len(_PAIR.findall(text)):
        return text
    return _SPACED_PAIR.sub("", text)
