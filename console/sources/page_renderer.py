"""Draws one page of a PDF as PNG: `python -m console.sources.page_renderer FILE PAGE TARGET`.

A process of its own with limits, because the file is somebody else's and PDFium is C++: what
breaks here breaks no server. Imports nothing of Django.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path

WIDTH_PX = 900
MEMORY_BYTES = 2 * 1024**3
CPU_S = 20


def main(source: str, page: str, target: str) -> int:
    """Write page `page` (from 1) of `source` to `target`; 2 when there is no such page."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))
    import pypdfium2

    document = pypdfium2.PdfDocument(source)
    if not 1 <= int(page) <= len(document):
        return 2
    leaf = document[int(page) - 1]
    width, height = leaf.get_size()
    # A page of absurd height is drawn small instead of taking all memory.
    scale = min(WIDTH_PX / max(width, 1), 4 * WIDTH_PX / max(height, 1))
    image = leaf.render(scale=scale, may_draw_forms=False).to_pil()
    image.convert("L" if _is_grey(image) else "RGB").save(Path(target), format="PNG", optimize=True)
    return 0


def _is_grey(image: object) -> bool:
    from PIL import Image, ImageChops

    if not isinstance(image, Image.Image):
        return False
    red, green, blue = image.convert("RGB").split()
    return (
        ImageChops.difference(red, green).getbbox() is None
        and ImageChops.difference(green, blue).getbbox() is None
    )


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
