"""XLS, XLSB and ODS: rows, places, hidden sheets, passwords, repeated cells, damage."""

from __future__ import annotations

import datetime as dt
import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from extraction_checks import blocks
from office_files import encrypted_manifest, ods, open_document, xls, xlsb, zipped

from rag import extract_file
from rag.config import ExtractionLimits
from rag.errors import DamagedDocument, EncryptedDocument, NoText, ResourceLimit
from rag.extract.sheets import cell_text

WRITERS = {"xls": xls, "xlsb": xlsb, "ods": ods}
LIMITS = {(3, 2): "City", (3, 3): "Limit", (4, 2): "Oslo", (4, 3): 120.5, (7, 2): "Bergen", (7, 3): True}


@pytest.fixture(params=sorted(WRITERS))
def written(request: pytest.FixtureRequest) -> Callable[..., tuple[bytes, str]]:
    def write(*args: Any, **options: Any) -> tuple[bytes, str]:
        return WRITERS[request.param](*args, **options), f"a.{request.param}"

    return write


def test_rows_know_sheet_range_and_column_names(read: Any, written: Any) -> None:
    extraction = read(*written({"Limits": LIMITS}))
    assert blocks(extraction) == ["Limits", "City | Limit", "Oslo | 120.5", "Bergen | TRUE"]
    assert [span.locator.cells for span in extraction.spans] == [None, "B3:C3", "B4:C4", "B7:C7"]
    assert [span.table_header for span in extraction.spans] == [None, None, "City | Limit", "City | Limit"]
    assert (extraction.coverage.unit, extraction.coverage.read, extraction.coverage.total) == ("row", 3, 3)
    assert not extraction.is_partial
    assert extraction.warnings == ()


def test_many_sheets_in_order_and_hidden_ones_left_out(read: Any, written: Any) -> None:
    sheets = {f"Sheet {n}": {(1, 1): f"value {n}"} for n in range(30)}
    extraction = read(*written({**sheets, "Empty": {}}, hidden=["Sheet 7"]))
    assert blocks(extraction, "heading") == [f"Sheet {n}" for n in range(30) if n != 7]
    assert [(warning.code, warning.count) for warning in extraction.warnings] == [
        ("hidden_sheets_dropped", 1)
    ]
    assert "Sheet 7" in extraction.warnings[0].message


def test_cells_are_limited(read: Any, written: Any) -> None:
    data, name = written({sheet: {(n, 1): n for n in range(1, 31)} for sheet in ("A", "B")})
    with pytest.raises(ResourceLimit):
        read(data, name, ExtractionLimits(max_cells=59))
    assert read(data, name, ExtractionLimits(max_cells=60)).coverage.read == 60


def test_workbooks_without_a_value_say_so(read: Any, written: Any) -> None:
    with pytest.raises(NoText, match="No cell"):
        read(*written({"A": {}}))
    with pytest.raises(NoText, match="1 hidden sheet not read"):
        read(*written({"A": {}, "B": {(1, 1): "secret"}}, hidden=["B"]))


