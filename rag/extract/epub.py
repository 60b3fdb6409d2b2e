"""EPUB books: the chapters of the spine in order, each place with its file and anchor."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from rag.config import ExtractionLimits
from rag.errors import DamagedDocument, EncryptedDocument
from rag.extract.canonical import CanonicalBuilder, Reading, line_text
from rag.extract.container import UNPACK_ERRORS, open_container
from rag.extract.decoding import decode_text
from rag.extract.html_blocks import HtmlBlocks
from rag.extract.html_page import Dropped, declared_encoding, parse_page, whole_body
from rag.extract.left_out import left_out, pictures_not_read
from rag.extract.outline import choose_title
from rag.extract.wording import count_of
from rag.extract.xml_parts import attribute, inner_elements, inner_text, parse_part
from rag.types import Coverage, ExtractionWarning

if TYPE_CHECKING:
    from bs4 import Tag
    from lxml.etree import _Element as Element

_BOOK = "the book"
_CONTAINER, _ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
# Fonts may be scrambled with these in a book that anybody may read.
_FONT_METHODS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#rc")
_PAGE_TYPES = (
    "image/svg+xml",
    "application/xhtml+xml",
    "text/html",
    "application/x-dtbook+xml",
    "text/x-oeb1-document",
)
_PICTURES = ("img", "image")
_LINKED_SHARE = 0.6


@dataclass(frozen=True, slots=True)
class _Package:
    """What the package file says: the chapters' names in the container, in reading order."""

    title: str | None
    chapters: tuple[str, ...]
    contents: frozenset[str] = frozenset()
    """Files that hold a table of contents, and maybe more."""
    pictures: frozenset[str] = frozenset()
    """Files of the spine that are pictures."""
    n_navigation: int = 0
    """Files of the spine that are only navigation."""
    labels: dict[str, str] = field(default_factory=dict)
    """The table of contents' name for a file."""


def read(path: Path, *, filename: str, limits: ExtractionLimits) -> Reading:
    """The chapters of a book; the table of contents is not repeated.

    Raises:
        EncryptedDocument: the chapters are encrypted (DRM).
        DamagedDocument: the package file is missing or broken, or no chapter can be read.
        ResourceLimit: more characters or unpacked bytes than the limits, or absurd nesting.
    """
    with open_container(path, max_unpacked_mib=limits.max_unpacked_mib) as container:
        _refuse_encrypted(container)
        package = _load_package(container)
        book = _Book(HtmlBlocks(CanonicalBuilder(limits.max_chars)), package)
        for name in package.chapters:
            book.add_chapter(container, name)
    if len(book.damaged) == len(package.chapters):
        raise DamagedDocument("None of the book's chapters can be read.")
    builder = book.blocks.builder
    return Reading(
        title=choose_title((package.title, book.blocks.first_heading), filename),
        text=builder.text(),
        spans=builder.spans(),
        coverage=Coverage(
            "chapter",
            len(package.chapters) - len(book.damaged),
            len(package.chapters),
            tuple((book.damaged + book.without_text)[: Coverage.MAX_MISSING]),
        ),
        is_partial=bool(book.damaged) or book.has_unread_chapter,
        warnings=(
            *book.warnings(),
            *left_out(
                "contents_dropped", package.n_navigation + book.n_contents, "table", detail=" of contents"
            ),
            *book.dropped.warnings,
            *pictures_not_read(book.n_pictures),
        ),
    )


@dataclass(slots=True)
class _Book:
    blocks: HtmlBlocks
    package: _Package
    n_contents: int = 0
    dropped: Dropped = field(default_factory=Dropped)
    damaged: list[str] = field(default_factory=list)
    without_text: list[str] = field(default_factory=list)
    n_pictures: int = 0
    has_unread_chapter: bool = False
    """A chapter behind the cover holds pictures and no text."""

    def add_chapter(self, container: zipfile.ZipFile, name: str) -> None:
        """Add one file of the spine."""
        if name in self.package.pictures:
            self.n_pictures += 1
            self.without_text.append(name)
            self.has_unread_chapter |= name != self.package.chapters[0]
            return
        try:
            data = container.read(name)
        except (*UNPACK_ERRORS, KeyError):
            self.damaged.append(name)
            return
        text = decode_text(data, declared=declared_encoding(data)).text
        page = parse_page(text, self.dropped, lambda href: _style_sheet(container, _resolved(name, href)))
        for contents in page.find_all("nav"):
            contents.extract()
        root = whole_body(page)
        if name in self.package.contents and _is_list_of_links(root):
            self.n_contents += 1
            return
        label = self.package.labels.get(name)
        if label and root.find(["h1", "h2", "h3", "h4", "h5", "h6"]) is None:
            # A chapter whose title is a picture, or styled text, goes by its name in the contents.
            self.blocks.trail.enter(1, label)
        n_before = len(self.blocks.builder.spans())
        n_pictures = _count_pictures(root)
        self.blocks.add_page(root, file=name)
        self.n_pictures += n_pictures
        if len(self.blocks.builder.spans()) == n_before:
            self.without_text.append(name)
            # The first is the cover, whose words are the book's title.
            self.has_unread_chapter |= n_pictures > 0 and name != self.package.chapters[0]

    def warnings(self) -> Iterator[ExtractionWarning]:
        """Chapters that are missing, and those that are only pictures."""
        for code, names, said in (
            ("damaged_chapters", self.damaged, "Damaged or missing, and not read: {}."),
            ("chapters_without_text", self.without_text, "Without text: {}."),
        ):
            if names:
                yield ExtractionWarning(code, said.format(count_of(len(names), "chapter")), len(names))


