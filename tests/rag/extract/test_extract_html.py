from __future__ import annotations

from typing import Any

import pytest
from extraction_checks import blocks

from rag.errors import NoText, UnsupportedFormat

PAGE = """<!DOCTYPE html><html><head><title>Expenses – Handbook</title><style>p {color: red}</style></head><body>
<header><a href="/">Home</a></header><nav><ul><li>Menu entry</li></ul></nav>
<main>
 <h1 id="expenses">Expenses</h1>
 <p>Keep <b>every</b> receipt for
    seven years.<!-- internal: or six --></p>
 <p style="display: none">Secret prompt.</p><div hidden><p>Also secret.</p></div>
 <span aria-hidden="true">icon text</span><i style="VISIBILITY:hidden">ghost</i>
 <section id="hotels"><h2>Hotels</h2>
  <p>First line<br>second line<br><br>New paragraph</p>
  <ul><li>One <ul><li>Nested</li></ul></li><li>Two</li></ul>
  <table><thead><tr><th>City</th><th>Limit</th><th>Note</th></tr></thead>
   <tr><td rowspan="2">Oslo</td><td>120</td><td></td></tr><tr><td>90</td><td>winter</td></tr></table>
  <pre>  make trip
    --now</pre>
 </section>
 <aside>Related pages</aside><script>var x = "<p>code</p>";</script>
</main><footer>Imprint</footer></body></html>"""


def test_main_content_in_order(read: Any) -> None:
    extraction = read(PAGE.encode(), "expenses.html")
    assert [(span.kind, extraction.text[span.start : span.end]) for span in extraction.spans] == [
        ("heading", "Expenses"),
        ("paragraph", "Keep every receipt for seven years."),
        ("heading", "Hotels"),
        ("paragraph", "First line\nsecond line"),
        ("paragraph", "New paragraph"),
        ("list_item", "One"),
        ("list_item", "Nested"),
        ("list_item", "Two"),
        ("table_row", "City | Limit | Note"),
        ("table_row", "Oslo | 120"),
        ("table_row", "Oslo | 90 | winter"),
        ("code", "make trip\n    --now"),
        ("paragraph", "Related pages"),
    ]
    assert extraction.title == "Expenses – Handbook"


def test_hidden_text_is_dropped_and_counted(read: Any) -> None:
    extraction = read(PAGE.encode(), "expenses.html")
    for secret in ("Secret", "Also", "icon", "ghost", "internal", "color", "code"):
        assert secret not in extraction.text
    hidden, comments, furniture = extraction.warnings
    assert (hidden.code, hidden.count) == ("hidden_text_dropped", 4)
    assert hidden.message.startswith("Left out: 4 hidden elements")
    assert (comments.code, comments.count) == ("comments_dropped", 1)
    assert (furniture.code, furniture.count) == ("page_furniture_dropped", len("HomeMenu entryImprint"))


def test_crossed_out_text_is_dropped_and_counted(read: Any) -> None:
    page = """<html><body><p>The limit is <del>120</del> <ins>90</ins> euros, <s>or more</s>.</p>
    <p style="text-decoration: line-through">Old rule.</p></body></html>"""
    extraction = read(page.encode(), "rules.html")
    assert extraction.text == "The limit is 90 euros, ."
    assert [(warning.code, warning.count) for warning in extraction.warnings] == [("struck_text_dropped", 3)]


def test_conditional_comments_are_markup(read: Any) -> None:
    page = b"<html><body><!--[if mso]><p>Outlook</p><![endif]--><p>Shown</p></body></html>"
    extraction = read(page, "a.html")
    assert (extraction.text, extraction.warnings) == ("Shown", ())


@pytest.mark.parametrize(
    "heading",
    [
        '<h2 id="here">Title</h2>',
        '<h2><a name="here"></a>Title</h2>',
        '<a id="here"></a><h2>Title</h2>',
        '<section id="here"><h2>Title</h2></section>',
        '<div class="section" id="here"><h2>Title</h2></div>',
    ],
)
def test_the_places_of_a_heading_anchor(read: Any, heading: str) -> None:
    extraction = read(f"<html><body>{heading}<p>Text.</p></body></html>".encode(), "a.html")
    assert {span.locator.anchor for span in extraction.spans} == {"here"}


def test_blocks_know_anchor_and_headings(read: Any) -> None:
    extraction = read(PAGE.encode(), "expenses.html")
    last = extraction.spans[-1].locator
    assert (last.anchor, last.heading_path) == ("hotels", ("Expenses", "Hotels"))
    assert extraction.spans[1].locator.anchor == "expenses"
    assert extraction.spans[-3].table_header == "City | Limit | Note"


