"""German."""

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
from console.questions.models import FeedbackReason, QuestionState

_IN_OTHER_WORDS = "Frag es mit anderen Worten, oder frag einen Menschen."
_ASK_A_HUMAN = "Frag einen Menschen, oder öffne die nächstliegenden Stellen."

_BUTTONS = Buttons(
    view_sources="Quellen ansehen",
    show_nearest="Nächste Stellen",
    helpful="Hilfreich",
    not_helpful="Nicht hilfreich",
    share="Teilen",
    ask_a_human="Einen Menschen fragen",
    answer_edited="Geänderte Frage beantworten",
    ask="Fragen",
    close="Schließen",
    send="Senden",
    cancel="Abbrechen",
)

_MODALS = ModalPhrases(
    sources="Quellen",
    nearest="Nächstliegende Stellen",
    hidden_source="Aus einem Dokument, das du nicht sehen darfst.",
    gone_source="Das Dokument wurde inzwischen gelöscht; sein Text wird nicht mehr gezeigt.",
    changed_source="Das Dokument wurde inzwischen geändert oder ausgeschlossen; diese Worte werden nicht mehr gezeigt.",
    no_source="Nichts liegt nahe, das du sehen darfst.",
    more=Plural("{n} weitere steht in der Konsole.", "{n} weitere stehen in der Konsole."),
    feedback="Was war falsch?",
    feedback_reason="Die Antwort ist",
    feedback_comment="Was hätte sie sagen sollen?",
    feedback_hint="Das lesen die Leute, die sich um die Dokumente kümmern.",
    reasons={
        FeedbackReason.WRONG: "falsch",
        FeedbackReason.OUTDATED: "veraltet",
        FeedbackReason.NOT_IN_SOURCES: "nicht in den genannten Quellen",
        FeedbackReason.BADLY_WRITTEN: "schlecht geschrieben",
    },
    ask="Footnote fragen",
    ask_question="Deine Frage",
    ask_hint="Nur du siehst die Antwort, als Nachricht von mir. Von dort kannst du sie teilen.",
    asked="Ich sehe in den Dokumenten nach. Die Antwort kommt als Nachricht von mir; du kannst das hier schließen.",
    expired="Dieses Formular ist inzwischen zu alt. Es wurde nichts gesendet. Öffne es noch einmal bei der Nachricht.",
)

_HOME = HomePhrases(
    folders="Woraus ich dir antworten kann",
    documents=Plural("{n} Dokument", "{n} Dokumente"),
    unreadable=Plural("{n} Datei war nicht lesbar", "{n} Dateien waren nicht lesbar"),
    working=Plural("{n} wird noch gelesen", "{n} werden noch gelesen"),
    no_folder="Noch kein Ordner. Wer sich um Footnote kümmert, kann dir einen öffnen.",
    not_linked=(
        "Das sind die Ordner, die allen offenstehen. Ein Admin kann dich in der Konsole mit deinem Konto verbinden."
    ),
    recent="Deine letzten Fragen",
    no_recent="Du hast noch nichts gefragt. Schreib mir unter Nachrichten, oder erwähne mich in einem Kanal.",
    outcomes={
        QuestionState.RECEIVED: "wartet",
        QuestionState.ANSWERING: "wird beantwortet",
        QuestionState.ANSWERED: "beantwortet",
        QuestionState.REFUSED: "abgelehnt",
        QuestionState.NOT_ALLOWED: "nicht erlaubt",
        QuestionState.BROKEN: "fehlgeschlagen",
    },
    suggested="Das haben andere gefragt, und die Dokumente haben es beantwortet",
    no_suggestion="Noch kein Vorschlag: Hier stehen nur Fragen, die wirklich beantwortet wurden.",
    more=Plural("und {n} weiterer Ordner", "und {n} weitere Ordner"),
)

