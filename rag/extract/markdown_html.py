"""What is seen of a Markdown file with HTML in it: the file as a page, with a mark for each stretch of its source.

The page is judged as every other HTML page is; the stretches whose marks are still there are seen. So a
``<div hidden>`` may begin in one block and end in another, and a style sheet holds in Markdown too.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rag.extract.html_page import Dropped, drop_stand_ins, drop_unseen, parsed
from rag.extract.scripts import lowered, raised

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_PLACE = "place"
# Numbers in tag characters: `visible_text` takes them away, so that none comes from the file and none is counted.
_DIGITS = {ord(digit): 0xE0000 + ord(digit) for digit in "0123456789"}
_PLAIN_DIGITS = {there: chr(here) for here, there in _DIGITS.items()}
_MARK_END = "\U000e007f"
_MARK = re.compile(f"([\U000e0030-\U000e0039]+){_MARK_END}")
_MARKUP = re.compile(
    r"<!--.*?(?:-->|\Z)|<(?P<unseen>script|style|template)\b.*?(?:</(?P=unseen)\s*>|\Z)|</?[a-zA-Z][^>]*>|<[?!][^>]*>",
    re.DOTALL | re.IGNORECASE,
)
_NAME = re.compile(r"</?([a-zA-Z][\w-]*)")
_HTML = frozenset(
    (
        "a", "abbr", "address", "article", "aside", "audio", "b", "bdi", "bdo", "big", "blockquote", "body", "br",
        "button", "canvas", "caption", "center", "cite", "code", "col", "colgroup", "data", "datalist", "dd", "del",
        "details", "dfn", "dialog", "div", "dl", "dt", "em", "fieldset", "figcaption", "figure", "font", "footer",
        "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "i", "iframe", "img", "input", "ins",
        "kbd", "label", "legend", "li", "link", "main", "mark", "menu", "meter", "nav", "noscript", "object", "ol",
        "option", "output", "p", "picture", "pre", "progress", "q", "rp", "rt", "ruby", "s", "samp", "script",
        "section", "select", "small", "source", "span", "strike", "strong", "style", "sub", "summary", "sup", "svg",
        "table", "tbody", "td", "template", "textarea", "tfoot", "th", "thead", "time", "tr", "tt", "u", "ul", "var",
        "video", "wbr", "g", "path", "rect", "circle", "line", "polyline", "polygon", "text", "tspan", "use", "defs",
    )
)  # fmt: skip
"""``<host>`` and ``<your name>`` are no elements but words that somebody typed, and stay."""
_SCRIPTS = {"<sup": "\U000e0002", "</sup": "\U000e0003", "<sub": "\U000e0004", "</sub": "\U000e0005"}
_RAISED = re.compile("\U000e0002([^\U000e0002\U000e0003]*)\U000e0003")
_LOWERED = re.compile("\U000e0004([^\U000e0004\U000e0005]*)\U000e0005")


@dataclass(slots=True)
class SeenWords:
    """The stretches of the blocks of one file, and which of them are seen."""

    dropped: Dropped = field(default_factory=Dropped)
    pieces: list[str] = field(default_factory=list)
    _of_token: dict[int, list[int | str]] = field(default_factory=dict)
    """A block's stretches by their numbers, and what stands between them in its source."""
    _children: dict[int, list[tuple[Token, int]]] = field(default_factory=dict)
    _lost: frozenset[int] = frozenset()

    def of(self, token: Token) -> str:
        """What is seen of the source of a block."""
        parts = self._of_token.get(id(token), [])
        text = "".join(part if isinstance(part, str) else self._words(part) for part in parts)
        text = _RAISED.sub(lambda match: raised(match[1]), text)
        return _LOWERED.sub(lambda match: lowered(match[1]), text)

    def children_of(self, token: Token) -> list[Token]:
        """The inline tokens of a block that are seen."""
        return [child for child, number in self._children.get(id(token), []) if number not in self._lost]

    def _words(self, number: int) -> str:
        return "" if number in self._lost else self.pieces[number]

    def judge(self, page: str) -> None:
        """Find out which stretches of the `page` that was written with `marked` are seen."""
        tree = parsed(page)
        present = _numbers("".join(tree.find_all(string=True)))  # of templates and the like too
        drop_unseen(tree, self.dropped)
        drop_stand_ins(tree, self.dropped)
        # A stretch that the parser lost is not known to be hidden.
        self._lost = frozenset(present - _numbers(tree.get_text()))

    def marked(self, token: Token, parts: Sequence[str | None], words: Sequence[str]) -> str:
        """The block as HTML: its `words` with their marks, in each place where `parts` has None."""
        out, entries, following = [], self._of_token.setdefault(id(token), []), iter(words)
        for part in parts:
            if part is not None:
                out.append(part)
                entries.append(_stands_for(part, token))
                continue
            piece = next(following)
            out.append(f"{str(len(self.pieces)).translate(_DIGITS)}{_MARK_END}{html.escape(piece)}")
            entries.append(len(self.pieces))
            self.pieces.append(piece)
        return "".join(out)

    def mark_inline(self, token: Token) -> str:
        """An inline block as HTML, its stretches between the elements marked."""
        parts: list[str | None] = []
        words: list[str] = []
        done, first = 0, len(self.pieces)
        children = self._children.setdefault(id(token), [])
        for child in token.children or []:
            start, end = child.meta.get(_PLACE, (0, 0))
            if child.type == "html_inline" and end and is_markup(child.content):
                parts += [None, child.content]
                words.append(token.content[done:start])
                done = end
            else:
                children.append((child, first + len(words)))
        parts.append(None)
        words.append(token.content[done:])
        return self.marked(token, parts, words)


