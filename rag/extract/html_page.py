"""An HTML page without what a visitor does not see, and the part of it that holds its content."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag.extract.canonical import line_text
from rag.extract.hidden_words import drop_hidden
from rag.extract.left_out import comments_left_out, left_out
from rag.extract.wording import count_of
from rag.types import ExtractionWarning

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag

_DECLARED = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
# The WHATWG encoding standard reads these labels as supersets, as every browser does.
_BROWSER_NAMES = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
}
_NO_TEXT = ("script", "style", "template")
# What stands in for something that is shown instead, and what is there to be pressed.
_STAND_INS = ("noscript", "canvas", "iframe", "object", "audio", "video", "datalist")
_CONTROLS = ("button", "select")
_NAMES = ("h1", "h2", "h3", "h4", "h5", "h6", "summary", "dt", "legend", "caption")
"""Where a button is the name of what it unfolds."""
_DRAWING_NOTES = ("title", "desc", "metadata", "defs")
_STRUCK = ("del", "s", "strike")
_MENUS = ("nav", "search")
_MENU_ROLES = ("navigation", "banner", "contentinfo", "search", "menu", "menubar")
_FRAME = ("header", "footer", "aside")
_CONTENT = ("main", "article", "section", "blockquote")
_CONSENT = re.compile(
    r"cookie|gdpr|consent[-_]?(banner|bar|box|dialog|layer|manager|notice|popup)", re.IGNORECASE
)
_MAX_CONSENT_CHARS = 1_500
"""A longer text about cookies is a page's content."""
_LINKED_SHARE = 0.8
_STRUCK_STYLE = re.compile(r"text-decoration[^;]*line-through", re.IGNORECASE)
# Conditional comments and build marks are markup; a person's comment has words.
_MARKUP_COMMENT = re.compile(r"\s*(\[if\b|<!\[|\[endif|/?wp:|#|\?xml)", re.IGNORECASE)
_XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_MIN_MAIN_CHARS = 40


@dataclass(slots=True)
class Dropped:
    """What was left out of one or more pages because no visitor reads it as valid text."""

    n_hidden: int = 0
    n_hidden_chars: int = 0
    n_comments: int = 0
    n_struck: int = 0
    n_furniture_chars: int = 0
    """Of menus, page headers and footers, controls and stand-ins."""
    n_sheets_cut_short: int = 0
    """Pages with more style sheets than are read."""

    def drop_furniture(self, element: Tag) -> None:
        """Remove `element`, which belongs to the page and not to its content."""
        self.n_furniture_chars += len(line_text(element.get_text(" ")))
        element.decompose()

    @property
    def warnings(self) -> tuple[ExtractionWarning, ...]:
        """One warning for each kind that was found."""
        detail = f" with {count_of(self.n_hidden_chars, 'character')}"
        return (
            *left_out("hidden_text_dropped", self.n_hidden, "hidden element", detail=detail),
            *comments_left_out(self.n_comments),
            *left_out("struck_text_dropped", self.n_struck, "crossed-out passage"),
            *left_out(
                "page_furniture_dropped",
                self.n_furniture_chars,
                "character",
                detail=" of menus, page headers and footers, controls and stand-ins",
            ),
            *self._sheets_cut_short(),
        )

    def _sheets_cut_short(self) -> Iterator[ExtractionWarning]:
        if self.n_sheets_cut_short:
            message = "The style sheets are too large: text that only they hide may have been read."
            yield ExtractionWarning("style_sheets_cut_short", message, self.n_sheets_cut_short)


def parse_page(
    text: str, dropped: Dropped, load_sheet: Callable[[str], str | None] = lambda _href: None
) -> BeautifulSoup:
    """The page without comments, hidden and crossed-out text, which `dropped` counts; ``head`` stays.

    `load_sheet` gives the style sheet behind a link of the page, or None where it did not come with it.
    """
    page = parsed(text)
    drop_unseen(page, dropped, load_sheet)
    _keep_words_of_drawings(page)
    _drop_furniture(page, (*_STAND_INS, *_CONTROLS), dropped)
    return page


def parsed(text: str) -> BeautifulSoup:
    """The page as it stands."""
    from bs4 import BeautifulSoup

    # Without its XML declaration, which would make the parser doubt that this is HTML; the line
    # break keeps it from taking a single word for a file's name.
    return BeautifulSoup("\n" + _XML_DECLARATION.sub("", text, count=1), "lxml")


