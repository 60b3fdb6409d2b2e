"""What a claim is held against, who weighs it, and what was found.

Below the types: numbers, units and dates in one writing, without which claim and evidence cannot be compared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from rag.extract.canonical import visible_text
from rag.numerals import MONTHS, ONES, SCALES, TENS, VALUES, WEEKDAYS, with_plain_digits

FaultKind = Literal[
    "number",
    "date",
    "unit",
    "name",
    "negation",
    "modality",
    "bound",
    "quantifier",
    "condition",
    "substance",
    "order",
]
Method = Literal["verbatim", "mechanical", "model", "unchecked"]
"""How a claim's support was found: it stands there; it contradicts; a model weighed it; nobody could."""


class SupportModel(Protocol):
    """Weighs claims against evidence."""

    @property
    def name(self) -> str:
        """Recorded with each answer that it weighed."""
        ...

    def support(self, pairs: Sequence[tuple[str, str]], *, deadline: float | None = None) -> list[float]:
        """Probability in [0, 1] for each (claim, evidence) that the evidence says all of the claim.

        Args:
            pairs: claim first, evidence second.
            deadline: a `time.monotonic` moment.

        Raises:
            OutOfTime: the deadline passed (`rag.rerank.pair_model`).
        """
        ...


@dataclass(frozen=True, slots=True)
class Evidence:
    """Cited text: `text` is the passage's own words, `context` what they are about (title, section, table header)."""

    text: str
    context: str = ""
    told: tuple[str, ...] = ()
    """Stretches of `text` as an answer tells them: plain words, rows with the names of their columns."""

    @property
    def as_read(self) -> str:
        """What a support model reads: context, line break, text."""
        return f"{self.context}\n{self.text}" if self.context else self.text

    @property
    def whole(self) -> str:
        """Everything that a name or a number may stand in."""
        return "\n".join((self.context, self.text, *self.told))


@dataclass(frozen=True, slots=True)
class MechanicalFault:
    """What a claim says and its evidence does not; `reason` is one plain sentence for the trace."""

    kind: FaultKind
    words: str
    reason: str


@dataclass(frozen=True, slots=True)
class CheckedClaim:
    """One claim and how well the cited text carries it."""

    text: str
    support: float
    """In [0, 1]: 1 for a verbatim claim, 0 for a faulty or an unchecked one, else the model's probability."""
    method: Method
    carried_by: tuple[int, ...] = ()
    """Citation numbers of the text that carries it best; those of several passages where only all of them do."""
    faults: tuple[MechanicalFault, ...] = ()
    against: tuple[int, ...] = ()
    """Citation numbers of its sentence whose text does not hold it, while another one's does."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number without zeros that say nothing, its unit ("" for none) and where it stands in the text."""

    number: str
    unit: str
    start: int
    end: int

    @property
    def amount(self) -> tuple[str, float] | None:
        """Time in minutes or in months, so that 2 weeks are 14 days; None for anything else."""
        kind, times = _TIME.get(self.unit, ("", 0))
        return (kind, times * float(self.number)) if kind else None


_ONE_MARK = str.maketrans(
    dict.fromkeys("“”„«»", '"') | dict.fromkeys("’‘‚`", "'") | dict.fromkeys("–—−‐‑", "-")
)
# Without "one", which is as often a pronoun; a number of 1 is not compared anyway.
_WRITTEN = re.compile(
    rf"\b(?:({'|'.join(TENS)})(?:[- ]({'|'.join(ONES)}))?|({'|'.join([*VALUES][1:19])}))\b",
    re.IGNORECASE,
)
_SCALED = re.compile(
    r"(?<![\w.])(\d+(?:\.\d+)?|an?|one)(?:(?<=\d)(k)| (hundred|thousand|million|billion))\b(?: and (\d{1,2})\b)?",
    re.IGNORECASE,
)
_GLUED_CURRENCY = re.compile(r"\b(EUR|GBP|USD|CHF)(?=\d)")
_TWELVE_HOURS = re.compile(r"\b(1[0-2]|0?[1-9])(?:[:.](\d\d))? ?([ap])(?:m\b|\.m\.?)", re.IGNORECASE)
_SAME = {
    "24/7": "day and night",
    "half an hour": "30 minutes",
    "an hour": "1 hour",
    "(?:a|one) (day|week|month|year)": r"1 \1",
    "fortnight": "14 days",
    "twice": "2 times",
    "dozen": "12",
    "noon": "12:00",
    "midnight": "00:00",
    "per cent": "percent",
}
_REWRITINGS = [(re.compile(rf"(?<!\w){said}(?!\w)", re.IGNORECASE), same) for said, same in _SAME.items()]

