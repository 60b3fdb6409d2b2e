"""HTML: what a visitor reads of a page's main part, without menus and hidden text."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rag.config import ExtractionLimits
from rag.extract.canonical import CanonicalBuilder, Reading, line_text
from rag.extract.decoding import decode_text
from rag.extract.html_rows import is_data_table, table_rows
from rag.extract.outline import HeadingTrail, choose_title
from rag.extract.wording import count_of
from rag.types import BlockKind, Coverage, ExtractionWarning, Locator

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
_BOILERPLATE = ("nav", "footer", "aside")
_BOILERPLATE_ROLES = ("navigation", "banner", "contentinfo", "complementary", "search", "menu")
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_BLOCKS = frozenset(
    (
        "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "div",
        "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header",
        "hgroup", "hr", "html", "legend", "li", "main", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody",
        "td", "tfoot", "th", "thead", "tr", "ul",
    )
)  # fmt: skip
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_LIST_PARTS = frozenset(("li", "dt", "dd"))
_XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_SPACE = re.compile(r"[ \t\r\n\f]+")
_MIN_MAIN_CHARS = 40


def read(path: Path, *, filename: str, limits: ExtractionLimits) -> Reading:
    """The main content of an HTML page.

    Raises:
        ResourceLimit: the text is longer than the limit, or elements are nested absurdly deep.
    """
    from bs4 import BeautifulSoup

    data = path.read_bytes()
    decoded = decode_text(data, declared=declared_encoding(data))
    # Without its XML declaration, which would make the parser doubt that this is HTML; the line
    # break keeps it from taking a single word for a file's name.
    page = BeautifulSoup("\n" + _XML_DECLARATION.sub("", decoded.text, count=1), "lxml")
    title = page.title.get_text() if page.title else None
    n_hidden, n_hidden_chars = _drop_hidden(page)
    for element in page.find_all(_UNSEEN):
        element.extract()
    first_heading = page.find("h1")
    root = _main_part(page)
    walker = _Walker(CanonicalBuilder(limits.max_chars))
    if root is not None:
        walker.walk(root, "paragraph")
        walker.flush("paragraph")
    warnings = decoded.warnings
    if n_hidden:
        message = (
            f"Left out: {count_of(n_hidden, 'hidden element')} with {count_of(n_hidden_chars, 'character')}."
        )
        warnings += (ExtractionWarning("hidden_text_dropped", message),)
    return Reading(
        title=choose_title((title, first_heading.get_text() if first_heading else None), filename),
        text=walker.builder.text(),
        spans=walker.builder.spans(),
        coverage=Coverage("document", 1, 1),
        is_partial=decoded.is_partial,
        encoding=decoded.encoding,
        warnings=warnings,
    )


def declared_encoding(data: bytes) -> str | None:
    """The encoding that the first 2 KiB declare, as browsers read its name; None if unknown."""
    found = _DECLARED.search(data[:2048])
    if not found:
        return None
    try:
        name = codecs.lookup(found[1].decode("ascii")).name
    except LookupError:
        return None
    # A declaration that could be read byte by byte cannot be true of UTF-16.
    return None if name.startswith(("utf-16", "utf-32")) else _BROWSER_NAMES.get(name, name)


def _drop_hidden(page: BeautifulSoup) -> tuple[int, int]:
    """Remove hidden elements; how many of them held text, and how many characters."""
    n_elements = n_chars = 0
    for element in page.find_all(_is_hidden):
        if element.name in _UNSEEN or element.decomposed:
            continue
        text = line_text(element.get_text())
        n_elements += bool(text)
        n_chars += len(text)
        element.decompose()
    return n_elements, n_chars


def _is_hidden(element: Tag) -> bool:
    style = element.get("style")
    return (
        element.has_attr("hidden")
        or element.get("aria-hidden") == "true"
        or (isinstance(style, str) and _HIDDEN_STYLE.search(style) is not None)
    )


def _main_part(page: BeautifulSoup) -> Tag | None:
    """``<main>`` where there is one, else the body; menus, banners and footers are removed."""
    main = page.find("main") or page.find(None, {"role": "main"})
    has_main = main is not None and len(main.get_text(strip=True)) >= _MIN_MAIN_CHARS
    root = main if has_main and main is not None else page.body or page
    for element in root.find_all(_is_boilerplate):
        element.extract()
    return root


def _is_boilerplate(element: Tag) -> bool:
    if element.name in _BOILERPLATE or element.get("role") in _BOILERPLATE_ROLES:
        return True
    # A header inside an article holds its title; the page's own holds logo and menu.
    return element.name == "header" and element.find_parent(["main", "article", "section"]) is None


@dataclass(slots=True)
class _Walker:
    """Collects inline text until a block begins or ends."""

    builder: CanonicalBuilder
    trail: HeadingTrail = field(default_factory=HeadingTrail)
    _anchor: str | None = None
    _inline: list[str] = field(default_factory=list)
    _table: int = 0

    def walk(self, element: Tag, kind: BlockKind) -> None:
        from bs4.element import NavigableString, PreformattedString, Tag

        for child in element.children:
            if isinstance(child, Tag):
                self._enter(child, kind)
            elif isinstance(child, NavigableString) and not isinstance(child, PreformattedString):
                self._inline.append(_SPACE.sub(" ", child))

    def _enter(self, element: Tag, kind: BlockKind) -> None:
        name = element.name
        if name == "br":
            self._inline.append("\n")
        elif name not in _BLOCKS:
            self.walk(element, kind)
        else:
            self.flush(kind)
            self._enter_block(element, kind)

    def _enter_block(self, element: Tag, kind: BlockKind) -> None:
        if element.name in _HEADINGS:
            self._add_heading(element)
        elif element.name == "pre":
            self.builder.add(element.get_text(), "code", self._here())
        elif element.name == "table" and is_data_table(element):
            self._add_table(element)
        else:
            inner: BlockKind = "list_item" if element.name in _LIST_PARTS else kind
            self.walk(element, inner)
            self.flush(inner)

    def _add_heading(self, element: Tag) -> None:
        title = line_text(element.get_text(" ", strip=False))
        if not title:
            return
        self._anchor = _anchor_of(element) or self._anchor
        path = self.trail.enter(int(element.name[1]), title)
        self.builder.add(title, "heading", Locator(heading_path=path, anchor=self._anchor))

    def _add_table(self, element: Tag) -> None:
        self._table += 1
        header: str | None = None
        for row in table_rows(element):
            self.builder.add(row.text, row.kind, self._here(), table_header=header, table=self._table)
            if row.is_header:
                header = row.text

    def flush(self, kind: BlockKind) -> None:
        """End the running block; a doubled line break parts it into two."""
        text = "".join(self._inline)
        self._inline.clear()
        for part in re.split(r"\n\s*\n", text):
            self.builder.add(part, kind, self._here())

    def _here(self) -> Locator:
        return Locator(heading_path=self.trail.path, anchor=self._anchor)


def _anchor_of(heading: Tag) -> str | None:
    """The id that a link to this heading uses: its own, an inner anchor's, or its section's."""
    section = heading.find_parent("section")
    inner = heading.find(lambda tag: tag.has_attr("id") or (tag.name == "a" and tag.has_attr("name")))
    for element in (heading, inner, section):
        for attribute in ("id", "name"):
            value = element.get(attribute) if element is not None else None
            if isinstance(value, str) and value:
                return value
    return None
