"""Characters that Word writes as a place in a symbol font: ≤ is place A3 of Symbol."""

from __future__ import annotations

_PRIVATE = 0xF000
_FIRST_GREEK, _LAST_GREEK = 0x41, 0x7A
_GREEK = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_\u203eαβχδεφγηιϕκλμνοπθρστυϖωξψζ"
_SYMBOL = {
    0x22: "∀", 0x24: "∃", 0x27: "∋", 0x2A: "∗", 0x2D: "−", 0x40: "≅", 0x7E: "∼", 0xA2: "′", 0xA3: "≤", 0xA4: "⁄",
    0xA5: "∞", 0xAB: "↔", 0xAC: "←", 0xAD: "↑", 0xAE: "→", 0xAF: "↓", 0xB0: "°", 0xB1: "±", 0xB2: "″", 0xB3: "≥",
    0xB4: "×", 0xB5: "∝", 0xB6: "∂", 0xB7: "•", 0xB8: "÷", 0xB9: "≠", 0xBA: "≡", 0xBB: "≈", 0xC5: "⊕", 0xC6: "∅",
    0xC7: "∩", 0xC8: "∪", 0xCC: "⊂", 0xCE: "∈", 0xCF: "∉", 0xD2: "®", 0xD3: "©", 0xD4: "™", 0xD5: "∏", 0xD6: "√",
    0xD7: "⋅", 0xD8: "¬", 0xD9: "∧", 0xDA: "∨", 0xDB: "⇔", 0xDC: "⇐", 0xDE: "⇒", 0xE5: "∑", 0xF2: "∫",
}  # fmt: skip
_WINGDINGS = {0x6F: "☐", 0xA8: "☐", 0xFB: "✗", 0xFC: "✓", 0xFD: "☒", 0xFE: "☑", 0xE0: "→"}
_UNKNOWN = "\ufffd"


def symbol_of(font: str | None, place: str | None) -> str:
    """The character at that place (hexadecimal) of the font; U+FFFD where it is not known."""
    try:
        code = int(place or "", 16)
    except ValueError:
        return _UNKNOWN
    if not _PRIVATE <= code <= _PRIVATE + 0xFF and code > 0xFF:
        return chr(code) if code < 0xD800 else _UNKNOWN
    code &= 0xFF
    name = (font or "").lower()
    if name == "wingdings":
        return _WINGDINGS.get(code, _UNKNOWN)
    if name != "symbol":
        return _UNKNOWN
    if _FIRST_GREEK <= code <= _LAST_GREEK:
        return _GREEK[code - _FIRST_GREEK]
    return _SYMBOL.get(code) or (chr(code) if 0x20 <= code < 0x7F else _UNKNOWN)
