"""Raised and lowered text as it can be written on one line: 10⁶, H₂O, x^max, 1 3/4."""

from __future__ import annotations

import re

_RAISED = str.maketrans("0123456789+-−=()nieoa", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱᵉºª")
_LOWERED = str.maketrans("0123456789+-−=()aeoxhklmnpstijruv", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₒₓₕₖₗₘₙₚₛₜᵢⱼᵣᵤᵥ")
# Endings of ordinal numbers and signs read the same on the line; commas and dashes part the marks of notes.
_ON_THE_LINE = frozenset(("st", "nd", "rd", "th", "ème", "er", "re", "TM", "SM"))
_WORDY = re.compile(r"[^\W\d_]\S*\s+\S+\s+\S")
_COMPOUND = re.compile(r"[\s+\-−*/=,]")


def raised(text: str) -> str:
    """Superscript: ``6`` is ``⁶``, ``abc`` is ``^abc``; signs and ``st`` of ``1st`` stay, and so does fine print."""
    if text.strip() in _ON_THE_LINE:
        return text
    return _written(text, _RAISED, "^")


def lowered(text: str) -> str:
    """Subscript: ``2`` is ``₂``, ``abc`` is ``_abc``."""
    return _written(text, _LOWERED, "_")


def fraction(above: str, below: str, *, before: str = "") -> str:
    """``3/4``; after a digit with a blank, because 1 3/4 is not 13/4. `before` is the text so far."""
    blank = " " if before[-1:].isdigit() else ""
    return f"{blank}{bracketed(above)}/{bracketed(below)}"


def bracketed(text: str) -> str:
    """An operand on one line: with brackets where it is more than a number or word."""
    operand = text.strip()
    return f"({operand})" if _COMPOUND.search(operand) else operand


def _written(text: str, table: dict[int, int], sign: str) -> str:
    core = text.strip()
    if not any(character.isalnum() for character in core) or _WORDY.search(core):
        return text
    written = core.translate(table)
    # Digits that stand raised already are numbers without being decimal ones.
    if any(
        was == now and (was.isalpha() or was.isdecimal() or was == "/")
        for was, now in zip(core, written, strict=True)
    ):
        written = sign + bracketed(core)
    start = text.index(core)
    return text[:start] + written + text[start + len(core) :]
