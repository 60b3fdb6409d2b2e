"""Cut mrkdwn into pieces Slack accepts, at places where a reader would not mind."""

from __future__ import annotations

import re
import unicodedata

FENCE = "```"
_BREAKS = (
    re.compile(r"\n{2,}"),
    re.compile(r"\n"),
    # After a sentence and its markers; never in front of a marker.
    re.compile(r"(?<=[.!?\]])\s++(?!\[\d)"),
    re.compile(r"\s++(?!\[\d)"),
)
_UNCUTTABLE = re.compile(r"&(?:amp|lt|gt);|\s*\[\d+\]|`{2,}")
_JOINER = "\u200d"
_LONGEST_CLUSTER = 40
_EARLIEST = 0.5
"""A better kind of break wins if it lies in the later half; else pieces would get needlessly short."""


def split_mrkdwn(text: str, limit: int) -> list[str]:
    """Pieces of escaped text of at most `limit` characters, nothing lost but the space at the cuts.

    Entities and citation markers stay whole. A code block that is cut is closed and opened again.
    """
    pieces: list[str] = []
    room = limit - 2 * (len(FENCE) + 1)
    rest = text.strip()
    while len(rest) > limit:
        end, next_start = _cut(rest, room)
        piece, rest = rest[:end].rstrip(), rest[next_start:].lstrip()
        if piece.count(FENCE) % 2:
            piece, rest = f"{piece}\n{FENCE}", f"{FENCE}\n{rest}"
        pieces.append(piece)
    return [*pieces, rest] if rest else pieces


def _cut(text: str, limit: int) -> tuple[int, int]:
    """Where a piece ends and where the next one starts."""
    for break_ in _BREAKS:
        found = [m for m in break_.finditer(text, 1, limit + 8) if m.start() <= limit]
        if found and found[-1].start() >= limit * _EARLIEST:
            return found[-1].start(), found[-1].end()
    for match in _UNCUTTABLE.finditer(text, max(0, limit - 40), limit + 40):
        if match.start() < limit < match.end():
            return match.start(), match.start()
    end = _before_what_is_one(text, limit)
    return end, end


def _before_what_is_one(text: str, end: int) -> int:
    """A place that parts no letter from its accents and no emoji from what it is joined with."""
    for place in range(end, max(1, end - _LONGEST_CLUSTER), -1):
        if place >= len(text) or not (_is_joined(text[place]) or text[place - 1] == _JOINER):
            return place
    return end


def _is_joined(character: str) -> bool:
    """True for what is drawn on the character before it: accents, variation selectors, skin tones, joiners."""
    is_mark = unicodedata.category(character) in {"Mn", "Me", "Mc"}
    return is_mark or character == _JOINER or "\U0001f3fb" <= character <= "\U0001f3ff"
