"""What needs no model to be seen: a number, date, unit, name, "not", "must" or bound that the cited text has not.

A false alarm costs an answer, so every check says when it abstains, and what stands word for word never faults.
Checks of wording look at the *carriers*, the sentences that hold most of the claim's words, and there is a fault only
where all of them disagree with the claim. They know English; in another language they find no carrier.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from rag.english import QUESTION_STEMS
from rag.generate.specifics import speaks_of, specifics
from rag.lexical import folded, stems
from rag.markdown_inline import plain_text
from rag.sentences import sentence_spans
from rag.verify.claims import atomic_claims, bounds, modals
from rag.verify.orders import is_order, told_to_say
from rag.verify.protocol import (
    Evidence,
    FaultKind,
    MechanicalFault,
    dates,
    in_one_writing,
    months,
    quantities,
    straightened,
    weekdays,
)

_CARRIES = 0.8
"""Share of a claim's content words that makes a sentence a carrier: one word of five may be another."""
_SAYS_TOO = 0.7
"""Share of a denied clause that makes the other side say the same; what it leaves out may be why it denies nothing."""

_NEGATING = "not never no none nobodi noth nowher cannot neither nor without except"
_TURNING = """
avoid ban bare befor block ceas deni declin exclud exempt fail forbidden free gone hard if impossibl instead lack lost
off onli option otherwis prevent prohibit rare rather refus reject stop unless unpaid until zero
"""
_EMPTY = """
about above after all also ani as been befor below but could each even ever everi few fewer had has have just least less
mani might more most need onli other pleas shall should sinc so some sever than that them then these they this those
till to under unless until up will within would
"""
_NEGATORS = frozenset(_NEGATING.split())
_HEDGES = frozenset(_TURNING.split())
_SAY_NOTHING = QUESTION_STEMS | _NEGATORS | frozenset(_EMPTY.split())
_NOT_DENYING = re.compile(
    r"\b(?:not (?:all|always|each|even|every|just|only|(?:fewer|less|more) than)|whether or not"
    r"|no (?:doubt|earlier|fewer|later|less|matter|more))\b|\bnos?\.(?= ?\d)|\A(?:yes|no),",
    re.IGNORECASE,
)
_CLAUSE_ENDS = re.compile(r"[,;:()]|\b(?:and|but)\b", re.IGNORECASE)
_SMALL = r"two|three|four|five|six|seven|eight|nine|ten"
_COUNT = re.compile(rf"\b(?:{_SMALL}) (?=(\w+)(?: (\w+))?)", re.IGNORECASE)
_NUMBERED = re.compile(r"\d[ -](?:(\w+)[ -])?(\w+)")
_MEASURES = frozenset(
    {"day", "week", "month", "year", "hour", "minut", "percent", "per", "euro", "pound", "dollar"}
)

_COMPARED_MODALITIES = (
    frozenset({"must", "should", "may"}),
    frozenset({"must not", "should not", "need not"}),
)

_QUANTIFIED = re.compile(
    r"\b(all|every|each|some|several|many|most|few|certain)(?: of)?(?: the)? (\w+)", re.IGNORECASE
)
_EVERY = frozenset({"all", "every", "each"})
_TRAILING = frozenset({"except", "if", "onli", "provid", "unless", "until", "when"})
_LEADING = frozenset({"except", "onli", "unless"})

_CLOCK = re.compile(r"(?<![\d:.])(\d{1,2})[:.](\d\d)(?![\d:.]*\d)")

