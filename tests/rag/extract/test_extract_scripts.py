import pytest

from rag.extract.canonical import visible_text
from rag.extract.scripts import fraction, lowered, raised


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("", ""),
        (" \n", " \n"),
        ("6", "⁶"),
        (" -12 ", " ⁻¹² "),
        ("−1", "⁻¹"),
        ("1,2", "¹,²"),
        ("¹", "¹"),
        ("abc", "^abc"),
        ("2x", "^2x"),
        ("a b", "^(a b)"),
        ("n/2", "^(n/2)"),
        ("2x+1", "^(2x+1)"),
        ("st", "st"),
        ("*", "*"),
        ("This is the fine print", "This is the fine print"),
    ],
)
def test_raised(text: str, written: str) -> None:
    assert raised(text) == written
    assert visible_text(written) == written


@pytest.mark.parametrize(("text", "written"), [("", ""), (" ", " "), ("2", "₂"), ("max", "ₘₐₓ"), ("b", "_b")])
def test_lowered(text: str, written: str) -> None:
    assert lowered(text) == written
    assert visible_text(written) == written


@pytest.mark.parametrize(
    ("above", "below", "before", "written"),
    [("3", "4", "", "3/4"), ("3", "4", "1", " 3/4"), ("a+b", "2 c", "x", "(a+b)/(2 c)")],
)
def test_a_fraction_keeps_clear_of_the_number_before_it(
    above: str, below: str, before: str, written: str
) -> None:
    assert fraction(above, below, before=before) == written
