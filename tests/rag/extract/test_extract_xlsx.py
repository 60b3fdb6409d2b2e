from __future__ import annotations

import contextlib
import datetime as dt
import io
import re
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from extraction_checks import blocks
from openpyxl.chart import BarChart
from openpyxl.comments import Comment

from rag.config import ExtractionLimits
from rag.errors import DamagedDocument, NoText, ResourceLimit
from rag.extract import xlsx
from rag.extract.sheets import cell_text


def saved(workbook: Any) -> bytes:
    buffer = io.BytesIO()
    workbook.save(buffer)
    return buffer.getvalue()


def workbook_of(*sheets: tuple[str, list[list[object]]]) -> Any:
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.active)
    for name, rows in sheets:
        sheet = workbook.create_sheet(name)
        for row in rows:
            sheet.append(row)
    return workbook


def test_rows_know_sheet_range_and_column_names(read: Any) -> None:
    rows: list[list[object]] = [
        ["City", "Limit", "From"],
        ["Oslo", 120.0, dt.date(2024, 5, 1)],
        ["Bergen", 90.5, None],
    ]
    extraction = read(saved(workbook_of(("Limits", rows))), "limits.xlsx")
    assert blocks(extraction) == ["Limits", "City | Limit | From", "Oslo | 120 | 2024-05-01", "Bergen | 90.5"]
    assert [span.locator.cells for span in extraction.spans] == [None, "A1:C1", "A2:C2", "A3:B3"]
    assert [span.table_header for span in extraction.spans[1:]] == [
        None,
        "City | Limit | From",
        "City | Limit | From",
    ]
    assert extraction.spans[2].locator.label == "Limits!A2:C2"
    assert extraction.coverage.unit == "row"
    assert (extraction.coverage.read, extraction.coverage.total) == (3, 3)


def test_every_row_with_a_value_is_read_also_after_a_gap(read: Any) -> None:
    workbook = workbook_of(("Data", [["Id", "Name"], *[[n, f"name {n}"] for n in range(1, 3001)]]))
    workbook["Data"]["A3700"], workbook["Data"]["B3700"] = 9999, "after six hundred blank rows"
    extraction = read(saved(workbook), "data.xlsx")
    assert extraction.coverage.read == 3002
    last = extraction.spans[-1]
    assert extraction.text[last.start : last.end] == "9999 | after six hundred blank rows"
    assert (last.locator.cells, last.table_header) == ("A3700:B3700", "Id | Name")


def test_many_sheets_in_their_order_and_hidden_ones_left_out(read: Any) -> None:
    workbook = workbook_of(*[(f"Sheet {n}", [["Key", "Value"], [n, n]]) for n in range(30)])
    workbook["Sheet 7"].sheet_state = "hidden"
    workbook.create_chartsheet("Chart").add_chart(BarChart())
    extraction = read(saved(workbook), "many.xlsx")
    assert blocks(extraction, "heading") == [f"Sheet {n}" for n in range(30) if n != 7]
    assert extraction.warnings[0].code == "hidden_sheets_dropped"
    assert "Sheet 7" in extraction.warnings[0].message


def test_merged_cells_and_titles_above_the_header(read: Any) -> None:
    workbook = workbook_of(("S", [["Rates for 2024", None], [], ["City", "Limit"], ["Oslo", 1], [None, 2]]))
    workbook["S"].merge_cells("A1:B1")
    workbook["S"].merge_cells("A4:A5")
    extraction = read(saved(workbook), "m.xlsx")
    assert blocks(extraction, "table_row") == ["Rates for 2024", "City | Limit", "Oslo | 1", "| 2"]
    assert extraction.spans[1].table_header is None
    assert extraction.spans[-1].table_header == "City | Limit"


def test_a_second_table_below_a_gap_has_its_own_header(read: Any) -> None:
    rows: list[list[object]] = [
        ["City", "Limit"],
        ["Oslo", 1],
        [],
        ["Car", "Cost per km"],
        ["Own", 0.3],
        ["Hired", 0.5],
    ]
    extraction = read(saved(workbook_of(("S", rows))), "two.xlsx")
    assert extraction.spans[-1].table_header == "Car | Cost per km"
    assert "Oslo | 1\n\nCar | Cost per km\nOwn | 0.3" in extraction.text


