"""Numbers, times, units and dates of a claim that the cited text has not, or has with another unit."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from rag.generate.specifics import speaks_of, specifics
from rag.lexical import stems
from rag.verify.protocol import MechanicalFault, Quantity, dates, months, quantities, weekdays
from rag.verify.stated import Read, Said, listed, missing

_SMALL = r"two|three|four|five|six|seven|eight|nine|ten"
_COUNT = re.compile(rf"\b(?:{_SMALL}) (?=(\w+)(?: (\w+))?)", re.IGNORECASE)
_NUMBERED = re.compile(r"\d[ -](?:(\w+)[ -])?(\w+)")
_MEASURES = frozenset(
    {"day", "week", "month", "year", "hour", "minut", "percent", "per", "euro", "pound", "dollar", "night"}
)

_CLOCK = re.compile(r"(?<![\d:.])(\d{1,2})[:.](\d\d)(?![\d:.]*\d)")


def without_counts(claim: str, evidence: Read) -> str:
    """`claim` without "three" in "three sizes", unless the cited text has a number of sizes itself.

    It may be the count of those that are listed.
    """
    numbered = {stem for words in _NUMBERED.findall(evidence.text) for stem in stems(" ".join(words))}

    def kept(match: re.Match[str]) -> str:
        nouns = set(stems(" ".join(filter(None, match.groups()))))
        return match.group() if nouns & (numbered | _MEASURES) else ""

    return _COUNT.sub(kept, claim)


def numbers(claim: Said, evidence: Read) -> Iterator[MechanicalFault]:
    """Abstains on 0 and 1 ("no", "a day"), on counts ("two offices") and on the same time in another unit."""
    asked = {token: forms for token, forms in specifics(claim.text).items() if not forms <= {"0", "1"}}
    if speaks_of(asked, evidence.text):
        return
    amounts = {each.amount for each in quantities(evidence.text)} - {None}
    same = {each.number for each in quantities(claim.text) if each.amount in amounts}
    for token, forms in asked.items():
        if forms.isdisjoint(same) and not speaks_of({token: forms}, evidence.text):
            yield missing("number", token)


def times(claim: Said, evidence: Read) -> Iterator[MechanicalFault]:
    """Abstains on a full hour that is a plain number there ("9 to 17:00") and on which half of the day is meant."""
    held = {(int(hour) % 12, minutes) for hour, minutes in _CLOCK.findall(evidence.text)}
    held |= {(int(each.number) % 12, "00") for each in quantities(evidence.text) if each.number.isdigit()}
    for hour, minutes in _CLOCK.findall(claim.text):
        if (int(hour) % 12, minutes) not in held:
            yield missing("number", f"{hour}:{minutes}")


def units(claim: Said, evidence: Read) -> Iterator[MechanicalFault]:
    """Abstains where the number stands without a unit too, as in a table; a day may be a working or a calendar day."""
    held: dict[str, set[str]] = {}
    for each in quantities(evidence.text):
        held.setdefault(each.number, set()).add(each.unit)
    for each in quantities(claim.text):
        units = held.get(each.number, set())
        if not each.unit or each.number == "1" or not units or "" in units:
            continue
        if not any(each.unit == unit or {each.unit, unit} in _DAYS for unit in units):
            words = f"{each.number} {each.unit}"
            yield MechanicalFault(
                "unit", words, f"The claim says “{words}”; the cited text has {listed(units)}."
            )


_CLAUSES = re.compile(r"[,;:()]|\b(?:and|but|while|whereas)\b", re.IGNORECASE)


def of_another_sentence(claim: Said, evidence: Read) -> Iterator[MechanicalFault]:
    """Finds the hotels' 120 euros said of meals: the sentence that the clause is about has another amount of its kind.

    Abstains where a clause with a figure says nothing else ("28 and 30 days"), and where a sentence with the figure
    shares as many words with the clause.
    """
    clauses = [(clause, quantities(clause)) for clause in _CLAUSES.split(claim.text)]
    told = [(_about(clause) & claim.content, found) for clause, found in clauses if found]
    if not all(about for about, _ in told):
        return
    held = [
        (_about(each.text), {(one.number, one.amount, _kind(one)) for one in quantities(each.text)})
        for each in evidence.sentences
    ]
    for about, found in told:
        for one in found:
            if not _kind(one):
                continue
            with_it = [len(about & words) for words, amounts in held if _has(one, amounts)]
            others = [
                len(about & words)
                for words, amounts in held
                if not _has(one, amounts) and any(kind == _kind(one) for *_, kind in amounts)
            ]
            if with_it and max(others, default=0) > max(with_it):
                words = f"{one.number} {one.unit}"
                reason = f"The claim says “{words}” of what the cited text says otherwise of."
                yield MechanicalFault("number", words, reason)


def of_another_thing(claim: Said, evidence: Read) -> Iterator[MechanicalFault]:
    """Finds parental leave's 14 weeks said of annual leave, which the cited text knows from another sentence."""
    paired = {pair: _pairs(pair.stems, pair.content) for pair in evidence.sentences}
    for clause in _CLAUSES.split(claim.text):
        named = _pairs(tuple(stems(clause)), claim.content)
        yield from _of_another(clause, named, paired)


def _of_another(
    clause: str, named: set[tuple[str, str]], paired: dict[Said, set[tuple[str, str]]]
) -> Iterator[MechanicalFault]:
    for one in quantities(clause):
        with_it = [
            each
            for each in paired
            if _has(one, {(its.number, its.amount, its.unit) for its in quantities(each.text)})
        ]
        for what, noun in sorted(named):
            known = any((what, noun) in pairs for pairs in paired.values())
            others = [
                what not in each.stems and any(its == noun for _, its in paired[each]) for each in with_it
            ]
            if known and others and all(others):
                words = f"{one.number} {one.unit}".strip()
                yield MechanicalFault("number", words, f"The cited text says “{words}” of something else.")


def _pairs(words: tuple[str, ...], content: frozenset[str]) -> set[tuple[str, str]]:
    """Words that stand side by side and both say something: ``annual leave``."""
    said = {word for word in content if not any(map(str.isdigit, word))} - _MEASURES
    return {(one, other) for one, other in itertools.pairwise(words) if one in said and other in said}


def _about(clause: str) -> frozenset[str]:
    """The words of a clause without its figures and units."""
    return frozenset(
        stem for stem in stems(clause) if not any(map(str.isdigit, stem)) and stem not in _MEASURES
    )


def _kind(one: Quantity) -> str:
    return one.amount[0] if one.amount else one.unit


def _has(one: Quantity, amounts: set[tuple[str, tuple[str, float] | None, str]]) -> bool:
    return any(
        one.number == number or (one.amount is not None and one.amount == amount)
        for number, amount, _ in amounts
    )


_DAYS = ({"day", "working day"}, {"day", "calendar day"})


def dates_differ(claim: Said, evidence: Read) -> Iterator[MechanicalFault]:
    """Abstains on years, which are numbers, and on months and weekdays where the cited text has a range of them."""
    held = frozenset().union(*dates(evidence.text, with_lists=True).values())
    wrong = [words for words, days in dates(claim.text).items() if days.isdisjoint(held)]
    wrong = wrong or sorted(months(claim.text) - months(evidence.text, is_evidence=True))
    for words in wrong or sorted(weekdays(claim.text) - weekdays(evidence.text, is_evidence=True)):
        yield missing("date", words)
