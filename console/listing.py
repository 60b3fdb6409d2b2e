"""Tables: sorted by a header, cut into pages, with exact counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.core.paginator import Page, Paginator
from django.db.models import F, Model, QuerySet
from django.http import HttpRequest

M = TypeVar("M", bound=Model)
PER_PAGE = 50


@dataclass(frozen=True, slots=True)
class Listing(Generic[M]):
    """One page of rows and how they are sorted. `sort` is a key, with "-" in front when descending."""

    rows: list[M]
    page: Page[M]
    sort: str
    target: str

    @property
    def n_total(self) -> int:
        """Rows in all pages."""
        return self.page.paginator.count

    @property
    def first(self) -> int:
        """Number of the first row shown; 0 when there is none."""
        return self.page.start_index()

    @property
    def last(self) -> int:
        """Number of the last row shown."""
        return self.page.end_index()


def list_rows(
    request: HttpRequest,
    rows: QuerySet[M],
    *,
    sortable: Mapping[str, str],
    default: str,
    per_page: int = PER_PAGE,
    target: str = "list",
) -> Listing[M]:
    """The asked page of `rows`.

    `sortable` maps the keys of `?sort=` to model fields. An unknown key or page falls back to the
    default and the nearest page, so that an old link still opens. Rows without a value come last.
    """
    sort = request.GET.get("sort", default)
    if sort.removeprefix("-") not in sortable:
        sort = default
    field = F(sortable[sort.removeprefix("-")])
    order = field.desc(nulls_last=True) if sort.startswith("-") else field.asc(nulls_last=True)
    # The key breaks ties: without it a row may stand on two pages and another on none.
    page = Paginator(rows.order_by(order, "-pk"), per_page).get_page(request.GET.get("page"))
    return Listing(rows=list(page.object_list), page=page, sort=sort, target=target)
