"""Single values out of Slack's JSON, whatever shape they really have."""

from __future__ import annotations

import re
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]

_ID = re.compile(r"[A-Za-z0-9_.:-]+", re.ASCII)
_URL_CHARS = 500


def object_of(value: object) -> Json:
    """The object, or an empty one."""
    return value if isinstance(value, dict) else {}


def text_of(value: object) -> str:
    """The text, or none."""
    return value if isinstance(value, str) else ""


def id_of(value: object, max_chars: int = 32) -> str:
    """An id or a ts as the database can keep it; empty when it cannot be one of Slack's."""
    text = text_of(value)
    return text if len(text) <= max_chars and _ID.fullmatch(text) else ""


def url_of(value: object) -> str:
    """An address as the database can keep it; empty when it is none."""
    text = text_of(value)
    return text if len(text) <= _URL_CHARS and text.isascii() and text.isprintable() else ""
