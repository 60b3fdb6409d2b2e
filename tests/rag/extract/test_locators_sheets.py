"""Each row of a workbook leads back to its cells in the original, and every row with a value is read."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from locator_checks import FAST, assert_chunks_are_exact, extracted, words
from office_files import Cells, ods, xls, xlsb

from rag.types import Extraction

Sheets = dict[str, dict[tuple[int, int], object]]
FEW = settings(FAST, max_examples=12)


def xlsx(sheets: Mapping[str, Cells]) -> bytes:
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.active)
    for name, cells in sheets.items():
        sheet = workbook.create_sheet(name)
        for (row, column), value in cells.items():
            sheet.cell(row, column, value)
    buffer = io.BytesIO()
    workbook.save(buffer)
    return buffer.getvalue()


def csv_table(sheets: Mapping[str, Cells]) -> bytes:
    (cells,) = sheets.values()
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    widths: dict[int, int] = {}
    for row, column in cells:
        widths[row] = max(column, widths.get(row, 0))
    for row in range(1, max(widths) + 1):
        writer.writerow([cells.get((row, column), "") for column in range(1, widths.get(row, 0) + 1)])
    return out.getvalue().encode()


def cells_of_xlsx(data: bytes) -> Sheets:
    workbook = openpyxl.load_workbook(io.BytesIO(data))
    return {
        sheet.title: {
            (cell.row, cell.column): cell.value
            for row in sheet.iter_rows()
            for cell in row
            if cell.value is not None
        }
        for sheet in workbook.worksheets
    }


WRITERS: dict[str, Callable[[Mapping[str, Cells]], bytes]] = {
    "xlsx": xlsx,
    "xls": xls,
    "xlsb": xlsb,
    "ods": ods,
    "csv": csv_table,
}
numbers = st.one_of(
    st.integers(-(10**9), 10**9), st.floats(-1e6, 1e6, width=32).map(lambda number: round(number, 3))
)
# A formula would have no stored value; a number among words would not stay a word in a CSV.
values = st.one_of(words.filter(lambda text: text[0] not in "=+-"), numbers, st.booleans())
places = st.tuples(
    st.one_of(st.integers(1, 9), st.integers(600, 640)), st.one_of(st.integers(1, 5), st.integers(25, 60))
)
grids = st.dictionaries(places, values, min_size=1, max_size=25)
sheet_names = st.text("abcXYZ äЖ漢1", min_size=1, max_size=20).map(lambda name: f"s{name.strip()}")
workbooks = st.lists(st.tuples(sheet_names, grids), min_size=1, max_size=3, unique_by=lambda s: s[0].lower())
_CELL = re.compile(r"([A-Z]+)(\d+)")


def place_of(name: str) -> tuple[int, int]:
    found = _CELL.fullmatch(name)
    assert found is not None
    column = 0
    for letter in found[1]:
        column = column * 26 + ord(letter) - 64
    return int(found[2]), column


def shows(text: str, value: object) -> bool:
    if isinstance(value, bool):
        return text.lower() == str(value).lower()
    if isinstance(value, int | float):
        return float(text) == pytest.approx(value)
    return text == value


def assert_rows_lead_back(extraction: Extraction, sheets: Sheets, name: str | None = None) -> None:
    seen = set()
    for span in extraction.spans:
        sheet = name or span.locator.sheet
        assert sheet is not None
        if span.kind == "heading":
            assert extraction.text[span.start : span.end] == " ".join(sheet.split())
            continue
        assert span.locator.cells is not None
        first, _, last = span.locator.cells.partition(":")
        (row, left), (last_row, right) = place_of(first), place_of(last or first)
        assert row == last_row
        seen.add((sheet, row))
        used = sorted(column for at, column in sheets[sheet] if at == row)
        assert (used[0], used[-1]) == (left, right)
        texts = [text.strip() for text in extraction.text[span.start : span.end].split("|")]
        texts = [text for text in texts if text]
        assert len(texts) == len(used)
        assert all(shows(text, sheets[sheet][row, column]) for text, column in zip(texts, used, strict=True))
    with_a_value = {(sheet, row) for sheet, cells in sheets.items() for row, _ in cells}
    assert seen == with_a_value
    assert extraction.coverage.read == extraction.coverage.total == len(with_a_value)
    assert not extraction.is_partial


@pytest.mark.parametrize("kind", ["xlsx", "xls", "xlsb", "ods"])
@FEW
@given(made=workbooks)
def test_rows_of_workbooks(kind: str, made: list[tuple[str, dict[Any, object]]], tmp_path: Path) -> None:
    sheets = dict(made)
    data = WRITERS[kind](sheets)
    extraction = extracted(data, f"a.{kind}", tmp_path)
    assert_rows_lead_back(extraction, cells_of_xlsx(data) if kind == "xlsx" else sheets)
    assert_chunks_are_exact(extraction)


@FAST
@given(cells=grids)
def test_rows_of_csv(cells: dict[tuple[int, int], object], tmp_path: Path) -> None:
    # Without semicolons: a column of ";a" is as much a table of two columns that they part.
    data = csv_table({"a": cells}).replace(b";", b":")
    found = {
        (row, column): text
        for row, record in enumerate(csv.reader(io.StringIO(data.decode(), newline="")), start=1)
        for column, text in enumerate(record, start=1)
        if text
    }
    extraction = extracted(data, "a.csv", tmp_path)
    assert_rows_lead_back(extraction, {"a": dict(found)}, "a")
    assert_chunks_are_exact(extraction)


@pytest.mark.parametrize("kind", sorted(WRITERS))
def test_twelve_thousand_rows_after_six_hundred_blank_ones(kind: str, tmp_path: Path) -> None:
    cells: dict[tuple[int, int], object] = {(1, 1): "Id", (1, 2): "Name", (1, 3): "Amount"}
    for number in range(1, 12_001):
        row = 601 + number + number // 1000  # and a gap in each thousand
        cells |= {(row, 1): number, (row, 2): f"name {number}", (row, 3): 2 * number}
    extraction = extracted(WRITERS[kind]({"a": cells}), f"a.{kind}", tmp_path)
    rows = [span for span in extraction.spans if span.kind == "table_row"]
    assert len(rows) == extraction.coverage.read == 12_001
    assert {span.table_header for span in rows[1:]} == {"Id | Name | Amount"}
    last = rows[-1]
    assert extraction.text[last.start : last.end] == "12000 | name 12000 | 24000"
    assert (last.locator.sheet, last.locator.cells) == ("a", "A12613:C12613")


@FEW
@given(cells=grids, merged=st.lists(st.tuples(places, st.integers(0, 3), st.integers(0, 3)), max_size=3))
def test_merged_cells_keep_their_places(
    cells: dict[tuple[int, int], object], merged: list[Any], tmp_path: Path
) -> None:
    workbook = openpyxl.load_workbook(io.BytesIO(xlsx({"a": cells})))
    for (row, column), height, width in merged:
        workbook["a"].merge_cells(
            start_row=row, start_column=column, end_row=row + height, end_column=column + width
        )
    buffer = io.BytesIO()
    workbook.save(buffer)
    sheets = cells_of_xlsx(buffer.getvalue())
    if any(sheets.values()):
        assert_rows_lead_back(extracted(buffer.getvalue(), "a.xlsx", tmp_path), sheets)
