"""Words as they are indexed and asked: what is written and what is asked meet in a term, however each is spelled.

A text becomes a bag of terms. Words are folded (NFKC, lower case, one apostrophe and hyphen, no accents) and stemmed
in the text's language; an identifier such as ``ERR-4012`` or ``$HOME/.ssh`` is a term beside its parts; scripts
that write no spaces give pairs of neighbouring characters. No word is left out: what counts as a stop word on
one side and not on the other is never found.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from rag.extract.canonical import visible_text
from rag.lexical.spellings import spellings, without_accents

if TYPE_CHECKING:
    from Stemmer import Stemmer

DEFAULT_LANGUAGE = "english"
UNSTEMMED = "none"
LANGUAGES = (
    *("arabic", "armenian", "basque", "catalan", "danish", "dutch", "english", "estonian", "finnish"),
    *("french", "german", "greek", "hindi", "hungarian", "indonesian", "irish", "italian", "lithuanian"),
    *("nepali", "norwegian", "portuguese", "romanian", "russian", "serbian", "spanish", "swedish", "tamil"),
    *("turkish", "yiddish", UNSTEMMED),
)
"""Snowball's languages, and "none": words are taken as they are written."""

WORDS_VERSION = 2
"""Raised when the same text gives other terms: what was indexed before is not found by them any more."""
_MARK = "\x1f"
"""Parts a stem from its language; it is in no word, so that a stem is never taken for one."""
_LONGEST_IDENTIFIER = 128
_ONE_WRITING = str.maketrans("’‐‑‒−", "'----")
# Thai, Lao, Burmese, Khmer; kana, bopomofo, Han and Hangul with their own letters, marks and digits.
_UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e50-\u0e59\u0e81-\u0edf\u1000-\u1049\u1050-\u109f\u1780-\u17d3\u17d7"
    "\u17dc\u17dd\u1100-\u11ff\u3005-\u3007\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
    "\u3105-\u318e\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff"
)
# Han and Hangul: one character may be a word; one kana or Thai letter is none.
_WORDS_ALONE = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff]")
_NUMBERED = re.compile(r"([^\W\d_]{2,})(\d{3,})")
"""``RFC2616`` asked is ``rfc 2616`` too; of shorter numbers (``CD40``) the parts say too little."""
_LEADING_DIGITS = re.compile(r"\d+(?![^\W_])")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_PARTS_OF_PATHS = re.compile(r"[/\\:@=?&]")
_VERSION = re.compile(r"v(\d+(?:\.\d+)+)")
_BEFORE_A_WORD = frozenset(" \t\"'“‘«(*_[")
_SENTENCE_STARTS_AFTER = frozenset(".?!:\n|•–—-")
_SHORTEST_NAME = 3
_POSSESSIVE = "'s"

_stemmers = threading.local()


@dataclass(frozen=True, slots=True)
class Bag:
    """The terms of a text, repeated as often as they occur, and its length in words for BM25.

    Terms that stand for the same place as a word do not lengthen the text (Lucene's ``discountOverlaps``):
    a passage with identifiers is not a longer passage. Measured: without it R@1 falls from .933 to .917 on
    golden/civicactions.
    """

    terms: tuple[str, ...]
    length: int


def stems(text: str) -> list[str]:
    """The words of `text` in their order: folded, English (Porter2) stem; identifiers only in parts."""
    return [str(word) for word in _stemmer(DEFAULT_LANGUAGE).stemWords(_WORD.findall(folded(text)))]


def folded(text: str) -> str:
    """`text` in NFKC and lower case with straight apostrophes and nothing invisible: one writing of each word.

    Wider than what is stored and quoted, in which 10² stays 10² (docs/adr/006). Documents and questions
    are folded alike, so 10² is found by 102 too: the price of finding m² by m2.
    """
    return unicodedata.normalize("NFKC", visible_text(text)).replace("’", "'").lower()


