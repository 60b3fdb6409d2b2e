"""What the App Home shows of a person's own questions."""

from __future__ import annotations

from django.db.models import Q, QuerySet

import rag
from console.questions import wording
from console.questions.models import Question

N_RECENT = 8
FROM_HOME = "home-"
"""How the ts of a question begins that was asked on the Home tab, where it stands as waiting until it is answered."""


def questions_of_slack_user(team_id: str, user_id: str) -> QuerySet[Question]:
    """That person's questions in Slack, newest first; those they deleted are gone."""
    return Question.objects.filter(slack_team_id=team_id, slack_user_id=user_id, withdrawn_at=None).order_by(
        "-received_at"
    )


def recent_questions(team_id: str, user_id: str) -> list[Question]:
    """The latest of them; without small talk and what is no question, of which no outcome can be told."""
    asks_nothing = Q(answer__reason_code=rag.RefusalReason.ROUTED_NO_RETRIEVAL) & ~Q(
        answer__reason=wording.QUESTION_TOO_LONG
    )
    asked = questions_of_slack_user(team_id, user_id).exclude(Q(text="") | asks_nothing)
    return list(asked[:N_RECENT])
