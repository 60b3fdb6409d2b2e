"""The values that travel through the core: frozen, slotted, without behaviour that costs.

All offsets are character offsets (Python `str` indices) into a document's canonical text,
half open: ``canonical[start:end]``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, ClassVar, Literal

if TYPE_CHECKING:
    from rag.verify.findings import Findings

BlockKind = Literal["heading", "paragraph", "list_item", "table_row", "code"]
GateScore = Literal["relevance", "distance"]
"""Which number the gate compares: a relevance in [0, 1] passes at ≥ its cut, a distance in [0, 2] at ≤ its cut."""
CoverageUnit = Literal["page", "slide", "row", "chapter", "cue", "second", "document"]


@dataclass(frozen=True, slots=True)
class Locator:
    """Where a stretch of canonical text stands in the original file.

    `page` (PDF) and `slide` (presentations) count from 1. `sheet` and `cells` (an A1 range such as
    ``A3:C9``) belong to workbooks. `time` is start and end in seconds (transcripts, recordings).
    `heading_path` runs from the outermost heading inwards. `anchor` is an HTML id; in a book
    ``file.xhtml#id``.
    """

    page: int | None = None
    slide: int | None = None
    sheet: str | None = None
    cells: str | None = None
    time: tuple[float, float] | None = None
    heading_path: tuple[str, ...] = ()
    anchor: str | None = None

    @property
    def label(self) -> str:
        """What a reader is told: ``Hotels › Limits · page 4`` or ``Limits!A3:C9``; may be empty."""
        parts = [" › ".join(self.heading_path)] if self.heading_path else []
        return " · ".join([*parts, self.place] if self.place else parts)

    @property
    def place(self) -> str:
        """The place without headings: ``page 4``, ``slide 2``, ``Limits!A3:C9``, ``00:14:32``; may be empty."""
        parts = []
        if self.page is not None:
            parts.append(f"page {self.page}")
        if self.slide is not None:
            parts.append(f"slide {self.slide}")
        if self.sheet is not None:
            parts.append(f"{self.sheet}!{self.cells}" if self.cells else self.sheet)
        if self.time is not None:
            minutes, seconds = divmod(int(self.time[0]), 60)
            parts.append(f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02}")
        return " · ".join(parts)

    @property
    def container(self) -> tuple[int | None, int | None, str | None]:
        """Page, slide and sheet: what a passage never crosses."""
        return (self.page, self.slide, self.sheet)

    def as_json(self) -> dict[str, object]:
        """Only what is set; `Locator.from_json` reads it back."""
        values: dict[str, object] = {
            "page": self.page,
            "slide": self.slide,
            "sheet": self.sheet,
            "cells": self.cells,
            "time": None if self.time is None else list(self.time),
            "heading_path": list(self.heading_path),
            "anchor": self.anchor,
        }
        return {name: value for name, value in values.items() if value not in (None, [])}

    @classmethod
    def from_json(cls, values: Mapping[str, object]) -> Locator:
        """The locator that `as_json` was asked of.

        Raises:
            TypeError, ValueError: the values have other types; they may come from an untrusted process.
        """
        path, time = values.get("heading_path", []), values.get("time")
        if not isinstance(path, list) or not all(isinstance(title, str) for title in path):
            raise TypeError("heading_path")
        if time is not None:
            if not isinstance(time, list) or not all(isinstance(second, int | float) for second in time):
                raise TypeError("time")
            start, end = time
            time = (float(start), float(end))
        return cls(
            page=_int_or_none(values.get("page")),
            slide=_int_or_none(values.get("slide")),
            sheet=_str_or_none(values.get("sheet")),
            cells=_str_or_none(values.get("cells")),
            time=time,
            heading_path=tuple(path),
            anchor=_str_or_none(values.get("anchor")),
        )


def _int_or_none(value: object) -> int | None:
    if value is None or isinstance(value, int):
        return value
    raise TypeError("a number was expected")


def _str_or_none(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise TypeError("a text was expected")


@dataclass(frozen=True, slots=True)
class Span:
    """A block of canonical text and where it came from. Spans do not overlap and run in order."""

    start: int
    end: int
    kind: BlockKind
    locator: Locator
    table_header: str | None = None
    """For a table row: the header row's text, to be repeated in front of a chunk of rows."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How much of the file was read: ``read`` of ``total`` units."""

    unit: CoverageUnit
    read: int
    total: int
    missing: tuple[str, ...] = ()
    """Names of the units without text, e.g. ``("3", "7")`` for pages; at most `MAX_MISSING` are listed."""

    MAX_MISSING: ClassVar[int] = 50


