"""The rows of an Excel sheet that are stored, streamed.

openpyxl's own iteration gives every row from the first to the last: a cell in the last of a million rows costs
seconds, a row number beyond any sheet costs for ever, and rows that are not in order are dropped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rag.errors import DamagedDocument
from rag.extract.sheets import HiddenParts

_MAX_ROW, _MAX_COLUMN = 1_048_576, 16_384


def stored_rows(sheet: Any, hidden: HiddenParts) -> Iterator[list[Any]]:
    """The cells with a value of each row that has one; hidden ones are kept and counted, struck ones dropped.

    Raises:
        DamagedDocument: a row or column that no sheet has.
        Exception: whatever openpyxl lets through when a part is not as it expects.
    """
    from openpyxl.cell.read_only import ReadOnlyCell
    from openpyxl.worksheet._reader import WorkSheetParser

    # ruff: noqa: SLF001 - openpyxl has no public way to the rows as they are stored
    workbook = sheet.parent
    struck = _struck_styles(workbook)
    used: set[int] = set()
    with sheet._get_source() as source:
        parser = WorkSheetParser(
            source,
            sheet._shared_strings,
            data_only=True,
            epoch=workbook.epoch,
            date_formats=workbook._date_formats,
            timedelta_formats=workbook._timedelta_formats,
        )
        for number, record in parser.parse():
            dimensions = parser.row_dimensions.pop(str(number), {})
            filled = [cell for cell in record if cell["value"] is not None]
            found = [cell for cell in filled if cell["style_id"] not in struck]
            hidden.n_struck += len(filled) - len(found)
            if not found:
                continue
            if any(
                not (1 <= cell["row"] <= _MAX_ROW and 1 <= cell["column"] <= _MAX_COLUMN) for cell in found
            ):
                raise DamagedDocument("A sheet of the workbook has a cell outside of any sheet.")
            hidden.n_rows += _is_hidden(dimensions)
            used.update(cell["column"] for cell in found)
            yield [ReadOnlyCell(sheet, **cell) for cell in found]
        hidden.n_columns += len(used & _hidden_columns(parser.column_dimensions))


def _struck_styles(workbook: Any) -> set[int]:
    """The cell styles whose font has a line through it."""
    fonts = {number for number, font in enumerate(workbook._fonts) if font.strike}
    return {number for number, style in enumerate(workbook._cell_styles) if style.fontId in fonts}


def _hidden_columns(dimensions: dict[str, dict[str, str]]) -> set[int]:
    columns: set[int] = set()
    for column in dimensions.values():
        if _is_hidden(column):
            first, last = int(column["min"]), int(column.get("max", column["min"]))
            columns.update(range(max(first, 1), min(last, _MAX_COLUMN) + 1))
    return columns


def _is_hidden(dimensions: dict[str, str]) -> bool:
    return dimensions.get("hidden") in ("1", "true")
