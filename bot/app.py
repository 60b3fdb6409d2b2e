"""The Bolt app: it verifies, writes rows and acknowledges; answering is the workers' part."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache

from django.conf import settings
from slack_bolt import App, BoltContext, BoltResponse
from slack_bolt.authorization import AuthorizeResult

from bot import listeners
from bot.client import BEFORE_ACK_S, punctual, token_for_listener, web_client
from bot.faults import place_of
from bot.incoming import Json

log = logging.getLogger(__name__)

UNREADABLE = (ValueError, TypeError, AttributeError, LookupError, RecursionError)
"""What parsing raises on a body that is no JSON, no UTF-8 or not shaped as Slack shapes it."""


@cache
def slack_app() -> App:
    """The process's app, built when Slack first calls; building it needs no network."""
    return build_app()


def build_app() -> App:
    """A Bolt app whose acknowledgement follows the rows.

    `process_before_response` runs the listener before the response is given: Bolt would otherwise
    acknowledge an event first, and a crash right after would lose the question, because Slack only
    sends again what was not acknowledged. It is safe because listeners insert rows, and what some of them ask of
    Slack shares two and a half seconds.
    """
    # Bolt's logger stays at ERROR: its warnings hold request bodies, which are people's questions.
    logger = logging.getLogger("slack_bolt.footnote")
    logger.setLevel(logging.ERROR)
    app = App(
        logger=logger,
        client=web_client(),
        signing_secret=settings.SLACK_SIGNING_SECRET,
        # Given explicitly, so that SLACK_CLIENT_ID in the environment cannot switch on OAuth mode
        # and no `auth.test` delays an acknowledgement.
        authorize=_authorize,
        token_verification_enabled=False,
        process_before_response=True,
        ignoring_self_events_enabled=False,  # `bot.incoming` does it, together with other bots
    )
    app.error(_answer_error)
    app.middleware(_acknowledge_rate_limit_notice)
    app.middleware(_begin_the_time_before_the_acknowledgement)
    listeners.register(app)
    return app


def _answer_error(error: Exception) -> BoltResponse:
    """A 400 for what Bolt or we could not make sense of, a 500 for what failed on our side.

    Slack sends both again. Messages of exceptions are kept out of the log: they can hold what people wrote.
    """
    if isinstance(error, UNREADABLE):
        log.warning("a request of Slack could not be read: %s", place_of(error))
        return BoltResponse(status=400, body="The request could not be read.")
    log.error("a request of Slack failed: %s", place_of(error))
    return BoltResponse(status=500)


def _authorize(enterprise_id: str | None, team_id: str | None) -> AuthorizeResult:
    return AuthorizeResult(
        enterprise_id=enterprise_id, team_id=team_id, bot_token=token_for_listener(team_id)
    )


def _acknowledge_rate_limit_notice(body: Json, next: Callable[[], object]) -> BoltResponse | None:  # noqa: A002 - Bolt's name
    """Slack tells that it drops events with a request that is no event; Bolt would answer 404."""
    if body.get("type") != "app_rate_limited":
        next()
        return None
    log.error("Slack drops events of workspace %s: more than 30,000 came within an hour", body.get("team_id"))
    return BoltResponse(status=200)


def _begin_the_time_before_the_acknowledgement(context: BoltContext, next: Callable[[], object]) -> None:  # noqa: A002 - Bolt's name
    """Listeners get a client whose calls end in time, however many they make."""
    context["client"] = punctual(context.client, BEFORE_ACK_S)
    next()
