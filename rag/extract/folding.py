"""Which characters are another writing of the same letter, and so are stored as that letter.

NFKC folds more than a quotation bears: it turns 10² into 102 and ½ into 1⁄2. Here only what leaves the
meaning alone is folded; a search compares in full NFKC (docs/adr/006-quotations-keep-what-they-say.md).
"""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Mapping

# Unicode's names for why a character has another form (UAX 44, Decomposition_Type). Left alone are
# super and sub (they change a number), fraction and circle (a mark of its own).
_FOLDED_KINDS = frozenset(
    (
        "<wide>",
        "<narrow>",
        "<noBreak>",
        "<font>",
        "<small>",
        "<vertical>",
        "<initial>",
        "<medial>",
        "<final>",
        "<isolated>",
    )
)
# Where characters with a form of those kinds lie: a look at all of Unicode would cost 0.2 s a process.
_BLOCKS = (
    (0x00A0, 0x2200),
    (0x3000, 0x3400),
    (0xF900, 0x10000),
    (0x1D400, 0x1D800),
    (0x1EE00, 0x1EF00),
    (0x1FBF0, 0x1FBFA),
)
# Of the mixed bag <compat>: Latin and Armenian ligatures and digraphs, spaces, Kangxi radicals.
_COMPAT_RANGES = (
    (0x0132, 0x0134),
    (0x01C4, 0x01CD),
    (0x01F1, 0x01F4),
    (0x2002, 0x200B),
    (0x205F, 0x2060),
    (0x2E9F, 0x2EA0),
    (0x2EF3, 0x2EF4),
    (0x2F00, 0x2FD6),
    (0xFB00, 0xFB18),
)
_SQUARES = (0x32CC, 0x3400)  # ㎞ and ㌢; squared letters elsewhere are marks like the circled ones


@functools.cache
def folding() -> Mapping[int, str]:
    """For `str.translate`: code point to the text it is stored as."""
    points = {point for start, end in (*_BLOCKS, *_COMPAT_RANGES) for point in range(start, end)}
    return {point: text for point in points if (text := _folded(chr(point))) != chr(point)}


def _folded(char: str) -> str:
    kind, _, form = unicodedata.decomposition(char).partition(" ")
    if not _is_folded(ord(char), kind):
        return char
    # Part by part: ㎡ is m and ², and the ² stays.
    text = "".join(_folded(chr(int(part, 16))) for part in form.split())
    # An accent over a space would stand on the word before it.
    return char if text[0] == " " != text else text


def _is_folded(point: int, kind: str) -> bool:
    return (
        kind in _FOLDED_KINDS
        or (kind == "<compat>" and any(start <= point < end for start, end in _COMPAT_RANGES))
        or (kind == "<square>" and _SQUARES[0] <= point < _SQUARES[1])
    )
