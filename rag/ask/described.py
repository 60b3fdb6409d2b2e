"""A description that has to be looked up before the rest can be asked: who that is, then the whole question."""

from __future__ import annotations

from dataclasses import dataclass

from rag.ask.sides import Sides
from rag.ask.words import (
    ADVERBS,
    AUXILIARIES,
    BE,
    FUNCTION_WORDS,
    PREPOSITIONS,
    SURE_VERBS,
    VERBS,
    VERBS_OR_NOUNS,
    open_words,
    plain,
    word_set,
)

_DESCRIBED = word_set(
    """person team department group company vendor provider supplier city country place office building tool system
    application form document policy role site state colleague manager"""
)
_ROLES = word_set("manager boss head director lead assistant deputy supervisor successor predecessor owner")
_RELATIVES = {"who", "that", "which", "where"}
_SAYS_NOTHING = word_set("name tell find know which city the of")


_SAYS_HOW = word_set("contact reach email mail call phone ring get sure name names called")
"""What is asked with these is told in other words: a number, an address, a name."""


@dataclass(frozen=True, slots=True)
class Description:
    """The content words of a description, ``runs falcon``, and of what is asked of who or what it fits, ``leads``."""

    description: tuple[str, ...]
    asked: tuple[str, ...]


def description_in(question: str) -> Description | None:
    """The description that a question has of what it asks about; None where it has none, or asks nothing else.

    >>> description_in("Who leads the team that runs Falcon?")
    Description(description=('runs', 'falcon'), asked=('leads',))
    """
    read = [plain(word) for word in open_words(question)]
    for at in range(1, len(read) - 3):
        if read[at] == "the" and read[at + 1] in _DESCRIBED and read[at + 2] in _RELATIVES:
            start = at + 3
            end = _end_of_description(read, start) if read[at - 1] in AUXILIARIES else len(read)
            return _description(read[start:end], [*read[:at], *read[end:]])
        if read[at] in _ROLES and read[at + 1] == "of" and not _ROLES.isdisjoint(read[at + 2 : at + 6]):
            return _description(read[at + 2 :], read[: at + 1])
    return None


def _end_of_description(read: list[str], start: int) -> int:
    """Where the verb of the question stands: "sit" in "where does the team that runs Falcon sit"."""
    stops = ADVERBS | SURE_VERBS | VERBS_OR_NOUNS
    return next((at for at in range(start + 2, len(read)) if read[at] in stops), len(read))


def _description(description: list[str], asked: list[str]) -> Description | None:
    left_out = FUNCTION_WORDS | _SAYS_NOTHING | _SAYS_HOW | PREPOSITIONS
    told = tuple(word for word in description if word not in left_out)
    left = tuple(word for word in asked if word not in left_out | set(told))
    return Description(told, left) if told and left else None


def looked_up_first(sentence: str) -> Sides:
    """'The manager of the person who approves travel': who that is, then the whole question."""
    words = open_words(sentence)
    read = [plain(word) for word in words]
    for at in range(1, len(read) - 3):
        says_something = any(word not in FUNCTION_WORDS | _SAYS_NOTHING for word in read[:at])
        if (
            read[at] == "the"
            and read[at + 1] in _DESCRIBED
            and says_something
            and read[at - 1] not in AUXILIARIES
        ):
            inner = _described(words[at + 1], read[at + 2], words[at + 3 :])
            if inner and len(read) - at < 16 and not any(word.endswith((",", ";")) for word in words[at:-1]):
                return inner, sentence
        if (
            read[at] in _ROLES
            and read[at + 1] in {"of", "to"}
            and any(word in _ROLES for word in read[at + 2 : at + 6])
        ):
            return "who is " + " ".join(words[at + 2 :]), sentence
    return ()


def _described(noun: str, relative: str, told: list[str]) -> str:
    """The question that finds what is described; empty where `relative` opens no description."""
    words = " ".join(told)
    first, last = plain(told[0]), plain(told[-1])
    if relative == "who":
        return f"who {words}"
    if relative == "where":
        is_there = last in BE and len(told) > 1
        return (
            f"in which {noun} {last} {' '.join(told[:-1])}"
            if is_there
            else f"what is the {noun} where {words}"
        )
    if relative not in {"that", "which"}:
        return ""
    if first in {"i", "we", "you", "they"}:
        return f"which {noun} do {words}"
    return f"which {noun} {words}" if first.removesuffix("s") in VERBS else f"what is the {noun} that {words}"