_UNITS = {
    "EUR": "€ eur euro euros",
    "GBP": "£ gbp pound pounds",
    "USD": "$ usd dollar dollars",
    "CHF": "chf franc francs",
    "pence": "pence penny",
    "cent": "cent cents",
    "%": "% percent",
    "minute": "min mins minute minutes",
    "hour": "h hr hrs hour hours",
    "day": "day days",
    "week": "week weeks",
    "month": "month months",
    "year": "year years",
    "km": "km kilometre kilometres kilometer kilometers",
    "mile": "mile miles",
    "metre": "metre metres meter meters",
    "kg": "kg kilo kilos kilogram kilograms",
    "tonne": "tonne tonnes ton tons",
    "litre": "litre litres liter liters",
    "GB": "gb gigabyte gigabytes",
}
_UNIT_OF = {form: unit for unit, forms in _UNITS.items() for form in forms.split()}
_TIME = {
    "minute": ("minutes", 1),
    "hour": ("minutes", 60),
    "day": ("minutes", 1_440),
    "week": ("minutes", 10_080),
    "month": ("months", 1),
    "year": ("months", 12),
}
_KINDS_OF_DAY = {"working": "working day", "business": "working day", "calendar": "calendar day"}
_NUMBER = re.compile(r"(?<![\w.:/])\d+(?:\.\d+)?(?!\w*\d)")
_CURRENCY_BEFORE = re.compile(r"(€|£|\$|\b(?:EUR|GBP|USD|CHF))\s?\Z")
_UNIT_AFTER = re.compile(
    r"[\s-]?(?:(working|business|calendar|additional|consecutive|extra|full|further|more|paid|unpaid|unused)[\s-])?"
    rf"({'|'.join(map(re.escape, sorted(_UNIT_OF, key=len, reverse=True)))})(?!\w)",
    re.IGNORECASE,
)


def straightened(text: str) -> str:
    """`text` on one line with straight quotes and plain hyphens."""
    return " ".join(visible_text(text).translate(_ONE_MARK).split())


def in_one_writing(text: str) -> str:
    """`straightened` text with numbers, hours and amounts of time in digits.

    >>> in_one_writing("two hours, 2 pm, 1,000 EUR")
    '2 hours, 14:00, 1000 EUR'
    """
    text = _GLUED_CURRENCY.sub(r"\1 ", straightened(text))
    for said, same in _REWRITINGS:
        text = said.sub(same, text)
    text = _WRITTEN.sub(
        lambda match: str(sum(VALUES[word.lower()] for word in match.groups() if word)),
        with_plain_digits(text),
    )
    return _TWELVE_HOURS.sub(_of_24_hours, _SCALED.sub(_scaled, text))


def _scaled(match: re.Match[str]) -> str:
    times = float(match[1]) if match[1][0].isdigit() else 1.0
    value = times * SCALES[(match[2] or match[3]).lower()] + int(match[4] or 0)
    return str(int(value)) if value.is_integer() else str(value)


def _of_24_hours(match: re.Match[str]) -> str:
    hour = int(match[1]) % 12 + (12 if match[3].lower() == "p" else 0)
    return f"{hour:02}:{match[2] or '00'}"


def quantities(text: str) -> list[Quantity]:
    """The numbers of a text in one writing, with their units; ``working day`` and ``calendar day`` are two units."""
    found = []
    for match in _NUMBER.finditer(text):
        before = _CURRENCY_BEFORE.search(text, max(0, match.start() - 5), match.start())
        after = _UNIT_AFTER.match(text, match.end())
        form = before[1] if before else after[2] if after else ""
        unit = _UNIT_OF.get(form.lower(), "")
        if unit == "day" and after and after[1]:
            unit = _KINDS_OF_DAY.get(after[1].lower(), unit)
        found.append(Quantity(_canonical(match.group()), unit, match.start(), match.end()))
    return found


