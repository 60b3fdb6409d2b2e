"""What runs in the sub-process: a job on stdin, an extraction or a reason in a file.

Exit status 0 means that the file holds one of the two. Anything else is a crash.
"""

from __future__ import annotations

import sys
import traceback
from pathlib import Path

from rag.config import ExtractionLimits
from rag.errors import DocumentError, ResourceLimit
from rag.extract.registry import extract_in_process
from rag.extract.wire import decode_request, encode_error, encode_extraction

_MIB = 1024 * 1024
_MAX_RESULT_BYTES = 1024 * _MIB


def main(result: Path) -> int:
    """Read one file under limits; 0 when `result` was written."""
    path, filename, limits = decode_request(sys.stdin.buffer.read())
    _limit_self(limits)
    try:
        answer = encode_extraction(extract_in_process(Path(path), filename=filename, limits=limits))
    except DocumentError as error:
        # What a library said helps whoever reads the log; the reason itself is enough for people.
        traceback.print_exc()
        answer = encode_error(error)
    except MemoryError:
        answer = encode_error(
            ResourceLimit(f"Reading the file needs more than {limits.memory_mib:,} MiB of memory.")
        )
    except RecursionError:
        answer = encode_error(ResourceLimit("The file is nested too deeply."))
    result.write_bytes(answer)
    return 0


def _limit_self(limits: ExtractionLimits) -> None:
    """Bound address space, CPU time, file size and core dumps, where the system can."""
    try:
        import resource
    except ImportError:
        return
    # CPU time ends a child whose parent died: two threads can use twice the wall time.
    cpu_s = int(2 * limits.time_s) + 10
    for what, wanted in (
        (resource.RLIMIT_AS, limits.memory_mib * _MIB),
        (resource.RLIMIT_CPU, cpu_s),
        (resource.RLIMIT_FSIZE, _MAX_RESULT_BYTES),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(what)
        bound = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        try:
            resource.setrlimit(what, (bound, bound))
        except (OSError, ValueError):  # macOS refuses an address space limit
            traceback.print_exc()
