"""The sample handbook that a first start loads."""

from __future__ import annotations

from pathlib import Path

from console.people.models import User
from console.sources.models import Folder
from console.sources.services import create_folder
from workers.files import files_below, upload_file

SAMPLE_HANDBOOK = Path(__file__).resolve().parent.parent / "console" / "sample" / "handbook"
SAMPLE_QUESTIONS = SAMPLE_HANDBOOK.parent / "questions"
SAMPLE_FOLDER = "Sample handbook"


def load_sample(*, actor: User | None = None) -> Folder | None:
    """Create the sample folder with its documents queued; None when any folder exists already."""
    if Folder.objects.exists():
        return None
    folder = create_folder(
        actor=actor,
        name=SAMPLE_FOLDER,
        description="Documents of a company that does not exist. Close it under Access when yours are in.",
        is_open=True,
    )
    for path, name in files_below(SAMPLE_HANDBOOK):
        upload_file(actor=actor, folder=folder, path=path, name=name)
    return folder
