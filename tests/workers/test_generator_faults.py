"""A language model that is away or refuses the key is seen: on the question, on the overview, by health and doctor."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from console.people.models import User
from console.questions.models import Answer
from console.questions.selectors import generator_faults
from tests.rag.generate.scripted_server import DROPS, KEY, fails, says
from tests.workers.test_lying_model import (  # noqa: F401 - fixtures
    QUESTION,
    TRUE,
    asked_by_api,
    models,
    real_models,
    serve,
    viewer,
)

pytestmark = pytest.mark.model
REFUSED = "refused the request with status 401"
STEP = "Check the model's address, name, API key"


def page(client: Client, path: str) -> str:
    return " ".join(client.get(path).content.decode().replace("&#x27;", "'").split())


def test_a_refused_key_is_told_to_each_as_far_as_it_is_theirs(
    viewer: User,  # noqa: F811 - the fixture
    admin: User,
    serve: Callable,  # noqa: F811 - the fixture
    client: Client,
    sent: list,
) -> None:
    serve(fails(401))
    client.force_login(viewer)
    answer, shown = asked_by_api(client, sent)
    told = shown["generator_fault"]
    assert (told["generator"], told["code"], told["next_step"]) == ("chat/scripted", "model_refused", "")
    assert (REFUSED in told["message"], shown["generator"]) == (True, "extractive/7")
    path = f"/questions/{answer.question_id}"
    mine = page(client, path)
    assert "The language model could not be used, so the documents are quoted." in mine
    assert STEP not in mine
    client.force_login(admin)
    theirs = page(client, path)
    assert "Quoted, not written." in theirs
    assert REFUSED in theirs
    assert STEP in theirs
    assert 'in place of <span class="mono">chat/scripted</span>' in theirs
    assert STEP in client.get(f"/api/v1{path}").json()["generator_fault"]["next_step"]
    assert KEY not in theirs + mine


def test_overview_and_health_count_it_until_the_model_writes_again(
    viewer: User,  # noqa: F811 - the fixture
    admin: User,
    serve: Callable,  # noqa: F811 - the fixture
    client: Client,
    sent: list,
) -> None:
    serve(fails(401), DROPS, DROPS, DROPS, says(TRUE))
    client.force_login(viewer)
    for _ in range(2):
        asked_by_api(client, sent)
    assert "did not write" not in page(client, "/")
    client.force_login(admin)
    problem = "The language model chat/scripted did not write 2 of the 2 answers of the last 24 hours"
    assert problem in page(client, "/")
    health = client.get("/api/v1/health").json()
    assert health["generator_faults"] == {"model_refused": 1, "model_down": 1}
    assert (health["n_generator_faults"], health["status"]) == (2, "attention")
    assert any(
        problem in line and "Check that the model's server runs" in line for line in health["problems"]
    )
    client.force_login(viewer)
    asked_by_api(client, sent)
    client.force_login(admin)
    health = client.get("/api/v1/health").json()
    assert (health["n_generator_faults"], health["problems"]) == (2, [])
    assert "did not write" not in page(client, "/")


def test_what_is_older_than_a_day_counts_no_more(
    viewer: User,  # noqa: F811 - the fixture
    serve: Callable,  # noqa: F811 - the fixture
    client: Client,
    sent: list,
) -> None:
    serve(fails(401))
    client.force_login(viewer)
    asked_by_api(client, sent)
    assert (generator_faults().n, bool(generator_faults().problem)) == (1, True)
    Answer.objects.update(created_at=timezone.now() - timedelta(hours=25))
    assert (generator_faults().n, generator_faults().problem) == (0, "")


def doctor(capsys: pytest.CaptureFixture[str]) -> str:
    call_command("doctor", stdout=io.StringIO())
    return " ".join(capsys.readouterr().out.split())


def test_doctor_asks_the_model_and_says_what_to_do(
    viewer: User,  # noqa: F811 - the fixture
    serve: Callable,  # noqa: F811 - the fixture
    capsys: pytest.CaptureFixture[str],
) -> None:
    serve(fails(401))
    with pytest.raises(SystemExit) as ended:
        doctor(capsys)
    assert ended.value.code == 1
    printed = " ".join(capsys.readouterr().out.split())
    assert f"FAULT chat/scripted does not write: The model's server {REFUSED}." in printed
    assert STEP in printed
    assert KEY not in printed
    server = serve(says("NO_ANSWER"))
    assert "answers by chat/scripted, which takes" in doctor(capsys)
    assert len(server.requests) == 1
