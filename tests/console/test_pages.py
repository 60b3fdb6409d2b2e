"""What pages say, show and keep to themselves."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest
from django.conf import settings as django_settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from console.audit.models import AuditEntry
from console.channels.models import SlackChannel
from console.index.models import IndexVersion, VersionState
from console.people.models import ApiToken, Role
from console.people.services import create_user
from console.questions.models import Citation, Question, QuestionState
from console.questions.reading import WITHHELD
from console.questions.recording import EXCERPT_CHARS
from console.sources.models import Document, DocumentState
from console.sources.services import create_folder
from console.templatetags.footnote import has_telling_title
from tests.console.conftest import LIMIT, SECRET, World, answered_question, make_failed

As = Callable[..., Client]
HTMX = {"HX-Request": "true"}
TEMPLATES = sorted(Path(django_settings.BASE_DIR, "templates").rglob("*.html"))


def text_of(response: object) -> str:
    """The page's words, without tags, spaces folded."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", response.content.decode())).split())


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_no_template_has_inline_script_or_style(path: Path) -> None:
    body = path.read_text()
    assert not re.search(r"<style|\sstyle=|\son[a-z]+=|javascript:", body)
    assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", body))
    assert not re.search(r"<script[^>]*>[^<]+</script>", body)
    assert not re.search(r"""(?:src|href)=["'](?:https?:)?//""", body)


def test_pages_forbid_what_is_not_theirs(world: World, as_role: As) -> None:
    response = as_role("viewer").get("/")
    directives = dict(part.strip().split(" ", 1) for part in response["Content-Security-Policy"].split(";"))
    assert directives["default-src"] == "'none'"
    assert directives["script-src"] == directives["style-src"] == "'self'"
    assert response["X-Frame-Options"] == "DENY"
    assert "private" in response["Cache-Control"]


def test_an_answer_links_its_citation_to_the_place(world: World, as_role: As) -> None:
    response = as_role("viewer").get(f"/questions/{world.answered.pk}")
    assert LIMIT in text_of(response)
    link = unescape(re.search(r'class="cite" href="([^"]+)"', response.content.decode()).group(1))
    assert link.endswith("#cited")
    opened = as_role("viewer").get(link.removesuffix("#cited"))
    assert f'<mark id="cited">{LIMIT}</mark>' in opened.content.decode()


def test_a_source_the_reader_may_not_open_shows_no_word_of_it(world: World, as_role: As) -> None:
    for path in (f"/questions/{world.refused.pk}", "/refusals"):
        page = as_role("support_lead").get(path).content.decode()
        assert SECRET not in page
        assert "Salaries" not in page
        assert f"/documents/{world.salaries.pk}" not in page
    assert SECRET in as_role("admin").get(f"/questions/{world.refused.pk}").content.decode()


def test_a_deleted_source_is_said_to_be_deleted(world: World, as_role: As) -> None:
    world.policy.delete()
    page = as_role("viewer").get(f"/questions/{world.answered.pk}")
    assert "(deleted since)" in text_of(page)
    assert 'class="cite" href' not in page.content.decode()


def pages_and_api(client: Client, question: Question) -> list[str]:
    """Everything that shows one question to a reader."""
    paths = (
        f"/questions/{question.pk}",
        f"/questions/{question.pk}/result",
        "/refusals",
        f"/api/v1/questions/{question.pk}",
        "/api/v1/questions",
        "/api/v1/refusals",
    )
    return [client.get(path).content.decode() for path in paths]


@pytest.mark.parametrize("is_purged", [True, False], ids=["row gone", "marked"])
def test_a_deleted_document_is_told_only_to_those_who_may_see_its_folder(
    is_purged: bool, world: World, as_role: As
) -> None:
    world.answered.delete()
    secret = answered_question(world.lead, world.salaries, world.version)
    if is_purged:
        world.salaries.delete()
    else:
        Document.objects.filter(pk=world.salaries.pk).update(deleted_at=timezone.now())
    for question in (secret, world.refused):
        for shown in pages_and_api(as_role("support_lead"), question):
            assert SECRET not in shown
            assert "Salaries" not in shown
            assert LIMIT not in shown
            assert "may not open" in shown or "<h1>Refusals" in shown
        assert "(deleted since)" in pages_and_api(as_role("admin"), question)[0]
    world.closed.members.add(world.lead)
    assert SECRET in pages_and_api(as_role("support_lead"), world.refused)[0]