@dataclass(frozen=True, slots=True)
class ExtractionWarning:
    """Something an administrator should know about a file that was read."""

    code: str
    message: str
    count: int | None = None
    """How many of what the message speaks of: lines removed, characters left out, pages without text."""
    pages: tuple[int, ...] = ()
    """The pages that the message speaks of, also those that it has no room for."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file inside a file, such as an e-mail's; it becomes a document of its own."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Extraction:
    """The canonical text of one file.

    `text` uses ``\\n`` line ends; blocks are separated by a blank line. `is_partial` says that
    content is known to be missing; then `warnings` says what.
    """

    title: str
    text: str
    spans: tuple[Span, ...]
    format: str
    extractor: str
    """Name and version of the extractor, e.g. ``pdf/1``; a newer one makes a document stale."""
    coverage: Coverage
    is_partial: bool = False
    encoding: str | None = None
    ocr_confidence: float | None = None
    """Mean OCR confidence in [0, 1] over recognised pages; None when no OCR was needed."""
    page_confidence: tuple[tuple[int, float], ...] = ()
    """Page and mean OCR confidence in [0, 1] of its lines, for each recognised page in order."""
    warnings: tuple[ExtractionWarning, ...] = ()
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """One passage. `text` (header + content) is embedded, `content` is quoted.

    ``canonical[start:end] == content`` always. `n_tokens` counts `text` with the model's own
    tokenizer, special tokens included, and never exceeds the model's window.
    """

    index: int
    text: str
    content: str
    section: str
    start: int
    end: int
    locator: Locator
    n_tokens: int
    spans: tuple[Span, ...] = ()
    """The blocks inside the chunk, clipped to ``[start, end)``, in canonical offsets."""


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk as an index gives it back, with the ids that scope and bind it."""

    chunk_id: str
    document_id: int
    folder_id: int
    document_title: str
    index: int
    text: str
    content: str
    section: str
    start: int
    end: int
    locator: Locator
    spans: tuple[Span, ...] = ()
    """The blocks inside the chunk; a citation of one block takes its own, narrower locator."""


@dataclass(frozen=True, slots=True)
class SentenceRelevance:
    """How probably the stretch ``content[start:end]`` of a passage answers the question, in [0, 1]."""

    start: int
    end: int
    relevance: float


@dataclass(frozen=True, slots=True)
class ScoredChunk:
    """A candidate passage.

    `distance` is the cosine distance 1 − cos in [0, 2] of the question and `chunk.text`; smaller
    is nearer. `bm25_score` ≥ 0 is None when the lexical side did not return it. `rrf_score` > 0
    ranks within one question only.
    """

    chunk: StoredChunk
    distance: float
    bm25_score: float | None
    rrf_score: float
    relevance: float | None = None
    """Calibrated probability in [0, 1] that the passage answers the question; None when it was not read for that."""
    rerank_score: float | None = None
    """What the reranker orders by; compares within one question only. None when it was not reranked."""
    sentences: tuple[SentenceRelevance, ...] = ()
    """The quotable stretches that the reranker read one by one; empty for a reranker that reads passages only."""


@dataclass(frozen=True, slots=True)
class EmbeddingModel:
    """The identity of an embedding model; stored with the collection and compared before a search."""

    name: str
    revision: str
    dimension: int
    window_tokens: int
    pooling: str
    normalised: bool


@dataclass(frozen=True, slots=True)
class Scope:
    """What a question may see: folders, by id. An empty tuple sees nothing."""

    folder_ids: tuple[int, ...]
    document_ids: tuple[int, ...] | None = None
    """Restrict further to these documents; None means every document of the folders."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The gate's settings; they belong to one index version.

    Where a reranker read the candidates, a chunk passes when its relevance ≥ `relevance_cut`; elsewhere when its
    cosine distance ≤ `distance_cut`. One of the two decides, never both. At most `max_chunks` pass.
    """

    distance_cut: float
    max_chunks: int = 4
    relevance_cut: float = 0.0

    def cut_of(self, score: GateScore) -> float:
        """The cut that `score` is compared with."""
        return self.relevance_cut if score == "relevance" else self.distance_cut


class Degrade(StrEnum):
    """The stage whose model did not come to its end, so that the question was decided with less.

    Passages not read closely, quoted instead of written, claims left out because nobody weighed them.
    """

    RERANK = "rerank"
    GENERATE = "generate"
    VERIFY = "verify"


class RefusalReason(StrEnum):
    """Why nothing was answered; the closed list."""

    NOTHING_RETRIEVED = "nothing_retrieved"
    BELOW_THRESHOLD = "below_threshold"
    WEAK_EVIDENCE = "weak_evidence"
    MODEL_ABSTAINED = "model_abstained"
    UNSUPPORTED_CLAIMS = "unsupported_claims"
    ROUTED_NO_RETRIEVAL = "routed_no_retrieval"
    OUT_OF_SCOPE_FOLDER = "out_of_scope_folder"
    INDEX_NOT_READY = "index_not_ready"


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of the pipeline as it ran: its time and what it decided."""

    name: str
    elapsed_ms: float
    detail: dict[str, str | int | float | bool | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Trace:
    """Every stage in order, and the candidates with the numbers that were compared."""

    stages: tuple[Stage, ...]
    candidates: tuple[ScoredChunk, ...] = ()

    @property
    def total_ms(self) -> float:
        """Sum of all stages' wall time in milliseconds."""
        return sum(stage.elapsed_ms for stage in self.stages)

    @property
    def unspoken(self) -> tuple[str, ...]:
        """Names in the question that no passage speaks of; see `rag.unspoken`."""
        told = (str(stage.detail["unspoken"]) for stage in self.stages if stage.name == "names")
        return tuple(name for names in told for name in names.split(", "))

    @property
    def degrades(self) -> tuple[Degrade, ...]:
        """What it was decided without; see `degrades_of`."""
        return degrades_of((stage.name, stage.detail) for stage in self.stages)


