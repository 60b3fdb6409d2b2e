"""What the style sheets inside a page say about its elements, as far as it can hide words.

Selectors are matched by soupsieve, one compound (``p.note:first-child``) at a time; the combinators between compounds
are followed here with a bounded number of steps, because a hostile sheet could make a search without memory run for
ever. Read as a browser on a desktop screen reads it: media queries on its width, ``!important``, specificity and order.
Selectors with combinators inside of ``:is()``, ``:not()`` or ``:has()`` are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bs4 import BeautifulSoup, Tag
    from soupsieve import SoupSieve

_READ = frozenset(
    (
        "display", "visibility", "mso-hide", "opacity", "font", "font-size", "color", "text-shadow", "background",
        "background-color", "background-image", "position", "left", "top", "right", "bottom", "text-indent",
        "margin-left", "margin-top", "clip", "clip-path", "width", "height", "max-width", "max-height", "overflow",
    )
)  # fmt: skip
_RESETS = {"background": ("background-color", "background-image"), "font": ("font-size",)}
_MAX_RULES = 20_000
_MAX_STEPS = 150_000
"""Of matching, 1 to 2 s; beyond it nothing more is hidden by the sheets."""
_MAX_SELECTOR_CHARS = 300
_MAX_NESTED = 50
_SCREEN_PX = 1280.0

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|<!--|-->", re.DOTALL)
_STRING = r""""(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'"""
_PIECE = re.compile(rf"""{_STRING}|[{{}};]|[^{{}};"']+|["']""", re.DOTALL)
_SELECTOR_PIECE = re.compile(
    rf"""\\.|{_STRING}|[()\[\]]|\s*[,>+~]\s*|\s+|[^\\"'()\[\],>+~\s]+|["'\\]""", re.DOTALL
)
_IN_BRACKETS = re.compile(r"\([^()]*\)|\[[^\]]*\]")
_COMBINATOR_INSIDE = re.compile(r"\([^()]*[\w\])*]\s*(?:[>~]|\s[\w.#*\[:]|\+\s*[^\d\s])")
_NAME = r"(?:\\.|[\w-]|[^\x00-\x7f])+"
_ID, _CLASS, _ELEMENT = re.compile(f"#({_NAME})"), re.compile(rf"\.({_NAME})"), re.compile(r"[a-zA-Z][\w-]*")
_PSEUDO = re.compile(r"(?<!:):(?!is\b|where\b|not\b|has\b)[\w-]+")
_MEDIA_WIDTH = re.compile(
    r"\(\s*(?P<side>min|max)-width\s*:\s*(?P<size>\d+(?:\.\d+)?)(?P<unit>px|em|rem)\s*\)"
)
_ALWAYS = ("", "all", "screen", "only screen", "only all")

