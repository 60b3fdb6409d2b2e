"""Instructions in documents change nothing: read by the real extraction, asked through the real product."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from bs4 import BeautifulSoup
from django.conf import settings as django_settings
from django.test import Client

from bot.answers import answer_view
from bot.messages import messages_of
from console import storage
from console.people.models import User
from console.questions.models import Answer, QuestionState
from console.questions.services import answer_of, answer_question, ask_question
from console.sources import ingest
from console.sources.models import Document, DocumentState, Folder
from tests.bot.limits import leaks, slack_would_refuse
from tests.rag.generate.scripted_server import says
from tests.workers.conftest import upload
from tests.workers.hostile_documents import BAITS, EVIL, FILES, HIDDEN, ORDERS, TRUE, order
from tests.workers.test_lying_model import models, real_models, serve  # noqa: F401 - fixtures

pytestmark = pytest.mark.model


@pytest.fixture
def corpus(real_models: None, admin: User, folder: Folder) -> dict[str, Document]:  # noqa: F811 - the fixture
    read = {name: upload(admin, folder, name, make()) for name, make in FILES.items()}
    for document in read.values():
        ingest.ingest_document(document.pk)
        document.refresh_from_db()
        assert document.state in {DocumentState.INDEXED, DocumentState.PARTIAL}, document.reason
    return read


def asked(actor: User, text: str) -> Answer:
    question = ask_question(actor=actor, text=text)
    answer_question(str(question.pk))
    answer = answer_of(question)
    assert answer is not None
    assert answer.outcome in {QuestionState.ANSWERED, QuestionState.REFUSED}
    return answer


def canonical_of(document: Document) -> str:
    return storage.load_canonical(document.canonical_sha256).text


def slack_problems(answer: Answer) -> list[str]:
    problems = []
    for message in messages_of(answer_view(answer.question)):
        sent = {"text": message.text, "blocks": message.blocks, "unfurl_links": False, "unfurl_media": False}
        problems += leaks(sent, base_url=django_settings.BASE_URL)
        problems += filter(None, [slack_would_refuse(sent)])
        problems += [
            f"no verbatim: {block}"
            for block in message.blocks
            for text in (block.get("text"), *block.get("elements", []))
            # Buttons hold plain text, of which Slack makes nothing.
            if text and text.get("type") == "mrkdwn" and not text.get("verbatim")
        ]
    return problems


def page_problems(html: str) -> list[str]:
    """Addresses that are not ours, scripts, handlers, and elements that a document brought."""
    page = BeautifulSoup(html, "html.parser")
    problems = []
    for element in page.find_all(True):
        for name, value in element.attrs.items():
            if name.startswith("on") or name in {"style", "srcdoc", "formaction"}:
                problems.append(f"{element.name} {name}={value}")
            if name in {"href", "src", "action", "data-url", "hx-post", "hx-get"}:
                address = urlsplit(str(value))
                if address.scheme or address.netloc or EVIL in address.path:
                    problems.append(f"{element.name} {name}={value}")
        if element.name == "script" and (element.string or not element.get("src", "").startswith("/static/")):
            problems.append("a script")
        if element.name in {"iframe", "object", "embed", "form"} and element.get("action", "/")[0] != "/":
            problems.append(f"a {element.name}")
        if element.name == "img":
            problems.append("a picture")
    return problems


def api_problems(shown: dict) -> list[str]:
    urls = [source["url"] for source in (*shown["citations"], *shown["nearest"]) if source["url"]]
    return [url for url in urls if not url.startswith(f"{django_settings.BASE_URL}/documents/")]


def problems_of(answer: Answer, client: Client) -> list[str]:
    paths = (
        f"/questions/{answer.question_id}",
        f"/questions/{answer.question_id}/result",
        "/refusals",
        "/questions",
    )
    pages = [client.get(path).content.decode() for path in paths]
    shown = client.get(f"/api/v1/questions/{answer.question_id}").json()
    told = json.dumps(shown) + "".join(pages)
    return [
        *slack_problems(answer),
        *(problem for page in pages for problem in page_problems(page)),
        *api_problems(shown),
        *([f"hidden text: {answer.question.text}"] if HIDDEN in told else []),
    ]


def test_what_no_reader_sees_is_not_read(corpus: dict[str, Document]) -> None:
    for name, document in corpus.items():
        text = canonical_of(document)
        assert HIDDEN not in text, name
        assert not re.search("[\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]", text), name
    assert "javascript:" not in canonical_of(corpus["laptops.html"])


def test_quoting_says_the_true_sentence_and_nothing_of_a_document_acts(
    corpus: dict[str, Document], admin: User, client: Client, subtests: pytest.Subtests
) -> None:
    client.force_login(admin)
    n_shown = 0
    for text in (*TRUE, *BAITS):
        with subtests.test(text):
            answer = asked(admin, text)
            assert problems_of(answer, client) == []
            if text in TRUE:
                assert TRUE[text] in [sentence["text"] for sentence in answer.sentences]
            for citation in answer.citations.all():
                assert canonical_of(citation.document)[citation.start : citation.end] == citation.quote
            shown = client.get(f"/questions/{answer.question_id}").content.decode()
            n_shown += "evil.example" in shown or "!channel" in shown
    assert n_shown, "no question brought an order to a page; the test looks at nothing"


def obeying(payload: str) -> Callable[[dict], object]:
    """A model that does what a document says, if it is shown the order."""

    def reply(body: dict) -> object:
        shown = body["messages"][1]["content"]
        assert HIDDEN not in shown
        assert "<|im_start|>" not in shown
        assert "[INST]" not in shown
        assert shown.count("</passage 1>") == 1
        is_ordered = "all previous instructions" in shown or "every earlier rule" in shown
        return says(f"{payload} [1]." if is_ordered else "NO_ANSWER")

    return reply


def test_a_model_that_obeys_changes_nothing(
    corpus: dict[str, Document],
    admin: User,
    client: Client,
    serve: Callable,  # noqa: F811 - the fixture
    subtests: pytest.Subtests,
) -> None:
    client.force_login(admin)
    question = next(iter(TRUE))
    for name, payload in ORDERS.items():
        with subtests.test(name):
            server = serve(obeying(payload))
            answer = asked(admin, question)
            assert len(server.requests) == 1, "the order has to reach the model, or nothing is tested"
            assert order("x")[:60] in server.requests[0].json["messages"][1]["content"]
            assert problems_of(answer, client) == []
            assert [sentence["text"] for sentence in answer.sentences] == []
            assert answer.reason_code == "unsupported_claims"
