"""From golden questions to a cut: import, run, look, calibrate, use."""

from __future__ import annotations

import json
import re

from playwright.sync_api import expect

from tests.e2e.conftest import NewPage
from tests.e2e.product import Product
from tests.e2e.test_product import make_folder, row, upload

MANUAL = """# Lock manual

## Keys

Every visitor hands in the blue key at the south gate before noon.

## Lights

The north pier is lit from dusk until the last ferry has left.

## Dogs

Dogs are kept on a lead of at most two metres on both quays.
"""
NEEDLES = [
    (
        "Where does a visitor hand in the blue key?",
        "Every visitor hands in the blue key at the south gate before noon.",
    ),
    ("Until when is the north pier lit?", "The north pier is lit from dusk until the last ferry has left."),
    (
        "How long may a dog's lead be on the quays?",
        "Dogs are kept on a lead of at most two metres on both quays.",
    ),
]
REFUSALS = ["Who sells tickets for the opera?", "What does the red key open?"]


def json_lines(rows: list[dict[str, str]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def test_from_golden_questions_to_a_cut(product: Product, new_page: NewPage) -> None:
    page = new_page(viewport={"width": 1280, "height": 900})
    make_folder(page, product, "Locks")
    upload(page, ("manual.md", MANUAL.encode()))
    expect(row(page, "manual.md").locator(".chip.indexed")).to_be_visible()

    page.goto(f"{product.url}/evaluation/sets/new")
    page.get_by_label("Name").fill("Lock questions")
    page.get_by_label("Locks").check()
    page.get_by_role("button", name="Make the set").click()
    page.get_by_role("link", name="Import").click()
    needles = [
        {"id": f"n{at}", "document": "manual.md", "needle": needle, "question": question}
        for at, (question, needle) in enumerate(NEEDLES)
    ]
    refusals = [
        {"id": f"r{at}", "kind": "near", "question": question, "why": "The manual does not say."}
        for at, question in enumerate(REFUSALS)
    ]
    files = {"needles.jsonl": json_lines(needles), "refusals.jsonl": json_lines(refusals)}
    page.locator("input[name=files]").set_input_files(
        [{"name": name, "mimeType": "application/jsonl", "buffer": body} for name, body in files.items()]
    )
    page.get_by_role("button", name="Import").click()
    expect(page.locator(".page-head")).to_contain_text("3 needles")

    page.get_by_role("link", name="Check against the index").click()
    expect(page.locator("main")).not_to_contain_text("does not stand")
    page.go_back()

    page.get_by_role("button", name="Run it").click()
    state = page.locator("#run-state")
    expect(state).to_contain_text("Done", timeout=90_000)
    figures = page.locator("main")
    expect(figures).to_contain_text("Recall")
    expect(page.locator("main svg").first).to_be_visible()
    expect(figures).to_contain_text(re.compile("bluff", re.IGNORECASE))

    page.get_by_role("link", name="Calibrate the cut").click()
    expect(page.locator("#curves svg").first).to_be_visible()
    budget = page.get_by_label("Budget of bluffs, percent")
    budget.fill("20")
    budget.press("Enter")
    expect(page).to_have_url(re.compile("budget=20"))
    expect(page.locator("#curves svg").first).to_be_visible()
