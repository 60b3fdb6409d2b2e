"""The closed word lists that English questions are read with, and how a single word or phrase is read."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.sentences import sentence_spans


def word_set(words: str) -> frozenset[str]:
    """The words of a list that is written with blanks."""
    return frozenset(words.split())


BE = word_set("is are was were isn't aren't wasn't weren't")
DO = word_set("do does did don't doesn't didn't")
HAVE = word_set("has have had hasn't haven't hadn't")
MODALS = word_set(
    "can could will would shall should may might must can't cannot couldn't won't wouldn't shouldn't mustn't"
)
AUXILIARIES = BE | DO | HAVE | MODALS
QUESTION_WORDS = word_set("how what which who whom whose when where why")
POSSESSIVES = word_set("my our your his her its their")
DETERMINERS = POSSESSIVES | word_set("the a an this that these those any some every each all no another")
SUBJECT_PRONOUNS = word_set(
    "i we you he she it they one there this that anyone anybody everyone everybody someone somebody"
)
_PREPOSITIONS = """
about after against at before between by during for from in into of on onto over per since through to under until up
above below with within without
"""
PREPOSITIONS = word_set(_PREPOSITIONS)
ADVERBS = word_set(
    "not never always still also only already usually often again automatically so too now first finally recently just"
)
CONJUNCTIONS = word_set("and but or if when while because unless although then whether")
_NO_NOUNS = (
    AUXILIARIES | QUESTION_WORDS | DETERMINERS | SUBJECT_PRONOUNS | PREPOSITIONS | ADVERBS | CONJUNCTIONS
)
FUNCTION_WORDS = _NO_NOUNS | word_set("me us him them be been am as than please much many long ever even")
_ADJECTIVES = """
free open late available mandatory optional legal illegal paid unpaid different same higher lower longer shorter
closed cut put set shut held sent kept made given taken sold built lost left found written hidden forbidden frozen
broken chosen run spent told known seen shown better worse cheaper exempt eligible due safe necessary compulsory
subject responsible private public confidential
"""
_NOUNS_IN_ING = """
training meeting building parking housing onboarding offboarding billing banking pricing funding hearing filing
ceiling engineering marketing testing coaching mentoring catering cleaning spending setting booking lodging rating
evening morning spring string clothing
"""
_VERBS = """
be accept accrue add affect allow announce apply appoint approve arrange ask assign attend become begin belong borrow
bring buy cancel carry choose collect come complete confirm contain contribute cost cover create decide define delete
deliver deserve earn employ enrol enter exist expect expire extend fill find follow forbid get give go grow handle
happen have hear include inform insure introduce invite join keep know last let live lose maintain make manage mean
meet need notify offer own participate pay prepare prevent protect provide publish qualify quit receive recommend
recover reduce refuse register reimburse reject remain remove renew replace require resign respond restrict retire
save say see sell send sit speak spend submit subscribe suspend take tell terminate treat update vary work write wear
drive eat drink smoke install download upload print scan encrypt learn teach win break fail deploy merge migrate
destroy archive delete differ
"""
_NOUNS_TOO = """
access award ban book call change charge check claim close contact count drop end file fire fund grant help hire hold
increase invoice issue launch lead leave limit look match measure move open order pass permit plan process purchase
raise read record refund rent report request reserve reset return review run set share show sign split start stay stop
store support switch talk test track train transfer travel turn upgrade use visit vote wait want
"""
SURE_VERBS = word_set(_VERBS)
"""Verbs in their base form that are hardly ever nouns."""
VERBS_OR_NOUNS = word_set(_NOUNS_TOO)
VERBS = SURE_VERBS | VERBS_OR_NOUNS
_OPEN_ENDED = word_set(
    """apply ask request approve approves get start starts do take takes wait sign submit pay pays know happen happens
    work works cost costs expire expires need decide decides send tell inform notify ask contact call choose
    cancel change changes count counts end ends exception exceptions limit limits maximum minimum cap deadline
    catch details requirements conditions"""
)
"""What can be asked of every topic; a question of these words alone has none of its own."""
GROUPS = word_set(
    """employees contractors interns managers freelancers consultants students trainees apprentices volunteers workers
    part-timers temps staff people colleagues members directors executives parents fathers mothers applicants
    candidates customers clients visitors guests partners suppliers vendors engineers developers designers leads
    hires starters leavers newcomers everyone"""
)
_PREDICATES = word_set(_ADJECTIVES) | ADVERBS
_NOUNS = word_set(_NOUNS_IN_ING)
_PLURALS = word_set("people staff children men women they we you these those")


MARKS = "\"'`“”‘’«»()[]{}<>.,;:!?…*_~–—-"
_LONG_RUN = re.compile(r"[.!?…]{4,}")
LONGEST_QUESTION = 250
"""Words; a longer text tells a story, and is searched for as it was asked."""


def sentences_of(text: str) -> list[str]:
    """The sentences of `text`, each on one line; none where it is too long to be one question."""
    if len(text.split()) > LONGEST_QUESTION:
        return []
    # A long run of marks costs the splitter quadratic time, and says no more than one mark.
    text = _LONG_RUN.sub(lambda run: "?" if "?" in run.group() else ".", text)
    line = " ".join(text.split())
    return [line[start:end] for start, end in sentence_spans(line)]


def plain(word: str) -> str:
    """`word` in lower case with straight apostrophes and without the marks around it."""
    return word.replace("’", "'").strip(MARKS).casefold()


def open_words(sentence: str) -> list[str]:
    """The words of `sentence` as they are written, without its last mark; ``what's`` is two words."""
    words: list[str] = []
    for word in sentence.rstrip(" ?!.…").split():
        head = plain(word)
        is_contracted = head.endswith("'s") and head[:-2] in QUESTION_WORDS
        words.extend((word[:-2], "is") if is_contracted else (word,))
    return words