def bag_of(text: str, language: str = DEFAULT_LANGUAGE) -> Bag:
    """The bag of a passage or question; `language` is one of `LANGUAGES`.

    * A stem is a term of its language: ``rates`` asked in Norwegian does not meet the rats of an English page.
    * Numbers, identifiers and names are terms of every language.
    * A name (a capitalised word within a sentence) that stemming or folding would change is a term beside its stem,
      so that Hastings is not found as haste first, and Núñez by Núñez before Nunez.
    * A word with accents is a term in each of its plain `spellings`: Müller is found by Muller and by Mueller.
    """
    return _read(text, language, is_asked=False)


def _read(text: str, language: str, *, is_asked: bool) -> Bag:
    found = _Found(text if text.isascii() and text.isprintable() else _unified(text), is_asked)
    found.read(language)
    exact = found.exact
    if not all(map(str.isascii, exact)):
        exact = [spelled for term in exact for spelled in _exact_spellings(term, language)]
    return Bag((*_stemmed(found.words, language), *exact), found.length)


def question_terms(question: str, languages: Iterable[str]) -> tuple[str, ...]:
    """The distinct terms of a question in each language, in a fixed order."""
    terms: dict[str, None] = {}
    for language in sorted(set(languages)):
        terms.update(dict.fromkeys(_read(question, language, is_asked=True).terms))
    return tuple(terms)


def _unified(text: str) -> str:
    return unicodedata.normalize("NFKC", visible_text(text)).translate(_ONE_WRITING)


@dataclass(slots=True)
class _Found:
    """What reading a text gathers: `words` are to be stemmed, `exact` are terms as they are.

    A passage offers each of its Han characters, while a question asks for one only where it stands alone. A question
    joins and parts words and numbers more freely than a passage: what no passage has costs it nothing.
    """

    text: str
    is_asked: bool
    words: list[str] = field(default_factory=list)
    exact: list[str] = field(default_factory=list)
    length: int = 0

    def read(self, language: str) -> None:
        before: re.Match[str] | None = None
        for match in _token().finditer(self.text):
            unspaced, sigil, body, tied, tail = match.groups()
            if before is not None and body and body[0].isdigit():
                self._add_numbered(before, match)
            before = match
            if unspaced:
                self._add_characters(unspaced)
            elif sigil or tied or tail:
                self._add_identifier((sigil or "").lower(), body.lower(), tail or "")
            else:
                word = body.lower()
                self._add_part(word)
                if word != body:
                    self._add_name(body, word, match.start(), language)

    def _add_characters(self, run: str) -> None:
        pairs = [run[at : at + 2] for at in range(len(run) - 1)] or [run]
        self.exact.extend(pairs)
        self.length += len(pairs)
        if not self.is_asked and len(run) > 1:
            self.exact.extend(_WORDS_ALONE.findall(run))

    def _add_numbered(self, before: re.Match[str], match: re.Match[str]) -> None:
        """``RFC 2616`` as ``rfc2616`` beside its parts; of passages only behind a capital, as such names have one."""
        word, number = before[3], _LEADING_DIGITS.match(match[3])
        is_word = word is not None and before[0] == word and len(word) > 1 and word.isalpha()
        if not is_word or number is None or self.text[before.end() : match.start()] != " ":
            return
        if self.is_asked or word[0].isupper():
            self.exact.append(word.lower() + number[0])

    def _add_part(self, word: str) -> None:
        self.length += 1
        if word.isalpha() or not any(character.isdigit() for character in word):
            self.words.append(word)
        else:
            self.exact.append(word.removesuffix(_POSSESSIVE))
            if self.is_asked and (named := _NUMBERED.fullmatch(word)):
                self.words.append(named[1])
                self.exact.append(named[2])

    def _add_name(self, written: str, word: str, start: int, language: str) -> None:
        if written[0].isupper() and written[1:].islower() and self._is_within_a_sentence(start):
            stem = word if language == UNSTEMMED else _stemmer(language).stemWord(word)
            if stem != word or without_accents(word) != word:
                self.exact.append(word + _MARK)

    def _add_identifier(self, sigil: str, body: str, tail: str) -> None:
        parts = _WORD.findall(body)
        for part in parts:
            self._add_part(part)
            whole = part.removesuffix(_POSSESSIVE)
            _, apostrophe, name = whole.rpartition("'")
            # O'Brien and l'équipe are found by Brien and OBrien, équipe; 's, 't and 'll are nobody's name.
            if apostrophe and len(name) >= _SHORTEST_NAME:
                self.words += [name, whole.replace("'", "")]
        whole = f"{sigil}{body.removesuffix(_POSSESSIVE)}{tail}"
        if len(whole) <= _LONGEST_IDENTIFIER:
            self._add_wholes(whole, frozenset(parts))

    def _add_wholes(self, whole: str, parts: frozenset[str]) -> None:
        for piece in dict.fromkeys((whole, *_PARTS_OF_PATHS.split(whole))):
            joined = _joined(piece.strip("-'~").rstrip("."))
            if not joined or joined in parts:
                continue
            if joined.isalpha():
                self.words.append(joined)  # e-mail and email, time-sheets and timesheet
            else:
                self.exact.append(joined)
                self.exact.extend(_VERSION.findall(joined))

    def _is_within_a_sentence(self, start: int) -> bool:
        at = start - 1
        while at >= 0 and self.text[at] in _BEFORE_A_WORD:
            at -= 1
        return at >= 0 and self.text[at] not in _SENTENCE_STARTS_AFTER


