"""Write SciFact as a BEIR collection out of the authors' CSV release and BEIR's queries and judgements.

    python scripts/scifact_to_beir.py CORPUS_ZIP QUERIES_FOLDER OUT_FOLDER

CORPUS_ZIP holds corpus_train.csv (doc_id, title, abstract as a printed array of sentences), QUERIES_FOLDER
queries.jsonl and qrels/. `manage.py evaluate --beir OUT_FOLDER` reads the result.
"""

from __future__ import annotations

import ast
import csv
import io
import json
import re
import shutil
import sys
import zipfile
from pathlib import Path

_SENTENCE = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""", re.DOTALL)


def abstract(printed: str) -> str:
    """The sentences of an array as NumPy prints it: quoted, separated by line ends instead of commas."""
    inside = printed.strip().removeprefix("[").removesuffix("]")
    left = _SENTENCE.sub("", inside)
    if left.strip():
        raise ValueError(f"not understood: {left.strip()[:80]}")
    return " ".join(ast.literal_eval(sentence).strip() for sentence in _SENTENCE.findall(inside))


def main(corpus_zip: Path, queries: Path, out: Path) -> None:
    csv.field_size_limit(10_000_000)
    (out / "qrels").mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(corpus_zip) as archive:
        rows = list(csv.DictReader(io.StringIO(archive.read("corpus_train.csv").decode("utf-8"))))
    with (out / "corpus.jsonl").open("w", encoding="utf-8") as file:
        for row in rows:
            document = {"_id": row["doc_id"], "title": row["title"], "text": abstract(row["abstract"])}
            file.write(json.dumps(document, ensure_ascii=False) + "\n")
    for name in ("queries.jsonl", "qrels/test.tsv", "qrels/train.tsv"):
        shutil.copyfile(queries / name, out / name)
    print(f"{len(rows)} documents written to {out}")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*map(Path, sys.argv[1:4]))
