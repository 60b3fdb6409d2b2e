"""An index of a few passages by the hashing embedder, and golden sets about them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import rag
from console import engine, queue, storage
from console.evaluation import runs
from console.evaluation.models import EvaluationRun, GoldenQuestion, GoldenSet, RefusalKind
from tests.console.conftest import LIMIT, TRAINS, World, golden_set, needle
from tests.rag.fakes import HashingEmbedder, ScriptedReranker

CONFIG = rag.RagConfig(evidence_floor=0.3, reranker="none")


@pytest.fixture
def index(tmp_path: Path, world: World, monkeypatch: pytest.MonkeyPatch) -> Iterator[rag.Index]:
    """The active version's index, with the travel policy in it."""
    store = rag.open_edge_store(tmp_path / "vectors")
    opened = rag.open_index(
        "golden", config=CONFIG, directory=tmp_path, store=store, embedder=HashingEmbedder()
    )
    extraction = storage.load_canonical(world.policy.canonical_sha256)
    rag.index_document(
        opened, extraction, document_id=world.policy.pk, folder_id=world.travel.pk, title="Travel policy"
    )
    monkeypatch.setattr(engine, "index_of", lambda version: opened)
    yield opened
    store.close()


@pytest.fixture
def reranker(monkeypatch: pytest.MonkeyPatch) -> ScriptedReranker:
    """Knows the two sentences of the policy."""
    scripted = ScriptedReranker({LIMIT: 0.9, TRAINS: 0.7})
    monkeypatch.setattr(engine, "reranker", lambda: scripted)
    return scripted


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int | str]]:
    """Messages to the workers that nobody takes."""
    messages: list[tuple[str, int | str]] = []
    monkeypatch.setattr(queue, "_enqueue", lambda name, argument: messages.append((name, argument)))
    return messages


@pytest.fixture
def travel_set(world: World) -> GoldenSet:
    """Two needles, one with a ticket, and two questions to refuse."""
    golden = golden_set("Travel", world.travel)
    needle(
        golden,
        "n-1",
        world.policy.name,
        LIMIT,
        question="What is the nightly hotel limit in Lisbon?",
        ticket="how much may a hotel cost",
    )
    needle(
        golden,
        "n-2",
        world.policy.name,
        TRAINS,
        question="Which class do I book for journeys under three hours?",
    )
    to_refuse(golden, "r-1", "Who won the cup in 1998?", RefusalKind.FAR)
    to_refuse(golden, "r-2", "What is the nightly hotel limit in small towns?", RefusalKind.NEAR)
    return golden


def to_refuse(golden: GoldenSet, key: str, question: str, kind: str) -> GoldenQuestion:
    return GoldenQuestion.objects.create(
        golden_set=golden, kind="refusal", key=key, question=question, refusal_kind=kind
    )


def run_to_the_end(run: EvaluationRun) -> EvaluationRun:
    """As a worker would, one slice after the other."""
    for _ in range(50):
        runs.evaluate_slice(run.pk)
        run.refresh_from_db()
        if not run.is_live:
            return run
    raise AssertionError("the run does not end")