@pytest.mark.parametrize(
    ("declared", "codec"),
    [("shift_jis", "shift-jis"), ("koi8-r", "koi8-r"), ("iso-8859-1", "cp1252"), ("gb2312", "gb18030")],
)
def test_declared_encodings_are_respected(read: Any, declared: str, codec: str) -> None:
    word = {"shift-jis": "承認", "koi8-r": "согласие", "cp1252": "“été”", "gb18030": "批准"}[codec]
    page = f'<html><head><meta charset="{declared}"></head><body><p>{word}</p></body></html>'
    assert read(page.encode(codec), "a.html").text == word


def test_a_false_declaration_does_not_garble(read: Any) -> None:
    page = '<html><head><meta charset="utf-16"></head><body><p>Résumé</p></body></html>'
    assert read(page.encode(), "a.html").text == "Résumé"


def test_layout_tables_are_not_rows(read: Any) -> None:
    page = "<html><body><table><tr><td><p>Menu</p></td><td><table><tr><td><p>Long text here.</p></td></tr></table></td></tr></table></body></html>"  # noqa: E501
    assert {span.kind for span in read(page.encode(), "a.html").spans} == {"paragraph"}


def test_an_article_header_stays_and_a_page_header_goes(read: Any) -> None:
    article = "<article><header><h1>Rules</h1></header><p>Text.</p></article>"
    page = f"<html><body><header><p>Shop</p></header>{article}</body></html>"
    assert blocks(read(page.encode(), "a.html")) == ["Rules", "Text."]


def test_text_beside_the_main_part_is_kept_and_links_are_counted(read: Any) -> None:
    beside = '<a href="#m">Skip</a><div id="cookie-bar">Accept all?</div><div>Refunds take 45 days.</div>'
    page = f"<html><body><main id=m><p>{'Long enough for a main part. ' * 3}</p></main>{beside}</body></html>"
    extraction = read(page.encode(), "a.html")
    assert blocks(extraction)[1:] == ["Refunds take 45 days."]
    assert [(warning.code, warning.count) for warning in extraction.warnings] == [
        ("page_furniture_dropped", len("SkipAccept all?"))
    ]


def test_a_form_of_consent_and_a_policy_on_cookies_are_content(read: Any) -> None:
    beside = f"<div class='informed-consent'>I agree.</div><div id='cookies'>{'We bake them. ' * 120}</div>"
    page = f"<html><body><main><p>{'Long enough for a main part. ' * 3}</p></main>{beside}</body></html>"
    extraction = read(page.encode(), "a.html")
    assert (blocks(extraction)[1], len(blocks(extraction)), extraction.warnings) == ("I agree.", 3, ())


def test_what_an_article_shows_is_read(read: Any) -> None:
    page = """<html><body><article><p>Text.</p><aside>Never mix.</aside><dialog open>Open.</dialog>
    <svg><title>Icon</title><text><tspan x="1" y="1">Pump</tspan><tspan x="1" y="9">house</tspan></text></svg>
    <h2><button>How long?</button></h2><details><summary>More</summary><p>A year.</p></details>
    <footer>Signed by Ada.</footer></article></body></html>"""
    extraction = read(page.encode(), "a.html")
    assert blocks(extraction) == [
        "Text.", "Never mix.", "Open.", "Pump house", "How long?", "More", "A year.", "Signed by Ada.",
    ]  # fmt: skip
    assert extraction.warnings == ()


def test_controls_and_stand_ins_are_counted(read: Any) -> None:
    page = "<p>Text.</p><button>Go</button><select><option>One</option></select><noscript>Turn on</noscript>"
    extraction = read(f"<html><body>{page}<dialog>Closed</dialog></body></html>".encode(), "a.html")
    assert extraction.text == "Text."
    assert {warning.code: warning.count for warning in extraction.warnings} == {
        "hidden_text_dropped": 1,
        "page_furniture_dropped": len("GoOneTurn on"),
    }


def test_xhtml_with_an_xml_declaration(read: Any) -> None:
    page = '<?xml version="1.0" encoding="utf-8"?>\n<html xmlns="http://www.w3.org/1999/xhtml"><body><p>Hi</p></body></html>'
    assert read(page.encode(), "a.xhtml").format == "html"


def test_a_page_of_scripts_has_no_text(read: Any) -> None:
    with pytest.raises(NoText):
        read(b"<html><body><script>render()</script></body></html>", "app.html")


def test_markdown_that_starts_with_a_tag_stays_markdown(read: Any) -> None:
    assert read(b'<p align="center">Logo</p>\n\n# Title\n', "README.md").format == "markdown"


