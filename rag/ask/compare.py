"""A question that compares, as one question for each side."""

from __future__ import annotations

from collections.abc import Callable

from rag.ask.clause import agreeing, clause_of
from rag.ask.sides import Sides, asked_of_each, both_sides, is_modifier, is_side, parted
from rag.ask.words import (
    AUXILIARIES,
    BE,
    CONJUNCTIONS,
    DETERMINERS,
    PREPOSITIONS,
    VERBS,
    head_of,
    is_plural,
    is_predicate,
    open_words,
    opens_question,
    plain,
)

_ADJECTIVES = """
longer/long shorter/long higher/high lower/high bigger/big larger/large smaller/large older/old
    younger/old newer/old faster/fast slower/fast quicker/fast stricter/strict cheaper/expensive earlier/early
    later/late nearer/far closer/far further/far heavier/heavy better/good worse/good
"""
_HOW = dict(pair.split("/") for pair in _ADJECTIVES.split())
_MORE = {"more": "much", "less": "much", "fewer": "many", "many": "many", "much": "much"}
_ADJECTIVE_ENDS = (
    *("ive", "ous", "ful", "al", "ent", "ant", "ic", "ible", "able", "ly", "ed", "ing", "ary"),
    *(
        "long",
        "high",
        "big",
        "large",
        "old",
        "fast",
        "strict",
        "late",
        "early",
        "far",
        "heavy",
        "good",
        "bad",
        "cheap",
    ),
)


def compared(sentence: str) -> Sides:
    """The question of each side that `sentence` compares or asks "both" of; empty where it does neither."""
    return next((sides for of in _READINGS if (sides := of(sentence))), ())


def _of_two(sentence: str) -> Sides:
    """'Is A longer than B?', 'do A get the same leave as B?', 'is A different from B?'."""
    words = open_words(sentence)
    read = [plain(word) for word in words]
    pivot = next((at for at in range(len(read) - 1, 1, -1) if read[at] in {"than", "as", "from"}), 0)
    if read[:2] == ["how", "much"] and read[3:4] and read[3] in BE and read[pivot] == "than":
        words = [words[3], *words[4:pivot], words[2], *words[pivot:]]  # how much longer is A than B
        read, pivot = [plain(word) for word in words], pivot - 2
    signs = {"than": _HOW.keys() | _MORE.keys(), "as": {"same", "as"}, "from": {"different"}}.get(
        read[pivot] if pivot else ""
    )
    sign = next((at for at in range(2, pivot) if signs and read[at] in signs), 0)
    if not sign or read[0] not in AUXILIARIES:
        return ()
    said = words[1 : sign - (read[sign] == "same")]
    middle, other = words[sign + 1 : pivot], words[pivot + 1 :]
    while other and plain(other[-1]) in AUXILIARIES:
        other.pop()
    if read[0] in BE:
        return _of_being(said, read[sign], middle, other)
    return _of_doing(words[0].casefold(), said, read[sign], middle, other)


def _of_being(said: list[str], sign: str, middle: list[str], other: list[str]) -> Sides:
    if sign in _HOW and (not middle or plain(middle[0]) in PREPOSITIONS):
        return asked_of_each(f"how {_HOW[sign]}", both_sides([*said, *middle], other))
    if sign in {"more", "less", "as"} and len(middle) == 1 and plain(middle[0]).endswith(_ADJECTIVE_ENDS):
        return asked_of_each(f"how {middle[0]}", both_sides(said, other))
    return (
        asked_of_each("what", both_sides(said, other)) if sign in {"same", "different"} and not middle else ()
    )