def test_a_workbook_cut_off_is_damaged(read: Any, written: Any) -> None:
    data, name = written({"A": {(n, 1): f"value {n}" for n in range(1, 2000)}})
    with pytest.raises(DamagedDocument) as caught:
        read(data[: len(data) // 2], name)
    assert caught.value.next_step


def test_a_password_makes_it_encrypted(read: Any) -> None:
    with pytest.raises(EncryptedDocument):
        read(xls({"A": {(1, 1): 1}}, has_password=True), "a.xls")
    data = open_document("spreadsheet", "", **{"META-INF/manifest": encrypted_manifest()})
    with pytest.raises(EncryptedDocument):
        read(data, "a.ods")


def test_a_cell_far_away_ends_in_a_reason_and_not_in_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "far"
    path.write_bytes(xlsb({"A": {(1, 1): 1, (1_048_576, 16_384): 2}}))
    with pytest.raises(ResourceLimit, match="memory"):
        extract_file(path, filename="far.xlsb")


def test_a_broken_part_of_a_binary_workbook_is_damage(read: Any) -> None:
    with pytest.raises(DamagedDocument):
        read(zipped({"xl/workbook.bin": b"\x00\x01\x02"}), "a.xlsb")


def test_what_makes_the_library_panic_is_damage(read: Any) -> None:
    data = xlsb({"A": {(1, 1): 1}})
    assert "rId1".encode("utf-16-le") in zipfile.ZipFile(io.BytesIO(data)).read("xl/workbook.bin")
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            part = old.read(name)
            new.writestr(name, part.replace(b"r\0I\0d\0001\0", b"r\0I\0d\0007\0"))
    with pytest.raises(DamagedDocument) as caught:
        read(out.getvalue(), "a.xlsb")
    assert type(caught.value.__cause__).__name__ == "PanicException"


def ods_rows(*rows: str) -> bytes:
    return open_document("spreadsheet", f'<table:table table:name="S">{"".join(rows)}</table:table>')


def ods_row(*cells: str, repeated: int = 1) -> str:
    return f'<table:table-row table:number-rows-repeated="{repeated}">{"".join(cells)}</table:table-row>'


def ods_value(kind: str, attributes: str, shown: str = "") -> str:
    return f'<table:table-cell office:value-type="{kind}" {attributes}><text:p>{shown}</text:p></table:table-cell>'


@pytest.mark.parametrize(
    ("kind", "attributes", "text"),
    [
        ("float", 'office:value="3"', "3"),
        ("float", 'office:value="x"', "shown"),
        ("percentage", 'office:value="0.25"', "25%"),
        ("currency", 'office:currency="EUR" office:value="12.5"', "12.5"),
        ("date", 'office:date-value="2024-05-01"', "2024-05-01"),
        ("date", 'office:date-value="2024-05-01T09:30:00"', "2024-05-01 09:30"),
        ("date", 'office:date-value="9999999-01-01"', "shown"),
        ("time", 'office:time-value="PT09H30M00S"', "09:30:00"),
        ("time", 'office:time-value="PT30H05M00S"', "30:05:00"),
        ("time", 'office:time-value="-PT01H"', "-1:00:00"),
        ("time", 'office:time-value="P99999999999D"', "shown"),
        ("boolean", 'office:boolean-value="true"', "TRUE"),
        ("string", "", "shown"),
    ],
)
def test_typed_cells_of_ods(read: Any, kind: str, attributes: str, text: str) -> None:
    assert blocks(read(ods_rows(ods_row(ods_value(kind, attributes, "shown"))), "a.ods"))[-1] == text


def test_repeated_rows_and_cells_are_places_and_cost_nothing_when_empty(read: Any) -> None:
    blank = '<table:table-cell table:number-columns-repeated="16384"/>'
    data = ods_rows(
        ods_row(ods_value("float", 'table:number-columns-repeated="3" office:value="1"'), repeated=2),
        ods_row(blank, repeated=600),
        ods_row('<table:table-cell table:number-columns-repeated="16383"/>', ods_value("string", "", "end")),
        ods_row(blank, repeated=1_047_973),
    )
    extraction = read(data, "a.ods")
    assert [
        (text, span.locator.cells) for text, span in zip(blocks(extraction), extraction.spans, strict=True)
    ][1:] == [("1 | 1 | 1", "A1:C1"), ("1 | 1 | 1", "A2:C2"), ("end", "XFD603")]
    bomb = ods_value("float", 'table:number-columns-repeated="16384" office:value="1"')
    with pytest.raises(ResourceLimit):
        read(ods_rows(ods_row(bomb, repeated=1_048_576)), "bomb.ods", ExtractionLimits(max_cells=100_000))


def test_comments_of_ods_are_dropped_and_counted_and_covered_cells_are_empty(read: Any) -> None:
    note = "<office:annotation><text:p>Is this right?</text:p></office:annotation>"
    words = f"{note}<text:p>Oslo</text:p><text:p>East</text:p>"
    cell = f'<table:table-cell office:value-type="string">{words}</table:table-cell>'
    data = ods_rows(ods_row(cell, "<table:covered-table-cell/>", ods_value("float", 'office:value="1"')))
    extraction = read(data, "a.ods")
    assert blocks(extraction)[-1] == "Oslo East | | 1"
    assert extraction.spans[-1].locator.cells == "A1:C1"
    assert [(warning.code, warning.count) for warning in extraction.warnings] == [("comments_dropped", 1)]


def test_sheets_of_ods_without_a_name_are_told_apart(read: Any) -> None:
    cell = ods_value("float", 'office:value="1"')
    sheet = f"<table:table>{ods_row(cell)}</table:table>"
    extraction = read(open_document("spreadsheet", 2 * sheet), "a.ods")
    assert blocks(extraction, "heading") == ["Sheet 1", "Sheet 2"]


def test_an_ods_that_is_no_xml_or_too_deep_has_a_reason(read: Any) -> None:
    with pytest.raises(DamagedDocument):
        read(ods_rows("<table:table-row>"), "a.ods")
    with pytest.raises(ResourceLimit):
        read(ods_rows("<table:table-row>" * 2000 + "</table:table-row>" * 2000), "a.ods")
    with pytest.raises(DamagedDocument, match="missing"):
        read(zipped({"mimetype": "application/vnd.oasis.opendocument.spreadsheet"}), "a.ods")


def test_durations() -> None:
    assert cell_text(dt.timedelta(hours=49, minutes=3)) == "49:03:00"
    assert cell_text(-dt.timedelta(seconds=5)) == "-0:00:05"


@pytest.mark.shared
def test_real_old_workbooks(read: Any, shared_data: Path) -> None:
    folder = shared_data / "docs_mixed" / "xls" / "healthy"
    ducks = read(folder / "docling__legacy_sample.xls", "ducks.xls")
    assert blocks(ducks)[-1] == "2024 | 180"
    assert ducks.spans[-1].locator.label == "Duck Observations!B10:C10"
    assert ducks.spans[-1].table_header == "Year | Freshwater Ducks"
    squares = read(folder / "tika__testEXCEL.xls", "squares.xls")
    assert "15 | 225" in squares.text
    with pytest.raises(NoText):  # it holds a picture
        read(folder / "tika__testEXCEL_95.xls", "picture.xls")


def test_zeros_and_words_around_the_numbers_of_an_ods_are_kept(read: Any) -> None:
    shown = (
        ("42", "00042"),
        ("1234.5", "1.234,50 €"),
        ("-3", "-$3.00"),
        ("1200000", "1.20E+06"),
        ("7", "7"),
        ("0", "0"),
    )
    cells = "".join(
        f'<table:table-cell office:value-type="float" office:value="{value}"><text:p>{text}</text:p></table:table-cell>'
        for value, text in shown
    )
    body = f'<table:table table:name="A"><table:table-row>{cells}</table:table-row></table:table>'
    extraction = read(open_document("spreadsheet", body), "a.ods")
    assert extraction.text.endswith("00042 | 1234.5 € | -$3 | 1200000 | 7 | 0")


def test_hidden_rows_and_columns_of_an_ods_are_read_and_counted(read: Any) -> None:
    def text_cell(text: str) -> str:
        return f'<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>'

    body = (
        '<table:table table:name="A"><table:table-column/>'
        '<table:table-column table:visibility="collapse" table:number-columns-repeated="2"/>'
        f"<table:table-row>{text_cell('a')}{text_cell('b')}</table:table-row>"
        f'<table:table-row table:visibility="filter">{text_cell("c")}</table:table-row>'
        '<table:table-row table:visibility="collapse"><table:table-cell/></table:table-row></table:table>'
    )
    extraction = read(open_document("spreadsheet", body), "a.ods")
    assert blocks(extraction)[1:] == ["a | b", "c"]
    assert [(warning.message, warning.count) for warning in extraction.warnings] == [
        ("Read with the rest: 1 hidden row and 1 hidden column.", 2)
    ]
