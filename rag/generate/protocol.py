"""What a generator gives back: sentences that name the passages they come from, or nothing."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import Protocol

from rag.sentences import sentence_spans
from rag.types import ListRest, RefusalReason, ScoredChunk

ABSTAIN = "NO_ANSWER"
_ABSTAINS = re.compile(r"\b(?:(?i:no_answer)|NO ANSWER)\b")
_ABSTAINS_ALONE = re.compile(
    r"\W*(?:no[\s_-]*answer|(?:i )?abstain(?:ed|ing|s)?|unanswerable|not answered)\W*", re.IGNORECASE
)
"""A whole text that means the same, as models write it."""

# Right before a parenthesis it is the text of a link. Some models write their own brackets: 【1】.
_ONE = r"[\[【［]\s?\d+(?:\s?[,;，、]\s?\d+)*\s?[\]】］](?!\()"
_MARKERS = re.compile(rf"{_ONE}(?:\s?[,;]?\s?{_ONE})*")
_NUMBER = re.compile(r"\d+")
_MAX_DIGITS = 9
"""`int` refuses more than 4,300 digits; no passage has a number of ten."""
_CODE = re.compile(r"`[^`\n]+`")
# Atomic: of ``[1][2]`` the second must not count as the words behind the first.
_LEADS = re.compile(rf"[ \t>#*•–-]*(?:\d+[.)][ \t]+)?(?P<markers>(?>{_MARKERS.pattern}))(?=.*\w)")
_ENDS = re.compile(rf"(?:{_MARKERS.pattern})[\s.!?…。！？*_]*\Z")
_TERMINATORS = frozenset(".!?…。！？")
_CLOSING = re.compile(r"[.!?…。！？]+")
_GOES_ON = frozenset(",;:()%/–—-，；：、）")


@dataclass(frozen=True, slots=True)
class DraftSentence:
    """One sentence and the 1-based positions of the passages it rests on, as the generator wrote them."""

    text: str
    passages: tuple[int, ...]
    n_more: int = 0
    """Items of the quoted list that are not told; said behind the sentence."""
    list_rest: ListRest = ListRest.NONE
    """Said there instead where the list was cut between passages, so that they cannot be counted."""
    is_after_gap: bool = False
    """Items of the quoted list before this one are not told; marked in front of the sentence."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A generator's answer before citations are bound.

    No sentences means that the generator abstained; `abstained` says why.
    """

    sentences: tuple[DraftSentence, ...]
    abstained: RefusalReason | None = None
    evidence: float | None = None
    """How well the best sentence carries the question, on the generator's own scale; for the trace."""
    n_left_out: int = 0
    """Passages at the end that the model was not shown, because its context had no room for them."""
    is_truncated: bool = False
    """The model was stopped at its length limit; its last, unfinished sentence is not among the sentences."""


class Generator(Protocol):
    """Writes an answer from passages only. Safe to share between threads."""

    @property
    def name(self) -> str:
        """Stamped on every answer."""
        ...

    def generate(
        self, question: str, passages: tuple[ScoredChunk, ...], *, time_limit_s: float | None = None
    ) -> Draft:
        """Sentences that cite passages by their 1-based position, or an abstention.

        Args:
            question: in words.
            passages: best first; nothing else is known to the generator.
            time_limit_s: seconds after which an answer is of no use; None leaves the generator's own limit.

        Raises:
            ModelTimeout: no answer within the limit.
            RateLimited: a remote model, or our own limit on requests to it, asks to wait.
            ModelDown: a remote model cannot be reached, failed, or did not answer in its protocol.
            ModelRefused: a remote model refused the request (key, name), or no passage fits a model's context.
            ModelMissing: a local model cannot be read.

        After each of these the same passages can still be quoted (`ExtractiveGenerator`, which raises none).
        """
        ...


