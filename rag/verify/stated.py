"""Claims and evidence as they are compared: sentences in one writing, and the ones that may carry a claim."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from rag.english import QUESTION_STEMS
from rag.lexical import folded, stems
from rag.markdown_inline import plain_text
from rag.sentences import sentence_spans
from rag.verify.claims import atomic_claims
from rag.verify.protocol import Evidence, FaultKind, MechanicalFault, in_one_writing, straightened

CARRIES = 0.8
"""Share of a claim's content words that makes a sentence a carrier: one word of five may be another."""

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
NEGATORS = frozenset(_NEGATING.split())
"""Stems that deny what stands beside them."""
HEDGES = frozenset(_TURNING.split())
"""Stems that deny in another way, or narrow what is said."""
_SAY_NOTHING = QUESTION_STEMS | NEGATORS | frozenset(_EMPTY.split())
TITLE = re.compile(r"(?:[A-Z][\w-]+ (?:of |and |for )?){1,5}[A-Z][\w-]+")


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence as it is compared: in one writing, its stems in order, and those of them that say something."""

    written: str
    text: str
    stems: tuple[str, ...]
    content: frozenset[str]


@dataclass(frozen=True, slots=True)
class Read:
    """Evidence as it is compared; `stretches` are what may stand in it word for word."""

    plain: str
    text: str
    words: frozenset[str]
    sentences: tuple[Said, ...]
    stretches: frozenset[str]


_YES_OR_NO = re.compile(r"\A\s*(?:yes|no|ja|nein|oui|non|sim|não)\b(?:\s*[,.;:!–—-]\s*|\s*\Z)", re.IGNORECASE)


def said_of(sentence: str) -> Said:
    """The sentence as it is compared, without a "yes" or "no" in front of it: that speaks to the question."""
    text = _YES_OR_NO.sub("", in_one_writing(sentence))
    words = tuple(stems(text))
    content = frozenset(word for word in words if word not in _SAY_NOTHING and not word.endswith("n't"))
    return Said(sentence, text, words, content)


@lru_cache(maxsize=64)
def read_of(evidence: Evidence) -> Read:
    """The evidence as it is compared; kept for the next claim against it."""
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
    return Read(
        plain=straightened(evidence.whole).lower(),
        text=text,
        words=frozenset(words | parts | {*stems(text), *map(initials, TITLE.findall(evidence.whole))}),
        sentences=tuple(map(said_of, sentences)),
        stretches=frozenset(map(normal, stretches)),
    )


def normal(stretch: str) -> str:
    """A stretch as it is looked up among those that stand word for word."""
    # A document's own "[3]" is told as "(3)", see `rag.cite`.
    text = re.sub(r"\[(\d{1,4})\]", r"(\1)", straightened(stretch)).rstrip(".;,:!… ")
    return text[:1].lower() + text[1:]


def carriers_of(claim: Said, evidence: Read) -> list[Said]:
    """The sentences that hold most of the claim's words; none for a claim of one word."""
    if len(claim.content) < 2:
        return []
    enough = CARRIES * len(claim.content)
    return [each for each in evidence.sentences if len(claim.content & each.content) >= enough]


def missing(kind: FaultKind, words: str) -> MechanicalFault:
    """The fault of a claim whose `words` the cited text has not."""
    return MechanicalFault(kind, words, f"The claim says “{words}”; the cited text does not.")


def listed(words: set[str]) -> str:
    """``“days” and “weeks”``."""
    return " and ".join(f"“{word}”" for word in sorted(words))


def initials(title: str) -> str:
    """``hr`` of ``Human Resources``."""
    return "".join(word[0] for word in title.split() if word[0].isupper()).lower()
