"""Denial, duty, bounds, "all" and conditions of a claim against the sentences that carry it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.lexical import stems
from rag.verify.claims import bounds, modals
from rag.verify.orders import is_order, told_to_say
from rag.verify.protocol import MechanicalFault
from rag.verify.stated import CARRIES, HEDGES, NEGATORS, Read, Said, carriers_of, listed

_SAYS_TOO = 0.7
"""Share of a denied clause that makes the other side say the same; what it leaves out may be why it denies nothing."""

_NOT_DENYING = re.compile(
    r"\b(?:not (?:all|always|each|even|every|just|only)|not(?= (?:\w+ ){0,3}(?:fewer|less|more) than)|whether or not"
    r"|no (?:doubt|earlier|fewer|later|less|matter|more))\b|\bnos?\.(?= ?\d)",
    re.IGNORECASE,
)
_CLAUSE_ENDS = re.compile(r"[,;:()]|\b(?:and|but)\b", re.IGNORECASE)

_COMPARED_MODALITIES = (
    frozenset({"must", "should", "may"}),
    frozenset({"must not", "should not", "need not"}),
)

_QUANTIFIED = re.compile(
    r"\b(all|every|each|some|several|many|most|few|certain)(?: of)?(?: the)? (\w+)", re.IGNORECASE
)
_EVERY = frozenset({"all", "every", "each"})
_TRAILING = frozenset({"except", "if", "onli", "provid", "unless", "until", "when"})
_LEADING = frozenset({"except", "onli", "unless"})


def negation(claim: Said, evidence: Read) -> Iterator[MechanicalFault]:
    """Abstains where both sides deny something, and where one has a `HEDGES` word that the other has not."""
    found = [
        denied_on_one_side(claim, sentence) or _denied_as_a_whole(claim, sentence)
        for sentence in carriers_of(claim, evidence)
    ]
    if found and all(found):
        side = "claim" if _denials(claim) else "cited text"
        yield MechanicalFault("negation", found[0], f"Only the {side} says “{found[0]}”.")


def denied_on_one_side(claim: Said, sentence: Said) -> str:
    """The negator of a clause that the other side says too, without any negator."""
    denied, denied_there = _denials(claim), _denials(sentence)
    if not same_hedges(claim, sentence) or (denied and denied_there):
        return ""
    for (negator, stem), clause in (denied or denied_there).items():
        said = clause & (sentence if denied else claim).content
        if stem in said and len(said) >= _SAYS_TOO * len(clause):
            return negator
    return ""


def _denied_as_a_whole(claim: Said, sentence: Said) -> str:
    """The negator of a clause with all that the claim says, and more: "never collected up front"."""
    if _denials(claim) or not same_hedges(claim, sentence):
        return ""
    for (negator, stem), clause in _denials(sentence).items():
        if stem in claim.content and claim.content <= clause:
            return negator
    return ""


def same_hedges(claim: Said, sentence: Said) -> bool:
    """Whether both have the same words that turn or narrow what is said: "only", "unless", "free"."""
    return HEDGES.intersection(claim.stems) == HEDGES.intersection(sentence.stems)


def _denials(said: Said) -> dict[tuple[str, str], frozenset[str]]:
    """The content of each clause with a negator, by negator and the next word that says something, "" for none."""
    denials = {}
    for clause in _CLAUSE_ENDS.split(_NOT_DENYING.sub(" ", said.text)):
        words = stems(clause)
        content = said.content.intersection(words)
        for at, stem in enumerate(words):
            if stem in NEGATORS or stem.endswith("n't"):
                denials[stem, next((word for word in words[at:] if word in content), "")] = content
    return denials


def modality(claim: Said, evidence: Read) -> Iterator[MechanicalFault]:
    """Abstains unless both have a modal, before words that both have, and on "only": "may only" is nearly "must"."""
    governed = _governed(claim)
    if len(governed) != 1:
        return
    ((kind, stem),) = governed.items()
    compared = next((group for group in _COMPARED_MODALITIES if kind in group), frozenset())
    held = [
        {other for other, its in _governed(each).items() if its in claim.content and other in compared}
        if stem in each.content and same_hedges(claim, each)
        else set()
        for each in carriers_of(claim, evidence)
    ]
    if held and all(others and kind not in others for others in held):
        reason = f"The claim says “{kind}”; the cited text says {listed(held[0])}."
        yield MechanicalFault("modality", kind, reason)


def _governed(said: Said) -> dict[str, str]:
    """Each kind of modal by the first word behind it that says something."""
    return {
        kind: next((stem for stem in stems(following) if stem in said.content), "")
        for kind, following in modals(said.text)
    }


def bounds_differ(claim: Said, evidence: Read) -> Iterator[MechanicalFault]:
    """Abstains where the number also stands without a bound, and between "more than" and "at least".

    "Up to 5 is free" and "more than 5 is not" may be the same: the two sides of a limit are a fault only in a carrier.
    """
    held: dict[str, list[tuple[str, Said]]] = {}
    for sentence in evidence.sentences:
        for number, bound in bounds(sentence.text):
            held.setdefault(number, []).append((bound, sentence))
    for number, bound in bounds(claim.text):
        found = held.get(number, [])
        if bound and found and all(_disagree(bound, other, claim, sentence) for other, sentence in found):
            others = " and ".join(sorted({f"{other} {number}" for other, _ in found}))
            reason = f"The claim says {bound} {number}; the cited text says {others}."
            yield MechanicalFault("bound", f"{bound} {number}", reason)


_OPPOSITE = ({"≥", "≤"}, {">", "<"})
_TWO_SIDES = ({"≥", "<"}, {">", "≤"}, {"before", "after"}, {"≤", "after"})


def _disagree(bound: str, other: str, claim: Said, sentence: Said) -> bool:
    if {bound, other} in _OPPOSITE:
        return True
    is_carrier = len(claim.content & sentence.content) >= CARRIES * len(claim.content)
    # "Before" and "until" are the bounds themselves here.
    hedges = HEDGES.intersection({*claim.stems} ^ {*sentence.stems}) - {"befor", "until"}
    is_plain = not hedges and not _denials(claim) and not _denials(sentence)
    return {bound, other} in _TWO_SIDES and is_carrier and is_plain


def quantifiers(claim: Said, evidence: Read) -> Iterator[MechanicalFault]:
    """Finds “all” where the carriers have “some”; the other way round says no more than they do, so it abstains."""
    for quantifier, noun in _QUANTIFIED.findall(claim.text):
        if quantifier.lower() not in _EVERY:
            continue
        held = [
            {other.lower() for other, its in _QUANTIFIED.findall(each.text) if stems(its) == stems(noun)}
            for each in carriers_of(claim, evidence)
        ]
        if held and all(others and others.isdisjoint(_EVERY) for others in held):
            words = f"{quantifier} {noun}"
            yield MechanicalFault(
                "quantifier", words, f"The claim says “{words}”; the cited text says {listed(held[0])}."
            )


def conditions(claim: Said, evidence: Read) -> Iterator[MechanicalFault]:
    """A carrier cut off at its "unless", "if" or "until"; abstains at a leading "if", which the question may have said.

    A sentence in other words that has lost its condition is left to the model.
    """
    held = [_cut_off(claim.stems, each.stems) for each in carriers_of(claim, evidence)]
    if held and all(held):
        yield MechanicalFault("condition", held[0], f"The cited text says this only with “{held[0]}”.")


def _cut_off(claim: tuple[str, ...], sentence: tuple[str, ...]) -> str:
    """The condition that `sentence` has before or behind the words of `claim`."""
    n = len(claim)
    if len(sentence) <= n:
        return ""
    if sentence[:n] == claim and (
        sentence[n] in _TRAILING or (sentence[n] == "without" and NEGATORS.intersection(claim))
    ):
        return sentence[n]
    return sentence[0] if sentence[-n:] == claim and sentence[0] in _LEADING else ""


def orders(claim: Said, evidence: Read) -> Iterator[MechanicalFault]:
    """Finds an order to a language model, and words that stand only where the cited text orders to say them."""
    if is_order(claim.written):
        yield MechanicalFault("order", claim.written, "The sentence gives orders to a language model.")
        return
    carriers = carriers_of(claim, evidence)
    if carriers and all(_only_told_to_say(claim, sentence) for sentence in carriers):
        yield MechanicalFault("order", claim.written, "The cited text only orders somebody to say so.")


def _only_told_to_say(claim: Said, sentence: Said) -> bool:
    """Whether what both say stands between the quotation marks of an order to say it."""
    told = claim.content.intersection(stems(told_to_say(sentence.written)))
    return bool(told) and told == claim.content & sentence.content
