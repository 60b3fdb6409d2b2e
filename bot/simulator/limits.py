"""What Slack refuses: the documented limits of messages (facts of the API reference), checked on what is really sent.

The SDK checks lengths of its own model objects only; plain dicts go out unchecked, and Slack then answers
`invalid_blocks` and says nothing to the user. Where Slack publishes no number, the one used here is said
to be ours, and is on the strict side.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from bot.simulator.block_limits import errors_of_blocks, markdown_chars, texts_of_blocks

MESSAGE_BLOCKS = 50
POSTED_TEXT_CHARS = 40_000
"""Slack cuts a longer `text` of `chat.postMessage`; a message that loses its end is refused here instead."""
UPDATED_TEXT_CHARS = 4_000
MARKDOWN_CHARS = 12_000
BLOCKS_TEXT_CHARS = 12_000
"""Unpublished. All text of a message's blocks together; `msg_blocks_too_long` is Slack's word for it."""
METADATA_CHARS = 8_000
"""Unpublished; ours."""
ATTACHMENTS = 100
LOADING_MESSAGES = 10
SUGGESTED_PROMPTS = 4

UPDATES = {"chat.update", "chat.postEphemeral"}
"""The methods that refuse long texts. For `chat.postEphemeral` `msg_too_long` is documented and its number is not."""


class Refusal(NamedTuple):
    """Slack's word for it, and the place as Slack gives it in `response_metadata.messages`."""

    error: str
    place: str = ""


def texts_of(payload: dict[str, Any]) -> list[str]:
    """Every text of a message: the notification's first, then those of the blocks in their order."""
    return [payload.get("text") or "", *texts_of_blocks(payload.get("blocks") or [])]


def refusal_of_message(payload: dict[str, Any], method: str = "chat.postMessage") -> Refusal | None:
    """Why Slack would not take this message, or None when it would."""
    return next(_refusals(payload, method), None)


def _refusals(payload: dict[str, Any], method: str) -> Iterator[Refusal]:
    text, markdown = payload.get("text") or "", payload.get("markdown_text") or ""
    blocks: Any = payload.get("blocks")
    attachments = payload.get("attachments") or []
    if blocks and not isinstance(blocks, list):
        yield Refusal("invalid_blocks_format", "/blocks")
        return
    if not str(text).strip() and not blocks and not str(markdown).strip() and not attachments:
        yield Refusal("no_text", "/text")
    if markdown and (text or blocks):
        yield Refusal("markdown_text_conflict", "/markdown_text")
    limit = UPDATED_TEXT_CHARS if method in UPDATES else POSTED_TEXT_CHARS
    if len(text) > limit:
        yield Refusal("msg_too_long", f"/text: more than {limit} characters")
    if len(markdown) > MARKDOWN_CHARS:
        yield Refusal("msg_too_long", f"/markdown_text: more than {MARKDOWN_CHARS} characters")
    if len(attachments) > ATTACHMENTS:
        yield Refusal("too_many_attachments", "/attachments")
    yield from _refusals_of_blocks(blocks or [])
    yield from _refusals_of_metadata(payload.get("metadata"))


def _refusals_of_blocks(blocks: list[dict[str, Any]]) -> Iterator[Refusal]:
    if len(blocks) > MESSAGE_BLOCKS:
        yield Refusal("invalid_blocks", f"no more than {MESSAGE_BLOCKS} items allowed [json-pointer:/blocks]")
    for error, pointer in errors_of_blocks(blocks, surface="message"):
        yield Refusal("invalid_blocks", f"{error} [json-pointer:{pointer}]")
    if markdown_chars(blocks) > MARKDOWN_CHARS:
        yield Refusal("msg_blocks_too_long", f"more than {MARKDOWN_CHARS} characters of markdown")
    if sum(len(text) for text in texts_of_blocks(blocks)) > BLOCKS_TEXT_CHARS:
        yield Refusal("msg_blocks_too_long", f"more than {BLOCKS_TEXT_CHARS} characters of text")


def _refusals_of_metadata(metadata: object) -> Iterator[Refusal]:
    if metadata is None:
        return
    if not isinstance(metadata, dict) or not metadata.get("event_type"):
        yield Refusal("invalid_metadata_format", "/metadata/event_type")
    elif not isinstance(metadata.get("event_payload"), dict):
        yield Refusal("invalid_metadata_format", "/metadata/event_payload")
    elif len(str(metadata)) > METADATA_CHARS:
        yield Refusal("metadata_too_large", "/metadata")
