"""Documents out of blocks, written down or drawn by Hypothesis."""

from hypothesis import strategies as st

from rag.types import Coverage, Extraction, Locator, Span

A = Locator(heading_path=("Leave",))
B = Locator(heading_path=("Travel", "Hotels"))


def extraction(blocks, title="Handbook"):
    """Blocks as (kind, text, locator) or (kind, text, locator, table header)."""
    text, spans = "", []
    for kind, words, locator, *header in blocks:
        text += "\n\n" if text else ""
        spans.append(Span(len(text), len(text) + len(words), kind, locator, header[0] if header else None))
        text += words
    return Extraction(title, text, tuple(spans), "md", "md/1", Coverage("document", 1, 1))


words = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "Alpha",
                "beta.",
                "gamma:",
                "No.",
                "4",
                "e.g.",
                "(see",
                "x.)",
                "`a.",
                "b`",
                "汉字",
                "-",
                "|",
                "*",
                "one",
                "two",
                "three",
            ]
        ),
        st.text(alphabet="abcxyz", min_size=1, max_size=60),
    ),
    min_size=1,
    max_size=60,
).map(" ".join)
_places = st.sampled_from([A, B, Locator(page=1), Locator(page=2), Locator(sheet="S", cells="A1:B2")])
_kinds = st.sampled_from(["paragraph", "list_item", "table_row", "code", "heading"])
_headers = st.sampled_from([None, "City | Rate", "Name | " + "very long column " * 12])
block_lists = st.lists(st.tuples(_kinds, words, _places, _headers), min_size=1, max_size=12).map(
    lambda blocks: [(*block[:3], block[3] if block[0] == "table_row" else None) for block in blocks]
)
