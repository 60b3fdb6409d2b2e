"""A follow-up as a question that stands alone: "and for contractors?" asks nothing without the question before it.

English only. A question that can be understood by itself is left exactly as it is, also when it speaks of the same
thing: dragging the old topic into a new one would find passages that the asker did not ask for, and answer from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag.ask.clause import Clause, agreeing, clause_of, means_event
from rag.ask.pronouns import resolved
from rag.ask.route import small_talk
from rag.ask.topic import asked_about, object_of
from rag.ask.typed import questions_in, typed_sentences
from rag.ask.words import (
    AUXILIARIES,
    CONJUNCTIONS,
    DETERMINERS,
    FUNCTION_WORDS,
    GROUPS,
    LONGEST_QUESTION,
    PREPOSITIONS,
    QUESTION_WORDS,
    SUBJECT_PRONOUNS,
    VERBS,
    finished,
    has_topic,
    is_finite,
    is_plural,
    look_of,
    open_words,
    opens_question,
    plain,
    sentences_of,
    word_set,
)

_TURNS_READ = 3
_LONGEST_FRAGMENT = 6
"""Words; a longer one is more than a new topic for the old question."""
_LONGEST_CONDITION = 15
_ASIDES = word_set("ok okay thanks great hi hello hey yes no well good oh right cool sure hmm perfect")
_MARKERS = word_set("and but or also so then plus")
_ABOUT = (["what", "about"], ["how", "about"], ["what", "if"], ["same", "for"])
_ASKING_MORE = """
more, tell me more, say more, more details, more information, more details please, can you elaborate, elaborate,
please elaborate, explain, can you explain, go on, anything else, what else, are you sure, really, for example, such as,
like what, give me an example, can you give an example, can you give me an example, details please,
can you tell me more, is that all
"""
_MORE = frozenset(tuple(phrase.split()) for phrase in _ASKING_MORE.split(","))
_BARE = QUESTION_WORDS | word_set(
    "much many long often since until by for so come one ones not exactly soon far else"
)
_CONDITIONS = word_set("if when while unless after before during until because")
_NARROWING = word_set("only even also including except not just")
_TIMES = word_set(
    "year month week quarter weekend weekends tomorrow today monday friday sunday saturday christmas"
)
_REQUESTS = word_set("tell explain describe show list give summarise summarize")
_DOCUMENTS = word_set("document page handbook guide file article manual")
_COUNTRIES = word_set(
    """norway sweden denmark finland iceland germany france spain portugal italy austria switzerland poland ireland
    netherlands belgium greece turkey india china japan canada mexico brazil australia uk usa us eu england
    scotland wales europe"""
)


@dataclass(frozen=True, slots=True)
class Turn:
    """One exchange of a thread: the question, the sentences of its answer, the titles of the documents it cites.

    The answer is not read: what was answered is no evidence of what is asked. Where the question `is_of_another` than
    the one who asks now, only what it asks counts: what else was written there is nothing that the asker says.
    """

    question: str
    answer: tuple[str, ...]
    titles: tuple[str, ...]
    is_of_another: bool = False


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The question to be searched for. `from_turn` is the index of the turn that completed it, None where none did."""

    question: str
    is_follow_up: bool
    from_turn: int | None
    why: str


@dataclass(frozen=True, slots=True)
class _Earlier:
    """The question that a follow-up leans on: what is told before it, and the sentence that asks."""

    told: str
    asks: str
    titles: tuple[str, ...]

    def with_asked(self, question: str) -> str:
        return f"{self.told} {finished(question)}".strip()

    def followed_by(self, words: str) -> str:
        return f"{self.with_asked(self.asks)} {words}"


