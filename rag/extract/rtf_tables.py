"""The tables of an RTF document: fonts with the encodings of their bytes, styles with their heading levels."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field

_CHARSETS = {
    0: "cp1252", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "cp950",
    161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251",
    222: "cp874", 238: "cp1250", 254: "cp437", 255: "cp850",
}  # fmt: skip
_CODE_PAGES = {932: "cp932", 936: "gb18030", 949: "cp949", 950: "cp950", 10000: "mac_roman", 65001: "utf-8"}
_HEADING_STYLE = re.compile(r"(?:heading|überschrift|titre) (\d)", re.IGNORECASE)


@dataclass(slots=True)
class RtfFonts:
    """Which encoding a font's bytes are in."""

    encoding: str = "cp1252"
    """Of bytes in fonts that name none of their own."""
    default: int | None = None
    """The font where none was set."""
    _encodings: dict[int, str] = field(default_factory=dict)

    def set_code_page(self, number: int | None) -> None:
        """``\\ansicpgN``; Windows Western where it is unknown."""
        name = _CODE_PAGES.get(number or 0, f"cp{number}")
        try:
            self.encoding = codecs.lookup(name).name
        except LookupError:
            self.encoding = "cp1252"

    def set_charset(self, font: int | None, number: int | None) -> None:
        """``\\fcharsetN`` of a font; symbols and unknown ones keep the document's encoding."""
        encoding = _CHARSETS.get(number if number is not None else -1)
        if font is not None and encoding is not None:
            self._encodings[font] = encoding

    def encoding_of(self, font: int | None) -> str:
        """Python's name for the encoding of text in this font; None is the default font."""
        number = font if font is not None else self.default
        return self._encodings.get(number, self.encoding) if number is not None else self.encoding


@dataclass(slots=True)
class RtfStyles:
    """Heading levels of paragraph styles, read one style after another."""

    levels: dict[int, int]
    """Filled here: 0 for the title, from 1 for headings."""
    number: int | None = None
    """Of the style that is described."""
    outline_level: int | None = None
    """What it says itself, from 1."""
    _name: list[str] = field(default_factory=list)

    def add_name(self, text: str) -> None:
        """Append to the name of the style that is described."""
        self._name.append(text)

    def end_style(self) -> None:
        """Keep the style's level: its name's, else its own; the next one begins."""
        name = "".join(self._name).rstrip("; ").strip()
        found = _HEADING_STYLE.match(name)
        level = 0 if name.lower() == "title" else int(found[1]) if found else self.outline_level
        if self.number is not None and level is not None:
            self.levels[self.number] = level
        self.number = self.outline_level = None
        self._name.clear()
