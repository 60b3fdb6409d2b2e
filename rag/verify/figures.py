"""Numbers, times, units and dates of a claim that the cited text has not, or has with another unit."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.generate.specifics import speaks_of, specifics
from rag.lexical import stems
from rag.verify.protocol import MechanicalFault, dates, months, quantities, weekdays
from rag.verify.stated import Read, Said, listed, missing

_SMALL = r"two|three|four|five|six|seven|eight|nine|ten"
_COUNT = re.compile(rf"\b(?:{_SMALL}) (?=(\w+)(?: (\w+))?)", re.IGNORECASE)
_NUMBERED = re.compile(r"\d[ -](?:(\w+)[ -])?(\w+)")
_MEASURES = frozenset(
    {"day", "week", "month", "year", "hour", "minut", "percent", "per", "euro", "pound", "dollar"}
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


_DAYS = ({"day", "working day"}, {"day", "calendar day"})


def dates_differ(claim: Said, evidence: Read) -> Iterator[MechanicalFault]:
    """Abstains on years, which are numbers, and on months and weekdays where the cited text has a range of them."""
    held = frozenset().union(*dates(evidence.text, with_lists=True).values())
    wrong = [words for words, days in dates(claim.text).items() if days.isdisjoint(held)]
    wrong = wrong or sorted(months(claim.text) - months(evidence.text, is_evidence=True))
    for words in wrong or sorted(weekdays(claim.text) - weekdays(evidence.text, is_evidence=True)):
        yield missing("date", words)
