"""One question that asks for several things, as the questions it is made of.

English only. A wrong cut searches for what nobody asked; a missed one costs nothing but the help, so every doubt is
decided against: "terms and conditions" is one thing, and an "and" joins two questions only where a second one begins.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag.ask.clause import clause_of, means_event
from rag.ask.compare import compared
from rag.ask.described import looked_up_first
from rag.ask.pronouns import resolved
from rag.ask.sides import Sides
from rag.ask.topic import asked_about
from rag.ask.words import (
    ADVERBS,
    AUXILIARIES,
    CONJUNCTIONS,
    DETERMINERS,
    DO,
    MODALS,
    PREPOSITIONS,
    QUESTION_WORDS,
    SUBJECT_PRONOUNS,
    VERBS,
    finished,
    has_topic,
    head_of,
    is_finite,
    is_plural,
    is_predicate,
    open_words,
    opens_question,
    plain,
    sentences_of,
)

_RELATIVES = QUESTION_WORDS | {"that"}
_MAX_QUESTIONS = 3
_OF_MANY, _OF_ONE = {"are", "were", "do", "have"}, {"is", "was", "does", "has"}
_CONDITIONAL = {"should", "had", "were"}
"""``Should it rain, is …``: the first half asks nothing."""


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
        next_at = _behind_joint(words, read, start, at)
        if next_at and _begins_another(words, read, start, at, next_at):
            pieces.append(words[start:at])
            start = next_at
    if not pieces:
        return [sentence]
    return [" ".join([*told, *piece]).rstrip(",") for piece in (*pieces, words[start:])]


def _behind_joint(words: list[str], read: list[str], start: int, at: int) -> int:
    """Where the words behind "and", or behind the comma between two questions of yes or no, begin; else 0."""
    if read[at] in {"and", "&", "plus"}:
        return at + 1 + (read[at + 1] in {"also", "then"})
    is_of_yes_or_no = read[start] in AUXILIARIES - _CONDITIONAL and read[at] in AUXILIARIES
    is_tag = read[at + 1] in SUBJECT_PRONOUNS  # "…, is it?"
    is_plain = not is_tag and (CONJUNCTIONS - {"and", "or"}).isdisjoint(read[start:at])
    return at if is_of_yes_or_no and is_plain and words[at - 1].endswith((",", ";")) else 0


def _begins_another(words: list[str], read: list[str], start: int, at: int, next_at: int) -> bool:
    left, right = read[start:at], read[next_at : next_at + 16]
    if len(right) < 2:
        return False
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
        return right[1] in SUBJECT_PRONOUNS | DETERMINERS or is_open or _has_own_subject(left, right)
    if not opens_question(right):
        return False
    return (
        right[0] == "who" or any(word in AUXILIARIES for word in right[1:8]) or (has_comma and len(right) > 3)
    )


def _has_own_subject(left: list[str], right: list[str]) -> bool:
    """Whether the verb behind "and" has a subject of its own: "and are dogs allowed", not "and are paid monthly".

    Only where the question before it is inverted too: "who is ill" goes on with "and is paid".
    """
    is_inverted = left[0] in AUXILIARIES or clause_of(" ".join(left)) is not None
    is_of_many = right[0] in _OF_MANY
    if not is_inverted and not (left[0] == "who" and is_of_many):
        return False
    if right[0] in DO | MODALS and right[1] in VERBS:
        return False
    clause = clause_of(" ".join(right))
    if clause is None:
        return right[0] in MODALS and is_plural(right[1])  # "can visitors park": of a verb that is in no list
    if right[1].endswith("ly") or right[1] in PREPOSITIONS | ADVERBS:
        return False
    if right[0] in _OF_MANY | _OF_ONE and is_plural(head_of(clause.subject)) != is_of_many:
        return "and" in clause.subject  # "are sick leave and overtime paid"
    said = [plain(word) for word in clause.rest]
    return (
        right[0] in DO | MODALS
        or not DETERMINERS.isdisjoint(said[:1])
        or any(is_predicate(word) and word not in ADVERBS for word in said)
    )
