"""What frames on a slide hold: tables, charts and diagrams as rows and lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rag.extract.canonical import line_text
from rag.extract.office_math import formula_text
from rag.extract.scripts import lowered, raised
from rag.extract.sheets import cell_text
from rag.extract.xml_parts import attribute, child, children, inner_elements, local_name

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

_UNSEEN = frozenset(("pPr", "rPr", "endParaRPr", "Fallback"))
_MAX_POINTS = 10_000


def paragraph_text(paragraph: Element) -> str:
    """A paragraph with its line breaks; without the field that shows the slide's number."""
    return "".join(_pieces(paragraph))


def _pieces(element: Element) -> Iterator[str]:
    for inner in element:
        name = local_name(inner)
        if name == "t":
            yield inner.text or ""
        elif name == "br":
            yield "\n"
        elif name == "fld" and attribute(inner, "type") == "slidenum":
            continue
        elif name == "oMath":
            yield formula_text(inner)
        elif name == "r":
            yield _run_text(inner)
        elif name not in _UNSEEN:
            yield from _pieces(inner)


def is_struck(run: Element) -> bool:
    """A line goes through the run's text."""
    return (attribute(child(run, "rPr"), "strike") or "noStrike") != "noStrike"


def _run_text(run: Element) -> str:
    """What a run shows, raised or lowered by its share of the font's size."""
    if is_struck(run):
        return ""
    text = "".join(_pieces(run))
    share = attribute(child(run, "rPr"), "baseline") or "0"
    if share.strip("0%. ") in ("", "-"):
        return text
    return lowered(text) if share.startswith("-") else raised(text)


def table_texts(table: Element) -> Iterator[list[str]]:
    """Cells by row; a cell merged with the one above repeats its text, one merged to the left is empty."""
    above: list[str] = []
    for row in children(table, "tr"):
        texts = []
        for column, cell in enumerate(children(row, "tc")):
            if attribute(cell, "vMerge") in ("1", "true") and column < len(above):
                texts.append(above[column])
            elif attribute(cell, "hMerge") in ("1", "true"):
                texts.append("")
            else:
                paragraphs = inner_elements(child(cell, "txBody"), "p")
                texts.append(line_text(" ".join(paragraph_text(paragraph) for paragraph in paragraphs)))
        above = texts
        yield texts


def chart_title(chart: Element) -> str:
    """The chart's written title; empty when it has none."""
    title = child(chart, "chart", "title")
    return line_text(" ".join(paragraph_text(paragraph) for paragraph in inner_elements(title, "p")))


def chart_texts(chart: Element) -> Iterator[list[str]]:
    """The stored values of a chart as a table: series in columns, categories in rows.

    A scatter chart's x values are its categories. At most 10,000 points of a series.
    """
    series = list(inner_elements(child(chart, "chart", "plotArea"), "ser"))
    if not series:
        return
    names = ["".join(_points(child(one, "tx")).values()) for one in series]
    columns = [_points(_first(one, "val", "yVal")) for one in series]
    categories = next((found for one in series if (found := _points(_first(one, "cat", "xVal")))), {})
    yield ["", *names]
    for position in sorted({*categories, *(key for column in columns for key in column)}):
        yield [categories.get(position, ""), *(column.get(position, "") for column in columns)]


def _first(series: Element, *names: str) -> Element | None:
    return next((found for name in names if (found := child(series, name)) is not None), None)


def _points(data: Element | None) -> dict[int, str]:
    """Stored values by position; of categories in several levels the innermost."""
    levels = list(inner_elements(data, "lvl"))
    code = next(inner_elements(data, "formatCode"), None)
    number_format = (code.text or "") if code is not None else ""
    found: dict[int, str] = {}
    for point in inner_elements(levels[0] if levels else data, "pt"):
        position = attribute(point, "idx") or ""
        value = child(point, "v")
        if value is not None and position.isdecimal() and len(found) < _MAX_POINTS:
            found[int(position)] = _value_text(value.text or "", number_format)
    if not found and data is not None:
        value = child(data, "v")  # a name written into the chart itself
        return {0: line_text(value.text or "")} if value is not None else {}
    return found


def _value_text(value: str, number_format: str) -> str:
    """A number as a sheet shows it: 4.4 for 4.4000000000000004."""
    try:
        number = float(value)
    except ValueError:
        return line_text(value)
    return cell_text(number, number_format) if value.strip().lower() not in ("nan", "inf", "-inf") else ""


def diagram_texts(data: Element) -> Iterator[str]:
    """The texts of a SmartArt diagram's nodes."""
    for point in inner_elements(data, "pt"):
        for paragraph in inner_elements(child(point, "t"), "p"):
            yield paragraph_text(paragraph)
