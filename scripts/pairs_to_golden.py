"""A golden set out of labelled pairs: the evidence is the needle, the chat question asks for it.

python scripts/pairs_to_golden.py ../shared/data/pairs/handbook_questions.jsonl.gz HANDBOOK OUT --source clef
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("pairs", type=Path)
    parser.add_argument("handbook", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--source", required=True, help="how the rows' source begins")
    arguments = parser.parse_args()
    texts = {
        path.relative_to(arguments.handbook).as_posix(): " ".join(path.read_text(encoding="utf-8").split())
        for path in sorted(arguments.handbook.rglob("*.md"))
    }
    needles, n_left_out = [], 0
    with gzip.open(arguments.pairs, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            if not row["source"].startswith(arguments.source):
                continue
            evidence = " ".join(row["evidence"].split())
            if sum(text.count(evidence) for text in texts.values()) != 1:
                n_left_out += 1
                continue
            needles.append(
                {"id": row["id"], "document": row["document"], "needle": evidence, "question": row["ticket"]}
            )
    arguments.out.mkdir(parents=True, exist_ok=True)
    written = "".join(json.dumps(needle, ensure_ascii=False) + "\n" for needle in needles)
    (arguments.out / "needles.jsonl").write_text(written, encoding="utf-8")
    (arguments.out / "refusals.jsonl").write_text("", encoding="utf-8")
    print(
        f"{len(needles)} needles; {n_left_out} left out, whose evidence does not stand exactly once in the files"
    )


if __name__ == "__main__":
    main()
