"""What Slack would take and Footnote must not send: pings, links that are no citation, previews, torn entities."""

from __future__ import annotations

import re

from bot.simulator.limits import texts_of
from bot.simulator.workspace import Json

PINGS = re.compile(r"<!(?!date\^)|<@|<#")
_LINK = re.compile(r"<([^>]*)>")
MESSAGE_CHARS = 8_000
NOTIFICATION_CHARS = 3_000
OWN_MENTIONS = (" asked: ", " hat gefragt: ", " asked something", " hat etwas gefragt")
SHARED_BY = ("Shared by ", "Geteilt von ")
PAGES = ("/documents/", "/questions/")
WRITES = {"chat.postMessage", "chat.postEphemeral", "chat.update", "response_url"}


def broken_rules(payload: Json, *, base_url: str, asker: str = "") -> list[str]:
    """A sentence for each rule that a message breaks."""
    problems = []
    allowed = tuple(f"{base_url}{page}" for page in PAGES)
    for text in (_without_own_mention(text, asker) for text in texts_of(payload)):
        if PINGS.search(text):
            problems.append(f"pings: {text[:80]}")
        problems += [f"links to {link}" for link in _LINK.findall(text) if not link.startswith(allowed)]
        if re.search(r"&(?!amp;|lt;|gt;)", text):
            problems.append(f"half an entity: {text[-80:]}")
    if payload.get("unfurl_links") is not False or payload.get("unfurl_media") is not False:
        problems.append("previews are not off")
    if sum(len(text) for text in texts_of(payload)[1:]) > MESSAGE_CHARS:
        problems.append(f"more than {MESSAGE_CHARS} characters in a message")
    if len(payload.get("text") or "") > NOTIFICATION_CHARS and payload.get("blocks"):
        problems.append(f"a notification of more than {NOTIFICATION_CHARS} characters")
    problems += [f"links to {url}" for url in _urls_of(payload.get("blocks")) if not url.startswith(allowed)]
    return problems


def _without_own_mention(text: str, asker: str) -> str:
    """The text without the one mention that is ours to make: of who asked, or shared, and nobody else."""
    if not asker:
        return text
    mention = f"<@{asker}>"
    for said in OWN_MENTIONS:
        text = text.replace(f"{mention}{said}", "")
    return "" if text in {f"{said}{mention}" for said in SHARED_BY} else text


def _urls_of(value: object) -> list[str]:
    """The addresses that buttons open."""
    if isinstance(value, list):
        return [url for item in value for url in _urls_of(item)]
    if not isinstance(value, dict):
        return []
    own = [str(value["url"])] if "url" in value else []
    return own + [url for item in value.values() for url in _urls_of(item)]
