"""Golden questions: needles that must be found whole, and questions that must be refused."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from rag.errors import BadInput
from rag.evaluate.packed_files import packed_files
from rag.markdown_inline import plain_text
from rag.types import Chunk, StoredChunk

REFUSAL_KINDS = ("near", "literal", "false_premise", "far")
"""near: the topic is there, the answer is not; literal: the phrase is there, unanswered; false_premise: it
assumes what the documents contradict or never say; far: another subject."""

NEEDLES_FILE, REFUSALS_FILE, MULTIHOP_FILE = "needles.jsonl", "refusals.jsonl", "multihop.jsonl"


class Wording(StrEnum):
    """How a need is put: in the documents' words, in other words as in a chat, or so that it needs several needles."""

    QUESTIONS = "questions"
    TICKETS = "tickets"
    MULTIHOP = "multihop"


@dataclass(frozen=True, slots=True)
class GoldenNeedle:
    """A verbatim sentence that answers `question` (in its words) and `ticket` (in other words).

    `answers`: gold answers of a few words, any of which is right; empty where there are none.
    """

    id: str
    document: str
    needle: str
    question: str
    ticket: str
    answers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GoldenRefusal:
    """A question the documents do not answer; `kind` is one of `REFUSAL_KINDS`, `why` is for people."""

    id: str
    kind: str
    question: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class NeedlePlace:
    """A verbatim sentence and the document that holds it."""

    document: str
    needle: str


@dataclass(frozen=True, slots=True)
class GoldenMultihop:
    """A question that only all of its needles together answer; `answers` are as a needle's."""

    id: str
    question: str
    needles: tuple[NeedlePlace, ...]
    answers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """One question as it is put to a retriever: found when all of `needles` are."""

    id: str
    wording: Wording
    question: str
    needles: tuple[str, ...]
    answers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GoldenSet:
    """All golden questions over one collection of documents, which are named by their path in it."""

    name: str
    needles: tuple[GoldenNeedle, ...] = ()
    refusals: tuple[GoldenRefusal, ...] = ()
    multihop: tuple[GoldenMultihop, ...] = ()

    @property
    def asked(self) -> tuple[AskedQuestion, ...]:
        """Every answerable question in every wording it has: questions, tickets, then multihop."""
        return (
            *(
                AskedQuestion(row.id, Wording.QUESTIONS, row.question, (row.needle,), row.answers)
                for row in self.needles
            ),
            *(
                AskedQuestion(row.id, Wording.TICKETS, row.ticket, (row.needle,), row.answers)
                for row in self.needles
                if row.ticket
            ),
            *(
                AskedQuestion(
                    row.id,
                    Wording.MULTIHOP,
                    row.question,
                    tuple(place.needle for place in row.needles),
                    row.answers,
                )
                for row in self.multihop
            ),
        )

    @property
    def places(self) -> tuple[tuple[str, NeedlePlace], ...]:
        """(id, needle with its document) of every needle, those of multihop questions too."""
        return (
            *((row.id, NeedlePlace(row.document, row.needle)) for row in self.needles),
            *((row.id, place) for row in self.multihop for place in row.needles),
        )

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that change with any question, needle or kind; the name does not count."""
        content = "\0".join(f"{name}\0{text}" for name, text in sorted(golden_files(self).items()))
        return hashlib.sha256(content.encode()).hexdigest()[:16]


def read_golden_set(path: Path, *, name: str = "") -> GoldenSet:
    """The set in a folder or ZIP with needles.jsonl and, where there are such, refusals.jsonl and multihop.jsonl.

    Raises:
        BadInput: it cannot be read, there is no needles.jsonl, or a row is not as it must be; the message names file
            and line.
    """
    with packed_files(path) as read:
        texts = {file: read(file) for file in (NEEDLES_FILE, REFUSALS_FILE, MULTIHOP_FILE)}
    files = {file: text for file, text in texts.items() if text is not None}
    return golden_set_of(files, name=name or path.stem)


def golden_set_of(files: Mapping[str, str], *, name: str) -> GoldenSet:
    """`read_golden_set` from the files' texts by file name; other files are not looked at.

    Raises:
        BadInput: see `read_golden_set`.
    """
    if NEEDLES_FILE not in files:
        raise BadInput(f"A golden set must hold {NEEDLES_FILE}.")
    return GoldenSet(
        name=name,
        needles=tuple(read_needles(files[NEEDLES_FILE].split("\n"))),
        refusals=tuple(read_refusals(files.get(REFUSALS_FILE, "").split("\n"))),
        multihop=tuple(read_multihop(files.get(MULTIHOP_FILE, "").split("\n"))),
    )


def golden_files(golden: GoldenSet) -> dict[str, str]:
    """The set as texts of JSON lines by file name; `golden_set_of` reads them back."""
    rows: dict[str, list[dict[str, object]]] = {
        NEEDLES_FILE: [
            {
                "id": row.id,
                "document": row.document,
                "needle": row.needle,
                "question": row.question,
                "ticket": row.ticket,
                **_answers_written(row.answers),
            }
            for row in golden.needles
        ],
        REFUSALS_FILE: [
            {"id": row.id, "kind": row.kind, "question": row.question, "why": row.why}
            for row in golden.refusals
        ],
        MULTIHOP_FILE: [
            {
                "id": row.id,
                "question": row.question,
                "needles": [{"document": place.document, "needle": place.needle} for place in row.needles],
                **_answers_written(row.answers),
            }
            for row in golden.multihop
        ],
    }
    return {
        file: "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in written)
        for file, written in rows.items()
    }


def write_golden_set(golden: GoldenSet, folder: Path) -> None:
    """Write the three files into `folder`, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    for file, text in golden_files(golden).items():
        (folder / file).write_text(text, encoding="utf-8")


