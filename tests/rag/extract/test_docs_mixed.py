"""The table of truth: each file of a mixed folder ends in the state that its trait asks for.

Scans cost up to half a minute a file on two cores. They are read when TEST_ALL_FILES is set.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from extraction_checks import assert_sound, blocks

import rag
from rag.types import Extraction
from scripts.extraction_table import Case, extract, problem_of, read_manifest

pytestmark = pytest.mark.shared

TRAITS = (
    "broken",
    "empty_pages",
    "encrypted",
    "encrypted_empty_user_pw",
    "encrypted_user_pw",
    "extraction_permission_denied",
    "healthy",
    "image_only",
    "legacy_encoding_cp932",
    "ocr_text_layer",
    "rotated",
    "scanned_image_only",
    "tables",
    "two_column",
)
SLOW = {
    "OCRmyPDF__cardinal.pdf",
    "OCRmyPDF__jbig2.pdf",
    "OCRmyPDF__linn.pdf",
    "OCRmyPDF__multipage.pdf",
    "OCRmyPDF__rotated_skew.pdf",
    "pdf.js__TAMReview.pdf",
    "pikepdf__congress.pdf",
}
N_PROCESSES = 2


@pytest.fixture
def mixed(shared_data: Path) -> Path:
    return shared_data / "docs_mixed"


def cases_of(mixed: Path, trait: str) -> list[Case]:
    reads_all = "TEST_ALL_FILES" in os.environ
    return [
        case for case in read_manifest(mixed) if case.trait == trait and (reads_all or case.name not in SLOW)
    ]


def read(path: Path) -> Extraction:
    extraction = rag.extract_file(path, filename=path.name)
    assert_sound(extraction)
    return extraction


@pytest.mark.parametrize("trait", TRAITS)
def test_each_file_ends_in_the_state_its_trait_asks_for(mixed: Path, trait: str) -> None:
    cases = cases_of(mixed, trait)
    assert cases
    limits = rag.ExtractionLimits()
    with ThreadPoolExecutor(N_PROCESSES) as pool:
        outcomes = list(pool.map(lambda case: extract(case, limits), cases))
    problems = {
        case.name: problem
        for case, outcome in zip(cases, outcomes, strict=True)
        if (problem := problem_of(case, outcome))
    }
    assert problems == {}


def test_every_trait_of_the_folder_is_looked_at(mixed: Path) -> None:
    assert {case.trait for case in read_manifest(mixed)} == set(TRAITS)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("pdf/healthy/sample-files__crazyones-pdfa.pdf", "The misfits. The rebels. The troublemakers."),
        ("pdf/healthy/docling__right_to_left_01.pdf", "تحسين الإنتاجية وحل المشكلات من خلال البرمجة"),
        ("pdf/healthy/pdf.js__XiaoBiaoSong.pdf", "关于红军作战的原则"),
        ("pdf/healthy/pdf.js__french_diacritics.pdf", "à À â Â ä Ä ç Ç é É è È ê Ê ë Ë"),
        (
            "pdf/rotated/tika__testPDF_rotated.pdf",
            "Apache Tika is a toolkit for detecting and extracting metadata",
        ),
        ("pdf/encrypted_empty_user_pw/pypdf__r2-empty-password.pdf", "pdf encryption test password"),
        ("csv/legacy_encoding_cp932/markitdown__test_mskanji.csv", "佐藤太郎"),
        ("docx/healthy/docling__textbox.docx", "Chiayi"),
        ("html/healthy/tika__testHTML_charset_utf16le.html", "This is a sample text"),
    ],
)
def test_words_that_a_person_sees_are_in_the_text(mixed: Path, name: str, words: str) -> None:
    assert words.lower() in read(mixed / name).text.lower()


def test_blank_pages_are_told_and_miss_nothing(mixed: Path) -> None:
    extraction = read(mixed / "pdf/empty_pages/unstructured__layout-parser-paper-with-empty-pages.pdf")
    assert (extraction.coverage.read, extraction.coverage.total) == (4, 4)
    assert not extraction.is_partial
    assert "Nothing is printed on page 2." in [warning.message for warning in extraction.warnings]
    assert "This page is intentionally left blank" in extraction.text  # typed onto page 3


def test_scans_tell_how_surely_each_page_was_read(mixed: Path) -> None:
    extraction = read(mixed / "pdf/scanned_image_only/OCRmyPDF__francais.pdf")
    ((page, confidence),) = extraction.page_confidence
    assert page == 1
    assert 0.9 < confidence <= 1
    assert extraction.ocr_confidence == confidence


@pytest.mark.parametrize(
    ("name", "row"),
    [
        (
            "pdfplumber__ca-warn-report.pdf",
            "06/22/2015 | 03/25/2016 | 07/01/2015 | Maxim Integrated Product | San Jose | 150 | Closure Permanent",
        ),
        (
            "camelot__population_growth.pdf",
            "Andaman and Nicobar Islands | 105.19 | 81.17 | 63.93 | 48.70 | 26.90 | 6.68",
        ),
        ("camelot__spanning_cells.pdf", "Server closets | 1,505 | 1,580 | 1,643 | 1,673 | 1,689"),
        ("unstructured__single_table.pdf", "Base 128 | 64,058 | 800.73 (484.11) | N/A"),
    ],
)
def test_a_row_of_a_table_stays_together(mixed: Path, name: str, row: str) -> None:
    assert row in blocks(read(mixed / "pdf/tables" / name), "table_row")
