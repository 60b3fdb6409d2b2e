"""An evaluation as JSON: every record it rests on, and the figures that the tables show."""

from __future__ import annotations

from dataclasses import asdict
from itertools import combinations
from typing import Any

import rag
from console import engine
from workers.evaluation import BeirEvaluation, CorpusEvaluation, Plan


def settings_json(plan: Plan, *, whole_documents: bool) -> dict[str, Any]:
    """What was asked for and what was in force; figures with other settings are not comparable."""
    config = engine.config()
    # They are named where they took part: asking for one loads it.
    generator, support = (
        (engine.generator(), engine.support()) if plan.end_to_end or plan.risk_coverage else (None, None)
    )
    return {
        **asdict(plan),
        "distance_cut": config.distance_cut,
        "relevance_cut": config.relevance_cut,
        "max_chunks": config.max_chunks,
        "n_candidates": config.n_candidates,
        "n_rerank": config.n_rerank,
        "generator": generator.name if generator else "",
        "support": support.name if support else "",
        "beir_whole_documents": whole_documents,
    }


def corpus_json(made: CorpusEvaluation) -> dict[str, Any]:
    """All of a corpus; `figures` beside the ranks they come from."""
    written = asdict(made)
    for strategy, data in zip(made.strategies, written["strategies"], strict=True):
        data["header_share"] = strategy.chunking.header_share
        for report, row in zip(strategy.retrieval, data["retrieval"], strict=True):
            row["figures"] = {wording.value: _figures(report, wording) for wording in report.wordings}
    reports = [report for strategy in made.strategies for report in strategy.retrieval]
    written["paired"] = [
        {**asdict(test), "p": test.p, "k": k, "wording": wording.value if wording else "both"}
        for first, second in combinations(reports, 2)
        for wording in (*first.wordings, None)
        for k in first.ks
        if first.recall(k, wording).n
        for test in [rag.compare_recall(first, second, k=k, wording=wording)]
    ]
    return written


def beir_json(made: BeirEvaluation) -> dict[str, Any]:
    """All of a collection; the means beside the values of the queries."""
    written = asdict(made)
    for report, row in zip(made.reports, written["reports"], strict=True):
        row["figures"] = {
            "ndcg_at_10": asdict(report.mean_ndcg),
            "recall_at_100": asdict(report.mean_recall),
        }
    written["paired"] = [
        {**asdict(test), "p": test.p}
        for first, second in combinations(made.reports, 2)
        for test in [rag.compare_beir(first, second)]
    ]
    return written


def _figures(report: rag.RetrievalReport, wording: rag.Wording) -> dict[str, Any]:
    recalls = {k: report.recall(k, wording) for k in report.ks}
    return {
        "recall": {
            str(k): {**asdict(share), "rate": share.rate, "interval": share.interval}
            for k, share in recalls.items()
        },
        "mrr": asdict(report.mean_reciprocal_rank(wording)),
        "ndcg_at_10": asdict(report.mean_ndcg(10, wording)),
    }
