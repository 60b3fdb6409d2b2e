"""Sentences that say what a question says and nothing that would answer it."""

from __future__ import annotations

import re
from functools import cache

from rag.ask.words import AUXILIARIES, QUESTION_WORDS, plain
from rag.english import CHAT_WORDS, QUESTION_STEMS
from rag.lexical import stems

_POINTS_ON = (
    "available information other pertinent relevant further more additional detail details found find see below above"
    " following follows list listed here page section document described explained provided please also as"
)
"""Of a sentence that only says that something is written somewhere."""
_ASKS_WHERE = re.compile(
    r"\b(?:where|link|find|look up|(?:which|what) (?:page|section|document|list|channel|folder))\b",
    re.IGNORECASE,
)
_WHETHER = re.compile(
    r"\bwhether\b|\bor\b|\b(?:know|knows|tell me|say|asks?|check|wonder|wondering|sure|clear|idea|out) if\b",
    re.IGNORECASE,
)
_PARTS = re.compile(r"[.,;:!?()–—]+|\s-+\s")
_OPENERS = CHAT_WORDS | frozenset({"and", "but", "so", "or", "then", "also"})
_EMPHASIS = "*_` \n\"”»'"


def restates(question: str, words: str) -> bool:
    """Whether `words` tell nothing that the question does not say itself, apart from that it is written somewhere.

    A statement in the words of a question of yes or no is its answer: "Dogs are allowed in the office."
    """
    asked, told = set(stems(question)), set(stems(words))
    if asks_whether(question):
        return asked.issuperset(told) and not _is_statement(words)
    return asked.issuperset(told if _ASKS_WHERE.search(question) else told - _points_on())


@cache
def _points_on() -> frozenset[str]:
    """Stems; the stemmer is loaded with the first question, not with the module."""
    return QUESTION_STEMS | frozenset(stems(_POINTS_ON))


def asks_whether(question: str) -> bool:
    """Whether a statement in its own words answers it: by yes or no, or by one of the things it names.

    A clause of it begins with its verb, it asks whether, offers a choice, or has no question word at all.
    """
    if _WHETHER.search(question):
        return True
    for clause in _PARTS.split(question):
        read = [plain(word) for word in clause.split()]
        first = next((word for word in read if word and word not in _OPENERS), "")
        if first in AUXILIARIES:
            return True
        if first in QUESTION_WORDS:
            return False
    return QUESTION_WORDS.isdisjoint(plain(word) for word in question.split())


def _is_statement(words: str) -> bool:
    """Whether it is a sentence, not a heading or the name of a thing."""
    return words.rstrip(_EMPHASIS).endswith((".", "!")) or any(
        plain(word) in AUXILIARIES for word in words.split()
    )
