"""The packed RTF of Outlook messages (MS-OXRTFCP)."""

from __future__ import annotations

import struct

_HEADER = struct.Struct("<IIII")
_PACKED, _PLAIN = 0x75465A4C, 0x414C454D
_WINDOW = 4096
# What the window holds before the first byte, as the specification gives it.
_START = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor "
    b"MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par "
    b"\\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)


def unpack_rtf(data: bytes, *, max_bytes: int) -> bytes | None:
    """The RTF; None when `data` is not packed RTF, is cut off, or unpacks to more than `max_bytes`."""
    if len(data) < _HEADER.size:
        return None
    _, size, kind, _ = _HEADER.unpack_from(data)
    if size > max_bytes:
        return None
    if kind == _PLAIN:
        return data[_HEADER.size :][:size]
    return _unpack(data) if kind == _PACKED else None


def _unpack(data: bytes) -> bytes | None:
    """Literals and references into a window of 4 KiB; one that points at its own write position ends it."""
    window = bytearray(_START.ljust(_WINDOW, b"\0"))
    at = len(_START)
    output = bytearray()
    position = _HEADER.size
    while position < len(data):
        control = data[position]
        position += 1
        for bit in range(8):
            is_reference = control >> bit & 1
            if position + is_reference >= len(data):
                return None
            if is_reference:
                offset, length = data[position] << 4 | data[position + 1] >> 4, (data[position + 1] & 15) + 2
                if offset == at:
                    return bytes(output)
            else:
                offset, length = -1, 1
            for step in range(length):
                byte = window[(offset + step) % _WINDOW] if is_reference else data[position]
                output.append(byte)
                window[at] = byte
                at = (at + 1) % _WINDOW
            position += 1 + is_reference
    return None