_STRINGS = re.compile(
    r"</?[A-Za-z!][^<>]*>|[\w.+-]+@[\w-]+\.[\w.-]*\w|(?:https?://|www\.)[^\s)>\"']+|(?<!\w)[#@]\w[\w-]+|[A-Za-z]:\\\S+"
    r"|(?<![\w/])~?/\w[\w.-]*(?:/[\w.-]+)+|\b[\w-]+(?:[/.][\w-]+)*\.(?:com|org|net|io|eu|uk|de|be|pt|gov|edu)\b"
    r"|[\w./-]*\w\.(?:pdf|docx?|xlsx?|pptx?|odt|ods|md|txt|csv|html?|json|ya?ml|py|sh|exe|zip)\b|\b[^\W_]+(?:_[^\W_]+)+"
)
_WORD = re.compile(r"[^\W\d_](?:[\w&'-]*\w)?")
_SENTENCE_STARTS = re.compile(r"(?:\A|[.:!?;•|-]\s)[\s\"'(*]*\Z")
_TITLE = re.compile(r"(?:[A-Z][\w-]+ (?:of |and |for )?){1,5}[A-Z][\w-]+")
_ENGLISH = re.compile(r"\b(?:the|and|of|to|you|your|for|is|are|with|must|by|be)\b")
_GERMAN = re.compile(r"\b(?:auf|bis|dem|der|ein|eine|im|ist|mit|nicht|oder|sind|und|werden|wird|zum|zur)\b")
_NO_NAMES = """
i i'm i'll i've am pm eur gbp usd chf mr mrs ms dr prof ok january february march april may june july august september
october november december jan feb mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday
saturday sunday mon tue wed thu fri sat sun not must all no never only and or
"""
_NOT_NAMES = frozenset(_NO_NAMES.split())


@dataclass(frozen=True, slots=True)
class _Said:
    """A sentence as it is compared: in one writing, its stems in order, and those of them that say something."""

    written: str
    text: str
    stems: tuple[str, ...]
    content: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Read:
    """Evidence as it is compared; `stretches` are what may stand in it word for word."""

    plain: str
    text: str
    words: frozenset[str]
    sentences: tuple[_Said, ...]
    stretches: frozenset[str]


def is_verbatim(claim: str, evidence: Evidence) -> bool:
    """Whether `claim` is a whole sentence, table row or list item of the evidence, or one of its `atomic_claims`.

    White space, typographic quotes, the case of the first letter and the mark at the end may differ. A part of a
    sentence is not verbatim: what was left out may be "unless approved".
    """
    return _normal(claim) in _read(evidence).stretches


def mechanical_faults(claim: str, evidence: Evidence) -> tuple[MechanicalFault, ...]:
    """What `claim`, one of `atomic_claims`, says and the evidence does not; empty for what is verbatim.

    No fault does not mean support: swapped names, or facts of two sentences put together, are left to a model.
    """
    if is_verbatim(claim, evidence):
        return ()
    read = _read(evidence)
    said = _said(_COUNT.sub(lambda match: _without_count(match, read), straightened(claim)))
    return tuple(fault for check in CHECKS for fault in check(said, read))


def _without_count(match: re.Match[str], evidence: _Read) -> str:
    """ "Three sizes" may be the count of those that are listed, unless the cited text has a number of sizes itself."""
    nouns = set(stems(" ".join(filter(None, match.groups()))))
    numbered = {stem for words in _NUMBERED.findall(evidence.text) for stem in stems(" ".join(words))}
    return match.group() if nouns & (numbered | _MEASURES) else ""


def _said(sentence: str) -> _Said:
    text = in_one_writing(sentence)
    words = tuple(stems(text))
    content = frozenset(word for word in words if word not in _SAY_NOTHING and not word.endswith("n't"))
    return _Said(sentence, text, words, content)


@lru_cache(maxsize=64)
def _read(evidence: Evidence) -> _Read:
    found = [
        text[start:end] for text in (evidence.text, *evidence.told) for start, end in sentence_spans(text)
    ]
    sentences = list(dict.fromkeys(straightened(plain_text(sentence)) for sentence in found))
    stretches = {*found, *sentences, *evidence.told}
    stretches |= {claim for stretch in stretches for claim in atomic_claims(stretch)}
    text = in_one_writing(evidence.whole)
    # "Half of it" carries 50 percent.
    text += " 50%" if re.search(r"\bhalf\b", text, re.IGNORECASE) else ""
    words = {word.removesuffix("'s") for word in re.findall(r"[^\W_][\w'&-]*|[^\W_]+", folded(text))}
    parts = {part for word in words for part in re.split(r"[-&']", word)} | {
        word.replace("-", "") for word in words
    }
    return _Read(
        plain=straightened(evidence.whole).lower(),
        text=text,
        words=frozenset(words | parts | {*stems(text), *map(_initials, _TITLE.findall(evidence.whole))}),
        sentences=tuple(map(_said, sentences)),
        stretches=frozenset(map(_normal, stretches)),
    )


