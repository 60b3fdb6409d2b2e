"""/ActualText: what a PDF says instead of the letters that it draws.

It is meant for ligatures and hyphens, and PDFium reads it in place of the drawn characters. It can
say anything, and a quotation must say what the page shows: where it says something else it is undone.
"""

from __future__ import annotations

import ctypes
import functools
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from rag.extract.folding import folding
from rag.extract.pdf_extras import utf16_text

if TYPE_CHECKING:
    import pypdfium2 as pdfium

_KEY = b"ActualText"
_MAX_DEPTH = 3
_MAX_OBJECTS = 20_000
_MAX_MARKS = 20
# A hyphen at a line's end may go; before a digit it is a sign.
_HYPHEN = re.compile("[-\u00ad\u2010\u2011]+(?!\\d)")


@dataclass(slots=True)
class _Stretch:
    """Objects one after the other that have one alternate."""

    said: str
    places: list[int] = field(default_factory=list)
    drawn: str = ""


def undo_alternates(page: pdfium.PdfPage, number: int) -> int:
    """Undo the alternates that say something else than is drawn; how many stretches have such a one."""
    stretches = _stretches(page)
    if not stretches:
        return 0
    _read_drawn(page.pdf, number, stretches)
    false = [stretch for stretch in stretches if _is_false(stretch.said, stretch.drawn)]
    places = {place for stretch in false for place in stretch.places}
    for place, item in _text_objects(page):
        if place in places:
            _remove(item)
    return len(false)


def _stretches(page: pdfium.PdfPage) -> list[_Stretch]:
    stretches: list[_Stretch] = []
    last: str | None = None
    for place, item in _text_objects(page):
        said = next((text for _, text in _alternates(item)), None)
        if said is not None:
            if said != last:
                stretches.append(_Stretch(said))
            stretches[-1].places.append(place)
        last = said
    return stretches


def _read_drawn(document: pdfium.PdfDocument, number: int, stretches: list[_Stretch]) -> None:
    """What the objects say by themselves, from a second copy of the page that has no alternates."""
    from pypdfium2 import raw

    of_place = {place: stretch for stretch in stretches for place in stretch.places}
    copy = document[number - 1]
    try:
        for _, item in _text_objects(copy):
            _remove(item)
        textpage = copy.get_textpage()
        try:
            for place, item in _text_objects(copy):
                if place in of_place:
                    fill = functools.partial(raw.FPDFTextObj_GetText, item.raw, textpage.raw)
                    of_place[place].drawn += utf16_text(fill)
        finally:
            textpage.close()
    finally:
        copy.close()


def _is_false(said: str, drawn: str) -> bool:
    """The alternate differs in more than ligatures, hyphens and spaces from what can be told of the drawn."""
    said, drawn = _plain(said), _plain(drawn)
    is_unreadable = not drawn or any(unicodedata.category(char) in ("Cc", "Co", "Cn") for char in drawn)
    is_bullet = len(drawn) == 1 and not any(map(str.isalnum, said))
    return said != drawn and not is_unreadable and not is_bullet


def _plain(text: str) -> str:
    text = re.sub(r"\s+", "", unicodedata.normalize("NFC", text.translate(folding()))).casefold()
    return _HYPHEN.sub("", text)


def _text_objects(page: pdfium.PdfPage) -> Iterator[tuple[int, pdfium.PdfObject]]:
    from pypdfium2 import raw

    for place, item in enumerate(islice(page.get_objects(max_depth=_MAX_DEPTH), _MAX_OBJECTS)):
        if item.type == raw.FPDF_PAGEOBJ_TEXT:
            yield place, item


def _alternates(item: pdfium.PdfObject) -> Iterator[tuple[object, str]]:
    from pypdfium2 import raw

    for index in range(min(raw.FPDFPageObj_CountMarks(item.raw), _MAX_MARKS)):
        mark = raw.FPDFPageObj_GetMark(item.raw, index)
        text = utf16_text(functools.partial(_alternate, mark))
        if text:
            yield mark, text


def _alternate(mark: object, buffer: object, size: int) -> int:
    from pypdfium2 import raw

    n_bytes = ctypes.c_ulong()
    is_there = raw.FPDFPageObjMark_GetParamStringValue(mark, _KEY, buffer, size, n_bytes)
    return n_bytes.value if is_there else 0


def _remove(item: pdfium.PdfObject) -> None:
    from pypdfium2 import raw

    for mark in [mark for mark, _ in _alternates(item)]:
        raw.FPDFPageObj_RemoveMark(item.raw, mark)