def finished(words: str, mark: str = "?") -> str:
    """`words` with a capital at the beginning and `mark` at the end."""
    words = words.strip().rstrip(" ?!.,;:…")
    return words[:1].upper() + words[1:] + mark


def is_plural(word: str) -> bool:
    """Whether an English noun looks like more than one."""
    word = plain(word)
    return word in _PLURALS or (
        len(word) > 2 and word.endswith("s") and not word.endswith(("ss", "us", "is", "'s"))
    )


def look_of(phrase: Sequence[str]) -> tuple[bool, bool, bool]:
    """Whether a phrase is a name, is plural, has an article: two that look alike can stand in the same place."""
    if not phrase:
        return (False, False, True)
    return phrase[0][:1].isupper(), is_plural(phrase[-1]), plain(phrase[0]) in DETERMINERS


def head_of(phrase: Sequence[str]) -> str:
    """The noun that a noun phrase is about: its last word before a preposition; empty for an empty phrase."""
    cut = next((at for at, word in enumerate(phrase) if at and plain(word) in PREPOSITIONS), len(phrase))
    return phrase[cut - 1] if phrase else ""


def opens_question(read: Sequence[str]) -> bool:
    """Whether plain words begin as a question does: ``who``, ``at which``, ``does``."""
    if not read or read[0] in AUXILIARIES | QUESTION_WORDS:
        return bool(read)
    return len(read) > 1 and read[0] in PREPOSITIONS and read[1] in QUESTION_WORDS


def is_predicate(word: str) -> bool:
    """Whether a plain word says something of the noun before it: ``free``, ``abolished``, ``moving``, ``still``."""
    if len(word) > 5 and word.endswith("ing"):
        return word not in _NOUNS
    is_past = len(word) > 4 and word.endswith(("ed", "able", "ible")) and not word.endswith("eed")
    return is_past or word in _PREDICATES


def is_finite(read: Sequence[str], at: int) -> bool:
    """Whether the plain word at `at` looks like a verb as it is used in a sentence: ``pays``, ``is``."""
    stems = (read[at], read[at].removesuffix("s"), read[at].removesuffix("es"))
    return read[at] in AUXILIARIES or (
        read[at - 1] not in DETERMINERS and any(stem in VERBS for stem in stems)
    )


def has_topic(read: Sequence[str]) -> bool:
    """Whether a question in plain words is about something: not "who approves?" or "is there a deadline?"."""
    return any(word not in FUNCTION_WORDS and word not in _OPEN_ENDED for word in read)
