"""What a question takes for granted, as claims that evidence can be checked against; and what it is about.

English only. A claim that nobody made is worse than a missed one: every doubt is decided against.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rag.ask.clause import Clause, clause_of
from rag.ask.placed import things_in_places
from rag.ask.words import (
    ADVERBS,
    AUXILIARIES,
    CONJUNCTIONS,
    DETERMINERS,
    DO,
    POSSESSIVES,
    PREPOSITIONS,
    QUESTION_WORDS,
    SUBJECT_PRONOUNS,
    SURE_VERBS,
    finished,
    head_of,
    is_plural,
    is_predicate,
    open_words,
    opens_question,
    plain,
    sentences_of,
    word_set,
)
from rag.english import PAST_OF

_PAST_FORMS = frozenset(PAST_OF.values()) - AUXILIARIES
_SAYING = (AUXILIARIES | _PAST_FORMS) - {"may"}  # the month
_SHORT_VERB = re.compile(r"[^aeiou]+[aeiou][^aeiouwxy]")
"""Stop, ban, drop: their last letter is doubled."""

_NUMBER = re.compile(r"[€$£]?\d[\d.,]*%?(?:-[^\W\d_]+)*")
_NUMBER_WORDS = word_set("two three four five six seven eight nine ten twelve fifteen twenty thirty")
_AN_BEFORE = re.compile(r"8|1[18](?!\d)|1[18][.,]\d{3}")
_UNITS = word_set(
    """eur euro euros usd dollar dollars gbp pound pounds nok sek dkk chf kr percent minute minutes hour hours day days
    week weeks month months year years am pm km miles"""
)
_ADJECTIVE_ENDS = ("ly", "al", "ary", "ive", "ic", "ous", "ed")
_ADJECTIVES = word_set("new old free extra full paid unpaid standard maximum minimum one-time")
_NO_DESCRIPTION = word_set("previous only")
"""They look like adjectives, but what they count is told elsewhere."""
_REASONS = (("since",), ("because",), ("although",), ("even", "though"), ("given", "that"), ("now", "that"))
_UNRESOLVED = word_set("it this that they he she these those one")
_SIZES = word_set("much big large high generous")
_PHRASE_ENDS = (
    AUXILIARIES
    | DETERMINERS
    | QUESTION_WORDS
    | SUBJECT_PRONOUNS
    | PREPOSITIONS
    | ADVERBS
    | CONJUNCTIONS
    | SURE_VERBS
)
_NO_LIST = _PHRASE_ENDS - DETERMINERS - {"and", "or"}
_LONGEST_PHRASE = 12
_MAX_PREMISES = 3


def premises(question: str) -> tuple[str, ...]:
    """What `question` takes for granted, as sentences that evidence can be checked against; mostly empty, at most 3.

    >>> premises("Why is the gym free for contractors?")
    ('The gym is free for contractors.',)
    """
    found: dict[str, None] = {}
    sentences = sentences_of(question)
    for sentence in sentences:
        words = _first_clause(open_words(sentence))
        read = [plain(word) for word in words]
        is_asked = sentence.endswith("?") or opens_question(read[:2]) or len(sentences) == 1
        if not read or not is_asked:  # what the asker tells is theirs to know
            continue
        said = (
            _reason(sentence),
            _of_why_or_when(words, read),
            _of_how_come(words, read),
            _of_who(words, read),
            _of_size(words, read),
            _of_having(words),
            *_descriptions(open_words(sentence)),
        )
        claims = [claim for claim in said if claim]
        # What is said of a thing in a place says already that it is there.
        claims = claims or [_there_is(phrase) for phrase in things_in_places(open_words(sentence))]
        found.update((finished(claim, "."), None) for claim in claims)
    return tuple(found)[:_MAX_PREMISES]


def _first_clause(words: list[str]) -> list[str]:
    """The words up to another clause of the question; what that one says is not taken for granted."""
    read = [plain(word) for word in words]
    for at in range(2, len(read) - 1):
        is_question = read[at] in CONJUNCTIONS and read[at + 1] in AUXILIARIES | QUESTION_WORDS
        if is_question or read[at] in {"if", "when", "because", "unless"} or _is_sign(read, at, "now that"):
            return words[:at]
        is_list = read[at] not in _NO_LIST
        if (
            words[at - 1].endswith((",", ";", ":"))
            and read[0] in QUESTION_WORDS | AUXILIARIES
            and not is_list
        ):
            return words[:at]
    return words


def _is_sign(read: list[str], at: int, sign: str) -> bool:
    return " ".join(read[at : at + 2]) == sign


def _reason(sentence: str) -> str | None:
    """'Since remote work was abolished, …' and '… now that payroll was outsourced'."""
    words = open_words(sentence)
    read = [plain(word) for word in words]
    for sign in _REASONS:
        if tuple(read[: len(sign)]) == sign:
            start = len(sign)
            end = next((at + 1 for at, word in enumerate(words) if word.endswith(",")), start)
        elif len(sign) == 2 and (at := _place_of(read, " ".join(sign))):
            start, end = at + 2, at + 2 + len(_first_clause(words[at + 2 :]))
        else:
            continue
        clause = read[start:end]
        is_said = any(word in _SAYING or word.endswith("ed") for word in clause[1:])
        # What the asker says of themselves is in no document; "since joining" tells when.
        is_own = clause[:1] in (["i"], ["my"]) or "".join(clause[:1]).endswith("ing")
        if is_said and not is_own and len(clause) > 2 and clause[0] not in QUESTION_WORDS | _UNRESOLVED:
            return " ".join(words[start:end])
    return None


def _place_of(read: list[str], sign: str) -> int:
    return next((at for at in range(1, len(read)) if _is_sign(read, at, sign)), 0)


def _of_why_or_when(words: list[str], read: list[str]) -> str | None:
    is_since = read[:2] == ["since", "when"]
    clause = clause_of(" ".join(words[1:] if is_since else words))
    if clause is None or len(clause.lead) != 1:
        return None
    asks, aux = plain(clause.lead[0]), plain(clause.aux)
    if asks == "why" or is_since:
        return None if aux in {"would", "could", "might"} else _statement(clause)
    happened = aux in {"was", "were"} and bool(clause.rest) and is_predicate(plain(clause.rest[0]))
    return _statement(clause) if asks == "when" and (aux == "did" or happened) else None


def _statement(clause: Clause) -> str | None:
    """The clause as it is said, not asked; None where its subject is told elsewhere."""
    aux, rest = plain(clause.aux), list(clause.rest)
    if not rest or plain(clause.subject[0]) in _UNRESOLVED or plain(rest[0]) == "ever":
        return None
    said = {"can't": "can", "cannot": "can", "won't": "will", "shan't": "shall"}.get(
        aux, aux.removesuffix("n't")
    )
    if said != aux:
        rest.insert(0, "not")
    elif said in DO and plain(rest[0]) != "not":
        at = next((at for at, word in enumerate(rest) if plain(word) not in ADVERBS), None)
        if at is None:
            return None
        rest[at] = _inflected(rest[at], said)
        said = ""
    statement = " ".join(word for word in (*clause.subject, said, *rest) if word)
    return statement.replace(" can not ", " cannot ")


def _inflected(verb: str, aux: str) -> str:
    """The verb without its ``does`` or ``did``."""
    ends_in_y = verb.endswith("y") and verb[-2:-1] not in set("aeiou")
    if aux == "does":
        if verb == "have":
            return "has"
        if ends_in_y:
            return verb[:-1] + "ies"
        return verb + ("es" if verb.endswith(("s", "sh", "ch", "x", "z", "o")) else "s")
    if aux == "do":
        return verb
    if verb in PAST_OF:
        return PAST_OF[verb]
    if ends_in_y:
        return verb[:-1] + "ied"
    if _SHORT_VERB.fullmatch(verb):
        return verb + verb[-1] + "ed"
    return verb + ("d" if verb.endswith("e") else "ed")


def _of_how_come(words: list[str], read: list[str]) -> str | None:
    is_told = len(read) > 4 and read[2] not in _UNRESOLVED | AUXILIARIES
    return " ".join(words[2:]) if read[:2] == ["how", "come"] and is_told else None


def _of_who(words: list[str], read: list[str]) -> str | None:
    is_past = len(read) > 2 and (
        read[1] in _PAST_FORMS or (read[1].endswith("ed") and not read[1].endswith("eed"))
    )
    return " ".join(("somebody", *words[1:])) if read[0] == "who" and is_past else None


def _of_size(words: list[str], read: list[str]) -> str | None:
    """'How much is the hard disk rebate?'."""
    is_size = read[0] == "how" and read[1:2] and read[1] in _SIZES and read[2:3] in (["is"], ["are"])
    if not is_size or not 4 < len(read) <= _LONGEST_PHRASE or read[3] not in {"the", "my", "our", "your"}:
        return None
    return (
        None
        if any(word in _PHRASE_ENDS - PREPOSITIONS - DETERMINERS for word in read[4:])
        else _there_is(words[4:])
    )


def _of_having(words: list[str]) -> str | None:
    """'Which parking spaces does the office have?'."""
    clause = clause_of(" ".join(words))
    if clause is None or len(clause.lead) < 2 or plain(clause.lead[0]) not in {"which", "what"}:
        return None
    is_had = plain(clause.aux) in {"do", "does"} and plain(clause.rest[0] if clause.rest else "") == "have"
    if not is_had or len(clause.rest) > 1 or plain(clause.subject[0]) in _UNRESOLVED:
        return None
    return " ".join((*clause.subject, _inflected("have", plain(clause.aux)), *clause.lead[1:]))


def _descriptions(words: list[str]) -> Iterator[str]:
    """'the 500 EUR bonus for referrals', 'my six-month probation period': what has a number and is said to exist."""
    read = [plain(word) for word in words]
    for at, word in enumerate(read):
        number = next((n for n in (at + 1, at + 2) if n < len(read) and _is_number(words[n])), 0)
        is_definite = word == "the" or word in POSSESSIVES
        if not is_definite or not number or read[at + 1] in _NO_DESCRIPTION:
            continue
        if number > at + 1 and read[at + 1] not in _ADJECTIVES and not read[at + 1].endswith(_ADJECTIVE_ENDS):
            continue
        phrase = _phrase_from(words, read, number)
        told = [plain(each) for each in phrase[1:] if plain(each) not in _UNITS]
        # "the 30 minutes" alone describes nothing, "the 25 days of leave" does.
        if told and (told[0] not in PREPOSITIONS or plain(phrase[1]) in _UNITS):
            yield _there_is([*words[at + 1 : number], *phrase])


def _is_number(word: str) -> bool:
    written = word.strip("\"'“”(")
    return bool(_NUMBER.fullmatch(written)) or written.casefold().partition("-")[0] in _NUMBER_WORDS


def _phrase_from(words: list[str], read: list[str], start: int) -> list[str]:
    """The noun phrase that begins with the number at `start`, with what it is ``for`` or ``of``."""
    end = start + 1
    while (
        end < len(words)
        and end - start < _LONGEST_PHRASE
        and not words[end - 1].endswith((",", ";", ":", ")"))
    ):
        goes_on = read[end] in {"for", "of", "per"} and read[min(end + 1, len(read) - 1)] not in _PHRASE_ENDS
        is_said_of_it = end > start + 1 and is_predicate(read[end])
        if is_said_of_it or (read[end] in _PHRASE_ENDS and not goes_on):
            break
        end += 1
    return words[start:end]


def _there_is(phrase: Sequence[str]) -> str:
    words = " ".join(phrase)
    if is_plural(head_of(phrase)):
        return f"there are {words}"
    first = phrase[0].lstrip("\"'“(€$£").casefold()
    is_vowel = first[:1] in set("aeiou") and not first.startswith(("uni", "use", "eu", "one"))
    return f"there is {'an' if is_vowel or _AN_BEFORE.match(first) else 'a'} {words}"