_REPLIES = Replies(
    looking="Ich sehe in den Dokumenten nach …",
    usage="Schreib deine Frage hinter den Befehl: {command} wie kann ich …",
    thanks="Danke, das ist festgehalten.",
    noted="Danke. Es ist für die Leute festgehalten, die sich um die Dokumente kümmern.",
    sharing="Ich stelle sie hier ein.",
    human_asked="Ich habe {names} gefragt. Sie sehen die Frage und was nahe lag.",
    human_in_console="{names} sieht die Frage in der Konsole; hier kann ich nicht schreiben.",
    human_without_owner="Für diese Ordner ist niemand zuständig eingetragen. Die Frage steht in der Konsole.",
    human_asked_before="{names} wurde schon gefragt.",
    edit_offer="Du hast die Frage geändert, nachdem ich sie angenommen hatte.",
    asked="{who} hat gefragt: {question}",
    asked_privately="Du hast gefragt: {question}",
    shared_by="Geteilt von {who}",
    owner_told="{who} hat etwas gefragt, das ich nicht beantworten konnte, und möchte, dass ein Mensch es sieht:",
    owner_folders="Du bist für {folders} zuständig eingetragen.",
    owner_link="Die Frage in der Konsole öffnen",
    question_deleted="Jemand wollte deine Hilfe bei einer Frage. Wer sie gestellt hat, hat sie inzwischen gelöscht.",
    withdrawn="Die Frage wurde gelöscht, darum habe ich meine Antwort zurückgenommen.",
    problems={
        Problem.GONE: "Dieser Knopf ist zu alt: Das, wozu er gehörte, gibt es nicht mehr.",
        Problem.NOT_YOURS: "Das kann nur die Person, die gefragt hat.",
        Problem.NOT_ALLOWED: "Das darfst du nicht mehr sehen.",
        Problem.TOO_LATE: "Das hat Slack zu lange gedauert. Klick noch einmal.",
        Problem.SHARED_ALREADY: "Sie ist schon geteilt.",
        Problem.NOT_FOR_EVERYONE: "Ich kann sie nicht teilen: Nicht alle hier dürfen sehen, woraus sie stammt.",
        Problem.NO_MEMBER: "Hier kann ich nichts einstellen. Lade mich in den Kanal ein und teile noch einmal.",
        Problem.AUDIENCE_UNKNOWN: "Ich kann sie nicht teilen: Ich darf nicht nachsehen, wer diesen Kanal liest.",
        Problem.SOURCES_CHANGED: (
            "Ich kann sie nicht teilen: Ein Dokument, in dem sie steht, wurde gelöscht oder geändert. Frag noch einmal."
        ),
        Problem.ANSWERED_ALREADY: "Die geänderte Frage habe ich schon angenommen.",
        Problem.NO_TEXT: "Schreib zuerst eine Frage.",
        Problem.SLACK_REFUSED: "Slack hat mir das nicht erlaubt. Es wurde nichts geändert.",
    },
)

_CHANNEL = ChannelPhrases(
    here="Diese Unterhaltung",
    silent="hier antwortet nichts",
    refuses="hier wird jede Frage abgelehnt",
    not_allowed="was ich weiß, darf hier nicht allen gesagt werden, die mitlesen",
    answers="hier werden Fragen beantwortet",
    answered_from="Beantwortet aus",
    nothing="nichts",
    more=Plural("und {n} weiterer", "und {n} weitere"),
    index="Suchindex",
    not_ready="ist nicht bereit",
    cut_of_channel="Relevanzgrenze {cut} (die dieses Kanals)",
    cut_of_version="Relevanzgrenze {cut} (die der Version)",
    to_know="Was man wissen muss",
    looking="Ich sehe nach …",
    usage=(
        "`/footnote status` zeigt, woraus dieser Kanal beantwortet wird und was nicht stimmt. Fragen gehören hinter "
        "`/ask` oder hinter eine Erwähnung von mir."
    ),
)

