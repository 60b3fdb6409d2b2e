"""An answer held against what it cites: claim by claim, and the weakest decides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rag.lists import listings, without_number
from rag.markdown_inline import plain_row, plain_text
from rag.quotable import Quotable, quotables
from rag.quote import find_quotes
from rag.rerank.pair_model import OutOfTime
from rag.sentences import sentence_spans
from rag.types import AnswerSentence, BoundCitation, StoredChunk
from rag.verify.claims import atomic_claims
from rag.verify.mechanical import is_verbatim, mechanical_faults
from rag.verify.orders import is_order
from rag.verify.protocol import CheckedClaim, Evidence, SupportModel


@dataclass(frozen=True, slots=True)
class Verification:
    """What a check of an answer found: for each sentence, in order, its claims."""

    sentences: tuple[tuple[CheckedClaim, ...], ...]
    threshold: float
    """In (0, 1]; a claim is supported when its support is at least this."""
    model: str | None
    """Name of the support model that weighed claims; None where none did."""

    @property
    def claims(self) -> tuple[CheckedClaim, ...]:
        """The claims of all sentences."""
        return tuple(claim for sentence in self.sentences for claim in sentence)

    @property
    def min_support(self) -> float:
        """Support of the weakest claim, in [0, 1]; 0 where nothing is claimed."""
        return min((claim.support for claim in self.claims), default=0.0)

    @property
    def passed(self) -> bool:
        """Whether there are claims and each is supported."""
        return self.min_support >= self.threshold

    @property
    def degraded(self) -> bool:
        """Whether a claim had to be weighed and no model did, for want of one or of time."""
        return any(claim.method == "unchecked" for claim in self.claims)


def verify(
    sentences: Sequence[AnswerSentence],
    evidence_of: Mapping[int, BoundCitation],
    *,
    support: SupportModel | None,
    threshold: float,
    deadline: float | None = None,
) -> Verification:
    """Each sentence's claims against the passages that it cites, and against those alone.

    What stands there word for word has support 1; a mechanical fault 0; the rest what the model says. A claim may rest
    on one cited passage or on all of them together, whichever carries it best.

    Args:
        sentences: with at least one citation number each.
        evidence_of: the citation of each number.
        support: weighs what is neither verbatim nor faulty; without one such claims have support 0, "unchecked".
        threshold: in (0, 1].
        deadline: a `time.monotonic` moment after which the model's claims are "unchecked".

    Raises:
        KeyError: a sentence cites a number that is not in `evidence_of`.
        ValueError: `threshold` or a model's answer is out of range, or a sentence cites nothing.
    """
    if not 0.0 < threshold <= 1.0:
        raise ValueError(f"the threshold must be in (0, 1], not {threshold}")
    examined = [_examined(sentence, evidence_of) for sentence in sentences]
    open_claims = [each for claims in examined for each in claims if isinstance(each, _Open)]
    weighed = _weighed(open_claims, support, deadline)
    found = tuple(
        tuple(weighed[each] if isinstance(each, _Open) else each for each in claims) for claims in examined
    )
    asked = support is not None and any(claim.method == "model" for claim in weighed.values())
    return Verification(found, threshold, support.name if support is not None and asked else None)


def evidence_in(chunk: StoredChunk) -> Evidence:
    """A passage as evidence: title and section over its own words.

    A situating sentence that a model wrote in front of the passage is left out, and so is what the passage orders
    language models to do (`rag.verify.orders`): neither is evidence.
    """
    heads = [chunk.document_title, chunk.section]
    headers = [span.table_header for span in chunk.spans if span.table_header]
    header = f"[{' > '.join(head for head in heads if head)}]" if any(heads) else ""
    return Evidence(
        text=_without_orders(chunk.content),
        context="\n".join(dict.fromkeys(line for line in (header, *headers) if line)),
        told=tuple(told for told in _told_of(chunk) if not is_order(told)),
    )


def _told_of(chunk: StoredChunk) -> Iterator[str]:
    """What can be quoted of a passage, as an answer tells it.

    A list item may be told without its number, and in one sentence with the line that introduces it, unless one of the
    two is an order: "water damage" is covered or not by what stands above the list.
    """
    for place in quotables(chunk):
        yield as_told(chunk, place)
    for listing in listings(chunk):
        told = [plain_text(chunk.content[start:end]) for start, end in listing.items]
        if listing.is_numbered:
            yield from map(without_number, told)
        if listing.lead_in is not None:
            lead_in = plain_text(chunk.content[slice(*listing.lead_in)])
            yield lead_in
            if not is_order(lead_in):
                yield from (f"{lead_in} {item}" for item in told if not is_order(item))


def as_told(chunk: StoredChunk, place: Quotable) -> str:
    """A stretch of a passage as `rag.cite` tells it: plain words, a row with the names of its columns."""
    words = chunk.content[place.start : place.end]
    if place.kind == "table_row":
        return plain_row(words, place.context, may_be_short=len(chunk.spans) > 1)
    return plain_text(words)


def _without_orders(content: str) -> str:
    """The passage without the sentences that are orders; as it stands where there are none."""
    orders = [
        (start, end) for start, end in sentence_spans(content) if is_order(plain_text(content[start:end]))
    ]
    for start, end in reversed(orders):
        content = content[:start] + content[end:]
    return content


@dataclass(frozen=True, slots=True)
class _Source:
    """Evidence, the citation numbers that name it, the part of it that they quote, and of how many passages it is."""

    numbers: tuple[int, ...]
    evidence: Evidence
    quoted: Evidence
    passages: int = 1


@dataclass(frozen=True, slots=True)
class _Open:
    """A claim that only a model can weigh, the evidence that does not contradict it, and the numbers of what does."""

    claim: str
    sources: tuple[_Source, ...]
    against: tuple[int, ...] = ()


def _sources(
    sentence: AnswerSentence, evidence_of: Mapping[int, BoundCitation], claim: str
) -> tuple[_Source, ...]:
    """Each cited passage once, and where there are several all of them joined, in the order of citation."""
    cited: dict[str, list[BoundCitation]] = {}
    for number in sentence.citation_numbers:
        cited.setdefault(evidence_of[number].chunk.chunk_id, []).append(evidence_of[number])
    if not cited:
        raise ValueError("a sentence cites nothing")
    single = [_source(claim, citations) for citations in cited.values()]
    if len(single) == 1:
        return tuple(single)
    numbers = tuple(
        number for number in sentence.citation_numbers if any(number in each.numbers for each in single)
    )
    return (
        *single,
        _Source(
            numbers,
            _joined([each.evidence for each in single]),
            _joined([each.quoted for each in single]),
            len(single),
        ),
    )


def _joined(evidence: Sequence[Evidence]) -> Evidence:
    return Evidence(
        text="\n\n".join(each.as_read for each in evidence),
        told=tuple(told for each in evidence for told in each.told),
    )


def _source(claim: str, citations: Sequence[BoundCitation]) -> _Source:
    """One passage, and of its quotes those that the claim would be bound to; others are for other claims."""
    chunk = citations[0].chunk
    own = find_quotes(claim, chunk)
    shown = [
        each
        for each in citations
        if any(start < each.end - chunk.start and each.start - chunk.start < end for start, end in own)
    ] or list(citations)
    places = [(each.start - chunk.start, each.end - chunk.start) for each in shown]
    return _Source(tuple(each.number for each in shown), evidence_in(chunk), _quoted_in(chunk, places))


def _quoted_in(chunk: StoredChunk, places: Sequence[tuple[int, int]]) -> Evidence:
    """The quotes as evidence, under the header lines of the passage and of what is quoted."""
    whole = evidence_in(chunk)
    if (0, len(chunk.content)) in places:
        return whole
    within = [
        place
        for place in quotables(chunk)
        if any(start < place.end and place.start < end for start, end in places)
    ]
    contexts = [line for place in within for line in place.context.split("\n")]
    text = "\n".join(_without_orders(chunk.content[start:end]) for start, end in sorted(places))
    return Evidence(
        text=text,
        context="\n".join(dict.fromkeys(line for line in (*whole.context.split("\n"), *contexts) if line)),
        told=tuple(told for place in within if not is_order(told := as_told(chunk, place))),
    )


def _examined(
    sentence: AnswerSentence, evidence_of: Mapping[int, BoundCitation]
) -> list[CheckedClaim | _Open]:
    """Its claims, as far as no model is needed."""
    return [
        _without_model(claim, _sources(sentence, evidence_of, claim))
        for claim in atomic_claims(sentence.text)
    ]


def _without_model(claim: str, sources: tuple[_Source, ...]) -> CheckedClaim | _Open:
    # What stands word for word has no fault.
    faults = {source: mechanical_faults(claim, source.evidence, source.quoted) for source in sources}
    sound = tuple(source for source, found in faults.items() if not found)
    if not sound:
        return CheckedClaim(claim, 0.0, "mechanical", faults=min(faults.values(), key=len))
    agreeing = {number for source in sound if source.passages == 1 for number in source.numbers}
    against = tuple(number for number in sources[-1].numbers if agreeing and number not in agreeing)
    for source in sound:
        if is_verbatim(claim, source.evidence):
            return CheckedClaim(claim, 1.0, "verbatim", source.numbers, against=against)
    return _Open(claim, sound, against)


def _weighed(
    claims: list[_Open], support: SupportModel | None, deadline: float | None
) -> dict[_Open, CheckedClaim]:
    """All in one call, so that the model can batch them.

    The passage and the quote out of it are read each by itself, and the lower number counts: in a passage the model
    takes a figure of the next sentence for the claim's, and a quote alone may have lost what it is about.
    """
    asked = [
        (each, source, read)
        for each in dict.fromkeys(claims)
        for source in each.sources
        for read in dict.fromkeys((source.evidence.as_read, source.quoted.as_read))
    ]
    unchecked = {each: CheckedClaim(each.claim, 0.0, "unchecked") for each in claims}
    if support is None or not asked:
        return unchecked
    try:
        scores = support.support([(each.claim, read) for each, _, read in asked], deadline=deadline)
    except OutOfTime:
        return unchecked
    lowest: dict[tuple[_Open, _Source], float] = {}
    for (each, source, _), score in zip(asked, scores, strict=True):
        if not 0.0 <= score <= 1.0:
            raise ValueError(f"{support.name} gave {score}, which is no probability")
        lowest[each, source] = min(score, lowest.get((each, source), 1.0))
    weighed: dict[_Open, CheckedClaim] = {}
    for (each, source), score in lowest.items():
        if each not in weighed or score > weighed[each].support:
            weighed[each] = CheckedClaim(each.claim, score, "model", source.numbers, against=each.against)
    return weighed
