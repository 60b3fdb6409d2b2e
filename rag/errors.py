"""Errors of the RAG core.

    RagError(code, retryable)
    ├── BadInput                 the input can never work as it is; never retried
    │   ├── EmptyQuestion        empty_question
    │   ├── QuestionTooLong      question_too_long
    │   └── DocumentError        a file that gives no usable text
    │       ├── UnsupportedFormat  unsupported_format
    │       ├── DamagedDocument    damaged
    │       ├── EncryptedDocument  encrypted
    │       ├── EmptyDocument      empty_file
    │       ├── NoText             no_text
    │       ├── ResourceLimit      resource_limit (memory, time, pages or size)
    │       └── ExtractorCrashed   extractor_crashed
    ├── NotReady                 an operator has to do something first
    │   ├── IndexMissing         index_missing
    │   ├── IndexMismatch        index_mismatch (vectors of two models never meet)
    │   ├── ModelMissing         model_missing
    │   ├── ModelFailed          model_failed (a model on this machine broke, or gave what is no answer)
    │   ├── ModelRefused         model_refused (key, name or size of the request)
    │   └── VectorsNotUnit       vectors_not_unit
    └── Unavailable              may heal by itself; alone retryable
        ├── StoreDown            store_down
        ├── StoreLocked          store_locked
        ├── ModelDown            model_down
        ├── ModelTimeout         model_timeout
        └── RateLimited          rate_limited, with retry_after_s

"No evidence" is a result (`rag.Refused`), not an error. Exceptions of libraries are
wrapped where they enter, with ``raise … from exc``. `message` and `next_step` are written
for an administrator and hold no exception text of a library.
"""

from __future__ import annotations

from typing import ClassVar


class RagError(Exception):
    """Root of the tree. `code` is stable and machine readable."""

    code: ClassVar[str] = "rag_error"
    retryable: ClassVar[bool] = False
    default_next_step: ClassVar[str] = ""

    def __init__(self, message: str, *, next_step: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step or self.default_next_step


class BadInput(RagError):
    """The input can never work as it is."""

    code = "bad_input"


class EmptyQuestion(BadInput):
    """The question holds no word."""

    code = "empty_question"
    default_next_step = "Ask a question in words."


class QuestionTooLong(BadInput):
    """The question is longer than the configured limit."""

    code = "question_too_long"
    default_next_step = "Shorten the question to what you want to know."


class DocumentError(BadInput):
    """A file that gives no usable text. `extractor` says which one gave up, e.g. ``pdf/2``, where it came that far."""

    code = "document_error"
    extractor = ""


class UnsupportedFormat(DocumentError):
    """No extractor reads this kind of file."""

    code = "unsupported_format"
    default_next_step = (
        "Save it as PDF, as an Office or OpenDocument file, HTML, Markdown or text, and upload that copy."
    )


class DamagedDocument(DocumentError):
    """The file's own structure is broken."""

    code = "damaged"
    default_next_step = "Open the file where it came from, save it again and upload that copy."


class EncryptedDocument(DocumentError):
    """The file cannot be opened without a password."""

    code = "encrypted"
    default_next_step = "Remove the password and upload the file again."


class EmptyDocument(DocumentError):
    """The file has no bytes."""

    code = "empty_file"
    default_next_step = "Upload the file again; this copy has no content."


class NoText(DocumentError):
    """The file opened, but no text was found in it."""

    code = "no_text"
    default_next_step = "Upload a version with selectable text or a sharper scan."


class ResourceLimit(DocumentError):
    """Extraction passed a limit on memory, time, pages or decompressed size."""

    code = "resource_limit"
    default_next_step = "Split the file into smaller ones, or raise the limit and retry."


class ExtractorCrashed(DocumentError):
    """The extraction process ended without a result."""

    code = "extractor_crashed"
    default_next_step = "Retry once; if it fails again, save the file anew and upload that copy."


class NotReady(RagError):
    """An operator has to do something first."""

    code = "not_ready"


class IndexMissing(NotReady):
    """The collection does not exist."""

    code = "index_missing"
    default_next_step = "Run `manage.py doctor`; the index has to be built first."


class IndexMismatch(NotReady):
    """The collection was made by another model or pipeline."""

    code = "index_mismatch"
    default_next_step = "Use the model the index was built with, or build a new index version."


class ModelMissing(NotReady):
    """The model's weights are not on this machine."""

    code = "model_missing"
    default_next_step = "Install the model's package or give the path of its folder."


class ModelFailed(NotReady):
    """A model on this machine broke while it worked, or gave what is no answer; it will do so again."""

    code = "model_failed"
    default_next_step = "See the log; install the model again, or configure another one."


class ModelRefused(NotReady):
    """A language model does not take our requests as they are; asking again changes nothing."""

    code = "model_refused"
    default_next_step = "Check the model's address, name, API key and context size in the configuration."


class VectorsNotUnit(NotReady):
    """A model gave vectors whose length is not 1, so a distance cut means nothing."""

    code = "vectors_not_unit"
    default_next_step = "Use a model whose pipeline ends with normalisation."


class Unavailable(RagError):
    """Something outside is down; it may heal by itself."""

    code = "unavailable"
    retryable = True


class StoreDown(Unavailable):
    """The vector store cannot be reached."""

    code = "store_down"
    default_next_step = "Check that Qdrant runs and that QDRANT_URL points to it."


class StoreLocked(Unavailable):
    """Another process owns the embedded vector folder."""

    code = "store_locked"
    default_next_step = "One process owns the embedded index: stop the other one first."


class ModelDown(Unavailable):
    """A remote language model cannot be reached, failed, or answered with what is no answer."""

    code = "model_down"
    default_next_step = "Check that the model's server runs and that its address is right."


class ModelTimeout(Unavailable):
    """A model did not answer within its time limit."""

    code = "model_timeout"


class RateLimited(Unavailable):
    """A remote model asked to wait."""

    code = "rate_limited"

    def __init__(self, message: str, *, next_step: str = "", retry_after_s: float = 1.0) -> None:
        super().__init__(message, next_step=next_step)
        self.retry_after_s = retry_after_s
