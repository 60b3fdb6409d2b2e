"""ZIP archives: unpacked safely, each member a document, and kept in step by the archive's name."""

from __future__ import annotations

import stat
import tempfile
import zipfile
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from django.conf import settings

import rag
from console.access import Rejected, require_admin
from console.people.models import User
from console.sources.models import Folder
from console.sources.names import clean_name, is_system_file
from console.sources.sync import SyncFile, sync_files
from console.sources.sync_report import SyncReport, SyncResult, SyncRow
from console.sources.uploads import within_limit

MAX_MEMBERS = 5_000
MAX_UNPACKED_MIB = 2_048
_UTF8_NAME = 0x800


def is_archive(name: str) -> bool:
    """True when a file of this name is unpacked instead of stored."""
    return name.lower().endswith(".zip")


def upload_archive(*, actor: User | None, folder: Folder, name: str, pieces: Iterable[bytes]) -> SyncReport:
    """Unpack an uploaded archive into the folder. The same name again is an incremental sync.

    Raises:
        NotPermitted: the actor is no admin.
        Rejected: too large, damaged, encrypted, packed like a bomb, or without a file.
    """
    require_admin(actor)
    name = clean_name(name)
    with tempfile.NamedTemporaryFile(dir=settings.FILE_UPLOAD_TEMP_DIR, suffix=".zip") as stored:
        for piece in within_limit(pieces, name):
            stored.write(piece)
        stored.flush()
        return sync_archive(actor=actor, folder=folder, name=name, path=Path(stored.name))


def sync_archive(
    *, actor: User | None, folder: Folder, name: str, path: Path, dry_run: bool = False
) -> SyncReport:
    """Make the folder's documents of the archive `name` what the archive at `path` holds.

    Hidden files and those of operating systems are left out. Links, and paths that lead out of the
    archive, are not taken; an archive inside the archive is a file like any other.

    Raises:
        NotPermitted: the actor is no admin.
        Rejected: damaged, encrypted, packed like a bomb, or without a file.
    """
    try:
        container = rag.open_container(path, max_unpacked_mib=MAX_UNPACKED_MIB)
    except rag.DocumentError as error:
        raise Rejected(f"archive_{error.code}", f"{error.message} {error.next_step}") from error
    with container:
        rejected: list[SyncRow] = []
        files = []
        for member in container.infolist():
            member_name = _name_of(member)
            if member.is_dir() or is_system_file(member_name.replace("\\", "/")):
                continue
            if stat.S_ISLNK(member.external_attr >> 16):
                why = "It is a link; links are not followed."
                rejected.append(SyncRow(member_name, SyncResult.REJECTED, code="link", detail=why))
                continue
            files.append(SyncFile(member_name, partial(container.open, member)))
        if not files:
            raise Rejected("archive_empty", f"{name} holds no file.")
        if len(files) > MAX_MEMBERS:
            raise Rejected(
                "archive_too_many_files",
                f"{name} holds {len(files):,} files; at most {MAX_MEMBERS:,} are taken. Split it.",
            )
        report = sync_files(actor=actor, folder=folder, origin=f"zip:{name}", files=files, dry_run=dry_run)
    report.rows += rejected
    return report


def _name_of(member: zipfile.ZipInfo) -> str:
    """The member's path. Many packers write UTF-8 without saying so, which `zipfile` reads as code page 437."""
    if member.flag_bits & _UTF8_NAME:
        return member.filename
    try:
        return member.filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return member.filename
