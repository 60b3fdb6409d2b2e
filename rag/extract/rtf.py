"""RTF: headings, paragraphs, lists, tables, boxes and notes in their order.

striprtf is not used: it drops footnotes and boxes, keeps hidden and deleted text, writes every
link's address beside its words, and knows neither headings nor rows of tables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from rag.config import ExtractionLimits
from rag.errors import ResourceLimit
from rag.extract.canonical import CanonicalBuilder, Reading, line_text
from rag.extract.decoding import DecodedText
from rag.extract.left_out import (
    comments_left_out,
    deletions_left_out,
    end_missing,
    headers_left_out,
    hidden_text_left_out,
    pictures_not_read,
    struck_text_left_out,
)
from rag.extract.outline import choose_title
from rag.extract.rtf_body import RtfBody
from rag.extract.rtf_tables import RtfFonts, RtfStyles
from rag.extract.rtf_tokens import Token, tokens
from rag.extract.rtf_words import CHARACTERS, FLOWS, LABELS, RUNNING, SKIPPED, STARRED, SYMBOLS
from rag.extract.scripts import lowered, raised
from rag.types import Coverage

_MAX_DEPTH = 1_000
# Destinations that describe the document; what they hold is no text of it.
_TABLES = ("fonttbl", "stylesheet", "info", "title")


def read(path: Path, *, filename: str, limits: ExtractionLimits) -> Reading:
    """The document's body; deleted and hidden text, comments, page headers and footers are left out.

    Raises:
        ResourceLimit: more characters or table cells than the limits, or groups nested absurdly deep.
    """
    reader = _Reader(RtfBody(CanonicalBuilder(limits.max_chars), limits.max_cells))
    for token in tokens(path.read_bytes()):
        reader.take(token)
    is_cut_off = reader.close()
    body = reader.body
    body.add_notes()
    text = body.builder.text()
    decoded = DecodedText(text, reader.fonts.encoding, text.count("\ufffd"))
    return Reading(
        title=choose_title((reader.title, body.first_heading), filename),
        text=text,
        spans=body.builder.spans(),
        coverage=Coverage("document", 1, 1),
        is_partial=is_cut_off or decoded.is_partial,
        encoding=reader.fonts.encoding,
        warnings=(
            *hidden_text_left_out(reader.n_hidden_chars),
            *struck_text_left_out(reader.n_struck),
            *deletions_left_out(reader.n_deletions),
            *comments_left_out(reader.n_comments),
            *headers_left_out(reader.n_running),
            *pictures_not_read(reader.n_pictures),
            *decoded.warnings,
            *end_missing(is_cut_off=is_cut_off),
        ),
    )


@dataclass(frozen=True, slots=True)
class _State:
    """What a group inherits from the one around it."""

    destination: str = ""
    n_flows: int = 0
    """Notes, boxes, headers and comments that are open around the text."""
    is_skipped: bool = False
    is_hidden: bool = False
    is_deleted: bool = False
    is_struck: bool = False
    script: Callable[[str], str] | None = None
    """How raised or lowered text is written."""
    font: int | None = None
    n_fallback: int = 1
    """How many characters after ``\\uN`` repeat it for old readers (``\\ucN``)."""


@dataclass(slots=True)
class _Reader:
    body: RtfBody
    fonts: RtfFonts = field(default_factory=RtfFonts)
    title: str = ""
    n_hidden_chars: int = 0
    n_deletions: int = 0
    n_struck: int = 0
    n_pictures: int = 0
    n_comments: int = 0
    n_running: int = 0
    _state: _State = field(default_factory=_State)
    _stack: list[_State] = field(default_factory=list)
    _styles: RtfStyles = field(init=False)
    _bytes: bytearray = field(default_factory=bytearray)
    _is_starred: bool = False
    _is_first: bool = False
    """The next word may name the group's destination."""
    _to_skip: int = 0
    _was_deleted: bool = False
    _was_struck: bool = False

    def __post_init__(self) -> None:
        self._styles = RtfStyles(self.body.style_levels)

    def take(self, token: Token) -> None:
        """Read one token."""
        if token.kind == "bytes":
            self._take_bytes(token.data)
            return
        self._flush()
        if token.kind == "open":
            self._open()
        elif token.kind == "close":
            self._close()
        elif token.kind == "symbol":
            self._take_symbol(token.name)
        else:
            self._take_word(token.name, token.number)

    def close(self) -> bool:
        """End the document; True when groups were still open: the file was cut off."""
        self._flush()
        is_cut_off = bool(self._stack)
        while self._stack:
            self._close()
        self.body.end_document()
        return is_cut_off

    def _open(self) -> None:
        if len(self._stack) >= _MAX_DEPTH:
            raise ResourceLimit("The document is nested too deeply.")
        self._stack.append(self._state)
        self._is_starred, self._is_first, self._to_skip = False, True, 0

    def _close(self) -> None:
        if not self._stack:
            return
        ended, self._state = self._state, self._stack.pop()
        self._is_starred = self._is_first = False
        self._to_skip = 0
        if ended.destination == "stylesheet" and not ended.is_skipped:
            self._styles.end_style()
        if ended.n_flows > self._state.n_flows:
            n_blocks = self.body.end_flow(ended.destination)
            self.n_running += n_blocks if ended.destination in RUNNING else 0
        if not self._stack:  # whatever follows the document's own group is no part of it
            self._state = replace(self._state, is_skipped=True)

    def _take_symbol(self, name: str) -> None:
        self._to_skip = 0
        if name == "*":
            self._is_starred = True
        elif name in SYMBOLS:
            self._add(SYMBOLS[name])
        elif name in "\r\n":  # an escaped line end is a paragraph's end
            self._take_word("par", None)

    def _take_word(self, name: str, number: int | None) -> None:
        is_first, self._is_first = self._is_first, False
        self._to_skip = 0
        if is_first and self._enter(name):
            return
        is_listed = name in STARRED or name in RUNNING or name in FLOWS
        if self._is_starred and not is_listed:
            self._state = replace(self._state, is_skipped=True)
        self._is_starred = False
        if self._state.is_skipped:
            return
        if name in CHARACTERS:
            self._add(CHARACTERS[name])
        elif name == "u":
            self._add(chr((number or 0) % 0x10000))
            self._to_skip = self._state.n_fallback
        elif name in _SETTINGS:
            _SETTINGS[name](self, number)
        elif self._is_shown():
            self.body.control(name, number)

    def _enter(self, name: str) -> bool:
        """Begin the destination that a group's first word names; True when it names one."""
        if name in SKIPPED:
            # An embedded object brings a picture of itself.
            self.n_pictures += name == "pict" and not self._state.is_skipped
            self._state = replace(self._state, is_skipped=True)
        elif name in LABELS:  # the bullet or number in front of a list item
            self.body.mark_list_item()
            self._state = replace(self._state, is_skipped=True)
        elif name in RUNNING or name in FLOWS:
            if not self._state.is_skipped:
                self.n_comments += name == "annotation"
                self.body.begin_flow()
                self._state = replace(
                    self._state, destination=name, n_flows=self._state.n_flows + 1, script=None
                )
        elif name in _TABLES:
            self._state = replace(self._state, destination=name)
        else:
            return False
        self._is_starred = False
        return True

    def _take_bytes(self, data: bytes) -> None:
        self._is_first = False
        if self._to_skip:
            skipped = min(self._to_skip, len(data))
            self._to_skip -= skipped
            data = data[skipped:]
        if not self._state.is_skipped:
            self._bytes += data

    def _flush(self) -> None:
        """Decode what has gathered: a character may be spread over several tokens."""
        if self._bytes:
            encoding = self.fonts.encoding_of(self._state.font)
            text = bytes(self._bytes).decode(encoding, errors="replace")
            self._bytes.clear()
            self._add(text)

    def _add(self, text: str) -> None:
        state = self._state
        if state.is_skipped:
            return
        if state.destination == "stylesheet":
            self._styles.add_name(text)
        elif state.destination == "title":
            self.title += text
        elif state.destination in ("fonttbl", "info"):
            return
        elif state.is_deleted:
            self.n_deletions += not self._was_deleted
        elif state.is_hidden:
            self.n_hidden_chars += len(line_text(text))
        elif state.is_struck:
            self.n_struck += not self._was_struck
        else:
            self.body.add_text(state.script(text) if state.script is not None else text)
        self._was_deleted = state.is_deleted
        self._was_struck = state.is_struck

    def _is_shown(self) -> bool:
        return self._state.destination not in _TABLES

    def set_code_page(self, number: int | None) -> None:
        """The encoding of bytes in fonts that name none of their own."""
        self.fonts.set_code_page(number)

    def set_font(self, number: int | None) -> None:
        """The font of what follows; inside the font table, the font that is described."""
        self._state = replace(self._state, font=number)

    def set_default_font(self, number: int | None) -> None:
        """The font where none was set."""
        self.fonts.default = number

    def set_charset(self, number: int | None) -> None:
        """The encoding of the font that is described."""
        self.fonts.set_charset(self._state.font, number)

    def set_fallback(self, number: int | None) -> None:
        """How many characters repeat each Unicode one."""
        self._state = replace(self._state, n_fallback=max(0, min(number if number is not None else 1, 10)))

    def set_hidden(self, number: int | None) -> None:
        """Text that is not shown, or shown again."""
        self._state = replace(self._state, is_hidden=number != 0)

    def set_deleted(self, number: int | None) -> None:
        """Text deleted with changes tracked."""
        self._state = replace(self._state, is_deleted=number != 0)

    def set_struck(self, number: int | None) -> None:
        """Text with a line through it."""
        self._state = replace(self._state, is_struck=number != 0)

    def set_script(self, script: Callable[[str], str] | None, number: int | None) -> None:
        """Raised or lowered text, or text on the line again."""
        self._state = replace(self._state, script=script if number != 0 else None)

    def set_plain(self, _number: int | None) -> None:
        """Character formats back to their defaults."""
        self._state = replace(
            self._state, is_hidden=False, is_deleted=False, is_struck=False, script=None, font=None
        )

    def set_style(self, number: int | None) -> None:
        """A paragraph's style, or the style that is described."""
        if self._state.destination == "stylesheet":
            self._styles.number = number
        elif self._is_shown():
            self.body.control("s", number)

    def set_outline_level(self, number: int | None) -> None:
        """A paragraph's level, or that of the style that is described; 9 is body text."""
        if self._state.destination == "stylesheet":
            self._styles.outline_level = number + 1 if number is not None and number < 9 else None
        elif self._is_shown():
            self.body.control("outlinelevel", number)


_SETTINGS: dict[str, Callable[[_Reader, int | None], None]] = {
    "ansicpg": _Reader.set_code_page,
    "mac": lambda reader, _: reader.set_code_page(10_000),
    "pc": lambda reader, _: reader.set_code_page(437),
    "pca": lambda reader, _: reader.set_code_page(850),
    "f": _Reader.set_font,
    "deff": _Reader.set_default_font,
    "fcharset": _Reader.set_charset,
    "uc": _Reader.set_fallback,
    "v": _Reader.set_hidden,
    "deleted": _Reader.set_deleted,
    "strike": _Reader.set_struck,
    "striked": _Reader.set_struck,
    "super": lambda reader, number: reader.set_script(raised, number),
    "up": lambda reader, number: reader.set_script(raised, number),
    "sub": lambda reader, number: reader.set_script(lowered, number),
    "dn": lambda reader, number: reader.set_script(lowered, number),
    "nosupersub": lambda reader, _: reader.set_script(None, None),
    "plain": _Reader.set_plain,
    "s": _Reader.set_style,
    "outlinelevel": _Reader.set_outline_level,
}
