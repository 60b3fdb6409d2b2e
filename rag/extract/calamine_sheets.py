"""Binary Excel workbooks (XLS, XLSB) through calamine, which reads values and no number formats."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from rag.config import ExtractionLimits
from rag.errors import DamagedDocument, EncryptedDocument
from rag.extract.canonical import CanonicalBuilder, Reading
from rag.extract.outline import title_from_filename
from rag.extract.sheets import SheetBlocks, row_of_values
from rag.extract.tabular import Row
from rag.types import ExtractionWarning

if TYPE_CHECKING:
    from python_calamine import CalamineSheet

_DAMAGED = "A part of the workbook is missing or broken."


def read_workbook(
    path: Path, *, filename: str, limits: ExtractionLimits, warnings: tuple[ExtractionWarning, ...] = ()
) -> Reading:
    """Each row with a value of every visible sheet; formulas give the value stored with them.

    One sheet at a time is in memory. Hidden sheets are left out and reported.

    Raises:
        EncryptedDocument: a password is needed to open it.
        DamagedDocument: a part is missing or broken.
        NoText: no visible cell has a value.
        ResourceLimit: more cells or characters than the limits.
    """
    import python_calamine as calamine

    sheets = SheetBlocks(CanonicalBuilder(limits.max_chars), limits.max_cells)
    try:
        # Opened here: given a path, the library judges a file by its ending, and stored bytes have none.
        with path.open("rb") as file, calamine.load_workbook(file) as workbook:
            for position, sheet in enumerate(workbook.sheets_metadata):
                if sheet.typ != calamine.SheetTypeEnum.WorkSheet:
                    continue  # charts, macros and dialogues have no cells
                if sheet.visible == calamine.SheetVisibleEnum.Visible:
                    sheets.add_sheet(sheet.name, _rows(workbook.get_sheet_by_index(position)))
                else:
                    sheets.hidden.append(sheet.name)
    except calamine.PasswordError as exc:
        raise EncryptedDocument("The workbook needs a password to be opened.") from exc
    except (calamine.CalamineError, OSError, ValueError) as exc:
        raise DamagedDocument(_DAMAGED) from exc
    except BaseException as exc:
        # A panic of the library's own code; its class stands outside `Exception` and has no public name.
        if type(exc).__name__ == "PanicException":
            raise DamagedDocument(_DAMAGED) from exc
        raise
    return sheets.reading(title_from_filename(filename), warnings)


def _rows(sheet: CalamineSheet) -> Iterator[Row]:
    if sheet.start is None:
        return
    first_column = sheet.start[1] + 1
    # The iterator gives the rows from the sheet's top, their cells from the first used column.
    for number, values in enumerate(sheet.iter_rows(), start=1):
        if values.count("") == len(values):  # a million of them may stand above a last row
            continue
        row = row_of_values(
            number, ((column, value, "") for column, value in enumerate(values, start=first_column))
        )
        if row is not None:
            yield row
