"""Tags of the console: icons, chips, times, sortable headers, distances."""

from __future__ import annotations

from datetime import datetime
from pathlib import PurePosixPath
from urllib.parse import urlencode

from django import template
from django.db.models import Model
from django.http import HttpRequest
from django.template import Context
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from console.channels.linting import Effect
from console.glossary import TERMS
from console.listing import Listing
from console.questions.models import PENDING_STATES, QuestionState
from console.sources.models import Document, DocumentState
from console.sources.names import letters

register = template.Library()
RULER_MAX = 1.0
"""The picture of a distance ends here; farther passages are drawn at its edge."""


@register.simple_tag
def icon(name: str) -> SafeString:
    """A symbol of icons.svg; decoration, the word stands beside it."""
    return format_html(
        '<svg class="icon" aria-hidden="true" focusable="false"><use href="{}#{}"/></svg>',
        static("icons.svg"),
        name,
    )


@register.simple_tag
def outcome(state: str) -> SafeString:
    """How a question stands: shape, word and colour."""
    name = "pending" if state in PENDING_STATES else state
    return format_html('<span class="chip {}">{}{}</span>', name, icon(name), QuestionState(state).label)


@register.simple_tag
def state(document: Document) -> SafeString:
    """How a document stands; with the reason's code when something is wrong."""
    is_busy = document.state in {DocumentState.EXTRACTING, DocumentState.INDEXING}
    name = "working" if is_busy else document.state
    chip = format_html('<span class="chip {}">{}{}</span>', name, icon(name), document.get_state_display())
    if document.reason_code:
        return format_html('{} <span class="code">{}</span>', chip, document.reason_code)
    return chip


@register.simple_tag
def channel_effect(effect: Effect | None) -> SafeString:
    """What a channel does to somebody who asks there: answers, refuses, or nothing at all."""
    name, word = {
        Effect.SILENT: ("stalled", "Silent"),
        Effect.REFUSES: ("refused", "Refuses"),
        Effect.NOT_ALLOWED: ("not_allowed", "Not allowed"),
        Effect.NOTE: ("pending", "Note"),
        None: ("answered", "Answers"),
    }[effect]
    return format_html('<span class="chip {}">{}{}</span>', name, icon(name), word)


@register.simple_tag
def ago(moment: datetime | None) -> SafeString:
    """A relative time with the exact one as title; app.js keeps it current."""
    if moment is None:
        return SafeString("–")
    return format_html(
        '<time datetime="{}" title="{}" data-ago>{}</time>',
        moment.isoformat(timespec="seconds"),
        f"{moment:%Y-%m-%d %H:%M:%S} UTC",
        _relative((timezone.now() - moment).total_seconds()),
    )


def _relative(seconds: float) -> str:
    if seconds < 5:
        return "just now"
    for limit, size, unit in (
        (60, 1, "s"),
        (3_600, 60, "min"),
        (86_400, 3_600, "h"),
        (86_400 * 60, 86_400, "d"),
    ):
        if seconds < limit:
            return f"{int(seconds / size)} {unit} ago"
    return f"{int(seconds / 86_400 / 30)} months ago"


@register.filter
def has_telling_title(document: Document) -> bool:
    """True when the title says more than the file's name: ``Travel policy`` beside ``travel-policy.md`` does not."""
    stem = PurePosixPath(document.name).stem
    return bool(letters(document.title)) and letters(document.title) not in letters(stem)


@register.filter
def distance(value: object) -> str:
    """A cosine distance with three places; a dash where there is none."""
    return f"{value:.3f}" if isinstance(value, int | float) else "–"


@register.filter
def signed(value: float) -> str:
    """A difference of two distances, with its sign."""
    return f"{value:+.3f}".replace("-", "−")


@register.filter
def ms(value: float | None) -> str:
    """Milliseconds as people read them: ``0.4 ms``, ``240 ms``, ``1.31 s``."""
    if value is None:
        return "–"
    if value < 10:
        return f"{value:.1f} ms"
    return f"{value:.0f} ms" if value < 1_000 else f"{value / 1_000:.2f} s"


@register.filter
def seconds(value: float | None) -> str:
    """Seconds as people read them."""
    return "–" if value is None else ms(value * 1_000)


@register.filter
def duration(value: int) -> str:
    """Seconds as a person waits them: ``40 s``, ``12 min``, ``3 h``."""
    if value < 90:
        return f"{value} s"
    return f"{round(value / 60)} min" if value < 5_400 else f"{round(value / 3_600)} h"


@register.simple_tag
def term(name: str, word: str = "") -> SafeString:
    """A term of the field with its one-line explanation on hover."""
    return format_html('<abbr title="{}">{}</abbr>', TERMS[name], word or name)


@register.inclusion_tag("_ruler.html")
def ruler(
    best: float | None, cut: float | None, score: str = "distance", size: str = ""
) -> dict[str, object]:
    """Best score and cut on one scale from 0 to 1, readable without colour.

    A relevance and a support pass right of the cut, a distance left of it.
    """
    if not isinstance(best, int | float) or not isinstance(cut, int | float):
        return {"is_empty": True}
    width = 88 if size == "mini" else 240
    passes_above = score in {"relevance", "support"}
    scale_end = 1.0 if passes_above else RULER_MAX
    at_best, at_cut = (round(min(max(v, 0.0), scale_end) / scale_end * width, 1) for v in (best, cut))
    return {
        "best": best,
        "cut": cut,
        "score": score,
        "x_best": at_best,
        "x_cut": at_cut,
        "x_passes": at_cut if passes_above else 0,
        "w_passes": round(width - at_cut, 1) if passes_above else at_cut,
        "is_inside": best >= cut if passes_above else best <= cut,
        "is_mini": size == "mini",
    }


@register.inclusion_tag("_header.html", takes_context=True)
def header(
    context: Context, listing: Listing[Model], key: str, label: str, css: str = ""
) -> dict[str, object]:
    """A table's header that sorts; the same key again turns the order."""
    request: HttpRequest = context["request"]
    is_sorted = listing.sort.removeprefix("-") == key
    is_descending = listing.sort.startswith("-")
    # Text starts at A, numbers and times at the largest.
    following = f"-{key}" if (is_sorted and not is_descending) or (not is_sorted and css == "num") else key
    return {
        "label": label,
        "css": css,
        "url": "?" + _query(request, sort=following, page=None),
        "aria_sort": ("descending" if is_descending else "ascending") if is_sorted else "",
        "target": listing.target,
    }


@register.inclusion_tag("_pages.html", takes_context=True)
def pages(context: Context, listing: Listing[Model], noun: str, nouns: str = "") -> dict[str, object]:
    """What is shown of how many, with links to the pages beside it."""
    request: HttpRequest = context["request"]
    page = listing.page
    return {
        "listing": listing,
        "noun": noun if listing.n_total == 1 else nouns or f"{noun}s",
        "before": "?" + _query(request, page=str(page.previous_page_number())) if page.has_previous() else "",
        "after": "?" + _query(request, page=str(page.next_page_number())) if page.has_next() else "",
    }


def _query(request: HttpRequest, **changes: str | None) -> str:
    values = request.GET.copy()
    for name, value in changes.items():
        if value is None:
            values.pop(name, None)
        else:
            values[name] = value
    return urlencode([(name, value) for name, all_values in values.lists() for value in all_values])
