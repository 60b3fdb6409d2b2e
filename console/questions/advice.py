"""What somebody can do about a refusal: say it otherwise, look where it was near, ask a person."""

from __future__ import annotations

from collections.abc import Iterable

import rag
from console.people.models import Role, User
from console.questions import wording
from console.questions.models import Answer, QuestionState
from console.sources.models import Folder

N_PEOPLE = 3

_REPHRASE = "Say it in other words, or with the names that the documents use."
_ONE_THING = "Ask one thing at a time."
_READ_NEAREST = "Read the nearest passages; they may say it in a way that I may not conclude from."
_AGAIN_SOON = "Ask again in a few minutes."

_STEPS: dict[str, tuple[str, ...]] = {
    rag.RefusalReason.NOTHING_RETRIEVED: (
        "Check that the documents you mean were uploaded to these folders.",
    ),
    rag.RefusalReason.BELOW_THRESHOLD: (_REPHRASE, "Look at what was near: the answer may stand beside it."),
    rag.RefusalReason.WEAK_EVIDENCE: (_READ_NEAREST, _REPHRASE),
    rag.RefusalReason.MODEL_ABSTAINED: (_READ_NEAREST, _ONE_THING),
    rag.RefusalReason.UNSUPPORTED_CLAIMS: (_READ_NEAREST, _ONE_THING),
    rag.RefusalReason.ROUTED_NO_RETRIEVAL: ("Ask about something that your documents may say.",),
    rag.RefusalReason.OUT_OF_SCOPE_FOLDER: (
        "Ask where a folder is connected, or have an admin connect one here.",
    ),
    rag.RefusalReason.INDEX_NOT_READY: (_AGAIN_SOON, "If it stays so, an admin can run `manage.py doctor`."),
}
_READ_FILES = "Once the files that could not be read are mended, ask again: one of them may hold the answer."
_ASKS_NOBODY = {rag.RefusalReason.ROUTED_NO_RETRIEVAL}


def what_to_do(answer: Answer, people: Iterable[str] = ()) -> list[str]:
    """What the asker can do, most helpful first; empty for what is no refusal.

    Args:
        answer: a finished one.
        people: names of those who can be asked (see `people_to_ask`).
    """
    if answer.outcome != QuestionState.REFUSED:
        return []
    again = [wording.AGAIN_IN_A_MOMENT] if answer.may_end_otherwise else []
    steps = [*again, *_STEPS.get(answer.reason_code, (_REPHRASE,))]
    if answer.n_unreadable:
        steps.append(_READ_FILES)
    names = list(people)
    if names and answer.reason_code not in _ASKS_NOBODY:
        steps.append(f"Ask a person who looks after these folders: {', '.join(names)}.")
    return steps


def people_to_ask(folder_ids: Iterable[int]) -> list[str]:
    """Names of the folders' owners, then of the support leads who may see one of them, then of the admins.

    At most `N_PEOPLE`; without folders only admins, who can connect some.
    """
    ids = list(folder_ids)
    people = User.objects.filter(is_active=True).order_by("username")
    owners = people.filter(owned_folders__in=ids).distinct()
    leads = people.filter(role=Role.SUPPORT_LEAD)
    if not Folder.objects.filter(pk__in=ids, is_open=True).exists():
        leads = leads.filter(folders__in=ids).distinct()
    admins = people.filter(role=Role.ADMIN)
    names = [
        name
        for group in (owners, leads, admins)
        for name in group.values_list("username", flat=True)[:N_PEOPLE]
    ]
    return list(dict.fromkeys(names))[:N_PEOPLE]
