"""`.env.example` names every setting, and the values it gives are the defaults."""

from __future__ import annotations

import ast
import re

from django.conf import settings

SETTINGS = settings.BASE_DIR / "console" / "settings.py"
EXAMPLE = settings.BASE_DIR / ".env.example"
READERS = {"str", "bool", "db", "_required_in_server_mode", "_text", "_list", "_number", "_whole", "_switch"}


def read_in_settings() -> dict[str, object]:
    """Each name that the settings read, with its default where that is written down."""
    found: dict[str, object] = {}
    for call in ast.walk(ast.parse(SETTINGS.read_text())):
        if not isinstance(call, ast.Call) or not call.args or not isinstance(call.args[0], ast.Constant):
            continue
        reader = getattr(call.func, "attr", getattr(call.func, "id", ""))
        is_env = (
            isinstance(call.func, ast.Name) or getattr(getattr(call.func, "value", None), "id", "") == "env"
        )
        if reader in READERS and is_env:
            is_known = (
                len(call.args) > 1
                and isinstance(call.args[1], ast.Constant)
                and reader != "_required_in_server_mode"
            )
            found.setdefault(call.args[0].value, call.args[1].value if is_known else None)
    return found


def named_in_example() -> dict[str, str]:
    """Each name with what stands behind it; a line that is commented out counts."""
    return dict(re.findall(r"^(?:# )?([A-Z][A-Z0-9_]+)=(.*)$", EXAMPLE.read_text(), re.MULTILINE))


def test_the_settings_are_found() -> None:
    assert {
        "FOOTNOTE_MODE",
        "SECRET_KEY",
        "SLACK_TOKEN_KEYS",
        "FOOTNOTE_ANSWERS_AT_ONCE",
    } <= read_in_settings().keys()


def test_every_setting_is_named() -> None:
    assert read_in_settings().keys() - named_in_example().keys() == set()


def test_nothing_is_named_that_is_read_nowhere() -> None:
    elsewhere = {"POSTGRES_PASSWORD", "FOOTNOTE_ADMIN_PASSWORD"}  # compose.yaml, the first start
    assert named_in_example().keys() - read_in_settings().keys() == elsewhere


def test_a_number_is_the_default() -> None:
    named = named_in_example()
    numbers = {name: default for name, default in read_in_settings().items() if type(default) in {int, float}}
    assert numbers
    assert {name: float(named[name]) for name in numbers} == {name: float(n) for name, n in numbers.items()}
