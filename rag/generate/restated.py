"""Sentences that say what a question says and nothing that would answer it."""

from __future__ import annotations

import re

from rag.ask.words import AUXILIARIES, QUESTION_WORDS, plain
from rag.english import CHAT_WORDS, QUESTION_STEMS
from rag.lexical import stems

_POINTS_ON = QUESTION_STEMS | frozenset(
    stems(
        "available information other pertinent relevant further more additional detail details found find see below"
        " above following follows list listed here page section document described explained provided please also as"
    )
)
"""Of a sentence that only says that something is written somewhere."""
_ASKS_WHERE = re.compile(
    r"\b(?:where|link|find|look up|(?:which|what) (?:page|section|document|list|channel|folder))\b",
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
    return asked.issuperset(told if _ASKS_WHERE.search(question) else told - _POINTS_ON)


def asks_whether(question: str) -> bool:
    """Whether it can be answered by yes or no: a clause of it begins with its verb."""
    for clause in _PARTS.split(question):
        read = [plain(word) for word in clause.split()]
        first = next((word for word in read if word and word not in _OPENERS), "")
        if first in AUXILIARIES:
            return True
        if first in QUESTION_WORDS:
            return False
    return False


def _is_statement(words: str) -> bool:
    """Whether it is a sentence, not a heading or the name of a thing."""
    return words.rstrip(_EMPHASIS).endswith((".", "!")) or any(
        plain(word) in AUXILIARIES for word in words.split()
    )
