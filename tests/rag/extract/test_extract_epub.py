from __future__ import annotations

import io
import zipfile
from typing import Any

import pytest
from extraction_checks import blocks, codes, warning_counts

from rag.config import ExtractionLimits
from rag.errors import DamagedDocument, EncryptedDocument, ResourceLimit

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
TYPE = 'media-type="application/xhtml+xml"'
ONE = '<h1 id="one">One</h1><p>First <a id="word"/>words.</p><h2>Part</h2><p>More.</p><aside>A note.</aside>'
NAV = '<nav><ol><li><a href="one.xhtml">One</a></li><li><a href="two.xhtml">The second</a></li></ol></nav>'


def page(body: str) -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head>'
        f"<body>{body}</body></html>"
    )


def package(items: str, spine: str, guide: str = "") -> str:
    return (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/"><metadata>'
        f"<dc:title>The rules</dc:title></metadata><manifest>{items}</manifest><spine>{spine}</spine>{guide}</package>"
    )


ITEMS = (
    f'<item id="nav" href="nav.xhtml" properties="nav" {TYPE}/><item id="c1" href="one.xhtml" {TYPE}/>'
    f'<item id="c2" href="text/two%20b.xhtml" {TYPE}/><item id="f" href="a.otf" media-type="font/otf"/>'
)
SPINE = '<itemref idref="nav"/><itemref idref="c1"/><itemref idref="c2" linear="no"/>'


def book(files: dict[str, str | bytes] | None = None) -> bytes:
    made: dict[str, str | bytes] = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": package(ITEMS, SPINE),
        "OEBPS/nav.xhtml": page(NAV.replace("two.xhtml", "text/two%20b.xhtml")),
        "OEBPS/one.xhtml": page(ONE),
        "OEBPS/text/two b.xhtml": page('<img src="title.png"/><p>Second words.</p>'),
        **(files or {}),
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as container:
        for name, content in made.items():
            if content:
                container.writestr(name, content)
    return file.getvalue()


def test_chapters_in_order_with_their_places(read: Any) -> None:
    extraction = read(book(), "book.epub")
    assert (extraction.format, extraction.title) == ("epub", "The rules")
    places = [(span.locator.heading_path, span.locator.anchor) for span in extraction.spans]
    assert list(zip(blocks(extraction), places, strict=True)) == [
        ("One", (("One",), "OEBPS/one.xhtml#one")),
        ("First words.", (("One",), "OEBPS/one.xhtml#one")),
        ("Part", (("One", "Part"), "OEBPS/one.xhtml#one")),
        ("More.", (("One", "Part"), "OEBPS/one.xhtml#one")),
        ("A note.", (("One", "Part"), "OEBPS/one.xhtml#one")),
        ("Second words.", (("The second",), "OEBPS/text/two b.xhtml")),
    ]
    assert (extraction.coverage.unit, extraction.coverage.read, extraction.coverage.total) == (
        "chapter",
        2,
        2,
    )
    assert codes(extraction) == ["contents_dropped", "pictures_not_read"]


def test_names_of_chapters_from_an_old_table_of_contents(read: Any) -> None:
    items = (
        ITEMS.replace(' properties="nav"', "")
        + '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
    )
    ncx = (
        '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap><navPoint>'
        '<navLabel><text>Chapter  II</text></navLabel><content src="text/two%20b.xhtml"/></navPoint></navMap></ncx>'
    )
    spine = SPINE.removeprefix('<itemref idref="nav"/>')
    extraction = read(book({"OEBPS/book.opf": package(items, spine), "OEBPS/toc.ncx": ncx}), "book.epub")
    assert extraction.spans[-1].locator.heading_path == ("Chapter II",)


def test_a_page_of_contents_goes_and_a_chapter_that_starts_with_one_stays(read: Any) -> None:
    guide = '<guide><reference type="toc" href="one.xhtml#toc"/></guide>'
    links = '<p><a href="two.xhtml">The second chapter of the book</a></p>' * 4
    opf = package(ITEMS, SPINE, guide)
    only = read(
        book({"OEBPS/book.opf": opf, "OEBPS/one.xhtml": page("<h1>Contents</h1>" + links)}), "book.epub"
    )
    assert blocks(only) == ["Second words."]
    assert warning_counts(only)["contents_dropped"] == 2
    both = read(
        book({"OEBPS/book.opf": opf, "OEBPS/one.xhtml": page(links + "<p>Long text.</p>" * 30)}), "book.epub"
    )
    assert "Long text." in both.text


