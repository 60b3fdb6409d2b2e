"""What Slack refuses of modals and the Home tab."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bot.simulator.block_limits import errors_of_blocks
from bot.simulator.limits import Refusal

VIEW_BLOCKS = 100
VIEW_CHARS = 250_000
TITLE_CHARS = 24
METADATA_CHARS = 3_000
CALLBACK_CHARS = 255
MODAL_STACK = 3


def refusal_of_view(view: Any) -> Refusal | None:
    """Why Slack would not show this view, or None when it would."""
    return next(_refusals(view), None)


def _refusals(view: Any) -> Iterator[Refusal]:
    if not isinstance(view, dict) or view.get("type") not in {"modal", "home"}:
        yield Refusal("invalid_arguments", "must be one of modal, home [json-pointer:/view/type]")
        return
    blocks = view.get("blocks")
    if not isinstance(blocks, list):
        yield Refusal("invalid_arguments", "missing required field: blocks [json-pointer:/view]")
        return
    if len(blocks) > VIEW_BLOCKS:
        yield _wrong(f"no more than {VIEW_BLOCKS} items allowed", "/view/blocks")
    for error, pointer in errors_of_blocks(blocks, surface=view["type"]):
        yield _wrong(error, f"/view{pointer}")
    if view["type"] == "modal":
        yield from _refusals_of_modal(view, blocks)
    for name, most in (("private_metadata", METADATA_CHARS), ("callback_id", CALLBACK_CHARS)):
        if len(view.get(name) or "") > most:
            yield _wrong(f"must be less than {most + 1} characters", f"/view/{name}")
    if len(str(view)) > VIEW_CHARS:
        yield Refusal("view_too_large")


def _refusals_of_modal(view: dict[str, Any], blocks: list[dict[str, Any]]) -> Iterator[Refusal]:
    for name in ("title", "submit", "close"):
        value = view.get(name)
        if value is None and name != "title":
            continue
        text = value.get("text") if isinstance(value, dict) and value.get("type") == "plain_text" else None
        if not isinstance(text, str) or not 1 <= len(text) <= TITLE_CHARS:
            yield _wrong(f"must be plain_text of 1 to {TITLE_CHARS} characters", f"/view/{name}")
    if any(block.get("type") == "input" for block in blocks) and "submit" not in view:
        yield _wrong("submit is required when an input block is in the blocks", "/view/submit")


def _wrong(error: str, pointer: str) -> Refusal:
    return Refusal("invalid_arguments", f"{error} [json-pointer:{pointer}]")
