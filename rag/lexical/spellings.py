"""Ways to write one word: with accents and without, ä as ae, ß as ss, dotted and dotless i."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Latin and Greek letters beyond ASCII, ё, and combining accents.
_FOLDABLE = re.compile("[\u00aa-\u024f\u0300-\u03ff\u0401\u0451\u1e00-\u1fff]")
_LETTERS = str.maketrans(
    {
        "ı": "i",
        "ø": "o",
        "æ": "ae",
        "œ": "oe",
        "đ": "d",
        "ð": "d",
        "þ": "th",
        "ł": "l",
        "ħ": "h",
        "ŧ": "t",
        "ĸ": "k",
        "ŋ": "n",
        "ё": "е",
    }
)
"""Letters that Unicode does not take apart."""
_TWO_LETTERS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
_OWN_LETTERS = frozenset({"danish", "estonian", "finnish", "hungarian", "norwegian", "swedish", "turkish"})
"""Languages that are full of these letters: there a second term for each such word would count it double."""
_STRESS = "\u0301"


@lru_cache(maxsize=50_000)
def without_accents(word: str) -> str:
    """`word` (NFKC, lower case) casefolded, Latin and Greek letters without accents, as keyboards without them write.

    Other scripts keep their marks, which are letters there; of Cyrillic only the stress and the dots of ё go.
    """
    if not _FOLDABLE.search(word):
        return word
    folded = []
    base = ""
    for character in unicodedata.normalize("NFKD", word.casefold().translate(_LETTERS)):
        if not unicodedata.combining(character):
            base = character
        elif _is_latin_or_greek(base) or character == _STRESS:
            continue
        folded.append(character)
    return unicodedata.normalize("NFKC", "".join(folded))


@lru_cache(maxsize=50_000)
def spelled_out(word: str) -> str:
    """`word` without accents, but ä, ö, ü, ø and å written as two letters: ``müller`` is ``mueller``."""
    return without_accents(word.translate(_TWO_LETTERS))


def spellings(word: str, language: str) -> tuple[str, ...]:
    """The ways in which `word` may be written without accents, the plain one first; of an ASCII word that alone."""
    if word.isascii():
        return (word,)
    plain = without_accents(word)
    return (plain,) if language in _OWN_LETTERS else tuple(dict.fromkeys((plain, spelled_out(word))))


def _is_latin_or_greek(base: str) -> bool:
    return base < "\u0250" or "\u0370" <= base < "\u0400"
