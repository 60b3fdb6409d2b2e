"""Files to canonical text: one reader a format, run in a sub-process with limits.

Importing this package loads no format library; each reader imports its own when it runs, and it
runs in the sub-process only.
"""

from __future__ import annotations

from pathlib import Path

from rag.config import ExtractionLimits
from rag.extract.formats import current_extractors, supported_suffixes
from rag.extract.sandbox import extract_in_sandbox
from rag.extract.wire import dump_extraction, load_extraction
from rag.types import Extraction

__all__ = ["current_extractors", "dump_extraction", "extract_file", "load_extraction", "supported_suffixes"]

_DEFAULT_LIMITS = ExtractionLimits()


def extract_file(path: Path, *, filename: str, limits: ExtractionLimits = _DEFAULT_LIMITS) -> Extraction:
    """The canonical text of a file, with where each block of it stood.

    The bytes decide the format; the ending of `filename` only chooses among Markdown, CSV and
    plain text. Blocks for up to `limits.time_s` seconds; safe to call from any thread.

    Args:
        path: where the bytes are stored.
        filename: the name the uploader gave; it names the document where nothing better does.
        limits: what this file may cost.

    Raises:
        EmptyDocument: the file has no bytes.
        UnsupportedFormat: no reader for this content, or the name and the content disagree.
        EncryptedDocument: a password is needed.
        DamagedDocument: the structure is broken.
        NoText: it opened, but holds no text, also not in its pictures.
        ResourceLimit: a limit was passed.
        ExtractorCrashed: the sub-process ended without a result.
    """
    return extract_in_sandbox(path, filename=filename, limits=limits)
