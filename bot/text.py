"""Slack's text in and out: what people typed becomes plain text, what documents say becomes mrkdwn."""

from __future__ import annotations

import re

import rag

_TOKEN = re.compile(r"<([^<>]*)>")
_WORD_JOINER = "\u2060"
_ADDRESS = re.compile(r":(?=//)|(?<=[^\W_])[.@](?=[^\W\d_]{2})|\bmailto:|\btel:|(?<![^\W_])[@#](?=\w)")
"""Where addresses, names of hosts, mail addresses and bare mentions can be parted."""
_MARKS = re.compile(rf"[{rag.QUESTION_MARKS}]")
_CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
_EMOJI = re.compile(r":(?=[^:\s]*[a-z])[a-z0-9_+'-]+:")
"""As Slack writes them; `10:30:15` holds none."""
_INVISIBLE = re.compile("[\u200b\u200c\u200d\u2060\ufeff\x00]")


def escape(text: str) -> str:
    """Text that Slack shows as it is: nothing in it can ping, link or format as a Slack token.

    Only these three characters are special to Slack; `html.escape` would show ``&#39;`` literally.
    """
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def unlinked(mrkdwn: str) -> str:
    """Escaped text in which Slack finds no address to link; our own links stay.

    Blocks are told to take text as it is (`verbatim`); a message without blocks knows no such word, so what looks like
    an address is parted by a character that nobody sees.
    """
    parts = _TOKEN.split(mrkdwn)
    for position in range(0, len(parts), 2):
        parts[position] = _ADDRESS.sub(rf"\g<0>{_WORD_JOINER}", parts[position])
    return "".join(f"<{part}>" if position % 2 else part for position, part in enumerate(parts))


def unescape(text: str) -> str:
    """The characters people typed. The ampersand comes last: ``&amp;lt;`` means ``&lt;``."""
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def plain_question(raw: str, *, own_user_id: str) -> str:
    """The question as a person would read it, without the mention that called the bot.

    Tokens are split off before anything is unescaped, so that a typed ``<@U1>`` stays text. Other
    people's mentions stay: they can be what the question is about.
    """
    parts = _TOKEN.split(raw)
    words = [
        _readable(part, own_user_id=own_user_id) if position % 2 else unescape(part)
        for position, part in enumerate(parts)
    ]
    return typed_question("".join(words))


def typed_question(raw: str) -> str:
    """What was typed into a form, which Slack sends as it is: nothing in it is a token or an entity."""
    text = _INVISIBLE.sub("", raw).replace("\u00a0", " ")
    # A lone surrogate cannot be stored; JSON can carry one.
    return text.encode("utf-8", "replace").decode("utf-8").strip()


def words_said(raw: str, *, own_user_id: str) -> str:
    """As `plain_question`, for reading what asks in it: a question mark in a link, a name or code asks nothing.

    A link ends at its first one, names and code say none, and names of emoji are left out.
    """
    without = _CODE.sub(lambda code: _MARKS.sub("", code.group()), _TOKEN.sub(_without_marks, raw))
    return plain_question(_EMOJI.sub(" ", without), own_user_id=own_user_id)


def _without_marks(token: re.Match[str]) -> str:
    target, bar, label = token.group(1).partition("|")
    return f"<{_MARKS.split(target)[0]}{bar}{_MARKS.sub('', label)}>"


def _readable(token: str, *, own_user_id: str) -> str:
    """What stands for the inside of ``<…>``."""
    target, _, label = token.partition("|")
    label = unescape(label)
    if target.startswith("@"):
        if target[1:] == own_user_id:
            return ""
        return f"@{label or target[1:]}"
    if target.startswith("#"):
        return f"#{label or target[1:]}"
    if target.startswith("!"):
        return _readable_special(target[1:], label)
    address = unescape(target)
    return label or address.removeprefix("mailto:").removeprefix("tel:")


def _readable_special(target: str, label: str) -> str:
    """``<!here>``, ``<!subteam^S1|@travel>`` and ``<!date^…|tomorrow>``."""
    if target.startswith("date^"):
        return label
    name = label or target.partition("^")[2] or target
    return name if name.startswith("@") else f"@{name}"