def test_empty_cells_keep_their_column(read: Any) -> None:
    extraction = read(
        saved(workbook_of(("S", [["A", "B", "C"], [None, "b", "c"], ["a", None, "c"]]))), "e.xlsx"
    )
    assert blocks(extraction, "table_row")[1:] == ["| b | c", "a | | c"]


def test_an_inflated_dimension_costs_nothing(read: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    data = saved(workbook_of(("S", [["A", "B"], [1, 2]])))
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b'ref="A1:B2"', b'ref="A1:XFD1048576"'))
    assert b'ref="A1:XFD1048576"' in zipfile.ZipFile(out).read("xl/worksheets/sheet1.xml")
    widths: list[int] = []
    rows = xlsx._rows

    def watched(records: Any, *rest: int) -> Any:
        return rows((widths.append(len(record)) or record for record in records), *rest)

    monkeypatch.setattr(xlsx, "_rows", watched)
    assert read(out.getvalue(), "x.xlsx").coverage.read == 2
    assert widths == [2, 2]  # not 16,384 cells a row for a million rows


def test_formulas_without_a_stored_value_make_it_partial(read: Any) -> None:
    extraction = read(saved(workbook_of(("S", [["A", "B"], [1, "=A2*2"]]))), "f.xlsx")
    assert extraction.is_partial
    assert extraction.warnings[0].code == "formulas_without_value"
    assert "1 formula;" in extraction.warnings[0].message


def test_stored_values_of_formulas_are_read(read: Any) -> None:
    data = saved(workbook_of(("S", [["A", "B"], [1, "=A2*2"]])))
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            part = old.read(name)
            new.writestr(
                name,
                part.replace(b"<v></v>", b"<v>2</v>")
                .replace(b"<v />", b"<v>2</v>")
                .replace(b"<v/>", b"<v>2</v>"),
            )
    extraction = read(out.getvalue(), "f.xlsx")
    assert blocks(extraction)[-1] == "1 | 2"
    assert not extraction.is_partial


@pytest.mark.parametrize(
    ("value", "number_format", "text"),
    [
        (3.0, "General", "3"),
        (0.1 + 0.2, "General", "0.3"),
        (1234567890123456, "0", "1234567890123460"),
        (-0.0, "General", "0"),
        (0.25, "0%", "25%"),
        (0.125, "0.0%", "12.5%"),
        (True, "General", "TRUE"),
        (dt.datetime(2024, 5, 1), "yyyy", "2024-05-01"),
        (dt.datetime(2024, 5, 1, 9, 30), "yyyy", "2024-05-01 09:30"),
        (dt.time(9, 30), "h:mm", "09:30:00"),
        (1e-7, "General", "0.0000001"),
        ("  words ", "General", "words"),
    ],
)
def test_cells_read_as_people_write_them(value: object, number_format: str, text: str) -> None:
    assert cell_text(value, number_format) == text


def test_comments_are_dropped_and_counted(read: Any) -> None:
    workbook = workbook_of(("S", [["A", "B"], [1, 2]]), ("T", [["C"]]))
    for sheet, cell in (("S", "A1"), ("S", "B2"), ("T", "A1")):
        workbook[sheet][cell].comment = Comment("Is this still right?", "Ada")
    extraction = read(saved(workbook), "c.xlsx")
    assert "still right" not in extraction.text
    assert [(warning.code, warning.count) for warning in extraction.warnings] == [("comments_dropped", 3)]


BOX = (
    b'<xdr:sp xmlns:xdr="x"><xdr:txBody xmlns:a="a"><a:p><a:r><a:t>Limits hold from May.</a:t></a:r></a:p><a:p/>'
    b"</xdr:txBody></xdr:sp>"
)


def test_text_boxes_over_the_cells_are_read_with_their_place(read: Any) -> None:
    workbook = workbook_of(("S", [["A", "B"], [1, 2]]), ("T", []))
    for name in ("S", "T"):
        chart = BarChart()
        workbook[name].add_chart(chart, "D7")
    data = saved(workbook)
    for number in (1, 2):
        data = with_part(
            data,
            f"xl/drawings/drawing{number}.xml",
            lambda part: re.sub(rb"<(\w+:)?graphicFrame.*graphicFrame>", BOX, part),
        )
    extraction = read(data, "b.xlsx")
    assert blocks(extraction) == [
        "S",
        "A | B",
        "1 | 2",
        "Limits hold from May.",
        "T",
        "Limits hold from May.",
    ]
    assert extraction.spans[3].locator.label == "S!D7"
    assert (extraction.coverage.read, extraction.coverage.total) == (2, 2)
    assert not extraction.is_partial
    broken = read(with_part(data, "xl/drawings/drawing1.xml", halved), "b.xlsx")
    assert broken.is_partial
    assert [(warning.code, warning.count) for warning in broken.warnings] == [("drawings_not_read", 1)]
    assert blocks(broken)[:3] == ["S", "A | B", "1 | 2"]


