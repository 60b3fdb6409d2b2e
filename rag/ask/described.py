"""A description that has to be looked up before the rest can be asked: who that is, then the whole question."""

from __future__ import annotations

from rag.ask.sides import Sides
from rag.ask.words import AUXILIARIES, BE, FUNCTION_WORDS, VERBS, open_words, plain, word_set

_DESCRIBED = word_set(
    """person team department group company vendor provider supplier city country place office building tool system
    application form document policy role site state colleague manager"""
)
_ROLES = word_set("manager boss head director lead assistant deputy supervisor successor predecessor owner")
_SAYS_NOTHING = word_set("name tell find know which city the of")


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
