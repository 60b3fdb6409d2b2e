"""E-mail messages and web archives (MIME): header, text, and the files that came with it."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, replace
from email import errors, message_from_bytes, policy
from email.header import decode_header
from email.message import Message
from pathlib import Path
from typing import TYPE_CHECKING

from rag.config import ExtractionLimits
from rag.errors import ResourceLimit
from rag.extract.canonical import Reading, line_text
from rag.extract.decoding import decode_text
from rag.extract.html_page import browser_encoding
from rag.extract.mail import Attachments, Body, Mail, reading_of, sealed_message, unflowed

if TYPE_CHECKING:
    Part = Message[str, str]

_FIELDS = ("From", "To", "Cc", "Date", "Subject")
_ARCHIVE_SUFFIXES = (".mht", ".mhtml")
_MAX_DECODED_CHARS = 50_000
"""Of one header: its decoder takes minutes for millions of words; the rest stays as it is written."""
_MAX_PARTS = 2_000
"""Several times the files that are kept of one message; each costs the parser more than its bytes tell."""
_BOUNDARY = re.compile(rb'boundary\s*=\s*(?:"([^"\r\n]+)"|([^\s;"]+))', re.IGNORECASE)
_BOUNDARY_LINE = re.compile(rb"(?:\A|(?<=[\r\n]))--([^\r\n]+)")
_FOLD = re.compile(r"\r?\n(?=[ \t])|[\r\n]")
_SIGNATURES = ("application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature")
_SEALED = ("application/pkcs7-mime", "application/x-pkcs7-mime")
_CALENDARS = ("text/calendar", "application/ics")
_PART_START = re.compile(r"^content-(type|transfer-encoding):", re.IGNORECASE | re.MULTILINE)


def read(path: Path, *, filename: str, limits: ExtractionLimits) -> Reading:
    """The message's header and text; its files are given along, also messages inside it.

    Raises:
        EncryptedDocument: encrypted, or wrapped in a signature, with S/MIME or PGP.
        ResourceLimit: the text is longer than the limit, or parts are too many or nested absurdly deep.
    """
    data = path.read_bytes()
    marked = decode_text(data) if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else None
    if marked is not None:
        data = marked.text.encode()
    if _n_boundaries(data) > _MAX_PARTS:
        raise ResourceLimit(f"The message has more than {_MAX_PARTS:,} parts.")
    # Not `policy.default`: its header parser fails, or takes minutes, on what strangers put into one.
    message = message_from_bytes(data, policy=policy.compat32)
    mail = Mail(Attachments.within(limits))
    walk = _Walk(mail)
    mail.subject = line_text(_field(message, "Subject"))
    mail.is_web_archive = _is_web_archive(message, filename)
    mail.fields = [(name, line_text(_field(message, name))) for name in _FIELDS]
    mail.bodies = walk.bodies_of(message)
    encoding = marked.encoding if marked is not None else walk.encoding
    return reading_of(mail, filename=filename, limits=limits, encoding=encoding)


def _n_boundaries(data: bytes) -> int:
    """Lines that part a message, also those inside messages that came with it."""
    marks = {(quoted or bare).strip() for quoted, bare in _BOUNDARY.findall(data)}
    return sum(line.rstrip() in marks for line in _BOUNDARY_LINE.findall(data)) if marks else 0


def _is_web_archive(message: Part, filename: str) -> bool:
    """A page saved by a browser: it says so, or is named so and was sent to nobody."""
    if message["Snapshot-Content-Location"] or "saved by" in _field(message, "From").lower():
        return True
    return filename.lower().endswith(_ARCHIVE_SUFFIXES) and not message["To"]


@dataclass(slots=True)
class _Walk:
    """Sorts the parts of one message into text and files."""

    mail: Mail
    encoding: str | None = None
    """Of the first text, if the file can be shown in it."""

    def bodies_of(self, part: Part, *, is_root: bool = True) -> list[Body]:
        """The texts inside `part` in order; its files are kept on the way."""
        kind = part.get_content_type()
        self.mail.is_cut_off |= _is_cut_off(part)
        self.mail.n_unread += _PART_START.search(part.epilogue or "") is not None
        if kind == "multipart/encrypted" or kind in _SEALED:
            raise sealed_message(_seal_of(part))
        if kind == "multipart/alternative":
            return self._best_of([self.bodies_of(inner, is_root=False) for inner in _parts(part)])
        if kind == "multipart/related":
            return self._related(_parts(part))
        if kind.startswith("multipart/") and part.is_multipart():
            return [body for inner in _parts(part) for body in self.bodies_of(inner, is_root=False)]
        if kind.startswith("multipart/"):  # without a single boundary
            return self._text(part, "text/plain")
        if kind.startswith("text/") and kind not in _CALENDARS and (is_root or not _is_file(part)):
            return self._text(part, kind)
        self._keep(part, kind)
        return []

    def _best_of(self, choices: list[list[Body]]) -> list[Body]:
        """The richest form comes last (RFC 2046); plain text stands by for a page that shows nothing."""
        filled = [bodies for bodies in choices if bodies]
        plain = "\n\n".join(body.text for bodies in filled for body in bodies if not body.is_html)
        for bodies in reversed(filled):
            if bodies[0].is_html:
                return [replace(bodies[0], plain=plain), *bodies[1:]]
        return filled[0] if filled else []

    def _related(self, parts: list[Part]) -> list[Body]:
        """The first part is shown; the others are its pictures and styles, or files put there by mistake."""
        bodies = self.bodies_of(parts[0], is_root=False) if parts else []
        for part in parts[1:]:
            kind = part.get_content_type()
            if kind.startswith("image/") or self.mail.is_web_archive:
                self.mail.n_pictures += kind.startswith("image/")
            else:
                bodies += self.bodies_of(part, is_root=False)
        return bodies

    def _text(self, part: Part, kind: str) -> list[Body]:
        payload = self._payload(part)
        if payload is None:
            return []
        decoded = decode_text(payload, declared=_charset(part, payload))
        if self.encoding is None and not decoded.encoding.startswith(("utf-16", "utf-32")):
            self.encoding = decoded.encoding
        is_flowed = str(part.get_param("format") or "").lower() == "flowed"
        text = unflowed(decoded.text) if is_flowed else decoded.text
        if not text.strip():
            return []
        is_html = kind in ("text/html", "application/xhtml+xml")
        return [Body(text, is_html, warnings=decoded.warnings, is_garbled=decoded.is_partial)]

    def _keep(self, part: Part, kind: str) -> None:
        if kind in _SIGNATURES or self.mail.is_web_archive:
            return
        if kind in _CALENDARS:
            self.mail.n_invitations += 1
        elif kind.startswith("image/") and part.get_content_disposition() != "attachment":
            self.mail.n_pictures += 1
        elif kind.startswith("message/"):
            self._keep_message(part, kind)
        else:
            content = self._payload(part)
            if content is not None:
                self.mail.attachments.add(content, _filename(part), kind)

    def _keep_message(self, part: Part, kind: str) -> None:
        """A forwarded message becomes a file; a report about delivery is one of text."""
        inner = _parts(part)
        if kind == "message/rfc822" and inner:
            try:
                content = inner[0].as_bytes()
            except (UnicodeError, LookupError, errors.MessageError):
                self.mail.n_unread += 1
                return
            subject = line_text(_field(inner[0], "Subject"))
            name = _filename(part) or f"{subject.replace('/', '-') or 'message'}.eml"
            self.mail.attachments.add(content, name if name.lower().endswith(".eml") else f"{name}.eml")
        else:
            lines = "\n\n".join(
                "\n".join(f"{name}: {_text_of(value)}" for name, value in each.raw_items()) for each in inner
            )
            text = lines or _text_of(str(part.get_payload()))
            self.mail.attachments.add(text.encode(), _filename(part) or f"{kind.partition('/')[2]}.txt")

    def _payload(self, part: Part) -> bytes | None:
        """The decoded bytes; None, and counted, when they cannot be decoded."""
        try:
            payload = part.get_payload(decode=True)
        except (UnicodeError, LookupError, ValueError):
            payload = None
        if not isinstance(payload, bytes):
            self.mail.n_unread += 1
            return None
        return payload


def _parts(part: Part) -> list[Part]:
    payload = part.get_payload()
    return [inner for inner in payload if isinstance(inner, Message)] if isinstance(payload, list) else []


def _is_cut_off(part: Part) -> bool:
    """The mark of its end is missing, and its last part does not look complete either."""
    if not any(isinstance(defect, errors.CloseBoundaryNotFoundDefect) for defect in part.defects):
        return False
    last = list(part.walk())[-1]
    is_base64 = str(last["Content-Transfer-Encoding"] or "").strip().lower() == "base64"
    return not is_base64 or len("".join(str(last.get_payload()).split())) % 4 != 0


def _is_file(part: Part) -> bool:
    return part.get_content_disposition() == "attachment" or bool(_filename(part))


def _seal_of(part: Part) -> str:
    kind = str(part.get_param("smime-type") or part.get_param("protocol") or "").lower()
    if "signed" in kind:
        return "wrapped in an S/MIME signature, which only a mail program opens"
    return "encrypted with PGP" if "pgp" in kind else "encrypted with S/MIME"


def _charset(part: Part, payload: bytes) -> str | None:
    """The codec that the part declares, but for mail programs that send UTF-8 under the name they always use."""
    declared = browser_encoding(part.get_content_charset() or "")
    if declared != "cp1252":
        return declared
    try:
        payload.decode("utf-8")
    except UnicodeDecodeError:
        return None if part.get_content_charset() == "us-ascii" else declared
    return "utf-8"


def _filename(part: Part) -> str | None:
    name = part.get_filename()
    return line_text(_text_of(name)) if name else None


def _field(message: Part, name: str) -> str:
    """All header fields of that name, decoded."""
    return ", ".join(_text_of(value) for key, value in message.raw_items() if key.lower() == name.lower())


def _text_of(raw: object) -> str:
    """A header's value: encoded words decoded, and raw bytes, which were never allowed, guessed."""
    value = _FOLD.sub("", str(raw))
    if not value.isascii():
        value = decode_text(value.encode("utf-8", errors="surrogateescape")).text
    try:
        pieces = decode_header(value[:_MAX_DECODED_CHARS])
    except errors.HeaderParseError:
        return value
    pieces.append((value[_MAX_DECODED_CHARS:], None))
    return "".join(
        piece if isinstance(piece, str) else _decoded_word(piece, charset) for piece, charset in pieces
    )


def _decoded_word(word: bytes, charset: str | None) -> str:
    if charset is None:
        return word.decode("raw-unicode-escape", errors="replace")
    return decode_text(word, declared=browser_encoding(charset)).text
