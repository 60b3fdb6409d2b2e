"""Files made to use up the machine: each ends with a reason, within its limits, and harms no other file."""

from __future__ import annotations

import io
import struct
import time
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from docx import Document
from drawn_pdf import lines, pdf
from openpyxl import Workbook
from PIL import Image

from rag import extract_file
from rag.config import ExtractionLimits
from rag.errors import DamagedDocument, DocumentError, ExtractorCrashed, NoText, ResourceLimit
from rag.types import Extraction

LIMITS = ExtractionLimits(memory_mib=1_024, time_s=10)
_GRACE_S = 5.0
MIB = 1024 * 1024
LAUGHS = (
    '<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a0 "lol">'
    + "".join(f'<!ENTITY a{level} "{f"&a{level - 1};" * 10}">' for level in range(1, 10))
    + "]>"
)


def raw_pdf(*objects: bytes) -> bytes:
    """A PDF of these objects, numbered from 1; the first is its catalog."""
    out = bytearray(b"%PDF-1.7\n")
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer <</Size %d /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)


def stream(entries: bytes, data: bytes) -> bytes:
    packed = zlib.compress(data, 9)
    return b"<<%s /Filter /FlateDecode /Length %d>>\nstream\n%s\nendstream" % (entries, len(packed), packed)


def one_page(content: bytes, *more: bytes, resources: bytes = b"", box: bytes = b"0 0 595 842") -> bytes:
    """A PDF of one page with this content stream; `more` are the objects from 5 on."""
    return raw_pdf(
        b"<</Type /Catalog /Pages 2 0 R>>",
        b"<</Type /Pages /Kids [3 0 R] /Count 1>>",
        b"<</Type /Page /Parent 2 0 R /MediaBox [%s] /Contents 4 0 R /Resources <<%s>>>>" % (box, resources),
        stream(b"", content),
        *more,
    )


FONT = b"/Font <</F <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>>>"
WORDS = b"BT /F 12 Tf 60 700 Td (Words on the page) Tj ET "


def many_pages() -> bytes:
    n_pages = 10_000
    kids = b" ".join(b"%d 0 R" % number for number in range(4, n_pages + 4))
    page = b"<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 3 0 R /Resources <<%s>>>>" % FONT
    return raw_pdf(
        b"<</Type /Catalog /Pages 2 0 R>>",
        b"<</Type /Pages /Kids [%s] /Count %d>>" % (kids, n_pages),
        stream(b"", WORDS),
        *[page] * n_pages,
    )


def forms_without_end() -> bytes:
    form = b"/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources <</XObject <</A 5 0 R /B 6 0 R>>>>"
    return one_page(
        b"/A Do",
        stream(form, b"/B Do /A Do"),
        stream(form, b"/A Do /B Do"),
        resources=b"/XObject <</A 5 0 R>>",
    )


def forms_that_multiply() -> bytes:
    """Ten forms, each of which draws the next one ten times: 10^10 words."""
    form = b"/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources <<%s>>"
    forms = [
        stream(form % b"/XObject <</N %d 0 R>>" % number, b"/N Do " * 10)
        if number < 15
        else stream(form % FONT, WORDS)
        for number in range(6, 16)
    ]
    return one_page(b"/N Do", *forms, resources=b"/XObject <</N 5 0 R>>")


def giant_picture_in_pdf() -> bytes:
    picture = stream(
        b"/Type /XObject /Subtype /Image /Width 60000 /Height 60000 /ColorSpace /DeviceRGB /BitsPerComponent 8",
        bytes(4 * MIB),
    )
    return one_page(b"595 0 0 842 0 0 cm /P Do", picture, resources=b"/XObject <</P 5 0 R>>")


def page_tree_that_multiplies() -> bytes:
    """Ten levels of ten children each, all the same: 10^10 pages, none of which is counted."""
    levels = [b"<</Type /Pages /Kids [%s]>>" % (b"%d 0 R " % (number + 1) * 10) for number in range(2, 12)]
    page = b"<</Type /Page /MediaBox [0 0 595 842] /Resources <<>>>>"
    return raw_pdf(b"<</Type /Catalog /Pages 2 0 R>>", *levels, page)


