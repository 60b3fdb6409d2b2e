"""Small writers of formats that no library here writes: XLS, XLSB, ODS, ODT, ODP.

Cells are given as ``{sheet: {(row, column): value}}``, rows and columns from 1.
"""

from __future__ import annotations

import io
import math
import struct
import zipfile
from collections.abc import Iterable, Mapping
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

Cells = Mapping[tuple[int, int], object]

NAMESPACES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in (
        ("office", "office"), ("table", "table"), ("text", "text"), ("style", "style"), ("draw", "drawing"),
        ("presentation", "presentation"), ("svg", "svg-compatible"), ("fo", "xsl-fo-compatible"), ("meta", "meta"),
        ("manifest", "manifest"),
    )
) + ' xmlns:dc="http://purl.org/dc/elements/1.1/"'  # fmt: skip


def zipped(parts: Mapping[str, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as container:
        for name, content in parts.items():
            container.writestr(name, content)
    return buffer.getvalue()


def open_document(kind: str, body: str, *, automatic: str = "", **parts: str) -> bytes:
    """An OpenDocument file; `parts` are whole further parts, named without ``.xml``."""
    element = {"spreadsheet": "spreadsheet", "text": "text", "presentation": "presentation"}[kind]
    content = (
        f"<office:document-content {NAMESPACES}><office:automatic-styles>{automatic}</office:automatic-styles>"
        f"<office:body><office:{element}>{body}</office:{element}></office:body></office:document-content>"
    )
    return zipped(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}",
            "content.xml": content,
            **{f"{name}.xml": part for name, part in parts.items()},
        }
    )


def encrypted_manifest() -> str:
    return (
        f'<manifest:manifest {NAMESPACES}><manifest:file-entry manifest:full-path="content.xml">'
        "<manifest:encryption-data/></manifest:file-entry></manifest:manifest>"
    )


def ods_cell(value: object) -> str:
    if isinstance(value, bool):
        kind = f'office:value-type="boolean" office:boolean-value="{str(value).lower()}"'
    elif isinstance(value, int | float):
        kind = f'office:value-type="float" office:value="{value!r}"'
    else:
        kind = 'office:value-type="string"'
    return f"<table:table-cell {kind}><text:p>{escape(str(value))}</text:p></table:table-cell>"


def ods(sheets: Mapping[str, Cells], *, hidden: Iterable[str] = ()) -> bytes:
    body = []
    for name, cells in sheets.items():
        style = ' table:style-name="hidden"' if name in hidden else ""
        body.append(f"<table:table table:name={quoteattr(name)}{style}>")
        above = 0
        for row, group in groupby(sorted(cells), key=lambda place: place[0]):
            if row - above > 1:
                body.append(f'<table:table-row table:number-rows-repeated="{row - above - 1}"/>')
            body.append("<table:table-row>")
            left = 0
            for _, column in group:
                if column - left > 1:
                    body.append(f'<table:table-cell table:number-columns-repeated="{column - left - 1}"/>')
                body.append(ods_cell(cells[row, column]))
                left = column
            body.append("</table:table-row>")
            above = row
        body.append(
            '<table:table-row table:number-rows-repeated="1000000"><table:table-cell/></table:table-row>'
        )
        body.append("</table:table>")
    style = (
        '<style:style style:name="hidden" style:family="table">'
        '<style:table-properties table:display="false"/></style:style>'
    )
    return open_document("spreadsheet", "".join(body), automatic=style)


