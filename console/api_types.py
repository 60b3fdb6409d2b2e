"""Types of the API's input: ids a database can hold, numbers that are numbers, text that can be stored."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from console.values import MAX_ID, UNUSABLE_NAME, is_usable_name


def _storable(text: str) -> str:
    if any(character == "\0" or 0xD800 <= ord(character) <= 0xDFFF for character in text):
        raise ValueError("leave out NUL characters and half surrogate pairs")
    return text


def _usable_name(text: str) -> str:
    # Blank is the service's to say, with its own code.
    if text.strip() and not is_usable_name(" ".join(text.split())):
        raise ValueError(UNUSABLE_NAME)
    return text


Id = Annotated[int, Field(ge=1, le=MAX_ID)]
"""In a query, where everything is text."""

StrictId = Annotated[int, Field(strict=True, ge=1, le=MAX_ID)]
"""In a body, where ``true`` is not 1."""

Text = Annotated[str, AfterValidator(_storable)]
Name = Annotated[str, AfterValidator(_storable), AfterValidator(_usable_name)]
