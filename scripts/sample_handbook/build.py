"""Build the binary documents of the sample handbook from the texts in `sources/`.

The Markdown, HTML and plain text documents are committed as they are; this script only
writes the others. With the library versions of `requirements.txt` each run
gives the same bytes.

    python scripts/sample_handbook/build.py [HANDBOOK_FOLDER]
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import handbook_office as office
import handbook_pdf as pdf
import handbook_slides as slides

HERE = Path(__file__).resolve().parent
SOURCES = HERE / "sources"
HANDBOOK = HERE.parents[1] / "console" / "sample" / "handbook"

Writer = Callable[[str, Path], None]

# Target in the handbook: source file and the function that writes it.
DOCUMENTS: dict[str, tuple[str, Writer]] = {
    "people/parental-leave-guide.docx": (
        "parental-leave-guide.md",
        partial(office.word_document, header="Merrowgate People - parental leave guide 2025"),
    ),
    "operations/lifting-plan-procedure.docx": (
        "lifting-plan-procedure.md",
        partial(office.word_document, header="OPS-031 rev 3 - uncontrolled when printed"),
    ),
    "operations/toolbox-talk-winter.pptx": ("toolbox-talk-winter.json", slides.presentation),
    "operations/quay-road-closure.eml": ("quay-road-closure.txt", slides.message),
    "travel/hotel-and-meal-rates.xlsx": ("hotel-and-meal-rates.json", office.workbook),
    "operations/spares-and-service-intervals.xlsx": (
        "spares-and-service-intervals.json",
        office.workbook,
    ),
    "people/code-of-conduct.pdf": (
        "code-of-conduct.md",
        partial(
            pdf.plain_pdf,
            header="Merrowgate  -  Code of conduct 2025",
            footer="Questions: compliance officer, extension 4120",
        ),
    ),
    "operations/working-near-water.pdf": (
        "working-near-water.md",
        partial(
            pdf.plain_pdf,
            header="Merrowgate Ltd  |  OPS-014 Working near water  |  revision 6",
            footer="Uncontrolled when printed",
        ),
    ),
    "operations/gate-inspection-manual.pdf": (
        "gate-inspection-manual.md",
        partial(pdf.two_column_pdf, running_title="EN-22 Inspecting lock gates, third edition"),
    ),
    "operations/tide-gauge-notice-2024.pdf": ("tide-gauge-notice.txt", pdf.scanned_pdf),
    "finance/board-pack-2025-Q3.pdf": (
        "board-pack-2025-Q3.md",
        partial(pdf.encrypted_pdf, password="not-in-the-handbook", title="Board pack"),
    ),
}


def main(arguments: list[str]) -> int:
    """Write all documents below the given folder, or below the committed handbook."""
    root = Path(arguments[0]) if arguments else HANDBOOK
    for target, (source, write) in DOCUMENTS.items():
        path = root / target
        path.parent.mkdir(parents=True, exist_ok=True)
        write((SOURCES / source).read_text(encoding="utf-8"), path)
        print(f"{path.stat().st_size:>8}  {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
