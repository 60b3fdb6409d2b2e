"""What "it", "they", "that policy" or "there" in a question stand for, and the question with that in their place."""

from __future__ import annotations

from collections.abc import Sequence

from rag.ask.clause import agreeing
from rag.ask.words import (
    ADVERBS,
    AUXILIARIES,
    BE,
    CONJUNCTIONS,
    DETERMINERS,
    FUNCTION_WORDS,
    GROUPS,
    LONGEST_QUESTION,
    MARKS,
    PREPOSITIONS,
    SUBJECT_PRONOUNS,
    VERBS,
    finished,
    head_of,
    is_finite,
    is_plural,
    is_predicate,
    plain,
    word_set,
)

_PERSONS = word_set("he she him her his")
_PEOPLE = word_set("manager director ceo cfo cto coo head boss lead officer president chair founder owner")
_POINTERS = word_set("this that these those")
_TIMES = word_set("year month week quarter morning afternoon evening time summer winter spring autumn")
_ANY_THING = word_set(
    "rule rules policy process form amount limit number fee budget benefit allowance option"
)
_JUDGEMENTS = word_set(
    """possible allowed ok okay safe legal permitted necessary mandatory required better best easy hard worth forbidden
    advisable true normal usual important acceptable fine"""
)
_DONE_BY_PEOPLE = word_set(
    "need have ask apply request get take book want pay work claim use submit sign contact know live travel"
)
_ASIDE = word_set("ok okay thanks hi hello hey yes no well great please")


def resolved(question: str, phrases: Sequence[str]) -> str | None:
    """`question` with `phrases` in the place of its pronouns; None where no pronoun means anything outside of it.

    Args:
        question: one that may say "it", "they", "that", "there", "its" or "one".
        phrases: what can be meant, the likeliest first; see `asked_about`.
    """
    words = question.split()
    read = [plain(word) for word in words]
    done: list[str] = []
    at = 0
    while at < len(words):
        n_words = _n_pointing_back(words, read, at, phrases) if len(words) <= LONGEST_QUESTION else 0
        phrase = _meant(read, at, phrases) if n_words else ""
        if not phrase:
            done.append(words[at])
            at += 1
            continue
        if done and not _is_owner(read, at):
            done[-1] = agreeing(done[-1], phrase.split())
        last = words[at + n_words - 1]
        done.append(_in_place(read, at, phrase) + last[len(last.rstrip(MARKS)) :])
        at += n_words
    return None if done == words else finished(" ".join(done))


def _is_owner(read: list[str], at: int) -> bool:
    if read[at] != "her":
        return read[at] in {"its", "their", "his"}
    return at + 1 < len(read) and read[at + 1] not in FUNCTION_WORDS


def _in_place(read: list[str], at: int, phrase: str) -> str:
    bare = phrase.removeprefix("the ")
    if read[at] == "one":
        return f"{'an' if bare[:1] in set('aeiou') else 'a'} {bare}"
    if read[at] == "there":
        return (
            f"to {phrase}"
            if read[at - 1] in {"get", "go", "come", "drive", "travel", "walk"}
            else f"at {phrase}"
        )
    if not _is_owner(read, at):
        return phrase
    words = phrase.split()
    cut = next((n for n, word in enumerate(words) if n and plain(word) in PREPOSITIONS), len(words))
    name = " ".join(words[:cut])
    return name + ("'" if name.endswith("s") else "'s")


def _meant(read: list[str], at: int, phrases: Sequence[str]) -> str:
    """The phrase that fits the pronoun in number and kind; empty where none may be meant."""
    pronoun, follows = read[at], read[at + 1] if at + 1 < len(read) else ""
    things = [each for each in phrases if not each.startswith("the person ")]
    heads = {each: plain(head_of(each.split())) for each in phrases}
    people = [each for each in phrases if each not in things or heads[each] in _PEOPLE or each[:1].isupper()]
    many = [each for each in things if is_plural(heads[each])]
    if pronoun in _PERSONS:
        fitting = people
    elif pronoun in {"they", "them", "their"}:
        groups = [each for each in many if heads[each] in GROUPS]
        fitting = [
            *(groups if follows in _DONE_BY_PEOPLE else ()),
            *many,
            *people,
        ]  # leave expires, people ask
    elif pronoun == "there":
        fitting = [*(each for each in things if any(word[:1].isupper() for word in each.split())), *things]
    else:
        is_one = pronoun in {"it", "its", "one"}
        fitting = [*(each for each in things if is_one and each not in many), *things]
    return next(iter(fitting), "")