def test_an_old_answer_without_folders_hides_what_is_gone(world: World, as_role: As) -> None:
    Citation.objects.update(folder_id=None)
    world.policy.delete()
    shown = text_of(as_role("viewer").get(f"/questions/{world.answered.pk}"))
    assert LIMIT not in shown
    assert "A document you may not open" in shown
    assert LIMIT in text_of(as_role("admin").get(f"/questions/{world.answered.pk}"))


def test_a_sentence_from_a_closed_document_is_withheld(world: World, as_role: As) -> None:
    secret = answered_question(world.lead, world.salaries, world.version)
    page, _, _, one, many, _ = pages_and_api(as_role("support_lead"), secret)
    for shown in (page, one, many):
        assert WITHHELD in shown
    withheld = {"text": WITHHELD, "is_withheld": True, "citations": [1], "more": "", "gap": ""}
    assert json.loads(one)["sentences"] == [withheld]
    assert LIMIT not in page + one
    assert LIMIT in pages_and_api(as_role("admin"), secret)[0]


def test_a_sentence_with_one_open_source_is_shown(world: World, as_role: As) -> None:
    answer = world.answered.answer
    citation = answer.citations.get()
    citation.pk, citation.number = None, 2
    citation.document, citation.folder_id = world.salaries, world.closed.pk
    citation.save()
    answer.sentences = [{"text": LIMIT, "citations": [1, 2]}]
    answer.save()
    shown = as_role("viewer").get(f"/api/v1/questions/{world.answered.pk}").json()
    assert shown["sentences"][0]["text"] == LIMIT


def test_unreadable_files_name_only_folders_the_reader_sees(world: World, as_role: As) -> None:
    answer = world.refused.answer
    answer.unreadable = [
        {"folder_id": world.closed.pk, "folder": "Pay", "count": 1},
        {"folder": "Board", "count": 2},
        {"folder_id": world.travel.pk, "folder": "Travel", "count": 1},
    ]
    answer.save()
    path = f"/api/v1/questions/{world.refused.pk}"
    assert as_role("support_lead").get(path).json()["unreadable"] == (
        "1 file in Travel and 3 files in other folders could not be read."
    )
    assert "in Pay and 2 files in Board" in as_role("admin").get(path).json()["unreadable"]
    assert not any("Board" in shown for shown in pages_and_api(as_role("support_lead"), world.refused))


def test_what_was_near_links_to_the_bytes_it_was_near_in(world: World, as_role: As) -> None:
    link = as_role("admin").get(f"/api/v1/questions/{world.refused.pk}").json()["nearest"][0]["url"]
    assert f"of={world.salaries.sha256[:16]}" in link


def test_a_link_to_replaced_bytes_marks_nothing(world: World, as_role: As) -> None:
    page = as_role("viewer").get(f"/documents/{world.policy.pk}?start=8&end=20&of={'0' * 16}")
    assert "replaced after that answer" in text_of(page)
    assert "<mark" not in page.content.decode()


@pytest.mark.parametrize(
    "query", ["start=5&end=99999", "start=a&end=b", "start=9&end=3", "at=999999999", "at=-1", "page=0"]
)
def test_a_wrong_place_is_no_error(query: str, world: World, as_role: As) -> None:
    assert as_role("viewer").get(f"/documents/{world.policy.pk}?{query}").status_code == 200


def test_the_three_ends_without_an_answer_never_sound_alike(world: World, as_role: As) -> None:
    said = set()
    for state in (QuestionState.REFUSED, QuestionState.NOT_ALLOWED, QuestionState.BROKEN):
        Question.objects.filter(pk=world.refused.pk).update(state=state)
        page = as_role("admin").get(f"/questions/{world.refused.pk}/result")
        said.add(re.search(r'class="say">([^<]+)<', page.content.decode()).group(1))
    assert len(said) == 3


