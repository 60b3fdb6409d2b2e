"""The one socket of open pages: ids of what changed, limited to what the person may see.

Payloads carry ids and states only; the page fetches what it shows, through the same rights.
"""

from __future__ import annotations

import time
from importlib import import_module
from typing import Any

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncJsonWebsocketConsumer
from django.conf import settings
from django.contrib.auth import get_user
from django.http import HttpRequest
from django.urls import path

from console import sockets
from console.evaluation.selectors import golden_sets_visible_to
from console.people.models import User
from console.questions.selectors import questions_visible_to
from console.sources.selectors import folders_visible_to

SIGNED_OUT = 4401
GROUPS = (sockets.DOCUMENTS, sockets.QUESTIONS, sockets.EVALUATIONS)
RIGHTS_LAST_S = 3.0
"""Session and rights are read again after this: a sign-out, a new password, another role or membership
counts on open pages too."""


class LiveConsumer(AsyncJsonWebsocketConsumer):  # type: ignore[misc]
    """Forwards messages of `sockets.publish`."""

    user: User
    session_key: str | None = None
    folder_ids: frozenset[int] = frozenset()
    golden_set_ids: frozenset[int] = frozenset()
    rights_read_at = 0.0

    async def connect(self) -> None:
        """Join, or close with 4401 when nobody is signed in."""
        user = self.scope.get("user")
        if user is None or not user.is_authenticated:
            # Accepted first: a refused handshake shows the page no code, so it could not tell "signed out".
            await self.accept()
            await self.close(code=SIGNED_OUT)
            return
        self.user = user
        self.session_key = self.scope["session"].session_key
        await self._read_rights()
        for group in GROUPS:
            await self.channel_layer.group_add(group, self.channel_name)
        # Last: from "open" on the page relies on hearing everything.
        await self.accept()

    async def disconnect(self, _code: int) -> None:
        """Leave."""
        for group in GROUPS:
            await self.channel_layer.group_discard(group, self.channel_name)

    async def receive_json(self, content: Any, **kwargs: Any) -> None:
        """Pages have nothing to say here."""

    async def live_message(self, event: dict[str, Any]) -> None:
        """Forward one message, if the person may see what it is about."""
        payload = event["payload"]
        if time.monotonic() - self.rights_read_at > RIGHTS_LAST_S and not await self._read_rights():
            await self.close(code=SIGNED_OUT)
            return
        if await self._may_see(payload):
            await self.send_json(payload)

    async def _may_see(self, payload: dict[str, Any]) -> bool:
        if payload.get("kind") == "document":
            folder_id = payload.get("folder")
            if folder_id not in self.folder_ids:
                # Perhaps a folder made a moment ago.
                await self._read_rights()
            return folder_id in self.folder_ids
        if payload.get("kind") == "question":
            return await self._sees_question(str(payload.get("id")))
        if payload.get("kind") == "run":
            if payload.get("set") not in self.golden_set_ids:
                await self._read_rights()
            return payload.get("set") in self.golden_set_ids
        return False

    async def _read_rights(self) -> bool:
        result: bool = await database_sync_to_async(self._rights)()
        return result

    async def _sees_question(self, question_id: str) -> bool:
        result: bool = await database_sync_to_async(self._question_visible)(question_id)
        return result

    def _rights(self) -> bool:
        user = self._person_of_session()
        self.rights_read_at = time.monotonic()
        if user is None:
            self.folder_ids = self.golden_set_ids = frozenset()
            return False
        self.user = user
        self.folder_ids = frozenset(folders_visible_to(user).values_list("pk", flat=True))
        self.golden_set_ids = frozenset(golden_sets_visible_to(user).values_list("pk", flat=True))
        return True

    def _person_of_session(self) -> User | None:
        """Whom the session stands for now: nobody after a sign-out, a new password or a block."""
        request = HttpRequest()
        request.session = import_module(settings.SESSION_ENGINE).SessionStore(self.session_key)
        user = get_user(request)
        return user if isinstance(user, User) and user.is_active else None

    def _question_visible(self, question_id: str) -> bool:
        return questions_visible_to(self.user).filter(pk=question_id).exists()


socket_urls = [path("live/", LiveConsumer.as_asgi())]
