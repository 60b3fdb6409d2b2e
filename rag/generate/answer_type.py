"""What kind of thing answers a question: "how many days" is not answered by a sentence that counts nothing.

Expected answer types (Li and Roth 2002), only those whose answers show what they are: a number, a share, a time, a
telephone number, an address. Words of the topic alone pass every measure of closeness ("see whether you are eligible
for a rebate" for "how much is the rebate?"). It knows English questions, of others it expects nothing; where a
sentence may give what was asked without a figure ("as long as you need", "it depends on your role") it gives it.

Of 601 such questions that a labelled passage answers it takes 4 for unanswered; of 1,371 that the same passages do
not answer it sees 148 by the passage as a whole, and 59 % of their single sentences give nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum

_UNIT = (
    r"(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|nights?|mornings?|afternoons?|evenings?|weekends?|weeks?"
    r"|fortnights?|sprints?|months?|quarters?|semesters?|years?|yrs?|decades?|centur(?:y|ies)|releases?|cycles?|times?)"
)
_NUMBER = (
    r"(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen"
    r"|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundreds?|thousands?"
    r"|millions?|billions?|dozens?|half|halves|thirds?|quarters?|doubled?|doubles|tripled?|triples|once|twice|thrice"
    r"|single|both|couple|pair|first|second)"
)
_DENIES = (
    r"(?:none|nothing|nobody|no|not|cannot|never|neither|nor|nil|without|prohibited|forbidden|unlimited|limitless|free"
    r"|gratis|complimentary|depends?|depending|var(?:y|ies))"
)
_WITHOUT_FIGURE = (
    rf"(?:{_DENIES}|infinite|limit|all|every|each|few|several|handful|most|majority|full|fully|whole|entire|entirely"
    r"|same|equal|equally|low|high|small|large|in part|partly|as (?:many|much|little|few|far|big|large)"
    r"|proportional|negotiable|based on|according to)"
)
_HOW_OFTEN = (
    r"(?:daily|weekly|monthly|quarterly|annual(?:ly)?|yearly|hourly|nightly|fortnightly"
    r"|(?:bi|semi)-?(?:weekly|monthly|annual(?:ly)?)|always|never|constantly|continuous(?:ly)?|ongoing|regularly"
    r"|periodically|occasionally|rarely|sometimes|often|frequently|ad hoc)"
)
_WHEN = (
    r"(?:immediate(?:ly)?|instant(?:ly)?|promptly|quickly|(?:right|straight) away|at once|asap|today|tomorrow|overnight"
    r"|until|till|as (?:long|soon|often|needed|necessary|required|quickly|fast)|permanent(?:ly)?|forever"
    r"|indefinite(?:ly)?|temporar(?:y|ily)|lifetime|real[ -]?time|duration|during|throughout|next|last|noon|midnight"
    rf"|dawn|dusk|sunrise|sunset|delay|on demand|whenever|as (?:much|little) time|{_DENIES}"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)days?)"
)
_ONE_TIME = (
    r"\b(?:an?|the|this|that|per|each|every|any|following|few|several|many|whole|full|entire|same|business|working"
    rf"|calendar|end of|no|more|some|previous|current) (?:\w+ )?{_UNIT}\b"
)
_DATE = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|spring|summer|autumn|fall|winter|workdays?|business hours"
    r"|eod|eow|easter|christmas|before|after|start|beginning|end)"
)


class AnswerType(Enum):
    """What an answer has to hold, as a pattern; case does not matter."""

    SHARE = (
        r"%|\bper ?cent|\d/\d|\d\.\d|\b\d+ (?:in|of|out of)\b"
        r"|\b(?:half|thirds?|quarters?|fifth|tenth|double|all|full|fully|whole|entire|entirely|in part"
        r"|partly)\b"
        rf"|\b{_DENIES}\b|n[’']t\b"
    )
    TIME = rf"\d|\b(?:{_NUMBER}|{_HOW_OFTEN}|{_WHEN})\b|n[’']t\b|{_ONE_TIME}"
    """How long, how soon, how often."""
    DATE = rf"\d|\b(?:{_NUMBER}|{_HOW_OFTEN}|{_WHEN}|{_DATE})\b|n[’']t\b|{_ONE_TIME}"
    """What day, what time of the day."""
    AMOUNT = rf"\d|[½¼¾⅓⅔]|\b(?:{_NUMBER}|{_WITHOUT_FIGURE})\b|n[’']t\b"
    TELEPHONE = r"\d[\d ()/.-]*\d\d|\b(?:dial|press|call|ext\.?|extension) \d"
    EMAIL = r"@|mailto:|\(at\)|\[at\]"
    IP_ADDRESS = r"\d+\.\d+\.\d+|[0-9a-f]*:[0-9a-f]*:"

    def is_given_by(self, words: str) -> bool:
        """Whether `words` hold such a thing, or say that it cannot be told so."""
        return _GIVEN[self].search(words) is not None


_GIVEN = {kind: re.compile(kind.value, re.IGNORECASE) for kind in AnswerType}

_OPENS = (
    r"(?:^|[.,;:!?(–—-]\s*|\b(?:and|so|but|or|then|also|hey|hi|ok|okay|please|pls|team|folks|like|just|exactly|roughly"
    r"|approximately|about|within|for|in|by|after|at|to|of|over|from|up to|is it|me|us|know|tell|wonder|wondering"
    r"|idea|curious|remember|sure|forgot|find out)\s+)"
)
"""What stands before a question that is asked, not mentioned ("where can I see how many …?")."""
_TIMES = r"(?:seconds|minutes|mins|hours|hrs|days|weeks|months|years|time)"
_ASKS = {
    AnswerType.SHARE: r"\b(?:what|which|how many|how much) (?:percent(?:age)?|%|share|proportion|fraction)\b",
    AnswerType.TELEPHONE: (
        rf"{_OPENS}(?:what|which)(?:['’]?s| is)? [^.?!]{{0,30}}\b(?:phone|telephone|fax|mobile|hotline) (?:number|no)\b"
        r"(?! (?:policy|format|list|field))"
        rf"|{_OPENS}(?:what|which) number (?:do|should|can|must) (?:i|we|you|one) (?:call|dial|ring|phone)\b"
    ),
    AnswerType.EMAIL: rf"{_OPENS}(?:what|which)(?:['’]?s| is) [^.?!]{{0,30}}\be-?mail address\b",
    AnswerType.IP_ADDRESS: (
        rf"{_OPENS}(?:what|which)(?:(?:['’]?s| is) [^.?!]{{0,30}}\b| )"
        r"(?:ip address|(?:exit|static|public|private|internal|external) ip)\b"
    ),
    AnswerType.TIME: (
        rf"{_OPENS}how (?:long|soon|quickly|fast|often|frequently|(?:many|much) (?:\w+ ){{0,2}}{_TIMES}"
        r"|(?:far|long) (?:in advance|ahead|back))\b"
    ),
    AnswerType.AMOUNT: (
        rf"{_OPENS}(?:how (?:many|much|big|large|high|old|far|tall|heavy|deep|wide|small)"
        r"|(?:what|which)(?:['’]?s| is| are)? (?:the |our |my )?(?:\w+ )?"
        r"(?:number of|amount of|(?:price|cost|fee|deductible)(?! (?:cent|list|schedule|code|type|categor|table))))\b"
    ),
    AnswerType.DATE: (
        rf"{_OPENS}(?:on |at |in |by |until |since )?(?:what|which) (?:time|date|day|weekday|month|year)s?\b"
        r"(?! (?:off|zone|tracking|tracker|sheet|care|format|limit|frame|slot|management)|-)"
    ),
}
_ASKED = {kind: re.compile(words, re.IGNORECASE) for kind, words in _ASKS.items()}
_MENTIONED = re.compile(
    r"\b(?:where|which|who|whom|whose|why|what|see|show|shows|check|track|view|query|calculate|compute|decides?"
    r"|figure out|set|change|control|tweak|configure|dashboard)\b",
    re.IGNORECASE,
)
"""Before a question in the same clause: that one is not asked, but where it is answered."""


def expected_type(question: str) -> AnswerType | None:
    """What has to be in an answer; None where that cannot be told from the question's words."""
    for kind, pattern in _ASKED.items():
        asked = pattern.search(question)
        if asked is not None and not _MENTIONED.search(_clause_before(question, asked.start())):
            return kind
    return None


def gives_what_is_asked(question: str, told: Iterable[str]) -> bool:
    """Whether one of the sentences holds what the question asks for; True where nothing particular is expected."""
    expected = expected_type(question)
    return expected is None or any(expected.is_given_by(words) for words in told)


def _clause_before(question: str, at: int) -> str:
    """The words between the last mark and `at`."""
    return re.split(r"[.?!;:,]", question[: at + 1])[-1]
