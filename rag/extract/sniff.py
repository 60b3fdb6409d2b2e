"""What a file is, judged by its bytes. The name only chooses among kinds of plain text."""

from __future__ import annotations

import codecs
import mmap
import re
from pathlib import Path

from rag.errors import DamagedDocument, EmptyDocument, EncryptedDocument, UnsupportedFormat
from rag.extract.container import sniff_container
from rag.extract.decoding import decode_text, looks_binary
from rag.extract.formats import FORMATS
from rag.extract.ole import is_cut_off, root_names

_HEAD_BYTES = 64 * 1024
_RTF_MAGIC = b"{\\rtf"
_POSTSCRIPT_MAGIC = b"%!PS"
_OLE_MAGIC = bytes.fromhex("d0cf11e0a1b11ae1")
# A stream's name, and the format it tells. Old Word and PowerPoint files are read by no library we would trust.
_OLE_STREAMS = (
    ("__properties_version1.0", "msg"),
    ("WordDocument", "doc"),
    ("PowerPoint Document", "ppt"),
    ("Workbook", "xls"),
    ("Book", "xls"),
)
_OLD_OFFICE = {
    "doc": ("an old Word document (DOC)", "DOCX"),
    "ppt": ("an old PowerPoint presentation (PPT)", "PPTX"),
}
_MAGIC_FORMATS = (
    (b"\x89PNG\r\n\x1a\n", "image"),
    (b"\xff\xd8\xff", "image"),
    (b"GIF8", "image"),
    (b"BM", "image"),
    (b"II*\x00", "image"),
    (b"MM\x00*", "image"),
    (b"ID3", "recording"),
    (b"\xff\xfb", "recording"),
    (b"\xff\xf3", "recording"),
    (b"\xff\xf2", "recording"),
    (b"OggS", "recording"),
    (b"fLaC", "recording"),
    (b"\x1aE\xdf\xa3", "recording"),
)
_PICTURE_BRANDS = (b"heic", b"heix", b"mif1", b"avif")
_RIFF_FORMATS = {b"WAVE": "recording", b"AVI ": "recording", b"WEBP": "image"}
_MAGICS = (
    (_POSTSCRIPT_MAGIC, "a PostScript file"),
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
# A sentence about the mark, not the mark: a PDF's first line ends after the version.
_PDF_IN_WORDS = re.compile(rb"%PDF-\S*[ \t]+[A-Za-z]{2}")
_NO_WRITING = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")
_MAGIC_BYTES = 64
_TABLE_SUFFIXES = (".xls", ".xlt")
"""Web programs export tables as HTML under these, and Excel opens them."""
_TABLE = re.compile(r"<table\b", re.IGNORECASE)
_HTML_DOCUMENT = re.compile(r"<(!doctype\s+html|html|head|body)[\s>]", re.IGNORECASE)
_HTML_START = re.compile(
    r"\s*(<!--.*?-->\s*)*<(!doctype|html|head|body|title|meta|div|p|table|ul|ol|h[1-6]|article|section|main|span"
    r"|center|font|pre)\b",
    re.IGNORECASE | re.DOTALL,
)
_XML_START = re.compile(r"\s*<\?xml\b", re.IGNORECASE)
_MAIL_MARKS = {"received", "message-id", "mime-version", "return-path", "delivered-to", "content-type"}
_MAIL_FIELD = re.compile(
    r"^(received|message-id|mime-version|return-path|delivered-to|content-type|x-[\w-]+|from|to|subject|date):",
    re.IGNORECASE | re.MULTILINE,
)
_VTT_START = re.compile(r"\ufeff?WEBVTT(?=\s|$)")
_SRT_START = re.compile(r"\s*\d+\s*\r?\n\s*\d+:\d\d:\d\d[,.]\d{1,3}\s*-->\s*\d+:\d\d:\d\d[,.]\d{1,3}")
_SELF_EVIDENT = frozenset(("eml", "vtt", "srt"))
"""Kinds of text that say themselves what they are, whatever the file's ending."""
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
        return _ole_format(path)
    named = _format_of_magic(head)
    if named is not None:
        return named
    if looks_binary(head):
        raise UnsupportedFormat("The content is binary data of an unknown kind.")
    return _text_format(decode_text(head).text, Path(filename).suffix.lower())


def is_recording(path: Path) -> bool:
    """The file begins as a recording does; for what has to be known before it is read.

    Raises:
        OSError: the file cannot be opened.
    """
    with path.open("rb") as file:
        head = file.read(64)
    try:
        return _format_of_magic(head) == "recording"
    except UnsupportedFormat:
        return False


def _is_pdf(head: bytes) -> bool:
    """``%PDF-`` at the start, or as readers allow within 1,024 bytes if PDF objects follow."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n\x00")
    if start.startswith(b"%PDF-") and _PDF_IN_WORDS.match(start) is None:
        return True
    return b"%PDF-" in head[:1024] and _PDF_OBJECT.search(head) is not None


def _is_writing(head: bytes) -> bool:
    """A text may open with the letters of a mark: GIF89a is a word too."""
    start = head[:_MAGIC_BYTES]
    if _NO_WRITING.search(start):
        return False
    return "\ufffd" not in codecs.getincrementaldecoder("utf-8")("replace").decode(start)


def _format_of_magic(head: bytes) -> str | None:
    if head.startswith(_RTF_MAGIC):
        return "rtf"
    is_writing = _is_writing(head)
    for magic, kind in _MAGICS:
        if head.startswith(magic) and (magic == _POSTSCRIPT_MAGIC or not is_writing):
            raise UnsupportedFormat(f"The content is {kind}, which is not read.")
    if is_writing:
        return None
    if head.startswith(b"RIFF"):
        return _RIFF_FORMATS.get(head[8:12])
    if head[4:8] == b"ftyp":
        return "image" if head[8:12] in _PICTURE_BRANDS else "recording"
    # "BM" opens words of old encodings too; a bitmap's header holds zero bytes.
    return next(
        (
            name
            for magic, name in _MAGIC_FORMATS
            if head.startswith(magic) and (magic != b"BM" or b"\x00\x00" in head[:14])
        ),
        None,
    )


def _ole_format(path: Path) -> str:
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        names = root_names(data)
        if not names and is_cut_off(data):
            raise DamagedDocument("The file is an old Office container whose end is missing.")
        # A broken directory is searched for names; they may be those of an embedded file.
        has = names.__contains__ if names else lambda name: data.find(name.encode("utf-16-le")) >= 0
        if has("EncryptedPackage"):
            raise EncryptedDocument("The file is an Office document with a password.")
        found = next((name for stream, name in _OLE_STREAMS if has(stream)), "")
    if found in _OLD_OFFICE:
        label, new = _OLD_OFFICE[found]
        raise UnsupportedFormat(
            f"The content is {label}, which is not read.", next_step=f"Save it as {new} and upload that copy."
        )
    if found:
        return found
    raise UnsupportedFormat("The content is an old Office container (OLE), which is not read.")


def _text_format(head: str, suffix: str) -> str:
    looks_like = _look_of_text(head)
    if looks_like not in FORMATS:
        raise UnsupportedFormat(f"The content looks like {looks_like}, which is not read.")
    if suffix in _TABLE_SUFFIXES and looks_like == "html" and _TABLE.search(head):
        return "html"
    if suffix and suffix not in _TEXT_SUFFIXES:
        # A page or note under another name is most often a download's error text.
        label = FORMATS[looks_like].label
        raise UnsupportedFormat(f"The name ends in {suffix}, but the content looks like {label}.")
    if looks_like in _SELF_EVIDENT:
        return looks_like
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
        return "eml"
    if _VTT_START.match(head):
        return "vtt"
    if _SRT_START.match(head):
        return "srt"
    return "markdown" if len(_MARKDOWN_SIGN.findall(head)) >= 2 else "text"


def _is_mail(head: str) -> bool:
    """It opens with a header field and its header block has two that only mail programs write."""
    if not _MAIL_FIELD.match(head):
        return False
    header_block = re.split(r"\r?\n\r?\n", head, maxsplit=1)[0]
    return len({name.lower() for name in _MAIL_FIELD.findall(header_block)} & _MAIL_MARKS) > 1
