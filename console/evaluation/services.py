"""Changes to golden sets and their questions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from django.db import IntegrityError, transaction
from django.utils import timezone

from console import engine
from console.access import Rejected, require_support_lead
from console.audit.services import record
from console.evaluation.files import MAX_ROWS, ImportFault, ImportFaulty, faults_of_row, read_upload
from console.evaluation.golden import GoldenRow, fields_of
from console.evaluation.models import GoldenKind, GoldenQuestion, GoldenSet, LeftFolder
from console.people.models import User
from console.questions.models import Question
from console.sources.models import Folder
from console.sources.selectors import folders_visible_to
from console.values import UNUSABLE_NAME, is_usable_name

PREFIX_OF_KIND = {GoldenKind.NEEDLE: "n", GoldenKind.MULTIHOP: "m", GoldenKind.REFUSAL: "r"}
N_KEY_TRIES = 8


def create_golden_set(
    *, actor: User | None, name: str, folder_ids: Iterable[int], description: str = ""
) -> GoldenSet:
    """A new set without questions, over the documents of these folders.

    Raises:
        NotPermitted: the actor is no support lead.
        Rejected: the name is blank, cannot be shown or is taken; no folder, or one that is not theirs to see.
    """
    require_support_lead(actor)
    name = _checked_name(name)
    folders = _folders(actor, folder_ids)
    try:
        with transaction.atomic():
            golden_set = GoldenSet.objects.create(
                name=name, description=description.strip()[:300], created_by=actor
            )
            golden_set.folders.set(folders)
            record(actor=actor, action="golden_set.create", subject=name, folders=_names(folders))
    except IntegrityError as error:
        raise Rejected("golden_set_exists", f"There is already a set named {name}.") from error
    return golden_set


def update_golden_set(
    *, actor: User | None, golden_set: GoldenSet, name: str, folder_ids: Iterable[int], description: str = ""
) -> GoldenSet:
    """The set with another name, description or folders; runs that are done stay as they are.

    Who may not see a folder that is taken out sees the set again when the questions of that time are gone.

    Raises:
        NotPermitted, Rejected: see `create_golden_set`.
    """
    require_support_lead(actor)
    name = _checked_name(name)
    folders = _folders(actor, folder_ids)
    try:
        with transaction.atomic():
            golden_set.name, golden_set.description = name, description.strip()[:300]
            golden_set.save(update_fields=["name", "description"])
            for left in golden_set.folders.exclude(pk__in=[folder.pk for folder in folders]):
                LeftFolder.objects.update_or_create(
                    golden_set=golden_set, folder_id=left.pk, defaults={"left_at": timezone.now()}
                )
            golden_set.folders.set(folders)
            record(actor=actor, action="golden_set.update", subject=name, folders=_names(folders))
    except IntegrityError as error:
        raise Rejected("golden_set_exists", f"There is already a set named {name}.") from error
    return golden_set


def delete_golden_set(*, actor: User | None, golden_set: GoldenSet) -> None:
    """Remove a set with its questions and runs. Thresholds that were set by it stay.

    Raises:
        NotPermitted: the actor is no support lead.
    """
    require_support_lead(actor)
    with transaction.atomic():
        record(
            actor=actor,
            action="golden_set.delete",
            subject=golden_set.name,
            n_questions=golden_set.questions.count(),
            n_runs=golden_set.runs.count(),
        )
        golden_set.delete()


def import_questions(
    *, actor: User | None, golden_set: GoldenSet, files: Sequence[tuple[str, bytes]]
) -> tuple[int, int]:
    """(rows added, rows changed): all rows of the files, or none. A row with a known id replaces that row.

    Raises:
        NotPermitted: the actor is no support lead.
        ImportFaulty: with the faults by file and line, or the set would have too many questions.
    """
    require_support_lead(actor)
    rows = read_upload(files, max_question_chars=engine.config().max_question_chars)
    try:
        return _import(actor, golden_set, rows)
    except IntegrityError:
        # Another import was faster where the database locks no rows (SQLite); its rows are known now.
        return _import(actor, golden_set, rows)


@transaction.atomic
def _import(actor: User | None, golden_set: GoldenSet, rows: Sequence[GoldenRow]) -> tuple[int, int]:
    _lock(golden_set)
    known = {row.key: row for row in golden_set.questions.all()}
    new, changed = [], []
    for row in rows:
        fields = fields_of(row)
        if row.id not in known:
            new.append(GoldenQuestion(golden_set=golden_set, key=row.id, **fields))
            continue
        stored = known[row.id]
        if any(getattr(stored, name) != value for name, value in fields.items()):
            for name, value in fields.items():
                setattr(stored, name, value)
            changed.append(stored)
    if len(known) + len(new) > MAX_ROWS:
        told = f"The set would have {len(known) + len(new)} questions; at most {MAX_ROWS}. Make another one."
        raise ImportFaulty([ImportFault("", 0, told)])
    GoldenQuestion.objects.bulk_create(new, batch_size=500)
    for stored in changed:
        stored.save()
    record(
        actor=actor,
        action="golden_set.import",
        subject=golden_set.name,
        n_added=len(new),
        n_changed=len(changed),
    )
    return len(new), len(changed)


def save_golden_question(
    *,
    actor: User | None,
    golden_set: GoldenSet,
    row: GoldenRow,
    stored: GoldenQuestion | None = None,
    source: Question | None = None,
) -> GoldenQuestion:
    """Add a question, or change the `stored` one. An empty id is given one.

    Raises:
        NotPermitted: the actor is no support lead.
        Rejected: the row cannot be asked or stored, its id is taken in the set, or the set is full.
    """
    require_support_lead(actor)
    given = row.id.strip()
    for _ in range(1 if given else N_KEY_TRIES):
        try:
            return _save(
                actor=actor, golden_set=golden_set, given=given, row=row, stored=stored, source=source
            )
        except IntegrityError as error:
            # Where none was given, somebody took the same free id at once: try the next one.
            taken = error
    raise Rejected(
        "golden_key_taken",
        f"The set has a question {given} already." if given else "Others add questions just now. Save again.",
    ) from taken


@transaction.atomic
def _save(
    *,
    actor: User | None,
    golden_set: GoldenSet,
    given: str,
    row: GoldenRow,
    stored: GoldenQuestion | None,
    source: Question | None,
) -> GoldenQuestion:
    _lock(golden_set)
    key = given or _next_key(golden_set, row)
    if faults := faults_of_row(replace(row, id=key), engine.config().max_question_chars):
        raise Rejected("golden_question_faulty", " ".join(faults))
    if stored is None and golden_set.questions.count() >= MAX_ROWS:
        raise Rejected("golden_set_full", f"A set has at most {MAX_ROWS} questions. Make another one.")
    saved = stored or GoldenQuestion(golden_set=golden_set)
    for name, value in ({"key": key, **fields_of(row)} | ({"source": source} if source else {})).items():
        setattr(saved, name, value)
    saved.save()
    record(
        actor=actor,
        action="golden_question.change" if stored else "golden_question.add",
        subject=f"{golden_set.name}: {key}",
        kind=str(saved.kind),
        source=str(source.pk) if source else None,
    )
    return saved


def _lock(golden_set: GoldenSet) -> None:
    """Who adds questions to a set waits for whoever does so now."""
    GoldenSet.objects.select_for_update().get(pk=golden_set.pk)


def remove_golden_question(*, actor: User | None, question: GoldenQuestion) -> None:
    """Take a question out of its set; runs that are done keep it.

    Raises:
        NotPermitted: the actor is no support lead.
    """
    require_support_lead(actor)
    with transaction.atomic():
        record(
            actor=actor,
            action="golden_question.remove",
            subject=f"{question.golden_set.name}: {question.key}",
        )
        question.delete()


def _checked_name(name: str) -> str:
    name = " ".join(name.split())
    if not name:
        raise Rejected("golden_set_name_blank", "Give the set a name.")
    if not is_usable_name(name):
        raise Rejected("golden_set_name_unusable", UNUSABLE_NAME)
    return name[:120]


def _folders(actor: User | None, folder_ids: Iterable[int]) -> list[Folder]:
    wanted = set(folder_ids)
    able = folders_visible_to(actor) if actor is not None else Folder.objects.all()
    folders = list(able.filter(pk__in=wanted))
    if not wanted or len(folders) != len(wanted):
        raise Rejected("golden_set_folders", "Choose at least one folder that you may see.")
    return folders


def _names(folders: Iterable[Folder]) -> str:
    return ", ".join(sorted(folder.name for folder in folders))


def _next_key(golden_set: GoldenSet, row: GoldenRow) -> str:
    """``n-014`` for the fourteenth needle, and so on; never one that is taken."""
    kind = GoldenKind(str(fields_of(row)["kind"]))
    taken = set(golden_set.questions.values_list("key", flat=True))
    number = golden_set.questions.filter(kind=kind).count() + 1
    while (key := f"{PREFIX_OF_KIND[kind]}-{number:03d}") in taken:
        number += 1
    return key