def _n_pointing_back(words: list[str], read: list[str], at: int, phrases: Sequence[str]) -> int:
    """How many words from `at` on stand for what this question does not say: 1 "it", 2 "that policy", else 0."""
    word, before, after = read[at], read[at - 1] if at else "", read[at + 1] if at + 1 < len(read) else ""
    if word == "there":
        is_existing = {before, after} & (BE | {"be", "been"})
        return int(at > 1 and not is_existing)
    if word == "one":
        return int(
            not after and before in {"get", "need", "have", "request", "order", "book", "buy", "want", "use"}
        )
    if word in _POINTERS:
        return _n_of_pointer(words, read, at, phrases)
    if word not in _PERSONS and word not in {"it", "its", "they", "them", "their"}:
        return 0
    return int(not (word == "it" and _says_nothing(read, at)) and not _is_said_before(words, read, at))


def _n_of_pointer(words: list[str], read: list[str], at: int, phrases: Sequence[str]) -> int:
    before, after = read[at - 1] if at else "", read[at + 1] if at + 1 < len(read) else ""
    if not at or after in _TIMES or after in {"who", "of"} or _is_said_before(words, read, at):
        return 0
    is_object = before in PREPOSITIONS or is_finite(read, at - 1)
    if not after:
        return 1
    if is_object and (after in _ANY_THING or any(after == plain(head_of(each.split())) for each in phrases)):
        return 2
    if before in AUXILIARIES:
        is_end = before in BE and at + 2 == len(read)  # "are those new?"
        return int(is_end or after in FUNCTION_WORDS or after in VERBS or is_predicate(after))
    return int(is_object and after in (PREPOSITIONS | CONJUNCTIONS) - {"of"})


def _says_nothing(read: list[str], at: int) -> bool:
    """Whether "it" stands for nothing: "is it possible to", "does it matter if", "how long does it take to"."""
    follows = [word for word in read[at + 1 : at + 9] if word not in ADVERBS]
    if not follows:
        return read[max(0, at - 2) : at] == ["time", "is"]
    if follows[0] in {"raining", "snowing", "cold", "hot", "dark"}:
        return True
    if follows[0] in {"take", "takes", "matter", "mean", "cost"}:
        return any(word in {"to", "if", "that"} for word in follows[1:3])
    is_measured = follows[0].endswith("er") or (len(follows) > 2 and follows[2] in VERBS)
    if follows[1:2] == ["to"] and is_measured:
        return True
    return follows[0] in _JUDGEMENTS and any(word in {"to", "that", "if", "when"} for word in follows[1:])


def _is_said_before(words: list[str], read: list[str], at: int) -> bool:
    """Whether an earlier clause has a noun that the pronoun at `at` can stand for; for "its" any earlier noun."""
    ends = at
    if not _is_owner(read, at):
        ends = next((n for n in range(at - 1, 0, -1) if _is_border(words, read, n)), 0)
    return any(_is_noun(read, n) for n in range(ends))


def _is_border(words: list[str], read: list[str], at: int) -> bool:
    return read[at] in CONJUNCTIONS | {"before", "after"} or words[at - 1].endswith(
        (",", ";", ":", ".", "?", "!")
    )


def _is_noun(read: list[str], at: int) -> bool:
    word, before = read[at], read[at - 1] if at else ""
    if word in FUNCTION_WORDS or word in _ASIDE or is_predicate(word) or not word:
        return False
    if before in {"how", "to", "who"} or before in SUBJECT_PRONOUNS - DETERMINERS:
        return False
    return not (before == "what" and is_finite(read, at))
