"""The settings of recordings reach the reader."""

from __future__ import annotations

from typing import Any

from console import engine


def test_the_speech_model_of_the_settings_reaches_the_reader(settings: Any) -> None:
    settings.SPEECH_MODEL, settings.RECORDING_TIME_S = "/models/base", 120.0
    limits = engine.limits()
    assert (limits.speech_model, limits.recording_time_s) == ("/models/base", 120.0)


def test_recordings_are_not_read_unless_a_model_is_set() -> None:
    assert engine.limits().speech_model == ""
