"""What a claim adds to the sentence that it repeats, or puts in its subject's place; and claims that say nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.lexical import stems
from rag.verify.protocol import MechanicalFault
from rag.verify.stated import Read, Said, missing, normal

_LEAST_KEPT = 3
"""Words that a claim must have from the sentence it repeats; of fewer nobody knows that it does."""
_MOST_LEFT_OUT = 1 / 3
"""Share of that sentence's words that the claim may lack; where it lacks more, it is in other words."""
_KNOWN_BY = 5
"""Letters: "Belgian" is known from "Belgium"."""

_ADDS = re.compile(
    r"\b(?:and|or|of|for|from|in|at|on|by|with|including|plus)\s+|(?<=\w)-(?=\w)", re.IGNORECASE
)
_IDIOMS = """
addit advanc also back case charg each exampl general he her him his it kind look low order other own part place
previous she short sort such term their them thing total type use wear whatev whichev
"""
_ADD_NOTHING = frozenset(_IDIOMS.split())
"""Of "in total", "of its own", "in charge of", "with their dogs"."""
_VERB = re.compile(
    r"\b(?:is|are|was|were|has|have|had|must|may|can|cannot|could|shall|should|will|would|do|does|need|needs|costs?"
    r"|gets?|receives?|begins?|starts?|ends?|opens?|closes?|lasts?|takes?|wears?|pays?)\b",
    re.IGNORECASE,
)
_PERSONS = "man men woman women boy girl guy ladi male femal child children kid"
_SYNONYMS = tuple(
    frozenset(words.split())
    for words in (
        "employe staff worker colleagu person peopl personnel teammat member team you we he she they everyon everybodi",
        "compani firm organis organiz employ group",
        "fee charg cost price rate amount limit sum budget maximum allow",
        "leav holiday vacat absenc",
        "laptop notebook comput pc devic machin",
        "phone mobil smartphon telephon cellphon handset",
        "cab taxi car vehicl automobil",
        "trip travel journey",
        "bill invoic",
        "salari wage pay remuner",
        "rule polici guidelin regul guid document handbook page",
        "mail email messag",
        "meet call session",
        "offic build site hous premis",
        "car-park garag park",
        "manag supervisor boss lead leader",
        "custom client",
        "guest visitor",
        "meal food lunch",
        "form templat",
        "ticket request case",
    )
)
"""Names of one thing, by stem; a sentence about one of them may be told of another."""
_ANYBODY = frozenset(_PERSONS.split())
_NAMES_OF_PEOPLE = _SYNONYMS[0] | _SYNONYMS[1] | _ANYBODY


def says_nothing(claim: Said, evidence: Read) -> Iterator[MechanicalFault]:
    """Finds “Yes.” and “They are.”, which a model weighs as it likes; abstains on what stands there."""
    if not claim.content and normal(claim.written) not in evidence.stretches:
        reason = "The sentence says nothing by itself that could be held against the cited text."
        yield MechanicalFault("substance", claim.written, reason)


def added(claim: Said, evidence: Read) -> Iterator[MechanicalFault]:
    """Finds “and flight” in a sentence of the cited text that has nothing of flights, nor has the rest of the text.

    Abstains where the claim is in other words, where only people are added ("of employees"), and on what neither
    "and", "or" nor a preposition adds.
    """
    for sentence in evidence.sentences:
        others, kept = claim.content - sentence.content, claim.content & sentence.content
        new = others - _NAMES_OF_PEOPLE - _ADD_NOTHING
        n_left_out = len(sentence.content - claim.content)
        if not new or len(kept) < _LEAST_KEPT or n_left_out > _MOST_LEFT_OUT * len(sentence.content):
            continue
        if not any(_is_known(word, evidence) for word in new) and others <= _led_in(claim, others):
            yield missing("name", _written(claim, others))
            return


def _led_in(claim: Said, new: frozenset[str]) -> set[str]:
    """The new words that "and" or a preposition leads in, up to the next word that is not new."""
    found: set[str] = set()
    for match in _ADDS.finditer(claim.text):
        for stem in stems(claim.text[match.end() :]):
            if stem in new:
                found.add(stem)
            elif stem in claim.content:
                break
    return found


def other_subject(claim: Said, evidence: Read) -> Iterator[MechanicalFault]:
    """Finds cats in what the cited text says of dogs alone.

    Abstains unless the subjects are one word each, the rest of the claim stands in the sentence, and neither the
    claim's subject nor another name of it stands anywhere in the cited text.
    """
    subject = _subject(claim)
    rest = claim.content - subject
    if (
        subject & _NAMES_OF_PEOPLE
        or len(subject) != 1
        or len(rest) < 2
        or any(_is_known(word, evidence) for word in subject)
    ):
        return
    said = [_subject(each) for each in evidence.sentences if rest <= each.content]
    if said and all(len(its) == 1 and not _are_one_thing(its | subject) for its in said):
        yield missing("name", _written(claim, subject))


def _subject(said: Said) -> frozenset[str]:
    """What stands before the first verb; nothing where no verb is seen."""
    verb = _VERB.search(said.text)
    return said.content.intersection(stems(said.text[: verb.start()])) if verb else frozenset()


def _written(claim: Said, words: frozenset[str]) -> str:
    """The words as the claim has them."""
    return " ".join(word for word in re.findall(r"[\w'-]+", claim.text) if words.intersection(stems(word)))


def _are_one_thing(subjects: frozenset[str]) -> bool:
    return any(subjects <= names for names in _SYNONYMS)


def _is_known(stem: str, evidence: Read) -> bool:
    if any(map(str.isdigit, stem)) or stem in evidence.words:
        return True
    return len(stem) >= _KNOWN_BY and any(word.startswith(stem[:_KNOWN_BY]) for word in evidence.words)
