"""Who somebody in Slack is to us: the language they are spoken to in, and whether they are of the organisation."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from slack_sdk import WebClient

from bot.audience import is_outsider_of
from bot.client import punctual
from bot.faults import CALL_FAILED, fault_of
from bot.fields import object_of, text_of
from bot.phrases import ENGLISH, Phrases, phrases_of
from console.channels.audience import Outsiders, outsider_is, record_people
from console.channels.models import SlackProfile
from console.channels.profiles import is_fresh, known_profile, remember_failure, remember_profile

log = logging.getLogger(__name__)

LOOK_UP_S = 1
"""Of the time before an acknowledgement (`bot.client.BEFORE_ACK_S`); the rest is for opening a form."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody in Slack. Unknown to us they speak English."""

    phrases: Phrases
    is_outsider: bool


def person_of(client: WebClient, team_id: str, user_id: str) -> Person:
    """The person as Slack knows them (`users.info`), asked for once a day.

    Without ids it is nobody we know, so an outsider. A look-up that fails costs the language: the last one known, else
    English. Whether somebody is from outside, when Slack does not tell, is decided as it is for what is posted.
    """
    if not team_id or not user_id:
        return Person(ENGLISH, is_outsider=True)
    profile = known_profile(team_id, user_id)
    if profile is None or not is_fresh(profile):
        profile = _ask_slack(client, team_id, user_id)
    is_outsider = outsider_is(team_id, user_id) is not Outsiders.NONE
    return Person(phrases_of(profile.locale), is_outsider)


def known_person(team_id: str, user_id: str) -> Person:
    """The person as they were known last, without a call to Slack: for what stands before an acknowledgement."""
    profile = known_profile(team_id, user_id)
    is_outsider = outsider_is(team_id, user_id) is Outsiders.PRESENT
    return Person(phrases_of(profile.locale if profile else ""), is_outsider)


def person_before_ack(client: WebClient, team_id: str, user_id: str) -> Person:
    """The person as they were known last; who was never known is asked for, no longer than an ack can wait."""
    if team_id and user_id and known_profile(team_id, user_id) is None:
        person_of(punctual(client, LOOK_UP_S), team_id, user_id)
    return known_person(team_id, user_id)


def _ask_slack(client: WebClient, team_id: str, user_id: str) -> SlackProfile:
    try:
        user = object_of(client.users_info(user=user_id, include_locale=True).get("user"))
    except CALL_FAILED as error:
        log.info("Slack did not say who %s is: %s", user_id, fault_of(error).code)
        return remember_failure(team_id, user_id)
    record_people(team_id, {user_id: is_outsider_of(user, team_id)})
    return remember_profile(team_id, user_id, locale=text_of(user.get("locale")) or "en-US")
