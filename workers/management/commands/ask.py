"""`manage.py ask`: one question on the command line, answered with citations or refused."""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

import rag
from console import engine
from console.access import Rejected
from console.people.models import Role, User
from console.questions import wording
from console.questions.advice import people_to_ask, what_to_do
from console.questions.models import Answer, Citation, Question, QuestionState, Surface
from console.questions.services import answer_of, answer_question, ask_question
from console.sources.selectors import folders_visible_to, n_working_in
from workers.first_start import require_tables
from workers.ownership import DataFolderOwnership

POLL_EVERY_S = 0.1
MAX_STANDSTILL_S = 15.0
"""Files that do not move for this long are not waited for; the answer says how many are missing."""


class Command(BaseCommand):
    """Ask the documents a question."""

    help = "Ask the documents one question and print the cited answer, or the refusal with its reason."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The question, and as whom to ask it."""
        parser.add_argument("question")
        parser.add_argument("--as", dest="username", help="ask as this person (default: the first admin)")
        parser.add_argument("--json", action="store_true", help="print JSON")
        parser.add_argument(
            "--now", action="store_true", help="do not wait for files that are still being read"
        )
        parser.add_argument(
            "--timeout", type=float, default=120.0, help="seconds to wait for the running server"
        )

    def handle(self, *, question: str, username: str | None, timeout: float, **options: Any) -> None:
        """Answer in this process, or let the process that owns the data folder do it."""
        require_tables()
        asker = _asker(username)
        owner = DataFolderOwnership()
        is_owner = owner.claim()
        if not is_owner and not options["now"]:
            _wait_for_documents(asker)
        try:
            row = ask_question(actor=asker, text=question, surface=Surface.CLI)
            if is_owner:
                answer_question(str(row.pk))
            else:
                _wait(row, timeout)
        except Rejected as error:
            raise CommandError(str(error)) from error
        except rag.RagError as error:
            raise CommandError(f"{error.message} {error.next_step}") from error
        finally:
            if is_owner:
                engine.close()
                owner.release()
        answer = answer_of(row)
        if answer is None:
            raise CommandError(
                "The question is still pending. Is a worker running? `manage.py doctor` looks."
            )
        if options["json"]:
            self.stdout.write(json.dumps(_as_json(answer), ensure_ascii=False, indent=2))
        else:
            _print(answer)


def _asker(username: str | None) -> User:
    people = User.objects.filter(is_active=True).order_by("pk")
    asker = people.filter(username=username).first() if username else people.filter(role=Role.ADMIN).first()
    if asker is None:
        raise CommandError(
            f"There is no active person named {username}; the console's page People lists them."
            if username
            else "Nobody exists yet; run `make run` first."
        )
    return asker


def _wait_for_documents(asker: User) -> None:
    """Right after a first start the sample is still being read; an answer before that is a wrong refusal."""
    folder_ids = list(folders_visible_to(asker).values_list("pk", flat=True))
    n_due = n_left = n_working_in(folder_ids)
    deadline = time.monotonic() + MAX_STANDSTILL_S
    with Progress(
        TextColumn("files still being read"), BarColumn(), MofNCompleteColumn(), transient=True
    ) as progress:
        bar = progress.add_task("", total=n_due, visible=n_due > 0)
        while n_left and time.monotonic() < deadline:
            time.sleep(POLL_EVERY_S)
            n_before, n_left = n_left, n_working_in(folder_ids)
            if n_left < n_before:
                deadline = time.monotonic() + MAX_STANDSTILL_S
            progress.update(bar, completed=max(0, n_due - n_left))


def _wait(question: Question, timeout_s: float) -> None:
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        question.refresh_from_db(fields=["state"])
        if not question.is_pending:
            return
        time.sleep(POLL_EVERY_S)


def _print(answer: Answer) -> None:
    out = Console(highlight=False)
    if answer.outcome == QuestionState.ANSWERED:
        for line in _told(answer):
            out.print(Text(line))
        for line in wording.unanswered_lines(answer):
            out.print(Text(line))
        _print_premise(answer, out)
        _print_degraded(answer, out)
        _print_sources(answer, out)
        return
    if answer.outcome == QuestionState.REFUSED:
        if answer.reason_code == rag.RefusalReason.ROUTED_NO_RETRIEVAL:
            out.print(Text(answer.reason))
            return
        out.print(Text("I can't answer that from the documents.", style="bold"))
        out.print(Text(f"{answer.reason} ({answer.reason_code})"))
        _print_degraded(answer, out)
        _print_premise(answer, out)
        for near in answer.nearest[:1]:
            is_relevance = answer.gate_score == "relevance"
            closest = wording.closest(
                near["title"],
                near["label"],
                score=near[answer.gate_score],
                cut=answer.cut or 0.0,
                is_relevance=is_relevance,
            )
            out.print(Text(closest))
        if answer.n_unreadable:
            out.print(Text(wording.unreadable_sentence(answer.unreadable)))
        for step in what_to_do(answer, people_to_ask(answer.folder_ids)):
            out.print(Text(f"→ {step}"))
        if answer.contradicted:
            _print_sources(answer, out)
        return
    out.print(Text(answer.reason, style="bold"))
    if answer.error_reference:
        out.print(Text(f"Reference {answer.error_reference}; the log has more."))


def _print_premise(answer: Answer, out: Console) -> None:
    if note := wording.premise_note(answer):
        out.print(Text(note))


def _print_degraded(answer: Answer, out: Console) -> None:
    if note := wording.degraded_note(answer):
        out.print(Text(note))


def _print_sources(answer: Answer, out: Console) -> None:
    out.print(Text("\nSources", style="bold"))
    for citation in answer.citations.all():
        place = f"{citation.document_title} › {citation.label}" if citation.label else citation.document_title
        out.print(Text(f"[{citation.number}] {place} ({citation.document_name}, {_score(citation)})"))
        out.print(Text(f"    “{citation.quote}”", style="dim"))


def _told(answer: Answer) -> list[str]:
    """The sentences, each document's own words after its name; and which documents do not agree."""
    if not answer.is_quoted:
        return [answer.text]
    citations = {citation.number: citation for citation in answer.citations.all()}
    lines: list[str] = []
    last = ""
    for sentence in answer.sentences:
        title = citations[sentence["citations"][0]].document_title
        if title != last:
            lines.append(wording.according_to(title))
        numbers = "".join(f" [{n}]" for n in sentence["citations"])
        told = (wording.gap_before(sentence), f"{sentence['text']}{numbers}", wording.list_note(sentence))
        lines.append(" ".join(part for part in told if part))
        last = title
    if answer.conflicting_numbers:
        lines.append(wording.DISAGREE)
        lines += [f"  [{n}] {citations[n].document_title}" for n in answer.conflicting_numbers]
    return lines


