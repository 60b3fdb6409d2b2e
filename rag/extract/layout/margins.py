"""Running headers, footers and page numbers: what stands at the same place on many pages."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from rag.extract.layout.segments import PageText, Segment

# The outer 12 % of a page's height; the 5 outermost lines there.
_MARGIN_SHARE = 0.12
_MAX_MARGIN_LINES = 5
_MIN_PAGES = 2
_MIN_PAGE_SHARE = 0.4
_ALTERNATING_PAGES = 4
_ALTERNATING_SHARE = 0.2
_SAME_PLACE_PT = 6.0
_NUMBER = re.compile(r"[-–—\s.|]*(\d{1,4})[-–—\s.|]*")
_ROMAN = re.compile(r"[ivxl]{1,7}", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")

_Key = tuple[str, bool]
_Sighting = tuple[int, Segment]


def drop_running_lines(pages: Sequence[PageText]) -> tuple[list[PageText], int]:
    """The pages without running lines, and how many segments were removed.

    A line runs when it repeats at one height on two fifths of the pages, or, for left and right
    pages that differ, on a fifth of at least 20. Its numbers stay the same or grow with the pages, as
    chapters and page numbers do; others are content.
    """
    sightings: dict[_Key, list[_Sighting]] = defaultdict(list)
    for index, page in enumerate(pages):
        for segment, is_top in _margin_segments(page):
            sightings[(_masked(segment.text), is_top)].append((index, segment))
    running: dict[int, set[int]] = defaultdict(set)
    for (text, _), found in sightings.items():
        for index, segment in _running(text, found, len(pages)):
            running[index].add(id(segment))
    cleaned = [
        replace(page, segments=tuple(item for item in page.segments if id(item) not in running[index]))
        for index, page in enumerate(pages)
    ]
    n_emptied = sum(
        bool(page.segments) and not clean.segments for page, clean in zip(pages, cleaned, strict=True)
    )
    n_before, n_after = _n_chars(pages), _n_chars(cleaned)
    if 2 * n_emptied > sum(bool(page.segments) for page in pages) or 4 * n_after < n_before:
        return list(pages), 0  # the pages are copies of each other: what repeats is the content
    return cleaned, sum(len(ids) for ids in running.values())


def _n_chars(pages: Sequence[PageText]) -> int:
    return sum(len(segment.text) for page in pages for segment in page.segments)


def _margin_segments(page: PageText) -> list[tuple[Segment, bool]]:
    from_top = sorted(page.segments, key=lambda segment: segment.top)
    top = [item for item in from_top if item.bottom < _MARGIN_SHARE * page.height]
    bottom = [item for item in reversed(from_top) if item.top > (1 - _MARGIN_SHARE) * page.height]
    return [(item, True) for item in top[:_MAX_MARGIN_LINES]] + [
        (item, False) for item in bottom[:_MAX_MARGIN_LINES]
    ]


def _masked(text: str) -> str:
    words = " ".join(text.casefold().split())
    if _NUMBER.fullmatch(words) or _ROMAN.fullmatch(words):
        return "#"
    letters, digits = sum(map(str.isalpha, words)), sum(map(str.isdigit, words))
    # A row of a table has few letters among its figures; its digits are content.
    return _DIGITS.sub("#", words) if letters > max(2, digits) else words


def _running(text: str, found: Sequence[_Sighting], n_pages: int) -> list[_Sighting]:
    kept = _numbers_that_grow(found) if text == "#" else _with_steady_numbers(_at_one_height(found))
    n_found = len({index for index, _ in kept})
    share = n_found / n_pages
    if n_found < _MIN_PAGES:
        return []
    is_running = share >= _MIN_PAGE_SHARE or (n_found >= _ALTERNATING_PAGES and share >= _ALTERNATING_SHARE)
    return list(kept) if is_running else []


def _at_one_height(found: Sequence[_Sighting]) -> Sequence[_Sighting]:
    tops = sorted(segment.top for _, segment in found)
    middle = tops[len(tops) // 2]
    return [item for item in found if abs(item[1].top - middle) <= _SAME_PLACE_PT]


def _with_steady_numbers(found: Sequence[_Sighting]) -> Sequence[_Sighting]:
    """The lines whose numbers, place by place, are the commonest ones or grow with the pages."""
    rows = [tuple(map(int, _DIGITS.findall(segment.text))) for _, segment in found]
    is_kept = [True] * len(found)
    for values in zip(*rows, strict=False):
        offsets = [value - index for value, (index, _) in zip(values, found, strict=True)]
        if _are_chapters(values):
            continue
        steady = max((values, offsets), key=lambda row: Counter(row).most_common(1)[0][1])
        commonest = Counter(steady).most_common(1)[0][0]
        is_kept = [keep and value == commonest for keep, value in zip(is_kept, steady, strict=True)]
    return [item for item, keep in zip(found, is_kept, strict=True) if keep]


def _are_chapters(values: Sequence[int]) -> bool:
    """Each number stands on several pages, and they never fall."""
    return list(values) == sorted(values) and 2 * len(set(values)) <= len(values)


def _numbers_that_grow(found: Sequence[_Sighting]) -> Sequence[_Sighting]:
    """The bare numbers that differ from their page's index by the commonest amount, and Romans."""
    offsets: dict[int, list[_Sighting]] = defaultdict(list)
    romans: list[_Sighting] = []
    for index, segment in found:
        number = _NUMBER.fullmatch(segment.text.strip())
        if number:
            offsets[int(number[1]) - index].append((index, segment))
        else:
            romans.append((index, segment))
    return max(offsets.values(), key=len, default=[]) + romans
