"""Golden sets as files: JSON lines in and out, alone or in a ZIP; every fault is told with its line."""

from __future__ import annotations

import io
import lzma
import zipfile
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import rag
from console.evaluation.golden import GoldenRow
from console.values import is_usable_name

MAX_BYTES = 10 * 1024 * 1024
MAX_ROWS = 5_000
"""In a set, so that what is exported can be imported again."""
MAX_MEMBERS = 100
MAX_FAULTS = 100
"""Listed at once: who gets a hundred wrong mends the way the file is made, not line by line."""
MAX_NAME_CHARS = 200
MAX_KEY_CHARS = 80
READERS: dict[str, Callable[[Iterable[str]], Sequence[GoldenRow]]] = {
    "needles.jsonl": rag.read_needles,
    "multihop.jsonl": rag.read_multihop,
    "refusals.jsonl": rag.read_refusals,
}


@dataclass(frozen=True, slots=True)
class ImportFault:
    """What is wrong in one line of one file; line 0 is the file itself."""

    file: str
    line: int
    message: str


class ImportFaulty(Exception):
    """Nothing was imported; `faults` says why."""

    def __init__(self, faults: Sequence[ImportFault]) -> None:
        super().__init__(f"{len(faults)} faults")
        self.faults = tuple(faults)


def read_upload(files: Sequence[tuple[str, bytes]], *, max_question_chars: int) -> tuple[GoldenRow, ...]:
    """The rows of uploaded files, ZIPs unpacked.

    Raises:
        ImportFaulty: with the faults by file and line, at most `MAX_FAULTS` and a note that there are more.
    """
    if sum(len(content) for _, content in files) > MAX_BYTES:
        raise ImportFaulty([ImportFault("", 0, f"At most {MAX_BYTES >> 20} MiB are read at once.")])
    texts, faults = _texts(files)
    rows: list[tuple[str, int, GoldenRow]] = []
    for name, text in texts.items():
        for number, line in enumerate(text.split("\n"), start=1):
            if not line.strip():
                continue
            if len(faults) > MAX_FAULTS or len(rows) > MAX_ROWS:
                break
            try:
                [row] = READERS[name]([line])
            except rag.BadInput as error:
                # The reader was given one line, and says "line 1".
                faults.append(ImportFault(name, number, error.message.partition(": ")[2]))
            else:
                rows.append((name, number, row))
    faults += _row_faults(rows, max_question_chars)
    if not rows and not faults:
        faults.append(ImportFault(", ".join(texts), 0, "There is no question in it."))
    if faults:
        raise ImportFaulty(_listed(faults))
    return tuple(row for _, _, row in rows)


def _listed(faults: list[ImportFault]) -> list[ImportFault]:
    """By file and line, no more than a page can show."""
    more = [ImportFault("", 0, f"Only the first {MAX_FAULTS} faults are listed.")]
    listed = sorted(faults[:MAX_FAULTS], key=lambda fault: (fault.file, fault.line))
    return listed if len(faults) <= MAX_FAULTS else more + listed


def export_archive(golden: rag.GoldenSet) -> bytes:
    """A ZIP of the set's three files; imported again it gives the same set."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in rag.golden_files(golden).items():
            # A fixed time: the same set gives the same bytes.
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), text)
    return written.getvalue()


def _texts(files: Sequence[tuple[str, bytes]]) -> tuple[dict[str, str], list[ImportFault]]:
    """File name → text, in the order in which they are read, and what could not be."""
    found: dict[str, bytes] = {}
    faults: list[ImportFault] = []
    n_left = MAX_BYTES
    for name, content in files:
        is_archive = name.lower().endswith(".zip")
        members = _members(name, content, n_left, faults) if is_archive else {name: content}
        n_left -= sum(map(len, members.values()))
        for member, data in members.items():
            base = member.rsplit("/", 1)[-1]
            if base not in READERS:
                shown = member[:MAX_NAME_CHARS]
                faults.append(ImportFault(shown, 0, f"It is none of {', '.join(READERS)}."))
            elif base in found:
                shown = member[:MAX_NAME_CHARS]
                faults.append(ImportFault(shown, 0, f"There are two files named {base}."))
            else:
                found[base] = data
    texts: dict[str, str] = {}
    for base in READERS:
        if base not in found:
            continue
        try:
            texts[base] = found[base].decode("utf-8-sig")
        except UnicodeDecodeError:
            faults.append(ImportFault(base, 0, "It is not written in UTF-8."))
    return texts, faults


def _members(name: str, content: bytes, n_left: int, faults: list[ImportFault]) -> dict[str, bytes]:
    """The archive's files, together at most `n_left` bytes; none where it cannot be read whole."""
    members: dict[str, bytes] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            listed = [
                info
                for info in archive.infolist()
                if not info.is_dir() and not info.filename.startswith("__MACOSX/")
            ]
            if len(listed) > MAX_MEMBERS:
                faults.append(ImportFault(name, 0, f"It holds more than {MAX_MEMBERS} files."))
                return {}
            for info in listed:
                # Read at most one byte too many: what a bomb unpacks to is never held.
                with archive.open(info) as member:
                    read = member.read(max(n_left, 0) + 1)
                n_left -= len(read)
                if n_left < 0:
                    faults.append(ImportFault(name, 0, f"It unpacks to more than {MAX_BYTES >> 20} MiB."))
                    return {}
                members[info.filename] = read
    # A password and an unknown method are a RuntimeError and a NotImplementedError of zipfile; damaged bytes
    # are told by the method's own library, bzip2's as OSError.
    except (
        zipfile.BadZipFile,
        zlib.error,
        lzma.LZMAError,
        RuntimeError,
        NotImplementedError,
        EOFError,
        OSError,
        ValueError,
    ):
        faults.append(ImportFault(name, 0, "This ZIP is damaged, or needs a password."))
        return {}
    return members


