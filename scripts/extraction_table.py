"""How the files of a folder come out of extraction, by trait, as a Markdown table.

    PYTHONPATH=. python scripts/extraction_table.py FOLDER [--jobs 2]

FOLDER holds the files and a manifest.csv with the columns file, kind, trait and pypdf (what a
reference parser saw: JSON with pages, characters and the password that opened it).
"""

from __future__ import annotations

import argparse
import csv
import json
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import rag
from rag.extract.sandbox import _servers

# Reference parsers count headers and page numbers that Footnote removes, and every run of spaces.
LEAST_SHARE = 0.7
SCANNED = ("scanned_image_only", "image_only")
REASONED = ("damaged", "no_text", "encrypted", "unsupported_format", "resource_limit", "empty_file")
# Files that come out otherwise than their trait says, and why that is right.
EXCEPTIONS = {
    "sample-files__grayscale-image.pdf": ("no_text", "a photograph without words"),
    "sample-files__imagemagick-images.pdf": (
        "no_text",
        "pictures of 16 by 16 pixels; their names are 0.2 points high",
    ),
    "OCRmyPDF__lichtenstein.pdf": ("no_text", "a photograph without words"),
    "pypdf__git.pdf": ("no_text", "a drawn logo without words"),
    "pdf.js__empty_protected.pdf": ("no_text", "a blank page"),
    "python-docx__tbl-having-tables.docx": ("no_text", "tables whose cells are all empty"),
    "python-pptx__shp-groupshape.pptx": ("no_text", "shapes without words"),
    "tika__testEXCEL_95.xls": ("no_text", "a sheet that holds a picture and no cell"),
    "pdfminer.six__kampo.pdf": (
        "partial",
        "its Japanese fonts are not in the file: 28 characters can be told",
    ),
    "pdfminer.six__issue-449-vertical.pdf": (
        "indexed",
        "the reference parser puts a line end after each letter",
    ),
    "pdf.js__XiaoBiaoSong.pdf": ("indexed", "a space stands after each character, which is closed up"),
    "pdf.js__TAMReview.pdf": (
        "read",
        "its fonts map letters wrongly: read by OCR; the reference parser saw glyph names",
    ),
    "OCRmyPDF__type3_font_nomapping.pdf": (
        "indexed",
        "its font names no letters: the two drawn ones are read by OCR",
    ),
}
# Formats that are refused by design; the next step names the one to save as.
REFUSED_KINDS = ("doc", "ppt")


@dataclass(frozen=True, slots=True)
class Case:
    """One line of the manifest."""

    path: Path
    kind: str
    trait: str
    reference_chars: int
    password: str | None
    """What opens it; empty for files that open without one; None when unknown."""

    @property
    def name(self) -> str:
        return self.path.name


@dataclass(frozen=True, slots=True)
class Outcome:
    """``indexed``, ``partial`` or the code of the error, and what an administrator is told."""

    state: str
    detail: str
    elapsed_s: float
    n_chars: int = 0
    n_recognised: int = 0

    @property
    def is_read(self) -> bool:
        return self.state in ("indexed", "partial")


def read_manifest(folder: Path) -> list[Case]:
    """The cases of a folder, in the manifest's order."""
    with (folder / "manifest.csv").open(encoding="utf-8", newline="") as file:
        return [_case(folder, row) for row in csv.DictReader(file)]


def _case(folder: Path, row: dict[str, str]) -> Case:
    seen = json.loads(row["pypdf"]) if row["pypdf"] else {}
    return Case(folder / row["file"], row["kind"], row["trait"], seen.get("chars") or 0, seen.get("pw"))


def extract(case: Case, limits: rag.ExtractionLimits) -> Outcome:
    """What became of the file, in the sandbox."""
    started = time.monotonic()
    try:
        found = rag.extract_file(case.path, filename=case.name, limits=limits)
    except rag.DocumentError as error:
        return Outcome(error.code, error.message, time.monotonic() - started)
    return Outcome(
        "partial" if found.is_partial else "indexed",
        " ".join(warning.message for warning in found.warnings),
        time.monotonic() - started,
        n_chars=len(found.text),
        n_recognised=len(found.page_confidence),
    )


