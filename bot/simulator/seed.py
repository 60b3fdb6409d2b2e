"""The small workspace that `manage.py slack simulate` opens with."""

from __future__ import annotations

from bot.simulator.workspace import Workspace

ADA, BEN, GUS = "U00000ADA01", "U00000BEN01", "U00000GUS01"
HELP, BOARD, PARTNERS = "C00000HELP1", "C00000BOARD", "C00000PART1"
TRIO = "C00000TRIO1"


def seed(workspace: Workspace) -> Workspace:
    """Three people, one a guest; an open, a private and a shared channel, and a group direct message."""
    workspace.team_name = "Harbour"
    workspace.add_person(ADA, "ada", email="ada@example.org")
    workspace.add_person(BEN, "ben", email="ben@example.org", locale="de-DE")
    workspace.add_person(GUS, "gus", is_restricted=True)
    everybody = set(workspace.people)
    # No guest reads along here: with one, only folders that are shared externally may be answered from.
    workspace.add_channel(HELP, "help", members=everybody - {GUS})
    workspace.add_channel(BOARD, "board", kind="group", members=everybody - {GUS})
    workspace.add_channel(PARTNERS, "partners", is_shared=True, members=set(everybody))
    workspace.add_channel(TRIO, "mpdm-ada--ben--footnote-1", kind="mpim", members=everybody - {GUS})
    for person_id in (ADA, BEN, GUS):
        workspace.direct_channel(person_id)
    return workspace