def _row_faults(rows: Sequence[tuple[str, int, GoldenRow]], max_question_chars: int) -> list[ImportFault]:
    faults: list[ImportFault] = []
    if len(rows) > MAX_ROWS:
        return [ImportFault("", 0, f"These are too many questions; at most {MAX_ROWS}.")]
    lines: dict[str, str] = {}
    for name, number, row in rows:
        if row.id in lines:
            faults.append(ImportFault(name, number, f"The id {row.id} stands in {lines[row.id]} too."))
        lines.setdefault(row.id, f"{name}, line {number}")
        faults += [ImportFault(name, number, message) for message in faults_of_row(row, max_question_chars)]
        if len(faults) > MAX_FAULTS:
            break
    return faults


def faults_of_row(row: GoldenRow, max_question_chars: int) -> list[str]:
    """Why this row cannot be asked or stored; empty when it can."""
    faults = []
    if len(row.id) > MAX_KEY_CHARS or not is_usable_name(row.id):
        faults.append(f"An id has at most {MAX_KEY_CHARS} characters that can be seen.")
    asked = {"The question": row.question}
    if isinstance(row, rag.GoldenNeedle) and row.ticket.strip():
        asked["The other wording"] = row.ticket
    for what, text in asked.items():
        if not any(character.isalnum() for character in text):
            faults.append(f"{what} holds no word.")
        elif len(text) > max_question_chars:
            faults.append(f"{what} has {len(text)} characters; at most {max_question_chars} are read.")
    if isinstance(row, rag.GoldenRefusal) and row.kind not in rag.REFUSAL_KINDS:
        faults.append(f"{row.kind} is none of {', '.join(rag.REFUSAL_KINDS)}.")
    if isinstance(row, rag.GoldenMultihop) and len({place.needle for place in row.needles}) < 2:
        faults.append("It needs at least two different needles.")
    faults += [f"{what.capitalize()} is empty." for what in _needed(row) if not texts_of(row)[what].strip()]
    if any("\0" in text or _has_half_pair(text) for text in texts_of(row).values()):
        faults.append("It holds characters that cannot be stored.")
    return faults


def _needed(row: GoldenRow) -> list[str]:
    """Which of the row's texts its file must have, but for the question, which is looked at by itself."""
    optional = {"question", "ticket", "why"}
    return [what for what in texts_of(row) if what not in optional]


def texts_of(row: GoldenRow) -> Mapping[str, str]:
    """Every text of the row by what it is."""
    if isinstance(row, rag.GoldenRefusal):
        return {"question": row.question, "why": row.why}
    answers = {f"gold answer {at}": answer for at, answer in enumerate(row.answers, start=1)}
    if isinstance(row, rag.GoldenMultihop):
        places = {f"needle {at}": place.needle for at, place in enumerate(row.needles, start=1)}
        documents = {f"document {at}": place.document for at, place in enumerate(row.needles, start=1)}
        return {"question": row.question, **places, **documents, **answers}
    return {
        "question": row.question,
        "ticket": row.ticket,
        "needle": row.needle,
        "document": row.document,
        **answers,
    }


def _has_half_pair(text: str) -> bool:
    return any(0xD800 <= ord(character) <= 0xDFFF for character in text)
