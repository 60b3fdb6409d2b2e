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
    line = _line(parts)
    while count_tokens([line])[0] > max_tokens and len(parts) > 3:
        middle = len(parts) // 2
        parts = [*parts[:middle], _GAP, *parts[middle + 1 :]]
        parts = [part for at, part in enumerate(parts) if not (part == _GAP and parts[at - 1] == _GAP)]
        if parts.count(_GAP) and len(parts) <= 3:
            break
        line = _line(parts)
    longest = max(len(part) for part in parts)
    while count_tokens([line])[0] > max_tokens and longest > 1:
        longest //= 2
        line = _line([part if len(part) <= longest else part[:longest].rstrip() + _GAP for part in parts])
    return line if count_tokens([line])[0] <= max_tokens else ""


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
