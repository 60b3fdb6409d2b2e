"""An HTML page without what a visitor does not see, and the part of it that holds its content."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag.extract.canonical import line_text
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
_UNSEEN = (
    "script", "style", "template", "noscript", "svg", "canvas", "iframe", "object", "audio", "video", "head",
    "button", "select", "datalist", "dialog",
)  # fmt: skip
_STRUCK = ("del", "s", "strike")
_BOILERPLATE = ("nav", "footer", "aside")
_BOILERPLATE_ROLES = ("navigation", "banner", "contentinfo", "complementary", "search", "menu")
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all", re.IGNORECASE)
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

    @property
    def warnings(self) -> tuple[ExtractionWarning, ...]:
        """One warning for each kind that was found."""
        detail = f" with {count_of(self.n_hidden_chars, 'character')}"
        return (
            *left_out("hidden_text_dropped", self.n_hidden, "hidden element", detail=detail),
            *comments_left_out(self.n_comments),
            *left_out("struck_text_dropped", self.n_struck, "crossed-out passage"),
        )


def parse_page(text: str, dropped: Dropped) -> BeautifulSoup:
    """The page without comments, hidden and crossed-out text, which `dropped` counts; ``head`` stays."""
    from bs4 import BeautifulSoup

    # Without its XML declaration, which would make the parser doubt that this is HTML; the line
    # break keeps it from taking a single word for a file's name.
    page = BeautifulSoup("\n" + _XML_DECLARATION.sub("", text, count=1), "lxml")
    _drop_comments(page, dropped)
    _drop_hidden(page, dropped)
    _drop_struck(page, dropped)
    for element in page.find_all([name for name in _UNSEEN if name != "head"]):
        element.extract()
    return page


def page_title(page: BeautifulSoup) -> str | None:
    """The text of ``<title>``; None without one."""
    return page.title.get_text() if page.title else None


def whole_body(page: BeautifulSoup) -> Tag:
    """Everything that is shown: the body, or the page where it has none."""
    for head in page.find_all("head"):
        head.extract()
    return page.body or page


def main_part(page: BeautifulSoup) -> Tag:
    """``<main>`` where there is one, else the body; menus, banners and footers are removed."""
    body = whole_body(page)
    main = page.find("main") or page.find(None, {"role": "main"})
    has_main = main is not None and len(main.get_text(strip=True)) >= _MIN_MAIN_CHARS
    root = main if has_main and main is not None else body
    for element in root.find_all(_is_boilerplate):
        element.extract()
    return root


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


def _drop_hidden(page: BeautifulSoup, dropped: Dropped) -> None:
    for element in page.find_all(_is_hidden):
        if element.name in _UNSEEN or element.decomposed:
            continue
        text = line_text(element.get_text())
        dropped.n_hidden += bool(text)
        dropped.n_hidden_chars += len(text)
        element.decompose()


def _drop_struck(page: BeautifulSoup, dropped: Dropped) -> None:
    for element in page.find_all(_is_struck):
        if not element.decomposed:
            dropped.n_struck += bool(element.get_text(strip=True))
            element.decompose()


def _is_hidden(element: Tag) -> bool:
    style = element.get("style")
    return (
        element.has_attr("hidden")
        or element.get("aria-hidden") == "true"
        or (isinstance(style, str) and _HIDDEN_STYLE.search(style) is not None)
    )


def _is_struck(element: Tag) -> bool:
    style = element.get("style")
    return element.name in _STRUCK or (isinstance(style, str) and _STRUCK_STYLE.search(style) is not None)


def _is_boilerplate(element: Tag) -> bool:
    if element.name in _BOILERPLATE or element.get("role") in _BOILERPLATE_ROLES:
        return True
    # A header inside an article holds its title; the page's own holds logo and menu.
    return element.name == "header" and element.find_parent(["main", "article", "section"]) is None
