"""A run's way: frozen questions → slices of a few → results; killed it goes on, or ends failed with a reason."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Sequence
from datetime import timedelta

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, Q
from django.utils import timezone

import rag
from console import engine, queue, sockets
from console.access import Rejected, require_support_lead
from console.audit.services import record
from console.evaluation.files import faults_of_row
from console.evaluation.golden import GoldenRow, golden_of, golden_of_run, rows_of
from console.evaluation.measuring import RERANKED, Instrument
from console.evaluation.models import LIVE_STATES, EvaluatedQuestion, EvaluationRun, GoldenSet, RunState
from console.evaluation.selectors import documents_fingerprint
from console.index.selectors import active_version, live_versions, threshold_in_force
from console.people.models import User
from console.questions.models import PENDING_STATES, Question
from console.sources.models import SEARCHABLE_STATES, Document

log = logging.getLogger(__name__)

MAX_CLAIMS = 3
"""A run whose worker died this often without a step forward ends failed."""
DIED = f"Its worker died {MAX_CLAIMS} times at the same question. Start it again; the log says more."
DOCUMENTS_CHANGED = (
    "Documents of its folders changed while it ran: some questions were asked of the old ones. "
    "Run it again to compare."
)
REQUEUE_AFTER = timedelta(minutes=5)
"""A waiting run whose message may have been lost with the broker is sent again after this."""
SLICE_ROWS = 4
SLICE_S = 5.0
"""A slice ends after this many rows or seconds, so that documents that wait for the same worker get their turn."""
STEP_ASIDE_S = 5.0
"""The most that a row waits while somebody's question is being answered."""


def start_run(*, actor: User | None, golden_set: GoldenSet) -> EvaluationRun:
    """Queue a run of the set as it is now on the active index version.

    Raises:
        NotPermitted: the actor is no support lead.
        Rejected: the set is empty or runs already, a question of it cannot be asked, or there is no index.
    """
    require_support_lead(actor)
    golden = golden_of(golden_set)
    rows = rows_of(golden)
    if not rows:
        raise Rejected("golden_set_empty", "The set has no question yet. Add some, or import a file.")
    _require_askable(rows)
    version = active_version()
    setting = threshold_in_force(version) if version else None
    if version is None or setting is None:
        raise Rejected("index_not_ready", "There is no index yet, so there is nothing to evaluate.")
    folder_ids = sorted(golden_set.folders.values_list("pk", flat=True))
    try:
        with transaction.atomic():
            run = EvaluationRun.objects.create(
                golden_set=golden_set,
                golden_id=golden.fingerprint,
                golden_files=rag.golden_files(golden),
                folder_ids=folder_ids,
                documents_id=documents_fingerprint(folder_ids),
                index_version=version,
                configurations=list(rag.CONFIGURATIONS),
                distance_cut=setting.distance_cut,
                relevance_cut=setting.relevance_cut,
                max_chunks=setting.max_chunks,
                n_total=len(rows),
                n_needles=len(golden.places),
                started_by=actor,
            )
            record(actor=actor, action="evaluation.start", subject=golden_set.name, run=run.pk)
            _send(run.pk)
    except IntegrityError as error:
        raise Rejected("run_is_live", "A run of this set is under way. Wait for it, or cancel it.") from error
    _tell(run)
    return run


def _require_askable(rows: Sequence[GoldenRow]) -> None:
    """Told now, with its id: a row that was stored by an earlier release would end the run after its first slice."""
    for row in rows:
        if faults := faults_of_row(row, engine.config().max_question_chars):
            raise Rejected("golden_question_faulty", f"Mend {row.id} first. {' '.join(faults)}")


def cancel_run(*, actor: User | None, run: EvaluationRun) -> EvaluationRun:
    """End a run that is queued or running; what was measured so far stays, but is no result.

    Raises:
        NotPermitted: the actor is no support lead.
        Rejected: it has ended already.
    """
    require_support_lead(actor)
    with transaction.atomic():
        current = EvaluationRun.objects.select_for_update().get(pk=run.pk)
        if not current.is_live:
            raise Rejected("run_has_ended", "This run has ended already.")
        _end(current, RunState.CANCELLED)
        record(actor=actor, action="evaluation.cancel", subject=run.golden_set.name, run=run.pk)
    return current