def test_xml_is_refused_by_name(read: Any) -> None:
    with pytest.raises(UnsupportedFormat, match="XML"):
        read(b'<?xml version="1.0"?><rss><item>x</item></rss>', "feed.xml")


def test_ordinary_nesting_is_no_limit(read: Any) -> None:
    page = b"<html><body>" + b"<div>" * 300 + b"deep" + b"</div>" * 300 + b"</body></html>"
    assert read(page, "deep.html").text == "deep"


def test_a_heading_without_the_sign_that_links_to_it(read: Any) -> None:
    heading = '<h2 id="a">Travel <i>Pol</i>icy,<br>new<a href="#a">¶</a></h2>'
    extraction = read(f"<html><body>{heading}<p>Text.</p></body></html>".encode(), "a.html")
    assert blocks(extraction)[0] == "Travel Policy, new"
    assert extraction.spans[1].locator.anchor == "a"


def test_an_article_names_its_first_heading_only(read: Any) -> None:
    first, second = (
        '<article id="one"><h2>One</h2><p>A</p></article>',
        "<article><h2>Two</h2><p>B</p></article>",
    )
    page = f"<html><body>{first}{second}</body></html>"
    locators = [span.locator for span in read(page.encode(), "a.html").spans]
    assert [(place.heading_path, place.anchor) for place in locators[::2]] == [
        (("One",), "one"),
        (("Two",), "one"),
    ]


def test_cells_and_headings_read_as_they_are_shown(read: Any) -> None:
    row = "<tr><td>H<sub>2</sub>O<br>cold</td><td><p>Loud</p><p><b>noisy</b>, small</p></td></tr>"
    page = f"<html><body><h2>CO<sub>2</sub> <i>rules</i>, new</h2><table>{row}</table></body></html>"
    assert blocks(read(page.encode(), "a.html")) == ["CO₂ rules, new", "H₂O cold | Loud noisy, small"]


def test_raised_and_lowered_text_does_not_run_into_the_number(read: Any) -> None:
    words = (
        "10<sup>6</sup> m<span style='vertical-align: super'>3</span> of CO<sub>2</sub>, the 1<sup>st</sup>"
    )
    page = f"<html><body><h1>10<sup>9</sup></h1><p>{words} time.<sup><a href='#n'>[1]</a></sup></p>"
    page += "<pre>2<sup>8</sup><br>  3</pre></body></html>"
    extraction = read(page.encode(), "a.html")
    assert blocks(extraction) == ["10⁹", "10⁶ m³ of CO₂, the 1st time.[1]", "2⁸\n  3"]
    assert extraction.title == "10⁹"


@pytest.mark.parametrize(
    "style",
    [
        "font-size:0",
        "font-size: 1px !important",
        "FONT-SIZE:0.5pt",
        "opacity: 0.0",
        "color:#fff;background:#FFFFFF",
        "color: white; background-color: rgb(255, 255, 255)",
        "background: #fff none; color: #ffffff",
        "color:transparent",
        "color:white",
        "color: hsl(0 0% 99%)",
        "font: 0/0 a",
        "position:absolute;left:-9999px",
        "position: fixed; top: -1000px",
        "text-indent:-999em",
        "position:absolute;clip:rect(0 0 0 0)",
        "clip-path: inset(50%)",
        "width:0;height:0;overflow:hidden",
        "max-height: 0px; overflow: hidden",
    ],
)
def test_text_that_a_style_hides_is_dropped(read: Any, style: str) -> None:
    page = f'<body><p>Seen.</p><p style="{style}">Secret prompt.</p></body>'
    extraction = read(page.encode(), "a.html")
    assert extraction.text == "Seen."
    assert [warning.code for warning in extraction.warnings] == ["hidden_text_dropped"]


@pytest.mark.parametrize(
    "style",
    [
        "font-size:10px",
        "font-size:0.8em",
        "font-size:80%",
        "opacity:0.5",
        "color:#fff;background:#00f",
        "color:#fff;background:#fff url(a.png)",
        "color:#767676",
        "position:absolute;left:-20px",
        "text-indent:-2em",
        "left:-9999px",
        "width:0",
        "height:200px;overflow:hidden",
        "width:100%;overflow:hidden",
        "clip-path:inset(5%)",
    ],
)
def test_text_that_a_style_shows_stays(read: Any, style: str) -> None:
    page = f'<body><p>Seen.</p><p style="{style}">Shown too.</p></body>'
    assert blocks(read(page.encode(), "a.html")) == ["Seen.", "Shown too."]
