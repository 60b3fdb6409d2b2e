"""The limits of Block Kit, block by block, each error with its JSON pointer as Slack gives it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]
Errors: TypeAlias = Iterator[tuple[str, str]]

SURFACES = {"message", "modal", "home"}
INTERACTIVE = {
    "button",
    "checkboxes",
    "channels_select",
    "conversations_select",
    "datepicker",
    "external_select",
    "feedback_buttons",
    "icon_button",
    "multi_static_select",
    "overflow",
    "plain_text_input",
    "radio_buttons",
    "static_select",
    "timepicker",
    "users_select",
    "url_text_input",
    "email_text_input",
    "number_input",
    "rich_text_input",
    "workflow_button",
}
CONTEXT = {"image", "mrkdwn", "plain_text"}
URL_CHARS, ALT_CHARS, ID_CHARS = 3_000, 2_000, 255


def errors_of_blocks(blocks: list[Any], *, surface: str) -> Errors:
    """What Slack would find wrong with these blocks on a `message`, in a `modal` or on the `home` tab."""
    ids: set[str] = set()
    for position, block in enumerate(blocks):
        pointer = f"/blocks/{position}"
        if not isinstance(block, dict) or not isinstance(block.get("type"), str):
            yield "missing required field: type", pointer
            continue
        check = _CHECKS.get(block["type"])
        if check is None:
            yield f"unsupported type: {block['type']}", f"{pointer}/type"
            continue
        if block["type"] in _MESSAGES_ONLY and surface != "message":
            yield f"unsupported type: {block['type']}", f"{pointer}/type"
        block_id = block.get("block_id")
        yield from _length(block_id, ID_CHARS, f"{pointer}/block_id", least=0)
        if block_id and block_id in ids:
            yield "block_id already exists", f"{pointer}/block_id"
        ids.add(block_id or "")
        yield from check(block, pointer)
    if sum(1 for block in blocks if isinstance(block, dict) and block.get("type") == "table") > 1:
        yield "only one table allowed", "/blocks"


def markdown_chars(blocks: list[Json]) -> int:
    """Characters of all `markdown` blocks together; Slack's limit is cumulative."""
    return sum(len(block.get("text") or "") for block in blocks if block.get("type") == "markdown")


def texts_of_blocks(value: object) -> list[str]:
    """Every text object's characters, in order, however deep it lies."""
    if isinstance(value, list):
        return [text for item in value for text in texts_of_blocks(item)]
    if not isinstance(value, dict):
        return []
    text = value.get("text")
    found = [text] if isinstance(text, str) else []
    return found + [inner for item in value.values() for inner in texts_of_blocks(item)]


# --- parts of blocks


def _length(value: object, most: int, pointer: str, *, least: int = 1) -> Errors:
    if value is None:
        return
    if not isinstance(value, str):
        yield "must be a string", pointer
    elif len(value) < least:
        yield f"must be more than {least - 1} characters", pointer
    elif len(value) > most:
        yield f"must be less than {most + 1} characters", pointer


def _text(value: object, most: int, pointer: str, *, kinds: tuple[str, ...] = ("plain_text",)) -> Errors:
    """A text object: of one of the kinds, with at least one character and at most `most`."""
    if not isinstance(value, dict):
        yield "missing required field: text", pointer
        return
    if value.get("type") not in kinds:
        yield f"must be one of {', '.join(kinds)}", f"{pointer}/type"
    if not isinstance(value.get("text"), str):
        yield "must provide a string", f"{pointer}/text"
    yield from _length(value.get("text"), most, f"{pointer}/text")


def _items(value: object, most: int, pointer: str, *, least: int = 1) -> Errors:
    if not isinstance(value, list) or not least <= len(value) <= most:
        yield f"from {least} to {most} items allowed", pointer


def _element(element: object, pointer: str) -> Errors:
    if not isinstance(element, dict) or element.get("type") not in INTERACTIVE:
        kind = element.get("type") if isinstance(element, dict) else element
        yield f"unsupported type: {kind}", f"{pointer}/type"
        return
    yield from _length(element.get("action_id"), ID_CHARS, f"{pointer}/action_id")
    yield from _length(element.get("url"), URL_CHARS, f"{pointer}/url", least=0)
    if element["type"] == "button":
        yield from _text(element.get("text"), 75, f"{pointer}/text")
        yield from _length(element.get("value"), 2_000, f"{pointer}/value", least=0)
        if element.get("style") not in {None, "primary", "danger"}:
            yield "must be one of primary, danger", f"{pointer}/style"
    if element["type"] == "feedback_buttons":
        for side in ("positive_button", "negative_button"):
            button = element.get(side)
            if not isinstance(button, dict):
                yield f"missing required field: {side}", pointer
                continue
            yield from _text(button.get("text"), 75, f"{pointer}/{side}/text")
            yield from _length(button.get("value"), 2_000, f"{pointer}/{side}/value")
    yield from _choices(element, pointer)
    if "placeholder" in element:
        yield from _text(element["placeholder"], 150, f"{pointer}/placeholder")
    if "confirm" in element:
        yield from _confirm(element["confirm"], f"{pointer}/confirm")