def test_a_pending_question_shows_progress_and_then_its_end(world: World, as_role: As) -> None:
    viewer = as_role("viewer")
    part = viewer.post("/ask", {"text": "What is the limit?"}, headers=HTMX)
    question = Question.objects.get(text="What is the limit?")
    assert f'id="question-{question.pk}"' in part.content.decode()
    assert "data-working" in part.content.decode()
    assert "<html" not in part.content.decode()
    plain = viewer.post("/ask", {"text": "What is the limit?"})
    assert plain.status_code == 302
    assert '<meta http-equiv="refresh"' in viewer.get(plain["Location"]).content.decode()


def test_asking_a_folder_one_may_not_see_is_refused_as_unknown(world: World, as_role: As) -> None:
    response = as_role("viewer").post("/ask", {"text": "Who earns what?", "folders": [world.closed.pk]})
    assert response.status_code == 422
    assert "does not exist" in text_of(response)
    assert not Question.objects.filter(text="Who earns what?").exists()


def test_a_blank_question_says_what_to_do(world: World, as_role: As) -> None:
    assert "Write a question first." in text_of(as_role("viewer").post("/ask", {"text": "  "}, headers=HTMX))


def test_the_original_cannot_run_on_this_site(world: World, as_role: As) -> None:
    evil = SimpleUploadedFile("evil.html", b"<script>alert(1)</script>")
    admin = as_role("admin")
    admin.post(f"/folders/{world.travel.pk}/upload", {"files": evil})
    response = admin.get(f"/documents/{Document.objects.get(name='evil.html').pk}/original")
    assert b"".join(response.streaming_content) == b"<script>alert(1)</script>"
    assert response["Content-Disposition"] == 'attachment; filename="evil.html"'
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in response["Content-Security-Policy"]
    assert "script-src" not in response["Content-Security-Policy"]


def test_a_page_image_of_what_is_no_pdf_is_missing(world: World, as_role: As) -> None:
    assert as_role("viewer").get(f"/documents/{world.policy.pk}/pages/1.png").status_code == 404
    assert as_role("viewer").get(f"/documents/{world.salaries.pk}/pages/1.png").status_code == 404


def test_a_failed_row_says_reason_and_next_step(world: World, as_role: As) -> None:
    for path in ("/failed", f"/folders/{world.travel.pk}", "/"):
        words = text_of(as_role("viewer").get(path))
        assert "damaged" in words
        assert "structure is broken" in words
        assert "upload that copy" in words


def test_only_admins_are_offered_changes(world: World, as_role: As) -> None:
    page = as_role("viewer").get(f"/folders/{world.travel.pk}").content.decode()
    assert "data-drop" not in page
    assert "/retry" not in page
    nav = text_of(as_role("viewer").get("/"))
    assert not {"People", "Audit", "Thresholds", "Refusals"} & set(nav.split())


def test_retry_gives_back_the_row(world: World, as_role: As) -> None:
    response = as_role("admin").post(f"/documents/{world.broken.pk}/retry", {"of": "failed"}, headers=HTMX)
    assert response.content.decode().lstrip().startswith(f'<tr id="document-{world.broken.pk}"')
    assert "Queued" in text_of(response)


def test_retrying_what_is_fine_is_a_note_not_an_error(world: World, as_role: As) -> None:
    response = as_role("admin").post(f"/documents/{world.policy.pk}/retry", headers=HTMX)
    assert response.status_code == 422
    assert "nothing to retry" in text_of(response)


def test_retry_all_of_one_reason_leaves_the_others(world: World, as_role: As) -> None:
    other = make_failed(
        Document.objects.create(folder=world.travel, name="x.pdf", sha256="0" * 64, size_bytes=1), "no_text"
    )
    as_role("admin").post("/documents/retry", {"reason": "damaged"})
    world.broken.refresh_from_db()
    other.refresh_from_db()
    assert (world.broken.state, other.state) == (DocumentState.QUEUED, DocumentState.FAILED)


