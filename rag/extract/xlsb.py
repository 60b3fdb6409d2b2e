"""Binary Excel workbooks (XLSB)."""

from __future__ import annotations

from pathlib import Path

from rag.config import ExtractionLimits
from rag.extract.calamine_sheets import read_workbook
from rag.extract.canonical import Reading
from rag.extract.container import open_container
from rag.extract.left_out import macros_ignored


def read(path: Path, *, filename: str, limits: ExtractionLimits) -> Reading:
    """Each row with a value of every visible sheet.

    Raises:
        DocumentError: as `open_container` and `read_workbook` do.
    """
    with open_container(path, max_unpacked_mib=limits.max_unpacked_mib) as container:
        warnings = tuple(macros_ignored(container))
    return read_workbook(path, filename=filename, limits=limits, warnings=warnings)
