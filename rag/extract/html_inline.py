"""The words of an element as they stand on the screen: only blocks and line breaks part them."""

from __future__ import annotations

from typing import TYPE_CHECKING

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


def inline_text(element: Tag) -> str:
    """All text inside: ``H<sub>2</sub>O`` is one word, ``<p>a</p><p>b</p>`` are two."""
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
