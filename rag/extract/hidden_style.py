"""Inline CSS that keeps text from being seen: it is no evidence, because no visitor reads it."""

from __future__ import annotations

import re

_HIDDEN = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|mso-hide\s*:\s*all", re.IGNORECASE
)
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_SIZE = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(px|pt|em|rem|ex|ch|%|vw|vh|cm|mm|in)?", re.IGNORECASE)
_PX = {"": 1.0, "px": 1.0, "pt": 4 / 3, "em": 16.0, "rem": 16.0, "ex": 8.0, "ch": 8.0, "vw": 10.0, "vh": 10.0}
_UNREADABLE_PX = 1.0
_FAR_PX = -999.0
_NAMES = {"white": "ffffff", "black": "000000", "red": "ff0000", "green": "008000", "blue": "0000ff"}
_NAMES |= {"yellow": "ffff00", "gray": "808080", "grey": "808080", "silver": "c0c0c0", "navy": "000080"}
_NAMES |= {"snow": "fffafa", "ivory": "fffff0", "whitesmoke": "f5f5f5", "lightgray": "d3d3d3"}
_HEX = re.compile(r"#(?:([0-9a-f])([0-9a-f])([0-9a-f])[0-9a-f]?|([0-9a-f]{6})(?:[0-9a-f]{2})?)")
_RGB = re.compile(r"rgba?\(\s*(\d{1,3})\s*[, ]\s*(\d{1,3})\s*[, ]\s*(\d{1,3})\s*(?:[,/].*)?\)")
_COLOURS = re.compile(r"#[0-9a-f]+|rgba?\([^)]*\)|[a-z]+")
_CLIPPED = re.compile(r"rect\(\s*(?:0|1px|0px)\D|inset\(\s*(?:50|100)%")


def hides(style: str) -> bool:
    """Whether an element with this ``style`` attribute shows nothing of its text.

    >>> hides("font-size: 0"), hides("color:#fff; background:white"), hides("color:#fff; background:navy")
    (True, True, False)
    """
    if _HIDDEN.search(style):
        return True
    told = _declared(style)
    size, opacity = _px(told.get("font-size", "")), _px(told.get("opacity", ""))
    return (
        (size is not None and size <= _UNREADABLE_PX)
        or (opacity is not None and opacity <= 0)
        or told.get("color") == "transparent"
        or _is_its_ground(told)
        or _is_far_away(told)
        or _is_cut_off(told)
    )


def _declared(style: str) -> dict[str, str]:
    pairs = (each.partition(":") for each in _COMMENT.sub("", style).lower().split(";"))
    return {name.strip(): value.replace("!important", "").strip() for name, _, value in pairs}


def _px(value: str) -> float | None:
    """In CSS pixels of an ordinary page; None for what is no length."""
    found = _SIZE.fullmatch(value)
    if found is None:
        return None
    return float(found[1]) * _PX.get(found[2] or "", 0.16 if found[2] == "%" else 38.0)


def _is_its_ground(told: dict[str, str]) -> bool:
    """Text in the colour of what it stands on; a picture behind it may show it."""
    ground = told.get("background-color") or told.get("background", "")
    if "url(" in ground or "gradient" in ground:
        return False
    colour = _rgb(told.get("color", ""))
    return colour is not None and colour in map(_rgb, _COLOURS.findall(ground))


def _rgb(value: str) -> str | None:
    value = _NAMES.get(value, value)
    if found := _RGB.fullmatch(value):
        return "".join(f"{min(int(part), 255):02x}" for part in found.groups())
    if found := _HEX.fullmatch(value if value.startswith("#") else f"#{value}"):
        return found[4] or "".join(2 * digit for digit in found.groups()[:3])
    return None


def _is_far_away(told: dict[str, str]) -> bool:
    names = ["text-indent", "margin-left", "margin-top"]
    if told.get("position") in ("absolute", "fixed", "relative"):
        names += ["left", "top", "right", "bottom"]
    return any((_px(told.get(name, "")) or 0.0) <= _FAR_PX for name in names)


def _is_cut_off(told: dict[str, str]) -> bool:
    if any(_CLIPPED.search(told.get(name, "")) for name in ("clip", "clip-path")):
        return True
    sides = [_px(told.get(name, "")) for name in ("width", "height", "max-width", "max-height")]
    is_flat = any(side is not None and side <= _UNREADABLE_PX for side in sides)
    return is_flat and told.get("overflow", "").startswith(("hidden", "clip"))
