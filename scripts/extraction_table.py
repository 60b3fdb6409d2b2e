"""How the files of a folder come out of extraction, by trait, as a Markdown table.

    python scripts/extraction_table.py FOLDER [--jobs 2]

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

# Reference parsers count headers and page numbers that Footnote removes, and every run of spaces.
LEAST_SHARE = 0.7
SCANNED = ("scanned_image_only", "image_only")
REASONED = ("damaged", "no_text", "encrypted", "unsupported_format", "resource_limit", "empty_file")
# What the right outcome is where the trait alone does not say it.
EXCEPTIONS = {
    "sample-files__grayscale-image.pdf": (("no_text",), "a photograph"),
    "pypdf__git.pdf": (("read", "no_text"), "letters drawn as lines: text only by OCR"),
    "pdf.js__empty_protected.pdf": (("no_text",), "a blank page"),
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
    expected = _expected(case)
    if outcome.is_read and "read" in expected:
        return _missing_text(case, outcome)
    if outcome.state in expected:
        return ""
    return f"{outcome.state} instead of {' or '.join(expected)}: {outcome.detail}"


def _expected(case: Case) -> tuple[str, ...]:
    if case.name in EXCEPTIONS:
        return EXCEPTIONS[case.name][0]
    if case.kind in REFUSED_KINDS:
        return ("unsupported_format",)
    if case.trait == "broken":
        return ("read", *REASONED)
    is_locked = case.password not in ("", None) or (
        case.trait == "encrypted_user_pw" and case.password is None
    )
    return ("encrypted",) if is_locked else ("read",)


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
    n_right = sum(not problem_of(case, outcome) for case, outcome in results)
    peak_mib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(
        f"\n{n_right} of {len(results)} files right, {time.monotonic() - started:.0f} s with "
        f"{options.jobs} at a time; the largest child used {peak_mib:,.0f} MiB."
    )
    return 0 if n_right == len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
