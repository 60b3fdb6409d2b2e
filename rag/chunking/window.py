"""Nothing passes the encoder's window: what would be cut silently is cut here, and counted."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from rag.chunking.pieces import Piece, trimmed
from rag.header import CountTokens
from rag.sentences import sentence_spans

Fitted = tuple[Piece, int]
"""A piece and the tokens of its `text`, special tokens included."""


def fit_window(
    pieces: Sequence[Piece], canonical: str, *, max_chars: int, window_tokens: int, count_tokens: CountTokens
) -> tuple[list[Fitted], int]:
    """The pieces in order, each with its token count ≤ `window_tokens`, and how many were cut for it.

    A piece of more than `max_chars` characters is cut too.
    """
    fitted: list[Fitted] = []
    pending = list(pieces)
    n_split = 0
    while pending:
        # By length first: a tokenizer takes 150 bytes a character of a text that is cut anyway.
        too_long = [piece for piece in pending if piece.end - piece.start > max(max_chars, 1)]
        short = [piece for piece in pending if piece.end - piece.start <= max(max_chars, 1)]
        counts = count_tokens([_text(piece, canonical) for piece in short])
        for piece, count in zip(short, counts, strict=True):
            if piece.end - piece.start > 1 and count > window_tokens:
                too_long.append(piece)
            else:
                fitted.append((piece, count))
        n_split += len(too_long)
        pending = [half for piece in too_long for half in _halves(piece, canonical) if half.start < half.end]
    fitted.sort(key=lambda item: item[0].start)
    return fitted, n_split


def overlapped(
    fitted: Sequence[Fitted],
    canonical: str,
    *,
    overlap_chars: int,
    window_tokens: int,
    count_tokens: CountTokens,
) -> tuple[list[Fitted], int]:
    """Each piece from the last `overlap_chars` characters of the one before it, and how often the window took some.

    Groups are not crossed. An overlap that does not fit the window is halved until it does or is gone.
    """
    found = list(fitted)
    n_cut = 0
    chars = overlap_chars
    pending = [at for at in range(1, len(fitted)) if fitted[at][0].group == fitted[at - 1][0].group]
    while pending and chars:
        wider = [_with_overlap(fitted[at - 1][0], fitted[at][0], canonical, chars) for at in pending]
        counts = count_tokens([_text(piece, canonical) for piece in wider])
        over: list[int] = []
        for at, piece, count in zip(pending, wider, counts, strict=True):
            if count <= window_tokens:
                found[at] = (piece, count)
            else:
                over.append(at)
        if chars == overlap_chars:
            n_cut = len(over)
        pending, chars = over, chars // 2
    return found, n_cut


def _with_overlap(previous: Piece, piece: Piece, canonical: str, overlap_chars: int) -> Piece:
    start = max(previous.start, previous.end - overlap_chars)
    return replace(piece, start=trimmed(canonical, start, piece.end)[0])


def _text(piece: Piece, canonical: str) -> str:
    return piece.prefix(canonical) + canonical[piece.start : piece.end]


def _halves(piece: Piece, canonical: str) -> tuple[Piece, Piece]:
    """Cut at the border nearest to the middle, of the coarsest kind that has one inside."""
    text = canonical[piece.start : piece.end]
    middle = len(text) / 2
    finders: tuple[Callable[[], list[int]], ...] = (
        lambda: [block.start - piece.start for block in piece.touched],
        lambda: [start for start, _ in sentence_spans(text)],
        lambda: [match.end() for match in re.finditer(r"\s+", text)],
    )
    cut = len(text) // 2
    for find in finders:
        inside = [at for at in find() if 0 < at < len(text)]
        if inside:
            cut = min(inside, key=lambda at: abs(at - middle))
            break
    at = piece.start + cut
    left_start, left_end = trimmed(canonical, piece.start, at)
    right_start, right_end = trimmed(canonical, at, piece.end)
    return replace(piece, start=left_start, end=left_end), replace(piece, start=right_start, end=right_end)