def _normal(stretch: str) -> str:
    # A document's own "[3]" is told as "(3)", see `rag.cite`.
    text = re.sub(r"\[(\d{1,4})\]", r"(\1)", straightened(stretch)).rstrip(".;,:!… ")
    return text[:1].lower() + text[1:]


def _carriers(claim: _Said, evidence: _Read) -> list[_Said]:
    if len(claim.content) < 2:
        return []
    enough = _CARRIES * len(claim.content)
    return [each for each in evidence.sentences if len(claim.content & each.content) >= enough]


def _missing(kind: FaultKind, words: str) -> MechanicalFault:
    return MechanicalFault(kind, words, f"The claim says “{words}”; the cited text does not.")


def _numbers(claim: _Said, evidence: _Read) -> Iterator[MechanicalFault]:
    """Abstains on 0 and 1 ("no", "a day"), on counts ("two offices") and on the same time in another unit."""
    asked = {token: forms for token, forms in specifics(claim.text).items() if not forms <= {"0", "1"}}
    if speaks_of(asked, evidence.text):
        return
    amounts = {each.amount for each in quantities(evidence.text)} - {None}
    same = {each.number for each in quantities(claim.text) if each.amount in amounts}
    for token, forms in asked.items():
        if forms.isdisjoint(same) and not speaks_of({token: forms}, evidence.text):
            yield _missing("number", token)


def _times(claim: _Said, evidence: _Read) -> Iterator[MechanicalFault]:
    """Abstains on a full hour that is a plain number there ("9 to 17:00") and on which half of the day is meant."""
    held = {(int(hour) % 12, minutes) for hour, minutes in _CLOCK.findall(evidence.text)}
    held |= {(int(each.number) % 12, "00") for each in quantities(evidence.text) if each.number.isdigit()}
    for hour, minutes in _CLOCK.findall(claim.text):
        if (int(hour) % 12, minutes) not in held:
            yield _missing("number", f"{hour}:{minutes}")


def _units(claim: _Said, evidence: _Read) -> Iterator[MechanicalFault]:
    """Abstains where the number stands without a unit too, as in a table; a day may be a working or a calendar day."""
    held: dict[str, set[str]] = {}
    for each in quantities(evidence.text):
        held.setdefault(each.number, set()).add(each.unit)
    for each in quantities(claim.text):
        units = held.get(each.number, set())
        if not each.unit or each.number == "1" or not units or "" in units:
            continue
        if not any(each.unit == unit or {each.unit, unit} in _DAYS for unit in units):
            words = f"{each.number} {each.unit}"
            yield MechanicalFault(
                "unit", words, f"The claim says “{words}”; the cited text has {_listed(units)}."
            )


_DAYS = ({"day", "working day"}, {"day", "calendar day"})


def _listed(words: set[str]) -> str:
    return " and ".join(f"“{word}”" for word in sorted(words))


def _dates(claim: _Said, evidence: _Read) -> Iterator[MechanicalFault]:
    """Abstains on years, which are numbers, and on months and weekdays where the cited text has a range of them."""
    held = frozenset().union(*dates(evidence.text, with_lists=True).values())
    wrong = [words for words, days in dates(claim.text).items() if days.isdisjoint(held)]
    wrong = wrong or sorted(months(claim.text) - months(evidence.text, is_evidence=True))
    for words in wrong or sorted(weekdays(claim.text) - weekdays(evidence.text, is_evidence=True)):
        yield _missing("date", words)


def _names(claim: _Said, evidence: _Read) -> Iterator[MechanicalFault]:
    """Abstains on the first word, on plain capitals in German or in a heading, and on an acronym's full form."""
    text = claim.written
    for string in dict.fromkeys(_STRINGS.findall(text)):
        if re.sub(r"https?://|www\.", "", string.lower()).rstrip("/.,;:") not in evidence.plain:
            yield _missing("name", string)
    text = _STRINGS.sub(lambda match: " " * len(match.group()), text)
    text = _TITLE.sub(lambda match: _unless_initials(match.group(), evidence), text)
    tells_names = _capitals_are_names(text)
    for match in _WORD.finditer(text):
        word = match.group()
        is_special = any(map(str.isupper, word[1:]))
        is_plain = word[0].isupper() and len(word) > 1 and not _starts_sentence(text, match.start())
        if (is_special or (is_plain and tells_names)) and not _is_known(word, evidence):
            yield _missing("name", word.removesuffix("'s"))


