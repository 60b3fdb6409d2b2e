"""Unmarked bytes: the text of eight encodings, in paragraphs, in small tables and in a few words."""

from __future__ import annotations

import time
from typing import Any

import pytest
from extraction_checks import blocks

from rag.extract.decoding import decode_text, looks_binary

FRENCH = (
    "Les dépenses d'hôtel sont limitées à 120 euros par nuit. Le congé payé s'élève à vingt-cinq jours ouvrés par"
    " année; les congés non utilisés sont reportés jusqu'au printemps."
)
GERMAN = "Die Übernachtung kostet höchstens 120 Euro. Größere Beträge müssen vorher genehmigt werden."
TYPED = "The “travel limit” is €120 – ask your manager’s approval. Don’t forget the receipt…"
CHINESE = "酒店费用每晚不得超过五百元。出差前必须获得经理的批准。员工每年享有十五天带薪年假。"
JAPANESE = "ホテルの料金は一泊一万二千円までです。出張の前に上司の承認を得てください。"
RUSSIAN = (
    "Стоимость гостиницы не должна превышать пяти тысяч рублей за ночь. Отчёт подаётся в течение десяти дней."
)

EIGHT = [
    (FRENCH, "utf-8", "utf-8"),
    (FRENCH, "utf-8-sig", "utf-8-sig"),
    (FRENCH, "utf-16", "utf-16"),
    (FRENCH, "latin-1", "latin-1"),
    (GERMAN, "latin-1", "latin-1"),
    (TYPED, "cp1252", "cp1252"),
    (CHINESE, "gb18030", "gb18030"),
    (JAPANESE, "shift-jis", "shift_jis"),
    (RUSSIAN, "koi8-r", "koi8-r"),
    (RUSSIAN, "cp1251", "cp1251"),
]
UTF_16 = [
    (text, codec, codec)
    for text in (FRENCH, CHINESE, JAPANESE, RUSSIAN)
    for codec in ("utf-16-le", "utf-16-be")
]


@pytest.mark.parametrize(("text", "codec", "recorded"), EIGHT + UTF_16)
def test_a_text_file(read: Any, text: str, codec: str, recorded: str) -> None:
    extraction = read(text.encode(codec), "policy.txt")
    assert (extraction.text, extraction.encoding) == (text, recorded)
    assert (extraction.is_partial, extraction.warnings) == (False, ())


@pytest.mark.parametrize(("text", "codec", "recorded"), EIGHT + UTF_16)
def test_a_table(read: Any, text: str, codec: str, recorded: str) -> None:
    words = text.split() if " " in text else [text[at : at + 4] for at in range(0, len(text), 4)]
    rows = ["Name;Limit", *(f"{word.strip(';')};{row}" for row, word in enumerate(words))]
    extraction = read("\r\n".join(rows).encode(codec), "limits.csv")
    assert blocks(extraction) == [row.replace(";", " | ") for row in rows]
    assert extraction.encoding == recorded


@pytest.mark.parametrize(("text", "codec", "recorded"), EIGHT)
def test_a_page_that_does_not_say_its_encoding(read: Any, text: str, codec: str, recorded: str) -> None:
    page = f"<html><head><title>Policy</title></head><body><h1>Policy</h1><p>{text}</p></body></html>"
    extraction = read(page.encode(codec), "policy.html")
    assert blocks(extraction) == ["Policy", text]
    assert extraction.encoding == recorded


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        ("Le café", "latin-1"),
        ("Größe", "cp1252"),
        ("it’s", "cp1252"),
        ("Отпуск двадцать восемь дней", "koi8-r"),
        ("Отпуск двадцать восемь дней", "cp1251"),
        ("差旅政策和费用", "gb18030"),
        ("承認を得る", "shift-jis"),
        ("Отпуск", "utf-16-le"),
        ("Koszt noclegu nie może przekraczać pięciuset złotych za dobę.", "cp1250"),
        ("Το κόστος του ξενοδοχείου δεν πρέπει να υπερβαίνει τα εκατό ευρώ.", "cp1253"),
    ],
)
def test_a_few_words(text: str, codec: str) -> None:
    assert decode_text(text.encode(codec)).text == text


