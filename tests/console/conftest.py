"""A small organisation: three roles, an open and a closed folder, documents, questions, a token."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.test import Client

import rag
from console import queue, storage
from console.channels.models import SlackChannel, SlackWorkspace
from console.evaluation.models import EvaluationRun, GoldenKind, GoldenQuestion, GoldenSet, RunState
from console.index.models import DocumentIndex, IndexVersion, ThresholdSetting, VersionState
from console.people.models import ApiToken, Role, User
from console.people.services import create_token, create_user
from console.questions.models import Answer, Citation, Question, QuestionState, Surface
from console.sources.models import Document, DocumentState, Folder
from console.sources.services import create_folder, disable_document
from console.sources.uploads import upload_document

HOTELS = "Hotels"
LIMIT = "The nightly hotel limit in Lisbon is 135 EUR."
TRAINS = "Book second class for journeys under three hours."
TEXT = f"{HOTELS}\n\n{LIMIT}\n\n{TRAINS}"
SECRET = "Salaries rise by four percent in May."


@dataclass
class World:
    admin: User
    lead: User
    viewer: User
    travel: Folder
    closed: Folder
    policy: Document
    broken: Document
    salaries: Document
    left_out: Document
    version: IndexVersion
    answered: Question
    refused: Question
    token: ApiToken
    secret: str
    channel: SlackChannel
    workspace: SlackWorkspace
    golden: GoldenSet
    golden_question: GoldenQuestion
    run: EvaluationRun
    live_run: EvaluationRun

    def people(self) -> dict[str, User]:
        return {"admin": self.admin, "support_lead": self.lead, "viewer": self.viewer}

    def path(self, template: str) -> str:
        """`template` with the ids of this world filled in."""
        return template.format(
            travel=self.travel.pk,
            closed=self.closed.pk,
            policy=self.policy.pk,
            broken=self.broken.pk,
            salaries=self.salaries.pk,
            left_out=self.left_out.pk,
            answered=self.answered.pk,
            refused=self.refused.pk,
            token=self.token.pk,
            viewer=self.viewer.pk,
            channel=self.channel.pk,
            workspace=self.workspace.pk,
            golden=self.golden.pk,
            golden_question=self.golden_question.pk,
            run=self.run.pk,
            live_run=self.live_run.pk,
            nobody="00000000-0000-4000-8000-000000000000",
        )


@pytest.fixture(autouse=True)
def _own_folder_and_no_queue(tmp_path: Path, settings: object, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.HOME = tmp_path
    # A real password hash takes half a second on purpose; each test makes three people.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    monkeypatch.setattr(queue, "_send", lambda name, argument: None)


def extraction(text: str, spans: list[rag.Span], title: str = "Travel policy") -> rag.Extraction:
    return rag.Extraction(
        title=title,
        text=text,
        spans=tuple(spans),
        format="markdown",
        extractor="markdown/1",
        coverage=rag.Coverage(unit="document", read=1, total=1),
    )


def spans_of(text: str) -> list[rag.Span]:
    """A heading, then paragraphs under it."""
    spans, at = [], 0
    for number, block in enumerate(text.split("\n\n")):
        kind = "heading" if number == 0 else "paragraph"
        spans.append(rag.Span(at, at + len(block), kind, rag.Locator(heading_path=(HOTELS,))))
        at += len(block) + 2
    return spans


def make_indexed(document: Document, version: IndexVersion, text: str) -> Document:
    """As if a worker had read it."""
    document.state = DocumentState.INDEXED
    document.title, document.format, document.extractor = "Travel policy", "markdown", "markdown/1"
    document.canonical_sha256 = storage.store_canonical(extraction(text, spans_of(text)))
    document.n_chars, document.n_chunks = len(text), 2
    document.save()
    middle = text.index(LIMIT) if LIMIT in text else len(text) // 2
    DocumentIndex.objects.create(
        document=document,
        version=version,
        sha256=document.sha256,
        extractor="markdown/1",
        pipeline_version="1",
        n_vectors=2,
        n_lexical=2,
        n_tokens=40,
        n_split_for_window=0,
        n_over_window=0,
        chunk_offsets=[[0, middle], [middle, len(text)]],
    )
    return document


def make_failed(document: Document, code: str = "damaged") -> Document:
    document.state = DocumentState.FAILED
    document.reason_code, document.reason = code, "The file's structure is broken."
    document.next_step = "Save it again and upload that copy."
    document.save()
    return document


@pytest.fixture
def world(db: None) -> World:
    admin = create_user(actor=None, username="ada", password="correct horse", role=Role.ADMIN)
    lead = create_user(actor=None, username="lea", password="correct horse", role=Role.SUPPORT_LEAD)
    viewer = create_user(actor=None, username="vic", password="correct horse", role=Role.VIEWER)
    travel = create_folder(actor=admin, name="Travel", is_open=True)
    closed = create_folder(actor=admin, name="Pay")
    version = IndexVersion.objects.create(
        collection="test-1",
        model_name="hashing",
        model_revision="1",
        dimension=64,
        window_tokens=256,
        pooling="mean",
        is_normalised=True,
        pipeline_version="1",
        chunking="paragraphs",
        state=VersionState.ACTIVE,
    )
    ThresholdSetting.objects.create(
        version=version, distance_cut=0.525, relevance_cut=0.5, max_chunks=4, reason="Default."
    )

    def upload(folder: Folder, name: str, text: str) -> Document:
        return upload_document(actor=admin, folder=folder, name=name, pieces=[text.encode()]).document

    policy = make_indexed(upload(travel, "policy.md", TEXT), version, TEXT)
    broken = make_failed(upload(travel, "scan.pdf", "%PDF-1.7 broken"))
    salaries = make_indexed(upload(closed, "salaries.md", SECRET), version, SECRET)
    left_out = disable_document(actor=admin, document=upload(travel, "old-policy.md", "Sleep in tents."))
    answered = answered_question(viewer, policy, version)
    refused = refused_question(lead, salaries, version)
    token, secret = create_token(actor=viewer, user=viewer, name="nightly")
    channel = SlackChannel.objects.create(team_id="T0TEST", channel_id="C0TEST", name="travel")
    golden = golden_set("Travel questions", travel)
    golden_question = needle(golden, "n-001", policy.name, LIMIT)
    run = evaluation_run(golden, version)
    live_run = evaluation_run(golden_set("More questions", travel), version, state=RunState.QUEUED)
    return World(
        admin,
        lead,
        viewer,
        travel,
        closed,
        policy,
        broken,
        salaries,
        left_out,
        version,
        answered,
        refused,
        token,
        secret,
        channel,
        SlackWorkspace.objects.create(team_id="T0TEST", name="Tests"),
        golden,
        golden_question,
        run,
        live_run,
    )


def golden_set(name: str, *folders: Folder) -> GoldenSet:
    golden = GoldenSet.objects.create(name=name)
    golden.folders.set(folders)
    return golden


def needle(golden: GoldenSet, key: str, document: str, sentence: str, **more: str) -> GoldenQuestion:
    return GoldenQuestion.objects.create(
        golden_set=golden,
        kind=GoldenKind.NEEDLE,
        key=key,
        needles=[{"document": document, "needle": sentence}],
        **{"question": f"What about {key}?", **more},
    )


def evaluation_run(
    golden: GoldenSet, version: IndexVersion, *, state: RunState = RunState.DONE, **more: object
) -> EvaluationRun:
    """A run of which nothing was measured."""
    return EvaluationRun.objects.create(
        golden_set=golden,
        golden_id="0" * 16,
        golden_files=rag.golden_files(rag.GoldenSet(golden.name)),
        folder_ids=[folder.pk for folder in golden.folders.all()],
        index_version=version,
        configurations=list(rag.CONFIGURATIONS),
        distance_cut=0.525,
        relevance_cut=0.5,
        max_chunks=4,
        state=state,
        n_total=1,
        **more,
    )


def answered_question(asker: User, document: Document, version: IndexVersion) -> Question:
    question = Question.objects.create(
        text="What is the hotel limit in Lisbon?",
        surface=Surface.CONSOLE,
        asker=asker,
        state=QuestionState.ANSWERED,
    )
    answer = Answer.objects.create(
        question=question,
        outcome=QuestionState.ANSWERED,
        sentences=[{"text": LIMIT, "citations": [1]}],
        best_distance=0.21,
        distance_cut=0.525,
        max_chunks=4,
        index_version=version,
        model_name="hashing",
        folder_ids=[document.folder_id],
        trace={
            "stages": [{"name": "retrieve", "elapsed_ms": 12.0, "detail": {"n_dense": 2}}],
            "candidates": [
                {
                    "document_id": document.pk,
                    "chunk_id": "x",
                    "distance": 0.21,
                    "bm25_score": 3.2,
                    "rrf_score": 0.03,
                }
            ],
        },
        elapsed_ms=31.0,
    )
    start = TEXT.index(LIMIT)
    Citation.objects.create(
        answer=answer,
        number=1,
        document=document,
        folder_id=document.folder_id,
        document_name=document.name,
        document_title=document.display_title,
        document_sha256=document.sha256,
        label="Travel policy › Hotels",
        start=start,
        end=start + len(LIMIT),
        quote=LIMIT,
        distance=0.21,
    )
    return question


def refused_question(asker: User, near: Document, version: IndexVersion) -> Question:
    question = Question.objects.create(
        text="Who won the cup?", surface=Surface.CONSOLE, asker=asker, state=QuestionState.REFUSED
    )
    Answer.objects.create(
        question=question,
        outcome=QuestionState.REFUSED,
        reason_code="below_threshold",
        reason="Nothing was close enough.",
        best_distance=0.81,
        distance_cut=0.525,
        max_chunks=4,
        index_version=version,
        model_name="hashing",
        folder_ids=[near.folder_id],
        nearest=[
            {
                "document_id": near.pk,
                "folder_id": near.folder_id,
                "sha256": near.sha256,
                "title": "Salaries 2025",
                "label": "May",
                "start": 0,
                "end": len(SECRET),
                "distance": 0.81,
                "excerpt": SECRET,
            }
        ],
        unreadable=[{"folder": "Travel", "count": 1}],
        n_unreadable=1,
        elapsed_ms=9.0,
    )
    return question


@pytest.fixture
def as_role(world: World) -> Callable[..., Client]:
    """A client signed in with that role; `None` is nobody."""

    def client_of(role: str | None, *, has_csrf_checks: bool = False) -> Client:
        client = Client(enforce_csrf_checks=has_csrf_checks)
        if role is not None:
            client.force_login(world.people()[role])
        return client

    return client_of
