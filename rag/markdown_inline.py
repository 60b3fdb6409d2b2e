"""Inline Markdown → the words a reader sees."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable

_TICKS = re.compile(r"`+")
_IMAGE_OR_LINK = re.compile(r"!?\[(?P<label>[^\[\]]*)\]\((?:[^()]|\([^()]*\))*\)")
# Letters in both brackets and no word before: `a[i][j]` is code, and `[1][2]` are somebody's footnotes.
_REFERENCE = re.compile(r"(?<!\w)!?\[(?P<label>[^\[\]]*[^\W\d_][^\[\]]*)\]\[(?:[^\[\]]*[^\W\d_][^\[\]]*)?\]")
_AUTOLINK = re.compile(r"<(?:mailto:)?(?P<target>[A-Za-z][\w+.-]*://[^<>\s]+|[^<>\s@]+@[^<>\s]+)>")
_OPENS = re.compile(r"(?<![\w*_])(?:\*{1,3}|_{1,3})(?=\S)")
_CLOSES = re.compile(r"(?P<marks>\*+|_+)(?![\w*_])")
_BLOCK_MARK = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+•][ \t]+(?:\[[ xX]\][ \t]+)?)", re.MULTILINE)
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|<>~$&\"'/:;=?@^%,])")
_PIPE = re.compile(r"(?<!\\)\|")
_HELD = "\ue000"


def plain_text(markdown: str) -> str:
    """One line of plain words: no emphasis, code ticks, link targets, escapes, list marks or table pipes.

    Table cells are joined with `` · ``. What is no Markdown (``snake_case``, ``2 * 3``) stays, and so do
    the marks of struck-out words: without them "do ~~not~~ pay" would be told as valid.

    >>> plain_text("- See **the** [travel guide](../travel.md): \\\\$50, `a_b`")
    'See the travel guide: $50, a_b'
    """
    held: list[str] = []

    def hold(words: str) -> str:
        held.append(words)
        return f"{_HELD}{len(held) - 1}{_HELD}"

    text = _with_code(markdown.replace(_HELD, ""), lambda code: hold(code.strip()))
    text = _AUTOLINK.sub(lambda match: hold(match["target"]), text)
    text = _BLOCK_MARK.sub("", text)
    for pattern in (_IMAGE_OR_LINK, _REFERENCE):
        text = pattern.sub(lambda match: match["label"], text)
    text = _joined_cells(text)
    text = _ESCAPE.sub(lambda match: hold(match[1]), text)
    for _ in range(2):  # emphasis inside emphasis
        text = _without_emphasis(text)
    text = re.sub(f"{_HELD}(\\d+){_HELD}", lambda match: held[int(match[1])], text)
    return " ".join(text.split())


def _with_code(text: str, told: Callable[[str], str]) -> str:
    """`text` with each code span as `told` gives it: what stands between the same number of backticks.

    Reads as ``(`+)(.+?)\\1`` does, in time that grows with the text: that pattern tries every number of backticks at
    every place, and 6,000 of them in a row took it seconds.
    """
    runs = [match.span() for match in _TICKS.finditer(text)]
    longest_after = [0] * len(runs)
    for at in range(len(runs) - 2, -1, -1):
        start, end = runs[at + 1]
        longest_after[at] = max(longest_after[at + 1], end - start)
    parts: list[str] = []
    done = at = 0
    while at < len(runs):
        start, end = max(done, runs[at][0]), runs[at][1]
        n_ticks = end - start
        n_opening = max(min(n_ticks, longest_after[at]), (n_ticks - 1) // 2)
        if n_opening < 1:
            at += 1
            continue
        closing = start + n_opening + 1  # a backtick between backticks of the same run
        if n_ticks <= 2 * n_opening:
            at = next(to for to in range(at + 1, len(runs)) if runs[to][1] - runs[to][0] >= n_opening)
            closing = runs[at][0]
        parts += [text[done:start], told(text[start + n_opening : closing])]
        done = closing + n_opening
        at += done >= runs[at][1]
    return "".join(parts) + text[done:]


def _without_emphasis(text: str) -> str:
    """`text` without the marks of emphasis that is closed; what is inside of it keeps its own.

    A run of marks opens before a word and closes behind one (CommonMark's flanking), so that ``____`` stays a line to
    write on; without looking for the end of each mark through the whole text.
    """
    closing: dict[str, list[int]] = {mark * n: [] for mark in "*_" for n in (1, 2, 3)}
    for match in _CLOSES.finditer(text):
        mark, length = match["marks"][0], len(match["marks"])
        is_after_word = match.start() > 0 and not text[match.start() - 1].isspace()
        for n in range(1, min(3, length) + 1) if is_after_word else ():
            closing[mark * n].append(match.end() - n)
    parts: list[str] = []
    done = 0
    opening = _OPENS.search(text)
    while opening is not None:
        start, mark = opening.start(), opening.group()
        end = _end_of_emphasis(text, start, mark, closing)
        if end is not None:
            marks, stop = end
            parts += [text[done:start], text[start + len(marks) : stop]]
            done = stop + len(marks)
        opening = _OPENS.search(text, done if end is not None else opening.end())
    return "".join(parts) + text[done:]


def _end_of_emphasis(
    text: str, start: int, marks: str, closing: dict[str, list[int]]
) -> tuple[str, int] | None:
    """The longest marks at `start` that are closed, and where they are."""
    run_end = start + len(marks)
    while text[run_end : run_end + 1] == marks[0]:
        run_end += 1
    if run_end == len(text) or text[run_end].isspace():
        return None  # a line to write on
    for n in range(len(marks), 0, -1):
        opened = marks[:n]
        places = closing[opened]
        at = bisect_left(places, run_end + 1)
        if at < len(places):
            return opened, places[at]
    return None


def plain_row(row: str, header: str | None = None, *, may_be_short: bool = True) -> str:
    """A table row as a reader can take it in, each value behind the name of its column.

    Empty cells are left out. Without a header, or when it does not fit the row, the cells are joined
    with `` · ``. A row with fewer cells than the header has empty ones at its end; `may_be_short` False
    says that it may be the rest of a row that was cut instead.

    >>> plain_row("Hull | UK | | 105", "City | Country | Remark | Limit | Peak")
    'City: Hull; Country: UK; Limit: 105'
    """
    cells, names = _cells(row), _cells(header or "")
    # A single cell in a wide table is its title or a note, not the first column's value.
    fits = len(cells) == len(names) or (may_be_short and 1 < len(cells) < len(names))
    if not fits or cells == names:
        return " · ".join(cell for cell in cells if cell)
    named = [(name.rstrip(" :"), cell) for name, cell in zip(names, cells, strict=False) if cell]
    return "; ".join(f"{name}: {cell}" if name else cell for name, cell in named)


def _cells(row: str) -> list[str]:
    """The cells' plain words, empty ones too; none for an empty row. Outer pipes hold no cell."""
    row = row.strip()
    if not row:
        return []
    parts = _PIPE.split(row)
    if len(parts) > 2 and not parts[0] and not parts[-1]:
        parts = parts[1:-1]
    return [plain_text(part.replace("\\|", "|")) for part in parts]


def _joined_cells(text: str) -> str:
    """Table rows without their pipes; text with a single stray pipe is no row and stays."""
    if len(_PIPE.findall(text)) < 2 and not text.lstrip().startswith("|"):
        return text
    lines = []
    for line in text.split("\n"):
        cells = [cell.strip() for cell in _PIPE.split(line)]
        lines.append(" · ".join(cell for cell in cells if cell))
    return "\n".join(lines)
