from __future__ import annotations

import base64
from email.message import EmailMessage
from typing import Any

import pytest
from extraction_checks import blocks, codes
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag.config import ExtractionLimits
from rag.errors import EncryptedDocument, ResourceLimit

HEADER = "From: Ada Byron <ada@example.org>\nTo: bob@example.org\nSubject: {}\nMIME-Version: 1.0\n"
HTML = (
    "<html><body><h1>Rates</h1><p>Oslo costs <b>120</b>.</p><p style='display:none'>Preview</p></body></html>"
)


def mail(**headers: str) -> EmailMessage:
    made = EmailMessage()
    for name, value in {
        "From": "Ada <ada@example.org>",
        "To": "bob@example.org",
        "Subject": "Rates",
        **headers,
    }.items():
        made[name] = value
    return made


def test_header_text_and_title(read: Any) -> None:
    made = mail(Cc="Åse Øst <ase@example.org>", Date="Tue, 01 Oct 2024 12:34:56 +0200", Subject="Überblick")
    made.set_content("Dear Bob,\n\nHotels cost 90 euros.\n")
    extraction = read(made.as_bytes(), "message.eml")
    assert (extraction.format, extraction.title) == ("eml", "Überblick")
    header, *body = blocks(extraction)
    assert header.split("\n") == [
        "From: Ada <ada@example.org>",
        "To: bob@example.org",
        "Cc: Åse Øst <ase@example.org>",
        "Date: Tue, 01 Oct 2024 12:34:56 +0200",
        "Subject: Überblick",
    ]
    assert body == ["Dear Bob,", "Hotels cost 90 euros."]
    assert not extraction.is_partial


@pytest.mark.parametrize("encoding", ["quoted-printable", "base64", "8bit"])
@pytest.mark.parametrize(
    ("charset", "text"),
    [
        ("iso-8859-1", "Hôtel à Noël"),
        ("koi8-r", "Стоимость гостиницы"),
        ("gb2312", "酒店费用"),
        ("utf-8", "ホテル"),
    ],
)
def test_transfer_encodings_and_charsets(read: Any, encoding: str, charset: str, text: str) -> None:
    made = mail()
    made.set_content(text, charset=charset, cte=encoding)
    assert blocks(read(made.as_bytes(), "a.eml"))[1:] == [text]


def test_raw_bytes_in_a_header_are_guessed(read: Any) -> None:
    data = HEADER.format("Hôtel à Noël").encode("latin-1") + b"\nText"
    assert read(data, "a.eml").title == "Hôtel à Noël"


@pytest.mark.parametrize(
    ("declared", "true"),
    [("us-ascii", "utf-8"), ("us-ascii", "latin-1"), ("iso-8859-1", "utf-8"), ("x-none", "utf-8")],
)
def test_a_wrong_charset_does_not_garble(read: Any, declared: str, true: str) -> None:
    data = HEADER.format("Rates") + f"Content-Type: text/plain; charset={declared}\n\nLe café à Noël"
    assert blocks(read(data.encode(true), "a.eml"))[1:] == ["Le café à Noël"]


def test_the_page_is_read_and_its_plain_copy_is_not_repeated(read: Any) -> None:
    made = mail()
    made.set_content("Rates\n\nOslo costs 120.")
    made.add_alternative(HTML, subtype="html")
    extraction = read(made.as_bytes(), "a.eml")
    assert blocks(extraction)[1:] == ["Rates", "Oslo costs 120."]
    assert extraction.spans[-1].locator.heading_path == ("Rates",)
    assert codes(extraction) == ["hidden_text_dropped"]


def test_a_page_that_only_points_elsewhere_hides_no_plain_text(read: Any) -> None:
    made = mail()
    made.set_content("Plain version: the code of the gate is 8812.\n")
    made.add_alternative("<html><body><p>View this in a browser, please.</p></body></html>", subtype="html")
    assert blocks(read(made.as_bytes(), "a.eml"))[1:] == [
        "View this in a browser, please.",
        "Plain version: the code of the gate is 8812.",
    ]


