"""The table of `manage.py bench` about reranking."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from rich.table import Table

import rag
from console import engine
from workers.evaluation_corpus import SCOPE


def measure_reading(index: rag.Index, questions: Sequence[str], *, repeats: int) -> rag.RerankReport | None:
    """Reranking the candidates of `questions`; None where no reranker is configured or nothing was found."""
    reranker = engine.reranker()
    found = [
        (question, rag.retrieve(question, index=index, scope=SCOPE)[: index.config.n_rerank])
        for question in questions
    ]
    asked = [(question, candidates) for question, candidates in found if candidates]
    if reranker is None or not asked:
        return None
    return rag.measure_rerank(asked, reranker, repeats=max(3, repeats))


def reading_table(reports: Sequence[tuple[str, rag.RerankReport | None]]) -> Table:
    """One column a corpus."""
    measured = [(name, report) for name, report in reports if report is not None]
    table = Table(
        "", *(name for name, _ in measured), title="Reranking the candidates of a question, median ms"
    )
    rows = [
        ("questions", [str(len(report.n_pairs)) for _, report in measured]),
        ("pairs", [f"{median(report.n_pairs):.0f}" for _, report in measured]),
        ("Footnote", [f"{median(report.ours_ms):.0f}" for _, report in measured]),
        (
            "CrossEncoder, float32, the same size",
            [f"{median(report.cross_encoder_ms):.0f}" for _, report in measured],
        ),
        ("share of CrossEncoder", [f"{report.share:.2f}" for _, report in measured]),
    ]
    for name, cells in rows:
        table.add_row(name, *cells)
    return table
