"""Six ways to cut a document, from the three ingredients of the reference study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

OVERLAP_CHARS = 64
"""Reference study: the previous chunk's last 64 characters."""


@dataclass(frozen=True, slots=True)
class ChunkingStrategy:
    """How a document is cut.

    Attributes:
        letter: its name in the reference study.
        boundaries: blocks are packed whole, and never across a border of page, sheet or section; headings
            stand in the header only, but for those with nothing under them. Without, the whole canonical text
            is cut wherever the budget is full.
        header: `text` begins with ``[document title > section path]`` and, for rows that lack it, the
            table's header row; without, `text` is `content`.
        overlap_chars: how many of the previous chunk's last characters a chunk begins with, on top of its
            budget. They are part of `content`: its start moves back. Less, where the window has no room.
    """

    letter: str
    boundaries: bool
    header: bool
    overlap_chars: int = 0


CHUNKING_STRATEGIES: Mapping[str, ChunkingStrategy] = MappingProxyType(
    {
        strategy.letter: strategy
        for strategy in (
            ChunkingStrategy("A", boundaries=False, header=False),
            ChunkingStrategy("B", boundaries=False, header=False, overlap_chars=OVERLAP_CHARS),
            ChunkingStrategy("C", boundaries=True, header=False),
            ChunkingStrategy("D", boundaries=True, header=False, overlap_chars=OVERLAP_CHARS),
            ChunkingStrategy("E", boundaries=True, header=True),
            ChunkingStrategy("F", boundaries=True, header=True, overlap_chars=OVERLAP_CHARS),
        )
    }
)

DEFAULT_STRATEGY = CHUNKING_STRATEGIES["E"]


def chunking_strategy(letter: str) -> ChunkingStrategy:
    """The strategy of that letter.

    Raises:
        ValueError: there is none; the message lists the letters.
    """
    if letter not in CHUNKING_STRATEGIES:
        raise ValueError(f"no chunking strategy {letter!r}; there are {', '.join(CHUNKING_STRATEGIES)}")
    return CHUNKING_STRATEGIES[letter]
