"""Numbers written in words and digits, the months and weekdays: the tables that everything here compares with."""

from __future__ import annotations

import re

_ONES = "one two three four five six seven eight nine"
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINALS = """
zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth
fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth
"""
_MONTHS = "January February March April May June July August September October November December"

ONES = tuple(_ONES.split())
"""1 to 9."""
TEENS = tuple(_TEENS.split())
"""10 to 19."""
TENS = tuple(_TENS.split())
"""20 to 90."""
ORDINALS = tuple(_ORDINALS.split())
"""0th to 19th."""
MONTHS = tuple(_MONTHS.split())
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
VALUES = {word: value for value, word in enumerate((*ONES, *TEENS), start=1)} | {
    word: 10 * tens for tens, word in enumerate(TENS, start=2)
}
"""What each word of `ONES`, `TEENS` and `TENS` counts."""
SCALES = {"k": 1_000, "hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
THOUSANDS = re.compile(r"(?<![\w.,])\d{1,3}(?:[,' ]\d{3})+(?![\w,]|[.,]\d{3})")
"""``1,000``, ``1'000`` and ``1 000``."""
COMMA_DECIMAL = re.compile(r"(?<![\w.,])(\d+),(\d{1,2})(?!\w|[.,]\d)")
"""``2,5`` of those who write so."""


def with_plain_digits(text: str) -> str:
    """`text` without marks between thousands and with points for decimals: ``1,000`` is 1000, ``2,5`` is 2.5."""
    text = THOUSANDS.sub(lambda match: re.sub(r"\D", "", match.group()), text)
    return COMMA_DECIMAL.sub(r"\1.\2", text)
