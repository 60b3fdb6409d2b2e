"""Bytes to text: byte order marks, declared and guessed encodings, and what could not be read."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

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
# What a guess may end in: the encodings people still save documents in, the commonest first, which
# wins where a short text leaves several. Without this list it would be taken for a DOS code page.
_CANDIDATES = [
    "cp1252", "latin_1", "gb18030", "cp932", "koi8_r", "cp1251", "cp1250", "cp1253", "cp1254", "cp1255", "cp1256",
    "iso8859_2", "iso8859_15", "big5", "euc_jp", "euc_kr", "iso2022_jp",
]  # fmt: skip
_NAMES = {"cp932": "shift_jis", "koi8_r": "koi8-r", "latin_1": "latin-1", "utf_8": "utf-8", "ascii": "utf-8"}
_GUESS_BYTES = 256 * 1024
_NUL_SHARE_UTF16 = 0.2
_NUL_SHARE_BINARY = 0.002
_PARTIAL_SHARE = 0.005


@dataclass(frozen=True, slots=True)
class DecodedText:
    """Text, the encoding it was read with, and how many characters could not be read."""

    text: str
    encoding: str
    n_undecodable: int

    @property
    def is_partial(self) -> bool:
        """More than half a percent of the characters are U+FFFD."""
        return self.n_undecodable > _PARTIAL_SHARE * len(self.text)

    @property
    def warnings(self) -> tuple[ExtractionWarning, ...]:
        """One warning when characters were lost, else none."""
        if not self.n_undecodable:
            return ()
        message = f"Not readable as {self.encoding}: {count_of(self.n_undecodable, 'character')}."
        return (ExtractionWarning("undecodable_characters", message),)


def decode_text(data: bytes, *, declared: str | None = None) -> DecodedText:
    """`data` as text: its byte order mark, else UTF-16 by its NULs, `declared`, UTF-8, or a guess.

    Never fails: what no encoding explains becomes U+FFFD and is counted.
    """
    certain = _certain_encoding(data)
    if certain is not None:
        return _counted(data.decode(certain, errors="replace"), certain)
    for name in (declared or "utf-8", "utf-8"):
        text = _strictly(data, name)
        if text is not None:
            return _counted(text, name)
    guess = _guessed_encoding(data)
    return _counted(data.decode(guess, errors="replace"), _NAMES.get(guess, guess))


def looks_binary(data: bytes) -> bool:
    """The bytes are no text in any encoding read here: NULs or many control characters."""
    if _certain_encoding(data) is not None:
        return False
    controls = sum(data.count(bytes([code])) for code in (*range(9), *range(14, 27), *range(28, 32)))
    return data.count(0) > _NUL_SHARE_BINARY * len(data) or controls > 0.05 * len(data)


def _certain_encoding(data: bytes) -> str | None:
    """What a byte order mark or the NULs of UTF-16 leave no doubt about."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding
    sample = data[:4096]
    if sample.count(0) < _NUL_SHARE_UTF16 * len(sample) or len(sample) < 2:
        return None
    high_first, low_first = sample[0::2].count(0), sample[1::2].count(0)
    if low_first > 10 * high_first and _is_mostly_text(sample, "utf-16-le"):
        return "utf-16-le"
    if high_first > 10 * low_first and _is_mostly_text(sample, "utf-16-be"):
        return "utf-16-be"
    return None


def _is_mostly_text(sample: bytes, encoding: str) -> bool:
    text = sample.decode(encoding, errors="replace")
    return sum(char.isprintable() or char.isspace() for char in text) > 0.95 * len(text)


def _strictly(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None


def _guessed_encoding(data: bytes) -> str:
    repaired = data.decode("utf-8", errors="replace")
    n_multibyte = sum(char > "\x7f" for char in repaired) - repaired.count("\ufffd")
    if repaired.count("\ufffd") < n_multibyte:  # other encodings hardly ever form valid UTF-8 by chance
        return "utf-8"
    from charset_normalizer import from_bytes

    matches = list(from_bytes(data[:_GUESS_BYTES], cp_isolation=_CANDIDATES))
    if not matches:
        return "cp1252"
    best = matches[0]
    equals = [match for match in matches if (match.chaos, match.coherence) == (best.chaos, best.coherence)]
    best = min(equals, key=lambda match: _CANDIDATES.index(match.encoding))
    # The Western code pages decode most texts alike; the commonest name is then the true one.
    return next((name for name in ("latin_1", "cp1252") if _decodes_to(data, name, str(best))), best.encoding)


def _decodes_to(data: bytes, encoding: str, text: str) -> bool:
    has_c1_controls = encoding == "latin_1" and any(0x80 <= byte < 0xA0 for byte in data)
    return not has_c1_controls and _strictly(data[:_GUESS_BYTES], encoding) == text


def _counted(text: str, encoding: str) -> DecodedText:
    return DecodedText(text.removeprefix("\ufeff"), encoding, text.count("\ufffd"))