Specificity = tuple[int, int, int, int]
_INLINE: Specificity = (1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class _Declaration:
    name: str
    value: str
    is_important: bool


@dataclass(frozen=True, slots=True)
class _Rule:
    selector: str
    declarations: tuple[_Declaration, ...]


def declarations_of(style: str) -> list[_Declaration]:
    """The declarations of a ``style`` attribute or of a rule's body that can hide words, names in lower case."""
    found = []
    for each in _COMMENT.sub("", style).split(";"):
        name, _, value = each.partition(":")
        name, value = name.strip().lower(), " ".join(value.lower().split())
        if name in _READ and value:
            plain = re.sub(r"\s*!\s*important$", "", value)
            found.append(_Declaration(name, plain, plain != value))
    return found


@dataclass(slots=True)
class StyleSheets:
    """The sheets of one page; `told` gives what holds for an element."""

    is_cut_short: bool = False
    """The sheets are too large: not all of what they hide is known."""
    _of_element: dict[int, list[tuple[bool, Specificity, int, _Declaration]]] = field(default_factory=dict)
    _n_steps: int = 0

    @classmethod
    def of(cls, page: BeautifulSoup, sheets: list[str]) -> StyleSheets:
        """The `sheets` in their order, applied to the page."""
        found = cls()
        index = _Index.of(page) if any(sheet.strip() for sheet in sheets) else None
        for n_rules, rule in enumerate((rule for sheet in sheets for rule in _rules(sheet)), 1):
            if index is None or n_rules > _MAX_RULES or found._n_steps > _MAX_STEPS:
                found.is_cut_short = True
                break
            found._apply(rule, n_rules, index)
        return found

    def told(self, element: Tag) -> dict[str, str]:
        """Property to value for an element, its own ``style`` and old attributes included."""
        style = element.get("style")
        own = declarations_of(style) if isinstance(style, str) else []
        inline = [(each.is_important, _INLINE, at, each) for at, each in enumerate(own)]
        told = _by_attributes(element)
        ranked = sorted([*self._of_element.get(id(element), ()), *inline], key=lambda entry: entry[:3])
        for *_, each in ranked:
            for name in _RESETS.get(each.name, ()):
                told.pop(name, None)
            told[each.name] = each.value
        return told

    def _apply(self, rule: _Rule, order: int, index: _Index) -> None:
        selector = _compiled(rule.selector)
        if selector is None:
            return
        matching = _Matching(selector)
        for element in index.candidates(selector.last):
            if matching.holds(element):
                entries = self._of_element.setdefault(id(element), [])
                entries += [
                    (each.is_important, selector.specificity, order, each) for each in rule.declarations
                ]
            if self._n_steps + matching.n_steps > _MAX_STEPS:
                break
        self._n_steps += matching.n_steps


def _by_attributes(element: Tag) -> dict[str, str]:
    """``bgcolor``, ``background`` and ``color``, as e-mails still have them."""
    told = {}
    for attribute, name in (("bgcolor", "background-color"), ("color", "color"), ("text", "color")):
        value = element.get(attribute)
        if isinstance(value, str) and value.strip() and (attribute != "text" or element.name == "body"):
            told[name] = value.strip().lower()
    if element.get("background"):
        told["background-image"] = "url()"
    return told


@dataclass(slots=True)
class _Index:
    """The elements of a page by what a selector's last compound names."""

    every: list[Tag]
    by_key: dict[str, list[Tag]] = field(default_factory=dict)

    @classmethod
    def of(cls, page: BeautifulSoup) -> _Index:
        index = cls(page.find_all(True))
        for element in index.every:
            classes: str | list[str] = element.get("class") or []
            names = classes.split() if isinstance(classes, str) else classes
            keys = {element.name.lower(), f"#{element.get('id')}", *(f".{name}" for name in names)}
            for key in keys:
                index.by_key.setdefault(key, []).append(element)
        return index

    def candidates(self, compound: str) -> list[Tag]:
        outer = _IN_BRACKETS.sub("", compound)
        for sign, pattern in (("#", _ID), (".", _CLASS)):
            if found := pattern.search(outer):
                return self.by_key.get(sign + re.sub(r"\\(.)", r"\1", found[1]), [])
        if found := _ELEMENT.match(outer):
            return self.by_key.get(found.group().lower(), [])
        return self.every


@dataclass(frozen=True, slots=True)
class _Selector:
    compounds: tuple[SoupSieve, ...]
    combinators: tuple[str, ...]
    """One between each two compounds: a space, ``>``, ``+`` or ``~``."""
    last: str
    specificity: Specificity


@dataclass(slots=True)
class _Matching:
    """Whether elements match one selector; what was found out is kept, so that no search is made twice."""

    selector: _Selector
    n_steps: int = 0
    _known: dict[tuple[int, int], bool] = field(default_factory=dict)

    def holds(self, element: Tag, at: int = -1) -> bool:
        """Whether the compounds up to the one numbered `at` match, the last of them `element`."""
        at = at if at >= 0 else len(self.selector.compounds) - 1
        key = (id(element), at)
        self.n_steps += 1
        if key not in self._known:
            self._known[key] = bool(self.selector.compounds[at].match(element)) and (
                at == 0 or any(self.holds(before, at - 1) for before in self._before(element, at))
            )
        return self._known[key]

    def _before(self, element: Tag, at: int) -> Iterator[Tag]:
        combinator = self.selector.combinators[at - 1]
        if combinator in " >":
            around: Iterator[Tag] = (parent for parent in element.parents if parent.parent is not None)
        else:
            around = iter(element.find_previous_siblings())
        for n_seen, each in enumerate(around, 1):
            if self.n_steps > _MAX_STEPS:
                return
            yield each
            if combinator in ">+" and n_seen == 1:
                return


def _compiled(selector: str) -> _Selector | None:
    """None for what has no element of its own (``::before``) and what is not read."""
    import soupsieve

    if len(selector) > _MAX_SELECTOR_CHARS or _COMBINATOR_INSIDE.search(selector):
        return None
    compounds, combinators = [""], []
    for piece, depth in _pieces(selector):
        if depth == 0 and (not piece.strip() or piece.strip() in ">+~"):
            compounds.append("")
            combinators.append(piece.strip() or " ")
        else:
            compounds[-1] += piece
    try:
        sieves = tuple(soupsieve.compile(compound) for compound in compounds)
    except (soupsieve.SelectorSyntaxError, NotImplementedError, ValueError):  # ValueError: no code point
        return None
    return _Selector(sieves, tuple(combinators), compounds[-1], _specificity(selector))


def _specificity(selector: str) -> Specificity:
    """(0, ids, classes with attributes and pseudo-classes, elements), https://www.w3.org/TR/selectors-4/#specificity."""
    plain = re.sub(r"\[[^\]]*\]", "[]", re.sub(_STRING, "", selector))
    n_ids, n_classes = len(_ID.findall(plain)), len(_CLASS.findall(plain))
    named = _PSEUDO.sub(":", _CLASS.sub(".", _ID.sub("#", re.sub(r":\w[\w-]*", ":", plain))))
    return (
        0,
        n_ids,
        n_classes + plain.count("[]") + len(_PSEUDO.findall(plain)),
        len(_ELEMENT.findall(named)),
    )


def _pieces(selector: str) -> Iterator[tuple[str, int]]:
    depth = 0
    for match in _SELECTOR_PIECE.finditer(selector.strip()):
        piece = match.group()
        depth += piece in "(["
        yield piece, depth
        depth -= piece in ")]"


def _listed(selectors: str) -> list[str]:
    """The selectors of a list, parted by its commas."""
    found = [""]
    for piece, depth in _pieces(selectors):
        if depth == 0 and piece.strip() == ",":
            found.append("")
        else:
            found[-1] += piece
    return [each for each in found if each]


@dataclass(frozen=True, slots=True)
class _Scope:
    """A block between braces: the selectors that its declarations hold for, none in a block that is not read."""

    selectors: tuple[str, ...] = ()
    is_read: bool = True

    def inner(self, prelude: str) -> _Scope:
        prelude = prelude.strip()
        if prelude.startswith("@"):
            name, _, condition = prelude[1:].partition(" ")
            name, _, bracket = name.partition("(")
            condition = f"({bracket} {condition}" if bracket else condition
            is_read = name.lower() in ("supports", "layer") or (
                name.lower() == "media" and on_screen(condition)
            )
            return _Scope(self.selectors, self.is_read and is_read)
        inner = _listed(prelude)
        if self.selectors:
            inner = [
                each.replace("&", outer) if "&" in each else f"{outer} {each}"
                for outer in self.selectors
                for each in inner
            ][:_MAX_NESTED]
        return _Scope(tuple(inner), self.is_read and bool(inner))


def _rules(sheet: str) -> Iterator[_Rule]:
    """The rules that can hide or show something, nested ones too, one for each selector of a list."""
    scopes, words = [_Scope()], ""
    for match in _PIECE.finditer(_COMMENT.sub(" ", sheet)):
        piece = match.group()
        if piece == "{":
            scopes.append(scopes[-1].inner(words))
        elif piece in "};":
            scope = scopes[-1]
            declared = tuple(declarations_of(words)) if scope.is_read and scope.selectors else ()
            for selector in scope.selectors if declared else ():
                yield _Rule(selector, declared)
            if piece == "}" and len(scopes) > 1:
                scopes.pop()
        else:
            words += piece
            continue
        words = ""


def on_screen(media: str) -> bool:
    """Whether a media query list holds on a desktop screen; one that asks for anything but its width does not.

    >>> on_screen("print"), on_screen("screen and (min-width: 600px)"), on_screen("(max-width: 40em)")
    (False, True, False)
    """
    return any(all(map(_holds, re.split(r"\band\b", query))) for query in media.lower().split(","))


def _holds(condition: str) -> bool:
    if found := _MEDIA_WIDTH.fullmatch(condition.strip()):
        size = float(found["size"]) * (1.0 if found["unit"] == "px" else 16.0)
        return size <= _SCREEN_PX if found["side"] == "min" else size >= _SCREEN_PX
    return condition.strip() in _ALWAYS
