from __future__ import annotations

import contextlib
import struct
from typing import Any

import pytest
from extraction_checks import blocks, codes
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from outlook_file import attachment, compound_file, embedded, message

from rag.errors import DamagedDocument, DocumentError, EncryptedDocument
from rag.extract.rtf_packed import unpack_rtf

HTML = (
    "<html><body><h1>Rates</h1><p>Oslo costs <b>120</b>.</p><p style='display:none'>Preview</p></body></html>"
)
TEXTS = {0x001A: "IPM.Note", 0x0037: "Résumé", 0x0C1A: "Ada Byron", 0x5D01: "ada@example.org"}
RECIPIENTS = [("Bob", "bob@example.org", 1), ("Cy", "/o=Exchange/cn=Cy", 2)]


def test_an_outlook_message(read: Any) -> None:
    inner = message(
        texts={0x0037: "Old / new", 0x1000: "Inner text."},
        header=24,
        attachments=[attachment("d.txt", b"deep")],
    )
    made = message(
        texts={**TEXTS, 0x1000: "Hotels cost 90.\r\n\r\nBye."},
        recipients=RECIPIENTS,
        attachments=[attachment("rates.csv", b"a,b"), attachment("big.bin", b"x" * 9_000), embedded(inner)],
    )
    extraction = read(compound_file(made), "a.msg")
    assert (extraction.format, extraction.title) == ("msg", "Résumé")
    assert blocks(extraction) == [
        "From: Ada Byron <ada@example.org>\nTo: Bob <bob@example.org>\nCc: Cy\nSubject: Résumé",
        "Hotels cost 90.",
        "Bye.",
    ]
    assert [(file.name, len(file.content)) for file in extraction.attachments[:2]] == [
        ("rates.csv", 3),
        ("big.bin", 9000),
    ]
    forwarded = read(extraction.attachments[2].content, extraction.attachments[2].name)
    assert (forwarded.format, blocks(forwarded)[-1]) == ("eml", "Inner text.")
    assert forwarded.attachments[0].content == b"deep"


@pytest.mark.parametrize(
    ("code_page", "codec", "text"),
    [
        (1252, "cp1252", "“Hôtel”"),
        (950, "cp950", "旅館費用"),
        (65001, "utf-8", "Zażółć"),
        (99999, "cp1252", "Le café est à Noël"),
    ],
)
def test_outlook_strings_that_are_not_unicode(read: Any, code_page: int, codec: str, text: str) -> None:
    made = message(texts={0x0037: "Rates", 0x1000: text}, numbers={0x3FDE: code_page}, encoding=codec)
    assert blocks(read(compound_file(made), "a.msg"))[1:] == [text]


def test_an_outlook_page_and_its_pictures(read: Any) -> None:
    page = HTML.replace("</body>", '<img src="cid:logo"></body>')
    made = message(
        texts={**TEXTS, 0x1000: "Rates Oslo costs 120."},
        data={0x1013: page.encode()},
        attachments=[attachment("logo.png", b"\x89PNG", mime_type="image/png", content_id="logo")],
    )
    extraction = read(compound_file(made), "a.msg")
    assert blocks(extraction)[1:] == ["Rates", "Oslo costs 120."]
    assert extraction.attachments == ()
    assert codes(extraction) == ["pictures_left_out", "hidden_text_dropped"]


def test_an_outlook_message_of_rtf_alone(read: Any) -> None:
    rtf = rb"{\rtf1\ansi Hotels cost \b 90\b0 .\par Bye.}"
    packed = struct.pack("<IIII", len(rtf) + 12, len(rtf), 0x414C454D, 0) + rtf
    extraction = read(compound_file(message(texts=TEXTS, data={0x1009: packed})), "a.msg")
    assert "Hotels cost 90." in extraction.text
    assert "Bye." in extraction.text


def test_packed_rtf_as_in_the_specification() -> None:
    packed = bytes.fromhex(
        "2d0000002b0000004c5a4675f1c5c7a703000a00726370673132354232 0af32068656c090020 6277 05b06c647d0a800fa0".replace(
            " ", ""
        )
    )
    assert unpack_rtf(packed, max_bytes=1_000) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
    assert unpack_rtf(packed, max_bytes=10) is None
    assert unpack_rtf(packed[:30], max_bytes=1_000) is None


@pytest.mark.parametrize(
    ("kind", "name"),
    [("IPM.Note.SMIME", "smime.p7m"), ("IPM.Note", "message.rpmsg")],
    ids=["smime", "rights"],
)
def test_sealed_outlook_messages(read: Any, kind: str, name: str) -> None:
    made = message(texts={**TEXTS, 0x001A: kind}, attachments=[attachment(name, b"0")])
    with pytest.raises(EncryptedDocument):
        read(compound_file(made), "a.msg")


def test_a_signed_outlook_message_is_kept_as_mime(read: Any) -> None:
    made = message(
        texts={**TEXTS, 0x001A: "IPM.Note.SMIME.MultipartSigned"},
        attachments=[attachment("smime.p7m", b"Subject: x\n\ny")],
    )
    assert [file.name for file in read(compound_file(made), "a.msg").attachments] == ["message.eml"]


def test_a_broken_outlook_message(read: Any) -> None:
    data = compound_file(message(texts=TEXTS))
    with pytest.raises(DamagedDocument):
        read(data[:1_024] + "__properties_version1.0".encode("utf-16-le"), "a.msg")


OUTLOOK_FILE = compound_file(
    message(
        texts={**TEXTS, 0x1000: "Hotels cost 90."},
        recipients=RECIPIENTS,
        attachments=[attachment("a.csv", b"a,b")],
    )
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, len(OUTLOOK_FILE) - 1), st.integers(0, 255)), min_size=1, max_size=30)
)
def test_any_damage_to_an_outlook_message_has_a_reason(read: Any, changes: list[tuple[int, int]]) -> None:
    data = bytearray(OUTLOOK_FILE)
    for at, byte in changes:
        data[at] = byte
    with contextlib.suppress(DocumentError):
        read(bytes(data), "a.msg")
