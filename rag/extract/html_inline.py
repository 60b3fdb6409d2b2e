"""The words of an element as they stand on the screen: only blocks and line breaks part them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rag.extract.scripts import lowered, raised

if TYPE_CHECKING:
    from bs4 import Tag

BLOCKS = frozenset(
    (
        "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "div",
        "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header",
        "hgroup", "hr", "html", "legend", "li", "main", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody",
        "td", "text", "tfoot", "th", "thead", "tr", "ul",
    )
)  # fmt: skip
"""Elements that begin and end a line of their own; ``text`` is a label in a drawing."""

_SCRIPT_STYLE = re.compile(r"vertical-align\s*:\s*(super|sub)\b", re.IGNORECASE)
_NOTE_MARK = re.compile(r"\s*\[.*\]\s*", re.DOTALL)


def script_of(element: Tag) -> str | None:
    """``sup`` or ``sub`` for an element that stands raised or lowered, else None."""
    if element.name in ("sup", "sub"):
        return element.name
    style = element.get("style")
    found = _SCRIPT_STYLE.search(style) if isinstance(style, str) else None
    return found[1].lower()[:3] if found else None


def script_text(element: Tag, script: str) -> str:
    """The text inside as it is written raised or lowered; a note's mark in brackets stays as it is."""
    text = _words_inside(element)
    if _NOTE_MARK.fullmatch(text):
        return text
    return raised(text) if script == "sup" else lowered(text)


def inline_text(element: Tag) -> str:
    """All text inside: ``H<sub>2</sub>O`` is the word H₂O, ``<p>a</p><p>b</p>`` are two."""
    script = script_of(element)
    return script_text(element, script) if script else _words_inside(element)


def _words_inside(element: Tag) -> str:
    from bs4.element import NavigableString, PreformattedString, Tag

    pieces: list[str] = []
    for child in element.children:
        if isinstance(child, Tag):
            pieces.append(
                f" {inline_text(child)} "
                if child.name in BLOCKS or child.name == "br"
                else inline_text(child)
            )
        elif isinstance(child, NavigableString) and not isinstance(child, PreformattedString):
            pieces.append(str(child))
    return "".join(pieces)
