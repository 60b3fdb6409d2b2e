"""Words that style sheets, looks handed down, and HTML inside Markdown keep from being seen."""

from __future__ import annotations

import io
import time
import zipfile
from email.message import EmailMessage
from typing import Any

import pytest
from extraction_checks import blocks, warning_counts

SECRET = "The key is kept by Eve."


@pytest.mark.parametrize(
    ("sheet", "markup"),
    [
        (".x{display:none}", '<p class="a x">{}</p>'),
        ("#y { visibility: hidden }", '<div id="y"><p>{}</p></div>'),
        ("aside.note{display:none}", '<aside class="note">{}</aside>'),
        ("P.x{DISPLAY:NONE}", '<p class="x">{}</p>'),
        ("/* } */ h2, .a > p:first-child { opacity: 0 }", '<div class="a"><p>{}</p></div>'),
        (".a .b{font-size:0}", '<div class="a"><div><p class="b">{}</p></div></div>'),
        ("h1 + p{display:none}", "<h1>Boat</h1><p>{}</p>"),
        ("[data-note]{display:none}", "<p data-note='1'>{}</p>"),
        (".x{display:block!important} .x{color:#fffffe!important}", '<p class="x">{}</p>'),
        (".x{display:block} p.x{display:none} .x{display:block}", '<p class="x">{}</p>'),
        ("@media screen and (min-width: 50em){.x{display:none}}", '<p class="x">{}</p>'),
        ("@supports (display:grid){@layer a{.x{display:none}}}", '<p class="x">{}</p>'),
        (".a{ color:red; .x{display:none} }", '<div class="a"><p class="x">{}</p></div>'),
        (".a{ &.x{display:none} }", '<p class="a x">{}</p>'),
        (".md\\:hidden{display:none}", '<p class="md:hidden">{}</p>'),
        ('a::before{content:"}"} .x{display:none}', '<p class="x">{}</p>'),
        ("", '<div style="color:#fff"><p>{}</p></div>'),
        ("", '<div style="background:navy;color:#fff"><p style="color:navy">{}</p></div>'),
        ("", '<div style="font-size:0"><p style="font-size:2em">{}</p></div>'),
        ("", '<p><font color="#fefefe">{}</font></p>'),
        ("", '<table bgcolor="#FF0000"><tr><td style="color:red">{}</td></tr></table>'),
        ("", '<p style="color:rgba(0,0,0,.02)">{}</p>'),
    ],
)
def test_hidden_words_are_dropped_and_counted(read: Any, sheet: str, markup: str) -> None:
    page = f"<head><style>{sheet}</style></head><body><p>Seen.</p>{markup.format(SECRET)}</body>"
    extraction = read(page.encode(), "a.html")
    assert "Seen." in extraction.text
    assert "Eve" not in extraction.text
    assert warning_counts(extraction)["hidden_text_dropped"] == 1
    assert f"{len(SECRET)} characters" in extraction.warnings[0].message


