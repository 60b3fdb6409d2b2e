"""SRT transcripts: what was said, in paragraphs with their times."""

from __future__ import annotations

from rag.extract.cues import read_transcript as read

__all__ = ["read"]
