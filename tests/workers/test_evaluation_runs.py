"""A golden set through the tasks: the real index, the real queue's messages, the real model."""

from __future__ import annotations

from pathlib import Path

import pytest

import rag
from console import engine
from console.evaluation.models import EvaluatedQuestion, RunState
from console.evaluation.runs import start_run
from console.evaluation.services import create_golden_set, save_golden_question
from console.index.models import IndexVersion
from console.people.models import User
from console.sources.models import Document, Folder
from tests.console.conftest import evaluation_run
from tests.workers.conftest import HOTELS, upload
from workers import tasks

pytestmark = pytest.mark.model
LIMIT = "The nightly hotel limit in capital cities is 180 EUR."


def test_a_run_goes_through_the_tasks(
    data_folder: Path,
    admin: User,
    folder: Folder,
    sent: list[tuple[str, int | str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(engine, "reranker", lambda: None)
    document = upload(admin, folder, "travel.md", HOTELS)
    tasks.ingest_document(document.pk)
    assert Document.objects.get(pk=document.pk).state == "indexed"
    golden = create_golden_set(actor=admin, name="Travel", folder_ids=[folder.pk])
    rows = [
        rag.GoldenNeedle("", "travel.md", LIMIT, "What is the nightly hotel limit in capital cities?", ""),
        rag.GoldenRefusal("", "far", "Who painted the ceiling of the chapel?", ""),
    ]
    for row in rows:
        save_golden_question(actor=admin, golden_set=golden, row=row)
    run = start_run(actor=admin, golden_set=golden)
    assert sent[-1] == ("footnote.evaluate_slice", run.pk)
    tasks.evaluate_slice(run.pk)
    run.refresh_from_db()
    assert (run.state, run.n_done, run.destroyed) == (RunState.DONE, 2, [])
    needle, far = EvaluatedQuestion.objects.filter(run=run)
    assert needle.ranks["hybrid"] == [1]
    assert needle.outcomes["hybrid"]["right_passage"] is True
    assert far.outcomes["hybrid"]["answered"] is False


def test_the_sweep_sends_runs_that_wait(
    admin: User, folder: Folder, sent: list[tuple[str, int | str]]
) -> None:
    golden = create_golden_set(actor=admin, name="Travel", folder_ids=[folder.pk])
    run = evaluation_run(golden, _version(), state=RunState.QUEUED)
    tasks.pick_up_pending()
    assert ("footnote.evaluate_slice", run.pk) in sent


def _version() -> IndexVersion:
    return IndexVersion.objects.create(
        collection="test",
        model_name="m",
        model_revision="1",
        dimension=1,
        window_tokens=1,
        pooling="mean",
        is_normalised=True,
        pipeline_version="1",
        chunking="E",
    )
