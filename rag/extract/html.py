"""HTML: what a visitor reads of a page's main part, without menus and hidden text."""

from __future__ import annotations

from pathlib import Path

from rag.config import ExtractionLimits
from rag.extract.canonical import CanonicalBuilder, Reading
from rag.extract.decoding import decode_text
from rag.extract.html_blocks import HtmlBlocks
from rag.extract.html_inline import inline_text
from rag.extract.html_page import Dropped, declared_encoding, main_part, page_title, parse_page
from rag.extract.outline import choose_title
from rag.types import Coverage


def read(path: Path, *, filename: str, limits: ExtractionLimits) -> Reading:
    """The main content of an HTML page.

    Raises:
        ResourceLimit: the text is longer than the limit, or elements are nested absurdly deep.
    """
    data = path.read_bytes()
    decoded = decode_text(data, declared=declared_encoding(data))
    dropped = Dropped()
    page = parse_page(decoded.text, dropped)
    heading = page.find("h1")
    titles = (page_title(page), inline_text(heading) if heading else None)
    blocks = HtmlBlocks(CanonicalBuilder(limits.max_chars))
    blocks.add_page(main_part(page, dropped))
    return Reading(
        title=choose_title(titles, filename),
        text=blocks.builder.text(),
        spans=blocks.builder.spans(),
        coverage=Coverage("document", 1, 1),
        is_partial=decoded.is_partial,
        encoding=decoded.encoding,
        warnings=decoded.warnings + dropped.warnings,
    )
