"""Names of files as they come from browsers, directories and archives."""

from __future__ import annotations

import unicodedata
from pathlib import PurePosixPath

from console.access import Rejected

MAX_NAME_CHARS = 400
_SYSTEM_PARTS = frozenset({"__macosx", "thumbs.db", "desktop.ini", "$recycle.bin"})


def clean_name(name: str) -> str:
    """A relative path without tricks: no drive, no "..", NFC, `/` between parts.

    What cannot be shown (control and bidi characters, undecodable bytes) becomes `_`, never nothing:
    two files must not become one.

    Raises:
        Rejected: no usable name, longer than `MAX_NAME_CHARS`, or it leads out of the folder.
    """
    parts = [part for part in PurePosixPath(name.replace("\\", "/")).parts if part not in {"/", "."}]
    if ".." in parts:
        raise Rejected(
            "file_name_leaves_folder", "The file's path holds “..”; give it relative to the folder."
        )
    shown = [
        "".join("_" if unicodedata.category(c)[0] == "C" else c for c in unicodedata.normalize("NFC", part))
        for part in parts
    ]
    kept = "/".join(part.strip() for part in shown if part.strip())
    if not kept:
        raise Rejected("file_name_blank", "The file has no usable name.")
    if len(kept) > MAX_NAME_CHARS:
        raise Rejected("file_name_too_long", f"The file's path is longer than {MAX_NAME_CHARS} characters.")
    return kept


def is_system_file(name: str) -> bool:
    """True for hidden files and what operating systems leave beside people's files; `name` uses `/`."""
    parts = [part for part in name.split("/") if part not in {".", ".."}]
    return any(part.startswith(".") or part.lower() in _SYSTEM_PARTS for part in parts)


def says_the_name(title: str, name: str) -> bool:
    """True when a title is nothing but the file's own name: ``Travel policy`` of ``hr/travel-policy.md``."""
    return letters(title) == letters(PurePosixPath(name).stem)


def letters(text: str) -> str:
    """Letters and digits only, case folded: what is left of a name when signs do not count."""
    return "".join(character for character in text.casefold() if character.isalnum())
