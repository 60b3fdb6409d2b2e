"""Writes Outlook messages: an OLE compound file (MS-CFB, version 3) with the streams of MS-OXMSG."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

_SECTOR, _MINI, _CUTOFF = 512, 64, 4096
_FREE, _END, _FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD

Tree = dict[str, "bytes | Tree"]


@dataclass
class Item:
    """A message, recipient or attachment: properties of variable and of fixed size, and items inside it."""

    header: int
    texts: dict[int, str] = field(default_factory=dict)
    data: dict[int, bytes] = field(default_factory=dict)
    numbers: dict[int, int] = field(default_factory=dict)
    inside: Tree = field(default_factory=dict)
    encoding: str = "utf-16-le"

    def tree(self) -> Tree:
        kind = 0x001F if self.encoding == "utf-16-le" else 0x001E
        streams: Tree = {
            **{
                f"__substg1.0_{pid:04X}{kind:04X}": text.encode(self.encoding)
                for pid, text in self.texts.items()
            },
            **{f"__substg1.0_{pid:04X}0102": value for pid, value in self.data.items()},
        }
        entries = [
            *(struct.pack("<HHIQ", kind, pid, 6, len(text)) for pid, text in self.texts.items()),
            *(struct.pack("<HHIQ", 0x0102, pid, 6, len(value)) for pid, value in self.data.items()),
            *(struct.pack("<HHIQ", 0x0003, pid, 6, value) for pid, value in self.numbers.items()),
        ]
        streams["__properties_version1.0"] = bytes(self.header) + b"".join(entries)
        return {**streams, **self.inside}


def message(
    *, texts: dict[int, str], data: dict[int, bytes] | None = None, numbers: dict[int, int] | None = None,
    recipients: Sequence[tuple[str, str, int]] = (), attachments: Sequence[Tree] = (), encoding: str = "utf-16-le",
    header: int = 32,
) -> Tree:  # fmt: skip
    """A message's streams. Recipients are name, address and 1 (to) or 2 (cc)."""
    item = Item(header, texts, data or {}, numbers or {}, encoding=encoding)
    for at, (name, address, kind) in enumerate(recipients):
        person = Item(8, {0x3001: name, 0x39FE: address}, numbers={0x0C15: kind}, encoding=encoding)
        item.inside[f"__recip_version1.0_#{at:08X}"] = person.tree()
    for at, attachment in enumerate(attachments):
        item.inside[f"__attach_version1.0_#{at:08X}"] = attachment
    return item.tree()


def attachment(name: str, content: bytes, *, mime_type: str = "", content_id: str = "") -> Tree:
    texts = {0x3707: name, 0x370E: mime_type, 0x3712: content_id}
    shown = {pid: text for pid, text in texts.items() if text}
    return Item(8, shown, {0x3701: content}, {0x3705: 1}).tree()


def embedded(inner: Tree) -> Tree:
    """A message as an attachment; `inner` was made with ``header=24``."""
    return {**Item(8, {}, {}, {0x3705: 5}).tree(), "__substg1.0_3701000D": inner}


def compound_file(tree: Tree) -> bytes:
    """The tree as an OLE file: dictionaries are storages, bytes are streams."""
    entries: list[list[object]] = [["Root Entry", 5, _FREE, b""]]
    children: dict[int, list[int]] = {}

    def add(parent: int, inside: Tree) -> None:
        for name, value in inside.items():
            at = len(entries)
            entries.append([name, 2 if isinstance(value, bytes) else 1, _FREE, value])
            children.setdefault(parent, []).append(at)
            if isinstance(value, dict):
                add(at, value)

    add(0, tree)
    fat: list[int] = []
    sectors: list[bytes] = []
    mini = bytearray()
    mini_fat: list[int] = []

    def store(content: bytes) -> int:
        first = len(sectors)
        count = max(1, -(-len(content) // _SECTOR))
        for at in range(count):
            sectors.append(content[at * _SECTOR : (at + 1) * _SECTOR].ljust(_SECTOR, b"\0"))
            fat.append(first + at + 1 if at + 1 < count else _END)
        return first

    places: dict[int, tuple[int, int]] = {}
    for at, (_, kind, _, value) in enumerate(entries):
        if kind != 2 or not isinstance(value, bytes):
            continue
        if len(value) >= _CUTOFF:
            places[at] = (store(value), len(value))
        elif value:
            first = len(mini_fat)
            count = -(-len(value) // _MINI)
            mini_fat += [first + step + 1 if step + 1 < count else _END for step in range(count)]
            mini += value.ljust(count * _MINI, b"\0")
            places[at] = (first, len(value))
        else:
            places[at] = (_END, 0)
    places[0] = (store(bytes(mini)), len(mini))
    mini_start = store(struct.pack(f"<{len(mini_fat)}I", *mini_fat).ljust(_SECTOR, b"\xff"))
    n_mini = -(-max(1, len(mini_fat)) * 4 // _SECTOR)
    directory = b"".join(_entry(at, entries, children, places) for at in range(len(entries)))
    directory += _empty_entry() * (-len(entries) % 4)
    directory_start = store(directory)
    n_fat = 1
    while n_fat * _SECTOR // 4 < len(fat) + n_fat:
        n_fat += 1
    fat_start = len(sectors)
    fat += [_FAT] * n_fat
    fat += [_FREE] * (n_fat * _SECTOR // 4 - len(fat))
    sectors.append(struct.pack(f"<{len(fat)}I", *fat))
    difat = [fat_start + at for at in range(n_fat)] + [_FREE] * (109 - n_fat)
    header = struct.pack(
        "<8s16sHHHHH6xIIIIIIIII109I", bytes.fromhex("d0cf11e0a1b11ae1"), b"", 0x3E, 3, 0xFFFE, 9, 6, 0, n_fat,
        directory_start, 0, _CUTOFF, mini_start, n_mini, _END, 0, *difat,
    )  # fmt: skip
    return header + b"".join(sectors)


def _entry(
    at: int, entries: list[list[object]], children: dict[int, list[int]], places: dict[int, tuple[int, int]]
) -> bytes:
    name, kind, _, _ = entries[at]
    # Each storage's entries hang to the right of one another: a tree without balance, which readers accept.
    siblings = next((inside for inside in children.values() if at in inside), [])
    ordered = sorted(siblings, key=lambda each: (len(str(entries[each][0])), str(entries[each][0]).upper()))
    right = (
        ordered[ordered.index(at) + 1] if at in ordered and ordered.index(at) + 1 < len(ordered) else _FREE
    )
    inside = sorted(
        children.get(at, []), key=lambda each: (len(str(entries[each][0])), str(entries[each][0]).upper())
    )
    start, size = places.get(at, (0, 0))
    encoded = str(name).encode("utf-16-le") + b"\0\0"
    return struct.pack(
        "<64sHBBIII16sIQQIQ", encoded, len(encoded), kind, 1, _FREE, right, inside[0] if inside else _FREE, b"", 0, 0,
        0, start, size,
    )  # fmt: skip


def _empty_entry() -> bytes:
    return struct.pack("<64sHBBIII16sIQQIQ", b"", 0, 0, 0, _FREE, _FREE, _FREE, b"", 0, 0, 0, 0, 0)