def test_hidden_and_crossed_out_text_is_counted(read: Any) -> None:
    body = "<p>Kept <del>gone</del></p><p hidden=''>Secret</p><!-- remark -->"
    extraction = read(book({"OEBPS/one.xhtml": page(body)}), "book.epub")
    assert codes(extraction) == [
        "contents_dropped",
        "hidden_text_dropped",
        "comments_dropped",
        "struck_text_dropped",
        "pictures_not_read",
    ]


def test_a_missing_chapter_makes_the_book_partial(read: Any) -> None:
    extraction = read(book({"OEBPS/one.xhtml": b""}), "book.epub")
    assert extraction.is_partial
    assert (extraction.coverage.read, extraction.coverage.total) == (1, 2)
    assert extraction.coverage.missing == ("OEBPS/one.xhtml",)
    assert "damaged_chapters" in codes(extraction)


def test_a_cover_without_text_is_listed_and_no_loss(read: Any) -> None:
    extraction = read(book({"OEBPS/one.xhtml": page('<img src="cover.png"/>')}), "book.epub")
    assert not extraction.is_partial
    assert extraction.coverage.missing == ("OEBPS/one.xhtml",)


ENCRYPTED = (
    '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><e:EncryptedData'
    ' xmlns:e="http://www.w3.org/2001/04/xmlenc#"><e:EncryptionMethod Algorithm="{}"/><e:CipherData>'
    '<e:CipherReference URI="{}"/></e:CipherData></e:EncryptedData></encryption>'
)


def test_a_book_with_copy_protection_is_encrypted(read: Any) -> None:
    listing = ENCRYPTED.format("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "OEBPS/one.xhtml")
    with pytest.raises(EncryptedDocument, match="copy protection"):
        read(book({"META-INF/encryption.xml": listing}), "book.epub")


def test_scrambled_fonts_are_no_matter(read: Any) -> None:
    listing = ENCRYPTED.format("http://www.idpf.org/2008/embedding", "OEBPS/a.otf")
    assert read(book({"META-INF/encryption.xml": listing}), "book.epub").spans


@pytest.mark.parametrize(
    "files",
    [
        {"OEBPS/book.opf": "<package"},
        {"OEBPS/book.opf": package("", "")},
        {"OEBPS/book.opf": b""},
        {"OEBPS/one.xhtml": b"", "OEBPS/text/two b.xhtml": b""},
    ],
)
def test_broken_books(read: Any, files: dict[str, str | bytes]) -> None:
    with pytest.raises(DamagedDocument):
        read(book(files), "book.epub")


def test_no_file_is_read_through_an_entity(read: Any, tmp_path: Any) -> None:
    (tmp_path / "secret").write_text("secret words")
    entity = f'<!DOCTYPE html [<!ENTITY x SYSTEM "file://{tmp_path}/secret">]>'
    opf = f'<!DOCTYPE package [<!ENTITY x SYSTEM "file://{tmp_path}/secret">]>' + package(
        ITEMS, SPINE
    ).replace("The rules", "&x; rules")
    one = page("<p>Kept &x;</p>").replace("<html", f"{entity}<html", 1)
    extraction = read(book({"OEBPS/book.opf": opf, "OEBPS/one.xhtml": one}), "book.epub")
    assert "secret" not in extraction.text + extraction.title


def test_books_are_bounded(read: Any) -> None:
    with pytest.raises(ResourceLimit):
        read(book(), "book.epub", ExtractionLimits(max_chars=20))
    with pytest.raises(ResourceLimit):
        read(book({"OEBPS/a.otf": b"x" * 3_000_000}), "book.epub", ExtractionLimits(max_unpacked_mib=1))


def test_chapters_that_are_pictures_make_the_book_partial(read: Any) -> None:
    scan = page('<svg><image href="scan.png"/></svg>')
    extraction = read(book({"OEBPS/text/two b.xhtml": scan}), "book.epub")
    assert extraction.is_partial
    assert extraction.coverage.missing == ("OEBPS/text/two b.xhtml",)
    assert warning_counts(extraction)["pictures_not_read"] == 1


def test_drawings_and_pictures_of_the_spine_are_not_passed_over(read: Any) -> None:
    items = (
        ITEMS
        + '<item id="d" href="d.svg" media-type="image/svg+xml"/><item id="p" href="p.png" media-type="image/png"/>'
    )
    opf = package(items, SPINE + '<itemref idref="d"/><itemref idref="p"/>')
    drawing = '<svg xmlns="http://www.w3.org/2000/svg"><text>Drawn words</text></svg>'
    extraction = read(book({"OEBPS/book.opf": opf, "OEBPS/d.svg": drawing, "OEBPS/p.png": b"x"}), "book.epub")
    assert "Drawn words" in extraction.text
    assert extraction.is_partial
    assert extraction.coverage.missing == ("OEBPS/p.png",)
    assert warning_counts(extraction)["pictures_not_read"] == 2
