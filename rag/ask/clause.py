"""An English question with an inverted verb, taken apart into what it asks, its auxiliary, subject and rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag.ask.words import (
    ADVERBS,
    AUXILIARIES,
    BE,
    DETERMINERS,
    HAVE,
    PREPOSITIONS,
    QUESTION_WORDS,
    SUBJECT_PRONOUNS,
    SURE_VERBS,
    VERBS,
    VERBS_OR_NOUNS,
    head_of,
    is_plural,
    is_predicate,
    open_words,
    opens_question,
    plain,
)

_MANY_OF_ONE = {"is": "are", "was": "were", "does": "do", "has": "have"}
_ONE_OF_MANY = {many: one for one, many in _MANY_OF_ONE.items()}
_INVERTING = {"how", "when", "where", "why"}
"""Question words that are never the subject: what follows the auxiliary is."""
_GOING_ON = {"being", "going", "getting"}
_LONGEST_PHRASE = 12
"""Words; a longer noun phrase or question phrase is not read."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A question taken apart; ``lead aux subject rest`` joined by blanks are its words."""

    lead: tuple[str, ...]
    aux: str
    subject: tuple[str, ...]
    rest: tuple[str, ...]


def clause_of(question: str) -> Clause | None:
    """`question` (one sentence) taken apart; None where it is no inverted English question or in doubt."""
    words = open_words(question)
    read = [plain(word) for word in words]
    aux_at = _aux_at(read)
    if aux_at is None:
        return None
    start = aux_at + 1
    if read[aux_at] in HAVE and read[0] == "who":  # who has what: nothing is inverted
        return None
    end = _predicate_at(read, start, read[:aux_at]) if read[aux_at] in BE | HAVE else _verb_at(read, start)
    if end is None or end <= start or end - start > _LONGEST_PHRASE:
        return None
    return Clause(tuple(words[:aux_at]), words[aux_at], tuple(words[start:end]), tuple(words[end:]))


def _aux_at(read: list[str]) -> int | None:
    if not opens_question(read):
        return None
    if read[0] in AUXILIARIES:
        return 0
    opener = 0 if read[0] in QUESTION_WORDS else 1
    for at in range(opener + 1, min(len(read), opener + _LONGEST_PHRASE)):
        if read[at] in AUXILIARIES:
            return at
        if read[at] in QUESTION_WORDS or read[at] in {
            "that",
            "if",
        }:  # the next auxiliary is a relative clause's
            return None
    return None


def _first_after_noun(read: list[str], start: int) -> int:
    """Where a predicate may begin at the earliest."""
    return start + (2 if start < len(read) and read[start] in DETERMINERS else 1)


def _is_pronoun(read: list[str], at: int) -> bool:
    """Not so for "that" in "that rule"."""
    if at >= len(read) or read[at] not in SUBJECT_PRONOUNS:
        return False
    if read[at] not in DETERMINERS or at + 1 == len(read):
        return True
    return read[at + 1] in VERBS | PREPOSITIONS | AUXILIARIES or is_predicate(read[at + 1])


def _verb_at(read: list[str], start: int) -> int | None:
    """Where the main verb after ``do`` or a modal stands: the subject ends there."""
    if _is_pronoun(read, start):
        return start + 1
    if start > 1 and start < len(read) and read[start] in SURE_VERBS:  # what could be, who can approve
        return None
    for at in range(_first_after_noun(read, start), min(len(read), start + _LONGEST_PHRASE)):
        if read[at] in ADVERBS:
            return at
        if read[at] in VERBS and read[at - 1] not in PREPOSITIONS | DETERMINERS:
            follows = read[at + 1] if at + 1 < len(read) else ""
            return at + 1 if read[at] in VERBS_OR_NOUNS and follows in SURE_VERBS else at
    return None


def _predicate_at(read: list[str], start: int, lead: list[str]) -> int | None:
    """Where what is said of the subject begins; after ``what is`` and its like the subject may be all there is."""
    if _is_pronoun(read, start):
        return start + 1
    if start >= len(read) or read[start] in PREPOSITIONS | _GOING_ON:
        return None
    # "Is smoking allowed?": behind the auxiliary itself "smoking" is the subject; not so in "who is smoking".
    is_inverted = not lead or (len(lead) == 1 and lead[0] in _INVERTING)
    if is_predicate(read[start]) and not (read[start].endswith("ing") and is_inverted):
        return None
    preposition: int | None = None
    for at in range(_first_after_noun(read, start), len(read)):
        if read[at - 1] in DETERMINERS | PREPOSITIONS:
            continue
        if is_predicate(read[at]) or (read[at] in DETERMINERS and preposition is None and not lead):
            return at
        if read[at] in PREPOSITIONS - {"of"} and preposition is None:
            preposition = at
    asks_what = bool(lead) and lead[0] in {"what", "where", "who", "how", "which"}
    return len(read) if asks_what else preposition


def means_event(read: Sequence[str], earlier: str) -> bool:
    """Whether "that" means what happens in the earlier question, no thing in it.

    "Is that taxed?" after "can I work from Spain?" asks about working, not about Spain.
    """
    clause = clause_of(earlier)
    is_event = clause is not None and not clause.lead and plain(clause.subject[0]) in SUBJECT_PRONOUNS
    return (is_event and not {"this", "that"}.isdisjoint(read)) or "do it" in " ".join(read)


def agreeing(aux: str, phrase: Sequence[str]) -> str:
    """The auxiliary in the number of the noun phrase: ``Is`` or ``Are``, ``doesn't`` or ``don't``."""
    is_negated = plain(aux).endswith("n't")
    head, negation = (aux[:-3], aux[-3:]) if is_negated else (aux, "")
    if [plain(word) for word in phrase] == ["i"]:
        return aux
    one = _ONE_OF_MANY.get(head.casefold(), head.casefold())
    if one not in _MANY_OF_ONE:
        return aux
    said = _MANY_OF_ONE[one] if is_plural(head_of(phrase)) else one
    return (said.capitalize() if aux[:1].isupper() else said) + negation
