"""Spoken words with their times: cues and recognised segments joined to paragraphs that can be read and quoted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from rag.extract.canonical import CanonicalBuilder
from rag.types import Locator

_PARAGRAPH_CHARS = 300
"""From here a paragraph ends with the next sentence."""
_MAX_PARAGRAPH_CHARS = 600
_PAUSE_S = 4.0
_ROLLING_SHARE = 0.25
_MIN_ROLLING = 3
_MAX_OVERLAP = 100  # words; more than a screen shows
_JOINED_S = 1.0
"""Captions that roll follow each other within this time."""
_BEFORE_DASH = re.compile(r"(?<=[.!?…]) (?=[-–—] ?\w)")
"""A dash behind a sentence is another voice, which takes a line of its own."""
_SENTENCE_ENDS = (".", "!", "?", "…", "。", "！", "？", '."', '!"', '?"', ".”", "!”", "?”")


@dataclass(frozen=True, slots=True)
class Utterance:
    """What one voice says from `start_s` to `end_s`, in seconds from the beginning."""

    start_s: float
    end_s: float
    text: str
    speaker: str = ""


def add_utterances(builder: CanonicalBuilder, utterances: Sequence[Utterance]) -> None:
    """Add paragraphs of one voice each; a paragraph's time covers its words.

    Raises:
        ResourceLimit: the text is longer than the builder's limit.
    """
    speaker = ""
    for paragraph in _paragraphs(utterances):
        text = _BEFORE_DASH.sub("\n", " ".join(each.text for each in paragraph))
        first = paragraph[0]
        if first.speaker and first.speaker != speaker:
            text = f"{first.speaker}: {text}"
        speaker = first.speaker
        time = (min(each.start_s for each in paragraph), max(each.end_s for each in paragraph))
        builder.add(text, "paragraph", Locator(time=time))


def without_rolling(utterances: Sequence[Utterance]) -> tuple[list[Utterance], int]:
    """Captions that show the previous line once more, as live ones do, without what was shown; and how many.

    A line that is simply said twice stays: only where captions roll all through the file they are cut.
    """
    overlaps = [
        0,
        *(_overlap(before, after) for before, after in pairwise(utterances)),
    ]
    n_rolling = sum(overlap > 0 for overlap in overlaps)
    if n_rolling < max(_MIN_ROLLING, _ROLLING_SHARE * len(utterances)):
        return list(utterances), 0
    kept = []
    for utterance, overlap in zip(utterances, overlaps, strict=True):
        rest = " ".join(utterance.text.split()[overlap:])
        if rest:
            kept.append(replace(utterance, text=rest))
    return kept, n_rolling


def _overlap(before: Utterance, after: Utterance) -> int:
    """How many words `after` shows again of those that `before` ended with."""
    if before.speaker != after.speaker or after.start_s - before.end_s > _JOINED_S:
        return 0
    shown, words = before.text.split()[-_MAX_OVERLAP:], after.text.split()[:_MAX_OVERLAP]
    return next(
        (length for length in range(min(len(shown), len(words)), 0, -1) if shown[-length:] == words[:length]),
        0,
    )


def _paragraphs(utterances: Sequence[Utterance]) -> Iterator[list[Utterance]]:
    """Runs of one voice without a long pause, ended at a sentence where they grow long."""
    run: list[Utterance] = []
    size = 0
    for utterance in utterances:
        if run and (_starts_anew(run[-1], utterance) or size + len(utterance.text) > _MAX_PARAGRAPH_CHARS):
            yield run
            run, size = [], 0
        run.append(utterance)
        size += len(utterance.text) + 1
        if size >= _PARAGRAPH_CHARS and utterance.text.endswith(_SENTENCE_ENDS):
            yield run
            run, size = [], 0
    if run:
        yield run


def _starts_anew(before: Utterance, after: Utterance) -> bool:
    return (
        before.speaker != after.speaker
        or after.start_s - before.end_s > _PAUSE_S
        or after.start_s < before.start_s  # a second recording in the same file
    )
