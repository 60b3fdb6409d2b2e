"""Recordings: what a speech model on this machine hears, in paragraphs with their times."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rag.config import ExtractionLimits
from rag.errors import NoText, UnsupportedFormat
from rag.extract.audio import SAMPLE_RATE, Recording, Stretch, open_recording
from rag.extract.canonical import CanonicalBuilder, Reading, line_text
from rag.extract.outline import choose_title
from rag.extract.speech import Utterance, add_utterances
from rag.extract.wording import count_of
from rag.types import Coverage, ExtractionWarning

_TIME_SHARE = 0.85
"""Of the time limit; then what was heard is kept, before the process is stopped."""
_MAX_MISSING_S = 3.0
"""Containers state their length that loosely."""


def read(path: Path, *, filename: str, limits: ExtractionLimits) -> Reading:
    """What is said in a recording or a video's sound track.

    Raises:
        UnsupportedFormat: no speech model is set, or it is not on this machine.
        NoText: nobody speaks, or there is no sound track.
        DamagedDocument: nothing of it can be decoded.
        ResourceLimit: the text is longer than the limit.
    """
    deadline = time.monotonic() + _TIME_SHARE * limits.time_s
    model = _load_model(limits.speech_model)
    recording = open_recording(path)
    with recording.container:
        heard = _Heard()
        for stretch in recording.stretches():
            if not heard.listen(model, stretch, deadline=deadline):
                break
    if not heard.utterances and heard.is_complete:
        raise NoText(
            "The recording opened, but nobody speaks in it.", next_step="Listen to it: is it the right one?"
        )
    builder = CanonicalBuilder(limits.max_chars)
    add_utterances(builder, heard.utterances)
    total_s = max(heard.end_s, recording.duration_s)
    warnings = tuple(_warnings(heard, recording, limits.speech_model))
    return Reading(
        title=choose_title((recording.title,), filename),
        text=builder.text(),
        spans=builder.spans(),
        coverage=Coverage("second", math.floor(heard.end_s), max(math.floor(heard.end_s), round(total_s))),
        is_partial=not heard.is_complete
        or recording.is_cut_off
        or recording.n_damaged > 0
        or total_s - heard.end_s > _MAX_MISSING_S,
        warnings=warnings,
    )


@dataclass(slots=True)
class _Heard:
    utterances: list[Utterance] = field(default_factory=list)
    languages: dict[str, None] = field(default_factory=dict)
    log_probabilities: list[float] = field(default_factory=list)
    end_s: float = 0.0
    is_complete: bool = True

    def listen(self, model: Any, stretch: Stretch, *, deadline: float) -> bool:
        """Recognise one stretch; False when the time was up before its end."""
        # Without earlier text as a hint: it makes Whisper repeat itself. Silence is cut out first,
        # because Whisper hears words in it.
        segments, info = model.transcribe(stretch.samples, vad_filter=True, condition_on_previous_text=False)
        length_s = len(stretch.samples) / SAMPLE_RATE
        is_late = time.monotonic() > deadline and stretch.start_s > 0
        for segment in segments:
            if is_late:
                self.is_complete = False
                return False
            if line_text(segment.text):
                self._add(segment, stretch.start_s, length_s)
                self.languages[info.language] = None
            is_late = time.monotonic() > deadline
        self.end_s = stretch.start_s + length_s
        return True

    def _add(self, segment: Any, offset_s: float, length_s: float) -> None:
        start_s = min(max(0.0, segment.start), length_s)
        end_s = min(max(start_s, segment.end), length_s)
        self.utterances.append(
            Utterance(round(offset_s + start_s, 2), round(offset_s + end_s, 2), line_text(segment.text))
        )
        self.log_probabilities.append(segment.avg_logprob)
        self.end_s = offset_s + end_s

    @property
    def confidence(self) -> float:
        """Mean probability of a recognised token, in [0, 1]."""
        values = self.log_probabilities
        return math.exp(sum(values) / len(values)) if values else 0.0


def _warnings(heard: _Heard, recording: Recording, model: str) -> Iterator[ExtractionWarning]:
    if heard.utterances:
        yield ExtractionWarning(
            "speech_recognised",
            f"Recognised by the speech model {Path(model).name}: {', '.join(heard.languages)}, mean confidence"
            f" {heard.confidence:.2f}. Words may be wrong.",
            len(heard.utterances),
        )
    if not heard.is_complete:
        message = f"No time was left after {count_of(math.floor(heard.end_s), 'second')}."
        yield ExtractionWarning("recording_time", message)
    elif recording.duration_s - heard.end_s > _MAX_MISSING_S:
        missing = math.ceil(recording.duration_s - heard.end_s)
        yield ExtractionWarning(
            "cut_off", f"The recording ends {count_of(missing, 'second')} too early.", missing
        )
    elif recording.is_cut_off:
        yield ExtractionWarning("cut_off", "The end of the recording is missing.")
    if recording.n_damaged:
        message = f"Damaged and not heard: {count_of(recording.n_damaged, 'piece')} of the sound."
        yield ExtractionWarning("damaged_sound", message, recording.n_damaged)


def _load_model(name: str) -> Any:
    """The speech model of that name or folder, from this machine only."""
    if not name:
        raise UnsupportedFormat(
            "The content is a recording; no speech model is set, so it is not read.",
            next_step="Set SPEECH_MODEL to a Whisper model's folder, or upload a transcript (VTT, SRT).",
        )
    try:
        from faster_whisper import WhisperModel  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError as exc:
        raise UnsupportedFormat(
            "The content is a recording; the package that reads recordings is not installed.",
            next_step="Run `pip install footnote[recordings]` and retry.",
        ) from exc
    try:
        return WhisperModel(
            name, device="cpu", compute_type="int8", local_files_only=True, download_root=_model_cache()
        )
    except (OSError, ValueError, RuntimeError) as exc:
        raise UnsupportedFormat(
            f"The speech model {name} is not on this machine, or it is broken.",
            next_step="Set SPEECH_MODEL to the folder of a Whisper model converted for CTranslate2.",
        ) from exc


def _model_cache() -> str:
    """Where models that were downloaded by name lie: in the person's home, which the sandbox hides."""
    import os
    import pwd

    return str(Path(pwd.getpwuid(os.getuid()).pw_dir, ".cache", "huggingface", "hub"))
