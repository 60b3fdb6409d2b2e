"""A Whisper model of a few kilobytes with random weights, and sounds: what it hears is no text, but has times."""

from __future__ import annotations

import io
import json
import wave
from pathlib import Path

import numpy as np
import numpy.typing as npt

RATE = 16_000
_WORDS = [
    "the",
    "travel",
    "policy",
    "hotel",
    "costs",
    "ninety",
    "euros",
    "a",
    "night",
    "ask",
    "your",
    "manager",
]
_SPECIAL = [
    "<|endoftext|>", "<|startoftranscript|>", "<|translate|>", "<|transcribe|>", "<|startoflm|>", "<|startofprev|>",
    "<|nocaptions|>", "<|notimestamps|>",
]  # fmt: skip
_N_TIMES = 1_501

Sound = npt.NDArray[np.float32]


def make_model(folder: Path) -> Path:
    """A converted model folder, as SPEECH_MODEL names one."""
    import ctranslate2
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast, WhisperConfig, WhisperForConditionalGeneration

    tokens = [f"\u0120{word}" for word in _WORDS] + _SPECIAL
    tokenizer = Tokenizer(
        models.WordLevel({token: at for at, token in enumerate(tokens)}, unk_token="<|endoftext|>")
    )
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    tokenizer.decoder = decoders.ByteLevel()
    source, target = folder / "source", folder / "model"
    source.mkdir(parents=True)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token="<|endoftext|>").save_pretrained(source)
    torch.manual_seed(7)
    first_special = len(_WORDS)
    config = WhisperConfig(
        vocab_size=len(tokens) + _N_TIMES, d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=32, decoder_ffn_dim=32, num_mel_bins=80,
        bos_token_id=first_special, eos_token_id=first_special, pad_token_id=first_special,
        decoder_start_token_id=first_special + 1, suppress_tokens=[], begin_suppress_tokens=[],
    )  # fmt: skip
    model = WhisperForConditionalGeneration(config)
    model.generation_config.suppress_tokens = []
    model.generation_config.begin_suppress_tokens = []
    model.generation_config.lang_to_id = {}
    model.save_pretrained(source)
    ctranslate2.converters.TransformersConverter(str(source)).convert(str(target))
    tokenizer.save(str(target / "tokenizer.json"))
    (target / "preprocessor_config.json").write_text(json.dumps({"feature_size": 80}))
    return target


def voice(seconds: float) -> Sound:
    """Something that a detector of voices takes for one: pulses through the resonances of changing vowels."""
    n = int(seconds * RATE)
    time = np.arange(n) / RATE
    pitch = 120 + 20 * np.sin(2 * np.pi * 0.7 * time)
    phase = np.cumsum(pitch) / RATE
    vowels = [(730, 1090, 2440), (270, 2290, 3010), (570, 840, 2410), (300, 870, 2240)]
    sound = np.zeros(n)
    at = (time * 4).astype(int) % len(vowels)
    for harmonic in range(1, 40):
        frequency = pitch * harmonic
        gain = np.zeros(n)
        for formant in range(3):
            centre = np.array([vowel[formant] for vowel in vowels])[at]
            gain += np.exp(-(((frequency - centre) / (90 + 60 * formant)) ** 2)) / (1 + formant)
        sound += gain * np.sin(2 * np.pi * harmonic * phase)
    syllables = np.clip(np.sin(2 * np.pi * 4 * time) + 0.4, 0, 1)
    sound *= syllables
    return (0.5 * sound / np.abs(sound).max()).astype(np.float32)


def silence(seconds: float) -> Sound:
    return np.zeros(int(seconds * RATE), dtype=np.float32)


def as_wav(sound: Sound) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(RATE)
        writer.writeframes((sound * 32_767).astype("<i2").tobytes())
    return file.getvalue()


def as_container(sound: Sound, container_format: str, codec: str, *, title: str = "") -> bytes:
    """The sound in any container that FFmpeg writes, such as ``("mp3", "mp3")`` or ``("matroska", "aac")``."""
    import av

    file = io.BytesIO()
    with av.open(file, "w", format=container_format) as writer:
        if title:
            writer.metadata["title"] = title
        stream = writer.add_stream(codec, rate=RATE)
        stream.layout = "mono"
        frame = av.AudioFrame.from_ndarray(
            (sound * 32_767).astype("<i2").reshape(1, -1), format="s16", layout="mono"
        )
        frame.sample_rate = RATE
        resampler = av.AudioResampler(
            format=stream.codec_context.format,
            layout="mono",
            rate=RATE,
            frame_size=320 if codec == "libopus" else 1024,
        )
        for piece in [*resampler.resample(frame), *resampler.resample(None)]:
            writer.mux(stream.encode(piece))
        writer.mux(stream.encode(None))
    return file.getvalue()
