"""One question that asks for several things, as the questions it is made of.

English only. A wrong cut searches for what nobody asked; a missed one costs nothing but the help, so every doubt is
decided against: "terms and conditions" is one thing, and an "and" joins two questions only where a second one begins.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rag.ask import (
    AUXILIARIES,
    BE,
    CONJUNCTIONS,
    DETERMINERS,
    DO,
    FUNCTION_WORDS,
    PREPOSITIONS,
    QUESTION_WORDS,
    SUBJECT_PRONOUNS,
    VERBS,
    agreeing,
    clause_of,
    finished,
    has_topic,
    head_of,
    is_finite,
    is_plural,
    is_predicate,
    look_of,
    means_event,
    open_words,
    opens_question,
    plain,
    resolved,
    sentences_of,
    word_set,
)
from rag.ask.premise import asked_about

_ADJECTIVES = """
longer/long shorter/long higher/high lower/high bigger/big larger/large smaller/large older/old
    younger/old newer/old faster/fast slower/fast quicker/fast stricter/strict cheaper/expensive earlier/early
    later/late nearer/far closer/far further/far heavier/heavy better/good worse/good
"""
_HOW = dict(pair.split("/") for pair in _ADJECTIVES.split())
_MORE = {"more": "much", "less": "much", "fewer": "many", "many": "many", "much": "much"}
_FIXED_PAIRS = word_set(
    """terms/conditions health/safety research/development rules/regulations pros/cons questions/answers food/drink
    policies/procedures roles/responsibilities supply/demand sales/marketing profit/loss wear/tear black/white
    equality/diversity diversity/inclusion"""
)
_NO_SIDE = word_set(
    """it this that they them i me we us you he she ever last next what one two three four five six seven eight nine ten
    twelve half"""
)
_NO_SIDE_ALONE = word_set("before expected usual normal necessary allowed planned")
_MODIFIERS = word_set("sick gross net new old paid unpaid standard premium basic business economy first")
_MODIFIER_ENDS = ("al", "ary", "ive", "ic", "ity", "time", "term")
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
_DESCRIBED = word_set(
    """person team department group company vendor provider supplier city country place office building tool system
    application form document policy role site state colleague manager"""
)
_ROLES = word_set("manager boss head director lead assistant deputy supervisor successor predecessor owner")
_SAYS_NOTHING = word_set("name tell find know which city the of")
_RELATIVES = QUESTION_WORDS | {"that"}
_IN_NO_SIDE = QUESTION_WORDS | AUXILIARIES | (CONJUNCTIONS - {"and"})
_MAX_QUESTIONS = 3
_LONGEST_SIDE = 8
"""Words; what is compared is named briefly."""

Sides = tuple[str, ...]
"""Two questions, or none; their first letter and last mark are not set yet."""


def sub_questions(question: str) -> tuple[str, ...]:
    """The two or three questions that `question` is made of; empty where it is one, or in doubt.

    Two sides that are compared, questions that follow one another or are joined by "and", and a description that
    has to be looked up before the rest can be asked; then the whole question comes last.

    >>> sub_questions("Is parental leave longer than sick leave?")
    ('How long is parental leave?', 'How long is sick leave?')
    """
    before, asked = _told_and_asked(sentences_of(question))
    pieces = [piece for each in asked for piece in _joined(each)]
    if len(pieces) == 1:
        found = next((sides for of in _READINGS if (sides := of(pieces[0]))), ())
    else:
        found = _standing_apart(pieces)
    if len(found) < 2:
        return ()
    rest = found[_MAX_QUESTIONS - 1 :]
    shown = [*found[: _MAX_QUESTIONS - 1], " ".join(map(finished, rest))] if rest else found
    return tuple(finished(f"{before} {each}".strip()) for each in shown)


def _standing_apart(pieces: list[str]) -> Sides:
    """The questions with their pronouns told from the first; one without a topic stays with the one before it."""
    apart = pieces[:1]
    for piece in pieces[1:]:
        read = [plain(word) for word in piece.split()]
        told = None if means_event(read, apart[0]) else resolved(piece, asked_about(apart[0]))
        if told is None and (means_event(read, apart[0]) or not has_topic(read)):
            apart[-1] = f"{finished(apart[-1])} {finished(piece)}"
        else:
            apart.append(told or piece)
    return tuple(apart)


def _told_and_asked(sentences: list[str]) -> tuple[str, list[str]]:
    """What is told before the first question, and the questions; what follows a question stays with it."""
    told: list[str] = []
    asked: list[str] = []
    is_marked = any(sentence.endswith("?") for sentence in sentences)
    for sentence in sentences:
        read = [plain(word) for word in open_words(sentence)]
        start = 1 if read[:1] and read[0] in {"and", "also", "but", "so", "ok"} else 0
        is_question = sentence.endswith("?") or not is_marked
        is_whole = len(read) - start > 2 and read[:2] not in (["if", "so"], ["if", "not"], ["if", "yes"])
        words = sentence.split()[start:]
        if is_question and is_whole and _place_of_question(words, read[start:]) is not None:
            asked.append(" ".join(words))
        elif asked:
            asked[-1] += "" if len(read) < 4 else f" {sentence}"
        elif len(read) > 3:
            told.append(sentence)
    # "Compare A and B" asks without a question's form.
    return (" ".join(told), asked) if asked else ("", sentences[-1:])


def _place_of_question(words: Sequence[str], read: Sequence[str]) -> int | None:
    """Where the question begins: at once, or behind what is told up to a colon or comma."""
    is_told = len(read) > 1 and read[0] == "when" and read[1] not in AUXILIARIES
    if opens_question(read) and not is_told:
        return 0
    ends = (
        at
        for at in range(1, len(read))
        if words[at - 1].endswith((",", ":", ";")) and opens_question(read[at : at + 2])
    )
    return next(ends, None)


def _joined(sentence: str) -> list[str]:
    """The whole questions that "and" joins in a sentence, each behind what is told in front of them all."""
    words = open_words(sentence)
    read = [plain(word) for word in words]
    begin = _place_of_question(words, read) or 0
    told, pieces, start = words[:begin] if begin > 1 else [], [], begin
    for at in range(begin + 2, len(read) - 2):
        if read[at] in {"and", "&"} and _begins_another(words, read, start, at):
            pieces.append(words[start:at])
            start = at + 1
    if not pieces:
        return [sentence]
    return [" ".join([*told, *piece]).rstrip(",") for piece in (*pieces, words[start:])]


def _begins_another(words: list[str], read: list[str], start: int, at: int) -> bool:
    left, right = read[start:at], read[at + 1 : at + 10]
    if len(left) < 3 or left[-1] in QUESTION_WORDS or {"between", "both"} & set(left) or right[1] == "to":
        return False
    has_comma = words[at - 1].endswith(",")
    is_whole = left[0] == "who" or any(word in AUXILIARIES for word in left)
    if not is_whole and not (has_comma and any(is_finite(left, n) for n in range(2, len(left)))):
        return False
    if not has_comma and any(word in _RELATIVES for word in left[2:]):  # "those who travel and who drive"
        return False
    if right[0] in AUXILIARIES:
        is_open = has_comma and right[0] in DO | {"will", "can", "should", "must"} and right[1] not in VERBS
        return right[1] in SUBJECT_PRONOUNS | DETERMINERS or is_open
    if not opens_question(right):
        return False
    return (
        right[0] == "who" or any(word in AUXILIARIES for word in right[1:8]) or (has_comma and len(right) > 3)
    )


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
        return _asked(f"how {_HOW[sign]}", _sides([*said, *middle], other))
    if sign in {"more", "less", "as"} and len(middle) == 1 and plain(middle[0]).endswith(_ADJECTIVE_ENDS):
        return _asked(f"how {middle[0]}", _sides(said, other))
    return _asked("what", _sides(said, other)) if sign in {"same", "different"} and not middle else ()


def _of_doing(aux: str, said: list[str], sign: str, middle: list[str], other: list[str]) -> Sides:
    if sign == "as" and middle and plain(middle[0]) in _MORE:
        middle = middle[1:]
    if len(said) < 2 or plain(said[-1]) not in VERBS or (sign in _HOW and middle):
        return ()
    subject, verb = said[:-1], said[-1]
    in_place = next((at for at, word in enumerate(middle) if other and plain(word) == plain(other[0])), 0)
    thing = " ".join(middle[:in_place] if in_place else middle)
    size = _HOW[sign] if sign in _HOW else "many" if middle and is_plural(head_of(middle)) else "much"
    asks = f"what {thing}" if sign == "same" else f"how {size} {thing}"
    if in_place:  # the same holidays in Norway as in Sweden
        sides = [" ".join((asks, aux, *said, *place)) for place in (middle[in_place:], other)]
        return tuple(" ".join(side.split()) for side in sides) if _is_side(other) else ()
    if not _is_side(subject) or not _is_side(other):
        return ()
    return tuple(
        f"{asks} {agreeing(aux, side)} {' '.join(side)} {verb}".replace("  ", " ")
        for side in (subject, other)
    )


def _shared(sentence: str) -> Sides:
    """'Is the notice period the same for A and B?', 'do A and B get the same leave?'."""
    words = open_words(sentence)
    read = [plain(word) for word in words]
    at = read.index("same") if "same" in read and read[0] in AUXILIARIES else 0
    if at > 2 and read[0] in BE and read[at + 1 : at + 2] == ["for"]:
        first, second = _parted(words[at + 2 :], "and")
        said = " ".join(words[1 : at - 1])
        return _asked("what", _sides(first, second), f"{said} for")
    first, second = _parted(words[1 : at - 2], "and") if at > 4 and read[at - 2] in VERBS else ([], [])
    if not _is_side(first) or not _is_side(second):
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
    for at, word in enumerate(read):
        if word in {"difference", "differences"} and "between" in read[at:]:
            start = read.index("between", at)
            first, second = _parted(words[start + 1 :], "and")
            attribute = words[at + 2 : start] if read[at + 1] == "in" else []
            in_at = next(
                (n for n, each in enumerate(second) if n and plain(each) == "in" and second[n + 1 :]), 0
            )
            if in_at and not attribute and second[in_at + 1][0].islower():
                second, attribute = second[:in_at], second[in_at + 1 :]
            of = " ".join(["the", *attribute, "for"]) if attribute else ""
            return _asked("what", _sides(first, second), of)
        if word in {"compare", "comparison"} and at < 4:
            start = at + (2 if read[at + 1 : at + 2] in (["of"], ["between"]) else 1)
            return _asked("what", _sides(*_parted(words[start:], "and", "with", "to")))
        if word in {"vs", "versus"} and at:
            return _versus(words[:at], words[at + 1 :])
        if word in {"differ", "different"} and read[0] == "how" and read[1] in {"do", "does", "is", "are"}:
            sides = (words[2:at], words[at + 2 :]) if read[at + 1 :] else _parted(words[2:at], "and")
            return _asked("what", _sides(*sides))
    return ()


def _versus(first: list[str], second: list[str]) -> Sides:
    read = [plain(word) for word in first]
    if opens_question(read[:2]) and read[:1] != ["what"]:
        clause = clause_of(" ".join(first))
        if clause is None or plain(clause.aux) not in {"do", "does"} or not _is_side(second):
            return ()
        other = (*clause.lead, agreeing(clause.aux, second), *second, *clause.rest)
        return " ".join(first), " ".join(other)
    first = first[2:] if read[:1] == ["what"] else first
    a, b = _sides(first, second) or ("", "")
    # "Notice period interns vs employees" does not say where the first side begins.
    return (
        () if len(first) > len(second) + 1 and b == " ".join(second) else _asked("what", (a, b) if a else ())
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
    first, second = _parted(words[start:], "or")
    both = _sides(first, second)
    if not sign or not both:
        return ()
    first, second = both[0].split(), both[1].split()
    if read[sign - 1] in BE and read[sign] in _HOW and start == sign + 1:
        noun = words[1 : sign - 1]
        sides = [["the", *side, *noun] if noun and len(side) == 1 else side for side in (first, second)]
        return _asked(f"how {_HOW[read[sign]]}", (" ".join(sides[0]), " ".join(sides[1])))
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
    if not _is_side(first) or not _is_side(second) or _is_modifier(second[-1]):
        return ()
    if len(first) == 1 < len(second) and not is_plural(first[0]) and plain(second[0]) not in DETERMINERS:
        if not _is_modifier(first[0]):  # "both leave and sick pay" may be leave pay
            return ()
        first = [*first, second[-1]]
    head = words[:at]
    sides = [[*head[:-1], agreeing(head[-1], side)] if head else [] for side in (first, second)]
    return tuple(
        " ".join([*lead, *side, *words[end:]]) for lead, side in zip(sides, (first, second), strict=True)
    )


def _bridge(sentence: str) -> Sides:
    """'The manager of the person who approves travel': who that is, then the whole question."""
    words = open_words(sentence)
    read = [plain(word) for word in words]
    for at in range(1, len(read) - 3):
        says_something = any(word not in FUNCTION_WORDS | _SAYS_NOTHING for word in read[:at])
        if (
            read[at] == "the"
            and read[at + 1] in _DESCRIBED
            and says_something
            and read[at - 1] not in AUXILIARIES
        ):
            inner = _described(words[at + 1], read[at + 2], words[at + 3 :])
            if inner and len(read) - at < 16 and not any(word.endswith((",", ";")) for word in words[at:-1]):
                return inner, sentence
        if (
            read[at] in _ROLES
            and read[at + 1] in {"of", "to"}
            and any(word in _ROLES for word in read[at + 2 : at + 6])
        ):
            return "who is " + " ".join(words[at + 2 :]), sentence
    return ()


def _described(noun: str, relative: str, told: list[str]) -> str:
    """The question that finds what is described; empty where `relative` opens no description."""
    words = " ".join(told)
    first, last = plain(told[0]), plain(told[-1])
    if relative == "who":
        return f"who {words}"
    if relative == "where":
        is_there = last in BE and len(told) > 1
        return (
            f"in which {noun} {last} {' '.join(told[:-1])}"
            if is_there
            else f"what is the {noun} where {words}"
        )
    if relative not in {"that", "which"}:
        return ""
    if first in {"i", "we", "you", "they"}:
        return f"which {noun} do {words}"
    return f"which {noun} {words}" if first.removesuffix("s") in VERBS else f"what is the {noun} that {words}"


def _parted(words: list[str], *joints: str) -> tuple[list[str], list[str]]:
    """Both sides of the only joint; two empty ones where there is none, or more than one."""
    read = [plain(word) for word in words]
    found = [
        at
        for at in range(1, len(read) - 1)
        if read[at] in joints and f"{read[at - 1]}/{read[at + 1]}" not in _FIXED_PAIRS
    ]
    if len(found) != 1:
        return [], []
    return [word.rstrip(",") for word in words[: found[0]]], words[found[0] + 1 :]


def _is_side(words: Sequence[str]) -> bool:
    read = [plain(word) for word in words]
    if (
        not 0 < len(read) <= _LONGEST_SIDE
        or read[0] in _NO_SIDE
        or read[-1] in {"day", "week", "month", "year"}
    ):
        return False
    if len(read) == 1 and read[0] in _NO_SIDE_ALONE:
        return False
    return not any(word in _IN_NO_SIDE or any(map(str.isdigit, word)) for word in read)


def _sides(first: list[str], second: list[str]) -> tuple[str, str] | tuple[()]:
    """Both sides as they stand alone: what only one of them says of both is given to the other."""
    if not _is_side(first) or not _is_side(second):
        return ()
    a = [plain(word) for word in first]
    joint = max((at for at, word in enumerate(a) if word in PREPOSITIONS), default=0)
    if plain(second[0]) in PREPOSITIONS:  # the notice period for interns, for employees
        same = next((at for at, word in enumerate(a) if at and word == plain(second[0])), 0)
        return (" ".join(first), " ".join([*first[:same], *second])) if same else ()
    if joint and len(second) < 4 and look_of(first[joint + 1 :]) == look_of(second):
        return " ".join(first), " ".join([*first[: joint + 1], *second])
    if len(a) == 1 and _is_modifier(a[0]) and len(second) == 2:  # sick and parental leave
        return " ".join([*first, second[-1]]), " ".join(second)
    return " ".join(first), " ".join(second)


def _is_modifier(word: str) -> bool:
    return plain(word) in _MODIFIERS or plain(word).endswith(_MODIFIER_ENDS)


def _asked(asks: str, sides: tuple[str, str] | tuple[()], of: str = "") -> Sides:
    subjects = [f"{of} {side}".strip() for side in sides]
    return tuple(f"{asks} {'are' if is_plural(head_of(each.split())) else 'is'} {each}" for each in subjects)


_READINGS: tuple[Callable[[str], Sides], ...] = (_named, _of_two, _shared, _either, _both, _bridge)
