"""Inline Markdown → the words a reader sees."""

from __future__ import annotations

import re

_CODE = re.compile(r"(`+)(?P<code>.+?)\1", re.DOTALL)
_IMAGE_OR_LINK = re.compile(r"!?\[(?P<label>[^\[\]]*)\]\((?:[^()]|\([^()]*\))*\)")
# Letters in both brackets and no word before: `a[i][j]` is code, and `[1][2]` are somebody's footnotes.
_REFERENCE = re.compile(r"(?<!\w)!?\[(?P<label>[^\[\]]*[^\W\d_][^\[\]]*)\]\[(?:[^\[\]]*[^\W\d_][^\[\]]*)?\]")
_AUTOLINK = re.compile(r"<(?:mailto:)?(?P<target>[A-Za-z][\w+.-]*://[^<>\s]+|[^<>\s@]+@[^<>\s]+)>")
_STRONG = re.compile(r"(?<![\w*_])(\*{1,3}|_{1,3})(?=\S)(?P<words>.+?)(?<=\S)\1(?![\w*_])", re.DOTALL)
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

    text = _CODE.sub(lambda match: hold(match["code"].strip()), markdown.replace(_HELD, ""))
    text = _AUTOLINK.sub(lambda match: hold(match["target"]), text)
    text = _BLOCK_MARK.sub("", text)
    for pattern in (_IMAGE_OR_LINK, _REFERENCE):
        text = pattern.sub(lambda match: match["label"], text)
    text = _joined_cells(text)
    text = _ESCAPE.sub(lambda match: hold(match[1]), text)
    for _ in range(2):  # emphasis inside emphasis
        text = _STRONG.sub(lambda match: match["words"], text)
    text = re.sub(f"{_HELD}(\\d+){_HELD}", lambda match: held[int(match[1])], text)
    return " ".join(text.split())


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