def test_a_cell_of_separators_is_a_value(read: Any) -> None:
    extraction = read(saved(workbook_of(("S", [["A", "|"], ["|", None]]))), "s.xlsx")
    assert blocks(extraction, "table_row") == ["A | |", "|"]
    assert (extraction.coverage.read, extraction.coverage.total) == (2, 2)


def test_rows_of_invisible_characters_have_no_value(read: Any) -> None:
    extraction = read(saved(workbook_of(("S", [["A", "B"], ["\u200b", None]]))), "s.xlsx")
    assert (extraction.coverage.read, extraction.coverage.total) == (1, 1)


def test_cells_are_limited(read: Any) -> None:
    data = saved(workbook_of(("A", [["x", "y"]] * 30), ("B", [["x", "y"]] * 30)))
    with pytest.raises(ResourceLimit):
        read(data, "a.xlsx", ExtractionLimits(max_cells=100))
    assert read(data, "a.xlsx", ExtractionLimits(max_cells=120)).coverage.read == 60


def test_broken_and_empty_workbooks_have_a_reason(read: Any) -> None:
    data = saved(workbook_of(("S", [["A", "B"]])))
    with pytest.raises(DamagedDocument):
        read(data[: len(data) // 2], "cut.xlsx")
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name)[:-20] if "sheet1" in name else old.read(name))
    with pytest.raises(DamagedDocument):
        read(out.getvalue(), "broken.xlsx")
    with pytest.raises(NoText):
        read(saved(workbook_of(("S", []))), "empty.xlsx")


