"""Input that no form of ours sends: it is refused with a sentence, never a failure of ours."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable

import pytest
from django.core.management import call_command
from django.test import Client

from console.sources.models import Document, DocumentState
from tests.console.conftest import World
from tests.console.test_api_ladder import assert_problem
from tests.console.test_pages import text_of

As = Callable[..., Client]
HUGE = "9" * 23
NO_IDS = (HUGE, "²", "9" * 5_000, "-1", "1.0", "x", "\0", "٣")


@pytest.mark.parametrize("bad", NO_IDS)
def test_pages_take_no_offence_at_an_id_that_cannot_be_one(bad: str, world: World, as_role: As) -> None:
    admin = as_role("admin")
    assert admin.get("/failed", {"folder": bad}).status_code == 200
    assert admin.get("/ask", {"folder": bad}).status_code == 200
    assert admin.get("/questions", {"page": bad, "q": bad}).status_code == 200
    assert (
        admin.get(f"/documents/{world.policy.pk}", {"start": bad, "end": bad, "page": bad}).status_code == 200
    )
    assert admin.post("/documents/retry", {"document": bad}).status_code == 302
    assert admin.post("/documents/retry", {"reason": "damaged", "folder": bad}).status_code == 404
    assert admin.post("/documents/delete", {"document": bad, "confirmed": "yes"}).status_code == 302
    assert admin.post("/ask", {"text": "What is it?", "folders": bad}).status_code == 422
    channel = {"team_id": "T0TEST", "channel_id": "C0NEW", "folders": bad}
    assert admin.post("/channels/new", channel).status_code == 422
    assert admin.post(f"/folders/{world.travel.pk}/edit", {"members": bad}).status_code == 422
    world.broken.refresh_from_db()
    assert world.broken.state == DocumentState.FAILED
    assert Document.objects.filter(deleted_at=None).count() == 4


@pytest.mark.parametrize("path", ["/folders/{}", "/documents/{}", "/people/{}", "/channels/{}"])
def test_a_path_with_a_huge_id_is_missing(path: str, world: World, as_role: As) -> None:
    for number in (HUGE, "9" * 5_000):
        assert as_role("admin").get(path.format(number)).status_code == 404


def test_a_huge_page_number_is_no_page(world: World, as_role: As) -> None:
    Document.objects.filter(pk=world.broken.pk).update(format="pdf")
    path = f"/documents/{world.broken.pk}/pages/{'9' * 300}.png"
    assert as_role("admin").get(path).status_code == 404


def test_an_empty_form_is_a_form_with_nothing_ticked(world: World, as_role: As) -> None:
    admin = as_role("admin")
    assert admin.post(f"/folders/{world.travel.pk}/edit").status_code == 302
    world.travel.refresh_from_db()
    assert not world.travel.is_open
    for path in ("/folders/new", "/people/new", "/channels/new", "/thresholds"):
        assert admin.post(path).status_code == 422, path


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", f"/documents?offset={HUGE}", None),
        ("GET", f"/documents?folder_id={HUGE}", None),
        ("GET", "/documents?folder_id=0", None),
        ("GET", "/questions?q=%00", None),
        ("POST", "/questions", {"text": "Who?", "folder_ids": [int(HUGE)]}),
        ("POST", "/questions", {"text": "Who?", "folder_ids": ["1"]}),
        ("POST", "/questions", {"text": "Who?", "wait_s": "1"}),
        ("POST", "/questions", {"text": "Who?", "wait_s": True}),
        ("POST", "/questions", {"text": "Who? \0"}),
        ("POST", "/documents/retry", {"folder_id": int(HUGE)}),
        ("POST", "/documents/retry", {"folder_id": True}),
        ("POST", "/documents/retry", {"reason_code": "\ud800"}),
        ("POST", "/thresholds", {"distance_cut": True, "max_chunks": 4, "reason": "x"}),
        ("POST", "/thresholds", {"distance_cut": "0.5", "max_chunks": 4, "reason": "x"}),
        ("POST", "/thresholds", {"distance_cut": 0.5, "max_chunks": True, "reason": "x"}),
        ("POST", "/thresholds", {"distance_cut": 0.5, "max_chunks": 4, "reason": "x\u0007"}),
        ("POST", "/folders", {"name": "Pay\u0000roll"}),
        ("POST", "/folders", {"name": "\u200b"}),
        ("POST", "/folders", {"name": "Legal", "is_open": 1}),
        ("POST", "/folders", {"name": "Legal", "is_open": "yes"}),
    ],
)
def test_the_api_says_what_is_wrong(method: str, path: str, body: object, world: World, as_role: As) -> None:
    content = json.dumps(body) if body is not None else ""
    response = as_role("admin").generic(method, f"/api/v1{path}", content, content_type="application/json")
    assert_problem(response, 422, path)
    assert response.json()["code"] == "invalid_request"


def test_the_largest_numbers_find_nothing(world: World, as_role: As) -> None:
    admin, largest = as_role("admin"), 2**63 - 1
    assert admin.get(f"/api/v1/documents?offset={largest}").json()["items"] == []
    assert admin.get(f"/api/v1/documents?folder_id={largest}").json()["count"] == 0


def test_whole_numbers_are_numbers_too(world: World, as_role: As) -> None:
    body = json.dumps({"distance_cut": 1, "reason": "Wide open."})
    response = as_role("admin").post("/api/v1/thresholds", body, content_type="application/json")
    assert response.status_code == 201


def test_api_paths_and_methods_that_do_not_exist_are_problems(world: World, as_role: As) -> None:
    assert_problem(as_role("viewer").get("/api/v1/nothing"), 404, "no such path")
    assert_problem(Client().get("/api/v2"), 404, "no such version")
    response = as_role("viewer").patch("/api/v1/folders")
    assert_problem(response, 405, "wrong method")
    assert response["Allow"] == "GET, POST"


@pytest.mark.parametrize("body", [b"{", b"\xff", b"not json"])
def test_a_body_that_is_no_json_gets_a_next_step(body: bytes, world: World, as_role: As) -> None:
    response = as_role("admin").post("/api/v1/folders", body, content_type="application/json")
    assert_problem(response, 400, "no JSON")
    assert "Send a JSON object" in response.json()["detail"]


def test_an_unknown_host_is_told_what_to_set(db: None) -> None:
    stranger = Client(headers={"Host": "evil.example"}, raise_request_exception=False)
    page = stranger.get("/sign-in")
    assert page.status_code == 400
    assert "Add this name to ALLOWED_HOSTS and FOOTNOTE_BASE_URL" in text_of(page)
    assert "evil.example" not in page.content.decode()
    assert_problem(stranger.get("/api/v1/folders"), 400, "JSON for machines")
    part = stranger.get("/", headers={"HX-Request": "true"})
    assert (part.status_code, "ALLOWED_HOSTS" in text_of(part)) == (400, True)


def test_too_much_at_once_says_so(world: World, as_role: As, settings: object) -> None:
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 10
    response = as_role("admin").post("/documents/delete", {"document": list(range(1, 20))})
    assert response.status_code == 400
    assert "fewer ticked documents" in text_of(response)


def test_more_ticked_than_allowed_changes_nothing(world: World, as_role: As, settings: object) -> None:
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 5_000
    ticked = [world.policy.pk, *range(10_000, 11_000)]
    data = {"document": ticked, "confirmed": "yes"}
    response = as_role("admin").post("/documents/delete", data, follow=True)
    assert "Tick at most 1,000" in text_of(response)
    world.policy.refresh_from_db()
    assert world.policy.deleted_at is None


def test_a_refusal_is_one_line_in_the_log(
    world: World, as_role: As, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO):
        assert as_role("viewer").get("/people").status_code == 403
    records = [record for record in caplog.records if "/people" in record.getMessage()]
    assert len(records) == 1
    assert records[0].exc_info is None


def test_an_admin_lifts_the_lock_with_the_command_the_page_names(world: World, client: Client) -> None:
    for _ in range(10):
        locked = client.post("/sign-in", {"username": "vic", "password": "wrong"})
    assert locked.status_code == 429
    assert "manage.py axes_reset_username NAME" in text_of(locked)
    right = {"username": "vic", "password": "correct horse"}
    assert client.post("/sign-in", right).status_code == 429
    call_command("axes_reset_username", "vic")
    assert client.post("/sign-in", right).status_code == 302


def test_a_page_name_with_control_characters_is_refused(world: World, as_role: As) -> None:
    admin = as_role("admin")
    for name in ("Pay\x07roll", "\u200b\u200d", "\x1b[31m"):
        response = admin.post("/folders/new", {"name": name})
        assert response.status_code == 422
        assert "control characters" in text_of(response)
