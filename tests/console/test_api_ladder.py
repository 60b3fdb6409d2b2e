"""Every API operation climbs the ladder, by session and by token; errors are problem+json."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from ninja.openapi.schema import OpenAPISchema

from console.api import api
from console.api_auth import AUTH
from console.people.services import change_person, create_token, revoke_token
from tests.console.conftest import World

ROLES = ("viewer", "support_lead", "admin")
SNAPSHOT = Path(__file__).with_name("openapi.json")


@dataclass(frozen=True)
class Operation:
    method: str
    path: str
    least: str = "viewer"
    body: dict[str, object] | None = None
    ok: int = 200
    hidden: str = ""
    missing: str = ""

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


OPERATIONS = [
    Operation("GET", "/folders"),
    Operation("POST", "/folders", "admin", {"name": "Legal"}, 201),
    Operation("GET", "/folders/{travel}", hidden="/folders/{closed}", missing="/folders/999999"),
    Operation(
        "PUT",
        "/folders/{travel}",
        "admin",
        {"is_open": True, "is_shared_externally": False, "leaves_out_near_duplicates": True},
        missing="/folders/999999",
    ),
    Operation(
        "POST",
        "/folders/{travel}/documents",
        "admin",
        {"files": "a file"},
        missing="/folders/999999/documents",
    ),
    Operation("GET", "/documents"),
    Operation("GET", "/documents/{policy}", hidden="/documents/{salaries}", missing="/documents/999999"),
    Operation("POST", "/documents/retry", "admin", {"reason_code": "damaged"}),
    Operation("GET", "/documents/reasons"),
    Operation(
        "GET",
        "/documents/{policy}/attempts",
        hidden="/documents/{salaries}/attempts",
        missing="/documents/999999/attempts",
    ),
    Operation("POST", "/documents/{broken}/retry", "admin", {}, missing="/documents/999999/retry"),
    Operation("POST", "/documents/{policy}/disable", "admin", {}, missing="/documents/999999/disable"),
    Operation("POST", "/documents/{left_out}/enable", "admin", {}, missing="/documents/999999/enable"),
    Operation(
        "POST",
        "/documents/{policy}/rename",
        "admin",
        {"name": "moved.md"},
        missing="/documents/999999/rename",
    ),
    Operation("DELETE", "/documents/{policy}", "admin", None, 204, missing="/documents/999999"),
    Operation("POST", "/questions", "viewer", {"text": "What is the limit?"}, 202),
    Operation("GET", "/questions"),
    Operation("GET", "/questions/{answered}", hidden="/questions/{refused}", missing="/questions/{nobody}"),
    Operation("GET", "/refusals"),
    Operation("GET", "/versions", "support_lead"),
    Operation("GET", "/thresholds", "support_lead"),
    Operation(
        "POST", "/thresholds", "admin", {"distance_cut": 0.5, "max_chunks": 4, "reason": "Calibrated."}, 201
    ),
    Operation("GET", "/health", "support_lead"),
    Operation("GET", "/golden-sets", "support_lead"),
    Operation("GET", "/golden-sets/{golden}/runs", "support_lead", missing="/golden-sets/999999/runs"),
    Operation(
        "POST", "/golden-sets/{golden}/runs", "support_lead", {}, 201, missing="/golden-sets/999999/runs"
    ),
    Operation("GET", "/evaluation-runs/{run}", "support_lead", missing="/evaluation-runs/999999"),
    Operation(
        "POST",
        "/evaluation-runs/{live_run}/cancel",
        "support_lead",
        {},
        missing="/evaluation-runs/999999/cancel",
    ),
]
As = Callable[..., Client]


def call(client: Client, operation: Operation, path: str, token: str = "") -> object:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    url = f"/api/v1{path}"
    if operation.body is not None and "files" in operation.body:
        files = [SimpleUploadedFile("a.md", b"# A\n\nOne."), SimpleUploadedFile("b.md", b"# B\n\nTwo.")]
        return client.post(url, {"files": files}, headers=headers)
    body = json.dumps(operation.body) if operation.body is not None else ""
    return client.generic(operation.method, url, body, content_type="application/json", headers=headers)


def assert_problem(response: object, status: int, rung: str) -> None:
    assert response.status_code == status, rung
    assert response["Content-Type"] == "application/problem+json", rung
    problem = json.loads(response.content)
    assert problem["status"] == status, rung
    assert problem["code"], rung
    assert problem["detail"], rung


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_the_operation_climbs_the_ladder(operation: Operation, world: World, as_role: As) -> None:
    path = world.path(operation.path)
    assert_problem(call(Client(), operation, path), 401, "nobody")
    assert_problem(call(Client(), operation, path, token="fn_wrong"), 401, "a wrong token")
    for role in ROLES[: ROLES.index(operation.least)]:
        assert_problem(call(as_role(role), operation, path), 403, f"a {role} is refused")
    if operation.hidden:
        assert_problem(call(as_role("viewer"), operation, world.path(operation.hidden)), 404, "not theirs")
    if operation.missing:
        assert_problem(call(as_role("admin"), operation, world.path(operation.missing)), 404, "missing")
        bad = operation.missing.replace("999999", "abc").replace("{nobody}", "abc")
        assert call(as_role("admin"), operation, bad).status_code == 404, "bad id"
    assert_problem(Client().patch(f"/api/v1{path}"), 405, "wrong method")
    if operation.method != "GET":
        guarded = as_role("admin", has_csrf_checks=True)
        assert_problem(call(guarded, operation, path), 403, "a session without CSRF token")
    _token, secret = create_token(actor=world.admin, user=world.people()[operation.least], name="test")
    bare = Client(enforce_csrf_checks=True)
    assert call(bare, operation, path, token=secret).status_code == operation.ok, (
        "a machine needs no CSRF token"
    )


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_a_key_that_the_operation_does_not_take_is_told(
    operation: Operation, world: World, as_role: As
) -> None:
    """A misspelt filter that is ignored gives every row, and a misspelt folder an answer from all of them."""
    client, path = as_role("admin"), world.path(operation.path)
    query = "limit=1&{odd}=1" if "limit" in _parameters(operation) else "{odd}=1"
    response = call(client, operation, f"{path}?{query}")
    assert_problem(response, 422, "query")
    detail = response.json()["detail"]
    assert "query: There is no {odd} here; accepted: " in detail
    assert detail.endswith(f"accepted: {', '.join(_parameters(operation)) or 'nothing'}.")
    if operation.method == "GET":
        assert client.generic("GET", f"/api/v1{path}", '{"odd": 1}').status_code == 200, "no body is read"
        return
    if operation.body is not None and "files" in operation.body:
        told = {"files": [SimpleUploadedFile("a.md", b"One.")]}
        response = client.post(f"/api/v1{path}", told | {"path": "a.md"})
        assert "form: There is no path here; accepted: paths." in response.json()["detail"]
        response = client.post(f"/api/v1{path}", told | {"file": SimpleUploadedFile("b.md", b"Two.")})
        assert "file: There is no file here; accepted: files." in response.json()["detail"]
        return
    body = json.dumps((operation.body or {}) | {"{odd}": 1})
    response = client.generic(operation.method, f"/api/v1{path}", body, content_type="application/json")
    assert_problem(response, 422, "body")
    assert "There is no {odd} here; accepted: " in response.json()["detail"]
    assert response.json()["code"] == "invalid_request"
    if operation.body:
        assert ", ".join(operation.body).split(", ")[0] in response.json()["detail"].partition("accepted:")[2]


def _parameters(operation: Operation) -> list[str]:
    """The query parameters that the published description names."""
    described = next(
        found
        for method, path, found in _operations()
        if (method, _shape(path)) == (operation.method, _shape(operation.path))
    )
    return [each["name"] for each in described.get("parameters", []) if each["in"] == "query"]


def test_only_a_few_unknown_keys_are_named(as_role: As) -> None:
    body = json.dumps({"text": "Who?", **{f"{at}{'x' * 200}": 1 for at in range(9)}})
    response = as_role("admin").post("/api/v1/questions", body, content_type="application/json")
    assert_problem(response, 422, "many")
    detail = response.json()["detail"]
    assert " and 4 more here; accepted: text, folder_ids, wait_s." in detail
    assert len(detail) < 500


def test_every_body_says_that_it_takes_no_other_key() -> None:
    schemas = _schema()["components"]["schemas"]
    taken = [schema for name, schema in schemas.items() if name.endswith("In")]
    assert len(taken) >= 7
    assert all(schema["additionalProperties"] is False for schema in taken)


def test_the_ladder_names_every_operation() -> None:
    named = {(o.method, o.path) for o in OPERATIONS}
    shapes = {(method, _shape(path)) for method, path in named}
    assert {(method, _shape(path)) for method, path, _ in _operations()} == shapes


def _operations() -> list[tuple[str, str, object]]:
    found = []
    for path, item in _schema()["paths"].items():
        for method, operation in item.items():
            found.append((method.upper(), path.removeprefix("/api/v1"), operation))
    return found


def _schema() -> OpenAPISchema:
    return json.loads(json.dumps(api.get_openapi_schema(path_prefix="/api/v1/"), default=str))


def _shape(path: str) -> str:
    return "/".join("*" if part.startswith("{") else part for part in path.split("/"))


def test_every_operation_has_auth() -> None:
    """Ninja's views are exempt from CSRF; only these two classes check anything."""
    assert api.auth == AUTH
    for method, path, operation in _operations():
        names = {name for requirement in operation["security"] for name in requirement}
        assert names == {"BearerToken", "BrowserSession"}, f"{method} {path}"


