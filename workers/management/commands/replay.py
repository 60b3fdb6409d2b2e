"""`manage.py replay ID`: a recorded question asked again with everything it was asked with."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

import rag
from console import engine
from console.access import Rejected
from console.questions.models import Answer, Question
from console.questions.recording import reranker_fault_of
from console.questions.replaying import Replay, replay_question
from workers.first_start import require_tables
from workers.ownership import DataFolderOwnership


class Command(BaseCommand):
    """Replay a recorded answer."""

    help = (
        "Ask a recorded question again with its folders, index version and thresholds. Exit status 0: the same answer; "
        "1: what differs is printed, with what each was decided without. Nothing is recorded."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which question."""
        parser.add_argument(
            "question", type=UUID, help="its id; the question's page and `ask --json` show it"
        )
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *, question: UUID, **options: Any) -> None:
        """Ask again in this process; it has to own the data folder."""
        require_tables()
        row = Question.objects.filter(pk=question).first()
        if row is None:
            raise CommandError(f"There is no question {question}.")
        owner = DataFolderOwnership()
        if not owner.claim():
            raise CommandError("The running server has the index open; stop it to replay a question.")
        try:
            replay = replay_question(row)
        except Rejected as error:
            raise CommandError(str(error)) from error
        except rag.RagError as error:
            raise CommandError(f"{error.message} {error.next_step}") from error
        finally:
            engine.close()
            owner.release()
        self.stdout.write(
            json.dumps(_as_json(replay), ensure_ascii=False) if options["json"] else _told(replay)
        )
        if replay.differences:
            raise SystemExit(1)


def _told(replay: Replay) -> str:
    on = f"{replay.answer.created_at:%Y-%m-%d %H:%M}"
    lines = [f"{len(replay.differences)} differences from {on}:"]
    if not replay.differences:
        lines = [f"The same: {replay.answer.outcome}, as on {on}."]
    for each in replay.differences:
        lines += [each.what, f"  then: {each.then or '–'}", f"  now:  {each.now or '–'}"]
    if replay.answer.degrades or replay.degrades_now:
        lines += [
            "decided without",
            f"  then: {_without(replay.answer.degrades, _faults_of(replay.answer))}",
            f"  now:  {_without(replay.degrades_now, _faults_now(replay))}",
        ]
    return "\n".join(lines)


def _without(degrades: tuple[rag.Degrade, ...], faults: dict[rag.Degrade, str]) -> str:
    """``rerank (model_missing), verify (out of time)``; a dash where nothing was missing."""
    return ", ".join(f"{each} ({faults.get(each) or 'out of time'})" for each in degrades) or "–"


def _faults_of(answer: Answer) -> dict[rag.Degrade, str]:
    return {rag.Degrade.RERANK: answer.reranker_fault, rag.Degrade.GENERATE: answer.generator_fault}


def _faults_now(replay: Replay) -> dict[rag.Degrade, str]:
    fault = replay.result.generator_fault
    return {
        rag.Degrade.RERANK: reranker_fault_of(replay.result.trace),
        rag.Degrade.GENERATE: fault.code if fault else "",
    }


def _as_json(replay: Replay) -> dict[str, object]:
    return {
        "question": str(replay.question.pk),
        "same": not replay.differences,
        "differences": [
            {"what": each.what, "then": each.then, "now": each.now} for each in replay.differences
        ],
        "degraded": {"then": list(replay.answer.degrades), "now": list(replay.degrades_now)},
    }