def read_needles(lines: Iterable[str]) -> list[GoldenNeedle]:
    """Needles out of JSON lines with id, document, needle, question and, optionally, ticket and answers (texts).

    Raises:
        BadInput: a line is no such row.
    """
    return [
        GoldenNeedle(
            id=_text(row, "id", at),
            document=_text(row, "document", at),
            needle=_text(row, "needle", at),
            question=_text(row, "question", at),
            ticket=_text(row, "ticket", at, default=""),
            answers=_answers(row, at),
        )
        for at, row in _rows(NEEDLES_FILE, lines)
    ]


def read_refusals(lines: Iterable[str]) -> list[GoldenRefusal]:
    """Questions to refuse out of JSON lines with id, kind, question and, optionally, why.

    Raises:
        BadInput: a line is no such row.
    """
    return [
        GoldenRefusal(
            id=_text(row, "id", at),
            kind=_text(row, "kind", at),
            question=_text(row, "question", at),
            why=_text(row, "why", at, default=""),
        )
        for at, row in _rows(REFUSALS_FILE, lines)
    ]


def read_multihop(lines: Iterable[str]) -> list[GoldenMultihop]:
    """Questions with several needles: JSON lines with id, question, needles (document, needle), optionally answers.

    Raises:
        BadInput: a line is no such row.
    """
    return [
        GoldenMultihop(
            _text(row, "id", at), _text(row, "question", at), tuple(_places(row, at)), _answers(row, at)
        )
        for at, row in _rows(MULTIHOP_FILE, lines)
    ]


def holds_needle(text: str, needle: str) -> bool:
    """Whether `text` holds the whole needle; runs of white space count as one space.

    A needle may be written as the document has it (with its Markdown) or as a reader sees it.
    """
    return squeezed(needle) in squeezed(text) or _holds_plainly(text, needle)


def needles_destroyed(
    chunks: Iterable[Chunk | StoredChunk], needles: Iterable[GoldenNeedle | tuple[str, NeedlePlace]]
) -> tuple[str, ...]:
    """Ids of the needles that no chunk holds whole: their recall is zero whatever the retriever does."""
    contents = [chunk.content for chunk in chunks]
    flat = [squeezed(content) for content in contents]
    rows = [row if isinstance(row, tuple) else (row.id, row) for row in needles]
    return tuple(
        needle_id
        for needle_id, row in rows
        if not any(squeezed(row.needle) in content for content in flat)
        and not any(_holds_plainly(content, row.needle) for content in contents)
    )


def squeezed(text: str) -> str:
    """`text` with every run of white space as one space."""
    return " ".join(text.split())


def _holds_plainly(text: str, needle: str) -> bool:
    plain = plain_text(needle)
    return bool(plain) and plain in plain_text(text)


def _rows(file: str, lines: Iterable[str]) -> Iterator[tuple[str, Mapping[str, object]]]:
    """(place for messages, row) of each line that is not empty."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        at = f"{file}, line {number}"
        try:
            row = json.loads(line)
        # Brackets within brackets by the thousand are a RecursionError of the reader.
        except (ValueError, RecursionError) as exc:
            raise BadInput(f"{at}: this is no JSON.") from exc
        if not isinstance(row, dict):
            raise BadInput(f"{at}: this is no JSON object.")
        yield at, row


def _text(row: Mapping[str, object], key: str, at: str, *, default: str | None = None) -> str:
    value = row.get(key, default)
    if not isinstance(value, str) or (default is None and not value.strip()):
        raise BadInput(f"{at}: {key} must be a text.")
    return value


def _answers(row: Mapping[str, object], at: str) -> tuple[str, ...]:
    answers = row.get("answers", [])
    if not isinstance(answers, list) or not all(isinstance(each, str) and each.strip() for each in answers):
        raise BadInput(f"{at}: answers must be a list of texts.")
    return tuple(dict.fromkeys(answers))


def _answers_written(answers: Sequence[str]) -> dict[str, object]:
    """Left out where there are none, so that sets without them keep their files and their fingerprint."""
    return {"answers": list(answers)} if answers else {}


def _places(row: Mapping[str, object], at: str) -> Iterator[NeedlePlace]:
    places = row.get("needles")
    if not isinstance(places, Sequence) or isinstance(places, str) or not places:
        raise BadInput(f"{at}: needles must be a list.")
    for place in places:
        if not isinstance(place, dict):
            raise BadInput(f"{at}: a needle must be an object with document and needle.")
        yield NeedlePlace(_text(place, "document", at), _text(place, "needle", at))
