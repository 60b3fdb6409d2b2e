from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from rag.config import ExtractionLimits
from rag.errors import DamagedDocument, NoText, ResourceLimit, UnsupportedFormat
from rag.extract.layout.segments import Segment
from rag.extract.ocr import RecognisedText

WORDS = ["Hotel limit is 120 euros", "in all of the country", "also in the summer"]


def picture(words: list[str], *, mode: str = "RGB", ground: Any = "white", ink: Any = "black") -> Image.Image:
    image = Image.new(mode, (800, 300), ground)
    pen = ImageDraw.Draw(image)
    for row, line in enumerate(words):
        pen.text((40, 40 + 70 * row), line, fill=ink, font=ImageFont.load_default(36))
    return image


def saved(image: Image.Image, kind: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def letters(text: str) -> str:
    return "".join(text.split())


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[NDArray[np.uint8]]:
    """The pictures that were given to the model, which here reads one line in each."""
    pictures: list[NDArray[np.uint8]] = []

    def recognise(image: NDArray[np.uint8]) -> RecognisedText:
        pictures.append(image)
        return RecognisedText((Segment("Words", 40, 140, 40, 70),), (0.9,), image.shape[1], image.shape[0])

    monkeypatch.setattr("rag.extract.ocr.recognise", recognise)
    return pictures


def assert_alike(pixels: NDArray[np.uint8], image: Image.Image) -> None:
    """No pixel is far from the picture's own, but for what JPEG and WebP lose."""
    wanted = np.asarray(image.convert("RGB"), dtype=float)
    assert pixels.shape == wanted.shape
    assert np.abs(pixels - wanted).max() < 100


def test_words_in_a_picture_are_recognised(read: Any) -> None:
    extraction = read(saved(picture(WORDS), "PNG"), "sign.png")
    assert extraction.format == "image"
    assert letters(extraction.text) == letters("".join(WORDS))
    assert extraction.spans[0].locator.page == 1
    assert (extraction.coverage.unit, extraction.coverage.read, extraction.coverage.total) == ("page", 1, 1)
    assert extraction.page_confidence == ((1, extraction.ocr_confidence),)
    assert extraction.ocr_confidence > 0.8
    assert [warning.code for warning in extraction.warnings] == ["ocr_used"]
    assert not extraction.is_partial


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "WEBP", "BMP", "GIF"])
def test_each_kind_of_picture_is_shown_to_the_model_as_it_is(
    read: Any, shown: list[NDArray[np.uint8]], kind: str
) -> None:
    extraction = read(saved(picture(WORDS), kind), f"sign.{kind.lower()}")
    assert (extraction.format, extraction.text) == ("image", "Words")
    assert [warning.code for warning in extraction.warnings] == ["ocr_used"]
    (pixels,) = shown
    assert_alike(pixels, picture(WORDS))


def test_a_screenshot_of_a_whole_page_keeps_its_letters(read: Any) -> None:
    image = Image.new("RGB", (600, 6_000), "white")
    pen = ImageDraw.Draw(image)
    words = [f"Rule {row} of the house" for row in range(10, 35)]
    for row, line in enumerate(words):
        pen.text((40, 40 + 236 * row), line, fill="black", font=ImageFont.load_default(22))
    found = letters(read(saved(image, "PNG"), "page.png").text)
    places = [found.find(letters(line)) for line in words]
    assert sum(place >= 0 for place in places) >= 24
    assert places[0] == 0
    known = [place for place in places if place >= 0]
    assert known == sorted(known)


def test_each_frame_of_a_tiff_is_a_page(read: Any) -> None:
    frames = [picture(["The first page has this"]), picture([]), picture(["The third page has that"])]
    data = saved(frames[0], "TIFF", save_all=True, append_images=frames[1:])
    extraction = read(data, "fax.tif")
    assert [span.locator.page for span in extraction.spans] == [1, 3]
    assert [page for page, _ in extraction.page_confidence] == [1, 3]
    assert extraction.coverage.read == extraction.coverage.total == 3
    assert "Nothing is printed on page 2." in [warning.message for warning in extraction.warnings]
    part = read(data, "fax.tif", ExtractionLimits(pages=(3, 3)))
    assert [span.locator.page for span in part.spans] == [3]
    assert part.coverage.total == 1
    with pytest.raises(ResourceLimit, match="3 pages"):
        read(data, "fax.tif", ExtractionLimits(max_pages=2))
    with pytest.raises(NoText, match="page 4 is not there"):
        read(data, "fax.tif", ExtractionLimits(pages=(4, 4)))


