"""Formulas of Office files (OMML) on one line: 1 3/4, x², √(2), ∑_(i=1)^n."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rag.extract.scripts import bracketed, fraction, lowered, raised
from rag.extract.xml_parts import attribute, child, children, local_name

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_SCRIPTS = frozenset(("sSup", "sSub", "sSubSup", "sPre"))


def formula_text(formula: Element) -> str:
    """The formula on one line; a blank opens one that begins with a number, which may follow another."""
    text = _text(formula)
    return f" {text}" if text[:1].isdigit() else text


def _text(element: Element | None) -> str:
    text = ""
    for inner in element if element is not None else ():
        text += _piece(inner, before=text)
    return text


def _piece(element: Element, *, before: str) -> str:
    name = local_name(element)
    if name == "t":
        return element.text or ""
    if name.endswith("Pr") or name == "del":
        return ""
    if name == "f":
        return fraction(_part(element, "num"), _part(element, "den"), before=before)
    if name in _SCRIPTS:
        scripts = lowered(_part(element, "sub")) + raised(_part(element, "sup"))
        base = _part(element, "e")
        return scripts + base if name == "sPre" else base + scripts
    if name == "rad":
        return f"{raised(_part(element, 'deg'))}√({_part(element, 'e')})"
    if name == "nary":
        sign = attribute(child(element, "naryPr", "chr"), "val") or "∫"
        limits = _limit("_", _part(element, "sub")) + _limit("^", _part(element, "sup"))
        return f"{sign}{limits} {_part(element, 'e')}"
    if name == "d":
        return _in_brackets(element)
    if name in ("mr", "eqArr"):
        return " ".join(_text(part) for part in children(element, "e")) + "\n"
    return _text(element)


def _limit(sign: str, text: str) -> str:
    return sign + bracketed(text) if text.strip() else ""


def _part(element: Element, name: str) -> str:
    return _text(child(element, name))


def _in_brackets(element: Element) -> str:
    properties = child(element, "dPr")
    opening, closing, between = (
        found if (found := attribute(child(properties, name), "val")) is not None else usual
        for name, usual in (("begChr", "("), ("endChr", ")"), ("sepChr", "|"))
    )
    return opening + between.join(_parts(element)) + closing


def _parts(element: Element) -> Iterator[str]:
    return (_text(part) for part in children(element, "e"))
