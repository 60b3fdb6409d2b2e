"""The default strategy against a slow version of what it was before lists were kept whole."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rag
from rag.chunk import chunk_document
from tests.rag.blocks import block_lists, extraction
from tests.rag.fakes import HashingEmbedder

HUGE = 100_000
COUNT = HashingEmbedder().count_tokens


def textbook(document, budget):
    """Offsets of chunks: paragraphs up to the budget, parted by place, heading and nothing else."""
    text, spans = document.text, list(document.spans)
    bodies = [path_of(span) for span in spans if span.kind != "heading"]
    groups, fresh, before = [], True, None
    for span in spans:
        path = span.locator.heading_path
        if span.kind == "heading":
            if any(path and body[: len(path)] == path for body in bodies):
                fresh = True
                continue
            path = path[:-1]  # with nothing under it, it is a line of the section around it
        here = span.locator.container, path
        if fresh or here != before:
            groups.append([])
        groups[-1].append((span.start, span.end))
        fresh, before = False, here
    found = []
    for group in groups:
        current = group[0]
        for index, (start, end) in enumerate(group[1:], start=1):
            if end - current[0] <= budget:
                current = (current[0], end)
                continue
            last = group[index - 1]
            leads = last[0] > current[0] and text[last[0] : last[1]].rstrip("*_ ").endswith(":")
            if leads and end - last[0] <= budget:
                found.append((current[0], group[index - 2][1]))
                current = (last[0], end)
            else:
                found.append(current)
                current = (start, end)
        found.append(current)
    return found


def path_of(span):
    return span.locator.heading_path or (span.locator.sheet,)


def offsets(document, budget):
    made = chunk_document(document, budget_chars=budget, window_tokens=HUGE, count_tokens=COUNT)
    return [(chunk.start, chunk.end) for chunk in made.chunks]


@settings(deadline=None)
@given(block_lists, st.integers(20, 300))
def test_blocks_are_packed_as_ever(blocks, budget):
    short = [
        ("heading" if kind == "heading" else "paragraph", words[: budget // 2].strip(), where)
        for kind, words, where, _ in blocks
    ]
    document = extraction([block for block in short if block[1]] or [("paragraph", "a", blocks[0][2])])
    assert offsets(document, budget) == textbook(document, budget)


@pytest.mark.shared
def test_paragraphs_of_a_real_handbook_are_packed_as_ever(shared_data):
    pages = sorted((shared_data / "handbook_clef").rglob("*.md"))[:6]
    for page in pages:
        read = rag.extract_file(page, filename=page.name)
        blocks = [
            (
                "heading" if span.kind == "heading" else "paragraph",
                read.text[span.start : span.end],
                span.locator,
            )
            for span in read.spans
            if span.end - span.start <= 512
        ]
        document = extraction(blocks)
        assert offsets(document, 512) == textbook(document, 512)
    assert pages