def _style_sheet(container: zipfile.ZipFile, name: str) -> str | None:
    """The sheet that a chapter links to; None where the book does not hold it, or holds it damaged."""
    try:
        return decode_text(container.read(name)).text
    except (*UNPACK_ERRORS, KeyError):
        return None


def _refuse_encrypted(container: zipfile.ZipFile) -> None:
    """Scrambled fonts are no matter; anything else that is encrypted is the book itself."""
    if _ENCRYPTION not in container.NameToInfo:
        return
    for entry in inner_elements(parse_part(container, _ENCRYPTION, _BOOK), "EncryptedData"):
        methods = [
            attribute(method, "Algorithm") or "" for method in inner_elements(entry, "EncryptionMethod")
        ]
        if not methods or methods[0].lower() not in _FONT_METHODS:
            raise EncryptedDocument(
                "The book is encrypted: it has copy protection (DRM).",
                next_step="Upload a copy without copy protection.",
            )


def _load_package(container: zipfile.ZipFile) -> _Package:
    name = _package_name(container)
    package = parse_part(container, name, _BOOK)
    items = {attribute(item, "id"): item for item in inner_elements(package, "item")}
    spine = [items.get(attribute(entry, "idref")) for entry in inner_elements(package, "itemref")]
    pages = [item for item in spine if item is not None and (_is_page(item) or _is_picture(item))]
    contents = {
        _resolved(name, attribute(entry, "href"))
        for entry in inner_elements(package, "reference")
        if attribute(entry, "type") == "toc"
    }
    chapters = dict.fromkeys(
        _resolved(name, attribute(page, "href")) for page in pages if "nav" not in _properties(page)
    )
    pictures = {_resolved(name, attribute(page, "href")) for page in pages if _is_picture(page)}
    if not chapters:
        raise DamagedDocument("The book's package file names no chapter.")
    title = next(inner_elements(package, "title"), None)
    return _Package(
        title=title.text if title is not None else None,
        chapters=tuple(chapters),
        contents=frozenset(contents),
        pictures=frozenset(pictures),
        n_navigation=sum("nav" in _properties(page) for page in pages),
        labels=_labels(container, name, list(items.values())),
    )


def _package_name(container: zipfile.ZipFile) -> str:
    if _CONTAINER in container.NameToInfo:
        for entry in inner_elements(parse_part(container, _CONTAINER, _BOOK), "rootfile"):
            name = unquote(attribute(entry, "full-path") or "")
            if name in container.NameToInfo:
                return name
    name = next((name for name in container.namelist() if name.lower().endswith(".opf")), "")
    if not name:
        raise DamagedDocument("The book's package file is missing.")
    return name


def _labels(container: zipfile.ZipFile, package: str, items: list[Element]) -> dict[str, str]:
    """Names of whole files in the table of contents: of EPUB 3 (nav), else of EPUB 2 (NCX)."""
    labels: dict[str, str] = {}
    for item in items:
        is_nav = "nav" in _properties(item)
        if not is_nav and attribute(item, "media-type") != "application/x-dtbncx+xml":
            continue
        name = _resolved(package, attribute(item, "href"))
        try:
            contents = parse_part(container, name, _BOOK)
        except DamagedDocument:  # the chapters themselves do not need it
            continue
        for entry in inner_elements(contents, "a" if is_nav else "navPoint"):
            target, text = _entry(entry, is_nav=is_nav)
            if target and text and "#" not in target:
                labels.setdefault(_resolved(name, target), text)
    return labels


def _entry(entry: Element, *, is_nav: bool) -> tuple[str | None, str]:
    """Where an entry of the contents points to, and its words."""
    if is_nav:
        return attribute(entry, "href"), line_text(inner_text(entry))
    label = next(inner_elements(entry, "navLabel"), None)
    content = next(inner_elements(entry, "content"), None)
    return attribute(content, "src"), line_text(inner_text(label))


def _is_list_of_links(root: Tag) -> bool:
    """Most of its words are links: a table of contents that starts no chapter."""
    linked = sum(len(line_text(link.get_text())) for link in root.find_all("a", href=True))
    return linked >= _LINKED_SHARE * len(line_text(root.get_text()))


def _count_pictures(root: Tag) -> int:
    """Pictures, and drawings that hold neither a picture nor words."""
    drawings = (svg for svg in root.find_all("svg") if not line_text(svg.get_text()))
    return len(root.find_all(_PICTURES)) + sum(svg.find(_PICTURES) is None for svg in drawings)


def _is_page(item: Element) -> bool:
    return (attribute(item, "media-type") or "").lower() in _PAGE_TYPES


def _is_picture(item: Element) -> bool:
    return not _is_page(item) and (attribute(item, "media-type") or "").lower().startswith("image/")


def _properties(item: Element) -> list[str]:
    return (attribute(item, "properties") or "").split()


def _resolved(base: str, href: str | None) -> str:
    """A link's target as a name in the container."""
    target = unquote((href or "").partition("#")[0])
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), target)).lstrip("/")
