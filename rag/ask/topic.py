"""What a question is about: the noun phrases that a later "it" or "them" may mean."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.ask.clause import clause_of
from rag.ask.words import (
    ADVERBS,
    AUXILIARIES,
    BE,
    CONJUNCTIONS,
    DETERMINERS,
    FUNCTION_WORDS,
    MARKS,
    PREPOSITIONS,
    QUESTION_WORDS,
    SUBJECT_PRONOUNS,
    VERBS,
    is_finite,
    is_predicate,
    open_words,
    plain,
    sentences_of,
    word_set,
)

_UNASKED = word_set(
    "time date day year month kind sort type colour color share amount number percentage extent"
)
"""What a question asks for that no later "it" means: "it" after "what time does the gym open" is the gym."""
_BEFORE_OBJECT = word_set("me us to out off back get be more")
_REQUESTS = word_set("name list explain describe summarise summarize tell show give")
_OBJECT_ENDS = CONJUNCTIONS | ADVERBS | (PREPOSITIONS - {"of"}) | QUESTION_WORDS | AUXILIARIES
_A_OR_ANY = re.compile(r"^(?:an?|any|some|no) ", re.IGNORECASE)


def asked_about(question: str) -> tuple[str, ...]:
    """The noun phrases that a later "it" or "them" may mean, the likeliest first; of the last sentence with any."""
    for sentence in reversed(sentences_of(question)):
        phrases = [phrase for phrase in _phrases_of(sentence) if phrase]
        if phrases:
            found = (" ".join(phrase).strip(MARKS + " ") for phrase in phrases)
            return tuple(dict.fromkeys(_A_OR_ANY.sub("the ", phrase) for phrase in found))
    return ()


def _phrases_of(sentence: str) -> list[list[str]]:
    words = open_words(sentence)
    read = [plain(word) for word in words]
    clause = clause_of(sentence)
    if clause is not None:
        subject = [] if plain(clause.subject[0]) in SUBJECT_PRONOUNS else list(clause.subject)
        said = [object_of(clause.rest), subject]
        return [*_of_lead(clause.lead), *(reversed(said) if plain(clause.aux) in BE else said)]
    if read[:1] in (["who"], ["whose"]):
        return [object_of(words[1:]), ["the", "person", "who", *words[1:]]]
    if read[:1] in (["what"], ["which"]):
        verb_at = next((at for at in range(1, len(read)) if is_finite(read, at)), 1)
        return [*(_of_lead(tuple(words[:verb_at])) if verb_at > 1 else []), object_of(words[verb_at:])]
    if read and (read[0] in SUBJECT_PRONOUNS or read[0] in VERBS | _REQUESTS):
        return [object_of(words[1:] if read[0] in SUBJECT_PRONOUNS else words)]
    is_name = len(words) < 6 and FUNCTION_WORDS.isdisjoint(read)  # a search in key words
    return [words] if is_name else []


def _of_lead(lead: tuple[str, ...]) -> list[list[str]]:
    """What "how many days of leave" and "in which office" ask for; then what it is "of"."""
    read = [plain(word) for word in lead]
    start = 1 if read[:1] and read[0] in PREPOSITIONS else 0
    start += 2 if read[start : start + 2] in (["how", "many"], ["how", "much"]) else 1
    noun = list(lead[start:]) if read[start - 1 : start] != ["how"] else []
    if noun and plain(noun[0]) == "of":
        noun = noun[1:]
    of_at = next((at for at, word in enumerate(noun) if plain(word) == "of"), len(noun))
    if not noun or plain(noun[of_at - 1]) in _UNASKED:
        return [noun[of_at + 1 :]]
    return [noun if plain(noun[0]) in DETERMINERS else ["the", *noun], noun[of_at + 1 :]]


def object_of(words: Sequence[str]) -> list[str]:
    """The first noun phrase after the verb that `words` begin with, up to a preposition other than "of"."""
    read = [plain(word) for word in words]
    at = next((n for n, word in enumerate(read) if word not in ADVERBS), len(read)) + 1
    if at > len(read) or read[at - 1] in QUESTION_WORDS | {"be"}:
        return []
    while at < len(read) and (read[at] in _BEFORE_OBJECT or read[at] in PREPOSITIONS | ADVERBS):
        at += 2 if read[at] == "to" and read[min(at + 1, len(read) - 1)] in VERBS else 1
    if at + 1 < len(read) and is_predicate(read[at]) and read[at + 1] in PREPOSITIONS:  # responsible for …
        at += 2
    end = at
    while end < len(read) and read[end] not in _OBJECT_ENDS and not (end > at and read[end] == "that"):
        end += 1
        if words[end - 1].endswith((",", ";", ":")):
            break
    phrase = list(words[at:end])
    return [] if not phrase or all(plain(word) in FUNCTION_WORDS for word in phrase) else phrase