def drop_unseen(
    page: BeautifulSoup, dropped: Dropped, load_sheet: Callable[[str], str | None] = lambda _href: None
) -> None:
    """Remove comments, hidden and crossed-out text, scripts and style sheets; `dropped` counts them."""
    _drop_comments(page, dropped)
    hidden = drop_hidden(page, load_sheet)
    dropped.n_hidden += hidden.n_elements
    dropped.n_hidden_chars += hidden.n_chars
    dropped.n_sheets_cut_short += hidden.is_cut_short
    _drop_struck(page, dropped)
    for element in page.find_all(_NO_TEXT):
        element.extract()


def drop_stand_ins(page: BeautifulSoup, dropped: Dropped) -> None:
    """Remove what stands in for something that is shown instead."""
    _drop_furniture(page, _STAND_INS, dropped)


def page_title(page: BeautifulSoup) -> str | None:
    """The text of ``<title>``; None without one."""
    return page.title.get_text() if page.title else None


def whole_body(page: BeautifulSoup) -> Tag:
    """Everything that is shown: the body, or the page where it has none."""
    for head in page.find_all("head"):
        head.extract()
    return page.body or page


def main_part(page: BeautifulSoup, dropped: Dropped) -> Tag:
    """The body without menus, page headers and footers, which `dropped` counts.

    Beside ``<main>`` also lists of links and questions about cookies go; what else stands there is kept.
    """
    body = whole_body(page)
    main = page.find("main") or page.find(None, {"role": "main"})
    if main is not None and len(main.get_text(strip=True)) >= _MIN_MAIN_CHARS:
        for around in [main, *main.parents]:
            for element in [*around.find_previous_siblings(), *around.find_next_siblings()]:
                if _is_beside_the_point(element):
                    dropped.drop_furniture(element)
            if around is body:
                break
    for element in body.find_all(_is_boilerplate):
        if not element.decomposed:
            dropped.drop_furniture(element)
    return body


def declared_encoding(data: bytes) -> str | None:
    """The encoding that the first 2 KiB declare, as browsers read its name; None if unknown."""
    found = _DECLARED.search(data[:2048])
    return browser_encoding(found[1].decode("ascii")) if found else None


def browser_encoding(label: str) -> str | None:
    """The codec that browsers and mail programs use for a charset label; None if unknown."""
    try:
        name = codecs.lookup(label).name
    except (LookupError, ValueError):
        return None
    # A declaration that could be read byte by byte cannot be true of UTF-16.
    return None if name.startswith(("utf-16", "utf-32")) else _BROWSER_NAMES.get(name, name)


def _drop_comments(page: BeautifulSoup, dropped: Dropped) -> None:
    from bs4.element import Comment

    for comment in page.find_all(string=lambda text: isinstance(text, Comment)):
        has_words = any(char.isalnum() for char in comment)
        dropped.n_comments += has_words and _MARKUP_COMMENT.match(comment) is None
        comment.extract()


def _drop_furniture(page: BeautifulSoup, names: tuple[str, ...], dropped: Dropped) -> None:
    for element in page.find_all(names):
        is_name = element.name == "button" and element.find_parent(_NAMES) is not None
        if not element.decomposed and not is_name:
            dropped.drop_furniture(element)


def _drop_struck(page: BeautifulSoup, dropped: Dropped) -> None:
    for element in page.find_all(_is_struck):
        if not element.decomposed:
            dropped.n_struck += bool(element.get_text(strip=True))
            element.decompose()


def _is_struck(element: Tag) -> bool:
    style = element.get("style")
    return element.name in _STRUCK or (isinstance(style, str) and _STRUCK_STYLE.search(style) is not None)


def _is_boilerplate(element: Tag) -> bool:
    role = element.get("role")
    if element.name in _MENUS or role in _MENU_ROLES:
        return True
    # A header inside an article holds its title; the page's own holds logo and menu.
    is_frame = element.name in _FRAME or role == "complementary"
    return is_frame and element.find_parent(_CONTENT) is None


def _is_beside_the_point(element: Tag) -> bool:
    """Of what stands beside the main part: a list of links, or a question about cookies."""
    n_chars = len(line_text(element.get_text()))
    names = " ".join(str(element.get(name, "")) for name in ("id", "class"))
    if n_chars <= _MAX_CONSENT_CHARS and _CONSENT.search(names):
        return True
    links = [element] if element.name == "a" else element.find_all("a")
    linked = sum(len(line_text(link.get_text())) for link in links)
    return linked > 0 and linked >= _LINKED_SHARE * n_chars


def _keep_words_of_drawings(page: BeautifulSoup) -> None:
    """The words that a drawing shows; its names for other programs are not seen."""
    for drawing in page.find_all("svg"):
        for note in drawing.find_all(_DRAWING_NOTES):
            note.extract()
        for line in drawing.find_all("tspan"):
            if line.has_attr("x") or line.has_attr("y"):
                line.insert_before(" ")