def rewrite(question: str, turns: Sequence[Turn]) -> Rewritten:
    """`question` so that it stands alone, or as it is; `turns` run oldest first and only the last 3 count.

    >>> turn = Turn("How many days of leave do employees get?", (), ())
    >>> rewrite("and contractors?", [turn]).question
    'How many days of leave do contractors get?'
    """
    earlier: _Earlier | None = None
    from_turn: int | None = None
    for at in range(max(0, len(turns) - _TURNS_READ), len(turns)):
        asked = turns[at].question
        if small_talk(asked) is None and (read := _read(_standing_alone(asked, earlier) or asked, turns[at])):
            earlier, from_turn = read, at
    if earlier is None:
        return Rewritten(question, False, None, "There is no earlier question to lean on.")
    complete = None if small_talk(question) else _standing_alone(question, earlier)
    if complete is None:
        return Rewritten(question, False, None, "The question stands alone.")
    return Rewritten(complete, True, from_turn, f"The question leans on an earlier one: {earlier.asks}")


def _read(question: str, turn: Turn) -> _Earlier | None:
    sentences = [each for each in sentences_of(question) if any(map(str.isalnum, each))]
    if sentences and turn.is_of_another:
        sentences = questions_in(question) or typed_sentences(question)[:1]
    asks = [
        at for at, each in enumerate(sentences) if opens_question([plain(word) for word in each.split()[:2]])
    ]
    at = asks[-1] if asks else len(sentences) - 1
    return _Earlier(" ".join(sentences[:at]), sentences[at], turn.titles) if sentences else None


def _standing_alone(question: str, earlier: _Earlier | None) -> str | None:
    """The question completed; None where it needs nothing, or nothing is there that completes it."""
    if earlier is None or len(question.split()) > LONGEST_QUESTION:
        return None
    words, is_marked = _opened(open_words(question))
    read = [plain(word) for word in words]
    if not read:
        return None
    if tuple(read) in _MORE:
        return earlier.with_asked(earlier.asks)
    is_bare = (
        len(read) < 5 and all(word in _BARE for word in read) and any(word in QUESTION_WORDS for word in read)
    )
    if is_bare or (len(read) == 2 and read[0] in {"what", "which"} and read[1] not in AUXILIARIES | VERBS):
        return _of_bare(words, read, earlier)
    is_condition = read[0] in _CONDITIONS and len(read) > 1 and read[1] not in AUXILIARIES
    if is_condition or not (opens_question(read) or read[0] in _REQUESTS):
        return _of_fragment(words, read, earlier, is_marked)
    return _of_pronouns(words, read, earlier)


def _opened(words: list[str]) -> tuple[list[str], bool]:
    """The words behind "ok", "and" and "what about", and whether one of the last two was there."""
    at, is_marked = 0, False
    read = [plain(word) for word in words]
    while at < len(read) - 1:
        if read[at : at + 2] in _ABOUT and at + 2 < len(read):
            at += 1 if read[at + 1] in {"if", "for"} else 2
            return words[at:], True
        if read[at] in _MARKERS:
            is_marked = True
        elif read[at] not in _ASIDES:
            break
        at += 1
    return words[at:], is_marked


def _of_bare(words: list[str], read: list[str], earlier: _Earlier) -> str:
    """'When?', 'since when?', 'which form?'.

    "Why?" stays apart from a question of yes or no: "why are dogs allowed?" would take for granted that they are.
    """
    asks = earlier.asks.split()
    if len(read) == 1 and read[0] in {"when", "where", "how"} and plain(asks[0]) in AUXILIARIES:
        return earlier.with_asked(f"{read[0]} {asks[0].casefold()} {' '.join(asks[1:])}")
    return earlier.followed_by(finished(" ".join(words)))


def _of_fragment(words: list[str], read: list[str], earlier: _Earlier, is_marked: bool) -> str | None:
    words = [words[0].casefold() if read[0] in _JOINTS else words[0], *words[1:]]
    said = " ".join(words)
    is_plain = not any(word.endswith((",", ";", ":", ".", "?", "!")) for word in words[:-1])
    if read[0] in _CONDITIONS and is_plain and len(read) < (_LONGEST_CONDITION if is_marked else 8):
        return earlier.with_asked(_with_condition(open_words(earlier.asks), said))
    is_short = is_plain and len(read) <= _LONGEST_FRAGMENT and not any(word in _NOT_IN_TOPIC for word in read)
    if not is_short:
        return None
    start = 1 if read[0] in _NARROWING and len(read) > 1 else 0
    if read[start] in PREPOSITIONS and len(read) > start + 1:
        return earlier.with_asked(_with_place(open_words(earlier.asks), words, start))
    return _of_topic(words, earlier) if is_marked else None


