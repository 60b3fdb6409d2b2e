"""What is told of a list of which some items were chosen: whole where it fits, never with a hidden gap."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from rag.lists import Around, Listing, Stretch, listings, without_number
from rag.types import ListRest, StoredChunk

LookAround = Callable[[StoredChunk], Around | None]
"""The neighbours of a passage in its document; None where they are not known."""

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
    """A stretch of a passage that is told, and what of its list is not.

    Behind it is said that `n_more` items are not, or what `list_rest` says where they cannot be counted; `is_after_gap`
    is marked in front of it: items between it and the beginning of the list are left out.
    """

    passage: int
    chunk: StoredChunk
    stretch: Stretch
    n_more: int = 0
    list_rest: ListRest = ListRest.NONE
    is_after_gap: bool = False

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
    question: str,
    chosen: Sequence[tuple[int, StoredChunk, Stretch]],
    *,
    most: int,
    look_around: LookAround | None = None,
) -> list[Quotation]:
    """At most `most` quotations for (passage from 1, its chunk, stretch), best first, parts of one list together.

    * A question that asks for all of it ("how do I …", "what are the steps"), or two chosen items of a numbered or
      introduced list: the list from its beginning, or as much in one piece around the best item as there is room for.
    * One item: it alone, without its number, behind the line that introduces it; of a long one the chosen sentences.
    * Items of a list that is neither numbered nor introduced speak for themselves and stay as they were chosen, unless
      the question asks for all of it and names no case.

    The introducing line and the first item are one stretch of the passage, and one quotation. What is not told is
    counted where the list begins and ends in the passage; where it was cut, or `look_around` does not tell whether it
    was, that is said instead.
    """
    told: list[Quotation] = []
    asks_for_all = _ASKS_FOR_ALL.search(question) is not None
    wants_points = asks_for_all and not _OF_ONE_CASE.search(question)
    for part in _parts(chosen, look_around or _unknown):
        room = most - len(told)
        if room <= 0:
            break
        if part.listing is None or not (part.listing.is_one_thing or wants_points):
            told += [Quotation(part.passage, part.chunk, each) for each in part.stretches[:room]]
        elif asks_for_all or len(part.positions) > 1:
            told += _window(part, part.listing, room, from_first=asks_for_all)
        else:
            told += _single(part, part.listing, room)
    return told


def _unknown(_: StoredChunk) -> None:
    """Of no passage the neighbours."""


def _parts(chosen: Sequence[tuple[int, StoredChunk, Stretch]], look_around: LookAround) -> list[_Part]:
    """The chosen stretches, those of one list as one part where its best one stands."""
    parts: list[_Part] = []
    known: dict[tuple[str, Stretch], _Part] = {}
    lists = {chunk.chunk_id: _listings(chunk, look_around) for _, chunk, _ in chosen}
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


def _listings(chunk: StoredChunk, look_around: LookAround) -> list[Listing]:
    """The lists of the passage; its neighbours are looked up only where one may have been cut."""
    found = listings(chunk)
    if all(each.begins_here is not None and each.ends_here is not None for each in found):
        return found
    return listings(chunk, look_around(chunk))


def _window(part: _Part, listing: Listing, room: int, *, from_first: bool) -> list[Quotation]:
    """Neighbouring items around the best one: from the first where it is among them, or with most that were chosen."""
    n = len(listing.items)
    chosen = part.positions[:1] if from_first else part.positions
    n_told = min(n, room)
    first = _first_told(chosen, n, n_told)
    if first and listing.lead_in is not None and room > 1:
        n_told = min(n, room - 1)  # the line that introduces them stands by itself
        first = _first_told(chosen, n, n_told)
    items = list(listing.items[first : first + n_told])
    return _introduced(part, listing, items, n - n_told, is_first=first == 0, has_room=room > n_told)


def _first_told(chosen: Sequence[int], n: int, n_told: int) -> int:
    """Where `n_told` of `n` items begin that hold the best of `chosen`, its first, and most of the others."""
    best = chosen[0]
    return max(
        range(max(0, best - n_told + 1), min(best, n - n_told) + 1),
        key=lambda first: (sum(first <= each < first + n_told for each in chosen), first == 0, first),
    )


def _single(part: _Part, listing: Listing, room: int) -> list[Quotation]:
    """One item, or the sentences of it that were chosen where it is long."""
    position = part.positions[0]
    start, end = listing.items[position]
    n_more = len(listing.items) - 1
    if part.stretches[0] != (start, end):
        sentences = sorted(part.stretches[: max(1, room - (listing.lead_in is not None))])
        is_first = position == 0 and sentences[0][0] == start
        return _introduced(
            part, listing, sentences, n_more, is_first=is_first, has_room=room > len(sentences)
        )
    if listing.is_numbered and listing.lead_in is None:
        words = part.chunk.content[start:end]
        start += len(words) - len(without_number(words))
    return _introduced(part, listing, [(start, end)], n_more, is_first=position == 0, has_room=room > 1)


def _introduced(
    part: _Part, listing: Listing, items: list[Stretch], n_more: int, *, is_first: bool, has_room: bool
) -> list[Quotation]:
    """The items behind their introduction: in one stretch with the first item, else by itself where there is room."""
    before: list[Stretch] = []
    if listing.lead_in is not None:
        if is_first:
            items[0] = (listing.lead_in[0], items[0][1])
        elif has_room:
            before = [listing.lead_in]
    is_after_gap = not is_first or listing.begins_here is False
    told = [Quotation(part.passage, part.chunk, each) for each in (*before, *items)]
    told[len(before)] = replace(told[len(before)], is_after_gap=is_after_gap)
    rest = _rest(listing, n_more)
    told[-1] = replace(told[-1], n_more=0 if rest else n_more, list_rest=rest)
    return told


def _rest(listing: Listing, n_more: int) -> ListRest:
    """What is said of a list that does not begin or end in its passage, or may not."""
    if listing.begins_here and listing.ends_here:
        return ListRest.NONE
    is_cut = listing.begins_here is False or listing.ends_here is False
    return ListRest.GOES_ON if is_cut or n_more else ListRest.MAY_GO_ON
