"""Pages of API lists: `limit` and `offset` in, `items` and the exact `count` out."""

from __future__ import annotations

from typing import TypeVar

from django.db.models import Model, QuerySet
from ninja import Schema
from pydantic import Field

from console.values import MAX_ID

M = TypeVar("M", bound=Model)


class PageQuery(Schema):
    """Which part of a list is wanted."""

    limit: int = Field(50, ge=1, le=200)
    offset: int = Field(0, ge=0, le=MAX_ID)


def cut(rows: QuerySet[M], page: PageQuery) -> tuple[int, list[M]]:
    """How many rows there are, and those of the page."""
    return rows.count(), list(rows[page.offset : page.offset + page.limit])