def test_a_plain_copy_with_addresses_is_not_repeated(read: Any) -> None:
    made = mail()
    made.set_content("Read the rates <https://example.org/a/very/long/way/to/go?with=words&of=its+own>.\n")
    made.add_alternative("<html><body><p>Read the <a href='x'>rates</a>.</p></body></html>", subtype="html")
    assert blocks(read(made.as_bytes(), "a.eml"))[1:] == ["Read the rates."]


def test_a_text_in_doubt_and_a_garbled_one_are_told(read: Any) -> None:
    plain = "Content-Type: text/plain\n\n"
    data = (HEADER.format("x") + plain).encode()
    assert codes(read(data + "办公时间九点开始".encode("gb18030"), "a.eml")) == ["encoding_doubtful"]
    garbled = read(data + "caf\ufffd ".encode() * 20, "a.eml")
    assert (codes(garbled), garbled.is_partial) == (["undecodable_characters"], True)


def test_a_message_of_endless_parts_is_refused_at_once(read: Any) -> None:
    data = (
        HEADER.format("x").encode() + b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * 2_001
    )
    with pytest.raises(ResourceLimit, match="parts"):
        read(data, "a.eml")


def test_plain_text_stands_in_for_a_page_without_words(read: Any) -> None:
    made = mail()
    made.set_content("Only here.")
    made.add_alternative("<html><body><img src='x'></body></html>", subtype="html")
    assert blocks(read(made.as_bytes(), "a.eml"))[1:] == ["Only here."]


def test_flowed_text_is_joined(read: Any) -> None:
    data = (
        HEADER.format("Rates").encode()
        + b"Content-Type: text/plain; format=flowed\n\nHotels \ncost 90.\n\n-- \nAda\n"
    )
    assert blocks(read(data, "a.eml"))[1] == "Hotels cost 90."


def test_attachments(read: Any) -> None:
    inner = mail(Subject="Old/new rates")
    inner.set_content("Before.")
    made = mail()
    made.set_content("See the files.")
    made.add_attachment(b"a,b\n1,2", maintype="text", subtype="csv", filename="..\\secret/rätes.csv")
    made.add_attachment(b"%PDF-1.7", maintype="application", subtype="pdf")
    made.add_attachment(inner)
    made.add_attachment(b"\x89PNG", maintype="image", subtype="png", disposition="inline", cid="<logo>")
    made.add_attachment("BEGIN:VCALENDAR", subtype="calendar", filename="invite.ics")
    extraction = read(made.as_bytes(), "a.eml")
    assert [file.name for file in extraction.attachments] == [
        "rätes.csv",
        "attachment 2.pdf",
        "Old-new rates.eml",
    ]
    assert extraction.attachments[0].content == b"a,b\n1,2"
    assert read(extraction.attachments[2].content, "Old-new rates.eml").title == "Old/new rates"
    assert codes(extraction) == ["pictures_left_out", "invitations_left_out"]
    assert not extraction.is_partial


def test_attachments_are_bounded(read: Any) -> None:
    made = mail()
    made.set_content("See the files.")
    for name in ("a.bin", "b.bin"):
        made.add_attachment(b"x" * 700_000, maintype="application", subtype="octet-stream", filename=name)
    extraction = read(made.as_bytes(), "a.eml", ExtractionLimits(max_attachment_mib=1))
    assert [file.name for file in extraction.attachments] == ["a.bin"]
    assert extraction.is_partial
    assert [(warning.code, warning.count) for warning in extraction.warnings] == [
        ("attachments_over_limit", 1)
    ]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ('multipart/encrypted; protocol="application/pgp-encrypted"; boundary=b\n\n--b\n\nx\n--b--\n', "PGP"),
        ("application/pkcs7-mime; smime-type=enveloped-data\n\nMIIB", "encrypted with S/MIME"),
        ("application/pkcs7-mime; smime-type=signed-data\n\nMIIB", "S/MIME signature"),
        ("text/plain\n\n-----BEGIN PGP MESSAGE-----\n\nhQEM\n-----END PGP MESSAGE-----\n", "PGP"),
    ],
)
def test_sealed_messages(read: Any, content: str, says: str) -> None:
    with pytest.raises(EncryptedDocument, match=says) as caught:
        read(f"{HEADER.format('Secret')}Content-Type: {content}".encode(), "a.eml")
    assert "mail program" in caught.value.next_step