def _canonical(number: str) -> str:
    """``1.000`` is taken as a thousand, as in ``1.000 EUR``."""
    whole, _, decimals = number.partition(".")
    if len(decimals) == 3 and whole != "0":
        return whole + decimals
    whole, decimals = whole.lstrip("0") or "0", decimals.rstrip("0")
    return f"{whole}.{decimals}" if decimals else whole


_MONTH_OF = {form: at for at, name in enumerate(MONTHS, start=1) for form in (name, name[:3], name[:4])}
_MONTH = "|".join(sorted(_MONTH_OF, key=len, reverse=True))
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_NEXT = r"\W{1,3}(?:(?:and|or|to|until|till) )?"
_DAY_MONTH = re.compile(rf"(?<![\d.:])((?:{_DAY}{_NEXT}){{0,6}}({_DAY})(?: of)?) ({_MONTH})\b")
_MONTH_DAY = re.compile(rf"\b({_MONTH})\.? (({_DAY})(?:{_NEXT}{_DAY}){{0,6}})(?![\d:])")
_IN_DIGITS = re.compile(r"(?<![\d./-])(?:\d{4}-(\d\d)-(\d\d)|(\d{1,2})[/.](\d{1,2})[/.](?:\d{4}|\d\d))(?!\d)")
_YEAR_MONTH = re.compile(r"\b(?:19|20)\d\d[-/](0[1-9]|1[0-2])\b")
_TO = r"\b\.?\W{0,3}(?:\d{1,4}\W)?\s?(?:to|until|till|through|-)\W"
_MONTH_RANGE = re.compile(rf"\b(?:{_MONTH}){_TO}")
_WEEKDAY_RANGE = re.compile(
    rf"\b(?:{'|'.join(f'{name}|{name[:3]}' for name in WEEKDAYS)}){_TO}"
    r"|\b(?:weekdays?|weekends?|working days|(?:every|each) (?:working )?day|daily)\b",
    re.IGNORECASE,
)


def dates(text: str, *, with_lists: bool = False) -> dict[str, frozenset[tuple[int, int]]]:
    """The (day, month) each date of a text in one writing may mean, by its words; years are not looked at.

    ``03/12/2026`` may mean two. Of ``1, 2 and 5 March`` only the day beside the month is taken, as the others may be
    no days; `with_lists` takes all.
    """
    found: dict[str, frozenset[tuple[int, int]]] = {}
    for match in _DAY_MONTH.finditer(text):
        days = match[1] if with_lists else match[2]
        found[f"{match[2]} {match[3]}"] = _on(days, _MONTH_OF[match[3]])
    for match in _MONTH_DAY.finditer(text):
        days = match[2] if with_lists else match[3]
        found[f"{match[1]} {match[3]}"] = _on(days, _MONTH_OF[match[1]])
    for match in _IN_DIGITS.finditer(text):
        first, second = (int(match[1] or match[3]), int(match[2] or match[4]))
        pairs = [(second, first)] if match[1] else [(first, second), (second, first)]
        found[match.group()] = frozenset(pair for pair in pairs if 1 <= pair[1] <= 12)
    return {words: meant for words, meant in found.items() if meant}


def _on(days: str, month: int) -> frozenset[tuple[int, int]]:
    return frozenset((int(day), month) for day in re.findall(r"\d+", days))


def months(text: str, *, is_evidence: bool = False) -> set[str]:
    """Names of the months in `text`; of evidence also those of its dates, and all where it has a range of them."""
    if not is_evidence:
        # At the start, "May" and "March" may be verbs.
        return {name for name in MONTHS if re.search(rf"(?<!\A)\b{name}\b", text)}
    if _MONTH_RANGE.search(text):
        return set(MONTHS)
    named = {_MONTH_OF[name] for name in re.findall(rf"\b({_MONTH})\b", text)}
    named |= {month for meant in dates(text).values() for _, month in meant}
    return {MONTHS[month - 1] for month in named.union(map(int, _YEAR_MONTH.findall(text)))}


def weekdays(text: str, *, is_evidence: bool = False) -> set[str]:
    """Names of the weekdays in `text`; of evidence also abbreviated, and all where it has a range or "every day"."""
    if is_evidence and _WEEKDAY_RANGE.search(text):
        return set(WEEKDAYS)
    return {
        name
        for name in WEEKDAYS
        if re.search(rf"\b(?:{name}s?{f'|{name[:3]}' if is_evidence else ''})\b", text)
    }
