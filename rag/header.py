"""The line before a chunk's own words: ``[document title > section path]``.

The reference study: the header is what buys retrieval (R@20 +18/−3 against the same chunks without
it) and costs a fifth of the embedded tokens. It may never push a chunk's own words out of the
encoder's window, so a long one gives way.
"""

from __future__ import annotations

from collections.abc import Callable

CountTokens = Callable[[list[str]], list[int]]
"""Counts tokens of each text with the model's own tokenizer, special tokens included."""

_GAP = "…"


def section_of(path: tuple[str, ...], sheet: str | None = None) -> str:
    """The section as one line: the heading path joined with `` > ``, or the sheet's name."""
    parts = _tidy(path) or _tidy((sheet,) if sheet else ())
    return " > ".join(parts)


def header_line(
    title: str, path: tuple[str, ...], sheet: str | None, *, max_tokens: int, count_tokens: CountTokens
) -> str:
    """``[title > path]`` in at most `max_tokens` tokens.

    Too long, it loses path elements from the middle, the outermost and the innermost say most;
    then the remaining parts are shortened. Empty when there is nothing to say.
    """
    parts = _tidy((title, *path, *((sheet,) if sheet else ())))
    if not parts:
        return ""
    for n_kept in range(len(parts), min(len(parts), 2) - 1, -1):
        line = _line(_without_middle(parts, n_kept))
        if count_tokens([line])[0] <= max_tokens:
            return line
    ends = _without_middle(parts, 2)
    longest = max(map(len, ends))
    while longest > 1:
        longest //= 2
        line = _line([part if len(part) <= longest else part[:longest].rstrip() + _GAP for part in ends])
        if count_tokens([line])[0] <= max_tokens:
            return line
    return ""


def _without_middle(parts: list[str], n_kept: int) -> list[str]:
    """The outermost and innermost `n_kept` parts with a gap between them."""
    if n_kept >= len(parts):
        return parts
    head = (n_kept + 1) // 2
    return [*parts[:head], _GAP, *parts[len(parts) - (n_kept - head) :]]


def shortened(text: str, *, max_tokens: int, count_tokens: CountTokens) -> str:
    """`text` on one line, cut at a word to at most `max_tokens` tokens, with ``…`` where it was cut."""
    text = " ".join(text.split())
    short = text
    while short and count_tokens([short])[0] > max_tokens:
        words = short.removesuffix(_GAP).split()
        kept = " ".join(words[: len(words) // 2])
        short = f"{kept}{_GAP}" if kept else ""
    return short


def _line(parts: list[str]) -> str:
    return f"[{' > '.join(parts)}]"


def _tidy(parts: tuple[str, ...]) -> list[str]:
    """Without empty parts, line breaks, and a part that repeats the one before it."""
    tidy: list[str] = []
    for part in (" ".join(raw.split()) for raw in parts):
        if part and (not tidy or part.casefold() != tidy[-1].casefold()):
            tidy.append(part)
    return tidy