def read_markers(text: str) -> Draft:
    """The draft in a language model's text: each sentence ends with its markers ``[1][3]``.

    Only numbers in square brackets are markers, also ``[1, 3]`` and ``【1】``; a link's text, a URL or a number in
    a code span is none. A marker speaks for the sentence that it stands in or follows and for no other. Where a line
    begins with markers they would be taken for the sentence before it, so they are not read; if such a line does not
    end with one either, none of its markers is. A sentence without a marker becomes one without passages, which
    `rag.cite` drops. Only for text a model wrote: a passage's own words may hold ``[1]`` and are never read this way.
    """
    leading = _ABSTAINS.search(text)
    if not text.strip() or (leading and not any(map(str.isalnum, text[: leading.start()]))):
        return Draft((), RefusalReason.MODEL_ABSTAINED)
    if _ABSTAINS_ALONE.fullmatch(_MARKERS.sub("", text)):
        return Draft((), RefusalReason.MODEL_ABSTAINED)
    words, markers = _apart("\n".join(map(_without_leading_markers, text.split("\n"))))
    spans = sentence_spans(words)
    starts = [start for start, _ in spans]
    named: list[list[int]] = [[] for _ in spans]
    for offset, numbers in markers:
        at = bisect_left(starts, offset) - 1
        if at >= 0:
            named[at].extend(numbers)
    sentences = tuple(
        DraftSentence(words[start:end], tuple(numbers))
        for (start, end), numbers in zip(spans, named, strict=True)
        if not _ABSTAINS.search(words, start, end)
    )
    if sentences and any(map(str.isalnum, words)):
        return Draft(sentences)
    # Markers behind no words are no abstention: a source is named, and nothing is said that it could carry.
    is_abstention = bool(_ABSTAINS.search(text)) or not markers
    return Draft((), RefusalReason.MODEL_ABSTAINED if is_abstention else RefusalReason.UNSUPPORTED_CLAIMS)


def ends_finished(text: str) -> bool:
    """Whether a text that was cut off ends with a whole, marked sentence: ``… [1].`` or ``…. [1]``."""
    text = text.rstrip(" \n\t*_")
    end = _ENDS.search(text)
    if end is None:
        return False
    return text[-1] in _TERMINATORS or text[: end.start()].rstrip()[-1:] in _TERMINATORS


def _without_leading_markers(line: str) -> str:
    """The line without the markers before its words, and without any if they stand before the sentences they mean."""
    leads = _LEADS.match(line)
    if leads is None:
        return line
    rest = line[: leads.start("markers")] + line[leads.end("markers") :]
    return rest if _ENDS.search(line) else _MARKERS.sub("", rest)


def _apart(text: str) -> tuple[str, list[tuple[int, tuple[int, ...]]]]:
    """The words without markers, and the markers: where in those words each stood, and its numbers."""
    code = [match.span() for match in _CODE.finditer(text)]
    markers = []
    words, start = "", 0
    for match in _MARKERS.finditer(text):
        if any(first < match.start() < last for first, last in code):
            continue
        words += text[start : match.start()].rstrip()
        markers.append((len(words), _numbers(match.group())))
        start = match.end()
        closing = _CLOSING.match(text, start)
        if closing:
            words += "" if words.rstrip()[-1:] in _TERMINATORS else closing.group()
            start = closing.end()
        if words.rstrip()[-1:] in _TERMINATORS or not _goes_on(text, start):
            words += "\n\n"  # where `sentence_spans` always cuts
    return words + text[start:], markers


def _goes_on(text: str, start: int) -> bool:
    """Whether the sentence goes on behind a marker; a capital or a new line begins another one."""
    rest = text[start:]
    following = rest.lstrip()
    if not following:
        return True
    if "\n" in rest[: len(rest) - len(following)]:
        return False
    return following[0] in _GOES_ON or (following[0].isalnum() and not following[0].isupper())


def _numbers(markers: str) -> tuple[int, ...]:
    """The numbers as written; one with too many digits names no passage and is read as 0."""
    return tuple(int(digits) if len(digits) <= _MAX_DIGITS else 0 for digits in _NUMBER.findall(markers))
