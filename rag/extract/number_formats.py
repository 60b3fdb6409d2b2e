"""What the number format of a cell adds to its value: leading zeros, and words and signs around it.

Digits stay those that are stored: a format that rounds, scales or groups them is not followed.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|\[\$(?P<currency>[^\]-]*)[^\]]*\]|(?P<digits>[0#?]+)'
    r"|(?P<bracket>\[[^\]]*\])|(?P<filler>[_*].)|(?P<other>.)",
    re.DOTALL,
)
_COLORS = re.compile(r"\[(?:black|blue|cyan|green|magenta|red|white|yellow|color\s?\d+)\]", re.IGNORECASE)
_SIGNS = re.compile(r"[()\-]")
_MAX_FORMAT = 255


@dataclass(frozen=True, slots=True)
class _Section:
    pieces: tuple[str, ...]
    """Words as they are, and between them runs of ``0`` and ``#`` (marked by a NUL) for digits."""

    def written(self, digits: str) -> str | None:
        """The pieces around and between the digits of a number without its sign; None when they do not fit."""
        runs = [piece for piece in self.pieces if piece.startswith("\0")]
        if not runs:
            return "".join(self.pieces)
        if len(runs) == 1:
            n_zeros = runs[0].count("0")
            padded = digits.zfill(n_zeros) if digits.isdecimal() else digits
            return "".join(padded if piece is runs[0] else piece for piece in self.pieces)
        n_places = sum(len(run) - 1 for run in runs)
        if not digits.isdecimal() or len(digits) > n_places or any("#" in run for run in runs):
            return None
        left = digits.zfill(n_places)
        written = ""
        for piece in self.pieces:
            if piece.startswith("\0"):
                written += left[: len(piece) - 1]
                left = left[len(piece) - 1 :]
            else:
                written += piece
        return written


def formatted(digits: str, number_format: str) -> str:
    """`digits`, a number as it is written without a format, as a simple format shows it; else unchanged."""
    if number_format in ("", "General", "0", "@") or len(number_format) > _MAX_FORMAT:
        return digits
    sections = _sections(number_format)
    is_negative = digits.startswith("-")
    position = 2 if digits == "0" and len(sections) > 2 else int(is_negative and len(sections) > 1)
    section = sections[position] if position < len(sections) else None
    if section is None:
        return digits
    if is_negative and position == 1:  # (5) and a red 5 are -5
        section = _Section(
            tuple(piece if piece.startswith("\0") else _SIGNS.sub("", piece) for piece in section.pieces)
        )
    written = section.written(digits.removeprefix("-"))
    if written is None:
        return digits
    return f"-{written.strip()}" if is_negative else written.strip()


@functools.lru_cache(maxsize=512)
def _sections(number_format: str) -> tuple[_Section | None, ...]:
    """For positive and negative numbers and zero, as far as they are given; None where one is not simple."""
    sections: list[list[tuple[str, str]]] = [[]]
    for token in _TOKEN.finditer(_COLORS.sub("", number_format)):
        kind = token.lastgroup or ""
        if kind == "other" and token[kind] == ";":
            sections.append([])
        else:
            sections[-1].append((kind, token[kind]))
    return tuple(_section(tokens) for tokens in sections[:3])


def _section(tokens: list[tuple[str, str]]) -> _Section | None:
    if not tokens or any(kind == "digits" and not text.strip("?") for kind, text in tokens):
        return None
    pieces: list[str] = []
    is_fraction = False
    for (kind, text), (following, _) in zip(tokens, [*tokens[1:], ("", "")], strict=True):
        is_after_digits = bool(pieces) and pieces[-1].startswith("\0")
        if kind in ("quoted", "escaped", "currency"):
            pieces.append(text.replace("\0", ""))
        elif kind == "digits":
            pieces += [] if is_fraction else ["\0" + text.replace("?", "#")]
        elif text == "." and is_after_digits:
            is_fraction = True
        elif kind == "bracket" or text.isalpha() or text in "./%@":
            return None
        elif text == ",":
            if not is_after_digits or following != "digits":  # it scales by a thousand
                return None
        elif kind == "other":
            pieces.append(text)
    return _Section(_merged(pieces)) if _says_something(pieces) else None


def _merged(pieces: list[str]) -> tuple[str, ...]:
    """Runs of digits that only a comma parted become one."""
    merged: list[str] = []
    for piece in pieces:
        if merged and merged[-1].startswith("\0") and piece.startswith("\0"):
            merged[-1] += piece[1:]
        else:
            merged.append(piece)
    return tuple(merged)


def _says_something(pieces: list[str]) -> bool:
    has_digits = any(piece.startswith("\0") for piece in pieces)
    return has_digits or any(character.isalnum() for piece in pieces for character in piece)
