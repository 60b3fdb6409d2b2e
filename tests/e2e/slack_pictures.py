"""Writes docs/screenshots/slack-*.png: `python -m tests.e2e.slack_pictures` draws docs/slack with the simulator."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")
os.environ.setdefault(
    "DJANGO_ALLOW_ASYNC_UNSAFE", "1"
)  # playwright runs a loop; nothing here is asynchronous

import django
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tests.e2e.product import ROOT, launch

SOURCE, TARGET = ROOT / "docs" / "slack", ROOT / "docs" / "screenshots"
QUESTIONS = {
    "answer": "@footnote How much is the hotel limit in capital cities?",
    "conflict": "@footnote What is the nightly hotel limit?",
    "small_talk": "@footnote what can you do?",
    "refusal": "@footnote Which airline do we fly with?",
    "not_allowed": "@footnote what is on the roadmap?",
    "broken": "@footnote How long is the probation period?",
}
LONG = "The fee for berth {n} is {fee} EUR a night, and it is paid before the ship leaves."


def draw() -> None:
    """Put each documented message into a workspace of its own and take its picture."""
    django.setup()
    with sync_playwright() as playwright:
        browser = launch(playwright)
        page = browser.new_page(viewport={"width": 940, "height": 620}, device_scale_factor=2)
        for file in sorted(SOURCE.glob("*.json")):
            _draw_one(page, file.stem, json.loads(file.read_text(encoding="utf-8")))
        _draw_one(page, "long_answer", None)
        browser.close()


def _draw_one(page: Page, name: str, content: dict[str, Any] | None) -> None:
    from bot.simulator.seed import ADA, HELP
    from bot.simulator.simulation import Simulation

    simulation = Simulation(way="http", product_url="http://127.0.0.1:9", has_rate_limits=False)
    simulation.client.subscriptions = set()
    try:
        place = f"/c/{HELP}"
        view = content.get("view", content) if content else {}
        if view.get("type") == "home":
            simulation.workspace.homes[ADA] = view
            place = "/home"
        else:
            asked = simulation.client.write(
                ADA, HELP, QUESTIONS.get(name, "@footnote What does each berth cost?")
            )
            _answer(simulation, asked["ts"], content, is_private=name.startswith("private"))
        for scheme in ("light", "dark") if name in {"answer", "refusal"} else ("light",):
            page.emulate_media(color_scheme=scheme)
            page.goto(f"{simulation.url}{place}?as={ADA}")
            _shoot(page, f"slack-{name.replace('_', '-')}{'-dark' if scheme == 'dark' else ''}")
    finally:
        simulation.close()


def _answer(
    simulation: Any, thread_ts: str, content: dict[str, Any] | None, *, is_private: bool = False
) -> None:
    from bot.simulator.methods_chat import post_message
    from bot.simulator.seed import ADA, HELP
    from bot.simulator.workspace import Modal

    for message in [content] if content else _long_messages():
        if message.get("type") == "modal":
            simulation.workspace.modals[ADA] = [Modal(_with_ids(message), ADA, "V1")]
        elif is_private:
            place = {"user": ADA, "channel": HELP, "thread_ts": thread_ts}
            simulation.workspace.private_messages.append(
                {**message, **place, "message_ts": simulation.workspace.next_ts()}
            )
        else:
            post_message(simulation.workspace, {**message, "channel": HELP, "thread_ts": thread_ts})


def _with_ids(view: dict[str, Any]) -> dict[str, Any]:
    blocks = [
        {**block, "block_id": block.get("block_id") or f"b{n}"} for n, block in enumerate(view["blocks"])
    ]
    return {**view, "blocks": blocks}


def _long_messages() -> list[dict[str, Any]]:
    from bot.answers import AnswerView, Sentence, Source
    from bot.messages import messages_of
    from console.questions.models import QuestionState

    sentences = tuple(Sentence(LONG.format(n=n, fee=31 * n), (1,)) for n in range(1, 140))
    place = "https://footnote.example.com/documents/3?start=1&end=2#cited"
    view = AnswerView(
        QuestionState.ANSWERED, "this channel", sentences, (Source(1, "Berth fees › Table · page 2", place),)
    )
    return [{"text": message.text, "blocks": message.blocks} for message in messages_of(view)]


def _shoot(page: Page, name: str) -> None:
    page.wait_for_timeout(400)
    raw = TARGET / f"{name}.raw.png"
    page.screenshot(path=raw)
    Image.open(raw).convert("RGB").quantize(128, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(
        TARGET / f"{name}.png", optimize=True
    )
    Path(raw).unlink()


if __name__ == "__main__":
    draw()
