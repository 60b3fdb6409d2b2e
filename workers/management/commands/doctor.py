"""`manage.py doctor`: look at everything Footnote needs and say what to do where something is missing."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import connection
from rich.console import Console
from rich.text import Text

import rag
from bot.doctor import check_slack
from console import engine
from console.celery import app
from console.evaluation.drift import drifts_of
from console.index.models import DocumentIndex, IndexVersion
from console.index.selectors import active_version, threshold_in_force
from console.people.models import Role, User
from console.questions.models import PENDING_STATES, Question
from console.questions.selectors import generator_faults, reranker_faults
from console.sources.models import ATTENTION_STATES, WORKING_STATES, Document
from workers.first_start import n_migrations_due
from workers.ownership import DataFolderOwnership

PROBE_TIME_S = 30.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at. `next_step` is empty when nothing has to be done."""

    is_good: bool
    what: str
    next_step: str = ""


class Command(BaseCommand):
    """Check the installation."""

    help = "Check settings, database, model, index, queue and Slack; every fault comes with its next step."

    def handle(self, **_: Any) -> None:
        """Print a line a finding; the exit status is 1 when something is wrong."""
        out = Console(highlight=False)
        n_bad = 0
        checks = [
            _settings,
            _database,
            _people,
            _model,
            _reranker,
            _answering,
            _index,
            _documents,
            _queue,
            _slack,
        ]
        if n_migrations_due():
            del checks[2:]  # the others read tables
        for check in checks:
            for finding in _guarded(check):
                n_bad += not finding.is_good
                mark = Text("ok   ", style="green") if finding.is_good else Text("FAULT", style="bold red")
                out.print(mark, Text(finding.what))
                if finding.next_step:
                    out.print(Text(f"      → {finding.next_step}"))
        engine.close()
        if n_bad:
            raise SystemExit(1)


