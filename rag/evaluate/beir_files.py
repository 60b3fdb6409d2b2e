"""Reading a BEIR collection; what is missing or not as BEIR has it is told with file and line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from rag.errors import BadInput
from rag.evaluate.packed_files import packed_files

CORPUS_FILE, QUERIES_FILE = "corpus.jsonl", "queries.jsonl"


@dataclass(frozen=True, slots=True)
class BeirDocument:
    """One document of the corpus."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class BeirSet:
    """A collection with the queries that its qrels judge: query id → document id → grade."""

    name: str
    documents: tuple[BeirDocument, ...]
    queries: Mapping[str, str]
    qrels: Mapping[str, Mapping[str, int]]


def read_beir(path: Path, *, split: str = "test") -> BeirSet:
    """The collection in a folder or ZIP (in which it may lie in a folder of its own).

    Raises:
        BadInput: a file is missing or cannot be read, a row is not as BEIR has it, an id stands twice, or nothing is
            judged that could be found.
    """
    qrels_file = f"qrels/{split}.tsv"
    with packed_files(path) as read:
        texts = {file: read(file) for file in (CORPUS_FILE, QUERIES_FILE, qrels_file)}
    found = {file: text for file, text in texts.items() if text is not None}
    if missing := texts.keys() - found.keys():
        raise BadInput(f"{path} does not hold {', '.join(sorted(missing))}.")
    return _set_of(path.stem if path.suffix == ".zip" else path.name, qrels_file, found)


def _set_of(name: str, qrels_file: str, texts: Mapping[str, str]) -> BeirSet:
    qrels = _qrels(qrels_file, texts[qrels_file])
    documents = {
        document_id: BeirDocument(document_id, _text(row, "title", at, default=""), _text(row, "text", at))
        for at, document_id, row in _json_rows(CORPUS_FILE, texts[CORPUS_FILE])
    }
    queries = {
        query_id: _words(row, at)
        for at, query_id, row in _json_rows(QUERIES_FILE, texts[QUERIES_FILE])
        if query_id in qrels
    }
    if unknown := next((query for query in qrels if query not in queries), None):
        raise BadInput(f"{qrels_file} judges the query {unknown}, which {QUERIES_FILE} does not hold.")
    if not any(document in documents for grades in qrels.values() for document in grades):
        raise BadInput(f"{qrels_file} judges no document that {CORPUS_FILE} holds.")
    return BeirSet(name, tuple(documents.values()), queries, qrels)


def _qrels(file: str, text: str) -> dict[str, dict[str, int]]:
    """Query id, document id and a whole grade a line; what stands above may name the columns."""
    qrels: dict[str, dict[str, int]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        cells = line.split("\t")
        if not line.strip() or (number == 1 and not _is_whole(cells[-1])):
            continue
        if len(cells) != 3 or not _is_whole(cells[2]):
            raise BadInput(f"{file}, line {number}: this is no query, document and whole grade, by tabs.")
        query, document, grade = cells[0], cells[1], int(cells[2])
        if qrels.setdefault(query, {}).setdefault(document, grade) != grade:
            raise BadInput(f"{file}, line {number}: {document} has two grades for {query}.")
    if not qrels:
        raise BadInput(f"{file} judges nothing.")
    return qrels


def _is_whole(cell: str) -> bool:
    return cell.strip().removeprefix("-").isdecimal()


def _json_rows(file: str, text: str) -> Iterator[tuple[str, str, dict[str, object]]]:
    """(place for messages, id, row) of each line that is not empty."""
    seen: set[str] = set()
    # Not splitlines(): a text may hold U+2028, which JSON leaves as it is.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        at = f"{file}, line {number}"
        try:
            row = json.loads(line)
        # Brackets within brackets by the thousand are a RecursionError of the reader.
        except (ValueError, RecursionError) as exc:
            raise BadInput(f"{at}: this is no JSON.") from exc
        if not isinstance(row, dict) or not isinstance(row.get("_id"), str | int) or row["_id"] == "":
            raise BadInput(f"{at}: this is no JSON object with an _id.")
        row_id = str(row["_id"])
        if row_id in seen:
            raise BadInput(f"{at}: the _id {row_id} stands twice.")
        seen.add(row_id)
        yield at, row_id, row


def _text(row: dict[str, object], key: str, at: str, *, default: str | None = None) -> str:
    value = row.get(key)
    if value is None:
        value = default
    if not isinstance(value, str):
        raise BadInput(f"{at}: {key} must be a text.")
    return value


def _words(row: dict[str, object], at: str) -> str:
    text = _text(row, "text", at)
    if not any(character.isalnum() for character in text):
        raise BadInput(f"{at}: the query holds no word.")
    return text
