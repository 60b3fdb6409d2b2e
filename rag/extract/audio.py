"""The sound of a recording, in stretches short enough to hold in memory, cut where it is quiet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rag.errors import DamagedDocument, NoText

if TYPE_CHECKING:
    import av.container
    import numpy as np
    import numpy.typing as npt

    Samples = npt.NDArray[np.float32]

SAMPLE_RATE = 16_000
"""Samples a second: what Whisper hears."""
_STRETCH_S = 600
_SEARCH_S = 30
_QUIET_S = 0.2
_UNKNOWN_SIZE = 0x7FFF_0000
# FFmpeg follows playlists and references to other files and addresses; a recording holds its own sound.
_OPTIONS = {
    "format_whitelist": "mov,mp4,m4a,3gp,3g2,mj2,mp3,wav,ogg,flac,matroska,webm,avi,aac",
    "protocol_whitelist": "file",
}


@dataclass(frozen=True, slots=True)
class Stretch:
    """Some minutes of sound: mono samples in [−1, 1], (n,) float32, and where they begin."""

    start_s: float
    samples: Samples


@dataclass(slots=True)
class Recording:
    """An open recording; `n_damaged` counts packets that could not be decoded so far."""

    container: av.container.InputContainer
    title: str
    duration_s: float
    """What the file says; 0 when it does not."""
    is_cut_off: bool = False
    """Its container says that it is longer; FFmpeg takes what is there of a WAV for all of it."""
    n_damaged: int = 0

    def stretches(self) -> Iterator[Stretch]:
        """The sound from its beginning, about ten minutes at a time.

        Raises:
            DamagedDocument: nothing of it can be decoded.
        """
        import numpy as np

        held: list[Samples] = []
        n_held = n_given = 0
        for samples in self._decoded():
            held.append(samples)
            n_held += len(samples)
            if n_held >= _STRETCH_S * SAMPLE_RATE:
                sound = np.concatenate(held)
                cut = _quietest(sound)
                yield Stretch(n_given / SAMPLE_RATE, sound[:cut])
                n_given += cut
                held, n_held = [sound[cut:]], len(sound) - cut
        if n_held:
            yield Stretch(n_given / SAMPLE_RATE, np.concatenate(held))
        elif n_given == 0:
            raise DamagedDocument("No sound of the recording can be decoded.")

    def _decoded(self) -> Iterator[Samples]:
        import av
        import numpy as np

        resampler = av.AudioResampler(format="flt", layout="mono", rate=SAMPLE_RATE)
        for packet in self._packets():
            try:
                frames = packet.decode()
            except av.FFmpegError:
                self.n_damaged += 1
                continue
            for frame in frames:
                frame.pts = None  # times that jump would stop the resampler
                for resampled in resampler.resample(frame):
                    yield resampled.to_ndarray().reshape(-1).astype(np.float32, copy=False)
        for resampled in resampler.resample(None):
            yield resampled.to_ndarray().reshape(-1).astype(np.float32, copy=False)

    def _packets(self) -> Iterator[Any]:
        import av

        try:
            yield from self.container.demux(audio=0)
        except av.FFmpegError:  # cut off: what came before stays
            self.n_damaged += 1


def open_recording(path: Path) -> Recording:
    """The recording at `path`; close its `container` after use.

    Raises:
        DamagedDocument: no container that can be read.
        NoText: it has no sound track.
    """
    import av

    try:
        container = av.open(str(path), mode="r", metadata_errors="replace", options=_OPTIONS)
    except (av.FFmpegError, ValueError) as exc:
        raise DamagedDocument("The recording is broken or cut off.") from exc
    if not container.streams.audio:
        container.close()
        raise NoText("The recording has no sound track.")
    duration_s = (container.duration or 0) / av.time_base
    return Recording(
        container, container.metadata.get("title", ""), duration_s, is_cut_off=_is_riff_cut_off(path)
    )


def _is_riff_cut_off(path: Path) -> bool:
    """A WAV or AVI is shorter than its first chunk; writers to a pipe leave a very large size or none."""
    with path.open("rb") as file:
        head = file.read(8)
    size = int.from_bytes(head[4:], "little")
    return head.startswith(b"RIFF") and 0 < size < _UNKNOWN_SIZE and len(head) + size > path.stat().st_size


def _quietest(sound: Samples) -> int:
    """Where in its last half minute `sound` is quietest, in samples: between words rather than in one."""
    import numpy as np

    size = int(_QUIET_S * SAMPLE_RATE)
    tail = sound[-_SEARCH_S * SAMPLE_RATE :]
    energy = np.add.reduceat(tail * tail, np.arange(0, len(tail) - size, size))
    return len(sound) - len(tail) + int(energy.argmin()) * size + size // 2
