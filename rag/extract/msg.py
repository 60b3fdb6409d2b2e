"""Outlook messages: header, text, and the files that came with it, also messages inside it."""

from __future__ import annotations

import struct
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.parser import HeaderParser
from email.utils import format_datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rag.config import ExtractionLimits
from rag.errors import DamagedDocument
from rag.extract.canonical import Reading, line_text
from rag.extract.decoding import decode_text
from rag.extract.html_page import browser_encoding, declared_encoding
from rag.extract.mail import Attachments, Body, Mail, as_eml, reading_of, sealed_message
from rag.extract.rtf import read as read_rtf
from rag.extract.rtf_packed import unpack_rtf

if TYPE_CHECKING:
    from oxmsg.storage import Storage

_MIB = 1024 * 1024
_ROOT_OFFSET, _EMBEDDED_OFFSET, _ATTACHMENT_OFFSET, _RECIPIENT_OFFSET = 32, 24, 8, 8
"""Where the properties begin in the stream of each kind of storage (MS-OXMSG 2.4)."""
_MAX_DEPTH = 20
# Property ids of MS-OXPROPS.
_MESSAGE_CLASS, _SUBJECT, _HEADERS, _BODY, _HTML, _RTF = 0x001A, 0x0037, 0x007D, 0x1000, 0x1013, 0x1009
_SENDER_NAME, _SENDER_ADDRESS, _SENDER_SMTP, _SUBMITTED, _DELIVERED = 0x0C1A, 0x0C1F, 0x5D01, 0x0039, 0x0E06
_DISPLAY_TO, _DISPLAY_CC, _RECIPIENT_TYPE = 0x0E04, 0x0E03, 0x0C15
_DISPLAY_NAME, _ADDRESS, _SMTP_ADDRESS = 0x3001, 0x3003, 0x39FE
_DATA, _METHOD, _NAME, _LONG_NAME, _MIME_TYPE, _CONTENT_ID = 0x3701, 0x3705, 0x3704, 0x3707, 0x370E, 0x3712
_BY_VALUE, _EMBEDDED = 1, 5
_TO, _CC = 1, 2
_STRING8, _STRING, _BINARY = 0x001E, 0x001F, 0x0102
_INTERNET_CODE_PAGE, _CODE_PAGE = 0x3FDE, 0x3FFD
_CODE_PAGES = {
    65001: "utf_8", 20127: "ascii", 20866: "koi8_r", 21866: "koi8_u", 50220: "iso2022_jp", 51932: "euc_jp",
    51949: "euc_kr", 54936: "gb18030",
}  # fmt: skip
_NUMBER, _TICKS = struct.Struct("<i"), struct.Struct("<Q")
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_MAX_TICKS = 2**61  # in the year 8908; a datetime ends with 9999


def read(path: Path, *, filename: str, limits: ExtractionLimits) -> Reading:
    """The message's header and text; its files are given along, messages inside it as MIME.

    Raises:
        EncryptedDocument: encrypted, wrapped in a signature, or under rights management.
        DamagedDocument: the container or its properties are broken.
        ResourceLimit: the text is longer than the limit, or storages are nested absurdly deep.
    """
    from olefile import OleFileIO  # type: ignore[import-untyped]
    from oxmsg.storage import Storage

    try:
        with OleFileIO(str(path)) as container:
            root = Storage.from_ole(container)
        mail = _Item(root, _ROOT_OFFSET, limits).mail()
    except (OSError, ValueError, LookupError, TypeError, OverflowError, struct.error) as exc:
        raise DamagedDocument("The Outlook message is broken or cut off.") from exc
    return reading_of(mail, filename=filename, limits=limits, encoding=None)


