"""Golden questions: needles that must be found whole, and questions that must be refused."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rag.types import Chunk, StoredChunk


@dataclass(frozen=True, slots=True)
class GoldenNeedle:
    """A verbatim sentence that answers `question` (in its words) and `ticket` (in other words)."""

    id: str
    document: str
    needle: str
    question: str
    ticket: str


@dataclass(frozen=True, slots=True)
class GoldenRefusal:
    """A question the documents do not answer; `kind` is near, literal, false_premise or far."""

    id: str
    kind: str
    question: str


def read_needles(lines: Iterable[str]) -> list[GoldenNeedle]:
    """Needles out of JSON lines with id, document, needle, question and, optionally, ticket."""
    return [
        GoldenNeedle(row["id"], row["document"], row["needle"], row["question"], row.get("ticket", ""))
        for row in map(json.loads, filter(str.strip, lines))
    ]


def read_refusals(lines: Iterable[str]) -> list[GoldenRefusal]:
    """Questions to refuse out of JSON lines with id, kind and question."""
    return [
        GoldenRefusal(row["id"], row["kind"], row["question"])
        for row in map(json.loads, filter(str.strip, lines))
    ]


def holds_needle(text: str, needle: str) -> bool:
    """Whether `text` holds the whole needle; runs of white space count as one space."""
    return squeezed(needle) in squeezed(text)


def needles_destroyed(
    chunks: Iterable[Chunk | StoredChunk], needles: Sequence[GoldenNeedle]
) -> tuple[str, ...]:
    """Ids of the needles that no chunk holds whole: their recall is zero whatever the retriever does."""
    contents = [squeezed(chunk.content) for chunk in chunks]
    return tuple(
        needle.id for needle in needles if not any(squeezed(needle.needle) in content for content in contents)
    )


def squeezed(text: str) -> str:
    """`text` with every run of white space as one space."""
    return " ".join(text.split())