def test_the_openapi_snapshot_is_current() -> None:
    """A changed contract shows in review."""
    current = json.dumps(_schema(), indent=1, sort_keys=True) + "\n"
    if not SNAPSHOT.exists():
        SNAPSHOT.write_text(current)
        pytest.fail("tests/console/openapi.json was missing and is written now; look at it and commit it.")
    assert SNAPSHOT.read_text() == current, (
        "The API changed. Delete tests/console/openapi.json, run again, review."
    )


def test_live_probe_says_ok_and_nothing_else() -> None:
    response = Client().get("/healthz")
    assert (response.status_code, response.content) == (200, b"ok")


def test_a_revoked_token_and_a_blocked_person_are_nobody(world: World) -> None:
    def status() -> int:
        return (
            Client().get("/api/v1/folders", headers={"Authorization": f"Bearer {world.secret}"}).status_code
        )

    assert status() == 200
    change_person(actor=world.admin, user=world.viewer, role="viewer", is_active=False)
    assert status() == 401
    change_person(actor=world.admin, user=world.viewer, role="viewer", is_active=True)
    revoke_token(actor=world.viewer, token=world.token)
    assert status() == 401


def test_a_session_with_its_csrf_token_may_write(world: World, as_role: As) -> None:
    client = as_role("admin", has_csrf_checks=True)
    client.get("/ask")
    response = client.post(
        "/api/v1/folders",
        json.dumps({"name": "Legal"}),
        content_type="application/json",
        headers={"X-CSRFToken": client.cookies["csrftoken"].value},
    )
    assert response.status_code == 201


