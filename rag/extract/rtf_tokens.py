"""RTF as a stream of tokens."""

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