def test_a_signed_message_that_can_be_read_is_read(read: Any) -> None:
    data = HEADER.format("Rates") + (
        'Content-Type: multipart/signed; protocol="application/pgp-signature"; boundary=b\n\n'
        "--b\nContent-Type: text/plain\n\nHotels cost 90.\n"
        "--b\nContent-Type: application/pgp-signature; name=signature.asc\n\niQEz\n--b--\n"
    )
    extraction = read(data.encode(), "a.eml")
    assert blocks(extraction)[1:] == ["Hotels cost 90."]
    assert (extraction.attachments, extraction.warnings) == ((), ())


def test_text_signed_in_place_is_read_without_its_armour(read: Any) -> None:
    signed = (
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\nHotels cost 90.\n\nBye.\n"
        "-----BEGIN PGP SIGNATURE-----\n\niQEz\n-----END PGP SIGNATURE-----\n"
    )
    data = f"{HEADER.format('Rates')}\n{signed}"
    assert blocks(read(data.encode(), "a.eml"))[1:] == ["Hotels cost 90.", "Bye."]


def test_a_message_that_was_cut_off_is_partial(read: Any) -> None:
    made = mail()
    made.set_content("See the file.")
    made.add_attachment(bytes(range(256)) * 40, maintype="application", subtype="pdf", filename="a.pdf")
    extraction = read(made.as_bytes()[:-5_001], "a.eml")
    assert extraction.is_partial
    assert codes(extraction) == ["cut_off"]


def test_a_message_without_text_says_so(read: Any) -> None:
    made = mail()
    made.add_attachment(b"%PDF-1.7", maintype="application", subtype="pdf", filename="a.pdf")
    assert codes(read(made.as_bytes(), "a.eml")) == ["no_message_text"]


def test_a_web_archive_is_its_page(read: Any) -> None:
    words = "Hotels cost at most 90 euros a night. " * 3
    main = f"<nav>Menu</nav><main><h1 id=x>Rules</h1><p>{words}</p></main>"
    data = (
        "From: <Saved by Blink>\nSnapshot-Content-Location: https://example.org/rules\nSubject: Rules\n"
        'MIME-Version: 1.0\nContent-Type: multipart/related; type="text/html"; boundary=b\n\n'
        f"--b\nContent-Type: text/html\n\n<html><head><title>Travel rules</title></head><body>{main}</body></html>\n"
        "--b\nContent-Type: text/css\n\np {color: red}\n--b--\n"
    )
    extraction = read(data.encode(), "page")
    assert (extraction.title, extraction.attachments) == ("Travel rules", ())
    assert blocks(extraction)[0] == "Rules"
    assert "Menu" not in extraction.text
    assert "Saved by" not in extraction.text
    assert extraction.spans[-1].locator.anchor == "x"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(st.text(alphabet='abc:;="/?@<>-_, \n\t\u00e9', max_size=120), st.text(alphabet="-b\n :", max_size=40))
def test_any_header_and_boundary_gives_sound_spans(read: Any, header: str, body: str) -> None:
    data = f"{HEADER.format('x')}Content-Type: multipart/mixed; boundary=b\nX-{header}\n\n--b\n{body}"
    read(data.encode(), "a.eml")


def test_base64_that_ends_early_still_gives_its_beginning(read: Any) -> None:
    body = base64.b64encode(b"Hotels cost 90 euros.")[:-2]
    data = HEADER.format("Rates").encode() + b"Content-Transfer-Encoding: base64\n\n" + body
    assert "Hotels cost 90" in read(data, "a.eml").text
