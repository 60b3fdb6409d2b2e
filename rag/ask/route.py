"""Whether a message asks anything of the documents, and whether it asks several things.

The safe default is one question: a message is small talk only where every word of it belongs to a known phrase, so
that a word too many makes it a question. English, German, French, Spanish and Norwegian phrases are known.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from rag.ask.decompose import sub_questions

RouteKind = Literal["no_retrieval", "single_hop", "multi_hop"]
SmallTalk = Literal["greeting", "thanks", "capability", "farewell", "identity"]

_GREETINGS = """
hello, hi, hey, hiya, howdy, greetings, yo, good morning, good afternoon, good evening, good day, morning, afternoon,
whats up, what is up, sup, how are you, how are you doing, hows it going, how is it going, how do you do,
nice to meet you, hallo, guten tag, guten morgen, guten abend, moin, servus, grüß gott, grüezi, wie geht es dir,
wie gehts, bonjour, salut, bonsoir, coucou, ça va, comment ça va, comment vas-tu, comment allez-vous, hola, buenos días,
buen día, buenas tardes, buenas noches, buenas, qué tal, cómo estás, hei, heisann, god morgen, god dag, god kveld, morn,
hvordan går det
"""
_THANKS = """
thanks, thank you, thx, ty, tysm, cheers, much appreciated, i appreciate it, that helps, that helped, this helps,
that is helpful, thats helpful, that was helpful, very helpful, great help, got it, understood, noted, ok, okay, great,
perfect, awesome, excellent, cool, wonderful, brilliant, amazing, good to know, makes sense, that makes sense,
that answers my question, you are the best, youre the best, you rock, good job, well done, nice one, good bot,
no thanks, no thank you, danke, danke schön, dankeschön, vielen dank, danke dir, danke ihnen, besten dank,
herzlichen dank, tausend dank, merci, merci beaucoup, merci bien, mille mercis, un grand merci, gracias,
muchas gracias, mil gracias, muchísimas gracias, takk, tusen takk, mange takk, takk skal du ha
"""
_FAREWELLS = """
bye, bye bye, goodbye, good bye, see you, see you later, see you soon, see you tomorrow, see ya, cya, good night,
have a nice day, have a good day, have a great day, have a good one, have a nice weekend, have a great weekend,
have a good weekend, take care, talk to you later, talk soon, tschüss, tschüs, auf wiedersehen, bis bald, bis später,
bis morgen, gute nacht, schönen tag noch, schönes wochenende, au revoir, à bientôt, à plus, à demain, bonne journée,
bonne soirée, bonne nuit, adiós, hasta luego, hasta pronto, hasta mañana, chao, ha det, ha det bra, hade,
ha en fin dag, vi snakkes, god natt, god helg
"""
_CAPABILITIES = """
help, help me, i need help, i need some help, can you help, can you help me, could you help me, how can you help,
how can you help me, what can you do, what can you do for me, what can you help with, what can you help me with,
what can i ask, what can i ask you, what do you do, what are you capable of, what are you able to do,
what are your capabilities, how do you work, how do i use you, how do i use this bot, how can i use you,
what questions can i ask, what questions can i ask you, what kind of questions can i ask, hilfe, was kannst du,
was kannst du tun, was können sie, was können sie tun, wie funktionierst du, kannst du mir helfen,
können sie mir helfen, aide, aide-moi, aidez-moi, que peux-tu faire, que sais-tu faire, que pouvez-vous faire,
qu'est-ce que tu peux faire, qu'est-ce que vous pouvez faire, comment fonctionnes-tu, ayuda, ayúdame, qué puedes hacer,
qué sabes hacer, cómo funcionas, me puedes ayudar, puedes ayudarme, hjelp, hva kan du, hva kan du gjøre,
hvordan fungerer du, kan du hjelpe meg
"""
_IDENTITIES = """
who are you, what are you, what is your name, whats your name, who made you, who built you, who created you,
are you a bot, are you a robot, are you human, are you a human, are you an ai, are you real, are you a real person,
introduce yourself, tell me about yourself, wer bist du, wer sind sie, was bist du, bist du ein bot, wie heißt du,
qui es-tu, qui êtes-vous, tu es qui, comment t'appelles-tu, quién eres, quién es usted, qué eres, cómo te llamas,
hvem er du, hva er du, hva heter du, er du en bot
"""
_TO_SOMEBODY = """
there, all, everyone, everybody, team, folks, guys, bot, footnote, friend, friends, again, zusammen, leute,
tout le monde, à tous, a todos, alle, alle sammen
"""
_FOR_SOMETHING = """
so much, very much, a lot, a bunch, a ton, a million, for your help, for the help, for your time, for that, for this,
for the info, for the information, for the answer, for the quick answer, for helping, for helping me, for everything,
sehr, für die hilfe, für deine hilfe, pour votre aide, pour ton aide, por tu ayuda, por la ayuda, for hjelpen, så mye
"""
_TAILS = {
    "greeting": f"{_TO_SOMEBODY}, to you, to you too, today",
    "thanks": f"{_TO_SOMEBODY}, {_FOR_SOMETHING}, then, anyway",
    "farewell": f"{_TO_SOMEBODY}, for now, then, now, tomorrow",
    "capability": "please, exactly, bitte, por favor, s'il te plaît, s'il vous plaît",
    "identity": "please, exactly",
}
_OPENERS = "so, and, oh, well, ah, yes, yeah, wow, alright, um, hm, hmm"
_ORDER: tuple[SmallTalk, ...] = ("identity", "capability", "thanks", "farewell", "greeting")
"""What a message of several phrases is answered as: "hi, who are you?" wants a name, not a greeting."""

_LONGEST_MESSAGE = 16
"""Words; nothing longer is small talk."""
_LONGEST_TEXT = 400
"""Characters; what is longer is not even folded, which can make one character eighteen."""
_TO_ENTERTAIN = re.compile(
    r"(?:please |can you |could you |will you )?(?:tell|sing|write|make up|give|compose)(?: me| us)? "
    r"(?:a|an|another|some) (?:bad |dad |funny |good |little |short |silly )?"
    r"(?:jokes?|poems?|songs?|limericks?|haikus?|riddles?|fairy tales?)\b"
)
"""A wish for something made up. A passage that has the word "joke" is no answer to it."""
_EMOJI_NAME = re.compile(r":[a-z0-9_+-]{1,40}:")
_DRAWN_OUT = re.compile(r"(\w)\1{2,}")
_WHY = {
    "greeting": "The whole message is a greeting.",
    "thanks": "The whole message is thanks.",
    "farewell": "The whole message is a farewell.",
    "capability": "The whole message asks what the assistant can do.",
    "identity": "The whole message asks who the assistant is.",
}


@dataclass(frozen=True, slots=True)
class Route:
    """How a message is to be answered, and why, in a sentence for the trace.

    `small_talk` is set for ``no_retrieval`` alone, `sub_questions` (two or three) for ``multi_hop`` alone.
    """

    kind: RouteKind
    small_talk: SmallTalk | None
    sub_questions: tuple[str, ...]
    why: str


def route(question: str) -> Route:
    """Small talk, one question or several; one question in every doubt.

    >>> route("hi, how many days of leave do I get?").kind
    'single_hop'
    """
    talk = small_talk(question)
    if talk is not None:
        return Route("no_retrieval", talk, (), _WHY[talk])
    if _TO_ENTERTAIN.match(" ".join(question.casefold().split())):
        return Route(
            "no_retrieval",
            "capability",
            (),
            "The message asks for something made up, not for what is written.",
        )
    asked = sub_questions(question)
    if asked:
        return Route("multi_hop", None, asked, f"The message asks {len(asked)} things that may stand apart.")
    return Route("single_hop", None, (), "The message asks one thing, or nothing says otherwise.")


def small_talk(message: str) -> SmallTalk | None:
    """What kind of small talk the whole `message` is; None where one word of it is something else."""
    if len(message) > _LONGEST_TEXT:
        return None
    words = _words(message)
    if not 0 < len(words) <= _LONGEST_MESSAGE:
        return None
    found: set[SmallTalk] = set()
    last: SmallTalk | None = None
    at = 0
    while at < len(words):
        for length in range(min(_LONGEST, len(words) - at), 0, -1):
            phrase = words[at : at + length]
            kind = _PHRASES.get(phrase)
            if kind is not None:
                found.add(kind)
                last = kind
            elif not (phrase in _OPENING if last is None else phrase in _AFTER[last]):
                continue
            at += length
            break
        else:
            return None
    return next((kind for kind in _ORDER if kind in found), None)


def _words(text: str) -> tuple[str, ...]:
    """Words without case, accents, apostrophes, emoji and drawn-out letters."""
    text = _EMOJI_NAME.sub(" ", text.casefold())
    spread = unicodedata.normalize("NFKD", text)
    bare = "".join(letter for letter in spread if not unicodedata.combining(letter) and letter not in "'’")
    return tuple(_DRAWN_OUT.sub(r"\1", word) for word in re.findall(r"\w+", bare))


def _phrases(text: str) -> frozenset[tuple[str, ...]]:
    return frozenset(_words(phrase) for phrase in text.split(",") if phrase.strip())


_PHRASES: dict[tuple[str, ...], SmallTalk] = {
    **dict.fromkeys(_phrases(_GREETINGS), "greeting"),
    **dict.fromkeys(_phrases(_THANKS), "thanks"),
    **dict.fromkeys(_phrases(_FAREWELLS), "farewell"),
    **dict.fromkeys(_phrases(_CAPABILITIES), "capability"),
    **dict.fromkeys(_phrases(_IDENTITIES), "identity"),
}
_AFTER = {kind: _phrases(text) for kind, text in _TAILS.items()}
_OPENING = _phrases(_OPENERS)
_LONGEST = max(map(len, _PHRASES))
