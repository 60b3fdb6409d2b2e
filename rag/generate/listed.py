"""What is told of a list of which some items were chosen: whole where it fits, never with a hidden gap."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from rag.lists import Listing, Stretch, listings, without_number
from rag.types import StoredChunk

_ASKS_FOR_ALL = re.compile(
    r"\bhow (?:do|does|can|could|should|must|may|would|shall) (?!much\b|many\b|long\b|often\b)|\bhow to\b"
    r"|\bwhat (?:do|does|should|must|can|could|shall) (?:i|we|you|they|he|she|one|people|everyone|everybody) "
    r"(?:do|need|bring|pack|have to|prepare|check)\b"
    r"|\bwhat (?:is|are) (?:the )?(?:steps?|process|procedure|checklist|requirements|conditions|rules|options)\b"
    r"|\b(?:the steps|step by step|procedure for|process for|steps (?:to|for|of))\b|\bwhat happens\b",
    re.IGNORECASE,
)
"""Questions that a procedure or a list as a whole answers; others want one point of it."""
_OF_ONE_CASE = re.compile(r"\b(?:if|when|while|in case|unless)\b", re.IGNORECASE)
"""Of points that nothing ties together one may be for this case; of steps all are."""


@dataclass(frozen=True, slots=True)
class Quotation:
    """A stretch of a passage that is told; `n_more` items of its list are not, which is said behind it."""

    passage: int
    chunk: StoredChunk
    stretch: Stretch
    n_more: int = 0

    @property
    def words(self) -> str:
        """As they stand in the passage."""
        return self.chunk.content[self.stretch[0] : self.stretch[1]]


@dataclass(slots=True)
class _Part:
    """What was chosen of one list, or one stretch that stands in none; the best first."""

    passage: int
    chunk: StoredChunk
    stretches: list[Stretch]
    listing: Listing | None = None
    positions: list[int] = field(default_factory=list)


def quotations(
    question: str, chosen: Sequence[tuple[int, StoredChunk, Stretch]], *, most: int
) -> list[Quotation]:
    """At most `most` quotations for (passage from 1, its chunk, stretch), best first, parts of one list together.

    * A question that asks for all of it ("how do I …", "what are the steps"), or two chosen items of a numbered or
      introduced list: the list from its beginning, or as much in one piece around the best item as there is room for.
    * One item: it alone, without its number, behind the line that introduces it.
    * Items of a list that is neither numbered nor introduced speak for themselves and stay as they were chosen, unless
      the question asks for all of it and names no case.

    The introducing line and the first item are one stretch of the passage, and one quotation.
    """
    told: list[Quotation] = []
    asks_for_all = _ASKS_FOR_ALL.search(question) is not None
    wants_points = asks_for_all and not _OF_ONE_CASE.search(question)
    for part in _parts(chosen):
        room = most - len(told)
        if room <= 0:
            break
        if part.listing is None or not (part.listing.is_one_thing or wants_points):
            told += [Quotation(part.passage, part.chunk, each) for each in part.stretches[:room]]
        elif asks_for_all or len(part.positions) > 1:
            told += _window(part, part.listing, room)
        else:
            told += _single(part, part.listing, room)
    return told


def _parts(chosen: Sequence[tuple[int, StoredChunk, Stretch]]) -> list[_Part]:
    """The chosen stretches, those of one list as one part where its best one stands."""
    parts: list[_Part] = []
    known: dict[tuple[str, Stretch], _Part] = {}
    lists = {chunk.chunk_id: listings(chunk) for _, chunk, _ in chosen}
    for passage, chunk, stretch in chosen:
        found = [(each, each.position_of(stretch[0])) for each in lists[chunk.chunk_id]]
        listing, position = next(((each, at) for each, at in found if at is not None), (None, None))
        if listing is None or position is None:
            parts.append(_Part(passage, chunk, [stretch]))
            continue
        key = (chunk.chunk_id, listing.items[0])
        if key not in known:
            known[key] = _Part(passage, chunk, [], listing)
            parts.append(known[key])
        known[key].stretches.append(stretch)
        if position not in known[key].positions:
            known[key].positions.append(position)
    return parts


def _window(part: _Part, listing: Listing, room: int) -> list[Quotation]:
    """Neighbouring items, from the first where the best one is among as many as there is room for."""
    n = len(listing.items)
    best = part.positions[0]
    has_separate_lead_in = listing.lead_in is not None and best >= room > 1
    n_told = min(n, room - has_separate_lead_in)
    first = 0 if best < n_told else min(best, n - n_told)
    items = listing.items[first : first + n_told]
    return _introduced(
        part, listing, list(items), n - n_told, is_first=first == 0, has_room=has_separate_lead_in
    )


def _single(part: _Part, listing: Listing, room: int) -> list[Quotation]:
    """One item, or the sentences of it that were chosen where it is long."""
    position = part.positions[0]
    start, end = listing.items[position]
    is_whole = part.stretches[0] == (start, end)
    n_more = len(listing.items) - 1
    if not is_whole:
        return [Quotation(part.passage, part.chunk, each) for each in part.stretches[:room]]
    if listing.is_numbered and listing.lead_in is None:
        words = part.chunk.content[start:end]
        start += len(words) - len(without_number(words))
    return _introduced(part, listing, [(start, end)], n_more, is_first=position == 0, has_room=room > 1)


def _introduced(
    part: _Part, listing: Listing, items: list[Stretch], n_more: int, *, is_first: bool, has_room: bool
) -> list[Quotation]:
    """The items behind their introduction: in one stretch with the first item, else by itself where there is room."""
    if listing.lead_in is not None:
        if is_first:
            items[0] = (listing.lead_in[0], items[0][1])
        elif has_room:
            items.insert(0, listing.lead_in)
    last = len(items) - 1
    return [
        Quotation(part.passage, part.chunk, each, n_more if at == last else 0)
        for at, each in enumerate(items)
    ]