def evaluate_slice(run_id: int) -> EvaluationRun | None:
    """Ask the next few questions of a run and queue the slice after it; None if nobody has to, or another does.

    Raises:
        rag.Unavailable: something is away; the sweep sends the run again after a pause, until no try is left.
    """
    run = _claim(run_id)
    if run is None:
        return None
    try:
        return _work(run)
    except rag.Unavailable as error:
        if run.n_claims < MAX_CLAIMS:
            pause = timedelta(seconds=4**run.n_claims)
            EvaluationRun.objects.filter(pk=run.pk).update(lease_until=timezone.now() + pause)
            raise
        return _fail(run, error.code, error.message)
    except rag.RagError as error:
        log.error("run %s: %s (%s)", run.pk, error.message, error.code)  # noqa: TRY400 - known, no trace
        return _fail(run, error.code, f"{error.message} {error.next_step}".strip())
    except Exception:
        reference = secrets.token_hex(4).upper()
        log.exception("run %s broke, reference %s", run.pk, reference)
        return _fail(run, "broken", "Something failed on our side. Start it again.", reference=reference)


def pick_up_pending(*, at_start: bool = False) -> int:
    """Queue runs that wait without a live claim; gives back how many.

    `at_start` voids the claims of an earlier process (embedded mode, where one process owns the work).
    """
    now = timezone.now()
    waiting = EvaluationRun.objects.filter(state__in=LIVE_STATES)
    if at_start:
        waiting.update(lease_until=None, queued_at=None)
    waiting = waiting.filter(
        Q(lease_until=None) | Q(lease_until__lt=now),
        Q(queued_at=None) | Q(queued_at__lt=now - REQUEUE_AFTER),
    )
    ids = list(waiting.values_list("pk", flat=True))
    for run_id in ids:
        _send(run_id)
    return len(ids)


def _send(run_id: int) -> None:
    EvaluationRun.objects.filter(pk=run_id).update(queued_at=timezone.now())
    queue.evaluate_slice(run_id)


def _claim(run_id: int) -> EvaluationRun | None:
    now = timezone.now()
    with transaction.atomic():
        run = (
            EvaluationRun.objects.select_for_update()
            .filter(pk=run_id, state__in=LIVE_STATES)
            .filter(Q(lease_until=None) | Q(lease_until__lt=now))
            .first()
        )
        if run is None:
            return None
        if run.n_claims >= MAX_CLAIMS:
            _fail(run, "worker_died", DIED)
            return None
        run.n_claims += 1
        run.state = RunState.RUNNING
        run.started_at = run.started_at or now
        run.queued_at = None
        run.lease_until = now + timedelta(seconds=settings.INGEST_LEASE_S)
        run.save(update_fields=["n_claims", "state", "started_at", "queued_at", "lease_until"])
    return run


def _work(run: EvaluationRun) -> EvaluationRun | None:
    if not live_versions().filter(pk=run.index_version_id).exists():
        return _fail(run, "version_gone", f"Index version {run.index_version_id} serves no more.")
    reranker = _reranker(run)
    serving = reranker.name if reranker else ""
    if run.n_done and serving != run.reranker:
        reason = f"It began with the reranker {run.reranker or 'none'}; {serving or 'none'} serves now. Start it again."
        return _fail(run, "reranker_changed", reason)
    if serving != run.reranker:
        run.reranker = serving
        run.save(update_fields=["reranker"])
    instrument = Instrument(
        index=engine.index_of(run.index_version),
        scope=rag.Scope(folder_ids=tuple(run.folder_ids)),
        thresholds=rag.Thresholds(run.distance_cut, run.max_chunks, run.relevance_cut),
        configurations=tuple(run.configurations),
        reranker=reranker,
        generator=engine.generator(),
        support=engine.support(),
    )
    golden = golden_of_run(run)
    if run.destroyed is None:
        run.destroyed = _destroyed(golden, instrument.index, run.folder_ids)
        EvaluationRun.objects.filter(pk=run.pk).update(destroyed=run.destroyed)
    known = set(EvaluatedQuestion.objects.filter(run=run).values_list("key", flat=True))
    due = [row for row in rows_of(golden) if row.id not in known]
    deadline = time.monotonic() + SLICE_S
    for row in due[:SLICE_ROWS]:
        step_aside()
        if not _keep(run, instrument.measure(row)):
            return None
        if time.monotonic() > deadline:
            break
    return _go_on(run)


