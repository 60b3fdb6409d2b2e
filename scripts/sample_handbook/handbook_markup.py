"""Read the small Markdown dialect in which the sources of the binary documents are written.

Known are headings (``#`` to ``###``), bullet lists (``- ``), numbered lists (``1. ``), pipe
tables and paragraphs. A paragraph, an item and a table row each stand on one line. There is
no inline markup.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

BlockKind = Literal["heading", "paragraph", "bullets", "numbers", "table"]

_NUMBER = re.compile(r"^\d+\. ")
_RULE_CELL = re.compile(r"^:?-+:?$")


@dataclass
class Block:
    """One block of a source text; which of the fields is filled depends on the kind."""

    kind: BlockKind
    text: str = ""
    level: int = 0
    items: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)


def parse(source: str) -> list[Block]:
    """Split a source text into its blocks, in order."""
    blocks: list[Block] = []
    for line in source.splitlines():
        if not line.strip():
            continue
        if line.startswith("#"):
            marks, _, text = line.partition(" ")
            blocks.append(Block("heading", text=text.strip(), level=len(marks)))
        elif line.startswith("- "):
            _last(blocks, "bullets").items.append(line[2:].strip())
        elif _NUMBER.match(line):
            _last(blocks, "numbers").items.append(line.split(". ", 1)[1].strip())
        elif line.startswith("|"):
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            table = _last(blocks, "table")
            if not all(_RULE_CELL.match(cell) for cell in cells):
                table.rows.append(cells)
        else:
            blocks.append(Block("paragraph", text=line.strip()))
    return blocks


def _last(blocks: list[Block], kind: BlockKind) -> Block:
    """Return the last block if it is of this kind, else a new one."""
    if not blocks or blocks[-1].kind != kind:
        blocks.append(Block(kind))
    return blocks[-1]


def plain_text(source: str) -> str:
    """Give the words of a source text without its marks, one block, item or cell a line."""
    lines: list[str] = []
    for block in parse(source):
        if block.text:
            lines.append(block.text)
        lines.extend(block.items)
        lines.extend(cell for row in block.rows for cell in row)
    return "\n".join(lines)
