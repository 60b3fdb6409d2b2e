"""Writes docs/screenshots: `python -m tests.e2e.screenshots` starts the product with its sample and asks it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.e2e.product import PASSWORD, ROOT, Product, launch, running_product, sign_in

TARGET = ROOT / "docs" / "screenshots"
WIDE = {"width": 1180, "height": 760}
NARROW = {"width": 360, "height": 720}
QUESTIONS = [
    "Who won the 1998 world cup?",
    "How do I report a near miss?",
    "What does the board pack say about revenue in the third quarter?",
    "Who may open the gate at night?",
    "How many days of leave do I have?",
    "When can I carry over unused days of leave?",
]
PEOPLE = {"ines": "Support lead", "tomasz": "Viewer", "wen": "Viewer"}
MAX_BYTES = 150_000
"""A picture larger than this is stored with a palette of 256 colours."""


def wait_until_read(page: Page, product: Product) -> None:
    page.goto(f"{product.url}/folders/1")
    expect(page.locator("tr[data-working]")).to_have_count(0, timeout=180_000)


def ask(page: Page, product: Product, question: str) -> None:
    page.goto(f"{product.url}/ask")
    page.get_by_label("Question").fill(question)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator("#result [data-question]:not([data-working])")).to_be_visible(timeout=60_000)
    expect(page.locator("#recent")).to_contain_text(question)


def add_people(page: Page, product: Product) -> None:
    for name, role in PEOPLE.items():
        page.goto(f"{product.url}/people/new")
        page.get_by_label("User name").fill(name)
        page.get_by_label("Email").fill(f"{name}@example.org")
        page.get_by_label("Role").select_option(label=role)
        page.get_by_label("First password").fill(PASSWORD)
        page.get_by_role("button", name="Add the person").click()
        page.wait_for_url(f"{product.url}/people")


def shoot(page: Page, name: str) -> None:
    page.mouse.move(0, 0)
    page.wait_for_load_state("networkidle")  # a page of a PDF is drawn when it is first looked at
    page.wait_for_timeout(700)
    raw = TARGET / f"{name}.raw.png"
    page.screenshot(path=raw)
    image, target = Image.open(raw).convert("RGB"), TARGET / f"{name}.png"
    image.save(target, optimize=True)
    if target.stat().st_size > MAX_BYTES:
        image.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(target, optimize=True)
    raw.unlink()


def shoot_light_and_dark(page: Page, name: str) -> None:
    page.emulate_media(color_scheme="light")
    shoot(page, name)
    page.emulate_media(color_scheme="dark")
    shoot(page, f"{name}-dark")


def first_link(page: Page, url: str, selector: str) -> str:
    page.goto(url)
    return page.locator(selector).first.get_attribute("href") or "/"


def evaluated(page: Page, product: Product) -> dict[str, str]:
    """The pages of the sample's golden set after one run of it."""
    page.goto(f"{product.url}/evaluation")
    page.get_by_role("button", name="Import the sample questions").click()
    page.get_by_role("button", name="Run it").click()
    expect(page.locator("#run-state")).to_contain_text("Done", timeout=600_000)
    run = page.url.removeprefix(product.url)
    return {"evaluation": run, "calibration": f"{run}/calibration"}


def shoot_all(browser: Browser, product: Product) -> None:
    context = browser.new_context(viewport=WIDE)
    page = context.new_page()
    sign_in(page, product.url)
    add_people(page, product)
    wait_until_read(page, product)
    for question in QUESTIONS:
        ask(page, product, question)
    shoot_light_and_dark(page, "ask")
    answered = first_link(page, f"{product.url}/questions?outcome=answered", "td a[data-open]")
    pages = {
        "overview": "/",
        "answer": answered,
        "refusal": first_link(page, f"{product.url}/questions?outcome=refused", "td a[data-open]"),
        "folder": "/folders/1",
        "document": first_link(page, f"{product.url}/folders/1?q=working-near", "td a[data-open]"),
        "citation": first_link(page, product.url + answered, "a.cite"),
        "failed": "/failed",
        "refusals": "/refusals",
        "questions": "/questions",
        "versions": "/versions",
        "thresholds": "/thresholds",
        "people": "/people",
    }
    pages |= evaluated(page, product)
    for name, path in pages.items():
        page.goto(product.url + path)
        shoot_light_and_dark(page, name)
    page.set_viewport_size(NARROW)
    page.emulate_media(color_scheme="light")
    for name in ("folder", "failed", "answer", "evaluation", "calibration"):
        page.goto(product.url + pages[name])
        shoot(page, f"{name}-narrow")
    context.close()


def main() -> None:
    TARGET.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory(prefix="footnote-shots-") as home,
        sync_playwright() as playwright,
        running_product(Path(home), has_sample=True) as product,
    ):
        browser = launch(playwright)
        shoot_all(browser, product)
        browser.close()
    for path in sorted(TARGET.glob("*.png")):
        print(f"{path.relative_to(ROOT)}  {path.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
