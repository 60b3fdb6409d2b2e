"""The two sides of what is compared or joined, as they stand alone."""

from __future__ import annotations

from collections.abc import Sequence

from rag.ask.words import (
    AUXILIARIES,
    CONJUNCTIONS,
    PREPOSITIONS,
    QUESTION_WORDS,
    head_of,
    is_plural,
    look_of,
    plain,
    word_set,
)

_FIXED_PAIRS = word_set(
    """terms/conditions health/safety research/development rules/regulations pros/cons questions/answers food/drink
    policies/procedures roles/responsibilities supply/demand sales/marketing profit/loss wear/tear black/white
    equality/diversity diversity/inclusion"""
)
_NO_SIDE = word_set(
    """it this that they them i me we us you he she ever last next what one two three four five six seven eight nine ten
    twelve half"""
)
_NO_SIDE_ALONE = word_set("before expected usual normal necessary allowed planned")
_MODIFIERS = word_set("sick gross net new old paid unpaid standard premium basic business economy first")
_MODIFIER_ENDS = ("al", "ary", "ive", "ic", "ity", "time", "term")
_IN_NO_SIDE = QUESTION_WORDS | AUXILIARIES | (CONJUNCTIONS - {"and"})
_LONGEST_SIDE = 8
"""Words; what is compared is named briefly."""

Sides = tuple[str, ...]
"""Two questions, or none; their first letter and last mark are not set yet."""


def parted(words: list[str], *joints: str) -> tuple[list[str], list[str]]:
    """Both sides of the only joint; two empty ones where there is none, or more than one."""
    read = [plain(word) for word in words]
    found = [
        at
        for at in range(1, len(read) - 1)
        if read[at] in joints and f"{read[at - 1]}/{read[at + 1]}" not in _FIXED_PAIRS
    ]
    if len(found) != 1:
        return [], []
    return [word.rstrip(",") for word in words[: found[0]]], words[found[0] + 1 :]


def is_side(words: Sequence[str]) -> bool:
    """Whether `words` can be one of two things compared: brief, no pronoun, no number, no other clause."""
    read = [plain(word) for word in words]
    if (
        not 0 < len(read) <= _LONGEST_SIDE
        or read[0] in _NO_SIDE
        or read[-1] in {"day", "week", "month", "year"}
    ):
        return False
    if len(read) == 1 and read[0] in _NO_SIDE_ALONE:
        return False
    return not any(word in _IN_NO_SIDE or any(map(str.isdigit, word)) for word in read)


def both_sides(first: list[str], second: list[str]) -> tuple[str, str] | tuple[()]:
    """Both sides as they stand alone: what only one of them says of both is given to the other."""
    if not is_side(first) or not is_side(second):
        return ()
    a = [plain(word) for word in first]
    if _names_stand_before_one_noun(first, second):
        first = [*first, *second[1:]]
        a = [plain(word) for word in first]
    joint = max((at for at, word in enumerate(a) if word in PREPOSITIONS), default=0)
    if plain(second[0]) in PREPOSITIONS:  # the notice period for interns, for employees
        same = next((at for at, word in enumerate(a) if at and word == plain(second[0])), 0)
        return (" ".join(first), " ".join([*first[:same], *second])) if same else ()
    if joint and len(second) < 4 and look_of(first[joint + 1 :]) == look_of(second):
        return " ".join(first), " ".join([*first[: joint + 1], *second])
    if len(a) == 1 and is_modifier(a[0]) and len(second) == 2:  # sick and parental leave
        return " ".join([*first, second[-1]]), " ".join(second)
    return " ".join(first), " ".join(second)


def _names_stand_before_one_noun(first: Sequence[str], second: Sequence[str]) -> bool:
    """ "Berlin and Lisbon employees" are employees both; not so "Tea with Ada and Lisbon", nor names alone."""
    is_name = first[-1][:1].isupper() and second[0][:1].isupper() and len(second) == 2
    return is_name and second[1].islower() and is_plural(second[1])


def is_modifier(word: str) -> bool:
    """Whether `word` says which of a kind is meant, as ``sick`` does of leave, and needs the noun beside it."""
    return plain(word) in _MODIFIERS or plain(word).endswith(_MODIFIER_ENDS)


def asked_of_each(asks: str, sides: tuple[str, str] | tuple[()], of: str = "") -> Sides:
    """The question `asks` about each side, in its number; `of` stands before both: ``the notice period for``."""
    subjects = [f"{of} {side}".strip() for side in sides]
    return tuple(f"{asks} {'are' if is_plural(head_of(each.split())) else 'is'} {each}" for each in subjects)
