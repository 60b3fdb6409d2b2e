"""Check the sample questions against the documents of the sample handbook.

    python scripts/sample_handbook/check.py

Prints OK, or one fault a line and exits with 1. The scanned page has no text of its own, so
its needles are looked up in the source text from which the picture was drawn.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

from build import DOCUMENTS, HANDBOOK, SOURCES
from handbook_markup import plain_text
from handbook_text import UnreadableError, decode, one_line, read_document

QUESTIONS = HANDBOOK.parent / "questions"
LOCKED = "finance/board-pack-2025-Q3.pdf"
SCANNED = "operations/tide-gauge-notice-2024.pdf"
TWO_COLUMNS = "operations/gate-inspection-manual.pdf"

NEEDLE_KEYS = {"id", "document", "needle", "question", "ticket"}
REFUSAL_KEYS = {"id", "kind", "question", "why"}
MIN_NEEDLES = 30
MIN_REFUSALS = {"near": 10, "literal": 6, "false_premise": 6, "far": 6}
MIN_DOCUMENTS = {
    ".md": 8,
    ".pdf": 4,
    ".docx": 2,
    ".xlsx": 2,
    ".html": 2,
    ".txt": 2,
    ".pptx": 1,
    ".eml": 1,
    ".vtt": 1,
}
MIN_NEEDLES_IN = {".docx": 2, ".xlsx": 2, ".html": 2, ".md": 2, ".txt": 2, ".pdf": 4}
MIN_NEEDLES_OF = {SCANNED: 1, TWO_COLUMNS: 2}
NEEDLE_LENGTH = range(25, 301)
MAX_BYTES = 3_000_000
MAX_SCAN_BYTES = 400_000

# Stands in comments or hidden elements and must never be part of a visible text.
HIDDEN = (
    "the budget for 2026 is going to be cut",
    "rises to 1,500 euro for mentors",
    "temp-mentoring mailbox",
    "vpn-old.merrowgate.example",
    "Gateway addresses for testers",
    "old amounts 2022",
    "the answer to every claim is forty-two",
)


def read_rows(path: Path, keys: set[str], faults: list[str]) -> list[dict[str, str]]:
    """Read a JSONL file; report rows with other keys, empty values or ids seen before."""
    rows: list[dict[str, str]] = []
    seen: set[str] = set()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        row = json.loads(line)
        if set(row) != keys or not all(isinstance(v, str) and v.strip() for v in row.values()):
            faults.append(f"{path.name}:{number}: wrong keys or empty value")
            continue
        if row["id"] in seen:
            faults.append(f"{path.name}:{number}: id {row['id']} twice")
        seen.add(row["id"])
        rows.append(row)
    questions = Counter(one_line(row["question"]).lower() for row in rows)
    faults.extend(f"{path.name}: twice: {text}" for text, n in questions.items() if n > 1)
    return rows


def read_handbook(faults: list[str]) -> dict[str, str]:
    """Read all documents, white space collapsed, by their path in the handbook."""
    texts: dict[str, str] = {}
    formats: Counter[str] = Counter()
    size = 0
    for path in sorted(p for p in HANDBOOK.rglob("*") if p.is_file()):
        name = path.relative_to(HANDBOOK).as_posix()
        size += path.stat().st_size
        try:
            text = read_document(path)
        except UnreadableError as error:
            if name != LOCKED:
                faults.append(f"{name}: cannot be read: {error}")
            continue
        if name == LOCKED:
            faults.append(f"{name}: can be read without password")
        if name == SCANNED:
            text = read_scan_source(path, text, faults)
        if not text.strip():
            faults.append(f"{name}: no text")
        formats[path.suffix] += 1
        texts[name] = one_line(text)
    if size > MAX_BYTES:
        faults.append(f"handbook has {size} bytes")
    for suffix, minimum in MIN_DOCUMENTS.items():
        if formats[suffix] < minimum:
            faults.append(f"only {formats[suffix]} readable documents {suffix}")
    for name, text in texts.items():
        faults.extend(f"{name}: shows hidden text: {part}" for part in HIDDEN if part in text)
    return texts


def read_scan_source(path: Path, extracted: str, faults: list[str]) -> str:
    """Check that the scanned page is only a small picture; return the text it was drawn from."""
    if extracted.strip():
        faults.append(f"{SCANNED}: has a text layer")
    if path.stat().st_size > MAX_SCAN_BYTES:
        faults.append(f"{SCANNED}: too large")
    return plain_text((SOURCES / DOCUMENTS[SCANNED][0]).read_text(encoding="utf-8"))


def check_needles(rows: list[dict[str, str]], texts: dict[str, str], faults: list[str]) -> None:
    """Check place, length, uniqueness and spread of the needles."""
    headings = {
        line.lstrip("#").strip()
        for folder in (HANDBOOK, SOURCES)
        for path in folder.rglob("*.md")
        for line in decode(path.read_bytes()).splitlines()
        if line.startswith("#")
    }
    for row in rows:
        label, needle = row["id"], row["needle"]
        if row["document"] not in texts:
            faults.append(f"{label}: no readable document {row['document']}")
            continue
        if len(needle) not in NEEDLE_LENGTH:
            faults.append(f"{label}: needle has {len(needle)} characters")
        if needle != one_line(needle):
            faults.append(f"{label}: needle has line breaks or double spaces")
        if needle in headings:
            faults.append(f"{label}: needle is a heading")
        hits = {name: text.count(needle) for name, text in texts.items() if needle in text}
        if hits != {row["document"]: 1}:
            faults.append(f"{label}: needle found in {hits}")
    if len(rows) < MIN_NEEDLES:
        faults.append(f"only {len(rows)} needles")
    formats = Counter(Path(row["document"]).suffix for row in rows)
    documents = Counter(row["document"] for row in rows)
    for place, minimum in {**MIN_NEEDLES_IN, **MIN_NEEDLES_OF}.items():
        if formats[place] + documents[place] < minimum:
            faults.append(f"fewer than {minimum} needles in {place}")
    missing = sorted(set(texts) - set(documents))
    faults.extend(f"no needle in {name}" for name in missing)


def check_refusals(rows: list[dict[str, str]], faults: list[str]) -> None:
    """Check the kinds of the refusals and how many there are of each."""
    kinds = Counter(row["kind"] for row in rows)
    faults.extend(f"unknown kind {kind}" for kind in kinds if kind not in MIN_REFUSALS)
    for kind, minimum in MIN_REFUSALS.items():
        if kinds[kind] < minimum:
            faults.append(f"only {kinds[kind]} refusals of kind {kind}")


def main() -> int:
    """Run all checks and print the outcome."""
    faults: list[str] = []
    texts = read_handbook(faults)
    needles = read_rows(QUESTIONS / "needles.jsonl", NEEDLE_KEYS, faults)
    refusals = read_rows(QUESTIONS / "refusals.jsonl", REFUSAL_KEYS, faults)
    check_needles(needles, texts, faults)
    check_refusals(refusals, faults)
    if faults:
        print("\n".join(faults))
        return 1
    kinds = Counter(row["kind"] for row in refusals)
    print(f"{len(texts)} readable documents, {len(needles)} needles, {len(refusals)} refusals")
    print(", ".join(f"{kind} {count}" for kind, count in kinds.items()))
    print("OK")
    return 0


if __name__ == "__main__":
    sys.exit(main())
