"""Which encoding unmarked bytes are in: how odd the text would look that each one gives.

charset-normalizer knows languages and is right about paragraphs, but short texts, where it has
little to go by, it takes for another script: 32 letters of Russian in cp1251 became KOI8-R every
second time. What tells encodings apart there is how people write: one alphabet a word, capitals at
its start, usual characters.
"""

from __future__ import annotations

import codecs
import unicodedata
from dataclasses import dataclass

# The encodings people still save documents in, the commonest first: it wins where several explain
# a text alike.
_USUAL = ("cp1252", "gb18030", "cp932", "cp1251", "koi8_r")
# What charset-normalizer may answer; without a list a short text would be in a DOS code page.
_CANDIDATES = [
    *_USUAL, "latin_1", "cp1250", "cp1253", "cp1254", "cp1255", "cp1256", "iso8859_2", "iso8859_15", "big5",
    "euc_jp", "euc_kr",
]  # fmt: skip
# Of old Macs and of DOS: only where the usual ones leave the text odd, and these do not.
_OLD = ("mac_roman", "cp850", "cp437", "cp866")
_EAST_ASIAN = ("big5", "euc_jp", "euc_kr")
# Latin siblings are no rivals: é is a letter in all of them, and the commonest is right nearly always.
_RIVALS = ("cp1252", "cp1251", "koi8_r", *_OLD, *_EAST_ASIAN)
_ODD_COST = 0.15
_DOUBTFUL_COST = 0.25
_CLOSE_COST = 0.03
"""Of one byte above ASCII."""
_MIN_HANGUL = 16
_MIN_KANA_SHARE = 0.1
_TWO_BYTES = frozenset(("utf_8", "gb18030", "cp932", "big5", "euc_jp", "euc_kr"))
_GUESS_BYTES = 256 * 1024
_COST_CHARS = 20_000
_NO_TEXT = frozenset(("Cc", "Cn", "Co", "Cs"))
_FINE_SIGNS = frozenset("“”„‘’‚–—…€«»‹›°§№•·©®™£¿¡\u00a0\u3000")
_BETWEEN_LETTERS = frozenset("’·\u00a0–—")
# Of each script, where it starts and ends. Kana in half width is rare, and what KOI8-R looks like.
_SCRIPTS = (
    ("latin", 0x00C0, 0x024F),
    ("greek", 0x0370, 0x03FF),
    ("cyrillic", 0x0400, 0x04FF),
    ("kana", 0x3040, 0x30FF),
    ("han", 0x3400, 0x9FFF),
    ("half", 0xFF65, 0xFF9F),
)


@dataclass(frozen=True, slots=True)
class Guess:
    """A codec, and whether another one explains the bytes about as well."""

    encoding: str
    is_doubtful: bool


def guess_encoding(data: bytes) -> Guess:
    """The codec that explains `data` best; its text may hold bytes that even this one cannot read."""
    is_whole = len(data) <= _GUESS_BYTES
    data = data[:_GUESS_BYTES]
    texts = {name: text for name in _USUAL if (text := _decoded(data, name, is_whole)) is not None}
    texts["utf_8"] = data.decode("utf-8", errors="replace")
    costs = {name: _cost(text, name) for name, text in texts.items()}
    best = min(costs, key=lambda name: costs[name])
    other, is_language = _by_language(data, texts[best])
    text = None if other in costs else _decoded(data, other, is_whole)
    if text is not None:
        texts[other], costs[other] = text, _cost(text, other)
        if (costs[other], not is_language) < (costs[best], True):
            best = other
    for name in _RIVALS:
        if name not in costs and (text := _decoded(data, name, is_whole)) is not None:
            texts[name], costs[name] = text, _cost(text, name)
    best, is_old = _other_than_usual(best, texts, costs)
    is_latin = best == "cp1252" and not any(0x80 <= byte < 0xA0 for byte in data)
    return Guess("latin_1" if is_latin else best, is_old or _is_doubtful(best, texts, costs))


def _other_than_usual(best: str, texts: dict[str, str], costs: dict[str, float]) -> tuple[str, bool]:
    """`best`, or an encoding that is seldom but fits much better, and whether it is one of old computers."""
    if best == "gb18030" and _count(texts.get("euc_kr", ""), "other") >= _MIN_HANGUL and not costs["euc_kr"]:
        return "euc_kr", False
    # Chinese has no kana; in both encodings they are the same bytes.
    n_kana = _count(texts[best], "kana")
    if best == "gb18030" and "euc_jp" in texts and n_kana >= _MIN_KANA_SHARE * len(texts[best]):
        return "euc_jp", False
    old = min((name for name in _OLD if name in costs), key=lambda name: costs[name])
    if costs[best] > _ODD_COST * _n_high(texts[best], best) and costs[old] < costs[best] / 2:
        return old, True
    return best, False


