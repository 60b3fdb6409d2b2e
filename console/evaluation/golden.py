"""Golden questions as rows and as the core knows them."""

from __future__ import annotations

from collections.abc import Iterable

import rag
from console.evaluation.models import EvaluationRun, GoldenKind, GoldenQuestion, GoldenSet

GoldenRow = rag.GoldenNeedle | rag.GoldenRefusal | rag.GoldenMultihop


def golden_of(golden_set: GoldenSet) -> rag.GoldenSet:
    """The set as the core knows it, its rows in the order in which they were added."""
    return golden_of_rows(golden_set.name, golden_set.questions.order_by("pk"))


def golden_of_rows(name: str, rows: Iterable[GoldenQuestion]) -> rag.GoldenSet:
    """Any rows as one set."""
    found = [row_of(row) for row in rows]
    return rag.GoldenSet(
        name=name,
        needles=tuple(row for row in found if isinstance(row, rag.GoldenNeedle)),
        refusals=tuple(row for row in found if isinstance(row, rag.GoldenRefusal)),
        multihop=tuple(row for row in found if isinstance(row, rag.GoldenMultihop)),
    )


def golden_of_run(run: EvaluationRun) -> rag.GoldenSet:
    """The questions of a run as they were when it started."""
    return rag.golden_set_of(run.golden_files, name=run.golden_set.name)


def row_of(row: GoldenQuestion) -> GoldenRow:
    """One row as the core knows it."""
    if row.kind == GoldenKind.REFUSAL:
        return rag.GoldenRefusal(row.key, row.refusal_kind, row.question, row.why)
    places = tuple(rag.NeedlePlace(document, needle) for document, needle in row.places)
    if row.kind == GoldenKind.MULTIHOP:
        return rag.GoldenMultihop(row.key, row.question, places, tuple(row.answers))
    return rag.GoldenNeedle(
        row.key, places[0].document, places[0].needle, row.question, row.ticket, tuple(row.answers)
    )


def fields_of(row: GoldenRow) -> dict[str, object]:
    """The fields of a `GoldenQuestion` with this row's content."""
    blank: dict[str, object] = {"ticket": "", "needles": [], "answers": [], "refusal_kind": "", "why": ""}
    if isinstance(row, rag.GoldenRefusal):
        return blank | {
            "kind": GoldenKind.REFUSAL,
            "question": row.question,
            "refusal_kind": row.kind,
            "why": row.why,
        }
    if isinstance(row, rag.GoldenMultihop):
        needles = [{"document": place.document, "needle": place.needle} for place in row.needles]
        return blank | {
            "kind": GoldenKind.MULTIHOP,
            "question": row.question,
            "needles": needles,
            "answers": list(row.answers),
        }
    return blank | {
        "kind": GoldenKind.NEEDLE,
        "question": row.question,
        "ticket": row.ticket,
        "needles": [{"document": row.document, "needle": row.needle}],
        "answers": list(row.answers),
    }


def single(row: GoldenRow) -> rag.GoldenSet:
    """A set of one row."""
    if isinstance(row, rag.GoldenRefusal):
        return rag.GoldenSet(name="", refusals=(row,))
    if isinstance(row, rag.GoldenMultihop):
        return rag.GoldenSet(name="", multihop=(row,))
    return rag.GoldenSet(name="", needles=(row,))


def rows_of(golden: rag.GoldenSet) -> tuple[GoldenRow, ...]:
    """Every row: needles, those with several, then questions to refuse."""
    return (*golden.needles, *golden.multihop, *golden.refusals)
