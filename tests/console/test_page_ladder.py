"""Every page climbs the same ladder: works · signed out · role too low · not theirs · missing · bad id ·
wrong method · no CSRF token."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from tests.console.conftest import World

ROLES = ("viewer", "support_lead", "admin")


@dataclass(frozen=True)
class Page:
    """`hidden` is the same page of something only admins see, `missing` of nothing."""

    method: str
    path: str
    least: str = "viewer"
    data: dict[str, object] = field(default_factory=dict)
    ok: int = 200
    hidden: str = ""
    missing: str = ""

    def __str__(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def has_one_method(self) -> bool:
        return not any(page.path == self.path and page.method != self.method for page in PAGES)


def get(path: str, least: str = "viewer", **more: object) -> Page:
    return Page("GET", path, least, **more)


def post(path: str, least: str = "admin", ok: int = 302, **more: object) -> Page:
    return Page("POST", path, least, ok=ok, **more)


NEW_PERSON = {"username": "new", "role": "viewer", "password": "tide gauge 42", "email": ""}
PERSON = {"role": "support_lead", "is_active": "on", "slack_team_id": "", "slack_user_id": ""}
CHANNEL = {"team_id": "T0TEST", "channel_id": "C0OTHER", "name": "other", "answers_from": "open"}
NEEDLE = {"key": "n-014", "question": "What?", "document": "policy.md", "needle": "One sentence."}
PAGES = [
    get("/"),
    get("/ask"),
    post("/ask", "viewer", data={"text": "What is the limit?"}),
    get("/questions"),
    get("/questions/{answered}", hidden="/questions/{refused}", missing="/questions/{nobody}"),
    get(
        "/questions/{answered}/result",
        hidden="/questions/{refused}/result",
        missing="/questions/{nobody}/result",
    ),
    get("/refusals", "support_lead"),
    get("/feedback", "support_lead"),
    get("/folders"),
    get("/folders/new", "admin"),
    post("/folders/new", data={"name": "Legal"}),
    get("/folders/{travel}", hidden="/folders/{closed}", missing="/folders/999999"),
    get("/folders/{travel}/edit", "admin", missing="/folders/999999/edit"),
    post("/folders/{travel}/edit", data={"is_open": "on"}, missing="/folders/999999/edit"),
    post("/folders/{travel}/upload", data={"files": "a file"}, missing="/folders/999999/upload"),
    get("/failed"),
    get("/failed/attention"),
    post("/documents/retry", data={"reason": "damaged"}),
    post("/documents/delete", ok=200, data={"reason": "damaged"}),
    get("/documents/{policy}", hidden="/documents/{salaries}", missing="/documents/999999"),
    get("/documents/{policy}/row", hidden="/documents/{salaries}/row", missing="/documents/999999/row"),
    get(
        "/documents/{policy}/status",
        hidden="/documents/{salaries}/status",
        missing="/documents/999999/status",
    ),
    get(
        "/documents/{policy}/original",
        hidden="/documents/{salaries}/original",
        missing="/documents/999999/original",
    ),
    post("/documents/{broken}/retry", missing="/documents/999999/retry"),
    post("/documents/{policy}/disable", missing="/documents/999999/disable"),
    post("/documents/{left_out}/enable", missing="/documents/999999/enable"),
    post("/documents/{policy}/rename", data={"name": "moved.md"}, missing="/documents/999999/rename"),
    get("/documents/{policy}/delete", "admin", missing="/documents/999999/delete"),
    post("/documents/{policy}/delete", missing="/documents/999999/delete"),
    get("/versions", "support_lead"),
    get("/thresholds", "support_lead"),
    post(
        "/thresholds",
        data={"relevance_cut": "0.5", "distance_cut": "0.5", "max_chunks": "4", "reason": "Calibrated."},
    ),
    get("/evaluation", "support_lead"),
    post("/evaluation/sample", "support_lead"),
    get("/evaluation/sets/new", "support_lead"),
    post("/evaluation/sets/new", "support_lead", ok=422, data={"name": "Without a folder"}),
    get("/evaluation/sets/{golden}", "support_lead", missing="/evaluation/sets/999999"),
    get("/evaluation/sets/{golden}/edit", "support_lead", missing="/evaluation/sets/999999/edit"),
    post(
        "/evaluation/sets/{golden}/edit",
        "support_lead",
        ok=422,
        data={"name": ""},
    ),
    get("/evaluation/sets/{golden}/delete", "support_lead", missing="/evaluation/sets/999999/delete"),
    post("/evaluation/sets/{golden}/delete", "support_lead", missing="/evaluation/sets/999999/delete"),
    get("/evaluation/sets/{golden}/import", "support_lead", missing="/evaluation/sets/999999/import"),
    post("/evaluation/sets/{golden}/import", "support_lead", ok=422, data={"files": "a file"}),
    get("/evaluation/sets/{golden}/export", "support_lead", missing="/evaluation/sets/999999/export"),
    get("/evaluation/sets/{golden}/check", "support_lead", missing="/evaluation/sets/999999/check"),
    get(
        "/evaluation/sets/{golden}/questions/new",
        "support_lead",
        missing="/evaluation/sets/999999/questions/new",
    ),
    post("/evaluation/sets/{golden}/questions/new", "support_lead", data=NEEDLE),
    get("/evaluation/questions/{golden_question}", "support_lead", missing="/evaluation/questions/999999"),
    post("/evaluation/questions/{golden_question}", "support_lead", data=NEEDLE),
    post(
        "/evaluation/questions/{golden_question}/remove",
        "support_lead",
        missing="/evaluation/questions/999999/remove",
    ),
    get("/evaluation/from/{answered}", "support_lead", missing="/evaluation/from/{nobody}"),
    post("/evaluation/from/{answered}", "support_lead", ok=422, missing="/evaluation/from/{nobody}"),
    post("/evaluation/sets/{golden}/runs", "support_lead", missing="/evaluation/sets/999999/runs"),
    get("/evaluation/runs/{run}", "support_lead", missing="/evaluation/runs/999999"),
    post("/evaluation/runs/{live_run}/cancel", "support_lead", missing="/evaluation/runs/999999/cancel"),
    get("/evaluation/runs/{run}/compare", "support_lead", missing="/evaluation/runs/999999/compare"),
    get("/evaluation/runs/{run}/calibration", "support_lead", missing="/evaluation/runs/999999/calibration"),
    post("/evaluation/runs/{run}/calibration", missing="/evaluation/runs/999999/calibration"),
    get("/account"),
    get("/account/password"),
    post("/account/password", "viewer", ok=200, data={"old_password": "wrong"}),
    post("/account/tokens", "viewer", ok=201, data={"name": "import"}),
    post("/account/tokens/{token}/revoke", "viewer", missing="/account/tokens/999999/revoke"),
    get("/people", "admin"),
    get("/people/new", "admin"),
    post("/people/new", data=NEW_PERSON),
    get("/people/{viewer}", "admin", missing="/people/999999"),
    post("/people/{viewer}", data=PERSON, missing="/people/999999"),
    get("/channels", "admin"),
    get("/channels/new", "admin"),
    post("/channels/new", data=CHANNEL),
    get("/channels/{channel}", "admin", missing="/channels/999999"),
    post("/channels/{channel}", data={"name": "renamed", "answers_from": "open"}, missing="/channels/999999"),
    post("/channels/{channel}/forget", missing="/channels/999999/forget"),
    get("/workspaces", "admin"),
    get("/workspaces/{workspace}", "admin", missing="/workspaces/999999"),
    post("/workspaces/{workspace}", data={"unconfigured": "open"}, missing="/workspaces/999999"),
    get("/audit", "admin"),
]
As = Callable[..., Client]


def send(client: Client, page: Page, path: str) -> int:
    data = dict(page.data)
    if "files" in data:
        data["files"] = [SimpleUploadedFile("notes.md", b"# Notes\n\nThe gate opens at seven.")]
    response = getattr(client, page.method.lower())(path, data)
    if response.streaming:
        list(response)  # closes the file
    return response.status_code


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_the_page_climbs_the_ladder(page: Page, world: World, as_role: As) -> None:
    """One organisation a page; the rung that works, and may change something, comes last."""
    path, admin = world.path(page.path), as_role("admin")
    response = getattr(as_role(None), page.method.lower())(path)
    assert response.status_code == 302, "signed out"
    assert response["Location"].startswith("/sign-in?next=")
    for role in ROLES[: ROLES.index(page.least)]:
        assert send(as_role(role), page, path) == 403, f"a {role} is refused"
    if page.hidden:
        assert send(as_role("viewer"), page, world.path(page.hidden)) == 404, "not theirs looks missing"
        assert send(admin, page, world.path(page.hidden)) == page.ok
    if page.missing:
        assert send(admin, page, world.path(page.missing)) == 404, "missing id"
        for bad in ("abc", "-1", "1e3", "0x1"):
            bad_path = page.missing.replace("999999", bad).replace("{nobody}", bad)
            assert send(admin, page, bad_path) == 404, f"bad id {bad}"
    assert admin.delete(path).status_code == 405, "wrong method"
    if page.has_one_method:
        other = admin.get(path) if page.method == "POST" else admin.post(path)
        assert other.status_code == 405, "wrong method"
    if page.method == "POST":
        assert send(as_role("admin", has_csrf_checks=True), page, path) == 403, "no CSRF token"
    if page.method == "GET":
        head = as_role(page.least).head(path)
        for close in head._resource_closers:  # `close()` would close the test's database too
            close()
        assert head.status_code == page.ok, "the head of the page"
    assert send(as_role(page.least), page, path) == page.ok, "works"


def _names(resolver: URLResolver, prefix: str = "") -> set[str]:
    found: set[str] = set()
    for entry in resolver.url_patterns:
        if isinstance(entry, URLPattern):
            found.add(prefix + str(entry.pattern))
        else:
            found |= _names(entry, prefix + str(entry.pattern))
    return found


NOT_PAGES = {
    "healthz",
    "sign-in",
    "sign-out",
    "documents/<int:document_id>/pages/<int:page>.png",
}


def test_every_url_of_the_console_is_on_the_ladder() -> None:
    patterns = {name for name in _names(get_resolver("console.urls")) if not name.startswith("api/")}
    shapes = {_shape(page.path.lstrip("/")) for page in PAGES}
    assert {name for name in patterns if _shape(name) not in shapes} == NOT_PAGES


def _shape(path: str) -> str:
    return "/".join("*" if part[:1] in "{<" and part else part for part in path.split("/"))
