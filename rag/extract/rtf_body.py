"""What an RTF reader writes into: paragraphs and rows, and the flows beside the body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from rag.errors import ResourceLimit
from rag.extract.canonical import CanonicalBuilder, line_text
from rag.extract.outline import HeadingTrail
from rag.extract.tabular import joined_cells, names_columns
from rag.types import BlockKind, Locator

_BODY_LEVEL = 9


@dataclass(frozen=True, slots=True)
class _Paragraph:
    text: str
    kind: BlockKind
    level: int | None = None
    cells: tuple[str, ...] = ()
    """The cells of a row; empty for other paragraphs."""


@dataclass(slots=True)
class _Flow:
    """A run of paragraphs: the body, a footnote, a box, a page header, a comment."""

    done: list[_Paragraph] = field(default_factory=list)
    """Finished paragraphs of a flow beside the body."""
    text: list[str] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    above: tuple[str, ...] = ()
    merged: list[bool] = field(default_factory=list)
    """For each cell of the row definition: it continues the one above."""
    is_next_merged: bool = False
    is_in_table: bool = False
    is_list_item: bool = False
    level: int | None = None
    style: int | None = None
    boxes: list[_Paragraph] = field(default_factory=list)
    """Paragraphs of the boxes anchored in the current one."""


@dataclass(slots=True)
class RtfBody:
    """Puts paragraphs and rows into the canonical text as they end."""

    builder: CanonicalBuilder
    max_cells: int
    style_levels: dict[int, int] = field(default_factory=dict)
    """Heading levels of paragraph styles; 0 for the title."""
    first_heading: str | None = None
    _trail: HeadingTrail = field(default_factory=HeadingTrail)
    _flows: list[_Flow] = field(default_factory=lambda: [_Flow()])
    _notes: list[tuple[_Paragraph, Locator]] = field(default_factory=list)
    _table: int = 0
    _header: str | None = None
    _is_table_open: bool = False

    @property
    def _flow(self) -> _Flow:
        return self._flows[-1]

    def add_text(self, text: str) -> None:
        """Append to the running paragraph or cell."""
        self._flow.text.append(text)

    def mark_list_item(self) -> None:
        """The running paragraph has a bullet or number."""
        self._flow.is_list_item = True

    def control(self, name: str, number: int | None) -> None:
        """A control word about paragraphs or tables; others mean nothing here."""
        handler = _HANDLERS.get(name)
        if handler is not None:
            handler(self, number)

    def begin_flow(self) -> None:
        """Set what follows apart, until `end_flow`."""
        self._flows.append(_Flow())

    def end_flow(self, destination: str) -> int:
        """Put a flow where it belongs: notes to the end, boxes behind their paragraph, the rest nowhere.

        Returns:
            How many blocks with text it had.
        """
        self.end_paragraph()
        flow = self._flows.pop() if len(self._flows) > 1 else _Flow()
        found = [*flow.done, *flow.boxes]
        if destination == "footnote":
            self._notes += [(paragraph, Locator(heading_path=self._trail.path)) for paragraph in found]
        elif destination == "shptxt":
            self._flow.boxes += found
        return len(found)

    def end_document(self) -> None:
        """Write what was still running."""
        while len(self._flows) > 1:
            self.end_flow("")
        if self._flow.cells:
            self.end_row()
        self.end_paragraph()

    def add_notes(self) -> None:
        """Footnotes after the body, under the headings they are referred to."""
        for note, place in self._notes:
            self.builder.add(note.text, note.kind, place)

    def end_paragraph(self, _number: int | None = None) -> None:
        """``\\par``: inside a table only a break between words of a cell."""
        flow = self._flow
        if flow.is_in_table:
            flow.text.append("\n")
            return
        text = _joined(flow.text)
        flow.text.clear()
        level = flow.level if flow.level is not None else self.style_levels.get(flow.style or -1)
        kind: BlockKind = "list_item" if flow.is_list_item else "paragraph"
        if line_text(text):
            self._put(_Paragraph(text, kind, level))
        self._put_boxes()

    def _put_boxes(self) -> None:
        boxes, self._flow.boxes = self._flow.boxes, []
        for box in boxes:
            self._put(box)

    def end_cell(self, _number: int | None = None) -> None:
        """``\\cell``: the running text is one cell of the row."""
        flow = self._flow
        self.max_cells -= 1
        if self.max_cells < 0:
            raise ResourceLimit("The document's tables have more cells than are read.")
        flow.cells.append(line_text(_joined(flow.text)))
        flow.text.clear()

    def end_row(self, _number: int | None = None) -> None:
        """``\\row``: a cell merged with the one above repeats its text."""
        flow = self._flow
        cells = [
            flow.above[column]
            if not text and column < min(len(flow.merged), len(flow.above)) and flow.merged[column]
            else text
            for column, text in enumerate(flow.cells)
        ]
        flow.above = tuple(cells)
        flow.cells.clear()
        if any(cells):
            self._put(_Paragraph(joined_cells(cells), "table_row", cells=flow.above))
        self._put_boxes()

    def _put(self, paragraph: _Paragraph) -> None:
        if len(self._flows) > 1:
            self._flow.done.append(paragraph)
        elif paragraph.kind == "table_row":
            self._put_row(paragraph)
        else:
            self._is_table_open = False
            title = line_text(paragraph.text)
            if paragraph.level is None:
                self.builder.add(paragraph.text, paragraph.kind, Locator(heading_path=self._trail.path))
            else:
                self.first_heading = self.first_heading or title
                path = self._trail.enter(paragraph.level, title)
                self.builder.add(title, "heading", Locator(heading_path=path))

    def _put_row(self, row: _Paragraph) -> None:
        if not self._is_table_open:
            self._table += 1
            self._header = None
        place = Locator(heading_path=self._trail.path)
        if len(row.cells) < 2:  # a frame around text
            self.builder.add(row.text, "paragraph", place)
        else:
            self.builder.add(row.text, "table_row", place, table_header=self._header, table=self._table)
        if not self._is_table_open and names_columns(row.cells):
            self._header = row.text
        self._is_table_open = True

    def start_row(self, _number: int | None = None) -> None:
        """``\\trowd``: a row's definition begins."""
        self._flow.merged.clear()
        self._flow.is_next_merged = False

    def merge_next(self, _number: int | None = None) -> None:
        """``\\clvmrg``: the cell that is being defined continues the one above."""
        self._flow.is_next_merged = True

    def end_definition(self, _number: int | None = None) -> None:
        """``\\cellx``: the definition of one cell ends."""
        self._flow.merged.append(self._flow.is_next_merged)
        self._flow.is_next_merged = False

    def reset(self, _number: int | None = None) -> None:
        """``\\pard``: paragraph formats back to their defaults."""
        flow = self._flow
        flow.is_in_table = flow.is_list_item = False
        flow.level = flow.style = None

    def enter_table(self, number: int | None = None) -> None:
        """``\\intbl``: the running paragraph stands in a table."""
        self._flow.is_in_table = number != 0

    def set_style(self, number: int | None) -> None:
        """The running paragraph's style."""
        self._flow.style = number

    def set_level(self, number: int | None) -> None:
        """The running paragraph's outline level, from 0; 9 is body text."""
        self._flow.level = number + 1 if number is not None and 0 <= number < _BODY_LEVEL else None

    def set_list(self, number: int | None) -> None:
        """The running paragraph's list; 0 is none."""
        self._flow.is_list_item = bool(number)


def _joined(pieces: list[str]) -> str:
    """Text of its pieces; two halves of a character beyond the basic plane become one."""
    text = "".join(pieces)
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


_HANDLERS: dict[str, Callable[[RtfBody, int | None], None]] = {
    "par": RtfBody.end_paragraph,
    "sect": RtfBody.end_paragraph,
    "page": RtfBody.end_paragraph,
    "column": RtfBody.end_paragraph,
    "cell": RtfBody.end_cell,
    "row": RtfBody.end_row,
    "trowd": RtfBody.start_row,
    "clvmrg": RtfBody.merge_next,
    "cellx": RtfBody.end_definition,
    "pard": RtfBody.reset,
    "intbl": RtfBody.enter_table,
    "s": RtfBody.set_style,
    "outlinelevel": RtfBody.set_level,
    "ls": RtfBody.set_list,
}
