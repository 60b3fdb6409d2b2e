from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from extraction_checks import blocks

from rag import extract_file
from rag.config import ExtractionLimits
from rag.errors import DamagedDocument, NoText, UnsupportedFormat

pytest.importorskip("faster_whisper", reason="recordings need the extra `recordings`")

import numpy as np
from speech_models import as_container, as_wav, make_model, silence, voice

SOUND = np.concatenate([silence(2), voice(4), silence(6), voice(3), silence(1)])
LENGTH_S = len(SOUND) / 16_000


@pytest.fixture(scope="module")
def limits(tmp_path_factory: pytest.TempPathFactory) -> ExtractionLimits:
    return ExtractionLimits(speech_model=str(make_model(tmp_path_factory.mktemp("speech"))))


def test_what_is_heard_knows_its_time(read: Any, limits: ExtractionLimits) -> None:
    extraction = read(as_wav(SOUND), "town_hall.wav", limits)
    assert (extraction.format, extraction.title) == ("recording", "town hall")
    times = [span.locator.time for span in extraction.spans]
    assert len(times) > 0
    assert all(1.5 < start <= end <= LENGTH_S for start, end in times)
    assert times == sorted(times)
    assert (extraction.coverage.unit, extraction.coverage.read, extraction.coverage.total) == (
        "second",
        16,
        16,
    )
    (warning,) = extraction.warnings
    assert warning.code == "speech_recognised"
    assert "en, mean confidence 0." in warning.message
    assert not extraction.is_partial


@pytest.mark.parametrize(
    ("container", "codec", "name"),
    [
        ("mp3", "mp3", "a.mp3"),
        ("mp4", "aac", "a.mp4"),
        ("matroska", "aac", "a.mkv"),
        ("ogg", "libopus", "a.ogg"),
    ],
)
def test_containers(read: Any, limits: ExtractionLimits, container: str, codec: str, name: str) -> None:
    extraction = read(as_container(SOUND, container, codec), name, limits)
    assert blocks(extraction)
    assert abs(extraction.coverage.total - LENGTH_S) <= 1


def test_the_recording_names_itself(read: Any, limits: ExtractionLimits) -> None:
    data = as_container(SOUND, "matroska", "aac", title="Town hall, May")
    assert read(data, "rec001.mkv", limits).title == "Town hall, May"


@pytest.mark.parametrize("name", ["a.wav", "a.mp3"])
def test_a_recording_that_was_cut_off_is_partial(read: Any, limits: ExtractionLimits, name: str) -> None:
    whole = as_wav(SOUND) if name == "a.wav" else as_container(SOUND, "mp3", "mp3")
    extraction = read(whole[: len(whole) // 2], name, limits)
    assert extraction.is_partial
    assert "cut_off" in [warning.code for warning in extraction.warnings]


def test_a_recording_written_to_a_pipe_has_no_known_length(read: Any, limits: ExtractionLimits) -> None:
    piped = bytearray(as_wav(SOUND))
    piped[4:8] = piped[40:44] = b"\xff" * 4
    assert not read(bytes(piped), "a.wav", limits).is_partial


def test_silence_has_no_text(read: Any, limits: ExtractionLimits) -> None:
    with pytest.raises(NoText):
        read(as_wav(silence(5)), "a.wav", limits)


@pytest.mark.parametrize(
    "data", [b"ID3\x04" + b"\0" * 400, b"OggS\0" + b"nonsense" * 90, b"RIFF\0\0\0\0WAVEfmt "]
)
def test_broken_recordings(read: Any, limits: ExtractionLimits, data: bytes) -> None:
    with pytest.raises(DamagedDocument):
        read(data, "a.mp3", limits)


def test_a_playlist_is_not_followed(read: Any, limits: ExtractionLimits, tmp_path: Path) -> None:
    (tmp_path / "secret.wav").write_bytes(as_wav(SOUND))
    playlist = (
        b"ID3\x04\0\0\0\0\0\0#EXTM3U\n#EXT-X-TARGETDURATION:20\n#EXTINF:16,\nsecret.wav\n#EXT-X-ENDLIST\n"
    )
    with pytest.raises(DamagedDocument):
        read(playlist, "a.mp3", limits)


def test_a_long_recording_is_heard_in_stretches(
    read: Any, limits: ExtractionLimits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag.extract.audio._STRETCH_S", 8)
    monkeypatch.setattr("rag.extract.audio._SEARCH_S", 4)
    extraction = read(as_wav(SOUND), "a.wav", limits)
    starts = [span.locator.time[0] for span in extraction.spans]
    assert min(starts) < 6
    assert max(starts) > 11
    assert extraction.coverage.read == 16


def test_what_was_heard_when_the_time_is_up_is_kept(
    read: Any, limits: ExtractionLimits, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag.extract.recording._TIME_SHARE", 0.0)
    monkeypatch.setattr("rag.extract.audio._STRETCH_S", 8)
    monkeypatch.setattr("rag.extract.audio._SEARCH_S", 4)
    extraction = read(as_wav(SOUND), "a.wav", limits)
    assert extraction.is_partial
    assert "recording_time" in [warning.code for warning in extraction.warnings]
    assert extraction.coverage.read < extraction.coverage.total


def test_without_a_model(read: Any) -> None:
    with pytest.raises(UnsupportedFormat) as caught:
        read(as_wav(SOUND), "a.wav")
    assert "SPEECH_MODEL" in caught.value.next_step


def test_a_model_that_is_not_there(read: Any, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedFormat, match="not on this machine") as caught:
        read(as_wav(SOUND), "a.wav", ExtractionLimits(speech_model=str(tmp_path)))
    assert "SPEECH_MODEL" in caught.value.next_step


def test_without_the_package(read: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "faster_whisper", None)
    with pytest.raises(UnsupportedFormat) as caught:
        read(as_wav(SOUND), "a.wav", ExtractionLimits(speech_model="base"))
    assert "pip install footnote[recordings]" in caught.value.next_step


def test_in_the_sandbox_with_its_own_time_limit(limits: ExtractionLimits, tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(as_wav(SOUND))
    short = ExtractionLimits(speech_model=limits.speech_model, time_s=0.01)
    assert extract_file(path, filename="a.wav", limits=short).spans
