"""An answer as a reader sees it: with links to what they may open, without what they may not see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from urllib.parse import urlencode

from django.urls import reverse

from console.people.models import User
from console.questions import wording
from console.questions.advice import people_to_ask, what_to_do
from console.questions.models import Answer, Question
from console.questions.recording import EXCERPT_CHARS
from console.questions.verification import CheckedAnswer, checked_answer
from console.sources.models import Document
from console.sources.selectors import documents_visible_to, folders_visible_to

HIDDEN_TITLE = "A document you may not open"
WITHHELD = "This sentence comes from a document you may not open."
OTHER_FOLDERS = "other folders"


@dataclass(frozen=True, slots=True)
class Source:
    """A passage an answer cites, or one that was near. `url` is empty when it cannot be opened."""

    number: int
    document_id: int | None
    title: str
    label: str
    distance: float
    relevance: float | None
    quote: str
    url: str
    is_hidden: bool = False
    is_gone: bool = False


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence and the sources that carry it; `text` says so when the reader may open none of them."""

    text: str
    sources: list[Source]
    is_withheld: bool = False
    more: str = ""
    """That the quoted list goes on, in our words; behind the sentence and its numbers."""
    gap: str = ""
    """``…`` where items of the quoted list are left out before it, ours too; in front of the sentence."""
    according_to: str = ""
    """``According to Travel policy:`` before the first of some sentences that are one document's own words."""


@dataclass(frozen=True, slots=True)
class ContradictedPremise:
    """What the question takes for granted, and the sentence of `source` that says otherwise."""

    premise: str
    says: str
    source: Source