def _score(citation: Citation) -> str:
    if citation.relevance is None:
        return f"distance {citation.distance:.2f}"
    return f"relevance {citation.relevance:.2f}"


def _as_json(answer: Answer) -> dict[str, object]:
    return {
        "question": str(answer.question_id),
        "outcome": answer.outcome,
        "sentences": answer.sentences,
        "citations": [
            {
                "number": c.number,
                "document": c.document_name,
                "label": c.label,
                "start": c.start,
                "end": c.end,
                "quote": c.quote,
                "distance": c.distance,
                "relevance": c.relevance,
            }
            for c in answer.citations.all()
        ],
        "reason_code": answer.reason_code,
        "reason": answer.reason,
        "gate_score": answer.gate_score,
        "best_relevance": answer.best_relevance,
        "relevance_cut": answer.relevance_cut,
        "best_distance": answer.best_distance,
        "distance_cut": answer.distance_cut,
        "min_support": answer.min_support,
        "contradicted": answer.contradicted,
        "unanswered": answer.unanswered,
        "generator": answer.generator,
        "generator_fault": answer.generator_fault,
        "degraded": list(answer.degrades),
        "reranker_fault": answer.reranker_fault,
        "nearest": answer.nearest,
        "unreadable": answer.unreadable,
        "what_you_can_do": what_to_do(answer, people_to_ask(answer.folder_ids)),
        "elapsed_ms": answer.elapsed_ms,
        "stages": answer.trace.get("stages", []),
    }