def problem_of(case: Case, outcome: Outcome) -> str:
    """Why the outcome is wrong; empty when it is right."""
    if not outcome.is_read and outcome.state not in REASONED:
        return f"ended as {outcome.state}"
    expected, is_exception = _expected(case)
    if not ({outcome.state, "read" if outcome.is_read else "refused"} & expected):
        return f"{outcome.state} instead of {' or '.join(sorted(expected))}: {outcome.detail}"
    return _missing_text(case, outcome) if outcome.is_read and not is_exception else ""


def _expected(case: Case) -> tuple[set[str], bool]:
    """The right states; ``read`` is indexed or partial, ``refused`` any reason."""
    if case.name in EXCEPTIONS:
        return {EXCEPTIONS[case.name][0]}, True
    if case.kind in REFUSED_KINDS:
        return {"unsupported_format"}, False
    if case.trait == "broken":
        return {"read", "refused"}, False
    if case.trait == "encrypted_user_pw" or case.password not in ("", None):
        return {"encrypted"}, False
    return {"read"}, False


def _missing_text(case: Case, outcome: Outcome) -> str:
    if case.trait in SCANNED and not outcome.n_recognised and not case.reference_chars:
        return "no page was recognised by OCR"
    if outcome.state == "indexed" and outcome.n_chars < LEAST_SHARE * case.reference_chars:
        return f"{outcome.n_chars:,} characters, the reference parser saw {case.reference_chars:,}"
    return ""


def table(results: Iterable[tuple[Case, Outcome]]) -> Iterator[str]:
    """The Markdown table, a line a trait."""
    by_trait: dict[str, list[tuple[Case, Outcome]]] = defaultdict(list)
    for case, outcome in results:
        by_trait[case.trait].append((case, outcome))
    yield "| trait | files | right | indexed | partial | refused | slowest (s) | what went wrong, and why |"
    yield "| --- | ---: | ---: | ---: | ---: | --- | ---: | --- |"
    for trait, found in sorted(by_trait.items()):
        problems = [(case, problem) for case, outcome in found if (problem := problem_of(case, outcome))]
        states = [outcome.state for _, outcome in found]
        refused = sorted({state for state in states if state not in ("indexed", "partial")})
        counts = [
            trait,
            len(found),
            len(found) - len(problems),
            states.count("indexed"),
            states.count("partial"),
        ]
        cells = [
            *map(str, counts),
            ", ".join(f"{states.count(code)} {code}" for code in refused) or "–",
            f"{max(outcome.elapsed_s for _, outcome in found):.1f}",
            "; ".join(f"`{case.name}`: {problem}" for case, problem in problems) or "–",
        ]
        yield f"| {' | '.join(cells)} |"


def exceptions(results: Iterable[tuple[Case, Outcome]]) -> Iterator[str]:
    """A line for each file that comes out otherwise than its trait says."""
    for case, outcome in results:
        if case.name in EXCEPTIONS and not problem_of(case, outcome):
            yield f"* `{case.name}`: {outcome.state}; {EXCEPTIONS[case.name][1]}."


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--verbose", action="store_true", help="one line a file on stderr")
    options = parser.parse_args()
    cases = read_manifest(options.folder)
    limits = rag.ExtractionLimits()
    started = time.monotonic()
    with ThreadPoolExecutor(options.jobs) as pool:
        results = list(zip(cases, pool.map(lambda case: extract(case, limits), cases), strict=True))
    for case, outcome in results if options.verbose else ():
        problem = problem_of(case, outcome)
        print(case.trait, case.name, outcome, problem and f"WRONG {problem}", sep="\t", file=sys.stderr)
    print("\n".join(table(results)))
    print("\nOtherwise than the trait says, and right:\n")
    print("\n".join(exceptions(results)))
    n_right = sum(not problem_of(case, outcome) for case, outcome in results)
    _servers.close()  # what was started in it counts once it has ended
    peak_mib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(
        f"\n{n_right} of {len(results)} files right, {time.monotonic() - started:.0f} s with "
        f"{options.jobs} at a time; the largest process used {peak_mib:,.0f} MiB of its {limits.memory_mib:,}."
    )
    return 0 if n_right == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