def with_part(data: bytes, part: str, change: Callable[[bytes], bytes] | None) -> bytes:
    """The workbook with one part changed, or without it."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            if name != part:
                new.writestr(name, old.read(name))
            elif change is not None:
                new.writestr(name, change(old.read(name)))
    return out.getvalue()


def replaced(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    def change(part: bytes) -> bytes:
        assert old in part
        return part.replace(old, new, 1)

    return change


def halved(part: bytes) -> bytes:
    return part[: len(part) // 2]


SHEET, STYLES = "xl/worksheets/sheet1.xml", "xl/styles.xml"


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("xl/workbook.xml", None),
        ("[Content_Types].xml", replaced(b"sheet.main", b"no.such")),
        ("docProps/core.xml", halved),
        ("xl/workbook.xml", halved),
        (STYLES, halved),
        (SHEET, halved),
        (SHEET, lambda _: b""),
        (SHEET, replaced(b'r="A1"', b'r="1A"')),
        (SHEET, replaced(b"<v>120</v>", b"<v>nan</v>")),
        (SHEET, replaced(b'"n"><v>120', b'"s"><v>120')),
        (SHEET, replaced(b' s="1"', b' s="99"')),
        (STYLES, replaced(b"<cellXfs", b"<cellXfs strange")),
        (STYLES, replaced(b'numFmtId="', b'numFmtId="99999999999')),
        (SHEET, replaced(b"<worksheet", b'<?xml version="1.0" encoding="UTF-8s"?><worksheet')),
    ],
)
def test_every_broken_part_is_a_damaged_workbook(
    read: Any, part: str, change: Callable[[bytes], bytes] | None
) -> None:
    data = saved(workbook_of(("S", [["From", "Limit"], [dt.date(2024, 5, 1), 120]])))
    assert read(data, "whole.xlsx").coverage.read == 2
    with pytest.raises(DamagedDocument) as caught:
        read(with_part(data, part, change), "broken.xlsx")
    assert change is None or caught.value.__cause__ is not None  # a missing part is our own finding


@pytest.mark.shared
def test_real_workbooks_cut_off_or_without_a_part_are_read_or_damaged(read: Any, shared_data: Path) -> None:
    for path in sorted((shared_data / "docs_mixed" / "xlsx" / "healthy").iterdir()):
        data = path.read_bytes()
        if len(data) > 60_000:
            continue
        with pytest.raises(DamagedDocument):
            read(data[: len(data) * 2 // 3], path.name)
        for part in zipfile.ZipFile(io.BytesIO(data)).namelist():
            if part.startswith("xl/") and part.endswith(".xml"):
                with contextlib.suppress(DamagedDocument, NoText):
                    read(with_part(data, part, halved), path.name)


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("a bug")])
def test_what_no_damage_raises_stays_what_it_is(
    read: Any, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_args: object, **_kwargs: object) -> None:
        raise error

    monkeypatch.setattr("openpyxl.load_workbook", fail)
    data = saved(workbook_of(("S", [["A", "B"]])))
    with pytest.raises(type(error)):
        read(data, "a.xlsx")


def sheet_of(rows: str) -> bytes:
    """A workbook of one sheet, its rows as they are stored."""

    def with_rows(name: str, part: bytes) -> bytes:
        return (
            re.sub(rb"<sheetData.*</sheetData>|<sheetData */>", rows.encode(), part)
            if "sheet1" in name
            else part
        )

    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(saved(workbook_of(("Data", []))))) as old,
        zipfile.ZipFile(out, "w") as new,
    ):
        for name in old.namelist():
            new.writestr(name, with_rows(name, old.read(name)))
    return out.getvalue()


def stored_row(number: int, cell: str, text: str) -> str:
    return f'<row r="{number}"><c r="{cell}" t="inlineStr"><is><t>{text}</t></is></c></row>'


def test_a_row_beyond_any_sheet_is_damage(read: Any) -> None:
    with pytest.raises(DamagedDocument):
        read(sheet_of(f"<sheetData>{stored_row(999_999_999, 'A999999999', 'far')}</sheetData>"), "a.xlsx")


def test_only_stored_rows_cost_time_and_none_is_dropped_for_its_order(read: Any) -> None:
    rows = (
        stored_row(5, "A5", "five") + stored_row(2, "A2", "two") + stored_row(1_048_576, "XFD1048576", "last")
    )
    started = time.monotonic()
    extraction = read(sheet_of(f"<sheetData>{rows}</sheetData>"), "a.xlsx")
    assert time.monotonic() - started < 0.5
    assert blocks(extraction) == ["Data", "five", "two", "last"]


def test_hidden_rows_and_columns_are_read_and_counted(read: Any) -> None:
    workbook = workbook_of(("Data", [["City", "Limit", "Note"], ["Oslo", 120, "x"], ["Bergen", 90, "y"]]))
    workbook["Data"].row_dimensions[2].hidden = True
    workbook["Data"].column_dimensions["C"].hidden = True
    workbook["Data"].column_dimensions["F"].hidden = True
    extraction = read(saved(workbook), "a.xlsx")
    assert blocks(extraction)[2:] == ["Oslo | 120 | x", "Bergen | 90 | y"]
    assert [(warning.message, warning.count) for warning in extraction.warnings] == [
        ("Read with the rest: 1 hidden row and 1 hidden column.", 2)
    ]


def test_charts_over_and_beside_sheets_are_counted(read: Any) -> None:
    workbook = workbook_of(("Data", [["City", "Limit"], ["Oslo", 120]]), ("Secret", [["x"]]))
    workbook["Data"].add_chart(BarChart(), "D1")
    workbook["Secret"].add_chart(BarChart(), "D1")
    workbook["Secret"].sheet_state = "hidden"
    workbook.create_chartsheet("Chart").add_chart(BarChart())
    counts = {warning.code: warning.count for warning in read(saved(workbook), "a.xlsx").warnings}
    assert counts == {"hidden_sheets_dropped": 1, "pictures_not_read": 2}


def test_struck_cells_are_dropped_and_counted(read: Any) -> None:
    workbook = workbook_of(("Data", [["City", "Limit"], ["Oslo", 100], ["Bergen", 90]]))
    workbook["Data"]["B2"].font = openpyxl.styles.Font(strike=True)
    extraction = read(saved(workbook), "a.xlsx")
    assert blocks(extraction)[1:] == ["City | Limit", "Oslo", "Bergen | 90"]
    assert {warning.code: warning.count for warning in extraction.warnings} == {"struck_text_dropped": 1}