def _capitals_are_names(text: str) -> bool:
    """Not in German, nor where most words have one: a heading, or a language whose small words are not known."""
    words = [word for word in _WORD.findall(text)[1:] if len(word) > 1]
    n_capitals = sum(word[0].isupper() for word in words)
    return not _GERMAN.search(text) and (bool(_ENGLISH.search(text)) or 2 * n_capitals <= len(words))


def _starts_sentence(text: str, at: int) -> bool:
    return _SENTENCE_STARTS.search(text, max(0, at - 10), at) is not None


def _unless_initials(title: str, evidence: _Read) -> str:
    return title.lower() if _initials(title) in evidence.words else title


def _initials(title: str) -> str:
    return "".join(word[0] for word in title.split() if word[0].isupper()).lower()


def _is_known(name: str, evidence: _Read) -> bool:
    word = folded(name).removesuffix("'s")
    forms = {word, f"{word}s", word.removesuffix("s"), word.replace("-", ""), *stems(word)}
    if word in _NOT_NAMES or not forms.isdisjoint(evidence.words):
        return True
    parts = re.split(r"[-&]", word)
    if len(parts) > 1:
        return all(part in evidence.words for part in parts)
    # Belgian and Belgium: five letters in common and the rest an ending.
    stem = word[: max(5, len(word) - 3)]
    return len(word) > 5 and any(
        each.startswith(stem) and len(each) - len(stem) < 6 for each in evidence.words
    )


def _negation(claim: _Said, evidence: _Read) -> Iterator[MechanicalFault]:
    """Abstains where both sides deny something, and where one has a `_HEDGES` word that the other has not."""
    found = [_denied_on_one_side(claim, sentence) for sentence in _carriers(claim, evidence)]
    if found and all(found):
        side = "claim" if _denials(claim) else "cited text"
        yield MechanicalFault("negation", found[0], f"Only the {side} says “{found[0]}”.")


def _denied_on_one_side(claim: _Said, sentence: _Said) -> str:
    """The negator of a clause that the other side says too, without any negator."""
    denied, denied_there = _denials(claim), _denials(sentence)
    if not _same_hedges(claim, sentence) or (denied and denied_there):
        return ""
    for (negator, stem), clause in (denied or denied_there).items():
        said = clause & (sentence if denied else claim).content
        if stem in said and len(said) >= _SAYS_TOO * len(clause):
            return negator
    return ""


def _same_hedges(claim: _Said, sentence: _Said) -> bool:
    return _HEDGES.intersection(claim.stems) == _HEDGES.intersection(sentence.stems)


def _denials(said: _Said) -> dict[tuple[str, str], frozenset[str]]:
    """The content of each clause with a negator, by negator and the next word that says something, "" for none."""
    denials = {}
    for clause in _CLAUSE_ENDS.split(_NOT_DENYING.sub(" ", said.text)):
        words = stems(clause)
        content = said.content.intersection(words)
        for at, stem in enumerate(words):
            if stem in _NEGATORS or stem.endswith("n't"):
                denials[stem, next((word for word in words[at:] if word in content), "")] = content
    return denials


def _modality(claim: _Said, evidence: _Read) -> Iterator[MechanicalFault]:
    """Abstains unless both have a modal, before words that both have, and on "only": "may only" is nearly "must"."""
    governed = _governed(claim)
    if len(governed) != 1:
        return
    ((kind, stem),) = governed.items()
    compared = next((group for group in _COMPARED_MODALITIES if kind in group), frozenset())
    held = [
        {other for other, its in _governed(each).items() if its in claim.content and other in compared}
        if stem in each.content and _same_hedges(claim, each)
        else set()
        for each in _carriers(claim, evidence)
    ]
    if held and all(others and kind not in others for others in held):
        reason = f"The claim says “{kind}”; the cited text says {_listed(held[0])}."
        yield MechanicalFault("modality", kind, reason)


def _governed(said: _Said) -> dict[str, str]:
    """Each kind of modal by the first word behind it that says something."""
    return {
        kind: next((stem for stem in stems(following) if stem in said.content), "")
        for kind, following in modals(said.text)
    }