def degrades_of(stages: Iterable[tuple[str, Mapping[str, object]]]) -> tuple[Degrade, ...]:
    """The degrades that (name, detail) of a trace's stages tell of, each once, in the order of `Degrade`.

    Only of stages that decide. A model that is not configured is no degrade, one that ran out of time or is away is.
    """
    found = {name for name, detail in stages if detail.get("degraded")}
    return tuple(degrade for degrade in Degrade if degrade.value in found)


@dataclass(frozen=True, slots=True)
class BoundCitation:
    """A numbered source. ``canonical[start:end] == quote``; numbers run from 1 by first appearance."""

    number: int
    chunk: StoredChunk
    quote: str
    start: int
    end: int
    locator: Locator
    distance: float
    relevance: float | None = None


class ListRest(StrEnum):
    """What an answer leaves out of a list it quotes, where nobody could count it: the list was cut between passages."""

    NONE = ""
    MAY_GO_ON = "may_go_on"
    GOES_ON = "goes_on"


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """One sentence of an answer and the numbers of the citations that carry it (never empty).

    The last three are of the list it was quoted from; readers are told them, outside of the quote.
    """

    text: str
    citation_numbers: tuple[int, ...]
    n_more: int = 0
    """Items that the answer leaves out, where the whole list was seen."""
    list_rest: ListRest = ListRest.NONE
    """Said instead of `n_more` where it was not."""
    is_after_gap: bool = False
    """Items before this one are left out."""


@dataclass(frozen=True, slots=True)
class GeneratorFault:
    """A language model that should have written and could not; the passages were quoted in its place.

    `code`, `message` and `next_step` are those of the error (`rag.errors`), worded for an administrator.
    """

    generator: str
    code: str
    message: str
    next_step: str


@dataclass(frozen=True, slots=True)
class ContradictedPremise:
    """What a question takes for granted, and the cited sentence that says otherwise."""

    premise: str
    says: str
    """The sentence in plain words; the citation quotes it as it stands."""
    citation: BoundCitation


@dataclass(frozen=True, slots=True)
class UnansweredPart:
    """One of several things asked that the documents do not answer, while they answer another one.

    `best` is its own search's best number by its own `gate_score`, `cut` what that was compared with; None where
    nothing was found. A reranker may fail for one part alone, so the answer's `gate_score` may be another.
    """

    question: str
    reason: RefusalReason
    best: float | None
    cut: float
    gate_score: GateScore


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer: every sentence cited, every citation used."""

    sentences: tuple[AnswerSentence, ...]
    citations: tuple[BoundCitation, ...]
    best_distance: float
    n_unresolved_markers: int
    generator: str
    trace: Trace
    gate_score: GateScore = "distance"
    best_relevance: float | None = None
    """The highest among the cited passages; None where no reranker read them."""
    min_support: float | None = None
    """Support of the weakest claim by what it cites, in [0, 1]; 1 where every sentence stands there verbatim."""
    conflicts: tuple[tuple[int, int], ...] = ()
    """Pairs of citation numbers: two versions of a document that say the same with other figures."""
    findings: Findings | None = None
    """What the verification found, sentence by sentence, and what the revision dropped."""
    generator_fault: GeneratorFault | None = None
    """Why quoting took the place of the language model that should have written."""
    contradicted: ContradictedPremise | None = None
    """Its citation is among `citations`; where no sentence uses that one, only this does."""
    unanswered: tuple[UnansweredPart, ...] = ()
    """Parts of the question that are refused, each for its own reason; people are told beside the answer."""


@dataclass(frozen=True, slots=True)
class Refused:
    """An explicit refusal. `best_distance` is None when nothing was retrieved.

    `best_relevance` is None where no reranker read the candidates. `nearest` runs from the best by `gate_score`.
    `generator`, `n_unresolved_markers`, `findings` and `generator_fault` tell of a draft that was refused; where
    nothing was drafted they are empty.
    """

    reason: RefusalReason
    best_distance: float | None
    distance_cut: float
    nearest: tuple[ScoredChunk, ...]
    trace: Trace
    gate_score: GateScore = "distance"
    best_relevance: float | None = None
    relevance_cut: float = 0.0
    generator: str = ""
    n_unresolved_markers: int = 0
    findings: Findings | None = None
    generator_fault: GeneratorFault | None = None
    contradicted: ContradictedPremise | None = None