def _joined(piece: str) -> str:
    """An identifier in one writing: ERR-4012, ERR_4012 and ERR4012 are one, 10,000 is 10000, 3-5 stays."""
    piece = piece.replace(",", "")
    if any(character.isalpha() for character in piece):
        return piece.replace("-", "").replace("_", "")
    return piece


def _stemmed(words: list[str], language: str) -> list[str]:
    if not all(map(str.isascii, words)):
        return [term for word in words for term in _stems_of(word, language)]
    if language == UNSTEMMED:
        return words
    ending = _MARK + language
    return [stem + ending for stem in _stemmer(language).stemWords(words)]


@lru_cache(maxsize=50_000)
def _stems_of(word: str, language: str) -> tuple[str, ...]:
    """The stems of a word, and of its plain spellings where they are others, all without accents.

    Stemmed first, because accents tell endings (``mangées``); and last, because that is what the plain word gives.
    """
    if language == UNSTEMMED:
        return spellings(word, language)
    stem = _stemmer(language).stemWord
    found = (without_accents(stem(word)), *(stem(spelled) for spelled in spellings(word, language)))
    return tuple(f"{each}{_MARK}{language}" for each in dict.fromkeys(found))


def _exact_spellings(term: str, language: str) -> tuple[str, ...]:
    """Of a name's own form that alone: its spelling is what it is kept for."""
    return (term,) if term.endswith(_MARK) else spellings(term, language)


def _stemmer(language: str) -> Stemmer:
    from Stemmer import Stemmer

    # A PyStemmer object is not safe to share between threads.
    made: Stemmer | None = getattr(_stemmers, language, None)
    if made is None:
        made = Stemmer(language)
        setattr(_stemmers, language, made)
    return made


@lru_cache(maxsize=1)
def _token() -> re.Pattern[str]:
    """A run without spaces, or a word with what is tied to it: (unspaced, sigil, body, tied, tail)."""
    word = rf"[^\W_{_UNSPACED}]+(?:[{_marks()}]+[^\W_{_UNSPACED}]*)*"
    between = r"(?:[-._/\\:@&'=~+*?%#$]{1,3}|(?<=\d),(?=\d))"
    sigil = r"(?<![\w.~])(?:[$#@]|~/\.?|\.)"
    tail = r"\+\+|(?<![^\W_][^\W_])\#(?![^\W_])"
    return re.compile(rf"([{_UNSPACED}]+)|({sigil})?({word}((?:{between}{word})+)?)({tail})?")


def _marks() -> str:
    """Vowel signs and accents, which belong to their word but are no letters to `re`."""
    unspaced = re.compile(f"[{_UNSPACED}]")
    marks = (
        chr(point) for point in range(0x300, 0x10000) if unicodedata.category(chr(point)) in {"Mn", "Mc"}
    )
    return "".join(mark for mark in marks if not unspaced.match(mark))
