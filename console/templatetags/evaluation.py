"""Tags of the evaluation pages: shares and means with their intervals, p-values."""

from __future__ import annotations

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

import rag
from console.evaluation.models import EvaluationRun, RunState
from console.templatetags.footnote import icon

register = template.Library()
ICON_OF_STATE = {
    RunState.QUEUED: "queued",
    RunState.RUNNING: "working",
    RunState.DONE: "indexed",
    RunState.FAILED: "failed",
    RunState.CANCELLED: "left_out",
}


@register.filter
def share(value: rag.Proportion) -> SafeString:
    """A share with its 95 % interval, its counts as title; a dash for none of none."""
    if not value.n:
        return SafeString("–")
    low, high = value.interval
    return format_html(
        '<span title="{} of {}, 95 % interval (Wilson)">{} <span class="muted nowrap">[{}, {}]</span></span>',
        value.successes,
        value.n,
        f"{value.rate:.3f}",
        f"{low:.2f}",
        f"{high:.2f}",
    )


@register.filter
def counted(value: rag.Proportion) -> SafeString:
    """The same with its counts shown: ``3 of 26 = 11.5 % [4, 29]``."""
    if not value.n:
        return SafeString("–")
    low, high = value.interval
    return format_html(
        '<span class="nowrap">{} of {}</span> <span class="nowrap">= {}\N{NO-BREAK SPACE}%</span> '
        '<span class="muted nowrap">[{}, {}]</span>',
        value.successes,
        value.n,
        f"{100 * value.rate:.1f}",
        f"{100 * low:.0f}",
        f"{100 * high:.0f}",
    )


@register.filter
def estimate(value: rag.Estimate) -> SafeString:
    """A mean or an area with its 95 % interval."""
    if not value.n:
        return SafeString("–")
    return format_html(
        '<span title="over {}, 95 % interval">{} <span class="muted nowrap">[{}, {}]</span></span>',
        value.n,
        f"{value.value:.3f}",
        f"{value.low:.2f}",
        f"{value.high:.2f}",
    )


@register.filter
def p_value(value: float) -> str:
    """Three places, and ``< 0.001`` below."""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


@register.filter
def cut(value: float) -> str:
    """A cut with three places."""
    return f"{value:.3f}"


@register.filter
def spoken(value: str) -> str:
    """A code as words: ``not_retrieved`` as ``not retrieved``."""
    return value.replace("_", " ")


@register.simple_tag
def run_state(run: EvaluationRun) -> SafeString:
    """How a run stands: shape and word, for a failed one with its code."""
    name = ICON_OF_STATE[RunState(run.state)]
    chip = format_html('<span class="chip {}">{}{}</span>', name, icon(name), run.get_state_display())
    if run.reason_code:
        return format_html('{} <span class="code">{}</span>', chip, run.reason_code)
    return chip
