"""Slack's limits and what must never leave the building, checked on what is really sent."""

from __future__ import annotations

import re

KNOWN_BLOCKS = {"section", "context", "divider", "header", "actions", "context_actions", "markdown"}
PINGS = re.compile(r"<!(?!date\^)|<@|<#")


def texts_of(payload: dict) -> list[str]:
    """Every mrkdwn text in a message, the notification text included."""
    found = [payload.get("text") or ""]
    for block in payload.get("blocks") or []:
        if isinstance(block.get("text"), dict):
            found.append(block["text"].get("text", ""))
        found += [element.get("text", "") for element in block.get("elements", []) if "text" in element]
    return found


def slack_would_refuse(payload: dict) -> tuple[str, str] | None:
    """The error Slack answers and where, or None when it takes the message (facts.md §4.1, §4.2)."""
    text, blocks = payload.get("text") or "", payload.get("blocks") or []
    if not text.strip() and not blocks:
        return "no_text", "/text"
    if len(text) > 40_000:
        return "msg_too_long", "/text"
    if len(blocks) > 50:
        return "invalid_blocks", "/blocks"
    for position, block in enumerate(blocks):
        error = _block_error(block)
        if error:
            return "invalid_blocks", f"{error} [json-pointer:/blocks/{position}]"
    if sum(len(text) for text in texts_of(payload)[1:]) > 12_000:
        return "msg_blocks_too_long", "/blocks"
    return None


def _block_error(block: dict) -> str:
    kind = block.get("type")
    if kind not in KNOWN_BLOCKS:
        return f"unsupported block {kind}"
    if kind == "section":
        text = block["text"]["text"]
        if not text:
            return "must be more than 0 characters"
        return "must be less than 3001 characters" if len(text) > 3_000 else ""
    if kind == "context":
        elements = block["elements"]
        return "no more than 10 items allowed" if not 1 <= len(elements) <= 10 else ""
    return ""


def leaks(payload: dict, *, base_url: str, asker: str = "") -> list[str]:
    """What our own rules forbid: pings, links that are no citation, previews, torn entities."""
    problems = []
    own_mention = f"<@{asker}> asked: "
    for text in (text.replace(own_mention, "") for text in texts_of(payload)):
        if PINGS.search(text):
            problems.append(f"pings: {text[:80]}")
        for link in re.findall(r"<([^>]*)>", text):
            if not link.startswith((f"{base_url}/documents/", f"{base_url}/questions/")):
                problems.append(f"links to {link}")
        if re.search(r"&(?!amp;|lt;|gt;)", text):
            problems.append(f"half an entity: {text[-80:]}")
    if payload.get("unfurl_links") is not False or payload.get("unfurl_media") is not False:
        problems.append("previews are not off")
    if sum(len(text) for text in texts_of(payload)[1:]) > 8_000:
        problems.append("more than 8,000 characters in a message")
    if len(payload.get("text") or "") > 3_000 and payload.get("blocks"):
        problems.append("a notification of more than 3,000 characters")
    return problems
