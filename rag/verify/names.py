"""Names, addresses, paths and markup of a claim that the cited text has not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.lexical import folded, stems
from rag.verify.protocol import MechanicalFault
from rag.verify.stated import TITLE, Read, Said, initials, missing

_STRINGS = re.compile(
    r"</?[A-Za-z!][^<>]*>|[\w.+-]+@[\w-]+\.[\w.-]*\w|(?:https?://|www\.)[^\s)>\"']+|(?<!\w)[#@]\w[\w-]+|[A-Za-z]:\\\S+"
    r"|(?<![\w/])~?/\w[\w.-]*(?:/[\w.-]+)+|\b[\w-]+(?:[/.][\w-]+)*\.(?:com|org|net|io|eu|uk|de|be|pt|gov|edu)\b"
    r"|[\w./-]*\w\.(?:pdf|docx?|xlsx?|pptx?|odt|ods|md|txt|csv|html?|json|ya?ml|py|sh|exe|zip)\b|\b[^\W_]+(?:_[^\W_]+)+"
)
_WORD = re.compile(r"[^\W\d_](?:[\w&'-]*\w)?")
_SENTENCE_STARTS = re.compile(r"(?:\A|[.:!?;•|-]\s)[\s\"'(*]*\Z")
_ENGLISH = re.compile(r"\b(?:the|and|of|to|you|your|for|is|are|with|must|by|be)\b")
_GERMAN = re.compile(r"\b(?:auf|bis|dem|der|ein|eine|im|ist|mit|nicht|oder|sind|und|werden|wird|zum|zur)\b")
_NO_NAMES = """
i i'm i'll i've am pm eur gbp usd chf mr mrs ms dr prof ok january february march april may june july august september
october november december jan feb mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday
saturday sunday mon tue wed thu fri sat sun not must all no never only and or
"""
_NOT_NAMES = frozenset(_NO_NAMES.split())


def names(claim: Said, evidence: Read) -> Iterator[MechanicalFault]:
    """Abstains on the first word, on plain capitals in German or in a heading, and on an acronym's full form."""
    text = claim.written
    for string in dict.fromkeys(_STRINGS.findall(text)):
        if re.sub(r"https?://|www\.", "", string.lower()).rstrip("/.,;:") not in evidence.plain:
            yield missing("name", string)
    text = _STRINGS.sub(lambda match: " " * len(match.group()), text)
    text = TITLE.sub(lambda match: _unless_initials(match.group(), evidence), text)
    tells_names = _capitals_are_names(text)
    for match in _WORD.finditer(text):
        word = match.group()
        is_special = any(map(str.isupper, word[1:]))
        is_plain = word[0].isupper() and len(word) > 1 and not _starts_sentence(text, match.start())
        if (is_special or (is_plain and tells_names)) and not _is_known(word, evidence):
            yield missing("name", word.removesuffix("'s"))


def _capitals_are_names(text: str) -> bool:
    """Not in German, nor where most words have one: a heading, or a language whose small words are not known."""
    words = [word for word in _WORD.findall(text)[1:] if len(word) > 1]
    n_capitals = sum(word[0].isupper() for word in words)
    return not _GERMAN.search(text) and (bool(_ENGLISH.search(text)) or 2 * n_capitals <= len(words))


def _starts_sentence(text: str, at: int) -> bool:
    return _SENTENCE_STARTS.search(text, max(0, at - 10), at) is not None


def _unless_initials(title: str, evidence: Read) -> str:
    return title.lower() if initials(title) in evidence.words else title


def _is_known(name: str, evidence: Read) -> bool:
    word = folded(name).removesuffix("'s")
    forms = {word, f"{word}s", word.removesuffix("s"), word.replace("-", ""), *stems(word)}
    if word in _NOT_NAMES or not forms.isdisjoint(evidence.words):
        return True
    parts = re.split(r"[-&]", word)
    if len(parts) > 1:
        return all(part in evidence.words for part in parts)
    # Belgian and Belgium: five letters in common and the rest an ending.
    stem = word[: max(5, len(word) - 3)]
    return len(word) > 5 and any(
        each.startswith(stem) and len(each) - len(stem) < 6 for each in evidence.words
    )
