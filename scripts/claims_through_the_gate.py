"""How many true and false claims about one passage the verification gate lets through, and what a claim costs.

    PYTHONPATH=.:scripts/train python scripts/claims_through_the_gate.py DATA

DATA holds pairs/handbook_questions.jsonl.gz. Only passages of documents that trained nothing are read (`is_held_out`).
Each claim is a sentence as a language model would write it, with its marker: it is bound, then verified like any draft.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np
from corpora import Labelled, is_held_out, read_labelled

import rag
from rag.cite import bind
from rag.evaluate.statistics import Proportion
from rag.generate import Draft, DraftSentence
from rag.types import Locator, ScoredChunk, StoredChunk
from rag.verify import SupportModel, verify


def main() -> None:
    held_out = [each for each in read_labelled(Path(sys.argv[1])) if is_held_out(each.passage)]
    support, cut = rag.load_support(), rag.RagConfig().support_cut
    methods: Counter[tuple[str, str, bool]] = Counter()
    times: list[float] = []
    for each in held_out:
        passage = _scored(each)
        for kind, claims in (("true", (each.supported,)), ("false", each.unsupported)):
            for claim in claims:
                started = time.perf_counter()
                method, passed = _verified(claim, passage, support, cut)
                times.append((time.perf_counter() - started) * 1_000)
                methods[kind, method, passed] += 1
    for kind in ("true", "false"):
        n = sum(count for (its, *_), count in methods.items() if its == kind)
        passed = Proportion(sum(count for (its, _, ok), count in methods.items() if its == kind and ok), n)
        print(f"{kind} claims that pass at {cut}: {passed}")
        for (its, method, ok), count in sorted(methods.items()):
            if its == kind:
                print(f"  {method}, {'passed' if ok else 'stopped'}: {count}")
    p50, p95 = np.percentile(times, (50, 95))
    print(f"bind and verify one claim, ms: p50 {p50:.1f}, p95 {p95:.1f}")


def _scored(each: Labelled) -> ScoredChunk:
    """The passage as the index would hold it, in one chunk."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "passage.md"
        path.write_text(each.passage.content, encoding="utf-8")
        read = rag.extract_file(path, filename=path.name)
    text = f"{each.passage.header}\n{read.text}"
    chunk = StoredChunk(
        each.id, 1, 1, _title(each), 0, text, read.text, "", 0, len(read.text), Locator(), spans=read.spans
    )
    return ScoredChunk(chunk, distance=0.3, bm25_score=None, rrf_score=1.0)


def _title(each: Labelled) -> str:
    return each.passage.header.strip("[]")


def _verified(claim: str, passage: ScoredChunk, support: SupportModel, cut: float) -> tuple[str, bool]:
    bound = bind(Draft((DraftSentence(claim, (1,)),)), (passage,))
    found = verify(
        bound.sentences, {each.number: each for each in bound.citations}, support=support, threshold=cut
    )
    weakest = min(found.claims, key=lambda each: each.support)
    return weakest.method, found.passed


if __name__ == "__main__":
    main()
