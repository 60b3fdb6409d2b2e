"""Each span's locator leads back to the same text in the original, read by other means than ours."""

from __future__ import annotations

import email
import email.policy
import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from email.message import EmailMessage
from html import escape
from html.parser import HTMLParser
from pathlib import Path

import webvtt
from hypothesis import given
from hypothesis import strategies as st
from locator_checks import FAST, assert_chunks_are_exact, extracted, sentences
from lxml import etree

from rag.types import Extraction

plain_words = st.text("abcdefgäöüéñжд漢字", min_size=1, max_size=12)
plain_sentences = st.lists(plain_words, min_size=1, max_size=8).map(" ".join)


@dataclass(frozen=True)
class Part:
    """A heading of a level, or a paragraph (level 0) under it."""

    text: str
    level: int = 0


def documents(texts: st.SearchStrategy[str]) -> st.SearchStrategy[list[Part]]:
    """Documents whose every text is told apart by a number."""
    drawn = st.lists(st.builds(Part, texts, st.sampled_from([0, 0, 0, 1, 2, 3])), min_size=1, max_size=14)
    return drawn.map(lambda parts: [Part(f"{part.text} {at}x", part.level) for at, part in enumerate(parts)])


def expected_paths(parts: Iterable[Part]) -> dict[str, tuple[str, ...]]:
    """The headings each text stands under, a heading under itself too."""
    paths: dict[str, tuple[str, ...]] = {}
    open_parts: list[Part] = []
    for part in parts:
        if part.level:
            open_parts = [each for each in open_parts if each.level < part.level] + [part]
        paths[part.text] = tuple(each.text for each in open_parts)
    return paths


def squeezed(text: str) -> str:
    return " ".join(text.split())


def found(extraction: Extraction) -> Iterator[tuple[str, tuple[str, ...]]]:
    for span in extraction.spans:
        yield squeezed(extraction.text[span.start : span.end]), span.locator.heading_path


def page_of(parts: list[Part]) -> str:
    body = "".join(
        f'<h{part.level} id="id{at}">{escape(part.text)}</h{part.level}>' if part.level
        else f"<div><p>{escape(part.text)}</p></div>"
        for at, part in enumerate(parts)
    )  # fmt: skip
    return f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>A page</title></head><body>{body}</body></html>'


