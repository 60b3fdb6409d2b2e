"""Taking the words out of a page that its attributes and style sheets keep from being seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag.extract.canonical import line_text
from rag.extract.hidden_style import Look, hides_all
from rag.extract.style_sheets import StyleSheets, on_screen

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

_NO_WORDS = ("script", "style", "template", "head", "title", "meta", "link", "base")
_ROOTS = ("html", "body")
"""A page that hides all of itself waits for its script to show it."""
_PICTURES = ("img", "picture", "video", "canvas", "svg")
_LINK_COLOUR = "#0000ee"


@dataclass(slots=True)
class Hidden:
    """What was taken out: elements with words of their own, and the characters of these."""

    n_elements: int = 0
    n_chars: int = 0
    is_cut_short: bool = False
    """The page's style sheets are larger than what is read of them."""

    def count(self, words: str) -> None:
        """One more element with these words; nothing where it has none."""
        text = line_text(words)
        self.n_elements += bool(text)
        self.n_chars += len(text)


def drop_hidden(page: BeautifulSoup, load_sheet: Callable[[str], str | None]) -> Hidden:
    """Remove hidden elements, and words that are too small or in the colour of what they stand on.

    Elements inside that are shown again (``visibility: visible``, a size or a colour of their own) stay.
    """
    texts, is_ground_known = _sheets_of(page, load_sheet)
    sheets = StyleSheets.of(page, texts)
    hidden = Hidden(is_cut_short=sheets.is_cut_short)
    # A ground that a missing style sheet gives is not known: white words may stand on it.
    root = Look() if is_ground_known and not sheets.is_cut_short else Look(ground=None)
    looks = {id(page): root}
    for element in page.find_all(True):
        if element.decomposed or element.name in _NO_WORDS or element.parent is None:
            continue
        outer = looks.get(id(element.parent), root)
        told = _told(element, sheets)
        if element.name not in _ROOTS and (_is_hidden(element) or hides_all(told)):
            hidden.count(element.get_text())
            element.decompose()
            continue
        look = looks[id(element)] = _look_inside(element, told, outer)
        if look.hides_words:
            _drop_own_words(element, hidden)
    return hidden


def _told(element: Tag, sheets: StyleSheets) -> dict[str, str]:
    told = sheets.told(element)
    if element.name in _ROOTS:
        told.pop("visibility", None)
    if element.name == "a" and element.has_attr("href"):
        told.setdefault("color", _LINK_COLOUR)
    return told


def _look_inside(element: Tag, told: dict[str, str], outer: Look) -> Look:
    if "position" in told and element.parent is not None and element.parent.find(_PICTURES):
        outer = Look(outer.is_invisible, outer.size_px, outer.colour, None)  # words laid over a picture
    return outer.inside(told)


def _drop_own_words(element: Tag, hidden: Hidden) -> None:
    from bs4.element import NavigableString, PreformattedString

    own = [
        child
        for child in element.children
        if isinstance(child, NavigableString) and not isinstance(child, PreformattedString)
    ]
    hidden.count("".join(own))
    for words in own:
        # The white space stays: it may part the words around it.
        words.replace_with(" ")


def _is_hidden(element: Tag) -> bool:
    return (
        element.has_attr("hidden")
        or (element.name == "dialog" and not element.has_attr("open"))
        or element.get("aria-hidden") == "true"
    )


def _sheets_of(page: BeautifulSoup, load_sheet: Callable[[str], str | None]) -> tuple[list[str], bool]:
    """The page's style sheets for a screen in their order, and whether they are all of them."""
    texts: list[str] = []
    is_complete = True
    for element in page.find_all(("style", "link")):
        if element.find_parent("noscript") is not None or not on_screen(str(element.get("media") or "")):
            continue
        text: str | None = element.get_text() or "".join(map(str, element.contents))
        if element.name == "link":
            told = element.get("rel") or ""
            kinds = (told if isinstance(told, str) else " ".join(told)).lower().split()
            if "stylesheet" not in kinds or "alternate" in kinds:
                continue
            text = load_sheet(str(element.get("href") or ""))
        if text is None or "@import" in text:
            is_complete = False
        texts.append(text or "")
    return texts, is_complete
