"""Numbers and codes of a question: a sentence that does not speak of error 4012 says nothing about it.

What can be written in several ways is the same: ``1,000`` and 1000, ``90th``, ``90-day`` and 90,
``L 52`` and L-52, ``three`` and 3. Where that is unclear, the sentence gets the benefit of the doubt.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from rag.lexical import folded, stems
from rag.numerals import MONTHS, ONES, ORDINALS, SCALES, TEENS, TENS, with_plain_digits

_TOKEN = re.compile(r"[^\W_]+(?:[-_./:][^\W_]+)*")
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?![.]\d)|\d+")
_INSIDE = re.compile(r"\d[^\W\d_]+\d")
_LETTERS_THEN_NUMBER = re.compile(r"\b([^\W\d_]+)[ -]+(?=(\d+)\b)")
_MONTH_IN_DATE = re.compile(r"\d(?:st|nd|rd|th)?(?: of)?[ .]+([a-z]+)\b|\b([a-z]+)\.? \d")
_WHEN = re.compile(r"(?:early|end|fy|late|mid|no|nr|page|post|pre|step|v|version)[-_./:]?(?=\d)")

_OWN_CASE = re.compile(
    r"\b(?:i|me|my|mine|we|us|our|ours|im|ive|ill|id|weve|somebody|someone|he|she|his|her|they|their|got|today|now|just"
    r"|customer|candidate|client|prospect)\b"
)
"""Words of somebody who tells a case."""
_NAMING = re.compile(
    r"\b(?:annex|appendix|article|building|chapter|class|clause|code|edition|error|floor|form|gate|grade|issue|item|level"
    r"|line|model|no|number|nr|option|part|phase|port|revision|room|row|rule|section|stage|standard|step|task|tier|ticket"
    r"|track|type|unit|version)[ .:#-]*(?=(\d+))"
)
"""What a number names instead of counting it."""
_NO_NAME = re.compile(r"[a-z]\d+[a-z]|b4|gr8|l8r|m8|str8|w8")
"""A word with figures for letters: k8s, e2e, b4."""

_IN_PAIRS = r"[\"“”„«](?=\S)(?P<said>[^\"“”„«»]+)(?<=\S)[\"“”»]"
IN_QUOTES = re.compile(_IN_PAIRS)
_TERM = re.compile(
    rf"{_IN_PAIRS}|‘(?=\S)(?P<single>[^‘’]+)(?<=\S)’|`(?P<code>[^`]+)`|(?<!\w)'(?=\S)(?P<straight>[^']+)(?<=\S)'(?!\w)"
)
_LABEL = re.compile(
    r"\b(?:messages?|errors?|warnings?|alerts?|prompts?|buttons?|options?|menus?|fields?|tabs?|labels?|status|terms?"
    r"|dialogs?|codes?|sections?)(?: (?:says|said|saying|called|named|reads|is|of|for))?[ :]*\Z",
    re.IGNORECASE,
)
"""Before a quotation: it is something that the documents may know, whoever asks."""

_CARDINALS = ("zero", *ONES, *TEENS)
_SMALL = {word: value for words in (_CARDINALS, ORDINALS) for value, word in enumerate(words)} | {
    form: 10 * tens for tens, word in enumerate(TENS, start=2) for form in (word, f"{word[:-1]}ieth")
}
_TIMES = {word: SCALES[word] for word in ("hundred", "thousand", "million")}
_MONTH_OF = {form: at for at, name in enumerate(map(str.lower, MONTHS), start=1) for form in (name, name[:3])}


def specifics(question: str) -> dict[str, frozenset[str]]:
    """Each number or code of the question and its forms; a text that has one of them speaks of it."""
    asked: dict[str, frozenset[str]] = {}
    for token in _TOKEN.findall(_plain(question)):
        if not any(map(str.isdigit, token)):
            continue
        numbers = _WHEN.sub("", token)
        if numbers[0].isdigit() and not _INSIDE.search(numbers):
            if numbers.count(".") > 1:  # a version or an address: the parts say nothing
                asked[token] = frozenset({numbers})
            else:
                asked |= {number: frozenset(_forms(number)) for number in _NUMBER.findall(numbers)}
        else:
            asked[token] = frozenset({_joined(token)})
    return asked


def tells_a_case(question: str) -> bool:
    """Whether somebody tells what happened to them or to somebody they know."""
    return _OWN_CASE.search(_plain(question).replace("'", "").replace("’", "")) is not None


def demanded(question: str) -> dict[str, frozenset[str]]:
    """The specifics that whatever answers must speak of.

    Numbers of somebody's own case are theirs: of 390 in chat questions about 2,744 labelled passages two thirds do not
    stand in the passage that answers, while more than half of those in unanswered questions stand in it. What names
    something (error 4012, L-52) is demanded of everybody.
    """
    asked = specifics(question)
    if not tells_a_case(question):
        return asked
    told = _plain(question)
    named = {number for found in _NAMING.findall(told) for number in _forms(found)}
    return {
        token: forms
        for token, forms in asked.items()
        if (any(map(str.isalpha, token)) and not _NO_NAME.fullmatch(token))
        or token.count(".") > 1
        or not forms.isdisjoint(named)
    }


def phrases_in_quotes(question: str) -> tuple[frozenset[str], ...]:
    """The stems of what the question puts in quotation marks, which an answer must speak of: a term, a message.

    Who tells a case quotes what somebody said, too, and only what is called a message, a button or a term is demanded
    then: of 21 such chat questions 7 quote words that their passage has not, of 26 plain ones none does.
    """
    is_case = tells_a_case(question)
    quoted = (
        frozenset(stems(next(filter(None, match.groups()))))
        for match in _TERM.finditer(question)
        if not is_case or _LABEL.search(question[: match.start()])
    )
    return tuple(phrase for phrase in quoted if phrase)


def speaks_of(asked: dict[str, frozenset[str]], evidence: str) -> bool:
    """Whether `evidence` has every number and code of the question in one of its forms."""
    if not asked:
        return True
    held = set(_held(_plain(evidence)))
    return all(not forms.isdisjoint(held) for forms in asked.values())


def _held(text: str) -> Iterator[str]:
    for token in _TOKEN.findall(text):
        if any(map(str.isdigit, token)):
            yield _joined(token)
            yield _joined(_WHEN.sub("", token))
            for number in _NUMBER.findall(token):
                yield from _forms(number)
            for digits in re.findall(r"\d+", token):
                yield from _forms(digits)
    for letters, number in _LETTERS_THEN_NUMBER.findall(text):
        yield letters + number
    for before, after in _MONTH_IN_DATE.findall(text):
        if (before or after) in _MONTH_OF:
            yield str(_MONTH_OF[before or after])
    for value in _in_words(re.findall(r"[^\W\d_]+", text)):
        yield str(value)


def _in_words(words: list[str]) -> Iterator[int]:
    """Numbers written out: each word's, and those of "twenty-one" and "two hundred"."""
    before = 0
    for word in words:
        value = _SMALL.get(word, 0)
        if word in _TIMES:
            value = (before or 1) * _TIMES[word]
        elif value and before % 10 == 0 and 20 <= before < 100 and value < 10:
            value += before
        if word in _SMALL:
            yield _SMALL[word]
        if value:
            yield value
        before = value


def _forms(number: str) -> Iterator[str]:
    """Without zeros that say nothing; ``1.000`` may be a thousand as well as one."""
    whole, _, decimals = number.partition(".")
    whole, kept = whole.lstrip("0") or "0", decimals.rstrip("0")
    yield f"{whole}.{kept}" if kept else whole
    if len(decimals) == 3:
        yield whole + decimals


def _joined(token: str) -> str:
    return re.sub(r"[-_/:]", "", token)


def _plain(text: str) -> str:
    return with_plain_digits(folded(text))
