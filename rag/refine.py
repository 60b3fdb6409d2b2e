"""Other wordings to search with when the evidence is neither enough nor hopeless."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.english import CHAT_WORDS, QUESTION_WORDS
from rag.lexical import folded
from rag.types import ScoredChunk

_WORD = re.compile(r"[^\W_]+(?:[-_.'’/@][^\W_]+)*")
_N_HEADINGS = 2


def rewordings(question: str, candidates: Sequence[ScoredChunk]) -> tuple[str, ...]:
    """Queries to search with next, none like the question itself; the candidates run from the best.

    First the question's own content words: what chat puts around them pulls a sentence's vector away. Then the question
    with the headings of the best passages: documents call the thing otherwise than the asker does (pseudo relevance
    feedback, after Rocchio 1971).
    """
    words = _WORD.findall(question)
    told = [word for word in words if folded(word) not in QUESTION_WORDS and folded(word) not in CHAT_WORDS]
    wordings = [" ".join(told)] if 0 < len(told) < len(words) else []
    headings = dict.fromkeys(_heading(candidate) for candidate in candidates)
    if named := [heading for heading in headings if heading][:_N_HEADINGS]:
        wordings.append(f"{question} {' '.join(named)}")
    return tuple(wording for wording in dict.fromkeys(wordings) if folded(wording) != folded(question))


def _heading(candidate: ScoredChunk) -> str:
    path = candidate.chunk.locator.heading_path
    return path[-1] if path else candidate.chunk.document_title