KOREAN = "사무실은 오전 아홉 시부터 엽니다. 주말에는 닫습니다."


@pytest.mark.parametrize(
    ("text", "codec", "recorded"),
    [
        (JAPANESE, "iso2022_jp", "iso-2022-jp"),
        (JAPANESE, "euc_jp", "euc-jp"),
        (KOREAN, "iso2022_kr", "iso-2022-kr"),
        (KOREAN, "euc_kr", "euc-kr"),
    ],
)
def test_east_asian_text_of_other_systems(read: Any, text: str, codec: str, recorded: str) -> None:
    extraction = read(text.encode(codec), "policy.txt")
    assert (extraction.text, extraction.encoding, extraction.warnings) == (text, recorded, ())


@pytest.mark.parametrize(
    ("text", "codec"),
    [(GERMAN, "mac_roman"), (FRENCH, "mac_roman"), (GERMAN, "cp850"), (RUSSIAN, "cp866")],
)
def test_text_of_old_computers_is_read_with_a_doubt(read: Any, text: str, codec: str) -> None:
    extraction = read(text.encode(codec), "policy.txt")
    assert extraction.text == text
    (warning,) = extraction.warnings
    assert warning.code == "encoding_doubtful"
    assert str(extraction.encoding) in warning.message


def test_bytes_that_two_encodings_explain_are_doubtful(read: Any) -> None:
    (warning,) = read("办公时间九点开始".encode("gb18030"), "policy.txt").warnings
    assert warning.code == "encoding_doubtful"


@pytest.mark.parametrize(
    "data",
    [
        b"these are words with a bell\x07 in them and more to follow",
        b"lowercase\nwords\nonly\nand\x08one\ncontrol",
    ],
)
def test_ascii_with_a_stray_control_character_is_no_utf_16(data: bytes) -> None:
    decoded = decode_text(data)
    assert (decoded.text, looks_binary(data)) == (data.decode(), False)


def test_lost_characters_are_counted(read: Any) -> None:
    extraction = read((FRENCH * 9).encode() + b" \xff\xfe", "policy.txt")
    (warning,) = extraction.warnings
    assert (warning.code, warning.count) == ("undecodable_characters", 2)
    assert not extraction.is_partial
    assert read(("caf\ufffd " * 20).encode(), "policy.txt").is_partial


def test_words_that_a_margin_broke_are_made_whole(read: Any) -> None:
    text = (
        "The travel policy of the whole organi-\nzation says that a well-\nknown hotel needs no approval, and that\n"
        "non-\nsense is not paid for by the well-known depart-\nment of finance or anybody else."
    )
    assert read(text.encode(), "policy.txt").text == (
        "The travel policy of the whole organization says that a well-\nknown hotel needs no approval, and that\n"
        "non-\nsense is not paid for by the well-known department of finance or anybody else."
    )


def test_a_soft_hyphen_at_a_line_end_goes_on(read: Any) -> None:
    assert read("A short ap\u00ad\nproval.".encode(), "policy.txt").text == "A short approval."


def test_a_hyphen_that_belongs_to_the_word_stays(read: Any) -> None:
    line = "The manager asks everybody in the whole company for a well-"
    text = f"A well-known rule.\n\n{line}\nknown reason."
    assert blocks(read(text.encode(), "policy.txt"))[1] == f"{line}known reason."


def test_a_file_of_letters_takes_no_time(read: Any) -> None:
    line = "UEsDBBQAAAAIAPNNuEio" * 4
    started = time.process_time()
    assert read("\n".join([line] * 3_000).encode(), "packed.txt").spans
    assert read(b"a" * 300_000 + b"-\nb", "packed.txt").spans
    assert time.process_time() - started < 10


def test_chinese_lines_are_joined_without_a_space(read: Any) -> None:
    text = CHINESE[:30] + "\n" + CHINESE[30:]
    assert read(text.encode(), "policy.txt").text == CHINESE
