"""RTF as a stream of tokens, and the tables that its bytes are decoded with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

TokenKind = Literal["open", "close", "word", "symbol", "bytes"]
_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|[\r\n]+|([^\\{}\r\n]+)",
    re.DOTALL,
)
_CHARSETS = {
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "cp950",
    161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251",
    222: "cp874", 238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip
_CODE_PAGES = {932: "cp932", 936: "gb18030", 949: "cp949", 950: "cp950", 10000: "mac_roman", 65001: "utf-8"}


@dataclass(frozen=True, slots=True)
class Token:
    """A brace, control word (with its number), control symbol, or bytes of text."""

    kind: TokenKind
    name: str = ""
    number: int | None = None
    data: bytes = b""


def tokens(data: bytes) -> Iterator[Token]:
    """The tokens of an RTF file; binary data behind ``\\bin`` is skipped."""
    position = 0
    while position < len(data):
        found = _TOKEN.match(data, position)
        if found is None:  # a lone backslash at the end
            return
        position = found.end()
        word, number, code, symbol, brace, text = found.groups()
        if word:
            value = int(number) if number else None
            if word == b"bin":
                position += max(0, value or 0)
            else:
                yield Token("word", word.decode("ascii"), value)
        elif code:
            yield Token("bytes", data=bytes.fromhex(code.decode("ascii")))
        elif symbol:
            yield Token("symbol", symbol.decode("latin-1"))
        elif brace:
            yield Token("open" if brace == b"{" else "close")
        elif text:
            yield Token("bytes", data=text)


def charset_encoding(number: int | None) -> str | None:
    """Python's name for ``\\fcharsetN``; None for symbols and unknown ones."""
    return _CHARSETS.get(number if number is not None else -1)


def code_page_encoding(number: int | None) -> str:
    """Python's name for ``\\ansicpgN``; Windows Western where it is unknown."""
    import codecs

    name = _CODE_PAGES.get(number or 0, f"cp{number}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return "cp1252"