def _bounds(claim: _Said, evidence: _Read) -> Iterator[MechanicalFault]:
    """Abstains where the number also stands without a bound, and between "more than" and "at least".

    "Up to 5 is free" and "more than 5 is not" may be the same: the two sides of a limit are a fault only in a carrier.
    """
    held: dict[str, list[tuple[str, _Said]]] = {}
    for sentence in evidence.sentences:
        for number, bound in bounds(sentence.text):
            held.setdefault(number, []).append((bound, sentence))
    for number, bound in bounds(claim.text):
        found = held.get(number, [])
        if bound and found and all(_disagree(bound, other, claim, sentence) for other, sentence in found):
            others = " and ".join(sorted({f"{other} {number}" for other, _ in found}))
            reason = f"The claim says {bound} {number}; the cited text says {others}."
            yield MechanicalFault("bound", f"{bound} {number}", reason)


_OPPOSITE = ({"≥", "≤"}, {">", "<"})
_TWO_SIDES = ({"≥", "<"}, {">", "≤"}, {"before", "after"}, {"≤", "after"})


def _disagree(bound: str, other: str, claim: _Said, sentence: _Said) -> bool:
    if {bound, other} in _OPPOSITE:
        return True
    is_carrier = len(claim.content & sentence.content) >= _CARRIES * len(claim.content)
    # "Before" and "until" are the bounds themselves here.
    hedges = _HEDGES.intersection({*claim.stems} ^ {*sentence.stems}) - {"befor", "until"}
    is_plain = not hedges and not _denials(claim) and not _denials(sentence)
    return {bound, other} in _TWO_SIDES and is_carrier and is_plain


def _quantifiers(claim: _Said, evidence: _Read) -> Iterator[MechanicalFault]:
    """Finds “all” where the carriers have “some”; the other way round says no more than they do, so it abstains."""
    for quantifier, noun in _QUANTIFIED.findall(claim.text):
        if quantifier.lower() not in _EVERY:
            continue
        held = [
            {other.lower() for other, its in _QUANTIFIED.findall(each.text) if stems(its) == stems(noun)}
            for each in _carriers(claim, evidence)
        ]
        if held and all(others and others.isdisjoint(_EVERY) for others in held):
            words = f"{quantifier} {noun}"
            yield MechanicalFault(
                "quantifier", words, f"The claim says “{words}”; the cited text says {_listed(held[0])}."
            )


def _conditions(claim: _Said, evidence: _Read) -> Iterator[MechanicalFault]:
    """A carrier cut off at its "unless", "if" or "until"; abstains at a leading "if", which the question may have said.

    A sentence in other words that has lost its condition is left to the model.
    """
    held = [_cut_off(claim.stems, each.stems) for each in _carriers(claim, evidence)]
    if held and all(held):
        yield MechanicalFault("condition", held[0], f"The cited text says this only with “{held[0]}”.")


def _cut_off(claim: tuple[str, ...], sentence: tuple[str, ...]) -> str:
    """The condition that `sentence` has before or behind the words of `claim`."""
    n = len(claim)
    if len(sentence) <= n:
        return ""
    if sentence[:n] == claim and (
        sentence[n] in _TRAILING or (sentence[n] == "without" and _NEGATORS.intersection(claim))
    ):
        return sentence[n]
    return sentence[0] if sentence[-n:] == claim and sentence[0] in _LEADING else ""


def _orders(claim: _Said, evidence: _Read) -> Iterator[MechanicalFault]:
    """Finds an order to a language model, and words that stand only where the cited text orders to say them."""
    if is_order(claim.written):
        yield MechanicalFault("order", claim.written, "The sentence gives orders to a language model.")
        return
    carriers = _carriers(claim, evidence)
    if carriers and all(_only_told_to_say(claim, sentence) for sentence in carriers):
        yield MechanicalFault("order", claim.written, "The cited text only orders somebody to say so.")


def _only_told_to_say(claim: _Said, sentence: _Said) -> bool:
    """Whether what both say stands between the quotation marks of an order to say it."""
    told = claim.content.intersection(stems(told_to_say(sentence.written)))
    return bool(told) and told == claim.content & sentence.content


CHECKS: tuple[Callable[[_Said, _Read], Iterator[MechanicalFault]], ...] = (
    _numbers,
    _times,
    _units,
    _dates,
    _names,
    _negation,
    _modality,
    _bounds,
    _quantifiers,
    _conditions,
    _orders,
)
"""Each yields its faults; in its docstring, when it abstains."""
