"""The App Home tab: what I can answer this person from, their questions, questions worth asking. Pure builders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot import blocks as kit
from bot.blocks import Action, Block, context, header, section
from bot.modals import View
from bot.phrases import Phrases
from bot.text import escape

N_FOLDERS = 20
TEXT_CHARS = 200


@dataclass(frozen=True, slots=True)
class FolderLine:
    """A folder and how much of it can be searched."""

    name: str
    n_documents: int
    n_unreadable: int = 0
    n_working: int = 0


@dataclass(frozen=True, slots=True)
class AskedLine:
    """A question of this person: its text, its state (a `QuestionState`), and its page where they may open it."""

    text: str
    state: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A question worth asking, by the id of one that was answered."""

    question_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Home:
    """All that the tab shows."""

    folders: Sequence[FolderLine] = ()
    is_linked: bool = False
    asked: Sequence[AskedLine] = ()
    suggestions: Sequence[Suggestion] = ()


def home_view(home: Home, token: str, phrases: Phrases) -> View:
    """The tab. `token` comes back with every click in it."""
    return {
        "type": "home",
        "private_metadata": token,
        "blocks": [
            *_folder_blocks(home, phrases),
            kit.divider(),
            *_asked_blocks(home.asked, phrases),
            kit.divider(),
            *_suggestion_blocks(home.suggestions, phrases),
        ],
    }


def _folder_blocks(home: Home, phrases: Phrases) -> list[Block]:
    words = phrases.home
    lines = [_folder_line(folder, phrases) for folder in home.folders[:N_FOLDERS]]
    if (n_more := len(home.folders) - N_FOLDERS) > 0:
        lines.append(words.more.of(n_more))
    return [
        header(words.folders),
        *(section(piece) for piece in kit.packed_lines(lines or [words.no_folder])),
        *([] if home.is_linked else [context(words.not_linked)]),
    ]


def _folder_line(folder: FolderLine, phrases: Phrases) -> str:
    words = phrases.home
    counts = [words.documents.of(folder.n_documents)]
    if folder.n_unreadable:
        counts.append(words.unreadable.of(folder.n_unreadable))
    if folder.n_working:
        counts.append(words.working.of(folder.n_working))
    return f"*{escape(folder.name)}*: {', '.join(counts)}"


def _asked_blocks(asked: Sequence[AskedLine], phrases: Phrases) -> list[Block]:
    words = phrases.home
    lines = [_asked_line(line, phrases) for line in asked]
    return [
        header(words.recent),
        *(section(piece) for piece in kit.packed_lines(lines or [words.no_recent])),
    ]


def _asked_line(line: AskedLine, phrases: Phrases) -> str:
    text = escape(_one_line(line.text))
    shown = f"<{escape(line.url)}|{text}>" if line.url else text
    return f"{shown} · _{phrases.home.outcomes[line.state]}_"


def _suggestion_blocks(suggestions: Sequence[Suggestion], phrases: Phrases) -> list[Block]:
    words = phrases.home
    if not suggestions:
        return [header(words.suggested), context(words.no_suggestion)]
    rows: list[Block] = [
        {
            **section(escape(_one_line(suggestion.text))),
            "accessory": kit.button(Action.ASK_SUGGESTED, phrases.buttons.ask, suggestion.question_id),
        }
        for suggestion in suggestions
    ]
    return [header(words.suggested), *rows]


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= TEXT_CHARS else f"{line[: TEXT_CHARS - 1]}…"
