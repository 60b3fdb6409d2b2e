"""What a file is, judged by its bytes. The name only chooses among kinds of plain text."""

from __future__ import annotations

import mmap
import re
from pathlib import Path

from rag.errors import EmptyDocument, EncryptedDocument, UnsupportedFormat
from rag.extract.container import sniff_container
from rag.extract.decoding import decode_text, looks_binary
from rag.extract.formats import FORMATS

_HEAD_BYTES = 64 * 1024
_OLE_MAGIC = bytes.fromhex("d0cf11e0a1b11ae1")
_OLE_KINDS = (
    ("WordDocument", "an old Word document (DOC)"),
    ("PowerPoint Document", "an old PowerPoint presentation (PPT)"),
    ("Workbook", "an old Excel workbook (XLS)"),
    ("__substg1.0_", "an Outlook message (MSG)"),
    ("Book", "an old Excel workbook (XLS)"),
)
_MAGICS = (
    (b"{\\rtf", "an RTF document"),
    (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"II*\x00", "a TIFF picture"),
    (b"MM\x00*", "a TIFF picture"),
    (b"RIFF", "a media file"),
    (b"ID3", "an MP3 recording"),
    (b"OggS", "an Ogg recording"),
    (b"fLaC", "a FLAC recording"),
    (b"%!PS", "a PostScript file"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ\x00", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (b"\x7fELF", "a program"),
    (b"MZ\x90", "a program"),
    (b"SQLite format 3\x00", "a SQLite database"),
)
_TEXT_SUFFIXES = {
    suffix: entry.name for entry in FORMATS.values() if entry.is_text for suffix in entry.suffixes
}
_PDF_OBJECT = re.compile(rb"\b\d+ \d+ obj\b")
_HTML_DOCUMENT = re.compile(r"<(!doctype\s+html|html|head|body)[\s>]", re.IGNORECASE)
_HTML_START = re.compile(
    r"\s*(<!--.*?-->\s*)*<(!doctype|html|head|body|title|meta|div|p|table|ul|ol|h[1-6]|article|section|main|span"
    r"|center|font|pre)\b",
    re.IGNORECASE | re.DOTALL,
)
_XML_START = re.compile(r"\s*<\?xml\b", re.IGNORECASE)
_MAIL_MARKS = {"received", "message-id", "mime-version", "return-path", "delivered-to"}
_MAIL_FIELD = re.compile(
    r"^(received|message-id|mime-version|return-path|delivered-to|x-[\w-]+|from|to|subject|date):",
    re.IGNORECASE | re.MULTILINE,
)
_MARKDOWN_SIGN = re.compile(r"^(#{1,6} \S|```|[-*] \[|\|.*\|\s*$)|\]\([^)\s]+\)", re.MULTILINE)


def sniff_format(path: Path, *, filename: str) -> str:
    """The format's name in `rag.extract.formats.FORMATS`.

    Raises:
        EmptyDocument: the file has no bytes.
        UnsupportedFormat: no reader; the message says what the content looks like.
        EncryptedDocument: an Office file with a password.
        DamagedDocument: a container whose directory cannot be read.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    if not head:
        raise EmptyDocument("The file has no bytes.")
    if _is_pdf(head):
        return "pdf"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
        return sniff_container(path)
    if head.startswith(_OLE_MAGIC):
        _refuse_ole(path)
    for magic, kind in _MAGICS:
        if head.startswith(magic):
            raise UnsupportedFormat(f"The content is {kind}, which is not read.")
    if head[4:8] == b"ftyp":
        raise UnsupportedFormat("The content is a video or recording (MP4), which is not read.")
    if looks_binary(head):
        raise UnsupportedFormat("The content is binary data of an unknown kind.")
    return _text_format(decode_text(head).text, Path(filename).suffix.lower())


def _is_pdf(head: bytes) -> bool:
    """``%PDF-`` at the start, or as readers allow within 1,024 bytes if PDF objects follow."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n\x00")
    return start.startswith(b"%PDF-") or (b"%PDF-" in head[:1024] and _PDF_OBJECT.search(head) is not None)


def _refuse_ole(path: Path) -> None:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        if data.find("EncryptedPackage".encode("utf-16-le")) >= 0:
            raise EncryptedDocument("The file is an Office document with a password.")
        for stream, kind in _OLE_KINDS:
            if data.find(stream.encode("utf-16-le")) >= 0:
                raise UnsupportedFormat(f"The content is {kind}, which is not read.")
    raise UnsupportedFormat("The content is an old Office container (OLE), which is not read.")


def _text_format(head: str, suffix: str) -> str:
    looks_like = _look_of_text(head)
    if looks_like not in FORMATS:
        raise UnsupportedFormat(f"The content looks like {looks_like}, which is not read.")
    if suffix and suffix not in _TEXT_SUFFIXES:
        # A page or note under another name is most often a download's error text.
        label = FORMATS[looks_like].label
        raise UnsupportedFormat(f"The name ends in {suffix}, but the content looks like {label}.")
    named = _TEXT_SUFFIXES.get(suffix, looks_like)
    if looks_like == "html" and (named != "markdown" or _HTML_DOCUMENT.match(head.lstrip())):
        return "html"
    return named


def _look_of_text(head: str) -> str:
    if _XML_START.match(head):
        return "html" if _HTML_DOCUMENT.search(head) else "an XML file"
    if _HTML_START.match(head):
        return "html"
    if _is_mail(head):
        return "an e-mail message"
    return "markdown" if len(_MARKDOWN_SIGN.findall(head)) >= 2 else "text"


def _is_mail(head: str) -> bool:
    """It opens with a header field and its header block has two that only mail programs write."""
    if not _MAIL_FIELD.match(head):
        return False
    header_block = re.split(r"\r?\n\r?\n", head, maxsplit=1)[0]
    return len({name.lower() for name in _MAIL_FIELD.findall(header_block)} & _MAIL_MARKS) > 1
