"""The place of several blocks together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rag.cells import merge_cells
from rag.types import Locator


def spanned(base: Locator, places: Sequence[Locator]) -> Locator:
    """`base` with the cells and the time that `places` span together; its own where they have none.

    >>> spanned(Locator(), [Locator(time=(1.0, 2.5)), Locator(time=(2.5, 4.0))]).time
    (1.0, 4.0)
    """
    cells = merge_cells(place.cells for place in places) or base.cells
    times = [place.time for place in places if place.time is not None]
    time = (min(start for start, _ in times), max(end for _, end in times)) if times else base.time
    return replace(base, cells=cells, time=time)