def test_rejections_keep_their_code(world: World, as_role: As) -> None:
    admin = as_role("admin")

    def code_of(path: str, body: dict[str, object]) -> tuple[int, str]:
        response = admin.post(f"/api/v1{path}", json.dumps(body), content_type="application/json")
        return response.status_code, response.json()["code"]

    assert code_of("/folders", {"name": "Travel"}) == (409, "folder_exists")
    assert code_of("/folders", {"name": "   "}) == (422, "folder_name_blank")
    assert code_of("/folders", {}) == (422, "invalid_request")
    assert code_of(f"/documents/{world.policy.pk}/retry", {}) == (409, "not_retryable")
    assert code_of(f"/documents/{world.policy.pk}/enable", {}) == (409, "not_left_out")
    assert code_of(f"/documents/{world.left_out.pk}/disable", {}) == (409, "already_left_out")
    assert code_of(f"/documents/{world.policy.pk}/rename", {"name": "scan.pdf"}) == (409, "name_taken")
    assert code_of(f"/documents/{world.broken.pk}/retry", {"first_page": 3}) == (422, "pages_unusable")
    assert code_of(f"/documents/{world.broken.pk}/retry", {"first_page": 0}) == (422, "invalid_request")
    assert code_of("/questions", {"text": "?"}) == (422, "empty_question")
    assert code_of("/questions", {"text": "Who?", "folder_ids": [999_999]}) == (422, "unknown_folder")
    assert code_of("/questions", {"text": "Who?", "wait_s": 31}) == (422, "invalid_request")
    assert code_of("/thresholds", {"distance_cut": 2.1, "reason": "x"}) == (422, "cut_out_of_range")
    assert code_of("/thresholds", {"distance_cut": 0.5, "relevance_cut": -0.1, "reason": "x"}) == (
        422,
        "relevance_cut_out_of_range",
    )


