"""Tables of an HTML page as rows of text; tables that only arrange a page are told apart."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag.extract.canonical import line_text
from rag.extract.html_inline import inline_text
from rag.extract.tabular import joined_cells, names_columns
from rag.types import BlockKind

if TYPE_CHECKING:
    from bs4 import Tag

_LAYOUT_CELL_CHARS = 1_500
_MAX_ROWSPAN = 1_000

_Spanning = dict[int, tuple[int, str]]
"""Column (from 0) → how many rows below are still covered, and the text that covers them."""


@dataclass(frozen=True, slots=True)
class TableLine:
    """A row, or the caption as a paragraph."""

    text: str
    kind: BlockKind
    is_header: bool = False


def is_data_table(table: Tag) -> bool:
    """Two columns or more, no table around another, no cell as long as a page."""
    if table.get("role") in ("presentation", "none") or (table.find("table") and not table.find("th")):
        return False
    rows = [_cells(row) for row in _rows(table)]
    if max((len(cells) for cells in rows), default=0) < 2:
        return False
    return not any(len(cell.get_text()) > _LAYOUT_CELL_CHARS for cells in rows for cell in cells)


def table_rows(table: Tag) -> Iterator[TableLine]:
    """The caption, then each row; a cell that spans rows is repeated in each of them."""
    caption = table.find("caption", recursive=False)
    if caption is not None:
        yield TableLine(line_text(inline_text(caption)), "paragraph")
    spanning: _Spanning = {}
    is_first = True
    for row in _rows(table):
        texts: list[str] = []
        upcoming: _Spanning = {}
        for cell in _cells(row):
            _fill_spanned(texts, spanning, upcoming)
            text = line_text(inline_text(cell))
            n_more = _rowspan(cell) - 1
            if n_more > 0:
                upcoming[len(texts)] = (n_more, text)
            texts.append(text)
        _fill_spanned(texts, spanning, upcoming)
        spanning = upcoming
        if any(texts):
            is_header = is_first and names_columns(texts)
            is_first = False
            yield TableLine(joined_cells(texts), "table_row", is_header)


def _fill_spanned(texts: list[str], spanning: _Spanning, upcoming: _Spanning) -> None:
    """Append the cells that earlier rows push into the next columns of this one."""
    while len(texts) in spanning:
        n_more, text = spanning[len(texts)]
        if n_more > 1:
            upcoming[len(texts)] = (n_more - 1, text)
        texts.append(text)


def _rows(table: Tag) -> list[Tag]:
    return [row for row in table.find_all("tr") if row.find_parent("table") is table]


def _cells(row: Tag) -> list[Tag]:
    return row.find_all(["td", "th"], recursive=False)


def _rowspan(cell: Tag) -> int:
    value = cell.get("rowspan")
    return (
        min(int(value), _MAX_ROWSPAN) if isinstance(value, str) and value.isascii() and value.isdigit() else 1
    )