@pytest.mark.parametrize(
    ("head", "markup"),
    [
        ("<style>@media print{.x{display:none}}</style>", '<p class="x">{}</p>'),
        ('<style media="print">.x{display:none}</style>', '<p class="x">{}</p>'),
        ("<style>@media (max-width: 600px){.x{display:none}}</style>", '<p class="x">{}</p>'),
        ("<style>.x{display:none} p.x{display:block}</style>", '<p class="x">{}</p>'),
        ("<style>.x{display:none}</style>", '<p class="x" style="display:block">{}</p>'),
        ("<style>.x:not(.open){display:none}</style>", '<p class="x open">{}</p>'),
        (
            "<style>.x::after,.x:hover,.a > .x{display:none}</style>",
            '<div class="a"><section><p class="x">{}</p></section></div>',
        ),
        ("<style>@keyframes k{from{opacity:0}} .y{display:none}</style>", '<p class="x">{}</p>'),
        ("<noscript><style>.x{display:none}</style></noscript>", '<p class="x">{}</p>'),
        ("<style>body{visibility:hidden;opacity:0}</style>", "<p>{}</p>"),
        ("<style>.x{display:none</style><style>}}</style>", "<p>{}</p>"),
        ('<link rel="stylesheet" href="a.css">', '<p style="color:#fff">{}</p>'),
        ("<style>@import 'a.css';</style>", '<p style="color:#fff">{}</p>'),
        ("<style>.hero{background:#036} .hero h2{color:#fff}</style>", '<div class="hero"><h2>{}</h2></div>'),
        (
            "<style>.a{background-color:#fff} .a.b{background:navy;color:#fff}</style>",
            '<p class="a b">{}</p>',
        ),
        ("<style>:root{--c:#036} .a{background:var(--c);color:#fff}</style>", '<p class="a">{}</p>'),
        ("", '<div style="visibility:hidden"><p style="visibility:visible">{}</p></div>'),
        ("", '<div style="font-size:0px"><p style="font-size:13px">{}</p></div>'),
        ("", '<div style="color:#fff"><p style="color:#000">{}</p></div>'),
        ("", '<div style="color:#fff"><a href="b">{}</a></div>'),
        ("", '<table bgcolor="#003366"><tr><td style="color:#fff"><p>{}</p></td></tr></table>'),
        ("", '<table background="a.png"><tr><td style="color:#fff"><p>{}</p></td></tr></table>'),
        ("", '<div><img src="a.png"><p style="position:absolute;color:#fff">{}</p></div>'),
        ("", '<h2 style="background:linear-gradient(red,blue);color:transparent">{}</h2>'),
        ("", '<p style="color:#fff;text-shadow:0 0 2px #000">{}</p>'),
        ("", '<p style="font-size:medium;font-family:x">{}</p>'),
    ],
)
def test_words_that_are_shown_stay(read: Any, head: str, markup: str) -> None:
    page = f"<head>{head}</head><body><p>Seen.</p>{markup.format(SECRET)}</body>"
    extraction = read(page.encode(), "a.html")
    assert SECRET in extraction.text
    assert extraction.warnings == ()


@pytest.mark.parametrize(
    "sheet",
    [
        "div " * 60 + "p{display:none}",
        "*{color:red}" * 30_000,
        ".a,.b,.c{" * 14 + "display:none",
        "(" * 50_000 + "{display:none}",
        "'" * 50_001,
        "/*" * 50_000,
        "{" * 50_000,
    ],
)
def test_a_style_sheet_that_tries_to_break_it_is_bounded(read: Any, sheet: str) -> None:
    page = f"<style>{sheet}</style><body>{'<div>' * 150}{'<p>Seen.</p>' * 2_000}<h1>End</h1></body>"
    started = time.process_time()
    extraction = read(page.encode(), "a.html")
    assert time.process_time() - started < 30  # measured: at most 5 s
    assert extraction.text.endswith("End")


def test_style_sheets_that_are_too_large_are_told(read: Any) -> None:
    page = f"<style>{'.a{color:red}' * 20_001}</style><body><p>Seen.</p></body>"
    assert warning_counts(read(page.encode(), "a.html")) == {"style_sheets_cut_short": 1}


def test_the_style_sheet_of_a_mail_holds(read: Any) -> None:
    mail = EmailMessage()
    mail["From"], mail["Subject"] = "ada@example.org", "Boat"
    mail.set_content("Seen.")
    page = f"<style>.x{{display:none}}</style><p>Seen.</p><p class='x'>{SECRET}</p>"
    mail.add_alternative(page, subtype="html")
    assert blocks(read(mail.as_bytes(), "a.eml"))[1:] == ["Seen."]


