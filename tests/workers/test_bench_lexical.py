"""`manage.py bench`: the table of the word search."""

from __future__ import annotations

from rich.console import Console

import rag
from workers.bench_lexical import words_table

REPORT = rag.LexicalReport(
    n_chunks=1_000,
    n_questions=120,
    n_agreed=120,
    ours=rag.Percentiles(360, 0.05, 0.1),
    dictionary=rag.Percentiles(360, 0.25, 0.5),
    library=rag.Percentiles(360, 0.06, 0.12),
    library_build_ms=700.0,
    puts=(rag.PutCost(1_000, 20.0), rag.PutCost(20_000, 21.5)),
    open_ms=2.5,
)


def test_the_table_says_how_many_times_faster_and_what_a_put_costs() -> None:
    out = Console(record=True, width=120, highlight=False)
    out.print(words_table([("sample handbook", REPORT)]))
    lines = {
        line.split("│")[1].strip(): line.split("│")[2].strip()
        for line in out.export_text().splitlines()
        if "│" in line
    }
    assert lines["times dictionary"] == "5.00"
    assert lines["query, Footnote"] == "0.050 / 0.100"
    assert lines["put 10 chunks beside 20,000"] == "21.5"
    assert lines["chunks, questions (agreed)"] == "1000, 120 (120)"


def test_no_corpus_no_column() -> None:
    assert words_table([]).row_count > 0