def page_tree_that_lies() -> bytes:
    return raw_pdf(
        b"<</Type /Catalog /Pages 2 0 R>>",
        b"<</Type /Pages /Kids [3 0 R] /Count 2000000000>>",
        b"<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources <<>>>>",
    )


def filters_one_over_another() -> bytes:
    packer = zlib.compressobj(1)
    once = b"".join(packer.compress(b" " * MIB) for _ in range(600)) + packer.flush()
    data = zlib.compress(once, 9)
    content = b"<</Filter [/FlateDecode /FlateDecode] /Length %d>>\nstream\n%s\nendstream" % (len(data), data)
    return raw_pdf(
        b"<</Type /Catalog /Pages 2 0 R>>",
        b"<</Type /Pages /Kids [3 0 R] /Count 1>>",
        b"<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources <<>>>>",
        content,
    )


def repacked(data: bytes, name: str, content: bytes | Callable[[bytes], bytes]) -> bytes:
    """An Office file with one part replaced."""
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as old,
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for part in old.namelist():
            kept = old.read(part)
            if part == name:
                kept = content if isinstance(content, bytes) else content(kept)
            new.writestr(part, kept)
    return buffer.getvalue()


def word(content: bytes | Callable[[bytes], bytes]) -> bytes:
    buffer = io.BytesIO()
    document = Document()
    document.add_paragraph("WORDS")
    document.save(buffer)
    return repacked(buffer.getvalue(), "word/document.xml", content)


def workbook(content: bytes | Callable[[bytes], bytes]) -> bytes:
    buffer = io.BytesIO()
    book = Workbook()
    book.active.append(["WORDS"])
    book.save(buffer)
    return repacked(buffer.getvalue(), "xl/worksheets/sheet1.xml", content)


def laughing(xml: bytes) -> bytes:
    body = xml.split(b"?>", 1)[1] if xml.startswith(b"<?xml") else xml
    return LAUGHS.encode() + body.replace(b"WORDS", b"&a9;")


def nested_word() -> bytes:
    depth = 200_000
    tag = b"w:sdt><w:sdtContent"
    opening, closing = b"<" + tag + b">", b"</w:sdtContent></w:sdt>"
    return word(
        lambda xml: xml.replace(b"<w:p>", opening * depth + b"<w:p>", 1).replace(
            b"</w:p>", b"</w:p>" + closing * depth, 1
        )
    )


def png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(bytes(MIB)))
        + chunk(b"IEND", b"")
    )


def tiff_that_goes_round() -> bytes:
    buffer = io.BytesIO()
    Image.new("L", (40, 40), 255).save(buffer, "TIFF")
    data = bytearray(buffer.getvalue())
    (first,) = struct.unpack_from("<I", data, 4)
    (n_entries,) = struct.unpack_from("<H", data, first)
    struct.pack_into("<I", data, first + 2 + 12 * n_entries, first)
    return bytes(data)


def gif_of_many_frames() -> bytes:
    head = b"GIF89a" + struct.pack("<HHBBB", 2_000, 2_000, 0xF0, 0, 0) + b"\x00\x00\x00\xff\xff\xff"
    frame = b"\x21\xf9\x04\x04\x01\x00\x00\x00" + b"\x2c" + struct.pack("<HHHHB", 0, 0, 1, 1, 0)
    return head + (frame + b"\x02\x02\x44\x01\x00") * 50_000 + b"\x3b"


