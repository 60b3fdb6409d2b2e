"""The table of `manage.py bench` about reranking."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table

import rag
from console import engine
from workers.evaluation_corpus import SCOPE


def measure_reading(index: rag.Index, question: str, *, repeats: int) -> rag.RerankReport | None:
    """Reranking the candidates of one question; None where no reranker is configured or nothing was found."""
    reranker = engine.reranker()
    candidates = rag.retrieve(question, index=index, scope=SCOPE)[: index.config.n_rerank]
    if reranker is None or not candidates:
        return None
    return rag.measure_rerank(question, candidates, reranker, repeats=max(3, repeats))


def reading_table(reports: Sequence[tuple[str, rag.RerankReport | None]]) -> Table:
    """One column a corpus."""
    measured = [(name, report) for name, report in reports if report is not None]
    table = Table(
        "", *(name for name, _ in measured), title="Reranking the candidates of one question, median ms"
    )
    rows = [
        ("pairs", [str(report.n_pairs) for _, report in measured]),
        ("Footnote", [f"{report.ours_ms:.0f}" for _, report in measured]),
        (
            "CrossEncoder, float32, the same size",
            [f"{report.cross_encoder_ms:.0f}" for _, report in measured],
        ),
        ("share of CrossEncoder", [f"{report.share:.2f}" for _, report in measured]),
    ]
    for name, cells in rows:
        table.add_row(name, *cells)
    return table