class ByAnchor(HTMLParser):
    """The words from each id to the next one, as Python's own parser sees them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: dict[str | None, str] = {None: ""}
        self._anchor: str | None = None
        self._is_head = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._is_head = tag in ("head", "title")
        self._anchor = dict(attrs).get("id", self._anchor)
        self.texts.setdefault(self._anchor, "")

    def handle_data(self, data: str) -> None:
        if not self._is_head:
            self.texts[self._anchor] += f" {data}"


@FAST
@given(documents(sentences))
def test_html_anchors_and_heading_paths(tmp_path: Path, parts: list[Part]) -> None:
    page = page_of(parts)
    extraction = extracted(page.encode(), "page.html", tmp_path)
    assert dict(found(extraction)) == {
        squeezed(text): tuple(map(squeezed, path)) for text, path in expected_paths(parts).items()
    }
    original = ByAnchor(page).texts
    for span in extraction.spans:
        text = squeezed(extraction.text[span.start : span.end])
        assert text in squeezed(original[span.locator.anchor])
    assert_chunks_are_exact(extraction)


def book_of(chapters: list[list[Part]]) -> bytes:
    items = "".join(
        f'<item id="c{at}" href="t/{at}.xhtml" media-type="application/xhtml+xml"/>'
        for at in range(len(chapters))
    )
    spine = "".join(f'<itemref idref="c{at}"/>' for at in range(len(chapters)))
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as container:
        container.writestr("mimetype", "application/epub+zip")
        container.writestr(
            "META-INF/container.xml", '<container><rootfile full-path="b/book.opf"/></container>'
        )
        container.writestr(
            "b/book.opf", f"<package><manifest>{items}</manifest><spine>{spine}</spine></package>"
        )
        for at, chapter in enumerate(chapters):
            container.writestr(f"b/t/{at}.xhtml", page_of(chapter))
    return file.getvalue()


@FAST
@given(st.lists(documents(sentences), min_size=1, max_size=3))
def test_epub_files_and_anchors(tmp_path: Path, chapters: list[list[Part]]) -> None:
    chapters = [
        [Part(f"{part.text}{at}", part.level) for part in chapter] for at, chapter in enumerate(chapters)
    ]
    data = book_of(chapters)
    extraction = extracted(data, "book.epub", tmp_path)
    everything = [part for chapter in chapters for part in chapter]
    assert dict(found(extraction)) == {
        squeezed(text): tuple(map(squeezed, path)) for text, path in expected_paths(everything).items()
    }
    with zipfile.ZipFile(io.BytesIO(data)) as container:
        for span in extraction.spans:
            name, _, anchor = str(span.locator.anchor).partition("#")
            root = etree.fromstring(container.read(name))
            texts = [
                squeezed("".join(element.itertext()))
                for element in root.iter("{*}p", "{*}h1", "{*}h2", "{*}h3")
            ]
            if anchor:
                target = root.find(f".//*[@id='{anchor}']")
                texts = texts[texts.index(squeezed("".join(target.itertext()))) :]
            assert squeezed(extraction.text[span.start : span.end]) in texts
    assert_chunks_are_exact(extraction)


@FAST
@given(documents(plain_sentences))
def test_markdown_heading_paths(tmp_path: Path, parts: list[Part]) -> None:
    source = "\n\n".join(f"{'#' * part.level} {part.text}" if part.level else part.text for part in parts)
    extraction = extracted(source.encode(), "page.md", tmp_path)
    assert dict(found(extraction)) == expected_paths(parts)
    for text, path in found(extraction):
        # Below the last heading of the path, and before any other one.
        section = re.split(rf"^#+ {re.escape(path[-1])}$", source, flags=re.MULTILINE)[1] if path else source
        below = re.split(r"^#", section, flags=re.MULTILINE)[0]
        assert text in (path[-1:] or ("",))[0] or text in below
    assert_chunks_are_exact(extraction)


@FAST
@given(documents(plain_sentences), st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
def test_text_heading_paths(tmp_path: Path, parts: list[Part], encoding: str) -> None:
    # A longer line is not taken for a heading, underlined or not.
    parts = [Part(part.text, min(part.level, 2) if len(part.text) <= 80 else 0) for part in parts]
    source = "\n\n".join(
        f"{part.text}\n{' =-'[part.level] * 9}" if part.level else part.text for part in parts
    )
    extraction = extracted(source.encode(encoding), "page.txt", tmp_path)
    assert dict(found(extraction)) == expected_paths(parts)
    lines = source.split("\n")
    for text, path in found(extraction):
        at = lines.index(text)
        above = [
            lines[n] for n in range(at + 1) if n + 1 < len(lines) and lines[n + 1].startswith(("===", "---"))
        ]
        assert (path[-1] in above[-1:]) if path else not above
    assert_chunks_are_exact(extraction)


spoken = st.lists(
    st.tuples(
        plain_sentences,
        st.integers(1, 9_000),
        st.integers(0, 9_000),
        st.sampled_from(["", "", "Ada", "Bob B."]),
    ),
    min_size=1,
    max_size=25,
)


def clock(milliseconds: int, mark: str) -> str:
    seconds, rest = divmod(milliseconds, 1_000)
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{mark}{rest:03}"


def transcript_of(cues: list[tuple[str, int, int, str]], kind: str) -> str:
    blocks, at = [], 0
    for number, (text, length, pause, voice) in enumerate(cues, start=1):
        mark = "." if kind == "vtt" else ","
        words = f"{text} {number}x"
        spoken_by = f"<v {voice}>{words}</v>" if voice and kind == "vtt" else words
        blocks.append(f"{number}\n{clock(at, mark)} --> {clock(at + length, mark)}\n{spoken_by}\n")
        at += length + pause
    return ("WEBVTT\n\n" if kind == "vtt" else "") + "\n".join(blocks)


@FAST
@given(spoken, st.sampled_from(["vtt", "srt"]))
def test_transcript_times(tmp_path: Path, cues: list[tuple[str, int, int, str]], kind: str) -> None:
    source = transcript_of(cues, kind)
    extraction = extracted(source.encode(), f"talk.{kind}", tmp_path)
    original = webvtt.from_buffer(io.StringIO(source), format=kind)
    said = []
    for span in extraction.spans:
        assert span.locator.time is not None
        start, end = span.locator.time
        within = [
            caption for caption in original
            if start - 1e-6 <= caption.start_time.in_milliseconds() / 1_000
            and caption.end_time.in_milliseconds() / 1_000 <= end + 1e-6
        ]  # fmt: skip
        words = " ".join(caption.text for caption in within)
        text = extraction.text[span.start : span.end]
        assert text in (words, f"{within[0].voice}: {words}")
        said += [caption.text for caption in within]
    assert said == [caption.text for caption in original]
    assert extraction.coverage.read == extraction.coverage.total == len(cues)
    assert_chunks_are_exact(extraction)


@FAST
@given(documents(sentences), plain_sentences, st.booleans(), st.sampled_from(["base64", "quoted-printable"]))
def test_mail_text_stands_in_the_message(
    tmp_path: Path, parts: list[Part], subject: str, is_html: bool, encoding: str
) -> None:
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = "Ada <ada@example.org>", "bob@example.org", subject
    words = page_of(parts) if is_html else "\n\n".join(part.text for part in parts)
    made.set_content(words, subtype="html" if is_html else "plain", cte=encoding)
    extraction = extracted(made.as_bytes(), "message.eml", tmp_path)
    original = email.message_from_bytes(made.as_bytes(), policy=email.policy.default)
    body = original.get_content()
    shown = squeezed(" ".join(ByAnchor(body).texts.values()) if is_html else body)
    header, *texts = found(extraction)
    assert header[0] == squeezed(
        f"From: {original['From']} To: {original['To']} Subject: {original['Subject']}"
    )
    for text, _ in texts:
        assert text in shown
    assert "".join("".join(text.split()) for text, _ in texts) == "".join(shown.split())
    if is_html:
        assert dict(texts) == {
            squeezed(text): tuple(map(squeezed, path)) for text, path in expected_paths(parts).items()
        }
    assert_chunks_are_exact(extraction)
