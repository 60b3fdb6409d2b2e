from __future__ import annotations

from typing import Any

import pytest
from extraction_checks import blocks, warning_counts

from rag.errors import DamagedDocument, NoText
from rag.extract.cues import parse_transcript

VTT = """WEBVTT - Town hall

NOTE made by hand
over two lines

STYLE
::cue { color: red }

intro
00:00:01.000 --> 00:00:04.000 align:start
<v.loud Ada Byron>Hello <i>everybody</i> &amp; welcome.

00:04.500 --> 00:06.000
<v Ada Byron>We start with travel.</v>
<v Bob>Do hotels cost 5 < 6 euros?

00:00:20.000 --> 00:00:22.000
- Yes.
- No, <00:00:21.000><c.yellow>never</c>.
"""


def test_voices_times_and_what_is_left_out(read: Any) -> None:
    extraction = read(VTT.encode(), "meeting.vtt")
    assert (extraction.format, extraction.title) == ("vtt", "Town hall")
    assert blocks(extraction) == [
        "Ada Byron: Hello everybody & welcome. We start with travel.",
        "Bob: Do hotels cost 5 < 6 euros?",
        "- Yes.\n- No, never.",
    ]
    assert [span.locator.time for span in extraction.spans] == [(1.0, 6.0), (4.5, 6.0), (20.0, 22.0)]
    assert extraction.spans[2].locator.label == "00:00:20"
    assert warning_counts(extraction) == {"notes_dropped": 1, "styles_dropped": 1}
    assert (extraction.coverage.unit, extraction.coverage.read, extraction.coverage.total) == ("cue", 3, 3)
    assert not extraction.is_partial


def test_srt_with_its_habits(read: Any) -> None:
    srt = (
        '1\r\n00:00:01,000 --> 00:00:02,500\r\n{\\an8}<font color="red">Hotels cost</font>\r\n\r\n'
        "2\r\n00:00:02,500 --> 00:00:04,000\r\n90 euros.\r\n\r\nEach night.\r\n"
        "3\r\n1:00:05.5 --> 1:00:06.0\r\n2024\r\n\r\n"
    )
    extraction = read(srt.encode("utf-16"), "talk.srt")
    assert extraction.format == "srt"
    assert blocks(extraction) == ["Hotels cost 90 euros. Each night.", "2024"]
    assert [span.locator.time for span in extraction.spans] == [(1.0, 4.0), (3605.5, 3606.0)]
    assert extraction.encoding == "utf-16"


def cues(lines: list[str], *, seconds: float = 2.0, gap: float = 0.0) -> str:
    parts = ["WEBVTT"]
    for number, line in enumerate(lines):
        start = number * (seconds + gap)
        parts.append(f"00:{int(start) // 60:02}:{start % 60:06.3f} --> 00:{int(start + seconds) // 60:02}:"
                     f"{(start + seconds) % 60:06.3f}\n{line}")  # fmt: skip
    return "\n\n".join(parts)


def test_paragraphs_are_of_moderate_size_and_end_with_a_sentence(read: Any) -> None:
    sentences = [
        f"Hotel number {number:02} costs ninety euros a night with breakfast." for number in range(20)
    ]
    extraction = read(cues(sentences).encode(), "talk.vtt")
    sizes = [len(block) for block in blocks(extraction)]
    assert all(300 <= size <= 600 for size in sizes[:-1])
    assert len(sizes) == 4
    assert [span.locator.time for span in extraction.spans] == [(0, 12), (12, 24), (24, 36), (36, 40)]


def test_a_long_pause_starts_a_paragraph(read: Any) -> None:
    assert blocks(read(cues(["One.", "Two."], gap=5).encode(), "talk.vtt")) == ["One.", "Two."]


def test_speech_without_full_stops_is_cut_all_the_same(read: Any) -> None:
    extraction = read(
        cues([f"and then we went on to point {number}" for number in range(60)]).encode(), "talk.vtt"
    )
    assert max(len(block) for block in blocks(extraction)) <= 600


ROLLING = """WEBVTT
Kind: captions
Language: en

00:00:00.000 --> 00:00:02.000 align:start position:0%
\x20
hello<00:00:00.500><c> and</c><00:00:01.000><c> welcome</c>

00:00:02.000 --> 00:00:02.010 align:start position:0%
hello and welcome
\x20

00:00:02.010 --> 00:00:05.000 align:start position:0%
hello and welcome
to the<00:00:03.000><c> travel</c> talk

00:00:05.000 --> 00:00:05.010 align:start position:0%
to the travel talk
\x20

00:00:05.010 --> 00:00:08.000 align:start position:0%
to the travel talk
hotels cost ninety
"""


def test_rolling_captions_are_read_once(read: Any) -> None:
    extraction = read(ROLLING.encode(), "captions.vtt")
    assert extraction.text == "hello and welcome to the travel talk hotels cost ninety"
    assert warning_counts(extraction) == {"repeated_captions_dropped": 4}


def test_captions_that_grow_word_by_word_are_read_once(read: Any) -> None:
    grown = ["we", "we start", "we start with", "we start with travel"]
    assert read(cues(grown).encode(), "live.vtt").text == "we start with travel"


def test_what_is_said_twice_stays(read: Any) -> None:
    lines = ["Yes.", "Yes.", "I see.", "Fine.", "Good.", "Next.", "Go.", "On."]
    assert read(cues(lines).encode(), "talk.vtt").text == " ".join(lines)


def test_times_that_make_no_sense_are_counted(read: Any) -> None:
    broken = VTT.replace("00:04.500 --> 00:06.000", "00:04:xx --> 00:06.000")
    extraction = read(broken.encode(), "meeting.vtt")
    assert extraction.is_partial
    assert warning_counts(extraction)["broken_cues"] == 1
    assert (extraction.coverage.read, extraction.coverage.total) == (2, 3)
    assert "travel" not in extraction.text


def test_no_cue_at_all() -> None:
    assert parse_transcript("WEBVTT\n\nNOTE nothing").cues == []


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("WEBVTT\n\nNOTE nothing yet\n", NoText),
        ("WEBVTT\n\n00:xx.000 --> 00:02.000\nHello\n", DamagedDocument),
    ],
)
def test_transcripts_without_words(read: Any, text: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        read(text.encode(), "talk.vtt")


def test_an_end_before_its_start(read: Any) -> None:
    extraction = read(b"WEBVTT\n\n00:05.000 --> 00:02.000\nHello\n", "talk.vtt")
    assert extraction.spans[0].locator.time == (5.0, 5.0)
