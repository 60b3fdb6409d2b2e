import pytest

from rag.cells import column_name, merge_cells


@pytest.mark.parametrize(
    ("ranges", "expected"),
    [
        (["A3:C3", "A4:D4"], "A3:D4"),
        (["B2"], "B2"),
        (["Z9", "AA10"], "Z9:AA10"),
        (["$A$1:$B$2", None], "A1:B2"),
        (["C5:A1"], "A1:C5"),
        ([None, "", "nonsense"], None),
        ([], None),
    ],
)
def test_the_smallest_range_that_holds_all(ranges, expected):
    assert merge_cells(ranges) == expected


@pytest.mark.parametrize(("column", "name"), [(1, "A"), (26, "Z"), (27, "AA"), (703, "AAA"), (16384, "XFD")])
def test_column_names(column, name):
    assert column_name(column) == name