def test_the_orientation_of_a_camera_is_honoured(read: Any, shown: list[NDArray[np.uint8]]) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # has to be turned clockwise to be seen
    turned = picture(WORDS).transpose(Image.Transpose.ROTATE_90)
    read(saved(turned, "JPEG", exif=exif), "photo.jpg")
    (pixels,) = shown
    assert_alike(pixels, picture(WORDS))


@pytest.mark.parametrize(
    "image",
    [
        picture(WORDS, mode="RGBA", ground=(0, 0, 0, 0), ink=(0, 0, 0, 255)),
        picture(WORDS).convert("P"),
        picture(WORDS).convert("1", dither=Image.Dither.NONE),
        picture(WORDS, mode="I;16", ground=3000, ink=1000),
    ],
    ids=["transparent", "palette", "bitmap", "16 bit"],
)
def test_every_kind_of_pixel_is_shown_black_on_white(
    read: Any, shown: list[NDArray[np.uint8]], image: Image.Image
) -> None:
    read(saved(image, "PNG"), "a.png")
    (pixels,) = shown
    assert pixels.shape == (300, 800, 3)
    dark = np.asarray(picture(WORDS).convert("L")) < 64
    light = np.asarray(picture(WORDS).convert("L")) > 250
    assert pixels[dark].max() < 128
    assert pixels[light].min() > 200


def test_a_picture_without_words_is_told(read: Any) -> None:
    with pytest.raises(NoText):
        read(saved(Image.new("RGB", (200, 200), "blue"), "PNG"), "a.png")
    with pytest.raises(NoText):
        read(saved(Image.effect_noise((300, 300), 80), "PNG"), "a.png")


@pytest.mark.usefixtures("shown")
def test_more_pictures_of_an_animation_are_left_out_and_told(read: Any) -> None:
    frames = [picture(WORDS), picture(["Another picture"])]
    data = saved(frames[0], "GIF", save_all=True, append_images=frames[1:])
    extraction = read(data, "a.gif")
    assert extraction.is_partial
    assert ("frames_left_out", 1) in [(warning.code, warning.count) for warning in extraction.warnings]


def test_pictures_that_would_fill_the_memory_are_refused_unopened(
    read: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    huge = bytearray(saved(Image.new("1", (16, 16)), "BMP"))
    huge[18:26] = (40_000).to_bytes(4, "little") * 2
    monkeypatch.setattr(Image.Image, "load", pytest.fail)
    with pytest.raises(ResourceLimit, match="million pixels"):
        read(bytes(huge), "a.bmp")


def test_broken_pictures_are_damaged(read: Any) -> None:
    whole = saved(picture(WORDS), "PNG")
    with pytest.raises(DamagedDocument):
        read(whole[: len(whole) // 2], "a.png")
    with pytest.raises(DamagedDocument):
        read(whole[:20], "a.png")
    with pytest.raises(DamagedDocument):
        read(b"II*\x00" + b"\x00" * 40, "a.tif")


def test_kinds_of_pictures_that_are_not_read_name_the_way_out(read: Any) -> None:
    with pytest.raises(UnsupportedFormat, match="HEIC") as caught:
        read(b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00" + b"\x00" * 100, "IMG_1.heic")
    assert "JPEG" in caught.value.next_step


def test_no_time_left_is_a_limit(read: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rag.extract.ocr.recognise", pytest.fail)
    with pytest.raises(ResourceLimit, match="time"):
        read(saved(picture(WORDS), "PNG"), "a.png", ExtractionLimits(time_s=0))