def test_bulk_delete_asks_first(world: World, as_role: As) -> None:
    admin, ticked = as_role("admin"), {"document": [world.policy.pk, world.broken.pk]}
    page = admin.post("/documents/delete", ticked)
    assert "policy.md" in text_of(page)
    assert Document.objects.filter(deleted_at=None).count() == 4
    admin.post("/documents/delete", ticked | {"confirmed": "yes"})
    assert list(Document.objects.filter(deleted_at=None)) == [world.left_out, world.salaries]


def test_nothing_ticked_goes_back_with_a_sentence(world: World, as_role: As) -> None:
    response = as_role("admin").post("/documents/retry", {}, follow=True)
    assert "Tick at least one" in text_of(response)


def test_going_back_never_leaves_the_site(world: World, as_role: As) -> None:
    response = as_role("admin").post(
        "/documents/retry", {"reason": "damaged", "next": "https://evil.example/"}
    )
    assert response["Location"] == "/failed"


def test_upload_keeps_paths_and_says_what_changed(world: World, as_role: As) -> None:
    admin, url = as_role("admin"), f"/folders/{world.travel.pk}/upload"
    first = admin.post(url, {"files": SimpleUploadedFile("a.md", b"# A"), "paths": "deep/a.md"}, headers=HTMX)
    again = admin.post(url, {"files": SimpleUploadedFile("a.md", b"# A"), "paths": "deep/a.md"}, headers=HTMX)
    assert (text_of(first), text_of(again)) == ("deep/a.md stored", "deep/a.md unchanged")
    assert "Choose at least one file" in text_of(admin.post(url, headers=HTMX))


def test_names_are_kept_as_they_are_on_disk(world: World, as_role: As) -> None:
    admin, url = as_role("admin"), f"/folders/{world.travel.pk}/upload"
    for sent, path in (("5%22 disk%0A.md", ""), ("x.md", "a&lt;b%22.md"), ("100%.md", "")):
        data = {"files": SimpleUploadedFile(sent, sent.encode())} | ({"paths": path} if path else {})
        assert admin.post(url, data, headers=HTMX).status_code == 200
    names = set(Document.objects.values_list("name", flat=True))
    assert {'5" disk .md', "a&lt;b%22.md", "100%.md"} <= names


@pytest.mark.parametrize(
    ("name", "title", "is_shown"),
    [
        ("travel-policy.md", "Travel Policy", False),
        ("hr/travel_policy_2024.pdf", "travel policy", False),
        ("scan-17.pdf", "Travel policy", True),
        ("a.md", "", False),
        ("a.md", "—", False),
    ],
)
def test_a_title_is_shown_only_when_it_says_more_than_the_name(name: str, title: str, is_shown: bool) -> None:
    assert has_telling_title(Document(name=name, title=title)) is is_shown


def test_a_token_is_shown_once_and_stored_as_a_hash(world: World, as_role: As) -> None:
    viewer = as_role("viewer")
    secret = re.search(
        r'id="secret">(fn_[^<]+)<', viewer.post("/account/tokens", {"name": "x"}).content.decode()
    ).group(1)
    assert secret not in viewer.get("/account").content.decode()
    assert not ApiToken.objects.filter(digest=secret).exists()


def test_somebody_elses_token_cannot_be_revoked(world: World, as_role: As) -> None:
    assert as_role("support_lead").post(f"/account/tokens/{world.token.pk}/revoke").status_code == 404


def test_thresholds_take_a_reason_and_keep_history(world: World, as_role: As) -> None:
    admin = as_role("admin")
    right = {
        "relevance_cut": "0.615",
        "distance_cut": "0.480",
        "max_chunks": "3",
        "reason": "Too many bluffs.",
    }
    for wrong in ({"distance_cut": "3"}, {"relevance_cut": "1.01"}, {"relevance_cut": "nan"}, {"reason": ""}):
        assert admin.post("/thresholds", {**right, **wrong}).status_code == 422, wrong
    admin.post("/thresholds", right)
    page = text_of(as_role("support_lead").get("/thresholds"))
    assert "0.480" in page
    assert "0.615" in page
    assert "Too many bluffs." in page
    assert "Default." in page


