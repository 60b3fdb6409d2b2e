from __future__ import annotations

import io
import time
import zipfile
from typing import Any

import docx
import pytest
from extraction_checks import blocks

from rag.config import ExtractionLimits
from rag.errors import DamagedDocument, EncryptedDocument, NoText, ResourceLimit, UnsupportedFormat

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def saved(document: Any) -> bytes:
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def package(body: str, namespace: str = W, **parts: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as container:
        container.writestr(
            "word/document.xml", f"<w:document {namespace}><w:body>{body}</w:body></w:document>"
        )
        for name, content in parts.items():
            container.writestr(f"word/{name}.xml", content)
    return buffer.getvalue()


def p(text: str, inner: str = "") -> str:
    return f"<w:p>{inner}<w:r><w:t>{text}</w:t></w:r></w:p>"


def test_body_order_headings_lists_and_tables(read: Any) -> None:
    document = docx.Document()
    document.add_heading("Travel", 0)
    document.add_paragraph("Before the trip, ask your manager.")
    document.add_heading("Hotels", 1)
    table = document.add_table(rows=3, cols=2)
    for row, cells in zip(table.rows, [("City", "Limit"), ("Oslo", "120"), ("Bergen", "90")], strict=True):
        row.cells[0].text, row.cells[1].text = cells
    document.add_heading("Steps", 2)
    document.add_paragraph("Book early.", style="List Number")
    document.add_paragraph("Keep receipts.", style="List Bullet")
    extraction = read(saved(document), "travel.docx")
    assert [(span.kind, extraction.text[span.start : span.end]) for span in extraction.spans] == [
        ("heading", "Travel"),
        ("paragraph", "Before the trip, ask your manager."),
        ("heading", "Hotels"),
        ("table_row", "City | Limit"),
        ("table_row", "Oslo | 120"),
        ("table_row", "Bergen | 90"),
        ("heading", "Steps"),
        ("list_item", "1. Book early."),
        ("list_item", "Keep receipts."),
    ]
    assert extraction.spans[5].table_header == "City | Limit"
    assert extraction.spans[-1].locator.heading_path == ("Travel", "Hotels", "Steps")


def test_the_core_title_comes_before_the_first_heading(read: Any) -> None:
    document = docx.Document()
    document.add_heading("Heading", 1)
    assert read(saved(document), "x.docx").title == "Heading"
    document.core_properties.title = "Travel policy 2024"
    assert read(saved(document), "x.docx").title == "Travel policy 2024"


def test_hidden_and_deleted_text_is_dropped_and_inserted_text_kept(read: Any) -> None:
    body = (
        '<w:p><w:r><w:t xml:space="preserve">The limit is </w:t></w:r>'
        "<w:del><w:r><w:delText>100</w:delText></w:r></w:del><w:ins><w:r><w:t>120</w:t></w:r></w:ins>"
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r>"
        '<w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t xml:space="preserve"> EUR</w:t></w:r></w:p>'
    )
    extraction = read(package(body), "a.docx")
    assert extraction.text == "The limit is 120 EUR"
    assert [(warning.code, warning.count) for warning in extraction.warnings] == [
        ("hidden_text_dropped", 6),
        ("deleted_text_dropped", 1),
    ]


def test_content_controls_text_boxes_and_notes_are_read(read: Any) -> None:
    body = (
        f"<w:sdt><w:sdtContent>{p('Inside a control.')}</w:sdtContent></w:sdt>"
        f"<w:p><w:r><w:t>Host</w:t></w:r><w:r><w:pict><w:txbxContent>{p('Boxed.')}</w:txbxContent></w:pict></w:r>"
        '<w:r><w:footnoteReference w:id="2"/></w:r></w:p>' + p("Last.")
    )
    notes = f'<w:footnotes {W}><w:footnote w:type="separator" w:id="0">{p("-")}</w:footnote><w:footnote w:id="2">{p("See annex.")}</w:footnote></w:footnotes>'  # noqa: E501
    assert blocks(read(package(body, footnotes=notes), "a.docx")) == [
        "Inside a control.",
        "Host",
        "Boxed.",
        "Last.",
        "See annex.",
    ]


def test_merged_cells_repeat_what_is_above(read: Any) -> None:
    def cell(text: str, merge: str = "") -> str:
        return f"<w:tc><w:tcPr>{merge}</w:tcPr>{p(text)}</w:tc>"

    rows = [
        cell("Country") + cell("City"),
        cell("Norway", '<w:vMerge w:val="restart"/>') + cell("Oslo"),
        cell("", "<w:vMerge/>") + cell("Bergen"),
    ]
    table = "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in rows) + "</w:tbl>"
    assert blocks(read(package(table), "a.docx")) == ["Country | City", "Norway | Oslo", "Norway | Bergen"]


def test_a_frame_of_one_cell_is_no_table(read: Any) -> None:
    table = f"<w:tbl><w:tr><w:tc>{p('Note well.')}</w:tc></w:tr></w:tbl>"
    assert {span.kind for span in read(package(table), "a.docx").spans} == {"paragraph"}


def test_strict_documents_and_macros(read: Any) -> None:
    strict = 'xmlns:w="http://purl.oclc.org/ooxml/wordprocessingml/main"'
    extraction = read(
        package(p("Strict."), strict, vbaProject="x").replace(b"vbaProject.xml", b"vbaProject.bin"), "a.docm"
    )
    assert extraction.text == "Strict."
    assert [warning.code for warning in extraction.warnings] == ["macros_ignored"]


def test_localised_heading_styles_follow_their_base(read: Any) -> None:
    styles = (
        f'<w:styles {W}><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>'
        '<w:style w:styleId="Firma"><w:name w:val="Firma"/><w:basedOn w:val="berschrift1"/></w:style></w:styles>'
    )
    body = p("Reisen", '<w:pPr><w:pStyle w:val="Firma"/></w:pPr>') + p("Text.")
    extraction = read(package(body, styles=styles), "a.docx")
    assert extraction.spans[1].locator.heading_path == ("Reisen",)


def test_entities_are_not_expanded(read: Any) -> None:
    doctype = '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/hostname">]>'
    document = f"{doctype}<w:document {W}><w:body>{p('A&x;B')}</w:body></w:document>"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as container:
        container.writestr("word/document.xml", document)
    assert read(buffer.getvalue(), "a.docx").text == "A"


def test_absurd_nesting_is_a_resource_limit(read: Any) -> None:
    depth = 5000
    with pytest.raises(ResourceLimit):
        read(package("<w:sdt>" * depth + "</w:sdt>" * depth), "a.docx")


def test_broken_containers_have_a_reason(read: Any) -> None:
    whole = saved(docx.Document())
    with pytest.raises(DamagedDocument):
        read(whole[: len(whole) // 2], "cut.docx")
    with pytest.raises(DamagedDocument):
        read(package("<w:p>"), "malformed.docx")
    with pytest.raises(NoText):
        read(whole, "empty.docx")


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_part_that_cannot_be_unpacked_is_damage(read: Any, method: int) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as container:
        container.writestr("word/document.xml", f"<w:document {W}><w:body>{p('x')}</w:body></w:document>")
        part = container.infolist()[0]
    data = bytearray(buffer.getvalue())
    packed = 30 + len(part.filename) + 9  # behind the local header and, in LZMA, the properties
    data[packed : packed + 20] = b"\xff" * 20
    with pytest.raises(DamagedDocument, match="cannot be unpacked"):
        read(bytes(data), "a.docx")


def test_a_zip_bomb_is_stopped_before_it_is_unpacked(read: Any) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as container:
        container.writestr("word/document.xml", b" " * 30_000_000)
    assert len(buffer.getvalue()) < 100_000
    with pytest.raises(ResourceLimit, match="zip bomb"):
        read(buffer.getvalue(), "bomb.docx")
    with pytest.raises(ResourceLimit, match="28 MiB"):
        read(buffer.getvalue(), "bomb.docx", ExtractionLimits(max_unpacked_mib=20))


def test_a_zip_with_a_password_is_encrypted(read: Any) -> None:
    data = bytearray(package(p("x")))
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + offset] |= 1
    with pytest.raises(EncryptedDocument):
        read(bytes(data), "a.docx")


def test_another_container_is_named(read: Any) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as container:
        container.writestr("notes.txt", "x")
    with pytest.raises(UnsupportedFormat, match="zip archive"):
        read(buffer.getvalue(), "a.docx")


def test_comments_headers_and_footers_are_dropped_and_counted(read: Any) -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("The limit is 120 EUR.")
    document.add_comment(paragraph.runs, text="Is this still right?", author="Ada", initials="A")
    section = document.sections[0]
    section.header.paragraphs[0].text = "Internal"
    section.footer.paragraphs[0].text = "Page one of many"
    section.footer.add_paragraph("Printed on paper")
    extraction = read(saved(document), "a.docx")
    assert extraction.text == "The limit is 120 EUR."
    assert [(warning.code, warning.count) for warning in extraction.warnings] == [
        ("comments_dropped", 1),
        ("headers_footers_dropped", 3),
    ]
    assert not extraction.is_partial


def test_deleted_rows_and_moved_text_are_left_out_and_counted(read: Any) -> None:
    def row(text: str, properties: str = "") -> str:
        return f"<w:tr>{properties}<w:tc>{p(text)}</w:tc><w:tc>{p('1')}</w:tc></w:tr>"

    body = (
        "<w:tbl>" + row("Kept") + row("Gone", "<w:trPr><w:del/></w:trPr>") + "</w:tbl>"
        "<w:p><w:moveFrom><w:r><w:t>Moved.</w:t></w:r></w:moveFrom></w:p>"
        "<w:p><w:moveTo><w:r><w:t>Moved.</w:t></w:r></w:moveTo></w:p>"
    )
    extraction = read(package(body), "a.docx")
    assert blocks(extraction) == ["Kept | 1", "Moved."]
    assert [(warning.code, warning.count) for warning in extraction.warnings] == [("deleted_text_dropped", 2)]


def test_a_note_stands_under_the_heading_that_refers_to_it(read: Any) -> None:
    heading = '<w:pPr><w:pStyle w:val="h1"/></w:pPr>'
    styles = f'<w:styles {W}><w:style w:styleId="h1"><w:name w:val="heading 1"/></w:style></w:styles>'
    reference = '<w:p><w:r><w:t>Text.</w:t><w:footnoteReference w:id="2"/></w:r></w:p>'
    notes = f'<w:footnotes {W}><w:footnote w:id="2">{p("See annex.")}</w:footnote></w:footnotes>'
    body = p("Hotels", heading) + reference + p("Cars", heading) + p("More.")
    extraction = read(package(body, styles=styles, footnotes=notes), "a.docx")
    assert blocks(extraction) == ["Hotels", "Text.", "Cars", "More.", "See annex."]
    assert extraction.spans[-1].locator.heading_path == ("Hotels",)


def test_text_boxes_inside_cells_are_read(read: Any) -> None:
    box = f"<w:p><w:r><w:pict><w:txbxContent>{p('Boxed.')}</w:txbxContent></w:pict></w:r></w:p>"
    table = f"<w:tbl><w:tr><w:tc>{p('A')}</w:tc><w:tc>{box}</w:tc></w:tr></w:tbl>"
    assert blocks(read(package(table), "a.docx")) == ["A | Boxed."]


def test_content_only_word_can_import_makes_it_partial(read: Any) -> None:
    extraction = read(package(p("Text.") + "<w:altChunk/>"), "a.docx")
    assert extraction.is_partial
    assert extraction.warnings[0].code == "embedded_content_not_read"


def test_a_chain_of_thousands_of_styles_is_walked_once(read: Any) -> None:
    styles = "".join(
        f'<w:style w:styleId="s{n}"><w:name w:val="s{n}"/><w:basedOn w:val="s{n - 1}"/></w:style>'
        for n in reversed(range(1, 6000))
    )
    heading = '<w:style w:styleId="s0"><w:name w:val="heading 1"/><w:basedOn w:val="s5999"/></w:style>'
    body = p("Terms", '<w:pPr><w:pStyle w:val="s5999"/></w:pPr>') + p("Text.")
    started = time.monotonic()
    extraction = read(package(body, styles=f"<w:styles {W}>{styles}{heading}</w:styles>"), "a.docx")
    assert time.monotonic() - started < 4
    assert [span.kind for span in extraction.spans] == ["heading", "paragraph"]


def run(text: str, properties: str) -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def test_raised_and_lowered_text_keeps_its_meaning(read: Any) -> None:
    up, down = '<w:vertAlign w:val="superscript"/>', '<w:vertAlign w:val="subscript"/>'
    styles = f'<w:styles {W}><w:style w:styleId="Ref"><w:rPr>{up}</w:rPr></w:style></w:styles>'
    body = (
        f"<w:p>{run('10', '')}{run('6', up)}{run(' newton, see note', '')}"
        + run("3", '<w:rStyle w:val="Ref"/>')
        + f"{run('. Water is H', '')}{run('2', down)}{run('O, x', '')}{run('abc', up)}{run('.', '')}</w:p>"
    )
    assert read(package(body, styles=styles), "a.docx").text == "10⁶ newton, see note³. Water is H₂O, x^abc."


def test_formulas_are_written_on_one_line(read: Any) -> None:
    def r(text: str) -> str:
        return f"<w:r><w:t>{text}</w:t></w:r>"

    def fraction(above: str, below: str) -> str:
        return f"<w:f><w:num>{r(above)}</w:num><w:den>{r(below)}</w:den></w:f>"

    square = f"<w:sSup><w:e>{r('x')}</w:e><w:sup>{r('2')}</w:sup></w:sSup>"
    root = f"<w:rad><w:deg/><w:e>{r('2')}</w:e></w:rad>"
    total = (
        '<w:nary><w:naryPr><w:chr w:val="∑"/></w:naryPr>'
        f"<w:sub>{r('i=1')}</w:sub><w:sup>{r('n')}</w:sup><w:e>{r('i')}</w:e></w:nary>"
    )
    body = (
        f"<w:p>{r('Use 1')}<w:oMath>{fraction('3', '4')}</w:oMath>{r(' cups')}</w:p>"
        f"<w:p><w:oMath>{r('1')}{fraction('3', '4')}</w:oMath></w:p>"
        f"<w:p><w:oMath>{square}{r('=')}{root}</w:oMath></w:p><w:p><w:oMath>{total}</w:oMath></w:p>"
        f"<w:p><w:oMath>{fraction('a+b', '2')}<w:d><w:e>{r('y')}</w:e></w:d></w:oMath></w:p>"
    )
    assert blocks(read(package(body), "a.docx")) == [
        "Use 1 3/4 cups",
        "1 3/4",
        "x²=√(2)",
        "∑_(i=1)^n i",
        "(a+b)/2(y)",
    ]


def test_text_that_a_style_hides_or_strikes_is_dropped(read: Any) -> None:
    def style(name: str, base: str, properties: str = "") -> str:
        return f'<w:style w:styleId="{name}"><w:basedOn w:val="{base}"/><w:rPr>{properties}</w:rPr></w:style>'

    styles = style("Secret", "", "<w:vanish/>") + style("Child", "Secret") + style("Old", "", "<w:strike/>")
    body = (
        p("Hidden line", '<w:pPr><w:pStyle w:val="Child"/></w:pPr>')
        + f"<w:p>{run('Price is ', '')}{run('100', '<w:strike/>')}"
        + run("90", '<w:rStyle w:val="Old"/>')
        + run("77", '<w:rStyle w:val="Child"/>')
        + run("80 euros", '<w:strike w:val="0"/>')
        + "</w:p>"
    )
    extraction = read(package(body, styles=f"<w:styles {W}>{styles}</w:styles>"), "a.docx")
    assert extraction.text == "Price is 80 euros"
    assert [(warning.code, warning.count) for warning in extraction.warnings] == [
        ("hidden_text_dropped", 13),
        ("struck_text_dropped", 2),
    ]


def test_pictures_charts_and_objects_are_counted(read: Any) -> None:
    graphics = (
        "<w:r><w:drawing><w:pic/></w:drawing></w:r><w:r><w:drawing><w:chart/></w:drawing></w:r>"
        "<w:r><w:object><w:shape><w:imagedata/></w:shape><w:OLEObject/></w:object></w:r>"
        "<w:r><w:pict><w:shape><w:imagedata/></w:shape></w:pict></w:r>"
    )
    extraction = read(package(f"{p('See below.')}<w:p>{graphics}</w:p>"), "a.docx")
    assert not extraction.is_partial
    assert [(warning.code, warning.message, warning.count) for warning in extraction.warnings] == [
        ("pictures_not_read", "Words inside 4 pictures were not read.", 4)
    ]


def numbering(*levels: tuple[str, str], extra: str = "") -> str:
    made = "".join(
        f'<w:lvl w:ilvl="{n}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/><w:lvlText w:val="{pattern}"/></w:lvl>'
        for n, (kind, pattern) in enumerate(levels)
    )
    num = '<w:num w:numId="{}"><w:abstractNumId w:val="0"/>{}</w:num>'
    return (
        f'<w:numbering {W}><w:abstractNum w:abstractNumId="0">{made}</w:abstractNum>'
        f"{num.format(1, '')}{num.format(2, extra)}</w:numbering>"
    )


def item(text: str, level: int = 0, number: int = 1) -> str:
    return p(
        text,
        f'<w:pPr><w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr></w:pPr>',
    )


def test_items_and_headings_have_the_numbers_that_word_shows(read: Any) -> None:
    levels = (("decimal", "%1."), ("decimal", "%1.%2"), ("lowerRoman", "(%3)"))
    restart = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride>'
    style = (
        f'<w:styles {W}><w:style w:styleId="H"><w:name w:val="heading 1"/>'
        '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style></w:styles>'
    )
    body = (
        p("Scope", '<w:pPr><w:pStyle w:val="H"/></w:pPr>')
        + item("a", 1) + item("b", 1) + item("c", 2) + item("d", 2)
        + p("Liability", '<w:pPr><w:pStyle w:val="H"/></w:pPr>') + item("e", 1)
        + item("f", 0, 2) + item("", 0, 2).replace("<w:r><w:t></w:t></w:r>", "") + item("g", 0, 2) + item("none", 0, 0)
    )  # fmt: skip
    extraction = read(package(body, styles=style, numbering=numbering(*levels, extra=restart)), "a.docx")
    assert blocks(extraction) == [
        "1. Scope", "1.1 a", "1.2 b", "(i) c", "(ii) d", "2. Liability", "2.1 e", "7. f", "9. g", "none",
    ]  # fmt: skip
    assert extraction.title == "Scope"


def test_bullets_are_no_numbers(read: Any) -> None:
    extraction = read(package(item("a"), numbering=numbering(("bullet", "%1"))), "a.docx")
    assert blocks(extraction, "list_item") == ["a"]


def test_charts_and_diagrams_are_read(read: Any) -> None:
    relation = '<Relationship Id="{0}" Type="http://x/{1}" Target="{2}.xml"/>'
    relations = (
        f"<Relationships>{relation.format('rC', 'chart', 'chart1')}"
        f"{relation.format('rD', 'diagramData', 'data1')}{relation.format('rE', 'chart', 'broken')}</Relationships>"
    )
    chart = (
        "<chartSpace><chart><title><tx><rich><p><r><t>Lamps sold</t></r></p></rich></tx></title><plotArea><ser>"
        "<tx><v>2024</v></tx><cat><pt idx='0'><v>North</v></pt></cat><val><pt idx='0'><v>77</v></pt></val>"
        "</ser></plotArea></chart></chartSpace>"
    )
    diagram = "<dataModel><pt><t><p><r><t>Boil water</t></r></p></t></pt></dataModel>"
    graphics = (
        '<w:r><w:drawing><w:chart w:id="rC"/></w:drawing></w:r><w:r><w:drawing><w:relIds w:dm="rD"/></w:drawing></w:r>'
        '<w:r><w:drawing><w:chart w:id="rE"/></w:drawing></w:r>'
    )
    data = package(
        f"{p('See below.')}<w:p>{graphics}</w:p>{p('After.')}", chart1=chart, data1=diagram, broken="<chart"
    )
    buffer = io.BytesIO(data)
    with zipfile.ZipFile(buffer, "a") as container:
        container.writestr("word/_rels/document.xml.rels", relations)
    extraction = read(buffer.getvalue(), "a.docx")
    assert blocks(extraction) == ["See below.", "Lamps sold", "| 2024", "North | 77", "Boil water", "After."]
    assert [(warning.code, warning.count) for warning in extraction.warnings] == [("pictures_not_read", 1)]


def test_symbols_and_text_with_a_direction_are_read(read: Any) -> None:
    def sym(font: str, place: str) -> str:
        return f'<w:r><w:sym w:font="{font}" w:char="{place}"/></w:r>'

    body = (
        f"<w:p>{run('The fee is ', '')}{sym('Symbol', 'F0A3')}{run('5 ', '')}{sym('Symbol', 'F06D')}"
        f"{sym('Symbol', 'F07A')}{sym('Wingdings', 'F0FC')}{sym('Webdings', 'F041')}{sym('Arial', '2264')}</w:p>"
        f"<w:dir>{p('Turned.')}</w:dir>"
    )
    assert blocks(read(package(body), "a.docx")) == ["The fee is ≤5 μζ✓\ufffd≤", "Turned."]
