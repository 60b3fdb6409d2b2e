"""`manage.py slack simulate` in a browser: write a question as a person, see the cited answer in its thread."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from bot.simulator.seed import ADA, HELP
from bot.simulator.simulation import Simulation
from workers.simulated_product import SimulatedProduct, free_port

LEAVE = (
    "# Leave\n\n## Unused days\n\nUnused days of leave must be taken until 31 March of the following year.\n"
)


@pytest.fixture
def simulation(tmp_path: Path) -> Iterator[Simulation]:
    port = free_port()
    simulation = Simulation(way="socket", product_url=f"http://127.0.0.1:{port}")
    environment = {**simulation.environment, "FOOTNOTE_IGNORE_DOTENV": "1"}
    product = SimulatedProduct(tmp_path / "home", port, environment, is_quiet=True)
    product.read("leave.md", LEAVE)
    product.start()
    assert simulation.sockets.wait_until_connected(60)
    yield simulation
    product.stop()
    simulation.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that may log no error and break no policy."""
    errors: list[str] = []
    page = browser.new_page()
    page.on("console", lambda m: errors.append(m.text) if m.type in {"error", "warning"} else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    page.close()
    assert errors == []


def test_a_question_is_answered_in_its_thread(simulation: Simulation, page: Page) -> None:
    page.goto(f"{simulation.url}/c/{HELP}?as={ADA}")
    page.get_by_label("Message as ada").fill("@footnote Until when must unused days of leave be taken?")
    page.get_by_role("button", name="Send as ada").click()
    thread = page.locator(".thread")
    expect(thread).to_contain_text("31 March", timeout=90_000)
    expect(thread.get_by_role("link", name="Leave › Unused days")).to_be_visible()
    page.goto(f"{simulation.url}/log?as={ADA}")
    expect(page.locator(".log")).to_contain_text("app_mention")
    expect(page.locator(".log")).to_contain_text("assistant.threads.setStatus")
    assert simulation.api.problems == []


def test_it_fits_a_phone(simulation: Simulation, page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 720})
    page.goto(f"{simulation.url}/c/{HELP}?as={ADA}")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