def _is_doubtful(best: str, texts: dict[str, str], costs: dict[str, float]) -> bool:
    n_high = _n_high(texts[best], best)
    if best == "utf_8":
        return False
    is_east_asian = best in _TWO_BYTES
    return costs[best] > _DOUBTFUL_COST * n_high or any(
        costs[name] <= costs[best] + _CLOSE_COST * n_high
        for name in _RIVALS
        if name in costs
        and texts[name] != texts[best]
        and (name in _EAST_ASIAN) == is_east_asian
        and (name != "euc_jp" or _count(texts[name], "kana"))
    )


def _n_high(text: str, encoding: str) -> int:
    """Bytes above ASCII in what was weighed."""
    n_chars = sum(char > "\x7f" for char in text[:_COST_CHARS])
    return 2 * n_chars if encoding in _TWO_BYTES else n_chars


def _count(text: str, script: str) -> int:
    return sum(char.isalpha() and _script(char) == script for char in text[:_COST_CHARS])


def _by_language(data: bytes, text: str) -> tuple[str, bool]:
    """charset-normalizer's guess, and whether it looks more like a language than `text` does."""
    from charset_normalizer import from_bytes

    matches = from_bytes(data, cp_isolation=_CANDIDATES)
    best = matches.best()
    if best is None:
        return "cp1252", False
    return best.encoding, best.coherence > max(
        (match.coherence for match in matches if str(match) == text), default=0.0
    )


def _decoded(data: bytes, encoding: str, is_whole: bool) -> str | None:
    """None when the bytes are not of that encoding."""
    try:
        return codecs.getincrementaldecoder(encoding)().decode(data, is_whole)
    except UnicodeDecodeError:
        return None


def _cost(text: str, encoding: str) -> float:
    """0 for text as people write it, growing with each odd character and each odd neighbour."""
    framed = f" {text[:_COST_CHARS]} "
    cost = sum(
        _oddness(framed[at - 1], char, framed[at + 1], encoding)
        for at, char in enumerate(framed)
        if char > "\x7f"
    )
    # A character of two bytes is two chances to look odd.
    return 2 * cost if encoding in _TWO_BYTES else cost


def _oddness(before: str, char: str, after: str, encoding: str) -> float:
    if char == "\ufffd" or unicodedata.category(char) in _NO_TEXT:
        return 1.0
    if not char.isalpha():
        return _oddness_of_sign(before, char, after)
    script = _script(char)
    if script == "half":
        return 0.7
    if script == "han":
        return _oddness_of_han(before, char, after, encoding)
    beside = [letter for letter in (before, after) if letter.isalpha()]
    cost = 0.3 if script == "cyrillic" and not "А" <= char <= "я" and char not in "Ёё" else 0.0
    cost += sum(
        script not in (_script(letter), "kana") for letter in beside if script != "latin" or letter > "\x7f"
    )
    if script == "latin" and beside and all(letter > "\x7f" for letter in beside):
        cost += 0.5
    if char.isupper() and before.isalpha():
        cost += 1.0 if before.islower() else 0.3
    return cost


def _oddness_of_sign(before: str, char: str, after: str) -> float:
    is_usual = char in _FINE_SIGNS or "\u3000" <= char <= "\u303f" or "\uff00" <= char <= "\uff64"
    if not is_usual:
        return 0.6
    is_inside = before.isalpha() and after.isalpha() and before < "\u3000"
    return 0.5 if is_inside and char not in _BETWEEN_LETTERS else 0.0


def _oddness_of_han(before: str, char: str, after: str, encoding: str) -> float:
    in_latin = sum(letter.isascii() and letter.isalpha() for letter in (before, after))
    return 0.5 * in_latin + _rarity_of_han(char, encoding)


def _rarity_of_han(char: str, encoding: str) -> float:
    """GB 2312 and JIS X 0208 list usual characters first, then rare ones; Korean has few in all."""
    if encoding == "cp932":
        return 0.0 if char.encode("cp932", errors="replace") < b"\x98\x9f" else 0.5
    if encoding == "gb18030":
        lead = char.encode("gb2312", errors="replace")[0]
        return 0.0 if 0xB0 <= lead <= 0xD7 else 0.3 if lead > 0xD7 else 0.5
    if encoding == "euc_kr":
        return 0.5
    return 0.0


def _script(char: str) -> str:
    if char.isascii():
        return "latin"
    code = ord(char)
    return next((name for name, first, last in _SCRIPTS if first <= code <= last), "other")