def _with_condition(asked: list[str], condition: str) -> str:
    """The question under another condition than the one it may end with."""
    read = [plain(word) for word in asked]
    cut = next((at for at in range(2, len(read)) if read[at] in _CONDITIONS - {"before", "after"}), len(read))
    return (
        f"{' '.join(asked[:cut])} {condition}".replace(", ", " ")
        if cut > 2
        else f"{' '.join(asked)} {condition}"
    )


def _with_place(asked: list[str], words: list[str], start: int) -> str:
    """The question with "for contractors" or "in Norway" instead of what has the same preposition, or at its end."""
    read = [plain(word) for word in asked]
    preposition, thing = plain(words[start]), words[start + 1 :]
    at = next((n for n in range(len(read) - 1, 0, -1) if read[n] == preposition), 0)
    said = _predicate_of(asked, at)
    end = next((n for n in range(at + 2, len(read)) if read[n] in _PHRASE_ENDS or n == said), len(read))
    is_last_place = end in {len(read), said} and preposition in {"in", "at", "on", "from"}
    if at and (is_last_place or look_of(asked[at + 1 : end]) == look_of(thing)):
        return " ".join([*asked[:at], *words, *asked[end:]])
    if preposition == "for" and not start and (swapped := _with_subject(" ".join(asked), thing)):
        return swapped
    return " ".join([*asked, *words])


def _predicate_of(asked: list[str], at: int) -> int | None:
    """Where what is asked of the thing at `at` begins: "paid" of "is parking in Antwerp paid"; None where it did."""
    clause = clause_of(" ".join(asked))
    if clause is not None:
        start = len(asked) - len(clause.rest)
        return start if at < start else None
    read = [plain(word) for word in asked]
    if any(is_finite(read, n) for n in range(1, at)):
        return None
    return next((n for n in range(at + 2, len(read)) if is_finite(read, n)), None)  # who in Antwerp signs it


def _of_topic(words: list[str], earlier: _Earlier) -> str | None:
    """'And contractors?', 'what about Norway?': the old question about a new thing, where it can be asked about it."""
    read = [plain(word) for word in words]
    asked = open_words(earlier.asks)
    is_group = read[-1] in GROUPS or f"{read[-1]}s" in GROUPS
    is_name = all(word[:1].isupper() or plain(word) in _COUNTRIES for word in words)
    if read[-1] in _TIMES:
        return earlier.with_asked(" ".join([*asked, *words]))
    if is_group or (is_plural(words[-1]) and not is_name):
        swapped = _with_subject(earlier.asks, words) or (_with_group(asked, words) if is_group else "")
        if swapped or is_group:
            return earlier.with_asked(swapped) if swapped else earlier.followed_by(" ".join(words))
    if is_name or read[-1].isdigit():
        swapped = _with_name(asked, words)
        return earlier.with_asked(swapped) if swapped else earlier.followed_by(" ".join(words))
    swapped = _with_same_noun(asked, words) or _with_topic(earlier.asks, words)
    return earlier.with_asked(swapped) if swapped else None


def _said(clause: Clause, subject: Sequence[str], rest: Sequence[str]) -> str:
    aux = agreeing(clause.aux, subject)
    return " ".join([*clause.lead, aux, *subject, *rest])


def _with_subject(asked: str, subject: list[str]) -> str:
    """The question asked of other people; empty where it is not asked of people, or says more of them."""
    clause = clause_of(asked)
    if clause is None:
        return ""
    old = [plain(word) for word in clause.subject]
    cut = next((at for at, word in enumerate(old) if at and word in PREPOSITIONS), len(old))
    is_asker = old in (["i"], ["we"])
    is_alike = old[cut - 1] in GROUPS or (
        is_plural(old[cut - 1]) and look_of(clause.subject) == look_of(subject)
    )
    says_own = any(plain(word) in {"my", "our", "me", "us", "myself"} for word in clause.rest)
    new = [*subject, *clause.subject[cut:]]
    return _said(clause, new, clause.rest) if (is_alike or is_asker) and not says_own else ""


