"""Real files: each ends in text or in a reason, and the golden needles are found where they are said to be."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from extraction_checks import assert_sound

from rag import extract_file
from rag.config import ExtractionLimits
from rag.errors import DocumentError, EncryptedDocument
from rag.extract.registry import extract_in_process
from rag.types import Extraction

pytestmark = pytest.mark.shared

READ = [
    "pdf/healthy/docling__multi_page.pdf",
    "pdf/healthy/pdfminer.six__simple1.pdf",
    "pdf/healthy/pypdf__GeoBase_NHNC1_Data_Model_UML_EN.pdf",
    "pdf/rotated/tika__testPDF_rotated.pdf",
    "pdf/tables/pdfplumber__ca-warn-report.pdf",
    "pdf/encrypted_empty_user_pw/pypdf__r6-owner-password.pdf",
    "pdf/encrypted/tika__testPDF_protected.pdf",
    "pdf/empty_pages/unstructured__layout-parser-paper-with-empty-pages.pdf",
    "pdf/broken/unstructured__failure-after-repair.pdf",
    "docx/healthy/docling__word_sample.docx",
    "docx/healthy/docling__textbox.docx",
    "docx/broken/unstructured__teams_chat.docx",
    "xlsx/healthy/unstructured__2023-half-year-analyses-by-segment.xlsx",
    "xlsx/healthy/docling__xlsx_03_chartsheet.xlsx",
    "xls/healthy/tika__testEXCEL.xls",
    "pptx/broken/python-pptx__missing_rels_item.pptx",
    "pptx/healthy/tika__testPPT_various2.pptx",
    "odt/healthy/sample-files__source.odt",
    "odp/healthy/docling__odf_presentation_01.odp",
    "rtf/healthy/tika__testRTFVarious.rtf",
    "rtf/broken/tika__testRTFCorruptListOverride.rtf",
    "html/healthy/markitdown__test_blog.html",
    "html/healthy/tika__testHTML_charset_utf16le.html",
    "csv/legacy_encoding_cp932/markitdown__test_mskanji.csv",
    "epub/healthy/docling__epub_purvis_poetry.epub",
    "epub/healthy/unstructured__winter-sports.epub",
    "eml/broken/mail-parser__mail_malformed_1.eml",
    "eml/healthy/tika__testRFC822_multipart_attachments.eml",
    "eml/healthy/unstructured__fake-email-utf-16.eml",
    "msg/healthy/tika__testMSG_chinese.msg",
]
REFUSED = {
    "pdf/broken/pikepdf__378014596.pdf": "damaged",
    "pdf/broken/format-corpus__T02-02_001_no-page-tree-node.pdf": "damaged",
    "pdf/broken/format-corpus__T02-02_002_page-tree-kids-links-recursive.pdf": "damaged",
    "pdf/encrypted_user_pw/pdfminer.six__aes-256-r6.pdf": "encrypted",
    "pdf/encrypted_user_pw/sample-files__libreoffice-writer-password.pdf": "encrypted",
    "docx/encrypted_user_pw/tika__testWORD_protected_passtika.docx": "encrypted",
    "xlsx/encrypted_user_pw/unstructured__password_protected.xlsx": "encrypted",
    "doc/healthy/tika__testWORD_various.doc": "unsupported_format",
    "pptx/encrypted_user_pw/tika__testPPT_protected_passtika.pptx": "encrypted",
    "ppt/healthy/docling__legacy_sample.ppt": "unsupported_format",
    "xls/healthy/tika__testEXCEL_95.xls": "no_text",
    "odt/broken/tika__testODTnotaZipFile.odt": "unsupported_format",
    "pdf/broken/pikepdf__cyclic-toc.pdf": "no_text",
}


@pytest.fixture
def mixed(shared_data: Path) -> Path:
    return shared_data / "docs_mixed"


def read(path: Path) -> Extraction:
    return extract_in_process(path, filename=path.name, limits=ExtractionLimits())


@pytest.mark.parametrize("name", READ)
def test_real_files_are_read(mixed: Path, name: str) -> None:
    extraction = read(mixed / name)
    assert_sound(extraction)
    assert extraction.coverage.read > 0


@pytest.mark.parametrize(("name", "code"), REFUSED.items())
def test_real_files_are_refused_with_the_right_reason(mixed: Path, name: str, code: str) -> None:
    with pytest.raises(DocumentError) as caught:
        read(mixed / name)
    assert caught.value.code == code


def test_files_with_a_user_password_are_encrypted_in_the_sandbox_too(mixed: Path) -> None:
    path = mixed / "pdf/encrypted_user_pw/pypdf__r4-aes-user-password.pdf"
    with pytest.raises(EncryptedDocument):
        extract_file(path, filename=path.name)


def test_a_real_scan_is_recognised_under_the_default_limits(mixed: Path) -> None:
    path = mixed / "pdf/scanned_image_only/docling__ocr_test.pdf"
    extraction = extract_file(path, filename=path.name)
    assert_sound(extraction)
    assert "JSON and Markdown" in extraction.text
    assert extraction.ocr_confidence is not None
    assert extraction.ocr_confidence > 0.9


def test_two_column_papers_keep_their_sentences(mixed: Path) -> None:
    text = read(mixed / "pdf/two_column/unstructured__multi-column-2p.pdf").text
    assert (
        "Open-domain question answering relies on efficient passage retrieval to select candidate contexts, "
        "where traditional sparse vector space models, such as TF-IDF or BM25, are the de facto method."
    ) in text
    text = read(mixed / "pdf/two_column/tika__testJournalParser.pdf").text
    assert (
        "Control of multiple MicroStressBots is achieved by varying the geometry of the steering-arm, and hence "
        "affecting its electrostatic pull-down"
    ) in text


def test_every_golden_needle_is_found_in_its_document_alone(shared_data: Path) -> None:
    root = shared_data / "handbook_civicactions"
    texts = {
        str(path.relative_to(root)): " ".join(read(path).text.split()) for path in sorted(root.rglob("*.md"))
    }
    golden = shared_data / "golden" / "civicactions"
    rows = [json.loads(line) for line in (golden / "needles.jsonl").read_text().splitlines()]
    for line in (golden / "multihop.jsonl").read_text().splitlines():
        rows += json.loads(line)["needles"]
    assert len(rows) == 90
    for row in rows:
        needle = " ".join(row["needle"].split())
        assert [name for name, text in texts.items() if needle in text] == [row["document"]], needle