def xlsb(sheets: Mapping[str, Cells], *, hidden: Iterable[str] = ()) -> bytes:
    def record(number: int, data: bytes = b"") -> bytes:
        head = bytes([number]) if number < 128 else bytes([number & 0x7F | 0x80, number >> 7])
        size, length = b"", len(data)
        while True:
            size += bytes([length & 0x7F | (0x80 if length > 0x7F else 0)])
            length >>= 7
            if not length:
                return head + size + data

    def wide(text: str) -> bytes:
        return struct.pack("<I", len(text.encode("utf-16-le")) // 2) + text.encode("utf-16-le")

    def cell(column: int, value: object) -> bytes:
        place = struct.pack("<II", column - 1, 0)
        if isinstance(value, bool):
            return record(4, place + bytes([value]))
        if isinstance(value, int | float):
            return record(5, place + struct.pack("<d", value))
        return record(6, place + wide(str(value)))

    bundle, relations, parts = b"", "", {}
    for number, (name, cells) in enumerate(sheets.items(), start=1):
        bundle += record(
            156, struct.pack("<II", int(name in hidden), number) + wide(f"rId{number}") + wide(name)
        )
        relations += (
            f'<Relationship Id="rId{number}" Type="worksheet" Target="worksheets/sheet{number}.bin"/>'
        )
        rows = [row for row, _ in cells] or [1]
        columns = [column for _, column in cells] or [1]
        size = struct.pack("<IIII", min(rows) - 1, max(rows) - 1, min(columns) - 1, max(columns) - 1)
        data = [record(129), record(148, size), record(145)]
        for row, group in groupby(sorted(cells), key=lambda place: place[0]):
            data.append(record(0, struct.pack("<II", row - 1, 0) + bytes(9)))
            data += [cell(column, cells[row, column]) for _, column in group]
        parts[f"xl/worksheets/sheet{number}.bin"] = b"".join([*data, record(146), record(130)])
    namespace = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"'
    return zipped(
        {
            "xl/workbook.bin": record(131) + record(143) + bundle + record(144) + record(132),
            "xl/_rels/workbook.bin.rels": f"<Relationships {namespace}>{relations}</Relationships>",
            **parts,
        }
    )


def xls(sheets: Mapping[str, Cells], *, hidden: Iterable[str] = (), has_password: bool = False) -> bytes:
    def record(number: int, data: bytes = b"") -> bytes:
        return struct.pack("<HH", number, len(data)) + data

    def cell(row: int, column: int, value: object) -> bytes:
        place = struct.pack("<HHH", row - 1, column - 1, 0)
        if isinstance(value, bool):
            return record(0x205, place + bytes([value, 0]))
        if isinstance(value, int | float):
            return record(0x203, place + struct.pack("<d", value))
        text = str(value).encode("utf-16-le")
        return record(0x204, place + struct.pack("<HB", len(text) // 2, 1) + text)

    def opening(kind: int) -> bytes:
        return record(0x809, struct.pack("<HHHHII", 0x600, kind, 0, 1997, 0, 0))

    names = {name: name.encode("utf-16-le") for name in sheets}
    password = record(0x2F, struct.pack("<HHHH", 0, 0, 1, 1)) if has_password else b""
    n_globals = len(opening(5) + password + record(0x0A)) + sum(12 + len(name) for name in names.values())
    bodies, entries, offset = [], [], n_globals
    for name, cells in sheets.items():
        body = b"".join(
            [opening(0x10), *(cell(*place, cells[place]) for place in sorted(cells)), record(0x0A)]
        )
        state = struct.pack("<IBB", offset, int(name in hidden), 0)
        entries.append(record(0x85, state + bytes([len(names[name]) // 2, 1]) + names[name]))
        bodies.append(body)
        offset += len(body)
    return ole_file("Workbook", b"".join([opening(5), password, *entries, record(0x0A), *bodies]))


def ole_file(name: str, stream: bytes) -> bytes:
    """A compound file that holds one stream."""
    sector, end, free = 512, 0xFFFFFFFE, 0xFFFFFFFF
    stream += bytes(max(0, 4096 - len(stream)))
    n_stream = math.ceil(len(stream) / sector)
    n_fat = 1
    while n_fat * 128 < n_stream + 1 + n_fat:
        n_fat += 1
    first_fat = n_stream + 1
    chain = [*range(1, n_stream), end, end, *[0xFFFFFFFD] * n_fat]
    chain += [free] * (n_fat * 128 - len(chain))

    def entry(title: str, kind: int, child: int, start: int, size: int) -> bytes:
        encoded = title.encode("utf-16-le") + b"\0\0" if title else b""
        head = encoded.ljust(64, b"\0") + struct.pack("<HBB", len(encoded), kind, 1)
        return head + struct.pack("<III", free, free, child) + bytes(36) + struct.pack("<IQ", start, size)

    directory = entry("Root Entry", 5, 1, end, 0) + entry(name, 2, free, 0, len(stream))
    directory += entry("", 0, free, 0, 0) * 2
    header = bytes.fromhex("d0cf11e0a1b11ae1") + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6)
    header += bytes(6) + struct.pack("<IIIIIIIII", 0, n_fat, n_stream, 0, 4096, end, 0, end, 0)
    fat_places = [first_fat + number for number in range(n_fat)]
    header += struct.pack("<109I", *fat_places, *[free] * (109 - n_fat))
    body = stream.ljust(n_stream * sector, b"\0") + directory
    return header + body + struct.pack(f"<{n_fat * 128}I", *chain)