def test_the_last_admin_stays(world: World, as_role: As) -> None:
    response = as_role("admin").post(f"/people/{world.admin.pk}", {"role": "viewer", "is_active": "on"})
    assert response.status_code == 422
    assert "last admin" in text_of(response)


def test_a_channel_is_connected_and_audited(world: World, as_role: As) -> None:
    admin = as_role("admin")
    wrong = admin.post(
        "/channels/new", {"team_id": "nope", "channel_id": "C1AB", "folders": [world.travel.pk]}
    )
    assert wrong.status_code == 422
    admin.post(
        "/channels/new",
        {"team_id": "T1AB", "channel_id": "C1AB", "name": "#ask", "folders": [world.travel.pk]},
    )
    channel = SlackChannel.objects.get(channel_id="C1AB")
    assert (channel.name, list(channel.folders.all())) == ("ask", [world.travel])
    entry = AuditEntry.objects.get(action="channel.set_folders")
    assert entry.actor == world.admin
    assert entry.detail == {"answers_from": "chosen", "folders": "Travel", "hears": "mentions"}


def test_lists_sort_filter_and_count_exactly(world: World, as_role: As) -> None:
    admin = as_role("admin")
    names = re.compile(r'data-open href="/documents/\d+">([^<]+)<')
    page = admin.get(f"/folders/{world.travel.pk}?sort=-name").content.decode()
    assert names.findall(page) == ["scan.pdf", "policy.md", "old-policy.md"]
    assert "1–3 of 3 documents" in text_of(admin.get(f"/folders/{world.travel.pk}?page=99&sort=nonsense"))
    assert names.findall(admin.get(f"/folders/{world.travel.pk}?state=failed").content.decode()) == [
        "scan.pdf"
    ]
    assert names.findall(admin.get(f"/folders/{world.travel.pk}?q=POLICY").content.decode()) == [
        "old-policy.md",
        "policy.md",
    ]
    assert "0 question" not in text_of(admin.get("/questions?outcome=refused"))
    assert "No question matches" in text_of(admin.get("/questions?outcome=broken"))
    assert "Who won the cup?" in text_of(admin.get("/refusals?reason=below_threshold&sort=-margin"))


def test_a_part_is_given_only_to_htmx(world: World, as_role: As) -> None:
    viewer = as_role("viewer")
    part = viewer.get("/questions", headers={**HTMX, "HX-Target": "list"})
    assert part.content.decode().startswith('<div id="list"')
    assert "HX-Target" in part["Vary"]
    assert "<html" in viewer.get("/questions", headers=HTMX).content.decode()


def test_a_signed_out_part_sends_the_whole_page_to_sign_in(world: World) -> None:
    here = {"HX-Current-URL": "http://testserver/folders/1"}
    response = Client().get(f"/documents/{world.policy.pk}/row", headers=HTMX | here)
    assert response.status_code == 401
    assert response["HX-Redirect"] == "/sign-in?next=http%3A%2F%2Ftestserver%2Ffolders%2F1"


