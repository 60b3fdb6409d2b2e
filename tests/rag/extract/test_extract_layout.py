from __future__ import annotations

from rag.extract.layout.blocks import Joiner
from rag.extract.layout.columns import find_gutter, flows_of
from rag.extract.layout.margins import drop_running_lines
from rag.extract.layout.segments import PageText, Segment, lines_of


def segment(text: str, x0: float, top: float, width: float | None = None, height: float = 12) -> Segment:
    return Segment(text, x0, x0 + (5.0 * len(text) if width is None else width), top, top + height)


def column(name: str, x: float, n: int, width: float = 150) -> list[Segment]:
    return [segment(f"{name} line {i} of running prose", x, 100 + 14 * i, width) for i in range(n)]


def test_three_columns_are_read_in_turn() -> None:
    segments = column("a", 50, 10) + column("b", 220, 10) + column("c", 390, 10)
    segments.sort(key=lambda item: item.top)
    text = [line.text for flow in flows_of(segments) for line in flow]
    assert [line.split()[0] for line in text] == ["a"] * 10 + ["b"] * 10 + ["c"] * 10


def test_a_short_second_column_is_still_a_column() -> None:
    segments = column("a", 50, 20) + column("b", 220, 4)
    assert [line.text[0] for flow in flows_of(segments) for line in flow] == ["a"] * 20 + ["b"] * 4


def test_cells_of_a_table_are_no_columns() -> None:
    rows = [
        segment(f"{name} {i}", x, 100 + 14 * i) for i in range(12) for name, x in (("city", 50), ("120", 300))
    ]
    assert find_gutter(rows) is None
    assert len(flows_of(rows)[0]) == 12


def test_a_table_across_the_page_is_not_cut_by_the_columns_below() -> None:
    table = [segment(str(100 * i + j), 60 + 120 * j, 40 + 14 * i, 30) for i in range(4) for j in range(4)]
    flows = flows_of(table + [s for c in (column("a", 50, 9, 200), column("b", 300, 9, 200)) for s in c])
    assert [len(line.segments) for line in flows[0]] == [4, 4, 4, 4]
    assert [line.text[0] for flow in flows[1:] for line in flow] == ["a"] * 9 + ["b"] * 9


def test_raised_figures_start_no_new_cell() -> None:
    line = [segment("x", 50, 100, 6), segment("2", 56, 97, 3, 7), segment("is squared", 62, 100)]
    (only,) = lines_of(line)
    assert only.text == "x2 is squared"


def test_right_to_left_cells_are_read_from_the_right() -> None:
    (line,) = lines_of([segment("\u05d0\u05d1", 50, 10), segment("\u05d2\u05d3", 300, 10)])
    assert line.text == "\u05d2\u05d3 \u05d0\u05d1"


def test_hyphens_at_line_ends() -> None:
    joiner = Joiner(frozenset({"well-known", "on-site", "onsite"}))
    assert joiner.join(["a reimburs-", "able cost"]) == "a reimbursable cost"
    assert joiner.join(["the well-", "known rule"]) == "the well-known rule"
    assert joiner.join(["the on-", "site visit"]) == "the onsite visit"
    assert joiner.join(["from A-", "B to C"]) == "from A- B to C"
    assert joiner.join(["2019-", "2020"]) == "2019- 2020"
    assert joiner.join(["出差前必须", "获得批准"]) == "出差前必须获得批准"


def test_headers_of_left_and_right_pages_that_differ() -> None:
    pages = []
    for index in range(20):
        header = "Acme handbook" if index % 2 else f"Chapter {index // 10}"
        pages.append(
            PageText(index + 1, (segment(header, 50, 20), segment(f"body {index}", 50, 400)), 595, 842)
        )
    cleaned, n_removed = drop_running_lines(pages)
    assert n_removed == 20
    assert [page.segments[0].text for page in cleaned] == [f"body {index}" for index in range(20)]


def test_text_that_repeats_in_the_middle_of_pages_stays() -> None:
    pages = [PageText(n, (segment("Not applicable.", 50, 400),), 595, 842) for n in range(1, 6)]
    assert drop_running_lines(pages)[1] == 0


def test_a_single_page_keeps_its_number() -> None:
    assert drop_running_lines([PageText(1, (segment("1", 300, 820),), 595, 842)])[1] == 0
