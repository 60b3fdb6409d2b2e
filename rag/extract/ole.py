"""Which streams an OLE compound file (DOC, XLS, PPT, MSG) has at its root: [MS-CFB]."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from mmap import mmap

_HEADER_BYTES = 512
_ENTRY_BYTES = 128
_MAX_REGULAR = 0xFFFFFFFA
_NO_ENTRY = 0xFFFFFFFF
_MAX_SECTORS = 100_000


def root_names(data: mmap) -> frozenset[str]:
    """Names of the streams and storages at the root; those of embedded files are not among them.

    Empty when the directory is broken or cut off.
    """
    try:
        entries = b"".join(_directory(data))
        names, pending, seen = set(), [_child(entries, 0)], {0}
        while pending:
            number = pending.pop()
            if number == _NO_ENTRY or number in seen:
                continue
            seen.add(number)
            start = number * _ENTRY_BYTES
            size, _, _, left, right = struct.unpack_from("<HBBII", entries, start + 64)
            names.add(entries[start : start + max(0, min(size, 64) - 2)].decode("utf-16-le", "replace"))
            pending += [left, right]
    except (struct.error, IndexError):
        return frozenset()
    return frozenset(names)


def is_cut_off(data: mmap) -> bool:
    """The list of streams begins behind the end of the file."""
    if len(data) < _HEADER_BYTES:
        return True
    shift, start = struct.unpack_from("<H", data, 30)[0], struct.unpack_from("<I", data, 48)[0]
    return bool((start + 1) << (shift if shift in (9, 12) else 9) >= len(data))


def _child(entries: bytes, number: int) -> int:
    return int(struct.unpack_from("<I", entries, number * _ENTRY_BYTES + 76)[0])


def _directory(data: mmap) -> Iterator[bytes]:
    """The sectors of the directory, followed through the allocation table."""
    shift = struct.unpack_from("<H", data, 30)[0]
    sector, n_sectors = struct.unpack_from("<I", data, 48)[0], 0
    size = 1 << (shift if shift in (9, 12) else 9)
    table = struct.unpack_from("<109I", data, 76)
    per_sector = size // 4
    while sector < _MAX_REGULAR and n_sectors < _MAX_SECTORS:
        n_sectors += 1
        yield data[(sector + 1) * size : (sector + 2) * size]
        # Tables beyond the first 109 (files over 7 MB) are not followed: the directory's start is enough then.
        if sector // per_sector >= len(table) or table[sector // per_sector] >= _MAX_REGULAR:
            return
        place = (table[sector // per_sector] + 1) * size + 4 * (sector % per_sector)
        sector = struct.unpack_from("<I", data, place)[0]
