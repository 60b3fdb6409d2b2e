"""What an evaluation prints: every figure with its interval, every difference with its paired test."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from rich.table import Table

import rag
from workers.evaluation import BeirEvaluation, CorpusEvaluation, GateCalibration

KS = (1, 4, 20)
RISKS = (0.01, 0.02, 0.05, 0.1, 0.2)
COVERAGES = (0.3, 0.5, 0.7, 0.9)
BUDGETS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 1.0)


def corpus_tables(made: CorpusEvaluation) -> Iterator[Table]:
    """Chunking, retrieval by wording, paired tests, the sweep, and whole answers, as far as they were measured."""
    reports = [report for strategy in made.strategies for report in strategy.retrieval]
    yield _chunking(made)
    for wording in reports[0].wordings if reports else ():
        yield _retrieval(made.corpus, wording, reports)
    if len(reports) > 1:
        yield _paired(made.corpus, reports)
    for calibration in made.calibrations:
        yield _sweep(made.corpus, calibration)
        yield _at_the_cut(made.corpus, calibration)
    for name, answers in made.answers.items():
        yield _answers(f"{made.corpus}: answers, {name}", answers)
        yield _bluffs(f"{made.corpus}: bluffs by kind, {name}", answers)
        yield _latency(f"{made.corpus}: question to result, {name}", answers.latency)
    for name, confident in made.confident.items():
        yield _risk(f"{made.corpus}: risk and coverage of whole answers, {name}", confident)


def beir_tables(made: BeirEvaluation) -> Iterator[Table]:
    """nDCG@10 and recall@100 by configuration, and paired tests over the queries."""
    n_queries = len(made.reports[0].query_ids) if made.reports else 0
    title = f"{made.collection}: {made.n_documents} documents in {made.n_chunks} chunks, {n_queries} queries"
    table = Table("", "nDCG@10", "recall@100", title=title, caption="a document counts with its best chunk")
    for report in made.reports:
        table.add_row(report.configuration, str(report.mean_ndcg), str(report.mean_recall))
    yield table
    if len(made.reports) > 1:
        pairs = Table("", "nDCG@10", title=f"{made.collection}: queries better / worse, exact sign test")
        for first, second in combinations(made.reports, 2):
            test = rag.compare_beir(first, second)
            pairs.add_row(f"{test.first} against {test.second}", _test(test))
        yield pairs


def _chunking(made: CorpusEvaluation) -> Table:
    table = Table(
        "strategy",
        "chunks",
        "tokens",
        "header share",
        "split for the window",
        "over the window",
        "needles destroyed",
        title=f"{made.corpus}: {made.n_files} files ({made.n_failed} failed), golden set {made.golden_id}",
    )
    for strategy in made.strategies:
        chunking = strategy.chunking
        table.add_row(
            strategy.label,
            str(chunking.n_chunks),
            str(chunking.n_tokens),
            f"{chunking.header_share:.1%}",
            str(chunking.n_split_for_window),
            str(chunking.n_over_window),
            f"{len(strategy.destroyed)} of {strategy.n_needles} {' '.join(strategy.destroyed[:8])}".strip(),
        )
    return table


def _retrieval(corpus: str, wording: rag.Wording, reports: Sequence[rag.RetrievalReport]) -> Table:
    n = len(reports[0].of(wording))
    title = f"{corpus}: {wording.value}, n = {n}; Wilson 95 % intervals, bootstrap for MRR and nDCG"
    table = Table("", *(f"R@{k}" for k in KS), "MRR", "nDCG@10", title=title)
    for report in reports:
        table.add_row(
            report.configuration.name,
            *(_share(report.recall(k, wording)) for k in KS),
            str(report.mean_reciprocal_rank(wording)),
            str(report.mean_ndcg(10, wording)),
        )
    return table


def _paired(corpus: str, reports: Sequence[rag.RetrievalReport]) -> Table:
    """Each two that differ in one thing only: the way to retrieve, the strategy or the embedding model."""
    columns: list[tuple[str, rag.Wording | None, int]] = [
        (f"{name} R@{k}", wording, k)
        for name, wording in (
            ("questions", rag.Wording.QUESTIONS),
            ("tickets", rag.Wording.TICKETS),
            ("both", None),
        )
        for k in (1, 4)
    ]
    table = Table(
        "first against second",
        *(name for name, _, _ in columns),
        title=f"{corpus}: questions that only the first / only the second finds, exact sign test",
    )
    for first, second in combinations(reports, 2):
        one, other = first.configuration, second.configuration
        if one.differs_in(other) == 1:
            table.add_row(
                f"{one.name} against {other.name}",
                *(_test(rag.compare_recall(first, second, k=k, wording=w)) for _, w, k in columns),
            )
    return table


def _sweep(corpus: str, made: GateCalibration) -> Table:
    calibration = made.calibration
    table = Table(
        "bluffs at most",
        f"cut on {calibration.score}",
        "bluffs",
        "right passage passes",
        "wrong refusals",
        title=f"{corpus}: best cut within a budget of bluffs, {made.configuration} "
        f"(at most {calibration.max_chunks} chunks, {len(calibration.curve)} cuts)",
    )
    for budget in sorted({*BUDGETS, calibration.max_bluff_rate}):
        point = rag.best_cut(calibration.curve, budget, bound=calibration.bound)
        if point is None:
            table.add_row(f"{budget:.0%}", "none keeps to it", "–", "–", "–")
            continue
        table.add_row(
            f"{budget:.0%}",
            f"{point.cut:.4f}",
            _share(point.bluffs),
            _share(point.right),
            _share(point.wrong_refusals),
        )
    return table


def _at_the_cut(corpus: str, made: GateCalibration) -> Table:
    calibration = made.calibration
    kept = f"bluffs ≤ {calibration.max_bluff_rate:.0%} by {calibration.bound}"
    table = Table(
        "group",
        "bluffs",
        "right passage passes",
        "wrong refusals",
        "AUROC of the best score",
        title=f"{corpus}: at the chosen cut, {made.configuration} ({kept})",
        caption=_choice(made),
    )
    for group, point in calibration.by_group.items():
        refuse = point.bluffs.n > 0
        table.add_row(
            group,
            _share(point.bluffs) if refuse else "–",
            "–" if refuse else _share(point.right),
            "–" if refuse else _share(point.wrong_refusals),
            str(made.auroc_by_kind.get(group, "–")),
        )
    return table


def _choice(made: GateCalibration) -> str:
    calibration = made.calibration
    lines = [f"area under risk and coverage {made.risk_area:.3f}"]
    if "all" in made.auroc_by_kind:
        lines.append(f"AUROC against all kinds {made.auroc_by_kind['all']}")
    if calibration.chosen and calibration.cut_interval:
        low, high = calibration.cut_interval
        lines.append(f"cut {calibration.chosen.cut:.4f}, bootstrap interval [{low:.4f}, {high:.4f}]")
    if calibration.held_out:
        held = calibration.held_out
        lines.append(
            f"held out ({held.n_folds} folds): bluffs {_share(held.bluffs)}, right passage {_share(held.right)}"
        )
    return "\n".join(lines)


def _answers(title: str, report: rag.EvaluationReport) -> Table:
    columns = {wording.value: counts for wording, counts in report.by_wording.items()}
    table = Table("", *columns, "questions and tickets", title=f"{title}, with Wilson 95 % intervals")
    every: list[rag.AnswerCounts] = [*columns.values(), report]
    rows: list[tuple[str, list[str]]] = [
        *((f"recall@{k}", [_share(counts.recall[k]) for counts in every]) for k in KS),
        ("coverage (answerable, answered)", [_share(counts.coverage) for counts in every]),
        ("answered from the right passage", [_share(counts.right_passage) for counts in every]),
        ("answered with the needle quoted", [_share(counts.right_quote) for counts in every]),
        ("answered from another passage alone", [_share(_elsewhere(counts)) for counts in every]),
        *_gold_answers([counts.gold_answers for counts in every]),
        ("wrong refusals", [_share(counts.wrong_refusals) for counts in every]),
        *(
            (f"lost: {fault.replace('_', ' ')}", [str(counts.faults[fault]) for counts in every])
            for fault in report.faults
        ),
    ]
    for name, cells in rows:
        table.add_row(name, *cells)
    return table


def _gold_answers(every: Sequence[rag.GoldAnswerCounts | None]) -> list[tuple[str, list[str]]]:
    """What needs gold answers; no row where no question has any."""
    if not any(every):
        return []
    return [
        ("a gold answer stands in a cited quote", [_share(gold.quoted) if gold else "–" for gold in every]),
        ("… of the answered", [_share(gold.quoted_of_answered) if gold else "–" for gold in every]),
        ("exact match (SQuAD)", [_share(gold.exact) if gold else "–" for gold in every]),
        ("token F1 (SQuAD), bootstrap", [str(gold.f1) if gold else "–" for gold in every]),
        ("… with gold answers, n", [str(gold.exact.n) if gold else "–" for gold in every]),
    ]


def _bluffs(title: str, report: rag.EvaluationReport) -> Table:
    table = Table("kind", "bluffs", title=title)
    for kind, share in report.bluffs_by_kind.items():
        table.add_row(kind, _share(share))
    table.add_row("all", _share(report.bluffs))
    return table


def _risk(title: str, confident: Sequence[rag.ConfidentAnswer]) -> Table:
    """Coverage within each risk, and risk at each coverage; a risk is told with the confidence that is cut at."""
    curves = [rag.answer_risk(confident), rag.answer_risk(confident, answerable_only=True)]
    table = Table(
        "",
        *(f"{name}, n = {each.n}" for name, each in zip(("all", "answerable only"), curves, strict=True)),
        title=f"{title}: wrong of the answered, Wilson 95 % intervals",
        caption="asked with the gate open; what is answered from another passage or should be refused is wrong",
    )
    for most in RISKS:
        points = [(each, each.at_risk(most)) for each in curves]
        table.add_row(f"coverage at a risk of {most:.0%}", *(_point(each, point) for each, point in points))
    for least in COVERAGES:
        points = [(each, each.at_coverage(least)) for each in curves]
        table.add_row(f"risk at a coverage of {least:.0%}", *(_point(each, point) for each, point in points))
    table.add_row(
        "mean risk over what is reached (AURC)",
        *(f"{each.area:.3f}" if each.points else "–" for each in curves),
    )
    return table


def _point(curve: rag.AnswerRisk, point: rag.RiskPoint | None) -> str:
    if point is None:
        reached = curve.points[-1].coverage if curve.points else 0.0
        return f"not reached (at most {reached:.3f} are answered)"
    wrong = curve.wrong(point)
    return f"coverage {point.coverage:.3f}, risk {_share(wrong)} ({wrong.successes}/{wrong.n}), from {point.score:.3f}"


def _latency(title: str, latency: rag.LatencyReport) -> Table:
    table = Table("stage", "n", "p50 ms", "p95 ms", title=title)
    for stage, value in {**latency.stages, "total": latency.total}.items():
        table.add_row(stage, str(value.n), f"{value.p50_ms:.1f}", f"{value.p95_ms:.1f}")
    return table


def _elsewhere(counts: rag.AnswerCounts) -> rag.Proportion:
    """Answers that cite no passage with the needle: to the reader as bad as a bluff."""
    return rag.Proportion(counts.coverage.successes - counts.right_passage.successes, counts.coverage.n)


def _share(value: rag.Proportion) -> str:
    if not value.n:
        return "–"
    low, high = value.interval
    return f"{value.rate:.3f} [{low:.3f}, {high:.3f}]"


def _test(test: rag.PairedTest) -> str:
    return f"+{test.wins} −{test.losses} p {test.p:.3g}"
