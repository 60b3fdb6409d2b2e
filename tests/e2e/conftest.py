"""One product and one browser for all tests; every page is watched for errors of script and policy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from tests.e2e.product import CHROMIUM, Product, launch, running_product, sign_in

expect.set_options(timeout=20_000)


@pytest.fixture(scope="session")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    if not Path(CHROMIUM).exists():
        pytest.skip(f"no Chromium at {CHROMIUM}; `apt-get install chromium`, or set CHROMIUM")
    with running_product(tmp_path_factory.mktemp("footnote"), has_sample=False) as product:
        yield product


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = launch(playwright)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def signed_in_state(product: Product, browser: Browser) -> dict[str, object]:
    context = browser.new_context()
    sign_in(context.new_page(), product.url)
    state = context.storage_state()
    context.close()
    return state


NewPage = Callable[..., Page]


@pytest.fixture
def new_page(browser: Browser, signed_in_state: dict[str, object]) -> Iterator[NewPage]:
    """A page, signed in unless told otherwise; none may log an error or break its policy until the test ends."""
    contexts: list[BrowserContext] = []
    errors: list[str] = []

    def make(**options: object) -> Page:
        context = browser.new_context(**{"storage_state": signed_in_state, **options})
        context.set_default_timeout(20_000)
        contexts.append(context)
        page = context.new_page()
        page.on(
            "console",
            lambda m: errors.append(f"{m.type}: {m.text}") if m.type in {"error", "warning"} else None,
        )
        page.on("pageerror", lambda error: errors.append(f"script: {error}"))
        return page

    yield make
    for context in contexts:
        context.close()
    assert errors == []
