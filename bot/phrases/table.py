"""What a language has to say. Braces are filled in by `str.format`; what is filled in is never read as a format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

import rag
from console.questions.models import FeedbackReason


class Problem(StrEnum):
    """Why a click, a form or a shared answer came to nothing; the closed list."""

    GONE = "gone"
    NOT_YOURS = "not_yours"
    NOT_ALLOWED = "not_allowed"
    TOO_LATE = "too_late"
    SHARED_ALREADY = "shared_already"
    NOT_FOR_EVERYONE = "not_for_everyone"
    NO_MEMBER = "no_member"
    AUDIENCE_UNKNOWN = "audience_unknown"
    SOURCES_CHANGED = "sources_changed"
    ANSWERED_ALREADY = "answered_already"
    NO_TEXT = "no_text"
    SLACK_REFUSED = "slack_refused"


@dataclass(frozen=True, slots=True)
class Plural:
    """A phrase with a number in it."""

    one: str
    many: str

    def of(self, n: int, **values: str) -> str:
        """The form that belongs to `n`, which is filled in as ``{n}``."""
        return (self.one if n == 1 else self.many).format(n=n, **values)


@dataclass(frozen=True, slots=True)
class Ages:
    """How long ago something was added, from days to years."""

    today: str
    days: Plural
    weeks: Plural
    months: Plural
    years: Plural

    def of(self, n_days: int) -> str:
        """``added 3 weeks ago``; never finer than a day."""
        if n_days < 1:
            return self.today
        if n_days < 14:
            return self.days.of(n_days)
        if n_days < 60:
            return self.weeks.of(n_days // 7)
        return self.months.of(n_days // 30) if n_days < 730 else self.years.of(n_days // 365)


@dataclass(frozen=True, slots=True)
class Buttons:
    """Labels; Slack takes 75 characters and a phone shows about 20."""

    view_sources: str
    show_nearest: str
    helpful: str
    not_helpful: str
    share: str
    ask_a_human: str
    answer_edited: str
    ask: str
    close: str
    send: str
    cancel: str


@dataclass(frozen=True, slots=True)
class ModalPhrases:
    """Titles (24 characters at most) and texts of the forms."""

    sources: str
    nearest: str
    hidden_source: str
    gone_source: str
    changed_source: str
    no_source: str
    more: Plural
    feedback: str
    feedback_reason: str
    feedback_comment: str
    feedback_hint: str
    reasons: Mapping[FeedbackReason, str]
    ask: str
    ask_question: str
    ask_hint: str
    asked: str
    expired: str


@dataclass(frozen=True, slots=True)
class HomePhrases:
    """The App Home tab."""

    folders: str
    documents: Plural
    unreadable: Plural
    working: Plural
    no_folder: str
    not_linked: str
    recent: str
    no_recent: str
    outcomes: Mapping[str, str]
    suggested: str
    no_suggestion: str
    more: Plural


@dataclass(frozen=True, slots=True)
class ChannelPhrases:
    """What `/footnote status` says around the console's own findings."""

    here: str
    silent: str
    refuses: str
    not_allowed: str
    answers: str
    answered_from: str
    nothing: str
    more: Plural
    index: str
    not_ready: str
    cut_of_channel: str
    cut_of_version: str
    to_know: str
    looking: str
    usage: str


@dataclass(frozen=True, slots=True)
class Replies:
    """What a click is answered with, to the person who clicked alone."""

    looking: str
    usage: str
    thanks: str
    noted: str
    sharing: str
    human_asked: str
    human_in_console: str
    human_without_owner: str
    human_asked_before: str
    edit_offer: str
    asked: str
    asked_privately: str
    shared_by: str
    owner_told: str
    owner_folders: str
    owner_link: str
    withdrawn: str
    question_deleted: str
    problems: Mapping[Problem, str]


@dataclass(frozen=True, slots=True)
class Phrases:
    """One language."""

    code: str
    date_form: str
    months: tuple[str, ...]
    and_: str
    decimal_point: str
    sources: str
    n_sources: Plural
    part: str
    from_documents_here: str
    from_documents_yours: str
    according_to: str
    more_items: Plural
    list_rest: Mapping[rag.ListRest, str]
    disagree: str
    not_answered: str
    dated: str
    assumes: str
    page: str
    slide: str
    ages: Ages
    cannot_here: str
    cannot_yours: str
    closest: str
    closest_distance: str
    closest_relevance: str
    also_near: str
    unreadable_in: Plural
    unreadable: str
    still_working: Plural
    degraded: Mapping[rag.Degrade, str]
    again_in_a_moment: str
    refusals: Mapping[rag.RefusalReason, str]
    not_mentioned: str
    """With `names`, each of them as `name_quoted`."""
    name_quoted: str
    next_steps: Mapping[rag.RefusalReason, str]
    small_talk: Mapping[str, str]
    question_empty: str
    question_too_long: str
    not_allowed_external: str
    not_allowed_unknown: str
    not_allowed_chosen: str
    sources_changed: str
    stopped: str
    broken: str
    broken_next: str
    reference: str
    not_taken: str
    not_taken_link: str
    goes_on: str
    status: str
    thread_not_read: str
    buttons: Buttons
    modals: ModalPhrases
    home: HomePhrases
    channel: ChannelPhrases
    replies: Replies

    def on(self, day: date) -> str:
        """``3 November 2026``."""
        return self.date_form.format(day=day.day, month=self.months[day.month - 1], year=day.year)

    def number(self, value: float) -> str:
        """``0.58``: a relevance or a distance with the two places that decide."""
        return f"{value:.2f}".replace(".", self.decimal_point)

    def listed(self, names: list[str]) -> str:
        """``Ada, Bo and Cy``."""
        return f" {self.and_} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)

    def unreadable_sentence(self, rows: list[dict[str, str | int]]) -> str:
        """``2 files in Travel could not be read.``; empty when all could."""
        parts = [self.unreadable_in.of(int(row["count"]), folder=str(row["folder"])) for row in rows]
        return self.unreadable.format(files=self.listed(parts)) if parts else ""
