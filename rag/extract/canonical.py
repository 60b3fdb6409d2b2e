"""Canonical text: normalised once, before any offset exists, and laid out in one place."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field

from rag.errors import ResourceLimit
from rag.extract.folding import folding
from rag.types import Attachment, BlockKind, Coverage, ExtractionWarning, Locator, Span

_LINE_BREAKS = re.compile(r"\r\n?|[\u2028\u2029\x0b\x0c\x85]")
# Characters nobody sees: controls, soft hyphen, zero-width space and word joiner, byte order mark,
# direction marks (they can make text read other than it is) and tag characters (they carry hidden
# instructions past a human reader).
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
# Zero-width joiners spell words in Persian and Indic scripts and hold emoji together; beside ASCII
# they only split words that a search should find.
_STRAY_JOINERS = re.compile("(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])")
_SURROGATES = re.compile("[\ud800-\udfff\ufffe\uffff]")
_SPACES = re.compile(r"[^\S\n]+")
_AROUND_BREAKS = re.compile(r" *\n[ \n]*")


def visible_text(text: str) -> str:
    """`text` in NFC with ``\\n`` line ends, one writing of each letter and nothing invisible.

    Ligatures, full and half width, presentation forms and fonts are folded; what tells something
    (10², ½, ①, ™) is kept: see `rag.extract.folding`. Applying it twice changes nothing more.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _LINE_BREAKS.sub("\n", text)
    text = _INVISIBLE.sub("", text)
    text = _SURROGATES.sub("\ufffd", text)
    text = unicodedata.normalize("NFC", text).translate(folding())
    text = _STRAY_JOINERS.sub("", text)
    return unicodedata.normalize("NFC", text)


def block_text(text: str) -> str:
    """`text` as a block holds it: single spaces, lines without padding, no blank line."""
    return _AROUND_BREAKS.sub("\n", _SPACES.sub(" ", visible_text(text))).strip()


def line_text(text: str) -> str:
    """`text` on one line with single spaces."""
    return " ".join(visible_text(text).split())


def code_text(text: str) -> str:
    """`text` with its indentation kept; trailing spaces and outer blank lines removed."""
    lines = [line.rstrip() for line in visible_text(text).expandtabs(4).split("\n")]
    return "\n".join(lines).strip("\n").rstrip()


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader of one format gives back; the registry adds format and version."""

    title: str
    text: str
    spans: tuple[Span, ...]
    coverage: Coverage
    is_partial: bool = False
    encoding: str | None = None
    ocr_confidence: float | None = None
    page_confidence: tuple[tuple[int, float], ...] = ()
    warnings: tuple[ExtractionWarning, ...] = ()
    attachments: tuple[Attachment, ...] = ()


@dataclass(slots=True)
class CanonicalBuilder:
    """Puts normalised blocks one after another and knows where each one went.

    Blocks are separated by a blank line, rows of one table by a line end.
    """

    max_chars: int
    _parts: list[str] = field(default_factory=list)
    _spans: list[Span] = field(default_factory=list)
    _length: int = 0
    _table: int | None = None

    def add(
        self,
        text: str,
        kind: BlockKind,
        locator: Locator,
        *,
        table_header: str | None = None,
        table: int | None = None,
    ) -> bool:
        """Append a block; False when nothing of it is visible.

        `table` is any number that rows of one table share.

        Raises:
            ResourceLimit: the canonical text would pass `max_chars`.
        """
        # Code may open with an indented line; a span starts at its first visible character.
        block = code_text(text).lstrip() if kind == "code" else block_text(text)
        if not block:
            return False
        if self._length + len(block) + 2 > self.max_chars:
            raise ResourceLimit(f"The text is longer than {self.max_chars:,} characters.")
        if self._parts:
            separator = "\n" if table is not None and table == self._table else "\n\n"
            self._parts.append(separator)
            self._length += len(separator)
        self._table = table
        header = block_text(table_header) if table_header else None
        start = self._length
        self._parts.append(block)
        self._length += len(block)
        self._spans.append(Span(start, self._length, kind, locator, header or None))
        return True

    def text(self) -> str:
        """The canonical text so far."""
        return "".join(self._parts)

    def spans(self) -> tuple[Span, ...]:
        """The blocks so far, in order."""
        return tuple(self._spans)
