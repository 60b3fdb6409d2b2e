"""Pictures by OCR: PNG, JPEG, TIFF with all its frames, WebP, BMP and GIF."""

from __future__ import annotations

import struct
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from rag.config import ExtractionLimits
from rag.errors import DamagedDocument, NoText, ResourceLimit, UnsupportedFormat
from rag.extract.canonical import Reading
from rag.extract.layout.margins import drop_running_lines
from rag.extract.page_warnings import mean_confidence, page_coverage
from rag.extract.pdf_blocks import assemble
from rag.extract.pdf_pages import Scan, pages_to_read, recognised_page
from rag.extract.wording import count_of
from rag.types import ExtractionWarning

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image

# The readers that are used; others of Pillow start programs or were never tried.
_READERS = ("PNG", "JPEG", "TIFF", "WEBP", "BMP", "GIF")
_MULTIPAGE = "TIFF"
_ANIMATED = ("GIF", "PNG", "WEBP")  # a second frame of a JPEG is its preview or the other lens
# A0 at 200 dpi. Each pixel costs three bytes, and as much again while it is turned and scaled.
_MAX_PIXELS = 100_000_000
_MIN_PIXELS = 16
# Wider pictures are scaled down to this; what is much higher than wide is read in stretches.
_MAX_WIDTH, _MAX_HEIGHT = 2_340, 20_000
_LONG = 2
_READ_TIME_SHARE = 0.8
_HEIF_BOX = b"ftyp"


def read(path: Path, *, filename: str, limits: ExtractionLimits) -> Reading:
    """The words in a picture; each frame of a TIFF is a page.

    Raises:
        UnsupportedFormat: HEIC, AVIF or another kind that is not read.
        DamagedDocument: the picture is broken or cut off.
        ResourceLimit: more pixels or frames than the limits.
        NoText: no words were recognised.
    """
    from PIL import Image, UnidentifiedImageError

    deadline = time.monotonic() + _READ_TIME_SHARE * limits.time_s
    scan = Scan(deadline, deadline, limits.max_chars)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow warns of odd metadata; sizes are checked here
            with Image.open(path, formats=_READERS) as picture:
                n_frames = getattr(picture, "n_frames", 1)
                numbers = pages_to_read(
                    "The picture", n_frames if picture.format == _MULTIPAGE else 1, limits
                )
                n_unread = n_frames - 1 if picture.format in _ANIMATED else 0
                for number in numbers:
                    picture.seek(number - 1)
                    _read_frame(picture, number, scan)
    except UnidentifiedImageError as exc:
        raise _reason_of_unknown(path) from exc
    except Image.DecompressionBombError as exc:
        raise _too_many_pixels() from exc
    except (OSError, EOFError, ValueError, SyntaxError, KeyError, IndexError, TypeError, struct.error) as exc:
        raise DamagedDocument("The picture is damaged or cut off.") from exc
    return _reading(scan, numbers, filename, limits, n_unread_frames=n_unread)


def _read_frame(picture: Image, number: int, scan: Scan) -> None:
    from rag.extract import ocr

    width, height = picture.size
    if width * height > _MAX_PIXELS:
        raise _too_many_pixels()
    if time.monotonic() > scan.read_deadline:
        scan.leave(number, "ocr_time")
        return
    pixels = _pixels(picture)
    if min(pixels.shape[:2]) < _MIN_PIXELS or ocr.is_blank(pixels):
        scan.leave(number, "blank_pages")
        return
    is_long = pixels.shape[0] > _LONG * pixels.shape[1]
    found = ocr.recognise_long(pixels) if is_long else ocr.recognise(pixels)
    if not found.segments:
        scan.leave(number, "pages_without_text")
        return
    scan.confidence.append((number, round(found.confidence, 4)))
    scan.pages.append(recognised_page(found, number, 1.0))


def _pixels(picture: Image) -> NDArray[np.uint8]:
    """The picture upright (EXIF), on white paper where it is transparent, no larger than the model reads."""
    import numpy as np
    from PIL import Image, ImageOps

    frame = picture.copy()
    if frame.mode.startswith(("I;16", "I", "F")):
        frame = _eight_bits(frame)
    frame = ImageOps.exif_transpose(frame)
    # A wide picture is no longer than a page; a high one may be a whole web page.
    frame.thumbnail((_MAX_WIDTH, _MAX_HEIGHT), Image.Resampling.LANCZOS)
    if frame.has_transparency_data:
        frame = frame.convert("RGBA")
        paper = Image.new("RGBA", frame.size, "white")
        frame = Image.alpha_composite(paper, frame)
    return np.asarray(frame.convert("RGB"))


def _eight_bits(frame: Image) -> Image:
    """Grey values of 16 and more bits brought to 0–255; Pillow's own conversion only cuts them off."""
    import numpy as np
    from PIL import Image

    values = np.asarray(frame, dtype=np.float32)
    low, high = float(values.min()), float(values.max())
    scaled = (values - low) * (255.0 / (high - low)) if high > low else np.zeros_like(values)
    return Image.fromarray(scaled.astype(np.uint8))


def _reading(
    scan: Scan, numbers: range, filename: str, limits: ExtractionLimits, *, n_unread_frames: int
) -> Reading:
    if not scan.confidence:
        if scan.named["ocr_time"]:
            raise ResourceLimit("The time was too short to recognise the text of the picture.")
        raise NoText("No words were recognised in the picture.")
    pages, n_running = drop_running_lines(scan.pages)
    content = assemble(
        pages, kept=numbers, metadata_title=None, filename=filename, max_chars=limits.max_chars
    )
    missing = scan.missing
    return Reading(
        title=content.title,
        text=content.text,
        spans=content.spans,
        coverage=page_coverage(len(numbers), missing),
        is_partial=bool(missing) or n_unread_frames > 0,
        ocr_confidence=mean_confidence(scan.confidence),
        page_confidence=tuple(scan.confidence),
        warnings=tuple(_warnings(scan, n_running, n_unread_frames)),
    )


def _warnings(scan: Scan, n_running: int, n_unread_frames: int) -> Iterator[ExtractionWarning]:
    yield from scan.warnings(n_running)
    if n_unread_frames:
        message = f"Only the first picture was read; {count_of(n_unread_frames, 'other')} left out."
        yield ExtractionWarning("frames_left_out", message, n_unread_frames)


def _too_many_pixels() -> ResourceLimit:
    return ResourceLimit(
        f"The picture has more than {_MAX_PIXELS // 1_000_000} million pixels.",
        next_step="Save it smaller, at 200 dots an inch, and upload that copy.",
    )


def _reason_of_unknown(path: Path) -> UnsupportedFormat | DamagedDocument:
    with path.open("rb") as file:
        head = file.read(12)
    if head[4:8] == _HEIF_BOX:
        label = "an AVIF" if head[8:12] == b"avif" else "a HEIC"
        return UnsupportedFormat(
            f"The content is {label} picture, which is not read.",
            next_step="Save it as JPEG or PNG and upload that copy.",
        )
    return DamagedDocument("The picture is damaged; nothing in it can be opened.")
