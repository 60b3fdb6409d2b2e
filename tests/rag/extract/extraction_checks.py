"""What must hold for every extraction, and short ways to look into one."""

from __future__ import annotations

from rag.types import Extraction


def assert_sound(extraction: Extraction) -> None:
    position = 0
    for span in extraction.spans:
        assert position <= span.start < span.end <= len(extraction.text)
        block = extraction.text[span.start : span.end]
        assert block == block.strip() != ""
        between = extraction.text[position : span.start]
        assert between in (("",) if position == 0 else ("\n", "\n\n"))
        assert "\r" not in block
        position = span.end
    assert position == len(extraction.text)
    assert 0 <= extraction.coverage.read <= extraction.coverage.total
    assert extraction.title.strip()


def blocks(extraction: Extraction, kind: str | None = None) -> list[str]:
    return [extraction.text[span.start : span.end] for span in extraction.spans if kind in (None, span.kind)]


def codes(extraction: Extraction) -> list[str]:
    return [warning.code for warning in extraction.warnings]


def warning_counts(extraction: Extraction) -> dict[str, int | None]:
    return {warning.code: warning.count for warning in extraction.warnings}
