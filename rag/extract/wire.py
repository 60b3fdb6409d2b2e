"""How an extraction leaves the sub-process: JSON, checked on the way in.

A result is one line of JSON and then the attachments' bytes one after another. The child is not
trusted: it parsed a stranger's file. Pickle would let it run code here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TypeVar, get_args

from rag.config import ExtractionLimits
from rag.errors import (
    DamagedDocument,
    DocumentError,
    EmptyDocument,
    EncryptedDocument,
    ExtractorCrashed,
    NoText,
    ResourceLimit,
    UnsupportedFormat,
)
from rag.types import (
    Attachment,
    BlockKind,
    Coverage,
    CoverageUnit,
    Extraction,
    ExtractionWarning,
    Locator,
    Span,
)

_T = TypeVar("_T")
_ERRORS: dict[str, type[DocumentError]] = {
    kind.code: kind
    for kind in (
        DamagedDocument,
        EmptyDocument,
        EncryptedDocument,
        ExtractorCrashed,
        NoText,
        ResourceLimit,
        UnsupportedFormat,
    )
}
_UNITS: dict[str, CoverageUnit] = {unit: unit for unit in get_args(CoverageUnit)}
_KINDS: dict[str, BlockKind] = {kind: kind for kind in get_args(BlockKind)}


def encode_request(path: str, filename: str, limits: ExtractionLimits) -> bytes:
    """The job for the child."""
    return json.dumps({"path": path, "filename": filename, "limits": asdict(limits)}).encode()


def decode_request(data: bytes) -> tuple[str, str, ExtractionLimits]:
    """Path, file name and limits."""
    job = json.loads(data)
    limits = job["limits"]
    if limits["pages"] is not None:
        limits["pages"] = tuple(limits["pages"])
    return str(job["path"]), str(job["filename"]), ExtractionLimits(**limits)


def encode_error(error: DocumentError) -> bytes:
    """A reason why there is no text."""
    reason = {
        "code": error.code,
        "message": error.message,
        "next_step": error.next_step,
        "extractor": error.extractor,
    }
    return json.dumps({"error": reason}).encode()


def encode_extraction(extraction: Extraction) -> bytes:
    """The extraction; a header row repeated by thousands of rows is written once."""
    headers: dict[str, int] = {}
    spans = []
    for span in extraction.spans:
        header = None if span.table_header is None else headers.setdefault(span.table_header, len(headers))
        spans.append([span.start, span.end, span.kind, header, span.locator.as_json()])
    coverage = extraction.coverage
    result = {
        "title": extraction.title,
        "text": extraction.text,
        "spans": spans,
        "headers": list(headers),
        "format": extraction.format,
        "extractor": extraction.extractor,
        "coverage": [coverage.unit, coverage.read, coverage.total, list(coverage.missing)],
        "is_partial": extraction.is_partial,
        "encoding": extraction.encoding,
        "ocr_confidence": extraction.ocr_confidence,
        "page_confidence": [list(page) for page in extraction.page_confidence],
        "warnings": [
            [warning.code, warning.message, warning.count, list(warning.pages)]
            for warning in extraction.warnings
        ],
        "attachments": [[file.name, len(file.content)] for file in extraction.attachments],
    }
    line = json.dumps({"extraction": result}, ensure_ascii=False).encode()
    return b"\n".join([line, b"".join(file.content for file in extraction.attachments)])


def dump_extraction(extraction: Extraction) -> bytes:
    """An extraction as it is kept: JSON, without its attachments."""
    return encode_extraction(replace(extraction, attachments=()))


def load_extraction(data: bytes) -> Extraction:
    """What `dump_extraction` made.

    Raises:
        ExtractorCrashed: it is something else, or damaged.
    """
    return decode_result(data)


def decode_result(data: bytes) -> Extraction:
    """What the child found.

    Raises:
        DocumentError: the child's own reason, or `ExtractorCrashed` when its answer makes no sense.
    """
    line, _, files = data.partition(b"\n")
    try:
        answer = _typed(json.loads(line), dict)
        found = (
            _error(_typed(answer["error"], dict))
            if "error" in answer
            else _extraction(_typed(answer["extraction"], dict), files)
        )
    except (ValueError, TypeError, KeyError, IndexError) as exc:
        raise ExtractorCrashed("The extraction process gave an answer that makes no sense.") from exc
    if isinstance(found, DocumentError):
        raise found
    return found


def _error(error: Mapping[str, object]) -> DocumentError:
    kind = _ERRORS[_typed(error["code"], str)]
    found = kind(_typed(error["message"], str), next_step=_typed(error["next_step"], str))
    found.extractor = _typed(error["extractor"], str)
    return found


def _extraction(result: Mapping[str, object], files: bytes) -> Extraction:
    text = _typed(result["text"], str)
    headers = [_typed(header, str) for header in _typed(result["headers"], list)]
    spans = tuple(_span(_typed(span, list), headers) for span in _typed(result["spans"], list))
    position = 0
    for span in spans:
        if not position <= span.start < span.end <= len(text):
            raise ValueError("spans overlap or leave the text")
        position = span.end
    unit, read, total, missing = _typed(result["coverage"], list)
    return Extraction(
        title=_typed(result["title"], str),
        text=text,
        spans=spans,
        format=_typed(result["format"], str),
        extractor=_typed(result["extractor"], str),
        coverage=Coverage(
            _UNITS[_typed(unit, str)],
            _typed(read, int),
            _typed(total, int),
            tuple(_typed(name, str) for name in _typed(missing, list)),
        ),
        is_partial=_typed(result["is_partial"], bool),
        encoding=_optional(result["encoding"], str),
        ocr_confidence=_optional(result["ocr_confidence"], float),
        page_confidence=tuple(
            (_typed(page, int), _typed(score, float))
            for page, score in _typed(result["page_confidence"], list)
        ),
        warnings=tuple(
            ExtractionWarning(
                _typed(code, str),
                _typed(message, str),
                _optional(count, int),
                tuple(_typed(page, int) for page in _typed(pages, list)),
            )
            for code, message, count, pages in _typed(result["warnings"], list)
        ),
        attachments=_attachments(_typed(result["attachments"], list), files),
    )


def _attachments(entries: Sequence[Sequence[object]], files: bytes) -> tuple[Attachment, ...]:
    attachments = []
    position = 0
    for name, size in entries:
        end = position + _typed(size, int)
        if not position <= end <= len(files):
            raise ValueError("an attachment is longer than the answer")
        attachments.append(Attachment(_typed(name, str), files[position:end]))
        position = end
    return tuple(attachments)


def _span(values: Sequence[object], headers: Sequence[str]) -> Span:
    start, end, kind, header, place = values
    locator = Locator.from_json(_typed(place, dict))
    table_header = None if header is None else headers[_typed(header, int)]
    return Span(_typed(start, int), _typed(end, int), _KINDS[_typed(kind, str)], locator, table_header)


def _typed(value: object, kind: type[_T]) -> _T:
    if not isinstance(value, kind):
        raise TypeError(f"expected {kind.__name__}")
    return value


def _optional(value: object, kind: type[_T]) -> _T | None:
    return None if value is None else _typed(value, kind)
