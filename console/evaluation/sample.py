"""The golden questions of the sample handbook, where that handbook is loaded."""

from __future__ import annotations

from pathlib import Path

from django.db.models import Count, Q

import rag
from console.access import Rejected
from console.evaluation.models import GoldenSet
from console.evaluation.services import create_golden_set, import_questions
from console.people.models import User
from console.sources.models import Folder
from console.sources.selectors import folders_visible_to

SAMPLE_QUESTIONS = Path(__file__).resolve().parent.parent / "sample" / "questions"
SAMPLE_NAME = "Sample questions"


def sample_folder(user: User) -> Folder | None:
    """The visible folder that holds most of the documents that the sample's needles stand in; None below half."""
    if not (SAMPLE_QUESTIONS / "needles.jsonl").is_file():
        return None
    named = {place.document for _, place in rag.read_golden_set(SAMPLE_QUESTIONS).places}
    held = Count("documents", filter=Q(documents__name__in=named, documents__deleted_at=None))
    folder = folders_visible_to(user).annotate(n_held=held).order_by("-n_held").first()
    return folder if folder is not None and 2 * folder.n_held >= len(named) else None


def import_sample(*, actor: User) -> GoldenSet:
    """The sample's questions as a set over the folder that holds the sample handbook.

    Raises:
        NotPermitted: the actor is no support lead.
        Rejected: the handbook is not here, or its set is there already.
    """
    folder = sample_folder(actor)
    if folder is None:
        raise Rejected("sample_missing", "The sample handbook is in no folder that you may see.")
    golden_set = create_golden_set(
        actor=actor,
        name=SAMPLE_NAME,
        folder_ids=[folder.pk],
        description="Questions over the sample handbook, written by hand.",
    )
    files = [(path.name, path.read_bytes()) for path in sorted(SAMPLE_QUESTIONS.glob("*.jsonl"))]
    import_questions(actor=actor, golden_set=golden_set, files=files)
    return golden_set
