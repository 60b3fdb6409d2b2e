"""English; the sentences that the console tells too are its own (`console.questions.wording`)."""

from __future__ import annotations

import rag
from bot.phrases.table import (
    Ages,
    Buttons,
    ChannelPhrases,
    HomePhrases,
    ModalPhrases,
    Phrases,
    Plural,
    Problem,
    Replies,
)
from console.questions import wording
from console.questions.models import FeedbackReason, QuestionState

_IN_OTHER_WORDS = "Ask it in other words, or ask a human."
_ASK_A_HUMAN = "Ask a human, or open the nearest passages."

_BUTTONS = Buttons(
    view_sources="View sources",
    show_nearest="Show nearest",
    helpful="Helpful",
    not_helpful="Not helpful",
    share="Share",
    ask_a_human="Ask a human",
    answer_edited="Answer the edited question",
    ask="Ask",
    close="Close",
    send="Send",
    cancel="Cancel",
)

_MODALS = ModalPhrases(
    sources="Sources",
    nearest="Nearest passages",
    hidden_source="From a document you may not see.",
    gone_source="The document was deleted since, so its words are not shown any more.",
    no_source="Nothing is near that you may see.",
    more=Plural("{n} more stands in the console.", "{n} more stand in the console."),
    feedback="What was wrong?",
    feedback_reason="The answer is",
    feedback_comment="What should it have said?",
    feedback_hint="Read by the people who look after the documents.",
    reasons={
        FeedbackReason.WRONG: "wrong",
        FeedbackReason.OUTDATED: "outdated",
        FeedbackReason.NOT_IN_SOURCES: "not in the sources it names",
        FeedbackReason.BADLY_WRITTEN: "badly written",
    },
    ask="Ask Footnote",
    ask_question="Your question",
    ask_hint="Only you see the answer, as a message from me. You can share it from there.",
    asked="I am looking in the documents. The answer comes as a message from me; you can close this.",
    expired="This form is too old by now. Nothing was sent. Close it and open it again from the message.",
)

_HOME = HomePhrases(
    folders="What I can answer you from",
    documents=Plural("{n} document", "{n} documents"),
    unreadable=Plural("{n} file could not be read", "{n} files could not be read"),
    working=Plural("{n} is still being read", "{n} are still being read"),
    no_folder="No folder yet. Somebody who looks after Footnote can open one to you.",
    not_linked="These are the folders open to everyone. An admin can link you to your account in the console.",
    recent="Your last questions",
    no_recent="You have not asked anything yet. Write to me under Messages, or mention me in a channel.",
    outcomes={
        QuestionState.RECEIVED: "waiting",
        QuestionState.ANSWERING: "being answered",
        QuestionState.ANSWERED: "answered",
        QuestionState.REFUSED: "refused",
        QuestionState.NOT_ALLOWED: "not allowed",
        QuestionState.BROKEN: "broken",
    },
    suggested="Others have asked, and the documents answered",
    no_suggestion="Nothing to suggest yet: only questions that were really answered stand here.",
    more=Plural("and {n} more folder", "and {n} more folders"),
)

_REPLIES = Replies(
    looking="Looking in the documents…",
    usage="Write your question after the command: {command} how do I …",
    thanks="Thanks, that is kept.",
    noted="Thanks. It is kept for the people who look after the documents.",
    sharing="I'm posting it here.",
    human_asked="I asked {names}. They see the question and what was near.",
    human_in_console="{names} will see the question in the console; I can't write to them here.",
    human_without_owner="Nobody is named as owner of these folders. The question stands in the console.",
    human_asked_before="{names} was asked already.",
    edit_offer="You changed the question after I took it in.",
    asked="{who} asked: {question}",
    asked_privately="You asked: {question}",
    shared_by="Shared by {who}",
    owner_told="{who} asked something that I could not answer, and wants a human to see it:",
    owner_folders="You are named as owner of {folders}.",
    owner_link="Open the question in the console",
    question_deleted="Somebody wanted your help with a question. Its asker has deleted it since.",
    withdrawn="The question was deleted, so I took my answer back.",
    problems={
        Problem.GONE: "That button is too old: what it belonged to is gone.",
        Problem.NOT_YOURS: "Only the person who asked can do that.",
        Problem.NOT_ALLOWED: "You may not see that any more.",
        Problem.TOO_LATE: "That took me too long for Slack. Click once more.",
        Problem.SHARED_ALREADY: "It is shared already.",
        Problem.NOT_FOR_EVERYONE: "I can't share it: not everyone here may see what it is answered from.",
        Problem.NO_MEMBER: "I can't post here. Invite me to the channel, then share again.",
        Problem.AUDIENCE_UNKNOWN: "I can't share it: I may not look who reads this channel.",
        Problem.ANSWERED_ALREADY: "The edited question was taken in already.",
        Problem.NO_TEXT: "Write a question first.",
        Problem.SLACK_REFUSED: "Slack did not let me do that. Nothing was changed.",
    },
)

