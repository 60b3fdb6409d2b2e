"""Stretches of a passage that only say that something is still missing: forms to fill in, notes, "to be announced".

Such a stretch looks like a literal match of a question and answers nothing. What says anything beside is no blank:
"WIP limits are three per person", "Date: to be announced on Monday 5 May".
"""

from __future__ import annotations

import re

_LABEL_CHARS = 80
_MAX_CHARS = 300
"""A longer stretch says something; `TODO: …` may be longer."""
# Possessive: forms are long runs of the same few signs, which a pattern that goes back would try in every way.
_FORM = r"_(?:\s*_)++|/{2,}+|\?{2,}+|\[[\s_]*+\]|\{\{[^{}]*+\}\}|\.(?:\s?\.){2,}+|…++|x{3,}+(?:[-–./\s]++x{2,}+)*+"
"""What a form leaves to be filled in."""
_HINT = r"<(?!mailto:)[^<>@:/]+>|\[(?:insert|enter|add|fill|your|name|todo|tbd|tba|tbc|to\ be|placeholder)\b[^\[\]]*\]"
"""``<insert name>``; an address in angle brackets is none."""
_WORD = r"@?todo|to\s?do|tbd|tba|tbc|fixme|wip|n\.?/?a\.?|not\ available|not\ applicable|lorem\ ipsum|coming\ soon"
_PENDING = (
    r"to\ (?:follow|be\ (?:added|announced|clarified|completed|confirmed|decided|defined|determined|done|filled\ in"
    r"|provided|updated|written))"
)
_WHEN = re.compile(
    r"\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:today|tomorrow|week|month|year|spring|summer|autumn|winter)"
    r"|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b",
    re.IGNORECASE,
)
_REST = (
    r"(?:[\s,;–—-]*\(?(?:by|with|from|pending|later|soon|shortly|yet|again|asap|here|in\ due\ course)\b"
    r"[^|.!?:]{0,40})?"
)
_END = r"[\W_]*"
_BLANK_VALUE = re.compile(
    rf"[*`(\s]*+_{{0,2}}(?:(?:{_FORM}|{_HINT})|(?:{_WORD}|{_PENDING}){_REST}){_END}", re.IGNORECASE
)
_NOTHING = re.compile(r"[-–—\s]*")
_LABELLED = re.compile(
    rf"(?P<label>.{{1,{_LABEL_CHARS}}}?)(?P<sign>:|[–—]|\s-)(?P<value>(?:\s|[*_`]).*|)", re.DOTALL
)
_DASH_LABEL = re.compile(r"[^\n.!?]{1,40}\s[-–—]\s*")
# "Name ____ Date ____", "The deposit is ____.": few words before each blank and none behind the last.
_FIELDS = re.compile(
    r"(?:[^_.…!?|:]{1,60}+:?+[\s*(]*+(?<=[\s:*(])(?:_{2,}+|\.{5,}+|…{2,}+)(?!\w)[.,;*)]*+)++\s*"
)
_NOTE = re.compile(
    r"[\W_]*(?:@?todo|fixme|tbd|tba|tbc)(?:\s*\([^)]*\))?\s*[:–—-].*|[\W_]*lorem\ ipsum\b.*"
    r"|[\W_]*@?todo\s+(?:add|ask|check|clarify|complete|confirm|decide|define|describe|document|expand|explain|fill|find"
    r"|finish|fix|get|insert|link|mention|move|needs?|put|remove|replace|review|rewrite|translate|update|verify|write)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_PIPE = re.compile(r"(?<!\\)\|")
_FILLED_LATER = re.compile(r"(?:(?<!_)_{2,}+|(?<!\.)\.{5,}+)[\s,;]++(?=[A-ZÀ-Þ][\w ()/-]{0,30}:)")
_BARE_LABEL = re.compile(r"[^.!?\n]{1,40}:[\s*`]*")


def is_blank(words: str) -> bool:
    """Whether a sentence, list item or table row has a blank where it would tell something.

    Of a row the first cell names what the others are about: it is blank where all others are.

    >>> is_blank("Phone: ____"), is_blank("Ghent | tbd"), is_blank("TODO lists are kept in the tracker")
    (True, True, False)
    """
    cells = [cell.strip() for cell in _PIPE.split(words) if cell.strip()]
    if len(cells) > 1:
        return all(_is_blank_cell(cell) or _NOTHING.fullmatch(cell) for cell in cells[1:])
    return bool(cells) and _is_blank_cell(cells[0])


def parts_of(words: str) -> list[tuple[int, int]]:
    """The fields of a form that stands in one sentence as offsets in `words`; all of it where no field is blank.

    >>> form = "Phone: ____ Mail: a@example.org"
    >>> [form[start:end] for start, end in parts_of(form)]
    ['Phone: ____', 'Mail: a@example.org']
    """
    cuts = {match.end() for match in _FILLED_LATER.finditer(words)}
    lines = [match.end() for match in re.finditer(r"\n\s*", words)]
    pieces = _pieces(words, sorted({*cuts, *lines}))
    if not any(is_blank(words[start:end]) for start, end in pieces):
        return [(0, len(words))]
    last = len(pieces) - 1
    return [
        (start, end)
        for number, (start, end) in enumerate(pieces)
        # A label without anything behind it, between the lines of a form.
        if number == last or not _BARE_LABEL.fullmatch(words[start:end])
    ]


def _pieces(words: str, cuts: list[int]) -> list[tuple[int, int]]:
    found = []
    for start, end in zip([0, *cuts], [*cuts, len(words)], strict=True):
        piece = words[start:end].rstrip()
        if piece:
            found.append((start, start + len(piece)))
    return found


def _is_blank_cell(words: str) -> bool:
    if _NOTE.fullmatch(words):
        return True
    if len(words) > _MAX_CHARS:
        return False
    if _is_blank_value(words) or _FIELDS.fullmatch(words) or _DASH_LABEL.fullmatch(words):
        return True
    labelled = _LABELLED.fullmatch(words)
    while labelled is not None:
        if labelled["value"].strip(" *`") and _is_blank_value(labelled["value"]):
            return True
        labelled = _LABELLED.fullmatch(words, labelled.end("sign"))
    return False


def _is_blank_value(words: str) -> bool:
    return _BLANK_VALUE.fullmatch(words.strip()) is not None and _WHEN.search(words) is None