def is_markup(tag: str) -> bool:
    """Whether a tag is HTML's, a comment or a declaration."""
    found = _NAME.match(tag)
    return found is None or found[1].lower() in _HTML


def keep_places(parser: MarkdownIt) -> None:
    """Have the parser note where in its block's source each piece of inline HTML stands."""
    from markdown_it.rules_inline import html_inline

    def placed(state: StateInline, silent: bool) -> bool:
        start = state.pos
        found = html_inline(state, silent)
        if found and not silent:
            state.tokens[-1].meta[_PLACE] = (start, state.pos)
        return found

    parser.inline.ruler.at("html_inline", placed)


def seen_words(tokens: Sequence[Token]) -> SeenWords:
    """Which words of the parsed file are seen, and what was left out."""
    seen = SeenWords()
    page = "".join(_page(tokens, seen))
    if any(map(_has_markup, tokens)):
        seen.judge(page)
    return seen


def _has_markup(token: Token) -> bool:
    children = token.children or []
    return token.type == "html_block" or any(child.type == "html_inline" for child in children)


def _page(tokens: Sequence[Token], seen: SeenWords) -> Iterator[str]:
    for token in tokens:
        if token.type == "inline":
            yield seen.mark_inline(token)
        elif token.type in ("fence", "code_block"):
            yield f"<pre>{seen.marked(token, [None], [token.content])}</pre>"
        elif token.type == "html_block":
            parts, words = _split(token.content)
            yield seen.marked(token, parts, words)
        elif token.tag and not token.hidden:
            yield f"</{token.tag}>" if token.nesting < 0 else f"<{token.tag}>"


def _split(block: str) -> tuple[list[str | None], list[str]]:
    """A block of HTML as its markup, with None for each stretch of words, and these words."""
    parts: list[str | None] = []
    words: list[str] = []
    done = 0
    for match in _MARKUP.finditer(block):
        words.append(html.unescape(block[done : match.start()]))
        parts += [None, match.group()]
        done = match.end()
    words.append(html.unescape(block[done:]))
    return [*parts, None], words


def _stands_for(markup: str, token: Token) -> str:
    """What is left in the text where markup stood."""
    name = _NAME.match(markup)
    if token.type == "html_block" and (name is None or name.group().lower() not in _SCRIPTS):
        return " "
    if name is not None and name[1].lower() == "br":
        return "  \n"
    return _SCRIPTS.get(name.group().lower(), "") if name is not None else ""


def _numbers(text: str) -> set[int]:
    return {int(number.translate(_PLAIN_DIGITS)) for number in _MARK.findall(text)}
