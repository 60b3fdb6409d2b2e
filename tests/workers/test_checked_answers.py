"""What was checked is in the row and shown: each claim with how, the weakest marked, the dropped to those it is for."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from console.people.models import Role, User
from console.people.services import create_user
from console.questions.models import Answer
from console.sources.models import Folder
from tests.rag.generate.scripted_server import says
from tests.workers.test_lying_model import (  # noqa: F401 - fixtures
    QUESTION,
    TRUE,
    TRUTH,
    asked_by_api,
    models,
    real_models,
    serve,
    viewer,
)

pytestmark = pytest.mark.model
PARAPHRASE = "The limit for a hotel night in a capital city is 180 EUR"
LIE = "Above it you need no approval before booking"
WHY = "Only the claim says “no”."


def section(client: Client, answer: Answer) -> str:
    page = BeautifulSoup(client.get(f"/questions/{answer.question_id}").content, "html.parser")
    checked = page.find(id="checked")
    return " ".join(checked.find_parent("section").get_text(" ").split()) if checked else ""


@pytest.fixture
def answer(
    viewer: User,  # noqa: F811 - the fixture
    serve: Callable,  # noqa: F811 - the fixture
    client: Client,
    sent: list,
) -> Answer:
    serve(says(f"{TRUE} {PARAPHRASE} [1]. {LIE} [1]."))
    client.force_login(viewer)
    return asked_by_api(client, sent)[0]


def test_quotations_are_told_to_stand_there_word_for_word(
    viewer: User,  # noqa: F811 - the fixture
    client: Client,
    sent: list,
) -> None:
    client.force_login(viewer)
    answer, shown = asked_by_api(client, sent)
    assert answer.generator.startswith("extractive/")
    checked = shown["verification"]
    assert (checked["n_dropped"], checked["model"]) == (0, "")
    assert [sentence["text"] for sentence in checked["sentences"]] == [s["text"] for s in shown["sentences"]]
    claims = [claim for sentence in checked["sentences"] for claim in sentence["claims"]]
    assert {(claim["method"], claim["support"], claim["is_weakest"]) for claim in claims} == {
        ("verbatim", 1.0, False)
    }
    assert "Every sentence stands word for word in what it cites." in section(client, answer)


def test_each_claim_is_told_with_how_it_was_checked(answer: Answer, client: Client) -> None:
    checked = client.get(f"/api/v1/questions/{answer.question_id}").json()["verification"]
    first, second = (sentence["claims"][0] for sentence in checked["sentences"])
    assert (first["text"], first["method"], first["is_weakest"]) == (TRUTH, "verbatim", False)
    assert (second["method"], second["is_weakest"], second["citations"]) == ("model", True, [1])
    assert second["support"] == round(answer.min_support, 4)
    assert checked["threshold"] == 0.5
    shown = section(client, answer)
    assert f"{TRUTH} [1] stands there word for word 1.000" in shown
    assert f"{PARAPHRASE}. weakest [1] weighed by the support model {answer.min_support:.3f}" in shown


def test_what_was_dropped_is_shown_to_those_who_look_after_answers(
    answer: Answer, admin: User, folder: Folder, client: Client
) -> None:
    assert "1 claim of a draft was dropped, because what it cites does not say it." in section(client, answer)
    told = client.get(f"/api/v1/questions/{answer.question_id}").json()["verification"]
    assert (told["n_dropped"], told["dropped"]) == (1, [])
    client.force_login(admin)
    assert f"{LIE}. {WHY} 0.000" in section(client, answer)
    (dropped,) = client.get(f"/api/v1/questions/{answer.question_id}").json()["verification"]["dropped"]
    assert (dropped["sentence"], dropped["claim"]["faults"]) == (f"{LIE}.", [WHY])


def test_a_support_lead_reads_no_claim_about_a_folder_they_may_not_see(
    answer: Answer, admin: User, folder: Folder, client: Client
) -> None:
    lead = create_user(actor=admin, username="lea", password="correct horse", role=Role.SUPPORT_LEAD)
    client.force_login(lead)
    assert LIE in section(client, answer)
    folder.is_open = False
    folder.save()
    page = client.get(f"/questions/{answer.question_id}").content.decode()
    for words in (TRUTH, PARAPHRASE, LIE, WHY):
        assert words not in page
    told = client.get(f"/api/v1/questions/{answer.question_id}").json()["verification"]
    assert (told["sentences"], told["dropped"], told["n_dropped"]) == ([], [], 1)


def test_a_refused_draft_is_shown_with_why(
    viewer: User,  # noqa: F811 - the fixture
    admin: User,
    serve: Callable,  # noqa: F811 - the fixture
    client: Client,
    sent: list,
) -> None:
    serve(says(f"{LIE} [1]."))
    client.force_login(viewer)
    answer, _ = asked_by_api(client, sent)
    assert answer.reason_code == "unsupported_claims"
    assert LIE not in section(client, answer)
    client.force_login(admin)
    assert f"{LIE}. {WHY} 0.000" in section(client, answer)


def test_an_answer_of_before_has_no_section(answer: Answer, client: Client) -> None:
    Answer.objects.update(verification={})
    assert section(client, answer) == ""
    assert client.get(f"/api/v1/questions/{answer.question_id}").json()["verification"] is None
