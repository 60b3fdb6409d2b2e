"""The numbers that Word puts before the items of lists and before headings; the file holds only how to count."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rag.extract.xml_parts import attribute, child, children

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_N_LEVELS = 9
_MAX_START = 100_000
_PLACE = re.compile(r"%([1-9])")
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
_MAX_ROMAN = 4_000


@dataclass(frozen=True, slots=True)
class ListPlace:
    """What a paragraph or style says about its list; None where it does not say."""

    number: str | None = None
    """The list's id; ``0`` is none."""
    level: int | None = None

    def over(self, base: ListPlace) -> ListPlace:
        """What this says, else what `base` says."""
        return ListPlace(
            base.number if self.number is None else self.number,
            base.level if self.level is None else self.level,
        )


def list_place(properties: Element | None) -> ListPlace:
    """The list in the properties of a paragraph or style (``pPr``)."""
    numbering = child(properties, "numPr")
    level = attribute(child(numbering, "ilvl"), "val") or ""
    return ListPlace(
        attribute(child(numbering, "numId"), "val"),
        int(level) if level.isdecimal() and len(level) == 1 and int(level) < _N_LEVELS else None,
    )


@dataclass(frozen=True, slots=True)
class _Level:
    start: int
    kind: str
    pattern: str
    """``%1.%2`` for the numbers of the first and second level."""


@dataclass(frozen=True, slots=True)
class _List:
    counter: str
    """Lists made from one definition count on."""
    levels: dict[int, _Level]
    starts: dict[int, int]
    """Where this list begins anew."""


@dataclass(slots=True)
class Numbering:
    """Counts the items of each list in the order of the document."""

    lists: dict[str, _List] = field(default_factory=dict)
    _counts: dict[str, dict[int, int]] = field(default_factory=dict)
    _begun: set[tuple[str, int]] = field(default_factory=set)

    def label(self, place: ListPlace) -> str:
        """The next number at this place, e.g. ``2.1``; empty for bullets and for kinds of number not known here."""
        found = self.lists.get(place.number or "")
        number = place.level or 0
        if found is None or number not in found.levels:
            return ""
        counts = self._counts.setdefault(found.counter, {})
        begins = number in found.starts and (place.number or "", number) not in self._begun
        self._begun.add((place.number or "", number))
        if begins:
            counts[number] = found.starts[number]
        elif number in counts:
            counts[number] += 1
        else:
            counts[number] = found.levels[number].start
        for deeper in range(number + 1, _N_LEVELS):
            counts.pop(deeper, None)
        return _written(found, number, counts)


def _written(found: _List, number: int, counts: dict[int, int]) -> str:
    """The pattern of a level with the numbers of its own and of higher ones."""
    label = found.levels[number].pattern
    for place in set(_PLACE.findall(label)):
        position = int(place) - 1
        level = found.levels.get(position)
        written = _number(counts.get(position, level.start), level.kind) if level is not None else ""
        if not written:
            return ""
        label = label.replace(f"%{place}", written)
    return label.strip()


def _number(number: int, kind: str) -> str:
    if kind == "decimal":
        return str(number)
    if kind == "decimalZero":
        return f"{number:02}"
    if kind in ("lowerLetter", "upperLetter") and number > 0:
        letter = chr(ord("a") + (number - 1) % 26) * min((number - 1) // 26 + 1, 10)
        return letter.upper() if kind == "upperLetter" else letter
    if kind in ("lowerRoman", "upperRoman") and 0 < number < _MAX_ROMAN:
        roman = ""
        for value, sign in _ROMAN:
            roman += sign * (number // value)
            number %= value
        return roman.upper() if kind == "upperRoman" else roman
    return ""


def load_numbering(root: Element | None) -> Numbering:
    """The lists of ``numbering.xml``."""
    levels: dict[str, dict[int, _Level]] = {}
    for definition in children(root, "abstractNum"):
        levels[attribute(definition, "abstractNumId") or ""] = _levels(definition)
    lists: dict[str, _List] = {}
    for element in children(root, "num"):
        counter = attribute(child(element, "abstractNumId"), "val") or ""
        own = dict(levels.get(counter, {}))
        starts: dict[int, int] = {}
        for override in children(element, "lvlOverride"):
            own.update(_levels(override))
            position = attribute(override, "ilvl") or ""
            if child(override, "startOverride") is not None and position.isdecimal() and len(position) == 1:
                starts[int(position)] = _start(child(override, "startOverride"))
        lists[attribute(element, "numId") or ""] = _List(counter, own, starts)
    return Numbering(lists)


def _levels(container: Element) -> dict[int, _Level]:
    found: dict[int, _Level] = {}
    for level in children(container, "lvl"):
        position = attribute(level, "ilvl") or ""
        if position.isdecimal() and len(position) == 1 and int(position) < _N_LEVELS:
            kind = attribute(child(level, "numFmt"), "val") or "decimal"
            pattern = attribute(child(level, "lvlText"), "val") or ""
            shown = pattern if _PLACE.search(pattern) and kind not in ("bullet", "none") else ""
            found[int(position)] = _Level(_start(child(level, "start")), kind, shown)
    return found


def _start(element: Element | None) -> int:
    value = attribute(element, "val") or ""
    return min(int(value), _MAX_START) if value.isdecimal() and len(value) < 10 else 1
