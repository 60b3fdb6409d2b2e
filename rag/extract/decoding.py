"""Bytes to text: byte order marks, declared and guessed encodings, and what could not be read."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from rag.extract.guessing import guess_encoding
from rag.extract.wording import count_of
from rag.types import ExtractionWarning

# UTF-32 before UTF-16: its little-endian mark begins with UTF-16's.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_NAMES = {
    "iso2022_jp_ext": "iso-2022-jp",
    "iso2022_kr": "iso-2022-kr",
    "cp932": "shift_jis",
    "koi8_r": "koi8-r",
    "latin_1": "latin-1",
    "utf_8": "utf-8",
    "ascii": "utf-8",
    "euc_kr": "euc-kr",
    "euc_jp": "euc-jp",
}
# Bytes that no 8-bit text holds, but nearly every UTF-16 text: of spaces, digits, Cyrillic, Chinese full stops.
_CONTROLS = [bytes([code]) for code in (*range(9), *range(14, 27), *range(28, 32))]
# Latin to Cyrillic, Hebrew, Arabic, Indic to Thai, general and Asian punctuation, kana, Han, Hangul, full width.
_USUAL_CHARACTER = re.compile(
    "[\\t\\r\\n -~\u00a0-\u024f\u0370-\u03ff\u0400-\u045f\u0590-\u06ff\u0900-\u0e7f\u2010-\u2027\u2030-\u203a\u20ac"
    "\u3000-\u30ff\u4e00-\u9fff\uac00-\ud7a3\uff00-\uff9f]"
)
# ASCII words read as UTF-16 are Chinese characters, but for their spaces: at most 0.9 of them are usual.
_USUAL_SHARE_UTF16 = 0.97
# To Japanese or Korean, in text that is otherwise ASCII; nothing else writes these escapes.
_SHIFT = re.compile(rb"\x1b\$(?:[@B]|\)C)")
_NUL_SHARE_BINARY = 0.002
_CONTROL_SHARE_BINARY = 0.05
_PARTIAL_SHARE = 0.005


@dataclass(frozen=True, slots=True)
class DecodedText:
    """Text, the encoding it was read with, and how many characters could not be read."""

    text: str
    encoding: str
    n_undecodable: int
    is_doubtful: bool = False
    """The encoding is a guess, and another one explains the bytes about as well."""

    @property
    def is_partial(self) -> bool:
        """More than half a percent of the characters are U+FFFD."""
        return self.n_undecodable > _PARTIAL_SHARE * len(self.text)

    @property
    def warnings(self) -> tuple[ExtractionWarning, ...]:
        """What was lost, and whether the encoding is in doubt."""
        found = []
        if self.is_doubtful:
            message = (
                f"The file does not say its encoding; it was read as {self.encoding}, which may be wrong."
            )
            found.append(ExtractionWarning("encoding_doubtful", message))
        if self.n_undecodable:
            message = f"Not readable as {self.encoding}: {count_of(self.n_undecodable, 'character')}."
            found.append(ExtractionWarning("undecodable_characters", message, self.n_undecodable))
        return tuple(found)


def decode_text(data: bytes, *, declared: str | None = None) -> DecodedText:
    """`data` as text: its byte order mark, else UTF-16 by its NULs, `declared`, UTF-8, or a guess.

    Never fails: what no encoding explains becomes U+FFFD and is counted.
    """
    certain = _certain_encoding(data)
    if certain is not None:
        return _counted(data.decode(certain, errors="replace"), _NAMES.get(certain, certain))
    for name in (declared or "utf-8", "utf-8"):
        text = _strictly(data, name)
        if text is not None:
            return _counted(text, name)
    guess = guess_encoding(data)
    text = data.decode(guess.encoding, errors="replace")
    return _counted(text, _NAMES.get(guess.encoding, guess.encoding), is_doubtful=guess.is_doubtful)


def looks_binary(data: bytes) -> bool:
    """The bytes are no text in any encoding read here: NULs or many control characters."""
    if _certain_encoding(data) is not None:
        return False
    is_full_of_nul = data.count(0) > _NUL_SHARE_BINARY * len(data)
    return is_full_of_nul or _count_controls(data) > _CONTROL_SHARE_BINARY * len(data)


def _count_controls(data: bytes) -> int:
    return sum(data.count(control) for control in _CONTROLS)


def _certain_encoding(data: bytes) -> str | None:
    """What a byte order mark, escapes or the look of UTF-16 leave no doubt about."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    shift = _SHIFT.search(data) if data.isascii() else None
    if shift is not None:
        return "iso2022_kr" if shift[0].endswith(b"C") else "iso2022_jp_ext"
    sample = data[: min(4096, len(data) // 2 * 2)]
    n_controls = _count_controls(sample)
    if not n_controls or (sample.isascii() and n_controls <= _CONTROL_SHARE_BINARY * len(sample)):
        return None
    high_first, low_first = sample[0::2].count(0), sample[1::2].count(0)
    little, big = _share_of_usual(sample, "utf-16-le"), _share_of_usual(sample, "utf-16-be")
    if max(little, big) < _USUAL_SHARE_UTF16:
        return None
    # Latin letters in the wrong byte order are Chinese characters; then their NULs decide.
    return "utf-16-le" if (little, low_first) > (big, high_first) else "utf-16-be"


def _share_of_usual(sample: bytes, encoding: str) -> float:
    """How many of the characters people write with the text would have, if it were in `encoding`."""
    text = sample.decode(encoding, errors="replace")
    return sum(_USUAL_CHARACTER.match(char) is not None for char in text) / len(text)


def _strictly(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None


def _counted(text: str, encoding: str, *, is_doubtful: bool = False) -> DecodedText:
    return DecodedText(text.removeprefix("\ufeff"), encoding, text.count("\ufffd"), is_doubtful)
