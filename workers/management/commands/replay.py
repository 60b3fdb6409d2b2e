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
from console.questions.models import Question
from console.questions.replaying import Replay, replay_question
from workers.first_start import require_tables
from workers.ownership import DataFolderOwnership


class Command(BaseCommand):
    """Replay a recorded answer."""

    help = (
        "Ask a recorded question again with its folders, index version and thresholds. Exit status 0: the same answer; "
        "1: what differs is printed. Nothing is stored."
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
    if not replay.differences:
        return f"The same: {replay.answer.outcome}, as on {replay.answer.created_at:%Y-%m-%d %H:%M}."
    lines = [f"{len(replay.differences)} differences from {replay.answer.created_at:%Y-%m-%d %H:%M}:"]
    for each in replay.differences:
        lines += [each.what, f"  then: {each.then or '–'}", f"  now:  {each.now or '–'}"]
    return "\n".join(lines)


def _as_json(replay: Replay) -> dict[str, object]:
    return {
        "question": str(replay.question.pk),
        "same": not replay.differences,
        "differences": [
            {"what": each.what, "then": each.then, "now": each.now} for each in replay.differences
        ],
    }
