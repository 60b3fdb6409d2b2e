from __future__ import annotations

from typing import Any

import pytest
from extraction_checks import blocks
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

PAGE = """---
title: "Travel policy"
owner: finance
---

# Travel

Book with **Ada** via [the portal](https://example.org/a_b) and run `make trip`
before noon.<!-- todo: check -->

<!-- a comment

over two paragraphs -->

## Hotels ##

| City   | Limit |
| ------ | ----: |
| Oslo   |  120  |
| Bergen |  `90` |

- First \\$ item
  - Nested item

    More of it.

1. Step one

```sh
    make deploy
| not | a table |
```

> Quoted rule.

<details><summary>More</summary>Fine print.</details>
"""


def test_blocks_keep_their_inline_source(read: Any) -> None:
    extraction = read(PAGE.encode(), "travel.md")
    assert [(span.kind, extraction.text[span.start : span.end]) for span in extraction.spans] == [
        ("heading", "Travel"),
        (
            "paragraph",
            "Book with **Ada** via [the portal](https://example.org/a_b) and run `make trip` before noon.",
        ),
        ("heading", "Hotels"),
        ("table_row", "City | Limit"),
        ("table_row", "Oslo | 120"),
        ("table_row", "Bergen | `90`"),
        ("list_item", "First \\$ item"),
        ("list_item", "Nested item"),
        ("list_item", "More of it."),
        ("list_item", "Step one"),
        ("code", "make deploy\n| not | a table |"),
        ("paragraph", "Quoted rule."),
        ("paragraph", "More Fine print."),
    ]


def test_front_matter_gives_the_title_and_nothing_else(read: Any) -> None:
    extraction = read(PAGE.encode(), "travel.md")
    assert extraction.title == "Travel policy"
    assert "finance" not in extraction.text


def test_rows_know_their_header_and_headings(read: Any) -> None:
    extraction = read(PAGE.encode(), "travel.md")
    rows = [span for span in extraction.spans if span.kind == "table_row"]
    assert [row.table_header for row in rows] == [None, "City | Limit", "City | Limit"]
    assert rows[2].locator.heading_path == ("Travel", "Hotels")
    assert "Oslo | 120\nBergen | `90`" in extraction.text


def test_heading_paths_hold_words_without_markers(read: Any) -> None:
    extraction = read(b"# The *new* [plan](x.md)\n\n### `cli`\n\nText.", "a.md")
    assert extraction.spans[-1].locator.heading_path == ("The new plan", "cli")
    assert blocks(extraction, "heading")[0] == "The *new* [plan](x.md)"


def test_a_rule_at_the_start_is_no_front_matter(read: Any) -> None:
    assert blocks(read(b"---\n\nKeep this.\n", "a.md")) == ["Keep this."]


def test_hard_breaks_stay(read: Any) -> None:
    assert read(b"Main Street 1  \nTown\nsame line", "a.md").text == "Main Street 1\nTown same line"


def test_scripts_in_html_blocks_are_dropped(read: Any) -> None:
    assert "alert" not in read(b"Text.\n\n<script>\nalert(1)\n</script>\n", "a.md").text


def test_markdown_without_an_ending_is_recognised(read: Any) -> None:
    assert read(b"# Title\n\nSee [this](a.md).\n\n## More\n", "README").format == "markdown"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(st.text(alphabet="#-*|`<>![]() \n\tab1\u200b\u00e9\\", min_size=1, max_size=200))
def test_any_text_gives_sound_spans(read: Any, source: str) -> None:
    read(f"x\n\n{source}".encode(), "a.md")


def test_what_is_left_out_is_counted(read: Any) -> None:
    extraction = read(PAGE.encode(), "travel.md")
    assert [(warning.code, warning.count) for warning in extraction.warnings] == [
        ("front_matter_dropped", 1),
        ("comments_dropped", 2),
    ]
    assert extraction.title == "Travel policy"


@pytest.mark.parametrize("depth", [14, 20, 120])
def test_lists_nested_deep_lose_no_line(read: Any, depth: int) -> None:
    items = "".join(f"{'  ' * level}- level {level}\n" for level in range(depth))
    extraction = read(f"# List\n\n{items}\nAfter it.\n\n{'>' * depth} quoted\n".encode(), "a.md")
    lines = [line.lstrip("-> ") for block in blocks(extraction) for line in block.split("\n")]
    assert lines == ["List", *(f"level {level}" for level in range(depth)), "After it.", "quoted"]
