"""The product as people use it, from sign-in to the cited place."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import NewPage
from tests.e2e.product import Product, sign_in

ANNEXES = "".join(
    f"## Annex {n}\n\nForm {n} of the annex is kept by the office in Porto.\n\n" for n in range(250)
)
# The cited sentence stands far below the first screen, and there is enough to read that its states can be watched.
POLICY = f"""# Travel policy

{ANNEXES}## Hotels

The nightly hotel limit in Lisbon is 135 EUR. Above it you need your lead's written approval before booking.

## Trains

Book second class for journeys under three hours. First class is allowed above that.
"""
BROKEN = b"%PDF-1.7\n" + 1_000_000 * b"9 0 obj <<>> endobj\n"  # half a second to find that it has no pages
WORKING = ("queued", "extracting", "indexing")
WATCH_STATES = """() => {
  window.statesSeen = {};
  new MutationObserver(() => {
    for (const row of document.querySelectorAll("tr[data-document]")) {
      const seen = (window.statesSeen[row.querySelector("[data-open]").textContent] ??= []);
      if (seen.at(-1) !== row.dataset.state) seen.push(row.dataset.state);
    }
  }).observe(document.querySelector("main"), { childList: true, subtree: true, attributes: true });
}"""
QUESTION = "What is the nightly hotel limit in Lisbon?"


def make_folder(page: Page, product: Product, name: str) -> None:
    page.goto(f"{product.url}/folders/new")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Open to everyone").check()
    page.get_by_role("button", name="Create the folder").click()
    expect(page.get_by_role("heading", name=name)).to_be_visible()


def mark(page: Page) -> None:
    page.evaluate("window.notReloaded = true")


def assert_not_reloaded(page: Page) -> None:
    assert page.evaluate("window.notReloaded") is True


def row(page: Page, name: str) -> object:
    return page.locator("tr[data-document]", has_text=name)


def upload(page: Page, *files: tuple[str, bytes]) -> None:
    kinds = {"md": "text/markdown", "pdf": "application/pdf"}
    payload = [{"name": n, "mimeType": kinds[n.rsplit(".", 1)[-1]], "buffer": body} for n, body in files]
    page.locator("[data-pick]").first.set_input_files(payload)


def test_from_upload_to_the_cited_place(product: Product, new_page: NewPage) -> None:
    page = new_page(storage_state=None, viewport={"width": 1280, "height": 800})
    sign_in(page, product.url)
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()

    make_folder(page, product, "Travel")
    mark(page)
    page.evaluate(WATCH_STATES)
    upload(page, ("policy.md", POLICY.encode()), ("scan.pdf", BROKEN))
    expect(row(page, "policy.md").locator(".chip.indexed")).to_be_visible()
    expect(row(page, "scan.pdf").locator(".chip.failed")).to_be_visible()
    expect(row(page, "scan.pdf").locator(".code")).to_have_text(
        re.compile("damaged|unsupported|empty|no_text|crashed")
    )
    expect(page.locator("#n-attention")).to_contain_text("1")
    seen = page.evaluate("window.statesSeen")
    for name, end in (("policy.md", "indexed"), ("scan.pdf", "failed")):
        assert seen[name][0] in WORKING, seen
        assert seen[name][-1] == end, seen
    assert_not_reloaded(page)

    page.goto(f"{product.url}/failed")
    mark(page)
    failed = row(page, "scan.pdf")
    failed.get_by_role("button", name="Retry").click()
    expect(failed.locator(".chip.failed")).to_have_count(0)
    expect(failed.locator(".chip.failed")).to_be_visible()
    assert_not_reloaded(page)
    failed.get_by_role("link", name="scan.pdf").first.click()
    expect(page.locator("li", has_text="Retry by admin")).to_be_visible()

    page.goto(f"{product.url}/ask")
    mark(page)
    page.get_by_label("Question").fill(QUESTION)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator("#result .chip.answered")).to_be_visible()
    expect(page.locator("#result .answer")).to_contain_text("135 EUR")
    assert_not_reloaded(page)
    page.locator("#result a.cite").first.click()
    cited = page.locator("mark#cited")
    expect(cited).to_be_in_viewport()
    expect(cited).to_contain_text("135 EUR")


def test_a_refusal_says_what_was_near_and_the_numbers(product: Product, new_page: NewPage) -> None:
    page = new_page()
    page.goto(f"{product.url}/ask")
    page.get_by_label("Question").fill("Which dinosaur had the longest neck?")
    page.get_by_label("Question").press("Control+Enter")
    expect(page.locator("#result .chip.refused")).to_be_visible()
    expect(page.locator("#result .ruler")).to_be_visible()
    page.get_by_role("link", name="Link to this answer").click()
    expect(page.get_by_role("heading", name="Stages")).to_be_visible()
    expect(page.get_by_role("heading", name="Candidate passages")).to_be_visible()


def test_dropped_files_keep_their_folder(product: Product, new_page: NewPage) -> None:
    page = new_page()
    make_folder(page, product, "Dropped")
    data = page.evaluate_handle(
        """() => { const d = new DataTransfer();
        for (const n of ["one.md", "two.md"]) d.items.add(new File([`# ${n}\\n\\nText of ${n} is here.`], n));
        return d; }"""
    )
    page.dispatch_event("[data-drop]", "drop", {"dataTransfer": data})
    for name in ("one.md", "two.md"):
        expect(row(page, name).locator(".chip.indexed")).to_be_visible()


def test_a_zip_is_unpacked_and_a_document_is_disabled_and_enabled(
    product: Product, new_page: NewPage
) -> None:
    page = new_page()
    make_folder(page, product, "Archive")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as container:
        container.writestr("gate.md", "# Gate\n\nThe north gate is locked at nine in the evening.")
        container.writestr("pond.md", "# Pond\n\nThe pond is drained every second spring.")
    file = {"name": "grounds.zip", "mimeType": "application/zip", "buffer": packed.getvalue()}
    page.locator("[data-pick]").first.set_input_files([file])
    expect(page.locator("[data-uploads]")).to_contain_text("2 new")
    for name in ("gate.md", "pond.md"):
        expect(row(page, name).locator(".chip.indexed")).to_be_visible()
    expect(page.locator("#folder-counts")).to_contain_text("2 documents, 2 searchable")
    row(page, "gate.md").get_by_role("link", name="gate.md").first.click()
    mark(page)
    page.get_by_role("button", name="Disable").click()
    expect(page.locator(".chip.left_out")).to_be_visible()
    assert_not_reloaded(page)
    page.get_by_role("button", name="Enable").click()
    expect(page.locator(".chip.indexed")).to_be_visible()


def test_a_page_hears_of_what_others_do(product: Product, new_page: NewPage) -> None:
    watcher, asker = new_page(), new_page()
    watcher.goto(product.url)
    expect(watcher.locator("[data-live-state]")).to_have_text("Live")
    mark(watcher)
    asker.goto(f"{product.url}/ask")
    asker.get_by_label("Question").fill("Who keeps form 7 of the annex?")
    asker.get_by_role("button", name="Ask", exact=True).click()
    expect(watcher.locator("#overview-questions")).to_contain_text("Who keeps form 7 of the annex?")
    assert_not_reloaded(watcher)


def test_without_a_socket_pages_look_by_themselves(product: Product, new_page: NewPage) -> None:
    page = new_page()
    page.route_web_socket("**/live/", lambda socket: socket.close())
    make_folder(page, product, "Offline")
    upload(page, ("late.md", b"# Late\n\nThis was read without a socket."))
    expect(row(page, "late.md").locator(".chip.indexed")).to_be_visible()
    expect(page.locator("[data-live-state]")).to_have_text("Reconnecting")


def test_everything_works_without_javascript(product: Product, new_page: NewPage) -> None:
    page = new_page(java_script_enabled=False)
    make_folder(page, product, "Plain")
    file = {"name": "plain.md", "mimeType": "text/markdown", "buffer": b"# Plain\n\nThe depot opens at six."}
    page.get_by_label("Files", exact=True).set_input_files([file])
    page.get_by_role("button", name="Upload").click()
    expect(page.locator("#notes")).to_contain_text("1 stored")
    page.goto(f"{product.url}/ask")
    page.get_by_label("Question").fill(QUESTION)
    page.get_by_role("button", name="Ask", exact=True).click()
    # The page of the question refreshes itself while it is pending.
    expect(page.locator(".chip.answered")).to_be_visible()
    page.locator("a.cite").first.click()
    expect(page.locator("mark#cited")).to_contain_text("135 EUR")


def test_keys_move_and_open(product: Product, new_page: NewPage) -> None:
    page = new_page()
    page.goto(f"{product.url}/folders?sort=name")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    focused = page.evaluate("document.activeElement.querySelector('[data-open]').textContent")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name=focused)).to_be_visible()


def test_the_theme_is_kept(product: Product, new_page: NewPage) -> None:
    page = new_page(color_scheme="light")
    page.goto(product.url)
    button = page.locator("[data-theme-button]")
    button.click()
    button.click()
    expect(button).to_contain_text("dark")
    page.goto(f"{product.url}/folders")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(21, 23, 26)"


PATHS = (
    "/", "/ask", "/folders", "/folders/1", "/folders/new", "/failed", "/documents/1", "/versions", "/thresholds",
    "/refusals", "/questions", "/channels", "/channels/new", "/workspaces",
    "/people", "/people/new", "/audit", "/account",
)  # fmt: skip
READABLE = Path(__file__).with_name("readable.js").read_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_fits_a_phone_and_can_be_read(scheme: str, product: Product, new_page: NewPage) -> None:
    page = new_page(color_scheme=scheme, viewport={"width": 360, "height": 740})
    wide = new_page(color_scheme=scheme, viewport={"width": 1280, "height": 800})
    for path in PATHS:
        for one in (page, wide):
            one.goto(product.url + path)
            over = one.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            assert over <= 0, f"{path} is {over} px too wide"
            assert one.evaluate(READABLE) == [], path
            assert one.locator("h1").count() == 1, path


def test_the_menu_folds_on_a_phone(product: Product, new_page: NewPage) -> None:
    page = new_page(viewport={"width": 360, "height": 740})
    page.goto(product.url)
    link = page.get_by_role("navigation", name="Main").get_by_role("link", name="Folders")
    expect(link).to_be_hidden()
    page.get_by_role("button", name="Menu").click()
    link.click()
    expect(page.get_by_role("heading", name="Folders")).to_be_visible()
