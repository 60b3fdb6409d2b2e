"""Transcripts of timed cues: what WebVTT and SRT have in common.

Read here rather than with webvtt-py, which passes over a cue it does not understand without a word.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rag.config import ExtractionLimits
from rag.errors import DamagedDocument
from rag.extract.canonical import CanonicalBuilder, Reading, line_text
from rag.extract.decoding import decode_text
from rag.extract.left_out import left_out
from rag.extract.outline import choose_title
from rag.extract.speech import Utterance, add_utterances, without_rolling
from rag.extract.wording import count_of
from rag.types import Coverage, ExtractionWarning

_LINE_END = re.compile(r"\r\n?|\n")
_TIME = r"(?:(\d+):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})"
_TIMING = re.compile(rf"\s*{_TIME}\s*-->\s*{_TIME}(?=\s|$)")
_BY_VOICE = re.compile(r"<v(?:\.[^\s>]{0,200})?\s+([^>]{0,200})>")
# Only tags that cues can have: "a < b" and "<name>" are words.
_TAG = re.compile(
    r"</?(?:c|i|b|u|s|v|lang|ruby|rt|font)(?:[.\s][^>]{0,200})?>|<(?:\d+:)?\d\d:\d\d[.,]\d{3}>|\{\\[a-z]+\d*[^}]{0,200}\}",
    re.IGNORECASE,
)
_SPEAKER_DASH = re.compile(r"\n(?=[-–—]\s?\S)")


@dataclass(slots=True)
class Cue:
    """Lines of text shown from `start_s` to `end_s`."""

    start_s: float
    end_s: float
    lines: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Transcript:
    """The cues of one file, in its order, and what else it held."""

    cues: list[Cue] = field(default_factory=list)
    header: str = ""
    """What stands behind ``WEBVTT``; often a title."""
    n_broken: int = 0
    n_notes: int = 0
    n_styles: int = 0


def read_transcript(path: Path, *, filename: str, limits: ExtractionLimits) -> Reading:
    """The words of a transcript in paragraphs with their times; notes and styles are left out.

    Raises:
        DamagedDocument: it has no cue that can be read.
        ResourceLimit: the text is longer than the limit.
    """
    decoded = decode_text(path.read_bytes())
    transcript = parse_transcript(decoded.text)
    n_cues = len(transcript.cues) + transcript.n_broken
    if transcript.n_broken and not transcript.cues:
        raise DamagedDocument("None of the transcript's times can be read.")
    spoken = [utterance for cue in transcript.cues for utterance in _utterances(cue)]
    utterances, n_repeated = without_rolling(spoken)
    builder = CanonicalBuilder(limits.max_chars)
    add_utterances(builder, utterances)
    return Reading(
        title=choose_title((transcript.header,), filename),
        text=builder.text(),
        spans=builder.spans(),
        coverage=Coverage("cue", len(transcript.cues), n_cues),
        is_partial=decoded.is_partial or transcript.n_broken > 0,
        encoding=decoded.encoding,
        warnings=(
            *decoded.warnings,
            *_broken_cues(transcript.n_broken),
            *left_out("repeated_captions_dropped", n_repeated, "repeated caption"),
            *left_out("notes_dropped", transcript.n_notes, "note"),
            *left_out("styles_dropped", transcript.n_styles, "style"),
        ),
    )


def parse_transcript(text: str) -> Transcript:
    """The cues of WebVTT or SRT text.

    Text between cues belongs to the cue above it in SRT, whose writers leave lines blank inside cues.
    """
    transcript = Transcript()
    is_srt = not text.lstrip("\ufeff").startswith("WEBVTT")
    cue: Cue | None = None
    block: list[str] = []
    is_broken = False
    for line in [*_LINE_END.split(text), ""]:
        timing = _TIMING.match(line)
        if timing or "-->" in line:
            before = block if cue is None else cue.lines
            if before and (cue is None or before[-1].strip().isdigit()):
                before.pop()  # the cue's name or number
            _add_loose(transcript, block, is_srt=is_srt)
            cue, block = (_new_cue(timing), []) if timing else (None, [])
            is_broken = cue is None
            transcript.n_broken += is_broken
            transcript.cues += [cue] if cue is not None else []
        elif not (line.strip() if is_srt else line):
            _add_loose(transcript, block, is_srt=is_srt)
            cue, block, is_broken = None, [], False
        elif cue is not None:
            cue.lines.append(line)
        elif not is_broken:
            block.append(line)
    return transcript


def _new_cue(timing: re.Match[str]) -> Cue:
    start_s, end_s = _seconds(timing.groups()[:4]), _seconds(timing.groups()[4:])
    return Cue(start_s, max(start_s, end_s))


def _seconds(parts: tuple[str | None, ...]) -> float:
    hours, minutes, seconds, fraction = (part or "0" for part in parts)
    return int(hours[:6]) * 3600 + int(minutes) * 60 + float(f"{seconds}.{fraction}")


def _add_loose(transcript: Transcript, block: list[str], *, is_srt: bool) -> None:
    """A block that is no cue."""
    if not block:
        return
    first = block[0].lstrip("\ufeff")
    if first.startswith("WEBVTT") and not transcript.cues:
        transcript.header = first.removeprefix("WEBVTT").strip(" \t-–")
    elif first.startswith(("STYLE", "REGION")) and not is_srt:
        transcript.n_styles += 1
    elif is_srt and transcript.cues:
        transcript.cues[-1].lines += block
    else:
        transcript.n_notes += 1


def _utterances(cue: Cue) -> Iterator[Utterance]:
    """The cue's words, those of each voice apart."""
    speaker = ""
    for position, piece in enumerate(_BY_VOICE.split("\n".join(cue.lines))):
        if position % 2:
            speaker = line_text(html.unescape(piece))
            continue
        words = html.unescape(_TAG.sub("", piece))
        for said in _SPEAKER_DASH.split(words):
            text = line_text(said)
            if text:
                yield Utterance(cue.start_s, cue.end_s, text, speaker)


def _broken_cues(count: int) -> Iterator[ExtractionWarning]:
    if count:
        message = f"Not read, because their times make no sense: {count_of(count, 'cue')}."
        yield ExtractionWarning("broken_cues", message, count)
