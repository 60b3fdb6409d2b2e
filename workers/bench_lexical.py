"""The table of `manage.py bench` about the word search."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

import rag
from console import engine

_MAX_QUESTIONS = 200
_WORDS_OF_A_QUESTION = 12


def measure_words(texts: Sequence[str], golden: rag.GoldenSet | None, *, repeats: int) -> rag.LexicalReport:
    """BM25 over a corpus's chunks; without a golden set the beginnings of its chunks are asked."""
    questions = [asked.question for asked in golden.asked] if golden else []
    if not questions:
        spread = texts[:: max(1, len(texts) // _MAX_QUESTIONS)]
        questions = [" ".join(text.split()[:_WORDS_OF_A_QUESTION]) for text in spread]
    return rag.measure_lexical(texts, questions[:_MAX_QUESTIONS], config=engine.config(), repeats=repeats)


def words_table(reports: Sequence[tuple[str, rag.LexicalReport]]) -> Table:
    """One column a corpus."""
    table = Table("", *(name for name, _ in reports), title="Word search (BM25), p50 / p95 in ms")
    measured = [report for _, report in reports]
    rows = [
        ("chunks, questions (agreed)", [f"{r.n_chunks}, {r.n_questions} ({r.n_agreed})" for r in measured]),
        ("query, Footnote", [_both(r.ours) for r in measured]),
        ("query, dictionary in Python", [_both(r.dictionary) for r in measured]),
        ("times dictionary", [f"{r.times_dictionary:.2f}" for r in measured]),
        ("query, bm25s in memory", [_both(r.library) for r in measured]),
        ("bm25s: build for one more document", [f"{r.library_build_ms:.0f}" for r in measured]),
        *(
            (f"put 10 chunks beside {cost.n_chunks:,}", [f"{r.puts[at].put_ms:.1f}" for r in measured])
            for at, cost in enumerate(measured[0].puts if measured else ())
        ),
        ("open the last and answer", [f"{r.open_ms:.1f}" for r in measured]),
    ]
    for name, cells in rows:
        table.add_row(name, *cells)
    return table


def _both(value: rag.Percentiles) -> str:
    return f"{value.p50_ms:.3f} / {value.p95_ms:.3f}"
