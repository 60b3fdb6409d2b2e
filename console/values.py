"""Values from outside that a database could choke on: ids, searched words, names."""

from __future__ import annotations

import unicodedata
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

MAX_ID = 2**63 - 1
"""The largest key a BigAutoField holds; SQLite raises on larger numbers instead of finding nothing."""

UNUSABLE_NAME = "Use letters, digits and signs that can be seen; control characters cannot stand in a name."


def number_of(text: str) -> int | None:
    """The number that `text` writes in plain digits; None for anything that can be no id or place."""
    # "²".isdigit() is true and int("²") raises; int() also refuses more than 4,300 digits.
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(MAX_ID))):
        return None
    return number if (number := int(text)) <= MAX_ID else None


def searchable(text: str) -> str:
    """`text` as it may be looked for: without NUL, which PostgreSQL refuses, and spaces around it."""
    return text.replace("\0", "").strip()


def is_usable_name(text: str) -> bool:
    """True when something of `text` can be seen and nothing of it is a control character or half a one."""
    kinds = [unicodedata.category(character) for character in text]
    return not {"Cc", "Cs"} & set(kinds) and any(kind[0] not in "CZM" for kind in kinds)


class IdsField(forms.ModelMultipleChoiceField):  # type: ignore[type-arg]  # no generic when it runs
    """Ticked rows; an id that no row can have is an invalid choice like any other, not an error of ours."""

    def clean(self, value: Any) -> Any:
        """The rows."""
        given = value if isinstance(value, list | tuple) else []
        for one in given:
            if number_of(str(one)) is None:
                message = self.error_messages["invalid_pk_value"]
                raise ValidationError(message, code="invalid_pk_value", params={"pk": one})
        return super().clean(value)
