"""Excel workbooks: every row with a value of every visible sheet, streamed."""

from __future__ import annotations

import re
import warnings
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, BinaryIO, Protocol

from rag.config import ExtractionLimits
from rag.errors import DamagedDocument
from rag.extract.canonical import CanonicalBuilder, Reading
from rag.extract.container import UNPACK_ERRORS, open_container
from rag.extract.left_out import comments_left_out, macros_ignored, pictures_not_read, struck_text_left_out
from rag.extract.outline import choose_title
from rag.extract.sheets import HiddenParts, SheetBlocks, row_of_values
from rag.extract.tabular import Row
from rag.extract.wording import count_of
from rag.extract.xlsx_boxes import read_boxes
from rag.extract.xlsx_rows import stored_rows
from rag.types import ExtractionWarning

if TYPE_CHECKING:
    from openpyxl.workbook.workbook import Workbook

# A formula whose result was never stored: the writing program did not calculate.
_UNCALCULATED = re.compile(
    rb"<(?:\w+:)?f(?:\s[^>]*)?(?:/>|>[^<]*</(?:\w+:)?f>)\s*"
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
_COMMENT = re.compile(rb"<(?:\w+:)?comment[\s>]")
_COUNTED = (
    (re.compile(r"xl/worksheets/[^/]+\.xml", re.IGNORECASE), _UNCALCULATED),
    (re.compile(r"xl/(?:comments/)?comments?\d*\.xml", re.IGNORECASE), _COMMENT),
)
_BLOCK_BYTES = 1024 * 1024
_OVERLAP_BYTES = 16 * 1024


class _Cell(Protocol):
    value: object
    column: int
    row: int
    number_format: str


def read(path: Path, *, filename: str, limits: ExtractionLimits) -> Reading:
    """Each row with a value as one block that knows its sheet, its A1 range and its column names.

    Formulas give the value stored with them. Hidden sheets are left out and reported.

    Raises:
        ResourceLimit: more cells, characters or unpacked bytes than the limits.
        DamagedDocument: a part is missing or broken.
    """
    with open_container(path, max_unpacked_mib=limits.max_unpacked_mib) as container:
        n_uncalculated, n_comments = _count_in_parts(container)
        boxes = read_boxes(container)
        macros = tuple(macros_ignored(container))
    sheets = SheetBlocks(CanonicalBuilder(limits.max_chars), limits.max_cells)
    hidden = HiddenParts()
    # Opened here: given a path, the library judges a file by its ending, and stored bytes have none.
    with path.open("rb") as file:
        workbook = _load(file)
        for sheet in workbook.worksheets:
            if sheet.sheet_state != "visible":
                sheets.hidden.append(str(sheet.title))
                continue
            name = str(sheet.title)
            sheets.add_sheet(name, _rows(stored_rows(sheet, hidden)), boxes.by_sheet.get(name, ()))
        title = choose_title((workbook.properties.title,), filename)
        workbook.close()
    return sheets.reading(
        title,
        (
            *_uncalculated(n_uncalculated),
            *_damaged_drawings(boxes.n_damaged),
            *hidden.warnings(),
            *struck_text_left_out(hidden.n_struck),
            *pictures_not_read(boxes.n_pictures),
            *comments_left_out(n_comments),
            *macros,
        ),
        is_partial=n_uncalculated + boxes.n_damaged > 0,
    )


def _load(file: BinaryIO) -> Workbook:
    import openpyxl

    with _damage("A part of the workbook is missing or broken."), warnings.catch_warnings():
        # It warns of features it will not keep when saving; nothing is saved here.
        warnings.simplefilter("ignore")
        return openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)


@contextmanager
def _damage(message: str) -> Iterator[None]:
    """Map what openpyxl lets through when a part is not as it expects; it has no error of its own for that."""
    try:
        yield
    except (
        *UNPACK_ERRORS,
        SyntaxError,  # no well-formed XML: lxml's error and the standard library's both are one
        LookupError,  # a part, style or encoding that is not there
        TypeError,
        AttributeError,
        OverflowError,
    ) as exc:
        raise DamagedDocument(message) from exc


def _rows(records: Iterable[list[_Cell]]) -> Iterator[Row]:
    stream = iter(records)
    while True:
        with _damage("A sheet of the workbook is broken."):
            record = next(stream, None)
            # A cell looks its format up only now, in the styles that may be broken.
            found = [(cell, cell.number_format) for cell in record or ()]
        if record is None:
            return
        row = row_of_values(
            found[0][0].row, ((cell.column, cell.value, number_format) for cell, number_format in found)
        )
        if row is not None:
            yield row


def _count_in_parts(container: zipfile.ZipFile) -> tuple[int, int]:
    """Formulas without a stored value, and comments; counted without building a tree."""
    counts = {_UNCALCULATED: 0, _COMMENT: 0}
    try:
        for name in container.namelist():
            for part, pattern in _COUNTED:
                if part.fullmatch(name):
                    with container.open(name) as file:
                        counts[pattern] += _count_matches(file, pattern)
    except UNPACK_ERRORS as exc:
        raise DamagedDocument("A sheet of the workbook cannot be unpacked.") from exc
    return counts[_UNCALCULATED], counts[_COMMENT]


def _count_matches(part: IO[bytes], pattern: re.Pattern[bytes]) -> int:
    count = 0
    tail = b""
    while block := part.read(_BLOCK_BYTES):
        window = tail + block
        end = 0
        for found in pattern.finditer(window):
            count += 1
            end = found.end()
        tail = window[max(end, len(window) - _OVERLAP_BYTES) :]
    return count


def _uncalculated(count: int) -> Iterator[ExtractionWarning]:
    if count:
        yield ExtractionWarning(
            "formulas_without_value",
            f"No result is stored for {count_of(count, 'formula')};"
            " open the file in a spreadsheet program and save it.",
            count,
        )


def _damaged_drawings(count: int) -> Iterator[ExtractionWarning]:
    if count:
        message = f"Damaged and not read: the text boxes of {count_of(count, 'sheet')}."
        yield ExtractionWarning("drawings_not_read", message, count)