def test_error_pages_say_what_is_safe(world: World, as_role: As, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Nothing here" in text_of(as_role("viewer").get("/no-such-page"))
    assert "Sign in" in text_of(Client().get("/no-such-page"))
    assert "Only an admin may do this." in text_of(as_role("viewer").get("/people"))

    def explode(_user: object) -> None:
        raise RuntimeError("password=hunter2")

    monkeypatch.setattr("console.overview.outcome_counts", explode)
    client = as_role("viewer")
    client.raise_request_exception = False
    response = client.get("/")
    assert response.status_code == 500
    assert re.search(r"reference [0-9A-F]{8}", text_of(response))
    assert "hunter2" not in response.content.decode()


def test_signing_in_and_out(world: World) -> None:
    client = Client()
    assert "correct user" not in text_of(client.get("/sign-in"))
    wrong = client.post("/sign-in", {"username": "vic", "password": "wrong"})
    assert "Please enter a correct" in text_of(wrong)
    right = client.post("/sign-in", {"username": "vic", "password": "correct horse", "next": "/folders"})
    assert right["Location"] == "/folders"
    assert client.post("/sign-out")["Location"] == "/sign-in"
    assert client.get("/folders").status_code == 302
    evil = client.post(
        "/sign-in", {"username": "vic", "password": "correct horse", "next": "https://evil.example"}
    )
    assert evil["Location"] == "/"


def test_guessing_a_password_is_stopped_and_the_right_one_does_not_help_then(
    client: Client, db: None
) -> None:
    create_user(actor=None, username="ada", password="correct horse battery", role=Role.ADMIN)
    for _ in range(10):
        response = client.post("/sign-in", {"username": "ada", "password": "wrong"})
    assert response.status_code == 429
    assert "Wait 15 minutes" in response.content.decode()
    locked = client.post("/sign-in", {"username": "ada", "password": "correct horse battery"})
    assert locked.status_code == 429
    other = client.post("/sign-in", {"username": "bo", "password": "wrong"})
    assert other.status_code == 200, "only that name is held up"


def test_folders_come_by_name_and_versions_newest_first(world: World, as_role: As) -> None:
    """Counting drops a model's own order."""
    create_folder(actor=world.admin, name="Archive")
    newer = IndexVersion.objects.get(pk=world.version.pk)
    newer.pk, newer.collection, newer.state = None, "test-2", VersionState.READY
    newer.save()
    admin = as_role("admin")
    folders = re.findall(r'<a href="/folders/\d+">([^<]+)<', admin.get("/").content.decode())
    assert folders == ["Archive", "Pay", "Travel"]
    versions = [row["id"] for row in admin.get("/api/v1/versions").json()]
    assert versions == [newer.pk, world.version.pk]


def test_a_stamp_of_other_bytes_is_stale_in_its_version_only(world: World, as_role: As) -> None:
    newer = IndexVersion.objects.get(pk=world.version.pk)
    newer.pk, newer.collection, newer.state = None, "test-2", VersionState.READY
    newer.save()
    stamp = world.policy.index_stamps.get()
    stamp.pk, stamp.version = None, newer
    stamp.save()
    world.policy.index_stamps.filter(version=world.version).update(sha256="0" * 64)
    rows = as_role("admin").get("/api/v1/versions").json()
    assert [(row["n_done"], row["n_vectors"], row["n_stale"]) for row in rows] == [(1, 2, 0), (2, 4, 1)]


def test_what_was_near_ends_with_dots_where_it_was_cut(world: World, as_role: As) -> None:
    def quote() -> str:
        path = f"/api/v1/questions/{world.refused.pk}"
        return as_role("admin").get(path).json()["nearest"][0]["quote"]

    assert quote() == SECRET
    answer = world.refused.answer
    answer.nearest[0]["end"] = EXCERPT_CHARS + 1
    answer.save()
    assert quote() == f"{SECRET}…"


def test_the_api_says_which_documents_do_not_agree(world: World, as_role: As) -> None:
    answer = world.answered.answer
    first = answer.citations.get()
    second = answer.citations.get()
    second.pk, second.number, second.document, second.document_title = None, 2, None, "Old travel policy"
    second.save()
    path = f"/api/v1/questions/{world.answered.pk}"
    assert as_role("admin").get(path).json()["conflicts"] == []
    answer.conflicts = [[1, 2]]
    answer.save()
    told = as_role("admin").get(path).json()["conflicts"]
    assert [(each["citation"], each["title"]) for each in told] == [
        (1, first.document_title),
        (2, "Old travel policy"),
    ]
    assert told[0]["uploaded_at"].startswith(f"{first.document.uploaded_at:%Y-%m-%d}")
    assert told[1]["uploaded_at"] is None
    page = as_role("admin").get(f"/questions/{world.answered.pk}")
    assert f"[1] {first.document_title}, uploaded" in text_of(page)
