"""Settings come from the environment: blank is not set, and what cannot be meant stops the start with a sentence."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from console import settings

DEFAULTS = {
    "FOOTNOTE_MODE": ("MODE", "embedded"),
    "FOOTNOTE_BASE_URL": ("BASE_URL", "http://127.0.0.1:8000"),
    "ALLOWED_HOSTS": ("ALLOWED_HOSTS", ["127.0.0.1", "localhost", "[::1]"]),
    "CSRF_TRUSTED_ORIGINS": ("CSRF_TRUSTED_ORIGINS", []),
    "DEBUG": ("DEBUG", False),
    "LEXICAL": ("LEXICAL", "local"),
    "FOOTNOTE_MAX_UPLOAD_MB": ("MAX_UPLOAD_BYTES", 100 * 1024 * 1024),
    "FOOTNOTE_RECORDING_TIME_S": ("RECORDING_TIME_S", 3_600.0),
    "FOOTNOTE_EMBEDDING_MODEL": ("EMBEDDING_MODEL", "footnote-minilm"),
    "FOOTNOTE_GENERATOR": ("GENERATOR", "extractive"),
    "FOOTNOTE_ANSWERS_AT_ONCE": ("ANSWERS_AT_ONCE", 2),
    "FOOTNOTE_ANSWER_LEASE_S": ("ANSWER_LEASE_S", 120),
    "FOOTNOTE_INGEST_LEASE_S": ("INGEST_LEASE_S", 600),
    "FOOTNOTE_SLACK_EVENT_DAYS": ("SLACK_EVENT_DAYS", 7),
    "SLACK_API_URL": ("SLACK_API_URL", "https://slack.com/api/"),
}


def settings_with(monkeypatch: pytest.MonkeyPatch, home: Path, **environment: str) -> dict[str, object]:
    monkeypatch.setenv("FOOTNOTE_IGNORE_DOTENV", "1")
    monkeypatch.setenv("FOOTNOTE_HOME", str(home))
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return runpy.run_path(str(Path(settings.__file__)))


@pytest.mark.parametrize("blank", ["", "  "])
def test_a_setting_that_is_left_blank_counts_as_not_set(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, blank: str
) -> None:
    read = settings_with(monkeypatch, tmp_path, LOG_LEVEL=blank, **dict.fromkeys(DEFAULTS, blank))
    assert {name: read[setting] for name, (setting, _) in DEFAULTS.items()} == {
        name: default for name, (_, default) in DEFAULTS.items()
    }


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FOOTNOTE_SLACK_EVENT_DAYS", "a week"),
        ("FOOTNOTE_SLACK_EVENT_DAYS", "7.5"),
        ("FOOTNOTE_SLACK_EVENT_DAYS", "1"),
        ("FOOTNOTE_ANSWERS_AT_ONCE", "two"),
        ("FOOTNOTE_RECORDING_TIME_S", "inf"),
        ("DEBUG", "perhaps"),
    ],
)
def test_what_cannot_be_meant_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, value: str
) -> None:
    with pytest.raises(ImproperlyConfigured, match=f"^{name} is .*{value}.*must be"):
        settings_with(monkeypatch, tmp_path, **{name: value})
