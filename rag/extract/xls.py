"""Excel workbooks of before 2007 (XLS)."""

from __future__ import annotations

import mmap
import struct
from pathlib import Path

from rag.config import ExtractionLimits
from rag.errors import EncryptedDocument
from rag.extract.calamine_sheets import read_workbook
from rag.extract.canonical import Reading

# [MS-XLS] 2.4.21 and 2.4.117: a workbook opens with BOF; FILEPASS, which follows at once, says that it is encrypted.
_OPENINGS = (bytes.fromhex("0908100000060500"), bytes.fromhex("0908080000050500"))
_FILE_PASS = 0x2F
_END = 0x0A
_MAX_RECORDS = 8


def read(path: Path, *, filename: str, limits: ExtractionLimits) -> Reading:
    """Each row with a value of every visible sheet.

    Raises:
        DocumentError: as `read_workbook` does.
    """
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if _is_encrypted(data):
            raise EncryptedDocument("The workbook needs a password to be opened.")
    return read_workbook(path, filename=filename, limits=limits)


def _is_encrypted(data: mmap.mmap) -> bool:
    """A password is set; calamine overlooks the oldest way to do it and would read noise as cells."""
    position = max(data.find(opening) for opening in _OPENINGS)
    for _ in range(_MAX_RECORDS if position >= 0 else 0):
        if position + 4 > len(data):
            break
        kind, size = struct.unpack_from("<HH", data, position)
        if kind in (_FILE_PASS, _END):
            return bool(kind == _FILE_PASS)
        position += 4 + size
    return False