def _of_doing(aux: str, said: list[str], sign: str, middle: list[str], other: list[str]) -> Sides:
    if sign == "as" and middle and plain(middle[0]) in _MORE:
        middle = middle[1:]
    if sign in _HOW and middle and [plain(word) for word in said[-2:]] in (["have", "a"], ["have", "an"]):
        return _of_having(aux, f"how {_HOW[sign]} {said[-1]} {' '.join(middle)}", said[:-2], other)
    if len(said) < 2 or plain(said[-1]) not in VERBS or (sign in _HOW and middle):
        return ()
    subject, verb = said[:-1], said[-1]
    in_place = next((at for at, word in enumerate(middle) if other and plain(word) == plain(other[0])), 0)
    thing = " ".join(middle[:in_place] if in_place else middle)
    size = _HOW[sign] if sign in _HOW else "many" if middle and is_plural(head_of(middle)) else "much"
    asks = f"what {thing}" if sign == "same" else f"how {size} {thing}"
    if in_place:  # the same holidays in Norway as in Sweden
        sides = [" ".join((asks, aux, *said, *place)) for place in (middle[in_place:], other)]
        return tuple(" ".join(side.split()) for side in sides) if is_side(other) else ()
    if not is_side(subject) or not is_side(other):
        return ()
    return tuple(
        f"{asks} {agreeing(aux, side)} {' '.join(side)} {verb}".replace("  ", " ")
        for side in (subject, other)
    )


def _of_having(aux: str, asks: str, subject: list[str], other: list[str]) -> Sides:
    """'Does Berlin have a longer probation period than Lisbon?'."""
    if not is_side(subject) or not is_side(other):
        return ()
    return tuple(f"{asks} {agreeing(aux, side)} {' '.join(side)} have" for side in (subject, other))


def _shared(sentence: str) -> Sides:
    """'Is the notice period the same for A and B?', 'do A and B get the same leave?'."""
    words = open_words(sentence)
    read = [plain(word) for word in words]
    at = read.index("same") if "same" in read and read[0] in AUXILIARIES else 0
    if at > 2 and read[0] in BE and read[at + 1 : at + 2] == ["for"]:
        first, second = parted(words[at + 2 :], "and")
        said = " ".join(words[1 : at - 1])
        return asked_of_each("what", both_sides(first, second), f"{said} for")
    first, second = parted(words[1 : at - 2], "and") if at > 4 and read[at - 2] in VERBS else ([], [])
    if not is_side(first) or not is_side(second):
        return ()
    thing, aux = " ".join(words[at + 1 :]), words[0].casefold()
    sides = (
        f"what {thing} {agreeing(aux, side)} {' '.join(side)} {words[at - 2]}" for side in (first, second)
    )
    return tuple(side.replace("  ", " ") for side in sides)


def _named(sentence: str) -> Sides:
    """'The difference between A and B', 'compare A and B', 'how do A and B differ?', 'A vs B'."""
    words = open_words(sentence)
    read = [plain(word) for word in words]
    asks_how = read[:1] == ["how"] and read[1:2] in (["do"], ["does"], ["is"], ["are"])
    for at, word in enumerate(read):
        if word in {"difference", "differences"} and "between" in read[at:]:
            start = read.index("between", at)
            attribute = words[at + 2 : start] if read[at + 1] == "in" else []
            return _of_sides(*parted(words[start + 1 :], "and"), attribute)
        if word in {"compare", "compared"} and asks_how and at > 2:
            rest = words[at + 2 :] if read[at + 1 : at + 2] in (["to"], ["with"]) else []
            return _of_sides(*((words[2:at], rest) if rest else parted(words[2:at], "and")), [])
        if word in {"compare", "comparison"} and at < 4:
            start = at + (2 if read[at + 1 : at + 2] in (["of"], ["between"]) else 1)
            return _of_sides(*parted(words[start:], "and", "with", "to"), [])
        if word in {"vs", "versus"} and at:
            return _versus(words[:at], words[at + 1 :])
        if word in {"differ", "different"} and asks_how:
            is_in = read[at + 1 : at + 2] == ["in"]
            sides = (
                parted(words[2:at], "and") if is_in or not read[at + 1 :] else (words[2:at], words[at + 2 :])
            )
            return _of_sides(*sides, words[at + 2 :] if is_in else [])
    return ()


def _of_sides(first: list[str], second: list[str], attribute: list[str]) -> Sides:
    """What each side is; or what its `attribute` is, which may also be told behind them: "… on notice period"."""
    at = next(
        (n for n, each in enumerate(second) if n and plain(each) in {"in", "on"} and second[n + 1 :]), 0
    )
    if at and not attribute and second[at + 1][0].islower():
        second, attribute = second[:at], second[at + 1 :]
    return asked_of_each(
        "what", both_sides(first, second), " ".join(["the", *attribute, "for"]) if attribute else ""
    )