def _guarded(check: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """One check that breaks must not hide the others."""
    try:
        yield from check()
    except rag.RagError as error:
        yield Finding(False, error.message, error.next_step)
    except Exception as error:  # noqa: BLE001 - this is the tool that reports whatever is wrong
        yield Finding(
            False, f"{check.__name__.strip('_')}: {type(error).__name__}: {error}", "See the message above."
        )


def _settings() -> Iterator[Finding]:
    yield Finding(True, f"Python {platform.python_version()}, {settings.MODE} mode, data in {settings.HOME}")


def _database() -> Iterator[Finding]:
    n_due = n_migrations_due()
    if n_due:
        yield Finding(
            False, f"{n_due} migrations are not applied.", "Run `manage.py migrate` (or `make run`)."
        )
    else:
        yield Finding(True, f"database {connection.vendor}, all migrations applied")


def _people() -> Iterator[Finding]:
    if User.objects.filter(role=Role.ADMIN, is_active=True).exists():
        count = User.objects.count()
        yield Finding(True, f"{count} {'person' if count == 1 else 'people'}, an admin among them")
    else:
        yield Finding(False, "There is no admin.", "Run `make run` once, or `manage.py createsuperuser`.")


def _model() -> Iterator[Finding]:
    model = engine.embedder(settings.EMBEDDING_MODEL).model
    yield Finding(
        True, f"model {model.name}, revision {model.revision}, {model.dimension} dimensions, unit vectors"
    )


def _reranker() -> Iterator[Finding]:
    """It is there and reads, for the one that the cut was set for; and how often it did not lately."""
    if faults := reranker_faults().n:
        yield Finding(
            True, f"{faults} questions of the last 24 hours were decided without the reranker, which failed"
        )
    reranker = engine.reranker()
    if reranker is None:
        yield Finding(True, "no reranker; the gate compares distances")
        return
    rag.probe_reranker(reranker)
    yield Finding(True, f"reranker {reranker.name}")
    version = active_version()
    setting = threshold_in_force(version) if version else None
    for drift in drifts_of(setting) if setting else []:
        step = "Calibrate on the page Evaluation, or set the cut on the page Thresholds."
        yield Finding(not drift.is_fault, drift.text, step if drift.is_fault else "")


def _answering() -> Iterator[Finding]:
    support, generator = engine.support(), engine.generator()
    if generator is None:
        yield Finding(True, "answers by quoting")
    else:
        yield from _generator(generator)
    if support is not None:
        yield Finding(True, f"support model {support.name}")
    elif generator is not None:
        yield Finding(
            False,
            "A language model writes, and no support model checks it: only what it quotes verbatim gets through.",
            "Unset FOOTNOTE_SUPPORT.",
        )


def _generator(generator: rag.Generator) -> Iterator[Finding]:
    """One small question to the language model, and what it could not write lately."""
    try:
        seconds = rag.probe_generator(generator, time_limit_s=PROBE_TIME_S)
    except rag.RagError as error:
        message = (
            f"{generator.name} does not write: {error.message} Passages are quoted instead. ({error.code})"
        )
        yield Finding(False, message, error.next_step or "Ask again later; see the model server's log.")
    else:
        yield Finding(True, f"answers by {generator.name}, which takes {seconds:.1f} s for a small one")
    if faults := generator_faults().n:
        yield Finding(
            True, f"{faults} answers of the last 24 hours were quoted because it could not write them"
        )


def _index() -> Iterator[Finding]:
    version = active_version()
    if version is None:
        yield Finding(True, "no index version yet; the first document or question makes one")
        return
    owner = DataFolderOwnership()
    if settings.IS_EMBEDDED and not owner.claim():
        yield Finding(
            True, f"index {version} is open in the running server; stop it to check the index itself"
        )
        return
    try:
        yield from _reconcile(version)
    finally:
        engine.close()
        owner.release()


def _reconcile(version: IndexVersion) -> Iterator[Finding]:
    """Database, vectors and lexical index must count the same, document by document."""
    index = engine.index_of(version)
    rag.probe_index(index)
    total = rag.count_chunks(index)
    unequal = []
    n_expected = 0
    for stamp in DocumentIndex.objects.filter(version=version).select_related("document"):
        counts = rag.count_chunks(index, document_id=stamp.document_id)
        n_expected += stamp.n_vectors
        if not counts.vectors == counts.lexical == stamp.n_vectors == stamp.n_lexical:
            unequal.append(stamp.document.name)
    if unequal:
        yield Finding(
            False,
            f"{len(unequal)} documents count differently in database, vectors and lexical index: "
            f"{', '.join(unequal[:5])}",
            "Upload them again, or delete and upload them.",
        )
    elif not total.vectors == total.lexical == n_expected:
        yield Finding(
            False,
            f"The database knows {n_expected} chunks, the vectors {total.vectors}, the lexical index {total.lexical}.",
            "Chunks of deleted documents are left; run `manage.py doctor` again in a minute.",
        )
    else:
        yield Finding(
            True, f"index {version}: {total.vectors} chunks in database, vectors and lexical index alike"
        )


def _documents() -> Iterator[Finding]:
    alive = Document.objects.filter(deleted_at=None)
    n_attention = alive.filter(state__in=ATTENTION_STATES).count()
    n_working = alive.filter(state__in=WORKING_STATES).count()
    n_pending = Question.objects.filter(state__in=PENDING_STATES).count()
    yield Finding(
        True, f"{alive.count()} documents, {n_working} in work, {n_attention} to look at (page Failed)"
    )
    yield Finding(True, f"{n_pending} questions pending")
    owner = DataFolderOwnership()
    if (n_working or n_pending) and owner.claim():
        owner.release()
        what = f"{n_working} files and {n_pending} questions wait, and nothing works on them."
        yield Finding(False, what, "Run `make run`.")


def _queue() -> Iterator[Finding]:
    if settings.IS_EMBEDDED:
        yield Finding(True, "queue in this process")
        return
    with app.connection_for_read() as broker:
        broker.ensure_connection(max_retries=1, timeout=3)
    replies = app.control.inspect(timeout=2).ping()
    if replies:
        yield Finding(True, f"queue reached, {len(replies)} workers answer")
    else:
        yield Finding(
            False, "The queue is there, but no worker answers.", "Start one: `celery -A console worker -B`."
        )


def _slack() -> Iterator[Finding]:
    for is_good, what, next_step in check_slack():
        yield Finding(is_good, what, next_step)