def test_upload_says_how_each_file_fared(world: World, as_role: As, settings: object) -> None:
    settings.MAX_UPLOAD_BYTES = 50
    files = [
        SimpleUploadedFile("new.md", b"# New"),
        SimpleUploadedFile("large.md", b"x" * 51),
        SimpleUploadedFile("again.md", b"# New"),
    ]
    response = as_role("admin").post(
        f"/api/v1/folders/{world.travel.pk}/documents",
        {"files": files, "paths": ["sub/new.md", "large.md", "sub/new.md"]},
    )
    assert [(row["name"], row["result"]) for row in response.json()] == [
        ("sub/new.md", "created"),
        ("large.md", "rejected"),
        ("sub/new.md", "unchanged"),
    ]


def test_a_waiting_ask_gives_the_answer_as_soon_as_it_is_there(
    world: World, as_role: As, monkeypatch: pytest.MonkeyPatch
) -> None:
    from console.questions import api as questions_api
    from console.questions.models import Answer, Question, QuestionState

    def finish(_seconds: float) -> None:
        question = Question.objects.get(text="When does the gate open?")
        Answer.objects.create(
            question=question,
            outcome="refused",
            reason_code="nothing_retrieved",
            reason="Nothing.",
            elapsed_ms=1,
        )
        Question.objects.filter(pk=question.pk).update(state=QuestionState.REFUSED)

    monkeypatch.setattr(questions_api.time, "sleep", finish)
    body = json.dumps({"text": "When does the gate open?", "wait_s": 30})
    response = as_role("viewer").post("/api/v1/questions", body, content_type="application/json")
    assert response.status_code == 201
    assert (response.json()["state"], response.json()["reason_code"]) == ("refused", "nothing_retrieved")


def test_lists_count_exactly_and_page(world: World, as_role: As) -> None:
    page = as_role("admin").get("/api/v1/documents?limit=2&offset=2").json()
    assert page["count"] == 4
    assert [row["name"] for row in page["items"]] == ["salaries.md", "scan.pdf"]
    assert as_role("viewer").get("/api/v1/documents").json()["count"] == 3


def test_an_answer_links_only_what_its_reader_may_open(world: World, as_role: As) -> None:
    own = as_role("viewer").get(f"/api/v1/questions/{world.answered.pk}").json()
    assert own["citations"][0]["url"].endswith("#cited")
    hidden = as_role("support_lead").get(f"/api/v1/questions/{world.refused.pk}").json()["nearest"][0]
    assert (hidden["title"], hidden["quote"], hidden["url"]) == ("A document you may not open", "", None)


def test_a_failure_of_ours_shows_no_exception_text(
    world: World, as_role: As, monkeypatch: pytest.MonkeyPatch
) -> None:
    def explode(_user: object) -> None:
        raise RuntimeError("password=hunter2")

    monkeypatch.setattr("console.sources.api.folders_with_counts", explode)
    response = as_role("viewer").get("/api/v1/folders")
    assert_problem(response, 500, "broke")
    assert b"hunter2" not in response.content
