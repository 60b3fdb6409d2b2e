"""Slack's limits and what must never leave the building, checked on what is really sent."""

from __future__ import annotations

import re

KNOWN_BLOCKS = {"section", "context", "divider", "header", "actions", "context_actions", "markdown"}
BLOCKS_OF_VIEWS = (KNOWN_BLOCKS - {"context_actions", "markdown"}) | {"input"}
PINGS = re.compile(r"<!(?!date\^)|<@|<#")


def texts_of(payload: dict) -> list[str]:
    """Every mrkdwn text in a message, the notification text included."""
    found = [payload.get("text") or ""]
    for block in payload.get("blocks") or []:
        if isinstance(block.get("text"), dict):
            found.append(block["text"].get("text", ""))
        found += [element["text"] for element in block.get("elements", []) if element.get("type") == "mrkdwn"]
    return found


def buttons_of(payload: dict) -> list[dict]:
    """Every element that can be clicked, of a message or a view."""
    blocks = payload.get("blocks") or []
    elements = [e for b in blocks if b["type"] in {"actions", "context_actions"} for e in b["elements"]]
    return elements + [block["accessory"] for block in blocks if "accessory" in block]


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
        error = _block_error(block, KNOWN_BLOCKS)
        if error:
            return "invalid_blocks", f"{error} [json-pointer:/blocks/{position}]"
    if sum(len(text) for text in texts_of(payload)[1:]) > 12_000:
        return "msg_blocks_too_long", "/blocks"
    return None


def view_would_refuse(view: dict) -> str:
    """What Slack has against a form or an App Home; empty when it takes it (facts.md §4.1)."""
    is_modal = view["type"] == "modal"
    blocks = view["blocks"]
    if not blocks or len(blocks) > 100:
        return "between 1 and 100 blocks"
    if is_modal and not 1 <= len(view["title"]["text"]) <= 24:
        return "title of 1 to 24 characters"
    if any(len(view[name]["text"]) > 24 for name in ("submit", "close") if name in view):
        return "labels of at most 24 characters"
    if len(view.get("private_metadata", "")) > 3_000 or len(view.get("callback_id", "")) > 255:
        return "private_metadata or callback_id too long"
    if any(block["type"] == "input" for block in blocks) and not (is_modal and "submit" in view):
        return "inputs need something that sends them"
    errors = (_block_error(block, BLOCKS_OF_VIEWS) for block in blocks)
    return next((error for error in errors if error), "")


def _block_error(block: dict, known: set[str]) -> str:
    kind = block.get("type")
    if kind not in known:
        return f"unsupported block {kind}"
    match kind:
        case "section":
            if "accessory" in block and (error := _element_error(block["accessory"])):
                return error
            return _text_error(block["text"], 3_000)
        case "header":
            return _text_error(block["text"], 150) or (
                "" if block["text"]["type"] == "plain_text" else "plain_text"
            )
        case "context":
            return "" if 1 <= len(block["elements"]) <= 10 else "no more than 10 items allowed"
        case "actions" | "context_actions":
            most = 25 if kind == "actions" else 5
            elements = block["elements"]
            if not 1 <= len(elements) <= most:
                return f"1 to {most} elements"
            return next((error for element in elements if (error := _element_error(element))), "")
        case "input":
            return _text_error(block["label"], 2_000) or _element_error(block["element"])
    return ""


def _text_error(text: dict, most: int) -> str:
    if not text["text"]:
        return "must be more than 0 characters"
    return f"must be less than {most + 1} characters" if len(text["text"]) > most else ""


def _element_error(element: dict) -> str:
    if len(element.get("action_id", "")) > 255:
        return "action_id of at most 255 characters"
    match element["type"]:
        case "button":
            return _labelled_error(element)
        case "feedback_buttons":
            sides = (element["positive_button"], element["negative_button"])
            return next((error for side in sides if (error := _labelled_error(side))), "")
        case "plain_text_input":
            return "" if len(element.get("initial_value", "")) <= 3_000 else "initial_value of at most 3,000"
        case "radio_buttons":
            if not 1 <= len(element["options"]) <= 10:
                return "1 to 10 options"
            return next((error for o in element["options"] if (error := _labelled_error(o, value=150))), "")
    return f"unsupported element {element['type']}"


def _labelled_error(labelled: dict, value: int = 2_000) -> str:
    if error := _text_error(labelled["text"], 75):
        return error
    if labelled["text"]["type"] != "plain_text":
        return "plain_text"
    is_short = len(labelled.get("value", "")) <= value and len(labelled.get("url", "")) <= 3_000
    return "" if is_short else "value or url too long"


def leaks(payload: dict, *, base_url: str, asker: str = "") -> list[str]:
    """What our own rules forbid: pings, links that are no citation, previews, torn entities."""
    problems = [f"links to {b['url']}" for b in buttons_of(payload) if not _is_ours(b.get("url"), base_url)]
    for text in (_without_asker(text, asker) for text in texts_of(payload)):
        if PINGS.search(text):
            problems.append(f"pings: {text[:80]}")
        for link in re.findall(r"<([^>]*)>", text):
            if not _is_ours(link, base_url):
                problems.append(f"links to {link}")
        if re.search(r"&(?!amp;|lt;|gt;)", text):
            problems.append(f"half an entity: {text[-80:]}")
    if payload.get("unfurl_links") is not False or payload.get("unfurl_media") is not False:
        problems.append("previews are not off")
    if "type" not in payload and sum(len(text) for text in texts_of(payload)[1:]) > 8_000:
        problems.append("more than 8,000 characters in a message")
    if len(payload.get("text") or "") > 3_000 and payload.get("blocks"):
        problems.append("a notification of more than 3,000 characters")
    return problems


def _without_asker(text: str, asker: str) -> str:
    """The text without the one mention that is ours to make: of who asked, or shared, and nobody else."""
    mention = f"<@{asker}>"
    for ours in (" asked: ", " hat gefragt: ", " asked something", " hat etwas gefragt"):
        text = text.replace(f"{mention}{ours}", "")
    return re.sub(rf"^(Shared by|Geteilt von) {re.escape(mention)}$", "", text) if asker else text


def _is_ours(link: str | None, base_url: str) -> bool:
    return link is None or link.startswith((f"{base_url}/documents/", f"{base_url}/questions/"))
