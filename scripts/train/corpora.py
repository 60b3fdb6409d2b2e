"""The labelled pairs and the passages around them, as the training scripts read them.

A passage is written as the index writes it: header line, line break, the chunk's own words. The corpora are
chunked by Footnote's own chunker, so a model sees in training what it sees at work.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from pathlib import Path
from typing import Any

import rag
from rag.chunk import chunk_document
from rag.header import header_line
from rag.types import Coverage, Extraction, Locator, Span

HELD_OUT_SOURCE = "clef"
"""This source trains nothing; of the others every tenth document is held out too."""
_HANDBOOKS = {"sourcegraph": "handbook_sourcegraph", "clef": "handbook_clef"}


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a document with the header line that the index puts before it."""

    source: str
    document: str
    header: str
    content: str

    @property
    def text(self) -> str:
        return f"{self.header}\n{self.content}" if self.header else self.content


@dataclass(frozen=True, slots=True)
class Case:
    """Somebody's situation and question, what answers it, and what answers others about the same page."""

    scenario: str
    question: str
    passage: Passage
    others: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class Labelled:
    """One written passage with its questions and claims."""

    id: str
    passage: Passage
    plain: str
    ticket: str
    evidence: str
    near: tuple[str, ...]
    supported: str
    unsupported: tuple[str, ...]


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def read_labelled(data: Path) -> list[Labelled]:
    return [
        Labelled(
            id=row["id"],
            passage=Passage(
                source=row["source"].split()[0],
                document=row["document"],
                header=_header(row["title"], tuple(row["section"].split(" > ")) if row["section"] else ()),
                content=row["passage"],
            ),
            plain=row["plain"],
            ticket=row["ticket"],
            evidence=row["evidence"],
            near=tuple(row["near"]),
            supported=row["supported"],
            unsupported=tuple(row["unsupported"]),
        )
        for row in read_rows(data / "pairs" / "handbook_questions.jsonl.gz")
    ]


def is_held_out(passage: Passage) -> bool:
    """Whole documents, so that no passage of a tested document was learnt."""
    return passage.source == HELD_OUT_SOURCE or _every_tenth(f"{passage.source}/{passage.document}")


def read_corpora(data: Path) -> list[Passage]:
    """The chunks of the handbooks and of the bank's articles, as the index would hold them."""
    found: list[Passage] = []
    for source, folder in _HANDBOOKS.items():
        root = data / folder
        files = [rag.FileToRead(path, path, path.name) for path in sorted(root.rglob("*.md"))]
        for batch in rag.read_files(iter(files), rag.extract_file):
            for file in batch:
                if file.extraction is not None:
                    found += _chunks(source, str(file.key.relative_to(root)), file.extraction)
    for path in sorted((data / "tau2_banking" / "documents").glob("*.json")):
        article = json.loads(path.read_text(encoding="utf-8"))
        found += _chunks("tau2", path.name, _article(article["title"], article["content"]))
    return found


def read_squad(data: Path, *, use: str) -> list[dict[str, Any]]:
    rows = read_rows(data / "pairs" / "answerability.jsonl.gz")
    return [row for row in rows if row["use"] == use and row["src"] in ("squad2", "qnli", "nq_oracle")]


def read_cases(data: Path) -> list[Case]:
    """ConditionalQA's training questions: people tell their case, government guidance answers (Sun et al. 2022).

    Its pages are not with it, only the sentences that answer: a passage is what answers one question.
    """
    with gzip.open(data / "conditionalqa" / "train.json.gz", "rt", encoding="utf-8") as file:
        rows = [row for row in json.load(file) if row["evidences"] and not row["not_answerable"]]
    by_page: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_page.setdefault(row["url"], []).append(row)
    return [
        Case(
            scenario=row["scenario"],
            question=row["question"],
            passage=_guidance(row),
            others=tuple(
                _guidance(other)
                for other in by_page[row["url"]]
                if not set(other["evidences"]) & set(row["evidences"])
            ),
        )
        for row in rows
    ]


def _guidance(row: dict[str, Any]) -> Passage:
    page = row["url"].rstrip("/").rsplit("/", 1)[-1]
    lines = [unescape(re.sub(r"<[^>]+>", "", line)).strip() for line in row["evidences"]]
    return Passage("gov.uk", page, page.replace("-", " ").capitalize(), "\n".join(lines)[:1_200])


def _article(title: str, text: str) -> Extraction:
    """Blank lines part the blocks, and so do list lines; headings stay in the text."""
    spans: list[Span] = []
    at = 0
    for line in text.splitlines(keepends=True):
        if line.strip():
            spans.append(Span(at, at + len(line.rstrip()), "paragraph", Locator()))
        at += len(line)
    return Extraction(title, text, tuple(spans), "md", "md/1", Coverage("document", 1, 1))


def _chunks(source: str, document: str, extraction: Extraction) -> list[Passage]:
    made = chunk_document(
        extraction, budget_chars=512, window_tokens=256, count_tokens=_embedder().count_tokens
    )
    return [
        Passage(source, document, chunk.text[: -len(chunk.content)].rstrip("\n"), chunk.content)
        for chunk in made.chunks
    ]


def _header(title: str, path: tuple[str, ...]) -> str:
    return header_line(title, path, None, max_tokens=85, count_tokens=_embedder().count_tokens)


@lru_cache(maxsize=1)
def _embedder() -> rag.Embedder:
    return rag.load_embedder()


def _every_tenth(name: str) -> bool:
    return hashlib.sha256(name.encode()).digest()[0] % 10 == 0
