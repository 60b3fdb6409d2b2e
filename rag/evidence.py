"""Evidence for a question: the passages of each thing that it asks, and which of them the documents do not answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag.bridge import bridge
from rag.contradiction import Contradiction
from rag.corrective import Searched, best_of, search_for
from rag.gate import gate_score
from rag.index import Index
from rag.premise_check import check_premises
from rag.rerank import Reranker
from rag.run import Run
from rag.types import RefusalReason, Scope, ScoredChunk, UnansweredPart
from rag.understand import Asked
from rag.verify import SupportModel


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that is asked, and the passages that may answer it, best first.

    `is_hop`: asked of a document that another part's passage names; it adds to an answer and is never missed.
    """

    question: str
    passages: tuple[ScoredChunk, ...]
    is_hop: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """The passages that may be written from, best first, and the parts of the question with those of each.

    Both are empty where nothing passed.
    """

    passages: tuple[ScoredChunk, ...] = ()
    parts: tuple[Part, ...] = ()
    unanswered: tuple[UnansweredPart, ...] = ()
    """Parts of the question that nothing passed for, while something did for others."""
    contradiction: Contradiction | None = None
    """Of a premise of the question; also where the evidence is not enough to answer."""


def gather(
    asked: Asked,
    *,
    index: Index,
    scope: Scope,
    reranker: Reranker | None,
    support: SupportModel | None,
    run: Run,
) -> Evidence:
    """Evidence for the question, or for each of its parts.

    Of several parts those with evidence are answered and the others are refused by name. Where no part has any, or a
    part is there only for the sake of another, the question is tried whole.
    """

    def search(question: str) -> Searched:
        return search_for(question, index=index, scope=scope, reranker=reranker, run=run)

    searched = [search(part) for part in asked.parts]
    passed = [each for each in searched if each.passages]
    is_whole = len(searched) == 1
    if len(searched) > 1 and (not passed or (asked.is_chain and len(passed) < len(searched))):
        # A record of what passed for the first link of a broken chain would contradict the refusal.
        searched = [searched[-1]] if asked.is_chain else [*searched, search(asked.question)]
        passed = [searched[-1]] if searched[-1].passages else []
        is_whole = True
    for each in searched:
        run.keep(each.found)
    parts = tuple(Part(each.question, each.passages) for each in passed)
    passages = _joined([part.passages for part in parts], run.thresholds.max_chunks)
    if len(asked.parts) == 1 or asked.is_chain:
        hops = _hops(passed[-1:], index, scope, reranker, run)
        parts = (*parts, *hops)
        # On top of what the question itself found, which would be cut short otherwise.
        passages = _each_once([*passages, *(each for hop in hops for each in hop.passages)])
    said_otherwise = check_premises(asked.question, passages, index, support, run)
    unanswered = tuple(_unanswered(each, run) for each in searched if not is_whole and not each.passages)
    return Evidence(passages, parts, unanswered, said_otherwise)


def _unanswered(searched: Searched, run: Run) -> UnansweredPart:
    reason = RefusalReason.BELOW_THRESHOLD if searched.found else RefusalReason.NOTHING_RETRIEVED
    return unanswered_part(searched.question, reason, searched.found, run)


def unanswered_part(
    question: str, reason: RefusalReason, found: Sequence[ScoredChunk], run: Run
) -> UnansweredPart:
    """The part with the best number of what was found for it, and the cut that this kind of number has."""
    score = gate_score(found)
    return UnansweredPart(question, reason, best_of(found), run.thresholds.cut_of(score), score)


def _hops(
    passed: Sequence[Searched], index: Index, scope: Scope, reranker: Reranker | None, run: Run
) -> tuple[Part, ...]:
    """What the documents add that are named where the evidence stands."""
    hops = [
        hop for each in passed for hop in bridge(each, index=index, scope=scope, reranker=reranker, run=run)
    ]
    for hop in hops:
        run.keep(hop.found)
    return tuple(Part(hop.question, hop.passages, is_hop=True) for hop in hops)


def _joined(of_parts: Sequence[tuple[ScoredChunk, ...]], n: int) -> tuple[ScoredChunk, ...]:
    """The best of each part, then the second best, until `n`; each passage once."""
    longest = max(map(len, of_parts), default=0)
    by_turns = [passages[at] for at in range(longest) for passages in of_parts if at < len(passages)]
    return _each_once(by_turns)[: max(n, len(of_parts))]


def _each_once(passages: Sequence[ScoredChunk]) -> tuple[ScoredChunk, ...]:
    known: dict[str, ScoredChunk] = {}
    for passage in passages:
        known.setdefault(passage.chunk.chunk_id, passage)
    return tuple(known.values())
