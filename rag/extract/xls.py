"""Excel workbooks of before 2007 (XLS)."""

from __future__ import annotations

from pathlib import Path

from rag.config import ExtractionLimits
from rag.extract.calamine_sheets import read_workbook
from rag.extract.canonical import Reading


def read(path: Path, *, filename: str, limits: ExtractionLimits) -> Reading:
    """Each row with a value of every visible sheet.

    Raises:
        DocumentError: as `read_workbook` does.
    """
    return read_workbook(path, filename=filename, limits=limits)