def _with_group(asked: list[str], group: list[str]) -> str:
    read = [plain(word) for word in asked]
    at = next((n for n in range(len(read) - 1, 0, -1) if read[n] in GROUPS), 0)
    return " ".join([*asked[:at], *group, *asked[at + 1 :]]) if at and read[at - 1] in FUNCTION_WORDS else ""


def _with_name(asked: list[str], name: list[str]) -> str:
    """Another name or number in the place of the only one; empty where there are several, or none of its kind."""
    is_number, is_country = name[-1].isdigit(), plain(name[-1]) in _COUNTRIES
    places = [
        at
        for at, word in enumerate(asked)
        if at and (word.isdigit() if is_number else word[:1].isupper() and plain(word) not in FUNCTION_WORDS)
    ]
    is_one_run = bool(places) and places[-1] - places[0] == len(places) - 1
    if not is_one_run or (not is_number and (plain(asked[places[-1]]) in _COUNTRIES) != is_country):
        return ""
    return " ".join([*asked[: places[0]], *name, *asked[places[-1] + 1 :]])


def _with_same_noun(asked: list[str], words: list[str]) -> str:
    """'How much sick leave do I get?', 'and parental leave?': the noun is the same."""
    read = [plain(word) for word in asked]
    noun, clause = plain(words[-1]), clause_of(" ".join(asked))
    end = read.index(noun) if noun in read[1:] else 0
    is_brief = len(words) > 1 and PREPOSITIONS.isdisjoint(plain(word) for word in words)
    # Its modifiers are between the last function word, or the verb, and the noun.
    verb = 0 if clause is None else len(asked) - len(clause.rest)
    stops = FUNCTION_WORDS - DETERMINERS if plain(words[0]) in DETERMINERS else FUNCTION_WORDS
    start = end
    while start > 1 and read[start - 1] not in stops and start - 1 != verb:
        start -= 1
    return " ".join([*asked[:start], *words, *asked[end + 1 :]]) if end and is_brief else ""


def _with_topic(asked: str, topic: list[str]) -> str:
    """The question about another thing, where the old thing then leaves it whole."""
    clause = clause_of(asked)
    words = open_words(asked)
    if clause is None and plain(words[0]) == "who" and len(topic) < 4 and (old := object_of(words[1:])):
        at = words.index(old[0], 1)
        return " ".join([*words[:at], *topic, *words[at + len(old) :]])
    if clause is None or len(clause.lead) > 2:
        return ""
    old = object_of(clause.rest)
    if not old:
        is_topic = plain(clause.subject[0]) not in SUBJECT_PRONOUNS
        return _said(clause, topic, clause.rest) if is_topic else ""
    if len(topic) > 3 or (plain(old[0]) in DETERMINERS) != (plain(topic[0]) in DETERMINERS):
        return ""
    rest = list(clause.rest)
    at = rest.index(old[0])
    return _said(clause, clause.subject, [*rest[:at], *topic, *rest[at + len(old) :]])


def _of_pronouns(words: list[str], read: list[str], earlier: _Earlier) -> str | None:
    """A whole question that says "it", or that has no topic of its own."""
    titles = tuple(dict.fromkeys(earlier.titles))
    for at in range(1, len(read)):
        if len(titles) == 1 and read[at] in _DOCUMENTS and read[at - 1] in {"this", "that"}:
            return finished(" ".join([*words[: at - 1], titles[0], *words[at + 1 :]]))
    question = " ".join(words)
    phrases = asked_about(earlier.asks)
    says_event = means_event(read, earlier.asks)
    complete = None if says_event else resolved(question, phrases)
    if complete is not None:
        return complete
    says_pronoun = resolved(question, ("things",)) is not None
    return earlier.followed_by(finished(question)) if says_pronoun or not has_topic(read) else None


_JOINTS = PREPOSITIONS | _CONDITIONS | _NARROWING
_NOT_IN_TOPIC = AUXILIARIES | QUESTION_WORDS | CONJUNCTIONS | (SUBJECT_PRONOUNS - DETERMINERS)
_PHRASE_ENDS = PREPOSITIONS | CONJUNCTIONS | QUESTION_WORDS | AUXILIARIES