GERMAN = Phrases(
    code="de",
    date_form="{day}. {month} {year}",
    months=(
        "Januar",
        "Februar",
        "März",
        "April",
        "Mai",
        "Juni",
        "Juli",
        "August",
        "September",
        "Oktober",
        "November",
        "Dezember",
    ),
    and_="und",
    decimal_point=",",
    sources="Quellen",
    n_sources=Plural("{n} Quelle", "{n} Quellen"),
    part="Teil {number} von {total}",
    from_documents_here="Aus den Dokumenten, die dieser Kanal sehen kann.",
    from_documents_yours="Aus den Dokumenten, die du sehen kannst.",
    according_to="Laut {title}:",
    more_items=Plural(
        "(Die Liste hat {n} weiteren Punkt; siehe die Quelle.)",
        "(Die Liste hat {n} weitere Punkte; siehe die Quelle.)",
    ),
    list_rest={
        rag.ListRest.MAY_GO_ON: "(Die Liste geht im Dokument vielleicht weiter; siehe die Quelle.)",
        rag.ListRest.GOES_ON: "(Die Liste geht im Dokument weiter; siehe die Quelle.)",
    },
    disagree="Diese Dokumente widersprechen sich:",
    not_answered="Nicht beantwortet: „{question}“ {reason}",
    dated="{title}, hochgeladen am {date}",
    assumes="Die Frage setzt voraus: „{premise}“ {title} sagt: „{says}“ [{number}]",
    page="Seite {n}",
    slide="Folie {n}",
    ages=Ages(
        today="heute hinzugefügt",
        days=Plural("vor {n} Tag hinzugefügt", "vor {n} Tagen hinzugefügt"),
        weeks=Plural("vor {n} Woche hinzugefügt", "vor {n} Wochen hinzugefügt"),
        months=Plural("vor {n} Monat hinzugefügt", "vor {n} Monaten hinzugefügt"),
        years=Plural("vor {n} Jahr hinzugefügt", "vor {n} Jahren hinzugefügt"),
    ),
    cannot_here="Das kann ich aus den Dokumenten, die dieser Kanal sehen kann, nicht beantworten.",
    cannot_yours="Das kann ich aus den Dokumenten, die du sehen kannst, nicht beantworten.",
    closest="am nächsten: {place}",
    closest_distance="am nächsten: {place}, {score}; Grenze {cut}",
    closest_relevance="am nächsten: {place}, Relevanz {score}; nötig {cut}",
    also_near="Auch nahe: {places}.",
    unreadable_in=Plural("{n} Datei in {folder}", "{n} Dateien in {folder}"),
    unreadable="Nicht lesbar: {files}.",
    still_working=Plural(
        " {n} Datei wird noch gelesen; frag später noch einmal.",
        " {n} Dateien werden noch gelesen; frag später noch einmal.",
    ),
    degraded={
        rag.Degrade.RERANK: "Ich konnte die Stellen nicht so genau lesen wie sonst.",
        rag.Degrade.GENERATE: "Das Sprachmodell war nicht verfügbar, deshalb werden die Dokumente zitiert.",
        rag.Degrade.VERIFY: "Die Zeit reichte nicht, um jeden Satz zu prüfen; was nicht geprüft ist, fehlt.",
    },
    again_in_a_moment="Frag gleich noch einmal: Es kann anders ausgehen.",
    not_mentioned="Die nächstliegenden Stellen erwähnen {names} nicht.",
    name_quoted="„{name}“",
    refusals={
        rag.RefusalReason.NOTHING_RETRIEVED: "Die Dokumente enthalten nichts, das ich durchsuchen könnte.",
        rag.RefusalReason.BELOW_THRESHOLD: "Nichts lag nahe genug.",
        rag.RefusalReason.WEAK_EVIDENCE: "Die nächstliegenden Stellen handeln davon, sagen es aber nicht.",
        rag.RefusalReason.MODEL_ABSTAINED: "Die nächstliegenden Stellen beantworten es nicht.",
        rag.RefusalReason.UNSUPPORTED_CLAIMS: "Ich konnte nicht jeden Satz einer Antwort mit den Dokumenten belegen.",
        rag.RefusalReason.ROUTED_NO_RETRIEVAL: "Das ist keine Frage, die Dokumente beantworten.",
        rag.RefusalReason.OUT_OF_SCOPE_FOLDER: (
            "Hier ist kein Ordner verbunden. Ein Admin kann in der Konsole einen verbinden."
        ),
        rag.RefusalReason.INDEX_NOT_READY: "Der Index ist noch nicht bereit. Frag in ein paar Minuten noch einmal.",
    },
    next_steps={
        rag.RefusalReason.NOTHING_RETRIEVED: "Ein Admin kann in der Konsole Dokumente hinzufügen.",
        rag.RefusalReason.BELOW_THRESHOLD: _IN_OTHER_WORDS,
        rag.RefusalReason.WEAK_EVIDENCE: _ASK_A_HUMAN,
        rag.RefusalReason.MODEL_ABSTAINED: _ASK_A_HUMAN,
        rag.RefusalReason.UNSUPPORTED_CLAIMS: _ASK_A_HUMAN,
        rag.RefusalReason.ROUTED_NO_RETRIEVAL: "",
        rag.RefusalReason.OUT_OF_SCOPE_FOLDER: "",
        rag.RefusalReason.INDEX_NOT_READY: "",
    },
    small_talk={
        "greeting": "Hallo! Frag mich etwas, das deine Dokumente beantworten könnten.",
        "thanks": "Gern geschehen.",
        "farewell": "Bis zum nächsten Mal.",
        "capability": (
            "Ich beantworte Fragen aus den Dokumenten deiner Organisation. Jeder Satz nennt die Stelle, an der er "
            "steht, und wo die Dokumente es nicht sagen, sage ich dir das, statt zu raten."
        ),
        "identity": (
            "Ich bin Footnote, ein Bot. Ich antworte aus den Dokumenten deiner Organisation, jeder Satz mit seiner "
            "Quelle, oder ich sage dir, dass sie es nicht sagen."
        ),
    },
    question_empty="Ich habe in der Nachricht keine Frage gefunden. Frag in Worten.",
    question_too_long="Die Frage ist länger, als ich annehmen kann. Kürze sie auf das, was du wissen willst.",
    not_allowed_external=(
        "Das kann ich hier nicht beantworten: Leute von außerhalb der Organisation lesen diese Unterhaltung mit, "
        "und kein Ordner ist für sie freigegeben."
    ),
    not_allowed_unknown=(
        "Das kann ich hier nicht beantworten: Slack sagt mir nicht, ob Leute von außerhalb der Organisation diese "
        "Unterhaltung mitlesen, und kein Ordner ist für sie freigegeben. Ein Admin sieht in der Konsole auf der Seite "
        "Channels, was fehlt."
    ),
    stopped="Angehalten, wie du wolltest. Die Frage ist aufgehoben; frag noch einmal, wenn du die Antwort willst.",
    not_allowed_chosen="Die Antwort steht vielleicht in einem Ordner, den du nicht sehen darfst.",
    sources_changed=(
        "Was ich gefunden habe, steht in einem Dokument, das gelöscht oder geändert wurde, ehe ich es einstellen "
        "konnte. Frag noch einmal."
    ),
    broken="Auf unserer Seite ist etwas fehlgeschlagen. Deine Frage ist aufgehoben.",
    broken_next="",
    reference="Kennung {reference}.",
    not_taken="Ich habe eine Antwort, aber Slack hat sie nicht angenommen:",
    not_taken_link="lies sie in der Konsole",
    thread_not_read="Ich konnte diesen Thread nicht lesen und habe deine Frage für sich genommen.",
    status="sieht in den Dokumenten nach …",
    goes_on="Die Antwort geht weiter. Frag in einem Kanal, in dem ich Mitglied bin, um sie ganz zu lesen.",
    buttons=_BUTTONS,
    modals=_MODALS,
    home=_HOME,
    channel=_CHANNEL,
    replies=_REPLIES,
)
