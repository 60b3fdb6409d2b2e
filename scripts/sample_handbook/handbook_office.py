"""Write the DOCX and XLSX documents of the sample handbook, the same bytes on each run."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import docx
from docx.shared import Cm
from handbook_markup import Block, parse
from openpyxl import Workbook
from openpyxl.styles import Alignment, Font
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

STAMP = datetime(2025, 10, 1, 8, 0, 0)
_MODIFIED = re.compile(r"(<dcterms:modified[^>]*>)[^<]*(</dcterms:modified>)")


def word_document(source: str, path: Path, header: str) -> None:
    """Write a source text as DOCX with real heading, list and table styles."""
    document = docx.Document()
    document.core_properties.author = "Merrowgate Ltd"
    document.core_properties.comments = ""
    document.core_properties.created = STAMP
    document.core_properties.modified = STAMP
    section = document.sections[0]
    section.left_margin = section.right_margin = Cm(2.2)
    section.header.paragraphs[0].text = header
    for block in parse(source):
        if block.kind == "heading":
            document.add_heading(block.text, level=block.level)
        elif block.kind == "paragraph":
            document.add_paragraph(block.text)
        elif block.kind == "table":
            _word_table(document, block)
        else:
            style = "List Bullet" if block.kind == "bullets" else "List Number"
            for item in block.items:
                document.add_paragraph(item, style=style)
    raw = io.BytesIO()
    document.save(raw)
    path.write_bytes(same_bytes(raw.getvalue()))


def _word_table(document: docx.document.Document, block: Block) -> None:
    """Add a table with lines and a bold first row."""
    table = document.add_table(rows=0, cols=len(block.rows[0]), style="Table Grid")
    for number, cells in enumerate(block.rows):
        for cell, text in zip(table.add_row().cells, cells, strict=True):
            cell.paragraphs[0].add_run(text).bold = number == 0
    document.add_paragraph()


def workbook(source: str, path: Path) -> None:
    """Write a workbook from its JSON source.

    Each sheet has `rows` (an empty list is a blank row), `bold` row numbers, `merge` ranges,
    column `widths`, and `formulas` by cell. The value that stands in `rows` at the place of
    a formula becomes its cached value, which openpyxl itself cannot write.
    """
    book = Workbook()
    book.remove(book.active)
    book.properties.creator = "Merrowgate Ltd"
    book.properties.created = STAMP
    cached: dict[str, str] = {}
    for number, spec in enumerate(json.loads(source)["sheets"], start=1):
        sheet: Worksheet = book.create_sheet(spec["title"])
        for row, values in enumerate(spec["rows"], start=1):
            for column, value in enumerate(values, start=1):
                cell = sheet.cell(row, column, value)
                cell.font = Font(bold=row in spec["bold"])
                cell.alignment = Alignment(vertical="top", wrap_text=isinstance(value, str))
        for address, formula in spec["formulas"].items():
            cached[f"xl/worksheets/sheet{number}.xml/{address}"] = str(sheet[address].value)
            sheet[address].value = f"={formula}"
        for column, width in enumerate(spec["widths"], start=1):
            sheet.column_dimensions[get_column_letter(column)].width = width
        for cells in spec["merge"]:
            sheet.merge_cells(cells)
        sheet.freeze_panes = f"A{max(spec['bold']) + 1}"
    raw = io.BytesIO()
    book.save(raw)

    def fill_in(name: str, text: str) -> str:
        for place, value in cached.items():
            part, _, address = place.rpartition("/")
            if part == name:
                pattern = rf'(<c r="{address}"[^>]*><f>[^<]*</f>)<v\s*(?:/>|></v>)'
                text, hits = re.subn(pattern, rf"\g<1><v>{value}</v>", text)
                if hits != 1:
                    raise ValueError(f"no formula cell {place}")
        return text

    path.write_bytes(same_bytes(raw.getvalue(), fill_in))


def same_bytes(package: bytes, edit: Callable[[str, str], str] | None = None) -> bytes:
    """Rewrite an Office package with fixed times; `edit` may change XML parts by name."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(package)) as old,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            data = old.read(name)
            if name == "docProps/core.xml":
                stamp = STAMP.strftime("%Y-%m-%dT%H:%M:%SZ")
                data = _MODIFIED.sub(rf"\g<1>{stamp}\g<2>", data.decode()).encode()
            elif edit and name.endswith(".xml"):
                data = edit(name, data.decode()).encode()
            info = zipfile.ZipInfo(name, STAMP.timetuple()[:6])
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3
            new.writestr(info, data)
    return out.getvalue()