@dataclass(frozen=True, slots=True)
class Disagreeing:
    """A cited document that says something else than another one; `uploaded_at` is None once it is gone."""

    number: int
    title: str
    uploaded_at: datetime | None

    def __str__(self) -> str:
        return f"[{self.number}] {wording.dated(self.title, self.uploaded_at)}"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage of the trace with the numbers that were compared."""

    rank: int
    title: str
    url: str
    distance: float
    relevance: float | None
    rerank_score: float | None
    bm25_score: float | None
    rrf_score: float
    passes: bool


@dataclass(frozen=True, slots=True)
class StageRow:
    """One stage of the trace; `share` is its part of the whole time, from 0 to 120, for a bar."""

    name: str
    elapsed_ms: float
    share: float
    detail: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Reading:
    """A question and, once it has one, its answer."""

    question: Question
    answer: Answer | None
    sentences: list[Sentence] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    nearest: list[Source] = field(default_factory=list)
    conflicts: list[Disagreeing] = field(default_factory=list)
    """The documents that do not agree, with their dates; those the reader may see."""
    contradicted: ContradictedPremise | None = None
    """None also where the reader may not see the document that says otherwise."""
    unreadable: str = ""
    folders: list[str] = field(default_factory=list)
    n_hidden_folders: int = 0
    degraded: str = ""
    """What it was decided without, as sentences; empty where nothing was missing."""
    steps: list[str] = field(default_factory=list)
    """What the asker of a refused question can do."""
    checked: CheckedAnswer | None = None
    is_for_support: bool = False
    """The reader is a support lead or an admin, and may see what a model said that nobody was told."""

    @property
    def unanswered(self) -> list[str]:
        """A line for each part of the question that is refused beside the answer."""
        return wording.unanswered_lines(self.answer) if self.answer else []

    @property
    def closest(self) -> Source | None:
        """The nearest passage of a refusal."""
        return self.nearest[0] if self.nearest else None


def _place_url(document_id: int, start: int, end: int, sha256: str) -> str:
    """The document page opened at a span; `sha256` lets it notice that the bytes were replaced."""
    query = {"start": start, "end": end} | ({"of": sha256[:16]} if sha256 else {})
    return f"{reverse('sources:document', args=[document_id])}?{urlencode(query)}#cited"


@dataclass(frozen=True, slots=True)
class _Sight:
    """What the reader may see of the documents and folders that some answers name."""

    sha256_of_visible: dict[int, str]
    alive: set[int]
    folder_names: dict[int, str]
    is_admin: bool
    is_for_support: bool

    @classmethod
    def of(cls, answers: list[Answer], reader: User) -> _Sight:
        citations = [citation for answer in answers for citation in answer.citations.all()]
        ids = {citation.document_id for citation in citations if citation.document_id is not None}
        ids |= {int(near["document_id"]) for answer in answers for near in answer.nearest}
        visible = documents_visible_to(reader).filter(pk__in=ids).values_list("pk", "sha256")
        alive = Document.objects.filter(pk__in=ids, deleted_at=None).values_list("pk", flat=True)
        folders = folders_visible_to(reader).values_list("pk", "name")
        return cls(
            sha256_of_visible=dict(visible),
            alive=set(alive),
            folder_names=dict(folders),
            is_admin=reader.is_admin,
            is_for_support=reader.is_support_lead,
        )

    def sees_folder(self, folder_id: object) -> bool:
        """True for a folder the reader may see. Admins also see what was in a folder that is gone or unknown."""
        return self.is_admin or folder_id in self.folder_names

    def source(
        self,
        number: int,
        document_id: int | None,
        *,
        folder_id: object,
        title: str,
        label: str,
        distance: float,
        relevance: float | None,
        quote: str,
        span: tuple[int, int],
        sha256: str,
    ) -> Source:
        """The source as the reader is shown it."""
        if document_id is not None and document_id in self.sha256_of_visible:
            url = _place_url(document_id, *span, sha256)
            return Source(number, document_id, title, label, distance, relevance, quote, url)
        is_alive = document_id is not None and document_id in self.alive
        if is_alive or not self.sees_folder(folder_id):
            # Not for this reader, deleted or not: no title, no place, no words of it.
            return Source(number, None, HIDDEN_TITLE, "", distance, relevance, "", "", is_hidden=True)
        return Source(number, None, title, label, distance, relevance, quote, "", is_gone=True)

    def unreadable(self, rows: list[dict[str, str | int]]) -> str:
        """How many files could not be read, with the names of folders the reader may see."""
        shown: list[dict[str, str | int]] = []
        n_elsewhere = 0
        for row in rows:
            if self.sees_folder(row.get("folder_id")):
                shown.append({"folder": row["folder"], "count": row["count"]})
            else:
                n_elsewhere += int(row["count"])
        if n_elsewhere:
            shown.append({"folder": OTHER_FOLDERS, "count": n_elsewhere})
        return wording.unreadable_sentence(shown)


def read_question(question: Question, *, reader: User) -> Reading:
    """What `reader`, who may see the question, is shown of it; of a refusal also who can be asked."""
    reading = read_questions([question], reader=reader)[0]
    if not reading.steps or reading.answer is None:
        return reading
    people = people_to_ask(reading.answer.folder_ids)
    return replace(reading, steps=what_to_do(reading.answer, people))


def read_questions(questions: Sequence[Question], *, reader: User) -> list[Reading]:
    """`read_question` for many, with the same few queries."""
    answers = {question.pk: answer for question in questions if (answer := _answer_of(question)) is not None}
    sight = _Sight.of(list(answers.values()), reader)
    return [
        _reading(question, answers[question.pk], sight)
        if question.pk in answers
        else Reading(question=question, answer=None)
        for question in questions
    ]


def _answer_of(question: Question) -> Answer | None:
    answer: Answer | None = getattr(question, "answer", None)
    return answer


def _excerpt(text: str, n_chars: int) -> str:
    """`text` is the beginning of a passage of `n_chars`; it can be shorter than what was cut, without its marks."""
    return f"{text}…" if n_chars > EXCERPT_CHARS else text


def _sentence(row: Mapping[str, object], sources: list[Source]) -> Sentence:
    is_withheld = bool(sources) and all(source.is_hidden for source in sources)
    if is_withheld:
        return Sentence(WITHHELD, sources, is_withheld)
    return Sentence(str(row["text"]), sources, more=wording.list_note(row), gap=wording.gap_before(row))


def _introduced(sentences: list[Sentence]) -> list[Sentence]:
    """Each change of document is told; what may not be read is not."""
    told: list[Sentence] = []
    last = ""
    for sentence in sentences:
        title = "" if sentence.is_withheld or not sentence.sources else sentence.sources[0].title
        is_new = bool(title) and title != last
        told.append(replace(sentence, according_to=wording.according_to(title)) if is_new else sentence)
        last = title
    return told


def _reading(question: Question, answer: Answer, sight: _Sight) -> Reading:
    sources = [
        sight.source(
            citation.number,
            citation.document_id,
            folder_id=citation.folder_id,
            title=citation.document_title,
            label=citation.label,
            distance=citation.distance,
            relevance=citation.relevance,
            quote=citation.quote,
            span=(citation.start, citation.end),
            sha256=citation.document_sha256,
        )
        for citation in answer.citations.all()
    ]
    nearest = [
        sight.source(
            number,
            int(near["document_id"]),
            folder_id=near.get("folder_id"),
            title=str(near["title"]),
            label=str(near["label"]),
            distance=float(near["distance"]),
            relevance=near.get("relevance"),
            quote=_excerpt(str(near["excerpt"]), int(near["end"]) - int(near["start"])),
            span=(int(near["start"]), int(near["end"])),
            sha256=str(near.get("sha256", "")),
        )
        for number, near in enumerate(answer.nearest, start=1)
    ]
    by_number = {source.number: source for source in sources}
    sentences = [
        _sentence(row, [by_number[n] for n in row["citations"] if n in by_number]) for row in answer.sentences
    ]
    if answer.is_quoted:
        sentences = _introduced(sentences)
    folders = [sight.folder_names[pk] for pk in answer.folder_ids if pk in sight.folder_names]
    return Reading(
        question=question,
        answer=answer,
        sentences=sentences,
        sources=sources,
        nearest=nearest,
        conflicts=_conflicts(answer, by_number),
        contradicted=_contradicted(answer, by_number),
        unreadable=sight.unreadable(answer.unreadable),
        folders=folders,
        degraded=wording.degraded_note(answer),
        steps=what_to_do(answer),
        n_hidden_folders=len(answer.folder_ids) - len(folders),
        checked=checked_answer(
            answer,
            is_withheld=[sentence.is_withheld for sentence in sentences],
            may_see_dropped=sight.is_for_support,
            sees_folder=sight.sees_folder,
        ),
        is_for_support=sight.is_for_support,
    )


def _contradicted(answer: Answer, sources: dict[int, Source]) -> ContradictedPremise | None:
    said = answer.contradicted
    source = sources.get(said.get("number", 0))
    if source is None or source.is_hidden:
        return None
    return ContradictedPremise(said["premise"], said["says"], source)


def _conflicts(answer: Answer, sources: dict[int, Source]) -> list[Disagreeing]:
    shown = [
        number for number in answer.conflicting_numbers if number in sources and not sources[number].is_hidden
    ]
    if len(shown) < 2:
        return []
    uploaded = {
        citation.number: citation.document.uploaded_at if citation.document else None
        for citation in answer.citations.all()
    }
    return [Disagreeing(number, sources[number].title, uploaded[number]) for number in shown]


_TOLD_ELSEWHERE = {"verify": frozenset({"weakest", "why"})}
"""Words of a claim that did not hold: `Reading.checked` has them for those who may look into it."""
_OF_DOCUMENTS = {
    "grade": frozenset({"searched_next"}),
    "bridge": frozenset({"from"}),
    "gate": frozenset({"searched"}),
}
"""May hold titles and headings of what was found."""


def trace_stages(answer: Answer, *, hides_documents: bool = False) -> list[StageRow]:
    """The stages in order, without what a model said and nobody was told.

    `hides_documents` leaves out words of documents too: some of the folders are not the reader's to see.
    """
    stages = answer.trace.get("stages", [])
    total = sum(float(stage["elapsed_ms"]) for stage in stages) or 1.0
    return [
        StageRow(
            name=str(stage["name"]),
            elapsed_ms=float(stage["elapsed_ms"]),
            share=round(float(stage["elapsed_ms"]) / total * 120, 1),
            detail=[
                (str(name), _shown(value))
                for name, value in stage.get("detail", {}).items()
                if name not in _TOLD_ELSEWHERE.get(stage["name"], ())
                and not (hides_documents and name in _OF_DOCUMENTS.get(stage["name"], ()))
            ],
        )
        for stage in stages
    ]


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value if value is not None else "–")


def _passes(answer: Answer, relevance: float | None, distance: float) -> bool:
    if answer.relevance_cut is not None:
        return relevance is not None and relevance >= answer.relevance_cut
    return answer.distance_cut is not None and distance <= answer.distance_cut


def trace_candidates(answer: Answer, *, reader: User) -> list[Candidate]:
    """Every candidate in the order in which the gate took them, with the document where the reader may see it."""
    rows = answer.trace.get("candidates", [])
    ids = {int(row["document_id"]) for row in rows}
    titles = {
        document.pk: document.display_title for document in documents_visible_to(reader).filter(pk__in=ids)
    }
    return [
        Candidate(
            rank=rank,
            title=titles.get(int(row["document_id"]), HIDDEN_TITLE),
            url=reverse("sources:document", args=[row["document_id"]])
            if int(row["document_id"]) in titles
            else "",
            distance=float(row["distance"]),
            relevance=row.get("relevance"),
            rerank_score=row.get("rerank_score"),
            bm25_score=row["bm25_score"],
            rrf_score=float(row["rrf_score"]),
            passes=_passes(answer, row.get("relevance"), float(row["distance"])),
        )
        for rank, row in enumerate(rows, start=1)
    ]
