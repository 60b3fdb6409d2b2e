"""Claims that say the opposite in another word: "allowed" for "prohibited", "covers" for "does not cover"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rag.lexical import stems
from rag.verify.protocol import MechanicalFault
from rag.verify.stated import HEDGES, Read, Said

_AXES = {
    "allowed": (
        r"allow(?:s|ed)?|permitted|permissible|may|can|authori[sz]ed|entitled|eligible|welcome",
        r"prohibit(?:s|ed|ion)?|forbid(?:s|den)?|bann?(?:s|ed)?|disallow(?:s|ed)?|barred|ineligible",
    ),
    "covered": (r"cover(?:s|ed)?|includ(?:es?|ed)", r"exclud(?:es?|ed)|excluding|exclusions?"),
    "paid": (
        r"pays?|paid|payable|reimburs(?:es?|ed|able)|refund(?:s|ed|able)?|compensated?",
        r"unpaid|non-?(?:refundable|reimbursable)",
    ),
    "charged": (
        # "Lunch is paid by the company" is free for who eats it.
        r"(?:is|are|be)\s(?:always\s)?paid(?=\W*\Z|\s(?:and|all|every|on|at|only)\b)|chargeable|charged",
        r"free of charge|for free|free(?=\W*\Z)|(?<=is )free(?! (?:to|from|of)\b)|(?<=are )free(?! (?:to|from|of)\b)",
    ),
    "possible": (r"possible", r"impossible"),
    "open": (
        r"(?:is|are|be|stays?|remains?)\s(?:always\s)?open",
        r"(?:is|are|be|stays?|remains?)\s(?:always\s)?closed",
    ),
    "required": (
        r"required|mandatory|compulsory|obligatory|necessary|needed",
        r"optional|voluntary|unnecessary",
    ),
}
_PATTERNS = {
    axis: tuple(re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for words in signs)
    for axis, signs in _AXES.items()
}
"""What can be said of a thing, each with the words for yes and those for no."""

_NEGATOR = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|neither|nor|cannot|without|no longer)\b|n't\b", re.IGNORECASE
)
_HARMLESS = re.compile(
    r"\bnot (?:all|always|each|even|every|just|only|necessarily|(?:fewer|less|more|later|earlier) than)\b"
    r"|\bnot(?= (?:\w+ ){0,3}(?:fewer|less|more|later|earlier|longer) than\b)|\bwhether or not\b"
    r"|\bno (?:doubt|earlier|fewer|later|less|matter|more)\b|\bnos?\.(?= ?\d)",
    re.IGNORECASE,
)
# "is not normally allowed", "no dogs are allowed", "never paid out"
_DENIED_BEFORE = re.compile(
    r"(?:\b(?:not|never|no longer)|n't)\s(?:(?:be|been|being|yet|normally|generally|usually|ever|currently|at all|to be"
    r"|have|get|themselves|automatically|\w+ly)\s){0,3}\Z"
    r"|\b(?:no|none|neither|nobody|nothing)\b(?:\s(?!(?:who|that|which)\b)[\w'-]+){0,5}\s\Z",
    re.IGNORECASE,
)
_DENIED_AFTER = re.compile(r"(?:not\b|n't\b|\s(?:not|never|no|nothing|none|neither)\b)", re.IGNORECASE)
_CLAUSE_ENDS = re.compile(r"[,;()]|\b(?:and|but|or|while|whereas)\b", re.IGNORECASE)
_EXCEPTIONS = re.compile(
    r"\b(?:unless|except(?:ing|ions?)?|until|till|before|if|only|when(?:ever)?|without|apart from|other than|outside"
    r"|once|as long as|provided)\b",
    re.IGNORECASE,
)
_NOT_BUT = re.compile(r"\bbut\s(?!(?:is|are|may|can|must|will|they|it|you|we|not)\b)", re.IGNORECASE)
# "… not allowed here, use the guest Wi-Fi": what follows is another sentence unless it goes on listing.
_GOES_ON = re.compile(
    r"\s*(?:(?:and|or)\s+)?(?:the|an?|in|on|at|for|by|to|of|from|during|including|such as|even|like|nor)\b"
    r"(?!.*\b(?:is|are|may|can|must|will|use)\b)",
    re.IGNORECASE,
)
_COMMA = re.compile(r"[,;]")
# "You may bring dogs" and "dogs are not allowed", but not "you are not allowed to fly".
_DONE = re.compile(r"\b(?:may|can)(?:not|\snot|'t)?\s(?:also\s)?(\w+)", re.IGNORECASE)
_OF_A_THING = re.compile(
    r"\b(?:allowed|permitted|welcome|prohibited|forbidden|banned|barred)\b(?! to\b)", re.IGNORECASE
)
_WEIGHED_HERE = "ban befor exclud forbidden free if onli option prohibit unless unpaid until"
_OTHER_HEDGES = HEDGES - frozenset(_WEIGHED_HERE.split())


@dataclass(frozen=True, slots=True)
class _Statement:
    """Yes or no on an axis, None where both or where it is not clear what is denied; and the words for it."""

    is_yes: bool | None
    words: str


def opposed(claim: Said, evidence: Read) -> Iterator[MechanicalFault]:
    """Finds “allowed” where each sentence with the claim's other words says “prohibited” or “not allowed”.

    What a sentence says is read up to its first exception ("unless", "only"). Abstains on a claim with one, where a
    sentence says both, where it is not clear what its "not" is about, and where a word of the claim stands elsewhere:
    only what one may do with a thing ("bring" dogs) may be left out, as in "dogs are prohibited".
    """
    if _OTHER_HEDGES.intersection(claim.stems) or _EXCEPTIONS.search(claim.text):
        return
    for axis, stated in _statements(claim.text).items():
        if stated.is_yes is None:
            continue
        held = [
            found
            for each in evidence.sentences
            if not _OTHER_HEDGES.intersection(each.stems)
            and (found := _about_the_same(claim, axis, _EXCEPTIONS.split(each.text, maxsplit=1)[0]))
        ]
        if held and all(each.is_yes is not None and each.is_yes != stated.is_yes for each in held):
            reason = f"The claim says “{stated.words}”; of the same the cited text says “{held[0].words}”."
            yield MechanicalFault("negation", stated.words, reason)
            return


def _about_the_same(claim: Said, axis: str, sentence: str) -> _Statement | None:
    """What `sentence` says on the axis, where it has all other words of the claim."""
    stated = _statements(sentence).get(axis)
    if stated is None:
        return None
    about = claim.content - _axis_stems(claim.text)
    sentence = _up_to_its_end(sentence, axis)
    done = _DONE.search(claim.text)
    if done and _OF_A_THING.search(sentence):
        about = about - frozenset(stems(done[1])) if len(about) > 2 else about
    return stated if about <= frozenset(stems(sentence)) else None


def _up_to_its_end(sentence: str, axis: str) -> str:
    """The sentence up to the comma behind its last word on the axis, unless it goes on listing there."""
    end = max((match.end() for pattern in _PATTERNS[axis] for match in pattern.finditer(sentence)), default=0)
    for comma in _COMMA.finditer(sentence, end):
        if not _GOES_ON.match(sentence, comma.end()):
            return sentence[: comma.start()]
    return sentence


def _axis_stems(text: str) -> frozenset[str]:
    words = (
        match.group() for signs in _PATTERNS.values() for pattern in signs for match in pattern.finditer(text)
    )
    return frozenset(stem for word in words for stem in stems(word))


def _statements(text: str) -> dict[str, _Statement]:
    """What `text` says on each axis."""
    text = _HARMLESS.sub(lambda match: " " * len(match.group()), text)
    is_unclear = bool(_NEGATOR.search(text) and _NOT_BUT.search(text))
    found: dict[str, _Statement] = {}
    for clause in _CLAUSE_ENDS.split(text):
        stated = [
            (axis, _statement(clause, match, is_yes=is_yes))
            for axis, patterns in _PATTERNS.items()
            for is_yes, pattern in zip((True, False), patterns, strict=True)
            for match in pattern.finditer(clause)
        ]
        is_unclear |= not stated and bool(_NEGATOR.search(clause))
        for axis, each in stated:
            found[axis] = (
                each if found.get(axis, each).is_yes == each.is_yes else _Statement(None, each.words)
            )
    return {axis: _Statement(None, each.words) if is_unclear else each for axis, each in found.items()}


def _statement(clause: str, match: re.Match[str], *, is_yes: bool) -> _Statement:
    before = _DENIED_BEFORE.search(clause[: match.start()])
    after = _DENIED_AFTER.match(clause, match.end())
    n_denied = bool(before) + bool(after)
    start = before.start() if before else match.start()
    words = clause[start : after.end() if after else match.end()].strip()
    if n_denied > 1 or len(_NEGATOR.findall(clause)) > n_denied:
        return _Statement(None, words)
    return _Statement(is_yes != bool(n_denied), words)
