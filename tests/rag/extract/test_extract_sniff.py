from __future__ import annotations

from typing import Any

import pytest
from drawn_pdf import lines, pdf
from office_files import xls

from rag.errors import DamagedDocument, EmptyDocument, EncryptedDocument, UnsupportedFormat
from rag.extract.formats import FORMATS, current_extractors, supported_suffixes

OLE = bytes.fromhex("d0cf11e0a1b11ae1") + b"\0" * 600


def ole(stream: str) -> bytes:
    return OLE + stream.encode("utf-16-le") + b"\0" * 600


def test_a_pdf_under_any_name_is_read_and_reported(read: Any) -> None:
    extraction = read(pdf(lambda canvas: lines(canvas, ["Some words to read."])), "policy.docx")
    assert (extraction.format, extraction.extractor) == ("pdf", FORMATS["pdf"].extractor)
    assert extraction.warnings[0].code == "extension_mismatch"
    assert "a PDF" in extraction.warnings[0].message


@pytest.mark.parametrize(
    ("data", "filename", "names"),
    [
        (b"404 not found", "policy.pdf", r"ends in \.pdf.*plain text"),
        (b"<!DOCTYPE html><html><body>Log in</body></html>", "policy.docx", r"ends in \.docx.*HTML"),
        (b'{"answer": 42}', "answer.json", r"ends in \.json.*plain text"),
        (b"<!DOCTYPE html><html><body>Log in</body></html>", "rates.xls", r"ends in \.xls.*HTML"),
        (b"\x1f\x8b\x08....", "policy.pdf", "gzip"),
        (b"\x00\x00\x00\x18ftypheic....", "photo.txt", "HEIC"),
        (b"\x00\x00\x00\x18ftypmp42", "talk.mp4", "recording; no speech model"),
        (b"SQLite format 3\x00", "db.txt", "SQLite"),
        (ole("WordDocument"), "old.docx", r"old Word document"),
        (ole("PowerPoint Document"), "old.ppt", r"old PowerPoint"),
        (OLE, "x.bin", "OLE"),
        (bytes(range(256)) * 4, "x.txt", "binary data"),
    ],
)
def test_the_reason_names_what_the_content_looks_like(
    read: Any, data: bytes, filename: str, names: str
) -> None:
    with pytest.raises(UnsupportedFormat, match=names) as caught:
        read(data, filename)
    assert caught.value.next_step


def test_an_office_file_is_known_by_its_root_and_not_by_what_is_embedded(read: Any) -> None:
    cells = {(1, 1): "the stream WordDocument of an embedded file"}
    assert "WordDocument".encode("utf-16-le") in xls({"S": cells})
    assert read(xls({"S": cells}), "old.xls").format == "xls"
    with pytest.raises(DamagedDocument, match="end is missing"):
        read(xls({"S": cells})[:3000], "old.xls")


def test_encrypted_office_files(read: Any) -> None:
    with pytest.raises(EncryptedDocument):
        read(ole("EncryptedPackage"), "secret.xlsx")


def test_no_bytes(read: Any) -> None:
    with pytest.raises(EmptyDocument):
        read(b"", "a.pdf")


@pytest.mark.parametrize(
    ("data", "filename", "format_name"),
    [
        (b"# Title\n\nText", "a.md", "markdown"),
        (b"# Title\n\nText", "a.txt", "text"),
        (b"a,b\n1,2", "a.csv", "csv"),
        (b"a,b\n1,2", "a.txt", "text"),
        (b"just words", "README", "text"),
        (b"<html><body>x</body></html>", "a.txt", "html"),
        (b"<div><p>x</p></div>", "a.htm", "html"),
        (b"{\\rtf1\\ansi text}", "letter.doc", "rtf"),
        (b"The header is %PDF-1.7, as the format says.", "a.txt", "text"),
        (b"%PDF-1.7 is how such a file begins.", "a.txt", "text"),
        (b"ID3 tags name the artist.", "a.txt", "text"),
        (b"GIF89a is a format of 1989.", "a.md", "markdown"),
        (b"RIFF and WAVE go together.", "a.txt", "text"),
        ("BMW prüft".encode("latin-1"), "a.txt", "text"),
        (b"<html><body><table><tr><td>a</td><td>b</td></tr></table></body></html>", "rates.xls", "html"),
        (b"From: the team\n\nSubject matters.", "a.txt", "text"),
        (b"Received: by x\nMessage-ID: <1@x>\nSubject: Hi\n\nHello", "mail.txt", "eml"),
        (b"Subject: Hi\nMIME-Version: 1.0\nContent-Type: text/plain\n\nHello", "mail", "eml"),
        (b"WEBVTT\n\n00:01.000 --> 00:02.000\nHello", "talk.txt", "vtt"),
        (b"1\n00:00:01,000 --> 00:00:02,000\nHello", "talk.md", "srt"),
    ],
)
def test_text_formats(read: Any, data: bytes, filename: str, format_name: str) -> None:
    assert read(data, filename).format == format_name


def test_the_lists_of_formats_agree() -> None:
    assert current_extractors() == {name: f"{name}/{entry.version}" for name, entry in FORMATS.items()}
    assert len(set(supported_suffixes())) == len(supported_suffixes())
    assert {".pdf", ".docx", ".xlsx", ".html", ".md", ".txt", ".csv"} <= set(supported_suffixes())
