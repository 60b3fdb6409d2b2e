"""CSS that keeps words from being seen: they are no evidence, because no visitor reads them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

_SIZE = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(px|pt|em|rem|ex|ch|%|vw|vh|cm|mm|in)?")
_PX = {"": 1.0, "px": 1.0, "pt": 4 / 3, "em": 16.0, "rem": 16.0, "ex": 8.0, "ch": 8.0, "vw": 10.0, "vh": 10.0}
_OF_OUTER = {"em": 1.0, "%": 0.01, "ex": 0.5, "ch": 0.5}
_UNREADABLE_PX = 1.0
_FAR_PX = -999.0
_FONT_SIZE = re.compile(
    r"(?:^|\s)((?:\d+\.?\d*|\.\d+)(?:px|pt|em|rem|ex|ch|%|vw|vh|cm|mm|in)?)(?:/\S+)?\s+\S"
)
_PICTURE = re.compile(r"url\(|gradient\(|image-set\(")
_COLOURS = re.compile(r"#[0-9a-f]+|(?:rgb|hsl)a?\([^)]*\)|var\([^)]*\)|[a-z]+")
_CLIPPED = re.compile(r"rect\(\s*(?:0|1px|0px)\D|inset\(\s*(?:50|100)%")
_OUTER = ("inherit", "unset", "revert", "currentcolor")
_LEAST_CONTRAST = 1.1
"""WCAG 2 contrast ratio, 1 to 21: #f5f5f5 on white has 1.09, and nobody reads text as pale as that."""

Rgb = tuple[float, float, float]
WHITE: Rgb = (255.0, 255.0, 255.0)
BLACK: Rgb = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Look:
    """How words in an element look, handed down to the elements inside; a colour is None where it is not known."""

    is_invisible: bool = False
    size_px: float = 16.0
    colour: Rgb | None = BLACK
    ground: Rgb | None = WHITE

    @property
    def hides_words(self) -> bool:
        """Whether nobody can read words that look so."""
        if self.is_invisible or self.size_px <= _UNREADABLE_PX:
            return True
        return (
            self.colour is not None
            and self.ground is not None
            and _contrast(self.colour, self.ground) < _LEAST_CONTRAST
        )

    def inside(self, told: Mapping[str, str]) -> Look:
        """The look inside an element of which the style sheets and its attributes say `told`."""
        ground = _ground(told, self.ground)
        visibility = told.get("visibility", "inherit")
        look = replace(
            self,
            ground=ground,
            colour=_colour(told.get("color", "inherit"), self.colour, ground),
            size_px=_font_px(told, self.size_px),
        )
        if visibility not in _OUTER:
            look = replace(look, is_invisible=visibility in ("hidden", "collapse"))
        return replace(look, colour=None) if told.get("text-shadow", "none") != "none" else look


def hides_all(told: Mapping[str, str]) -> bool:
    """Whether an element with these declarations shows nothing of what is inside, however that looks.

    >>> hides_all({"display": "none"}), hides_all({"opacity": "0.5"})
    (True, False)
    """
    opacity = _px(told.get("opacity", ""))
    return (
        told.get("display") == "none"
        or told.get("mso-hide") == "all"
        or (opacity is not None and opacity <= 0)
        or _is_far_away(told)
        or _is_cut_off(told)
    )


def _px(value: str) -> float | None:
    """In CSS pixels of an ordinary page; None for what is no length."""
    found = _SIZE.fullmatch(value)
    if found is None:
        return None
    return float(found[1]) * _PX.get(found[2] or "", 0.16 if found[2] == "%" else 38.0)


def _font_px(told: Mapping[str, str], outer: float) -> float:
    value = told.get("font-size", "")
    if not value and (shorthand := _FONT_SIZE.search(told.get("font", ""))):
        value = shorthand[1]
    found = _SIZE.fullmatch(value)
    if found is None:
        # "medium", "calc(…)": a size of its own, which nobody writes to hide words.
        return outer if value in ("", *_OUTER, "smaller", "larger") else 16.0
    of_outer = _OF_OUTER.get(found[2] or "")
    return float(found[1]) * of_outer * outer if of_outer is not None else _px(value) or 0.0


def _ground(told: Mapping[str, str], outer: Rgb | None) -> Rgb | None:
    """What words stand on; a picture behind them may be of any colour."""
    shorthand = told.get("background", "")
    if _PICTURE.search(shorthand) or _PICTURE.search(told.get("background-image", "")):
        return None
    values = [told["background-color"]] if "background-color" in told else _COLOURS.findall(shorthand)
    for value in values:
        if value in _OUTER:
            return outer
        if value.startswith("var("):
            return None
        rgba = _rgba(value)
        if rgba is not None:
            return _blended(rgba, outer)
    return outer


def _colour(value: str, outer: Rgb | None, ground: Rgb | None) -> Rgb | None:
    if value in _OUTER:
        return outer
    rgba = _rgba(value)
    return None if rgba is None else _blended(rgba, ground)


def _blended(rgba: tuple[Rgb, float], under: Rgb | None) -> Rgb | None:
    colour, alpha = rgba
    if alpha >= 1:
        return colour
    if under is None:
        return None
    red, green, blue = (alpha * over + (1 - alpha) * below for over, below in zip(colour, under, strict=True))
    return (red, green, blue)


def _rgba(value: str) -> tuple[Rgb, float] | None:
    """Red, green and blue from 0 to 255, and the opacity from 0 to 1; None for what is no colour that is known."""
    from PIL import ImageColor

    if value == "transparent":
        return BLACK, 0.0
    alpha = 1.0
    if found := re.fullmatch(r"((?:rgb|hsl))a?\(([^)]*)\)", value):
        parts = [part for part in re.split(r"[\s,/]+", found[2]) if part]
        if len(parts) == 4:
            share = _px(parts[3].rstrip("%"))
            alpha = 1.0 if share is None else share / (100 if parts[3].endswith("%") else 1)
        value = f"{found[1]}({', '.join(part.removesuffix('deg') for part in parts[:3])})"
    elif re.fullmatch(r"[0-9a-f]{6}", value):  # bgcolor without its sign
        value = f"#{value}"
    try:
        red, green, blue, *rest = ImageColor.getrgb(value)
    except ValueError:
        return None
    return (float(red), float(green), float(blue)), rest[0] / 255 if rest else alpha


def _contrast(one: Rgb, other: Rgb) -> float:
    """WCAG 2: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio."""
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(colour: Rgb) -> float:
    shares = (min(max(part, 0.0), 255.0) / 255 for part in colour)
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _is_far_away(told: Mapping[str, str]) -> bool:
    names = ["text-indent", "margin-left", "margin-top"]
    if told.get("position") in ("absolute", "fixed", "relative"):
        names += ["left", "top", "right", "bottom"]
    return any((_px(told.get(name, "")) or 0.0) <= _FAR_PX for name in names)


def _is_cut_off(told: Mapping[str, str]) -> bool:
    if any(_CLIPPED.search(told.get(name, "")) for name in ("clip", "clip-path")):
        return True
    sides = [_px(told.get(name, "")) for name in ("width", "height", "max-width", "max-height")]
    is_flat = any(side is not None and side <= _UNREADABLE_PX for side in sides)
    return is_flat and told.get("overflow", "").startswith(("hidden", "clip"))