@dataclass(slots=True)
class _Item:
    """A message, recipient or attachment: a storage with its properties."""

    storage: Storage
    offset: int
    limits: ExtractionLimits
    depth: int = 0
    _values: dict[int, bytes] | None = None

    def text(self, pid: int) -> str:
        """A string without its closing NULs; empty when it is missing.

        oxmsg's own properties fail on the code pages of its table that Python has under another name.
        """
        wide = self._stream(pid, _STRING)
        if wide:
            return wide.decode("utf-16-le", errors="replace").rstrip("\0")
        narrow = self._stream(pid, _STRING8)
        return decode_text(narrow.rstrip(b"\0"), declared=self.encoding).text if narrow else ""

    def data(self, pid: int) -> bytes:
        """Bytes; empty when they are missing."""
        return self._stream(pid, _BINARY)

    def number(self, pid: int) -> int:
        """A number; 0 when it is missing."""
        return int(_NUMBER.unpack(self._value(pid)[:4])[0])

    def moment(self, pid: int) -> datetime | None:
        """A time in UTC; None when it is missing or no such time."""
        ticks = _TICKS.unpack(self._value(pid))[0]
        return _EPOCH + timedelta(microseconds=ticks // 10) if 0 < ticks < _MAX_TICKS else None

    @property
    def encoding(self) -> str | None:
        """The codec of strings that are not Unicode; None when the message does not say a known one."""
        page = self.number(_INTERNET_CODE_PAGE) or self.number(_CODE_PAGE)
        name = _CODE_PAGES.get(page) or (f"iso8859_{page - 28590}" if 28590 < page < 28607 else f"cp{page}")
        return browser_encoding(name)

    def _value(self, pid: int) -> bytes:
        """The eight bytes of a property of fixed size; zeros when it is missing."""
        if self._values is None:
            stream = self.storage.properties_stream_bytes[self.offset :]
            entries = (stream[at : at + 16] for at in range(0, len(stream) - 15, 16))
            self._values = {int.from_bytes(entry[2:4], "little"): entry[8:] for entry in entries}
        return self._values.get(pid, bytes(8))

    def _stream(self, pid: int, kind: int) -> bytes:
        try:
            return self.storage.property_stream_bytes(pid, kind)
        except KeyError:
            return b""

    def mail(self) -> Mail:
        """The message in this storage, with its files."""
        kind = self.text(_MESSAGE_CLASS).lower()
        is_signed = kind.endswith(".multipartsigned")
        if ".smime" in kind and not is_signed:
            raise sealed_message("encrypted with S/MIME")
        mail = Mail(Attachments.within(self.limits), subject=line_text(self.text(_SUBJECT)))
        mail.fields = [(name, line_text(value)) for name, value in self._fields(mail.subject)]
        mail.bodies = [body for body in [self._body()] if body.text.strip() or body.plain.strip()]
        shown = mail.bodies[0].text if mail.bodies and mail.bodies[0].is_html else ""
        for storage in self.storage.iter_attachment_storages():
            item = _Item(storage, _ATTACHMENT_OFFSET, self.limits, self.depth)
            item.keep_in(mail, shown=shown, is_signed=is_signed)
        return mail

    def _fields(self, subject: str) -> list[tuple[str, str]]:
        recipients = [
            _Item(storage, _RECIPIENT_OFFSET, self.limits)
            for storage in self.storage.iter_recipient_storages()
        ]
        to, cc = (
            ", ".join(
                item.person(_DISPLAY_NAME, _SMTP_ADDRESS, _ADDRESS)
                for item in recipients
                if item.number(_RECIPIENT_TYPE) == kind
            )
            for kind in (_TO, _CC)
        )
        return [
            ("From", self.person(_SENDER_NAME, _SENDER_SMTP, _SENDER_ADDRESS)),
            ("To", to or self.text(_DISPLAY_TO)),
            ("Cc", cc or self.text(_DISPLAY_CC)),
            ("Date", self._date()),
            ("Subject", subject),
        ]

    def person(self, name: int, *addresses: int) -> str:
        """``Ada Byron <ada@example.org>``; Exchange's internal addresses are left out."""
        shown = self.text(name).strip("'\" ")
        address = next((found for pid in addresses if "@" in (found := self.text(pid))), "")
        if not address or address == shown:
            return shown or address
        return f"{shown} <{address}>".strip()

    def _date(self) -> str:
        sent = HeaderParser().parsestr(self.text(_HEADERS))["Date"]
        if sent:
            return str(sent)
        when = self.moment(_SUBMITTED) or self.moment(_DELIVERED)
        return format_datetime(when) if when is not None else ""

    def _body(self) -> Body:
        plain, html = self.text(_BODY), self.data(_HTML)
        declared = declared_encoding(html) or self.encoding
        page = decode_text(html, declared=declared).text if html else self.text(_HTML)
        if page.strip():
            return Body(page, is_html=True, plain=plain)
        return Body(plain if plain.strip() else self._text_of_rtf())

    def _text_of_rtf(self) -> str:
        rtf = unpack_rtf(self.data(_RTF), max_bytes=self.limits.max_unpacked_mib * _MIB)
        if not rtf:
            return ""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "body.rtf")
            path.write_bytes(rtf)
            return read_rtf(path, filename="body.rtf", limits=self.limits).text

    def keep_in(self, mail: Mail, *, shown: str, is_signed: bool) -> None:
        """Add this attachment to its message; a picture that the page `shown` holds is only counted."""
        method, kind = self.number(_METHOD), self.text(_MIME_TYPE).lower()
        name = self.text(_LONG_NAME) or self.text(_NAME) or self.text(_DISPLAY_NAME)
        content_id = self.text(_CONTENT_ID)
        if name.lower().endswith(".rpmsg"):
            raise sealed_message("protected by rights management")
        if content_id and f"cid:{content_id}" in shown:
            mail.n_pictures += 1
        elif method == _EMBEDDED:
            self._keep_message(mail, name)
        elif method == _BY_VALUE:
            # Outlook keeps a signed message whole, as MIME, in its only attachment.
            mail.attachments.add(self.data(_DATA), "message.eml" if is_signed else name, kind)
        else:  # a link to a file elsewhere, or an object that only its program reads
            mail.n_unread += 1

    def _keep_message(self, mail: Mail, name: str) -> None:
        inner = next(
            (each for each in self.storage.storages if each.name == f"__substg1.0_{_DATA:04X}000D"), None
        )
        if inner is None or self.depth >= _MAX_DEPTH:
            mail.n_unread += 1
            return
        message = _Item(inner, _EMBEDDED_OFFSET, self.limits, self.depth + 1).mail()
        title = message.subject or line_text(name) or "message"
        mail.attachments.add(as_eml(message), f"{title.replace('/', '-')}.eml", "message/rfc822")
