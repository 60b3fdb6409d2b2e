import pytest

from rag.header import header_line, section_of, shortened


def count_words(texts):
    return [2 + len(text.replace("[", " ").replace("]", " ").split()) for text in texts]


def line(title, path, *, sheet=None, max_tokens=50):
    return header_line(title, path, sheet, max_tokens=max_tokens, count_tokens=count_words)


def test_title_and_path_in_brackets():
    assert line("Travel", ("Hotels", "Limits")) == "[Travel > Hotels > Limits]"


def test_a_first_heading_that_is_the_title_is_said_once():
    assert line("Travel", ("travel", "Hotels")) == "[Travel > Hotels]"


def test_a_title_alone_is_whole():
    assert line("Cloud operations handbook", ()) == "[Cloud operations handbook]"
    assert line("Cloud operations", ("Cloud operations",)) == "[Cloud operations]"


def test_a_sheet_is_part_of_the_place():
    assert line("Rates", (), sheet="2024") == "[Rates > 2024]"


def test_nothing_to_say():
    assert line("", ()) == ""


def test_a_long_path_loses_its_middle_first():
    path = tuple(f"part {letter}" for letter in "abcdefgh")
    short = line("Title", path, max_tokens=14)
    assert short.startswith("[Title")
    assert short.endswith("part h]")
    assert "…" in short
    assert count_words([short])[0] <= 14


@pytest.mark.parametrize("max_tokens", [3, 5, 10, 20])
def test_no_header_is_longer_than_allowed(max_tokens):
    path = ("a very long heading of many words " * 10, "another long heading " * 10)
    assert count_words([line("a long title " * 20, path, max_tokens=max_tokens)])[0] <= max_tokens


def test_section_is_the_path_or_the_sheet():
    assert section_of(("Hotels", "Limits")) == "Hotels > Limits"
    assert section_of((), "2024") == "2024"
    assert section_of(()) == ""


def test_a_table_header_is_cut_at_a_word():
    assert shortened("City | Rate", max_tokens=20, count_tokens=count_words) == "City | Rate"
    cut = shortened(" | ".join(f"column{n}" for n in range(40)), max_tokens=12, count_tokens=count_words)
    assert cut.endswith("…")
    assert count_words([cut])[0] <= 12
