"""Headings: the path a block stands under, and the title of a document."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import PurePath

from rag.extract.canonical import line_text

_MAX_TITLE_CHARS = 200
# Titles that writing programs leave behind and that name nothing.
_PLACEHOLDER = re.compile(
    r"(untitled|unknown|none|null|title|document\d*|(new )?(microsoft )?word[- ]document|powerpoint presentation"
    r"|slide \d+|workbook\d*|book\d+|.*\.(docx?|dotx?|xlsx?|pdf|tex|dvi|indd|rtf|odt|tmp|html?|ps|pmd|qxd))",
    re.IGNORECASE,
)
_PROGRAM_PREFIX = re.compile(r"^microsoft (word|powerpoint|excel) - ", re.IGNORECASE)


@dataclass(slots=True)
class HeadingTrail:
    """The open headings while a document is read from top to bottom."""

    _open: list[tuple[int, str]] = field(default_factory=list)

    def enter(self, level: int, title: str) -> tuple[str, ...]:
        """Close headings of this level and below, open this one, and give back the path with it."""
        while self._open and self._open[-1][0] >= level:
            self._open.pop()
        self._open.append((level, title[:_MAX_TITLE_CHARS]))
        return self.path

    @property
    def path(self) -> tuple[str, ...]:
        """Titles from the outermost open heading inwards."""
        return tuple(title for _, title in self._open)


def choose_title(candidates: Iterable[str | None], filename: str) -> str:
    """The first candidate that names something, else the file's name without its ending."""
    for candidate in candidates:
        title = _PROGRAM_PREFIX.sub("", line_text(candidate or ""))
        if any(char.isalnum() for char in title) and not _PLACEHOLDER.fullmatch(title):
            return title[:_MAX_TITLE_CHARS].rstrip()
    return title_from_filename(filename)


def title_from_filename(filename: str) -> str:
    """``travel_policy-2024.pdf`` → ``travel policy-2024``."""
    stem = PurePath(filename).stem
    return line_text(stem.replace("_", " "))[:_MAX_TITLE_CHARS] or "Untitled"