def _reranker(run: EvaluationRun) -> rag.Reranker | None:
    """The reranker that serves now, or None; where there was none from the beginning, the reason is noted."""
    if RERANKED not in run.configurations:
        return None
    reranker, note = None, "There is no reranker, so nothing was reranked."
    try:
        reranker = engine.reranker()
    except rag.ModelMissing as error:
        note = f"Nothing was reranked: {error.message}"
    if reranker is None and not run.n_done:
        run.configurations = [name for name in run.configurations if name != RERANKED]
        run.note = note[:300]
        run.save(update_fields=["configurations", "note"])
    return reranker


def _destroyed(golden: rag.GoldenSet, index: rag.Index, folder_ids: Sequence[int]) -> list[str]:
    """Keys of needles that no passage holds whole, looked for in the documents that the set names."""
    named = {place.document for _, place in golden.places}
    documents = Document.objects.filter(
        deleted_at=None, state__in=SEARCHABLE_STATES, folder_id__in=folder_ids, name__in=named
    )
    chunks = [
        chunk
        for document_id in documents.values_list("pk", flat=True)
        for chunk in rag.chunks_of_document(index, document_id)
    ]
    return list(dict.fromkeys(rag.needles_destroyed(chunks, golden.places)))


def step_aside() -> None:
    """Wait while somebody's question is pending, but not for long."""
    deadline = time.monotonic() + STEP_ASIDE_S
    while time.monotonic() < deadline and Question.objects.filter(state__in=PENDING_STATES).exists():
        time.sleep(0.05)


def _keep(run: EvaluationRun, results: list[EvaluatedQuestion]) -> bool:
    """Write one row's results; False when the run was ended meanwhile."""
    with transaction.atomic():
        current = EvaluationRun.objects.select_for_update().filter(pk=run.pk).first()
        if current is None or not current.is_live:
            return False
        for result in results:
            result.run = current
        EvaluatedQuestion.objects.bulk_create(results)
        current.n_done = F("n_done") + 1
        current.n_claims = 0
        current.lease_until = timezone.now() + timedelta(seconds=settings.INGEST_LEASE_S)
        current.save(update_fields=["n_done", "n_claims", "lease_until"])
    return True


def _go_on(run: EvaluationRun) -> EvaluationRun:
    with transaction.atomic():
        current = EvaluationRun.objects.select_for_update().get(pk=run.pk)
        if not current.is_live:
            return current
        if current.n_done >= current.n_total:
            if documents_fingerprint(current.folder_ids) != current.documents_id:
                current.note = f"{DOCUMENTS_CHANGED} {current.note}".strip()[:300]
            return _end(current, RunState.DONE)
        current.lease_until = None
        current.save(update_fields=["lease_until"])
        _send(current.pk)
        _tell(current)
    return current


def _fail(run: EvaluationRun, code: str, reason: str, *, reference: str = "") -> EvaluationRun:
    with transaction.atomic():
        current = EvaluationRun.objects.select_for_update().get(pk=run.pk)
        if not current.is_live:
            return current
        current.reason_code, current.reason, current.error_reference = code, reason[:500], reference
        return _end(current, RunState.FAILED)


def _end(run: EvaluationRun, state: RunState) -> EvaluationRun:
    run.state, run.finished_at, run.lease_until = state, timezone.now(), None
    run.save()
    _tell(run)
    return run


def _tell(run: EvaluationRun) -> None:
    sockets.publish(
        sockets.EVALUATIONS,
        kind="run",
        id=run.pk,
        set=run.golden_set_id,
        state=run.state,
        done=run.n_done,
        total=run.n_total,
    )
