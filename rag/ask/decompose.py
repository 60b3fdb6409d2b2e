"""One question that asks for several things, as the questions it is made of.

English only. A wrong cut searches for what nobody asked; a missed one costs nothing but the help, so every doubt is
decided against: "terms and conditions" is one thing, and an "and" joins two questions only where a second one begins.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag.ask.clause import means_event
from rag.ask.compare import compared
from rag.ask.described import looked_up_first
from rag.ask.pronouns import resolved
from rag.ask.sides import Sides
from rag.ask.topic import asked_about
from rag.ask.words import (
    AUXILIARIES,
    DETERMINERS,
    DO,
    QUESTION_WORDS,
    SUBJECT_PRONOUNS,
    VERBS,
    finished,
    has_topic,
    is_finite,
    open_words,
    opens_question,
    plain,
    sentences_of,
)

_RELATIVES = QUESTION_WORDS | {"that"}
_MAX_QUESTIONS = 3


def sub_questions(question: str) -> tuple[str, ...]:
    """The two or three questions that `question` is made of; empty where it is one, or in doubt.

    Two sides that are compared, questions that follow one another or are joined by "and", and a description that
    has to be looked up before the rest can be asked; then the whole question comes last.

    >>> sub_questions("Is parental leave longer than sick leave?")
    ('How long is parental leave?', 'How long is sick leave?')
    """
    before, asked = _told_and_asked(sentences_of(question))
    pieces = [piece for each in asked for piece in _joined(each)]
    alone = pieces[0] if len(pieces) == 1 else ""
    found = compared(alone) or looked_up_first(alone) if alone else _standing_apart(pieces)
    if len(found) < 2:
        return ()
    rest = found[_MAX_QUESTIONS - 1 :]
    shown = [*found[: _MAX_QUESTIONS - 1], " ".join(map(finished, rest))] if rest else found
    return tuple(finished(f"{before} {each}".strip()) for each in shown)


def _standing_apart(pieces: list[str]) -> Sides:
    """The questions with their pronouns told from the first; one without a topic stays with the one before it."""
    apart = pieces[:1]
    for piece in pieces[1:]:
        read = [plain(word) for word in piece.split()]
        told = None if means_event(read, apart[0]) else resolved(piece, asked_about(apart[0]))
        if told is None and (means_event(read, apart[0]) or not has_topic(read)):
            apart[-1] = f"{finished(apart[-1])} {finished(piece)}"
        else:
            apart.append(told or piece)
    return tuple(apart)


def _told_and_asked(sentences: list[str]) -> tuple[str, list[str]]:
    """What is told before the first question, and the questions; what follows a question stays with it."""
    told: list[str] = []
    asked: list[str] = []
    is_marked = any(sentence.endswith("?") for sentence in sentences)
    for sentence in sentences:
        read = [plain(word) for word in open_words(sentence)]
        start = 1 if read[:1] and read[0] in {"and", "also", "but", "so", "ok"} else 0
        is_question = sentence.endswith("?") or not is_marked
        is_whole = len(read) - start > 2 and read[:2] not in (["if", "so"], ["if", "not"], ["if", "yes"])
        words = sentence.split()[start:]
        if is_question and is_whole and _place_of_question(words, read[start:]) is not None:
            asked.append(" ".join(words))
        elif asked:
            asked[-1] += "" if len(read) < 4 else f" {sentence}"
        elif len(read) > 3:
            told.append(sentence)
    # "Compare A and B" asks without a question's form.
    return (" ".join(told), asked) if asked else ("", sentences[-1:])


def _place_of_question(words: Sequence[str], read: Sequence[str]) -> int | None:
    """Where the question begins: at once, or behind what is told up to a colon or comma."""
    is_told = len(read) > 1 and read[0] == "when" and read[1] not in AUXILIARIES
    if opens_question(read) and not is_told:
        return 0
    ends = (
        at
        for at in range(1, len(read))
        if words[at - 1].endswith((",", ":", ";")) and opens_question(read[at : at + 2])
    )
    return next(ends, None)


def _joined(sentence: str) -> list[str]:
    """The whole questions that "and" joins in a sentence, each behind what is told in front of them all."""
    words = open_words(sentence)
    read = [plain(word) for word in words]
    begin = _place_of_question(words, read) or 0
    told, pieces, start = words[:begin] if begin > 1 else [], [], begin
    for at in range(begin + 2, len(read) - 2):
        if read[at] in {"and", "&"} and _begins_another(words, read, start, at):
            pieces.append(words[start:at])
            start = at + 1
    if not pieces:
        return [sentence]
    return [" ".join([*told, *piece]).rstrip(",") for piece in (*pieces, words[start:])]


def _begins_another(words: list[str], read: list[str], start: int, at: int) -> bool:
    left, right = read[start:at], read[at + 1 : at + 10]
    if len(left) < 3 or left[-1] in QUESTION_WORDS or {"between", "both"} & set(left) or right[1] == "to":
        return False
    has_comma = words[at - 1].endswith(",")
    is_whole = left[0] == "who" or any(word in AUXILIARIES for word in left)
    if not is_whole and not (has_comma and any(is_finite(left, n) for n in range(2, len(left)))):
        return False
    if not has_comma and any(word in _RELATIVES for word in left[2:]):  # "those who travel and who drive"
        return False
    if right[0] in AUXILIARIES:
        is_open = has_comma and right[0] in DO | {"will", "can", "should", "must"} and right[1] not in VERBS
        return right[1] in SUBJECT_PRONOUNS | DETERMINERS or is_open
    if not opens_question(right):
        return False
    return (
        right[0] == "who" or any(word in AUXILIARIES for word in right[1:8]) or (has_comma and len(right) > 3)
    )
