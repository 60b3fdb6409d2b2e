"""The second hop: documents that the best passage or the question names are searched for what is left to say.

"Which band was the author of X a member of?" has its answer in two places: the passage about X names the author, and
the author's own page tells the band. No model reads the first passage; what it names is found among the titles of the
documents in scope, and asked what the first passage leaves unsaid. A hop only adds: it needs a best passage that passed
the gate, and what it finds has to pass the same gate, so that no refusal becomes an answer by it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from rag.corrective import Searched, best_first, compared
from rag.english import CHAT_WORDS, QUESTION_STEMS, QUESTION_WORDS
from rag.gate import gate_score, pass_gate
from rag.index import Index
from rag.inflected import forms_of
from rag.lexical import folded, stems
from rag.rerank import Reranker
from rag.retrieve import read_passages
from rag.run import Run
from rag.types import Scope, ScoredChunk, StoredChunk

_NAME = re.compile(
    r"[A-Z0-9][\w'’.&-]*(?:\s+(?:(?:of|the|and|for|in|on|to|de|la|van|von|a)\s+){0,2}[A-Z0-9][\w'’.&-]*)*"
)
"""A run of capitalised words, with small ones between them."""
_PLAIN_NAME = re.compile(
    r"\b(?:the|our|an?|this|that|its|their)\s+([^\W\d_][\w'’-]*(?:[ \t]+[^\W\d_][\w'’-]*){1,4})",
    re.IGNORECASE,
)
"""What may be a name without capitals, as in "the mobility team": the words behind a determiner."""
_MOST_PLAIN_NAMES = 4
_WORD = re.compile(r"[^\W_]+(?:['’.][^\W_]+)*")
_ASIDE = re.compile(r"\s*\([^()]*\)\s*$")
"""``(film)`` after the name that a title is."""
_ASKING = (
    QUESTION_WORDS
    | CHAT_WORDS
    | frozenset(("many", "much", "long", "often", "see", "find", "give", "go", "one"))
)
"""Words that are left over of nearly every question, and ask for nothing that a document could add."""
_SHORTEST_NAME = 4
_MOST_SAYING = 2
"""Passages of other documents that may say a name of one word."""
_N_LOOKED_UP = 25
_N_READ = 3
"""Passages of a named document that are read; more were never the right one of 33 questions tried."""


def bridge(
    searched: Searched, *, index: Index, scope: Scope, reranker: Reranker | None, run: Run
) -> tuple[Searched, ...]:
    """The best passage of each document that the best passage or the question names, where it passes the gate.

    At most ``max_hops - 1`` documents, each asked its name and what of the question the best passage does not say.
    Empty where the first search has no evidence, no reranker read it, or nothing is left or named.
    """
    if reranker is None or not searched.passages or gate_score(searched.found) != "relevance":
        return ()
    first = searched.passages[0].chunk
    left, sought = _left_unsaid(searched.question, first)
    if not sought:
        return ()
    with run.stage("bridge") as detail:
        named = _documents_named(searched, first, index, scope)
        named = dict(list(named.items())[: index.config.max_hops - 1])
        detail |= {"n_named": len(named)}
        if named:
            detail["from"] = first.document_title
    hops = []
    for document_id, name in named.items():
        query = f"{name} {left}"
        found = _searched_within(query, document_id, index, scope, run)
        # What begins with a document's title is near to it anyway: only what the reranker read counts.
        read = best_first(read_passages(query, found, index, reranker, run)) if found else ()
        found = read if gate_score(read) == "relevance" else ()
        with run.stage("gate") as detail:
            says = tuple(each for each in found if not sought.isdisjoint(stems(each.chunk.content)))
            passages = pass_gate(says, replace(run.thresholds, max_chunks=1))
            detail |= {**compared(found, run.thresholds), "searched": query, "n_passed": len(passages)}
        if passages:
            hops.append(Searched(query, found, passages))
    return tuple(hops)


def _left_unsaid(question: str, passage: StoredChunk) -> tuple[str, frozenset[str]]:
    """The question without the words that the passage has, and the stems of what is left to be said."""
    said = frozenset(stems(passage.text))
    kept: list[str] = []
    sought: set[str] = set()
    for word in question.split():
        content = [stem for stem in stems(word) if stem not in QUESTION_STEMS]
        if content and said.issuperset(content):
            continue
        if not _ASKING.issuperset(plain.casefold() for plain in _WORD.findall(word)):
            sought.update(form for stem in set(content) - said for form in forms_of(stem))
        kept.append(word)
    return " ".join(kept), frozenset(sought)


def _documents_named(searched: Searched, first: StoredChunk, index: Index, scope: Scope) -> dict[int, str]:
    """Ids and names of other documents that are named in the best passage or in the question."""
    asked = folded(searched.question)
    plain = [name for name in _PLAIN_NAME.findall(first.content) if folded(name) not in asked]
    new = dict.fromkeys(name for name in _NAME.findall(first.content) if folded(name) not in asked)
    # Each by itself: the words of several together find what has a little of all.
    wanted = [each for each in (" ".join(new), *list(dict.fromkeys(plain))[:_MOST_PLAIN_NAMES]) if each]
    ids = dict.fromkeys(chunk_id for each in wanted for chunk_id in _looked_up(each, index, scope))
    told = (_WORD.findall(first.content), _WORD.findall(searched.question))
    named: dict[int, str] = {}
    named_plainly: dict[int, str] = {}
    for chunk in (*(each.chunk for each in searched.found), *index.store.fetch(index.name, list(ids))):
        name = _ASIDE.sub("", chunk.document_title)
        if chunk.document_id == first.document_id:
            continue
        if any(_is_named(name, words) for words in told) and _is_telling(
            name, chunk.document_id, searched.found
        ):
            named.setdefault(chunk.document_id, name)
        elif folded(name) not in asked and _is_named_plainly(name, plain):
            named_plainly.setdefault(chunk.document_id, name)
    return {**named, **named_plainly}


def _is_telling(name: str, document_id: int, found: Sequence[ScoredChunk]) -> bool:
    """Not so a single word that much of what was found says: in a handbook "Slack" leads everywhere."""
    if len(_WORD.findall(name)) > 1:
        return True
    others = (each.chunk.content for each in found if each.chunk.document_id != document_id)
    return sum(name in words for words in others) <= _MOST_SAYING


def _looked_up(names: str, index: Index, scope: Scope) -> list[str]:
    """Ids of the chunks that have the words of the names: a word search costs about a millisecond."""
    found = index.lexical.search(names, _N_LOOKED_UP, scope.folder_ids, scope.document_ids)
    return [chunk_id for chunk_id, _ in found]


def _is_named(name: str, words: Sequence[str]) -> bool:
    """Whether the name stands among the words, one after the other and with a capital.

    The first word of a text has one anyway, so that a name of a single word does not count there.
    """
    sought = [folded(word) for word in _WORD.findall(name)]
    sought = sought[1:] if sought[:1] == ["the"] else sought
    if len("".join(sought)) < _SHORTEST_NAME:
        return False
    read = [folded(word) for word in words]
    begin = 0 if len(sought) > 1 else 1
    return any(
        read[at : at + len(sought)] == sought and (words[at][0].isupper() or words[at][0].isdigit())
        for at in range(begin, len(read) - len(sought) + 1)
    )


def _is_named_plainly(name: str, found: Sequence[str]) -> bool:
    """Whether the name, of two words or more, begins what stands behind a determiner.

    "The mobility team" is the team that a document of that title is about; one word, "the office", is anything.
    """
    sought = [folded(word) for word in _WORD.findall(name)]
    sought = sought[1:] if sought[:1] == ["the"] else sought
    read = ([folded(word) for word in _WORD.findall(each)] for each in found)
    return len(sought) > 1 and any(words[: len(sought)] == sought for words in read)


def _searched_within(
    query: str, document_id: int, index: Index, scope: Scope, run: Run
) -> tuple[ScoredChunk, ...]:
    """The passages of one document that are nearest to the query."""
    with run.stage("retrieve") as detail:
        vector = index.embedder.encode_question(query)
        within = Scope(scope.folder_ids, (document_id,))
        nearest = index.store.search(index.name, vector, _N_READ, within)
        detail["n_dense"] = len(nearest)
    return tuple(ScoredChunk(chunk, distance, None, 0.0) for chunk, distance in nearest)
