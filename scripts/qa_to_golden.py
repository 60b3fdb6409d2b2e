"""A folder of documents and its golden set out of a public question set: HotpotQA or SQuAD 2.0.

Each paragraph becomes a document. HotpotQA questions need the sentences marked as supporting; SQuAD questions need the
sentence that holds the answer, and its impossible ones are to be refused. Both carry their gold answers, but for "yes"
and "no", which stand in any text. Questions of one set can be refusals of the other: ``--refusals`` asks them where
nothing answers them. Where models were trained on that set, it can be a file of labelled pairs instead (JSON lines with
question, answerable, src and use): of these the unanswerable ones of SQuAD 2.0 that are kept for testing are asked.

    PYTHONPATH=. python scripts/qa_to_golden.py hotpotqa FILE.json.gz OUT [--refusals SQUAD.json.gz or PAIRS.jsonl.gz]
    PYTHONPATH=. python scripts/qa_to_golden.py squad FILE.json.gz OUT [--n 300]
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rag.sentences import sentence_spans

SEED = 20_261_201


class Documents:
    """Paragraphs by title, written as Markdown; the same paragraph once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names: dict[tuple[str, str], str] = {}

    def add(self, title: str, text: str) -> str:
        """The name of the document that holds the paragraph."""
        key = (title, text)
        if key not in self._names:
            stem = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60] or "untitled"
            self._names[key] = name = f"{stem}-{len(self._names):04}.md"
            (self._folder / name).write_text(f"# {title}\n\n{text}\n", encoding="utf-8")
        return self._names[key]

    def count(self, needle: str) -> int:
        """In how many places the sentence stands."""
        return sum(text.count(needle) for _, text in self._names)


def _load(path: Path) -> Any:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def _hotpotqa(path: Path, documents: Documents) -> Iterator[dict[str, Any]]:
    for number, row in enumerate(_load(path)):
        sentences = _contexts(row["context"])
        names = {title: documents.add(title, "".join(texts).strip()) for title, texts in sentences.items()}
        facts = row["supporting_facts"]
        marked = zip(facts["title"], facts["sent_id"], strict=True) if isinstance(facts, dict) else facts
        needles = [
            {"document": names[title], "needle": sentences[title][at].strip()}
            for title, at in marked
            if title in sentences and at < len(sentences[title])
        ]
        yield {
            "id": str(row.get("_id") or row.get("id") or f"hotpotqa-{number}"),
            "question": row["question"],
            "needles": needles,
            "answers": [row["answer"]] if row["answer"].lower() not in {"yes", "no"} else [],
        }


def _impossible(path: Path) -> list[dict[str, Any]]:
    """Questions that their own paragraph does not answer, each once."""
    if ".jsonl" not in path.suffixes:
        return [row for _, _, row in _squad(path) if row["is_impossible"]]
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    asked = dict.fromkeys(
        row["question"].strip()
        for row in rows
        if row["src"] == "squad2" and row["use"] == "eval" and not row["answerable"]
    )
    return [{"id": f"impossible-{at}", "question": question} for at, question in enumerate(asked)]


def _contexts(context: Any) -> dict[str, list[str]]:
    if isinstance(context, dict):
        return dict(zip(context["title"], context["sentences"], strict=True))
    return dict(context)


def _squad(path: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Article title, paragraph, question row."""
    for article in _load(path)["data"]:
        for paragraph in article["paragraphs"]:
            for row in paragraph["qas"]:
                yield article["title"].replace("_", " "), paragraph["context"], row


def _needle(paragraph: str, answer: dict[str, Any]) -> str:
    at = answer["answer_start"]
    return next(paragraph[a:b] for a, b in sentence_spans(paragraph) if a <= at < b)


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def _refusals(rows: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [
        {"id": row["id"], "kind": kind, "question": row["question"], "why": "marked impossible"}
        for row in rows
    ]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("set", choices=["hotpotqa", "squad"])
    parser.add_argument("file", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument(
        "--refusals",
        type=Path,
        help="a SQuAD 2.0 file, or labelled pairs, whose impossible questions are asked too",
    )
    parser.add_argument("--n", type=int, default=300, help="questions of a kind that are drawn")
    arguments = parser.parse_args()
    folder, golden = arguments.out / "documents", arguments.out / "golden"
    folder.mkdir(parents=True, exist_ok=True)
    golden.mkdir(exist_ok=True)
    documents = Documents(folder)
    rng = random.Random(SEED)
    needles: list[dict[str, Any]] = []
    multihop: list[dict[str, Any]] = []
    refusals: list[dict[str, Any]] = []
    if arguments.set == "hotpotqa":
        multihop = list(_hotpotqa(arguments.file, documents))
        impossible = _impossible(arguments.refusals) if arguments.refusals else []
        refusals = _refusals(rng.sample(impossible, min(arguments.n, len(impossible))), "far")
    else:
        rows = list(_squad(arguments.file))
        names = {paragraph: documents.add(title, paragraph) for title, paragraph, _ in rows}
        impossible = [row for _, _, row in rows if row["is_impossible"]]
        refusals = _refusals(rng.sample(impossible, min(arguments.n, len(impossible))), "near")
        answerable = [each for each in rows if not each[2]["is_impossible"]]
        for _, paragraph, row in rng.sample(answerable, min(arguments.n, len(answerable))):
            needle = _needle(paragraph, row["answers"][0])
            needles.append(
                {
                    "id": row["id"],
                    "document": names[paragraph],
                    "needle": needle,
                    "question": row["question"],
                    "answers": list(dict.fromkeys(answer["text"] for answer in row["answers"])),
                }
            )
    once = [row for row in needles if documents.count(row["needle"]) == 1]
    whole = [row for row in multihop if all(documents.count(n["needle"]) == 1 for n in row["needles"])]
    _write(golden / "needles.jsonl", once)
    _write(golden / "refusals.jsonl", refusals)
    if whole:
        _write(golden / "multihop.jsonl", whole)
    n_left_out = len(needles) + len(multihop) - len(once) - len(whole)
    print(
        f"{len(once)} needles, {len(whole)} of several, {len(refusals)} to refuse; "
        f"{n_left_out} left out, not exactly once"
    )


if __name__ == "__main__":
    main()