def _choices(element: Json, pointer: str) -> Errors:
    options = element.get("options")
    most = {"overflow": 5, "checkboxes": 10, "radio_buttons": 10}.get(element["type"], 100)
    needs = element["type"] in {
        "static_select",
        "multi_static_select",
        "overflow",
        "checkboxes",
        "radio_buttons",
    }
    if options is None and not (needs and "option_groups" not in element):
        return
    yield from _items(options, most, f"{pointer}/options")
    for position, option in enumerate(options if isinstance(options, list) else []):
        place = f"{pointer}/options/{position}"
        yield from _text(option.get("text"), 75, f"{place}/text", kinds=("plain_text", "mrkdwn"))
        yield from _length(option.get("value", 0), 150, f"{place}/value")
        if "description" in option:
            yield from _text(
                option["description"], 75, f"{place}/description", kinds=("plain_text", "mrkdwn")
            )


def _confirm(confirm: object, pointer: str) -> Errors:
    if not isinstance(confirm, dict):
        yield "must be an object", pointer
        return
    yield from _text(confirm.get("title"), 100, f"{pointer}/title")
    yield from _text(confirm.get("text"), 300, f"{pointer}/text", kinds=("plain_text", "mrkdwn"))
    for name in ("confirm", "deny"):
        yield from _text(confirm.get(name), 30, f"{pointer}/{name}")


# --- blocks


def _section(block: Json, pointer: str) -> Errors:
    fields = block.get("fields")
    if "text" not in block and not fields:
        yield "missing required field: text", pointer
    if "text" in block:
        yield from _text(block["text"], 3_000, f"{pointer}/text", kinds=("plain_text", "mrkdwn"))
    if fields is not None:
        yield from _items(fields, 10, f"{pointer}/fields")
        for position, item in enumerate(fields if isinstance(fields, list) else []):
            yield from _text(item, 2_000, f"{pointer}/fields/{position}", kinds=("plain_text", "mrkdwn"))
    accessory = block.get("accessory")
    if isinstance(accessory, dict) and accessory.get("type") != "image":
        yield from _element(accessory, f"{pointer}/accessory")


def _header(block: Json, pointer: str) -> Errors:
    yield from _text(block.get("text"), 150, f"{pointer}/text")


def _context(block: Json, pointer: str) -> Errors:
    elements = block.get("elements")
    yield from _items(elements, 10, f"{pointer}/elements")
    for position, element in enumerate(elements if isinstance(elements, list) else []):
        if not isinstance(element, dict) or element.get("type") not in CONTEXT:
            yield "unsupported element", f"{pointer}/elements/{position}"
        elif element["type"] == "image":
            yield from _image(element, f"{pointer}/elements/{position}")
        else:
            # Slack publishes no number for these; a section's is taken.
            yield from _length(element.get("text"), 3_000, f"{pointer}/elements/{position}/text")


def _elements(most: int) -> Callable[[Json, str], Errors]:
    def check(block: Json, pointer: str) -> Errors:
        elements = block.get("elements")
        yield from _items(elements, most, f"{pointer}/elements")
        ids: set[str] = set()
        for position, element in enumerate(elements if isinstance(elements, list) else []):
            place = f"{pointer}/elements/{position}"
            yield from _element(element, place)
            action_id = element.get("action_id") if isinstance(element, dict) else None
            if action_id and action_id in ids:
                yield "action_id already exists", f"{place}/action_id"
            ids.add(action_id or "")

    return check


def _input(block: Json, pointer: str) -> Errors:
    yield from _text(block.get("label"), 2_000, f"{pointer}/label")
    yield from _element(block.get("element"), f"{pointer}/element")
    if "hint" in block:
        yield from _text(block["hint"], 2_000, f"{pointer}/hint")


def _image(block: Json, pointer: str) -> Errors:
    if "image_url" not in block and "slack_file" not in block:
        yield "missing required field: image_url", pointer
    yield from _length(block.get("image_url"), URL_CHARS, f"{pointer}/image_url")
    yield from _length(block.get("alt_text", 0), ALT_CHARS, f"{pointer}/alt_text")


def _markdown(block: Json, pointer: str) -> Errors:
    yield from _length(block.get("text", 0), 12_000, f"{pointer}/text")


def _table(block: Json, pointer: str) -> Errors:
    rows = block.get("rows")
    yield from _items(rows, 100, f"{pointer}/rows")
    for position, row in enumerate(rows if isinstance(rows, list) else []):
        yield from _items(row, 20, f"{pointer}/rows/{position}")


def _anything(block: Json, pointer: str) -> Errors:  # noqa: ARG001 - the shape of a check
    return iter(())


_CHECKS: dict[str, Callable[[Json, str], Errors]] = {
    "section": _section,
    "header": _header,
    "context": _context,
    "context_actions": _elements(5),
    "actions": _elements(25),
    "input": _input,
    "image": _image,
    "markdown": _markdown,
    "table": _table,
    "divider": _anything,
    "rich_text": _anything,
}
_MESSAGES_ONLY = {"context_actions", "markdown", "table"}
