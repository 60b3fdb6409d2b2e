"""Draw Slack's mrkdwn as HTML, roughly as Slack's own client does; everything else is escaped."""

from __future__ import annotations

import re
from collections.abc import Mapping

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from bot.text import unescape

_PARTS = re.compile(r"```(?P<fence>.+?)```|`(?P<code>[^`\n]+)`|<(?P<token>[^<>]*)>", re.DOTALL)
_ASIDE = re.compile("\ue000([0-9]+)\ue001")
_STYLES = (
    (re.compile(r"(?<![\w*])\*(?!\s)([^*\n]+?)(?<!\s)\*(?![\w*])"), "strong"),
    (re.compile(r"(?<![\w_])_(?!\s)([^_\n]+?)(?<!\s)_(?![\w_])"), "em"),
    (re.compile(r"(?<![\w~])~(?!\s)([^~\n]+?)(?<!\s)~(?![\w~])"), "s"),
)
_QUOTE = re.compile(r"(?:^|(?<=\n))&amp;gt; ?(.*?)(?:\n|$)")


def draw_mrkdwn(text: str, names: Mapping[str, str] | None = None) -> SafeString:
    """HTML of a text as Slack keeps it. `names`: what stands for the ids of people and channels."""
    drawn: list[str] = []

    def put_aside(part: re.Match[str]) -> str:
        drawn.append(_draw_part(part, names or {}))
        return f"\ue000{len(drawn) - 1}\ue001"

    # Links and code stand aside while the words are styled, so that bold may reach around a link.
    words = _draw_words(_PARTS.sub(put_aside, text.replace("\ue000", "").replace("\ue001", "")))
    html = _ASIDE.sub(lambda place: drawn[int(place[1])], words)
    return mark_safe(html)  # noqa: S308 - every piece is escaped where it is made


def draw_plain(text: str) -> SafeString:
    """HTML of a plain_text object, in which nothing is special."""
    return mark_safe(_lines(escape(text)))  # noqa: S308 - escaped


def _draw_part(part: re.Match[str], names: Mapping[str, str]) -> str:
    if part["fence"] is not None:
        return f"<pre>{escape(unescape(part['fence'].strip(chr(10))))}</pre>"
    if part["code"] is not None:
        return f"<code>{escape(unescape(part['code']))}</code>"
    return _draw_token(part["token"], names)


def _draw_token(token: str, names: Mapping[str, str]) -> str:
    target, _, label = token.partition("|")
    if target[:1] == "@":
        return f'<span class="ping">@{escape(label or names.get(target[1:], target[1:]))}</span>'
    if target[:1] == "#":
        return f'<span class="ping">#{escape(label or names.get(target[1:], target[1:]))}</span>'
    if target[:1] == "!":
        return f'<span class="ping">{escape(unescape(label) or f"@{target[1:]}")}</span>'
    shown = _draw_words(label) if label else escape(unescape(target))
    if not target.startswith(("http://", "https://")):
        return shown
    return f'<a href="{escape(unescape(target))}" rel="noreferrer" target="_blank">{shown}</a>'


def _draw_words(text: str) -> str:
    """Bold, italic, struck and quoted text; its entities are Slack's three."""
    html = str(escape(text))
    for pattern, tag in _STYLES:
        html = pattern.sub(rf"<{tag}>\1</{tag}>", html)
    html = _QUOTE.sub(r"<blockquote>\1</blockquote>", html)
    # Escaped once by Slack's sender and once here: show the character itself.
    for entity in ("lt", "gt", "amp"):
        html = html.replace(f"&amp;{entity};", f"&{entity};")
    return _lines(html)


def _lines(html: str) -> str:
    return html.replace("\n", "<br>")
