"""`manage.py evaluate`: how well questions find their passages, where the cut belongs, and what is answered."""

from __future__ import annotations

import json
import os
from argparse import ArgumentParser
from collections.abc import Collection
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console

import rag
from console import engine
from workers.evaluation import (
    BeirEvaluation,
    CorpusEvaluation,
    Plan,
    evaluate_collection,
    evaluate_corpus,
)
from workers.evaluation_corpus import Corpus, corpus_of
from workers.evaluation_json import beir_json, corpus_json, settings_json
from workers.evaluation_tables import beir_tables, corpus_tables

WIDTH = 150
"""Columns where the output is no terminal: a row of five figures with their intervals."""


class Command(BaseCommand):
    """Evaluate retrieval, the gate and whole answers on golden sets and BEIR collections."""

    help = (
        "Measure retrieval, the gate and whole answers on the sample handbook and on other folders with golden sets. "
        "Nothing is written to your data."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Corpora with their golden sets, and what to measure on them."""
        parser.add_argument(
            "corpus",
            nargs="*",
            help="sample, or FOLDER=GOLDEN with a folder or ZIP that holds needles.jsonl and, if there are such, "
            "refusals.jsonl and multihop.jsonl; without any, the sample handbook",
        )
        parser.add_argument(
            "--compare",
            default="dense,bm25,hybrid",
            help="dense, bm25, hybrid and reranked, comma separated; without it the first three",
        )
        parser.add_argument(
            "--strategies", default="", help="letters of chunking strategies, comma separated"
        )
        parser.add_argument("--models", default="", help="embedding models to compare, comma separated")
        parser.add_argument("--calibrate", action="store_true", help="sweep the gate's cuts")
        parser.add_argument(
            "--budget", type=float, default=0.1, help="share of bluffs that a cut may let through"
        )
        parser.add_argument(
            "--upper",
            action="store_true",
            help="keep the upper end of the bluffs' interval within the budget",
        )
        parser.add_argument("--end-to-end", action="store_true", help="ask the whole pipeline too")
        parser.add_argument(
            "--risk-coverage",
            action="store_true",
            help="ask the whole pipeline once more with the gate open: risk at each coverage of whole answers",
        )
        parser.add_argument(
            "--beir",
            type=Path,
            action="append",
            default=[],
            help="a BEIR collection, folder or ZIP (corpus.jsonl, queries.jsonl, qrels/test.tsv); may be repeated",
        )
        parser.add_argument(
            "--beir-passages",
            action="store_true",
            help="cut BEIR documents as the product cuts, instead of whole as far as the encoder reads",
        )
        parser.add_argument("--json", type=Path, help="also write all figures to this file")

    def handle(self, *, corpus: list[str], beir: list[Path], **options: Any) -> None:
        """Measure each corpus and collection and print the tables as they are ready."""
        out = Console(highlight=False, width=WIDTH if not os.isatty(1) else None)
        plan = _plan(options)
        entries = corpus or ([] if beir else ["sample"])
        corpora = [corpus_of(entry) for entry in entries]
        for entry in corpora:
            if entry.golden is None:
                raise CommandError(f"{entry.name} has no golden set; write FOLDER=GOLDEN.")
            if plan.calibrate and not (entry.golden.needles and entry.golden.refusals):
                raise CommandError(
                    "--calibrate chooses between questions with a needle and questions to refuse; "
                    f"{entry.name} lacks one side."
                )
        collections = [_collection(path) for path in beir]
        if options["json"] is not None:
            _require_writable(options["json"])
        try:
            measured = [_evaluated(entry, plan, out) for entry in corpora]
            searched = [
                _searched(each, plan, out, whole=not options["beir_passages"]) for each in collections
            ]
        except rag.ModelMissing as error:
            raise CommandError(f"{error.message} {error.next_step}".strip()) from error
        if options["json"] is not None:
            figures = {
                "settings": settings_json(plan, whole_documents=not options["beir_passages"]),
                "corpora": [corpus_json(made) for made in measured],
                "beir": [beir_json(found) for found in searched],
            }
            options["json"].write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
            out.print(f"Figures written to {options['json']}.")


def _evaluated(corpus: Corpus, plan: Plan, out: Console) -> CorpusEvaluation:
    assert corpus.golden is not None  # a corpus without one was refused
    made = evaluate_corpus(corpus, corpus.golden, plan)
    for fault in made.faults:
        out.print(f"{made.corpus}: {fault.id}: {fault.message}")
    for table in corpus_tables(made):
        out.print(table)
    return made


def _searched(beir: rag.BeirSet, plan: Plan, out: Console, *, whole: bool) -> BeirEvaluation:
    found = evaluate_collection(beir, plan.compare, whole=whole)
    for table in beir_tables(found):
        out.print(table)
    return found


def _plan(options: dict[str, Any]) -> Plan:
    if not 0.0 <= options["budget"] <= 1.0:
        raise CommandError("--budget is a share between 0 and 1.")
    return Plan(
        compare=_chosen("--compare", options["compare"], rag.CONFIGURATIONS),
        models=_split(options["models"]) or (engine.config().model,),
        strategies=_chosen("--strategies", options["strategies"] or engine.config().chunking, "ABCDEF"),
        calibrate=options["calibrate"],
        budget=options["budget"],
        bound="upper" if options["upper"] else "rate",
        end_to_end=options["end_to_end"],
        risk_coverage=options["risk_coverage"],
    )


def _require_writable(path: Path) -> None:
    """Said before anything is measured, not an hour later."""
    try:
        path.open("a", encoding="utf-8").close()
    except OSError as error:
        raise CommandError(f"--json {path} cannot be written: {error.strerror}.") from error


def _chosen(option: str, value: str, known: Collection[str]) -> tuple[str, ...]:
    chosen = _split(value)
    unknown = [name for name in chosen if name not in known]
    if unknown or not chosen:
        raise CommandError(f"{option} takes {', '.join(known)}, not {', '.join(unknown) or 'nothing'}.")
    return chosen


def _split(value: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part.strip() for part in value.split(",") if part.strip()))


def _collection(path: Path) -> rag.BeirSet:
    try:
        return rag.read_beir(path)
    except rag.BadInput as error:
        raise CommandError(error.message) from error