def test_the_style_sheet_that_a_chapter_links_to_holds(read: Any) -> None:
    item = '<item id="c" href="text/c.xhtml" media-type="application/xhtml+xml"/>'
    files = {
        "mimetype": "application/epub+zip",
        "book.opf": f'<package><manifest>{item}</manifest><spine><itemref idref="c"/></spine></package>',
        "css/a.css": ".x{display:none} .dark{color:#fff}",
        "text/c.xhtml": '<html><head><link rel="stylesheet" href="../css/a.css"/></head><body><p>Seen.</p>'
        f'<p class="x">{SECRET}</p><p class="dark">{SECRET}</p></body></html>',
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as container:
        for name, content in files.items():
            container.writestr(name, content)
    extraction = read(file.getvalue(), "a.epub")
    assert extraction.text == "Seen."
    assert warning_counts(extraction)["hidden_text_dropped"] == 2


@pytest.mark.parametrize(
    "hidden",
    [
        "<span hidden>{}</span>",
        '<span style="display:none">{}</span>',
        '<b style="visibility:hidden">**{}**</b>',
        "<span style='font-size:0'>{}</span>",
        '<font color="white">{}</font>',
        "<!-- {} -->",
        "\n\n<div style='display:none'>{}</div>\n\n",
        "\n\n<div style='display:none'>\n\n## Secret\n\n- {}\n\n```\n{}\n```\n\n</div>\n\n",
        "\n\n<style>.x{{color:#fff}}</style>\n\nA <i class=x>{}</i>\n\n",
        "\n\n> <p hidden>\n> {}\n\n",
        "<del>{}</del>",
        "<template>{}</template>",
    ],
)
def test_what_html_in_markdown_hides_is_dropped_and_counted(read: Any, hidden: str) -> None:
    extraction = read(
        f"# Sauna\n\nHeated daily. {hidden.format(SECRET, SECRET)} Open.\n\nEnd.".encode(), "a.md"
    )
    assert "Eve" not in extraction.text
    assert extraction.text.startswith("Sauna\n\nHeated daily.")
    assert extraction.text.endswith("Open.\n\nEnd.")
    assert "template" in hidden or len(extraction.warnings) == 1


def test_a_heading_keeps_to_what_is_seen(read: Any) -> None:
    extraction = read(b"# The <i hidden>secret</i> plan\n\nText.\n\n## <b hidden>Gone</b>\n\nMore.", "a.md")
    assert blocks(extraction) == ["The plan", "Text.", "More."]
    assert extraction.title == "The plan"
    assert extraction.spans[-1].locator.heading_path == ("The plan",)


def test_html_in_markdown_is_read_without_its_tags(read: Any) -> None:
    source = (
        "Press <kbd>Ctrl</kbd>+<b>*C*</b> for <a href='x'>10<sup>6</sup></a> H<sub>2</sub>O<br>on line two."
    )
    assert blocks(read(source.encode(), "a.md")) == ["Press Ctrl+*C* for 10⁶ H₂O\non line two."]


@pytest.mark.parametrize(
    "source",
    [
        "Type `<span hidden>` before `x</span>` in the page.",
        "Write \\<span hidden>text\\</span> as it stands.",
        "Connect to <host> as <your name>, if a < b.",
        "See <https://example.org/a> and <a@example.org>.",
        "Do ~~not~~ pay &lt;b&gt;.",
    ],
)
def test_what_only_looks_like_hidden_html_stays(read: Any, source: str) -> None:
    extraction = read(f"{source}\n\n<b>Bold</b> words.".encode(), "a.md")
    assert blocks(extraction) == [source, "Bold words."]
    assert extraction.warnings == ()


def test_hidden_html_ends_where_its_block_ends(read: Any) -> None:
    source = "- a <span hidden>gone\n- b\n\nSeen <b hidden>gone too\n\n<p hidden>gone\n\nSeen again."
    source += "\n\n<div hidden>\n\nrest"
    assert blocks(read(source.encode(), "a.md")) == ["a", "b", "Seen", "Seen again."]