ENDS_IN_A_REASON = {
    "pages.pdf": (many_pages, (ResourceLimit,)),
    "page-tree.pdf": (page_tree_that_multiplies, (DamagedDocument, ResourceLimit, NoText)),
    "page-count.pdf": (page_tree_that_lies, (DamagedDocument, ResourceLimit, NoText)),
    "filters.pdf": (filters_one_over_another, (NoText, ResourceLimit)),
    "box.pdf": (lambda: one_page(WORDS, box=b"0 0 1e12 1e12", resources=FONT), ()),
    "box-and-picture.pdf": (
        lambda: one_page(b"0 0 100 100 re f", box=b"0 0 2000000000 2000000000"),
        (NoText, ResourceLimit),
    ),
    "forms-without-end.pdf": (forms_without_end, (NoText, ResourceLimit)),
    "forms-that-multiply.pdf": (forms_that_multiply, (ResourceLimit, NoText)),
    "operators.pdf": (lambda: one_page(b"q Q " * 30_000_000), (ResourceLimit, NoText)),
    "letters.pdf": (lambda: one_page(WORDS * 2_000_000, resources=FONT), (ResourceLimit,)),
    "picture.pdf": (giant_picture_in_pdf, (NoText, ResourceLimit)),
    "zeros.docx": (lambda: word(bytes(400 * MIB)), (ResourceLimit,)),
    "laughs.docx": (lambda: word(laughing), (DamagedDocument, NoText, ResourceLimit)),
    "laughs.xlsx": (lambda: workbook(laughing), (DamagedDocument, NoText, ResourceLimit)),
    "nested.docx": (nested_word, (ResourceLimit, DamagedDocument)),
    "nested.xlsx": (
        lambda: workbook(lambda xml: xml.replace(b"<sheetData>", b"<sheetData>" + b"<x>" * 300_000)),
        (ResourceLimit, DamagedDocument),
    ),
    "wide.png": (lambda: png(100_000, 100_000), (ResourceLimit,)),
    "tall.png": (lambda: png(1, 2_000_000_000), (ResourceLimit,)),
    "cut.png": (lambda: png(9_000, 9_000), (DamagedDocument, NoText)),
    "round.tif": (tiff_that_goes_round, (NoText, DamagedDocument, ResourceLimit)),
    "frames.gif": (gif_of_many_frames, (NoText, ResourceLimit)),
}


@pytest.fixture
def outcome(tmp_path: Path) -> Callable[[bytes, str], Extraction | DocumentError]:
    def read(data: bytes, filename: str) -> Extraction | DocumentError:
        path = tmp_path / "stored"
        path.write_bytes(data)
        started = time.monotonic()
        try:
            return extract_file(path, filename=filename, limits=LIMITS)
        except DocumentError as error:
            return error
        finally:
            assert time.monotonic() - started < LIMITS.time_s + _GRACE_S

    return read


@pytest.mark.parametrize("filename", ENDS_IN_A_REASON)
def test_a_bomb_ends_with_a_reason_and_the_next_file_is_read(
    outcome: Callable[[bytes, str], Extraction | DocumentError], filename: str
) -> None:
    build, reasons = ENDS_IN_A_REASON[filename]
    found = outcome(build(), filename)
    assert not isinstance(found, ExtractorCrashed)
    if isinstance(found, DocumentError):
        assert isinstance(found, reasons), found
        assert found.message
        assert found.next_step
    else:
        assert reasons == (), found.text[:200]
    after = outcome(b"The next file.", "next.txt")
    assert isinstance(after, Extraction)


def test_some_pages_of_ten_thousand_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "stored"
    path.write_bytes(many_pages())
    limits = ExtractionLimits(memory_mib=1_024, time_s=10, pages=(9_999, 10_000))
    extraction = extract_file(path, filename="pages.pdf", limits=limits)
    assert [span.locator.page for span in extraction.spans] == [9_999, 10_000]


def test_the_bombs_are_built_like_files_that_can_be_read(
    outcome: Callable[[bytes, str], Extraction | DocumentError],
) -> None:
    for data, filename in (
        (one_page(WORDS, resources=FONT), "a.pdf"),
        (word(lambda xml: xml), "a.docx"),
        (workbook(lambda xml: xml), "a.xlsx"),
        (pdf(lambda canvas: lines(canvas, ["Words"])), "b.pdf"),
    ):
        found = outcome(data, filename)
        assert isinstance(found, Extraction), (filename, found)
        assert "words" in found.text.lower()