_CHANNEL = ChannelPhrases(
    here="This conversation",
    silent="nothing answers here",
    refuses="every question is refused here",
    answers="questions are answered here",
    answered_from="Answered from",
    nothing="nothing",
    more=Plural("and {n} more", "and {n} more"),
    index="Index",
    not_ready="is not ready",
    cut_of_channel="relevance cut {cut} (this channel's)",
    cut_of_version="relevance cut {cut} (the version's)",
    to_know="What to know",
    looking="Looking…",
    usage=(
        "`/footnote status` shows what this channel is answered from and what is wrong. Questions go after `/ask`, or "
        "after a mention of me."
    ),
)

ENGLISH = Phrases(
    code="en",
    date_form="{day} {month} {year}",
    months=(
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ),
    and_="and",
    sources="Sources",
    n_sources=Plural("{n} source", "{n} sources"),
    part="Part {number} of {total}",
    from_documents_here="From the documents this channel can see.",
    from_documents_yours="From the documents you can see.",
    according_to="According to {title}:",
    more_items=Plural(
        "(The list has {n} more item; see the source.)", "(The list has {n} more items; see the source.)"
    ),
    list_rest=wording.LIST_REST,
    disagree=wording.DISAGREE,
    not_answered=wording.NOT_ANSWERED,
    dated="{title}, uploaded {date}",
    ages=Ages(
        today="added today",
        days=Plural("added {n} day ago", "added {n} days ago"),
        weeks=Plural("added {n} week ago", "added {n} weeks ago"),
        months=Plural("added {n} month ago", "added {n} months ago"),
        years=Plural("added {n} year ago", "added {n} years ago"),
    ),
    cannot_here="I can't answer that from the documents this channel can see.",
    cannot_yours=wording.SAYS[QuestionState.REFUSED],
    closest="closest: {place}",
    closest_distance="closest: {place}, {score}; limit {cut}",
    closest_relevance="closest: {place}, relevance {score}; needed {cut}",
    also_near="Also near: {places}.",
    unreadable_in=Plural("{n} file in {folder}", "{n} files in {folder}"),
    unreadable="{files} could not be read.",
    still_working=Plural(
        wording.still_working(1).replace("1", "{n}"), wording.still_working(2).replace("2", "{n}")
    ),
    degraded=wording.DEGRADED,
    again_in_a_moment=wording.AGAIN_IN_A_MOMENT,
    refusals={reason: wording.refusal_sentence(reason) for reason in rag.RefusalReason},
    next_steps={
        rag.RefusalReason.NOTHING_RETRIEVED: "An admin can add documents in the console.",
        rag.RefusalReason.BELOW_THRESHOLD: _IN_OTHER_WORDS,
        rag.RefusalReason.WEAK_EVIDENCE: _ASK_A_HUMAN,
        rag.RefusalReason.MODEL_ABSTAINED: _ASK_A_HUMAN,
        rag.RefusalReason.UNSUPPORTED_CLAIMS: _ASK_A_HUMAN,
        rag.RefusalReason.ROUTED_NO_RETRIEVAL: "",
        rag.RefusalReason.OUT_OF_SCOPE_FOLDER: "",
        rag.RefusalReason.INDEX_NOT_READY: "",
    },
    small_talk=wording.SMALL_TALK,
    question_empty=wording.QUESTION_EMPTY,
    question_too_long=wording.QUESTION_TOO_LONG,
    not_allowed_external=wording.NOT_ALLOWED_EXTERNAL,
    not_allowed_unknown=wording.NOT_ALLOWED_UNKNOWN,
    not_allowed_chosen=wording.NOT_ALLOWED_CHOSEN,
    stopped=wording.STOPPED,
    broken=wording.BROKEN,
    broken_next="",
    reference="Reference {reference}.",
    not_taken="I have an answer, but Slack did not take it:",
    not_taken_link="read it in the console",
    thread_not_read="I could not read this thread, so I took your question by itself.",
    status="is looking in the documents…",  # Slack puts the app's name in front
    goes_on="The answer goes on. Ask in a channel that I am a member of to read all of it.",
    buttons=_BUTTONS,
    modals=_MODALS,
    home=_HOME,
    channel=_CHANNEL,
    replies=_REPLIES,
)