def _versus(first: list[str], second: list[str]) -> Sides:
    read = [plain(word) for word in first]
    if opens_question(read[:2]) and read[:1] != ["what"]:
        clause = clause_of(" ".join(first))
        if clause is None or plain(clause.aux) not in {"do", "does"} or not is_side(second):
            return ()
        other = (*clause.lead, agreeing(clause.aux, second), *second, *clause.rest)
        return " ".join(first), " ".join(other)
    first = first[2:] if read[:1] == ["what"] else first
    a, b = both_sides(first, second) or ("", "")
    # "Notice period interns vs employees" does not say where the first side begins.
    return (
        ()
        if len(first) > len(second) + 1 and b == " ".join(second)
        else asked_of_each("what", (a, b) if a else ())
    )


def _either(sentence: str) -> Sides:
    """'Which is higher, A or B?'."""
    words = open_words(sentence)
    read = [plain(word) for word in words]
    if read[:1] not in (["which"], ["what"], ["who"]) or "or" not in read:
        return ()
    sign = next((at for at, word in enumerate(read) if word in _HOW or word in {"more", "less", "fewer"}), 0)
    comma = next((at for at, word in enumerate(words) if word.endswith((",", ":")) and at >= sign), 0)
    start = comma + 1 if comma else sign + 1
    first, second = parted(words[start:], "or")
    both = both_sides(first, second)
    if not sign or not both:
        return ()
    first, second = both[0].split(), both[1].split()
    if read[sign - 1] in BE and read[sign] in _HOW and start == sign + 1:
        noun = words[1 : sign - 1]
        sides = [["the", *side, *noun] if noun and len(side) == 1 else side for side in (first, second)]
        return asked_of_each(f"how {_HOW[read[sign]]}", (" ".join(sides[0]), " ".join(sides[1])))
    lead = " ".join(words[:start]).rstrip(",:")
    return (f"{lead}: {' '.join(first)}", f"{lead}: {' '.join(second)}") if comma else ()


def _both(sentence: str) -> Sides:
    """'Does the policy cover both contractors and interns?'."""
    words = open_words(sentence)
    read = [plain(word) for word in words]
    at = read.index("both") if "both" in read else len(read)
    joint = read.index("and", at) if "and" in read[at + 2 : at + 8] else 0
    if not joint:
        return ()
    first, end = [word.rstrip(",") for word in words[at + 1 : joint]], len(words)
    if at and read[at - 1] in AUXILIARIES:  # the sides are the subject; what follows must be its verb
        end = joint + 1 + len(first)
        if end >= len(read) or not (read[end] in VERBS or is_predicate(read[end])):
            return ()
    else:
        ends = (
            CONJUNCTIONS - {"and"}
            if PREPOSITIONS & set(read[at + 2 : joint])
            else PREPOSITIONS | CONJUNCTIONS
        )
        end = next((n for n in range(joint + 2, len(read)) if read[n] in ends), end)
    second = words[joint + 1 : end]
    if not is_side(first) or not is_side(second) or is_modifier(second[-1]):
        return ()
    if len(first) == 1 < len(second) and not is_plural(first[0]) and plain(second[0]) not in DETERMINERS:
        if not is_modifier(first[0]):  # "both leave and sick pay" may be leave pay
            return ()
        first = [*first, second[-1]]
    head = words[:at]
    sides = [[*head[:-1], agreeing(head[-1], side)] if head else [] for side in (first, second)]
    return tuple(
        " ".join([*lead, *side, *words[end:]]) for lead, side in zip(sides, (first, second), strict=True)
    )


def _alike(sentence: str) -> Sides:
    """'Are A and B both free?', 'do interns and contractors both get leave?'."""
    words = open_words(sentence)
    read = [plain(word) for word in words]
    at = read.index("both") if "both" in read[3:] else 0
    if read[:1] and read[0] in AUXILIARIES and at and read[at + 1 :]:
        first, second = parted(words[1:at], "and")
        if is_side(first) and is_side(second):
            asked = ([agreeing(words[0], side), *side, *words[at + 1 :]] for side in (first, second))
            return tuple(map(" ".join, asked))
    return ()


_READINGS: tuple[Callable[[str], Sides], ...] = (_named, _of_two, _shared, _either, _both, _alike)
