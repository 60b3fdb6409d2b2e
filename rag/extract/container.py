"""Zip containers: what kind of document one is, and whether it is safe to unpack."""

from __future__ import annotations

import lzma
import zipfile
import zlib
from pathlib import Path

from rag.errors import DamagedDocument, EncryptedDocument, ResourceLimit, UnsupportedFormat

UNPACK_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    OSError,
    EOFError,
    ValueError,
    NotImplementedError,
)
"""What `zipfile` raises for a container or member that is broken, cut off or packed in an unknown way."""

_MIB = 1024 * 1024
# Sheets of repeated cells pack about 100 to 1, so a ratio alone proves nothing below this size.
_MAX_RATIO = 200
_RATIO_FROM_BYTES = 16 * _MIB
_MAX_MEMBERS = 20_000
_MAX_MIMETYPE_BYTES = 200
_MIMETYPES = {
    "application/epub+zip": "epub",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.text-template": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.spreadsheet-template": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/vnd.oasis.opendocument.presentation-template": "odp",
}


def open_container(path: Path, *, max_unpacked_mib: int) -> zipfile.ZipFile:
    """The zip file at `path`, opened; its declared sizes are within the limits.

    `zipfile` never unpacks a member beyond its declared size, so declared sizes can be trusted
    as an upper bound.

    Raises:
        DamagedDocument: no readable zip directory.
        EncryptedDocument: a member needs a password.
        ResourceLimit: too many members, too large, or packed like a zip bomb.
    """
    try:
        container = zipfile.ZipFile(path)
    except UNPACK_ERRORS as exc:
        raise DamagedDocument("The file is a zip container whose directory is broken or cut off.") from exc
    members = container.infolist()
    if any(member.flag_bits & 0x1 for member in members):
        raise EncryptedDocument("The file is a zip container with a password.")
    if len(members) > _MAX_MEMBERS:
        raise ResourceLimit(f"The file holds {len(members):,} parts; at most {_MAX_MEMBERS:,} are read.")
    unpacked = sum(member.file_size for member in members)
    if unpacked > max_unpacked_mib * _MIB:
        raise ResourceLimit(
            f"The file unpacks to {unpacked // _MIB:,} MiB; at most {max_unpacked_mib:,} MiB are read."
        )
    for member in members:
        if member.file_size > _RATIO_FROM_BYTES and member.file_size > _MAX_RATIO * max(
            1, member.compress_size
        ):
            raise ResourceLimit(
                "A part of the file unpacks to more than 200 times its size, like a zip bomb."
            )
    return container


def sniff_container(path: Path) -> str:
    """The format in the container: ``docx``, ``xlsx``, ``pptx``, ``odt``, ``epub``, …

    Raises:
        UnsupportedFormat: another kind of container; the message names it.
        DamagedDocument: no readable zip directory.
    """
    try:
        with zipfile.ZipFile(path) as container:
            names = set(container.namelist())
            mimetype = _mimetype(container)
    except (*UNPACK_ERRORS, RuntimeError) as exc:  # RuntimeError: the member needs a password
        raise DamagedDocument("The file is a zip container whose directory is broken or cut off.") from exc
    if any(name.startswith("word/") for name in names):
        return "docx"
    if "xl/workbook.bin" in names:
        return "xlsb"
    if any(name.startswith("xl/") for name in names):
        return "xlsx"
    if any(name.startswith("ppt/") for name in names):
        return "pptx"
    if mimetype in _MIMETYPES:
        return _MIMETYPES[mimetype]
    if "META-INF/container.xml" in names:
        return "epub"
    raise UnsupportedFormat(
        "The content is a zip archive, which is no document.",
        next_step="Unpack it, or upload it by itself under a name that ends in .zip to have its files unpacked.",
    )


def _mimetype(container: zipfile.ZipFile) -> str:
    """What EPUB and OpenDocument files say they are; empty for other containers."""
    if (
        "mimetype" not in container.namelist()
        or container.getinfo("mimetype").file_size > _MAX_MIMETYPE_BYTES
    ):
        return ""
    return container.read("mimetype").decode("latin-1").strip()
