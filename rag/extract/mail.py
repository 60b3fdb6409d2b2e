"""A message as text: who wrote to whom and when, what was written, and the files that came with it."""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.header import Header
from email.mime.application import MIMEApplication
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from pathlib import PurePosixPath

from rag.config import ExtractionLimits
from rag.errors import EncryptedDocument
from rag.extract.canonical import CanonicalBuilder, Reading, line_text
from rag.extract.html_blocks import HtmlBlocks
from rag.extract.html_page import Dropped, main_part, page_title, parse_page, whole_body
from rag.extract.left_out import left_out
from rag.extract.outline import choose_title
from rag.extract.text import TextBlocks
from rag.extract.wording import count_of
from rag.types import Attachment, Coverage, ExtractionWarning, Locator

_MIB = 1024 * 1024
_MAX_ATTACHMENTS = 500
_MAX_NAME_CHARS = 150
_OPEN_IT_FIRST = "Open the message in the mail program, forward it without encryption and upload that copy."
_PGP_MESSAGE = re.compile(r"^-----BEGIN PGP MESSAGE-----\s*$", re.MULTILINE)
_PGP_ARMOUR = re.compile(
    r"^-----BEGIN PGP SIGNED MESSAGE-----\s*\n(Hash: [^\n]*\n)*"
    r"|^-----BEGIN PGP SIGNATURE-----.*?(^-----END PGP SIGNATURE-----|\Z)",
    re.MULTILINE | re.DOTALL,
)
_ADDRESS = re.compile(r"\S+://\S+")
_WORD = re.compile(r"\w+")
# RFC 3676: a line that ends in a space goes on in the next one, except before a signature.
_FLOWED = re.compile(r"(?<!^--) \r?\n(?!-- \r?\n|>)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Body:
    """What was written. `plain` is the same in plain text, for a page that shows nothing or only where to look."""

    text: str
    is_html: bool = False
    plain: str = ""
    warnings: tuple[ExtractionWarning, ...] = ()
    """What its decoding lost or left in doubt."""
    is_garbled: bool = False


@dataclass(slots=True)
class Attachments:
    """The files of one message, together at most `max_bytes`; what does not fit is counted."""

    max_bytes: int
    files: list[Attachment] = field(default_factory=list)
    n_too_many: int = 0
    _size: int = 0

    @classmethod
    def within(cls, limits: ExtractionLimits) -> Attachments:
        """None yet, bounded by the limits."""
        return cls(limits.max_attachment_mib * _MIB)

    def add(self, content: bytes, name: str | None, mime_type: str = "") -> None:
        """Keep a file; without a name it gets one that tells its type."""
        if len(self.files) >= _MAX_ATTACHMENTS or self._size + len(content) > self.max_bytes:
            self.n_too_many += 1
            return
        self._size += len(content)
        self.files.append(Attachment(self._usable_name(name, mime_type), content))

    def _usable_name(self, name: str | None, mime_type: str) -> str:
        last = line_text((name or "").replace("\\", "/").rstrip("/").rpartition("/")[2])
        if not last.strip("."):
            last = f"attachment {len(self.files) + 1}{mimetypes.guess_extension(mime_type) or ''}"
        path = PurePosixPath(last)
        return path.stem[:_MAX_NAME_CHARS] + path.suffix[:20]


@dataclass(slots=True)
class Mail:
    """One message on its way to text."""

    attachments: Attachments
    subject: str = ""
    fields: list[tuple[str, str]] = field(default_factory=list)
    """Names and values of the header, in the order they are shown."""
    bodies: list[Body] = field(default_factory=list)
    is_web_archive: bool = False
    """A saved page rather than a message: only its main part counts."""
    is_cut_off: bool = False
    n_pictures: int = 0
    n_invitations: int = 0
    n_unread: int = 0
    """Parts that could not be decoded."""

    @property
    def header(self) -> str:
        """The fields that say something, a line each."""
        return "\n".join(f"{name}: {value}" for name, value in self.fields if value)

    def warnings(self) -> Iterator[ExtractionWarning]:
        """What was not read, and what was left out."""
        yield from dict.fromkeys(warning for body in self.bodies for warning in body.warnings)
        if self.is_cut_off:
            yield ExtractionWarning("cut_off", "The message has no end: something of it may be missing.")
        if self.n_unread:
            parts = count_of(self.n_unread, "part")
            yield ExtractionWarning("damaged_parts", f"Damaged and not read: {parts}.", self.n_unread)
        yield from left_out(
            "attachments_over_limit",
            self.attachments.n_too_many,
            "attachment",
            detail=", too many or too large together",
        )
        yield from left_out("pictures_left_out", self.n_pictures, "picture", detail=" inside the text")
        yield from left_out("invitations_left_out", self.n_invitations, "calendar entry")

    @property
    def is_partial(self) -> bool:
        """Something of the message is known to be missing."""
        return bool(
            self.is_cut_off
            or self.n_unread
            or self.attachments.n_too_many
            or any(body.is_garbled for body in self.bodies)
        )


def reading_of(mail: Mail, *, filename: str, limits: ExtractionLimits, encoding: str | None) -> Reading:
    """The header as the first block, then what was written.

    Raises:
        EncryptedDocument: the text is a PGP message.
        ResourceLimit: the text is longer than the limit.
    """
    builder = CanonicalBuilder(limits.max_chars)
    dropped = Dropped()
    if not mail.is_web_archive:
        builder.add(mail.header, "paragraph", Locator())
    pages, texts = HtmlBlocks(builder), TextBlocks(builder)
    n_before = len(builder.spans())
    title: str | None = None
    for body in mail.bodies:
        n_spans, says_else = len(builder.spans()), False
        if body.is_html:
            page = parse_page(body.text, dropped)
            title = title or page_title(page)
            root = main_part(page, dropped) if mail.is_web_archive else whole_body(page)
            says_else = _says_else(body.plain, line_text(root.get_text(" ")))
            pages.add_page(root)
        if says_else or len(builder.spans()) == n_spans:
            texts.add_text(_readable(body.plain if body.is_html else body.text))
    is_empty = len(builder.spans()) == n_before and not mail.is_web_archive
    nothing = (ExtractionWarning("no_message_text", "The message itself has no text."),) if is_empty else ()
    return Reading(
        title=choose_title(
            (title if mail.is_web_archive else None, mail.subject, pages.first_heading), filename
        ),
        text=builder.text(),
        spans=builder.spans(),
        coverage=Coverage("document", 1, 1),
        is_partial=mail.is_partial,
        encoding=encoding,
        warnings=(*mail.warnings(), *nothing, *dropped.warnings),
        attachments=tuple(mail.attachments.files),
    )


def as_eml(mail: Mail) -> bytes:
    """The message as a MIME file, for one that is stored inside another format."""
    message = MIMEMultipart()
    for name, value in mail.fields:
        if value:
            message[name] = Header(value, "utf-8").encode()
    for body in mail.bodies:
        forms = [MIMEText(body.plain, "plain", "utf-8")] if body.plain else []
        forms.append(MIMEText(body.text, "html" if body.is_html else "plain", "utf-8"))
        message.attach(MIMEMultipart("alternative", _subparts=forms))
    for file in mail.attachments.files:
        part = MIMEApplication(file.content)
        part.add_header("Content-Disposition", "attachment", filename=("utf-8", "", file.name))
        message.attach(part)
    return message.as_bytes()


def unflowed(text: str) -> str:
    """Text of ``format=flowed`` with its paragraphs on one line each."""
    return _FLOWED.sub(" ", text)


def sealed_message(how: str) -> EncryptedDocument:
    """The reason for a message that only its reader's mail program opens; `how` names the seal."""
    return EncryptedDocument(f"The message is {how}.", next_step=_OPEN_IT_FIRST)


def _says_else(plain: str, shown: str) -> bool:
    """The plain text is no copy of what the page shows: it is as long, and most of its words are others."""
    if len(plain.strip()) < len(shown):
        return False
    words = set(_WORD.findall(_ADDRESS.sub(" ", plain.casefold())))
    return 2 * len(words & set(_WORD.findall(shown.casefold()))) < len(words)


def _readable(text: str) -> str:
    if _PGP_MESSAGE.search(text):
        raise sealed_message("encrypted with PGP")
    return _PGP_ARMOUR.sub("", text)
