"""Two runs of one set by pairs: only questions that both asked in the same words count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import rag
from console.evaluation.models import EvaluatedQuestion, EvaluationRun
from console.evaluation.report import PairedRow, ended, evaluated_of, paired_rows, retrieval_reports
from console.sources.models import Folder

Pairs = list[tuple[EvaluatedQuestion, EvaluatedQuestion]]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Sign tests between two runs.

    Attributes:
        n_pairs: questions that both runs asked in the same words.
        n_single: questions that only one of them asked, or in other words.
        tests: of whole answers, then of retrieval, under each configuration that both measured; a win is a right
            passage, a kept refusal, a needle found. Those without any difference are left out: `n_alike` of them.
        changed: questions whose outcome is another now, with what it was and is.
        settings: what each run measured with, so that a difference is not laid to the wrong cause.
    """

    first: EvaluationRun
    second: EvaluationRun
    n_pairs: int
    n_single: int
    tests: tuple[tuple[str, PairedRow], ...]
    n_alike: int
    changed: tuple[ChangedQuestion, ...]
    settings: tuple[RunSetting, ...]


@dataclass(frozen=True, slots=True)
class RunSetting:
    """One thing that both runs were measured with, as it is shown."""

    name: str
    first: str
    second: str

    @property
    def differs(self) -> bool:
        """True where it may be the cause of a difference."""
        return self.first != self.second


@dataclass(frozen=True, slots=True)
class ChangedQuestion:
    """A question that ended otherwise under one configuration."""

    configuration: str
    key: str
    group: str
    question: str
    before: str
    after: str
    is_better: bool


def compare_runs(first: EvaluationRun, second: EvaluationRun) -> Comparison:
    """Where `first` alone is right (wins) and where `second` alone is (losses)."""
    ours, theirs = evaluated_of(first), evaluated_of(second)
    known = {_identity(row): row for row in theirs}
    pairs: Pairs = [(row, known[_identity(row)]) for row in ours if _identity(row) in known]
    names = [name for name in first.configurations if name in second.configurations]
    tests = [
        *((name, row) for name in names for row in _answers(name, pairs, (str(first), str(second)))),
        *_retrieval(first, second, pairs),
    ]
    return Comparison(
        first=first,
        second=second,
        n_pairs=len(pairs),
        n_single=len(ours) + len(theirs) - 2 * len(pairs),
        tests=tuple(each for each in tests if each[1].test.wins or each[1].test.losses),
        n_alike=sum(not each[1].test.wins and not each[1].test.losses for each in tests),
        changed=tuple(change for name in names for change in _changes(name, pairs)),
        settings=tuple(
            RunSetting(name, shown, other)
            for (name, shown), other in zip(_settings(first).items(), _settings(second).values(), strict=True)
        ),
    )


def _settings(run: EvaluationRun) -> dict[str, str]:
    folders = Folder.objects.filter(pk__in=run.folder_ids).order_by("name").values_list("name", flat=True)
    return {
        "Index": f"v{run.index_version_id} {run.index_version.model_name}",
        "Relevance cut": f"{run.relevance_cut:.4g}",
        "Distance cut": f"{run.distance_cut:.4g}",
        "Most passages": str(run.max_chunks),
        "Reranker": run.reranker or "none",
        "Folders": ", ".join(folders),
        "Documents": run.documents_id or "not recorded",
        "Questions": run.golden_id,
        "Note": run.note or "none",
    }


def _identity(row: EvaluatedQuestion) -> tuple[str, str, str]:
    return row.key, row.group, row.question


def _retrieval(first: EvaluationRun, second: EvaluationRun, pairs: Pairs) -> list[tuple[str, PairedRow]]:
    # Another number of needles is another question.
    alike = [
        (one, other)
        for one, other in pairs
        if all(len(one.ranks[name]) == len(other.ranks[name]) for name in one.ranks if name in other.ranks)
    ]
    ours = retrieval_reports(first, [one for one, _ in alike])
    theirs = {r.configuration.name: r for r in retrieval_reports(second, [other for _, other in alike])}
    return [
        (report.configuration.name, row)
        for report in ours
        if report.configuration.name in theirs
        for row in paired_rows(report, theirs[report.configuration.name])
    ]


def _answers(name: str, pairs: Pairs, labels: tuple[str, str]) -> list[PairedRow]:
    both = [(one, other) for one, other in pairs if name in one.outcomes and name in other.outcomes]
    rows = []
    for group in dict.fromkeys(one.group for one, _ in both):
        within = [(one, other) for one, other in both if one.group == group]
        must_refuse = within[0][0].must_refuse
        holds = _refuses(name) if must_refuse else _is_right(name)
        what = "refused" if must_refuse else "right passage"
        rows.append(PairedRow(what, group, _sign(within, holds, labels)))
    return rows


def _sign(
    pairs: Sequence[tuple[EvaluatedQuestion, EvaluatedQuestion]],
    holds: Callable[[EvaluatedQuestion], bool],
    labels: tuple[str, str],
) -> rag.PairedTest:
    values = [(holds(one), holds(other)) for one, other in pairs]
    wins = sum(one and not other for one, other in values)
    losses = sum(other and not one for one, other in values)
    return rag.PairedTest(*labels, wins, losses, len(values) - wins - losses)


def _is_right(name: str) -> Callable[[EvaluatedQuestion], bool]:
    return lambda row: bool(row.outcomes[name]["right_passage"])


def _refuses(name: str) -> Callable[[EvaluatedQuestion], bool]:
    return lambda row: not row.outcomes[name]["answered"]


def _changes(name: str, pairs: Pairs) -> list[ChangedQuestion]:
    changes = []
    for one, other in pairs:
        if name not in one.outcomes or name not in other.outcomes:
            continue
        holds = _refuses(name) if one.must_refuse else _is_right(name)
        after, before = holds(one), holds(other)
        if after != before:
            changes.append(
                ChangedQuestion(
                    configuration=name,
                    key=one.key,
                    group=one.group,
                    question=one.question,
                    before=ended(other, name),
                    after=ended(one, name),
                    is_better=after,
                )
            )
    return changes
