"""Understanding a question before anything is retrieved: `route`, `decompose`, `follow_up` and `premise`.

Here stands what all four read: the shape of English questions. No parser and no model, but closed word lists and
one pass over the words, so that the same question is always read the same way, in time that grows with its length.
Every doubt is decided against: what is not understood is searched for as it was asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.sentences import sentence_spans


def word_set(words: str) -> frozenset[str]:
    """The words of a list that is written with blanks."""
    return frozenset(words.split())


BE = word_set("is are was were isn't aren't wasn't weren't")
DO = word_set("do does did don't doesn't didn't")
_HAVE = word_set("has have had hasn't haven't hadn't")
_MODALS = word_set(
    "can could will would shall should may might must can't cannot couldn't won't wouldn't shouldn't mustn't"
)
AUXILIARIES = BE | DO | _HAVE | _MODALS
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
_VERBS_OR_NOUNS = word_set(_NOUNS_TOO)
VERBS = SURE_VERBS | _VERBS_OR_NOUNS
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
_MANY_OF_ONE = {"is": "are", "was": "were", "does": "do", "has": "have"}
_ONE_OF_MANY = {many: one for one, many in _MANY_OF_ONE.items()}
_PERSONS = word_set("he she him her his")
_PEOPLE = word_set("manager director ceo cfo cto coo head boss lead officer president chair founder owner")
_POINTERS = word_set("this that these those")
_TIMES = word_set("year month week quarter morning afternoon evening time summer winter spring autumn")
_ANY_THING = word_set(
    "rule rules policy process form amount limit number fee budget benefit allowance option"
)
_JUDGEMENTS = word_set(
    """possible allowed ok okay safe legal permitted necessary mandatory required better best easy hard worth forbidden
    advisable true normal usual important acceptable fine"""
)
_DONE_BY_PEOPLE = word_set(
    "need have ask apply request get take book want pay work claim use submit sign contact know live travel"
)
_ASIDE = word_set("ok okay thanks hi hello hey yes no well great please")
_LONG_RUN = re.compile(r"[.!?…]{4,}")
LONGEST_QUESTION = 250
"""Words; a longer text tells a story, and is searched for as it was asked."""
_LONGEST_PHRASE = 12
"""Words; a longer noun phrase or question phrase is not read."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A question taken apart; ``lead aux subject rest`` joined by blanks are its words."""

    lead: tuple[str, ...]
    aux: str
    subject: tuple[str, ...]
    rest: tuple[str, ...]


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


def clause_of(question: str) -> Clause | None:
    """`question` (one sentence) taken apart; None where it is no inverted English question or in doubt."""
    words = open_words(question)
    read = [plain(word) for word in words]
    aux_at = _aux_at(read)
    if aux_at is None:
        return None
    start = aux_at + 1
    if read[aux_at] in _HAVE and read[0] == "who":  # who has what: nothing is inverted
        return None
    end = _predicate_at(read, start, read[:aux_at]) if read[aux_at] in BE | _HAVE else _verb_at(read, start)
    if end is None or end <= start or end - start > _LONGEST_PHRASE:
        return None
    return Clause(tuple(words[:aux_at]), words[aux_at], tuple(words[start:end]), tuple(words[end:]))


def is_predicate(word: str) -> bool:
    """Whether a plain word says something of the noun before it: ``free``, ``abolished``, ``moving``, ``still``."""
    if len(word) > 5 and word.endswith("ing"):
        return word not in _NOUNS
    is_past = len(word) > 4 and word.endswith(("ed", "able", "ible")) and not word.endswith("eed")
    return is_past or word in _PREDICATES


def _aux_at(read: list[str]) -> int | None:
    if not opens_question(read):
        return None
    if read[0] in AUXILIARIES:
        return 0
    opener = 0 if read[0] in QUESTION_WORDS else 1
    for at in range(opener + 1, min(len(read), opener + _LONGEST_PHRASE)):
        if read[at] in AUXILIARIES:
            return at
        if read[at] in QUESTION_WORDS or read[at] in {
            "that",
            "if",
        }:  # the next auxiliary is a relative clause's
            return None
    return None


def _first_after_noun(read: list[str], start: int) -> int:
    """Where a predicate may begin at the earliest."""
    return start + (2 if start < len(read) and read[start] in DETERMINERS else 1)


def _is_pronoun(read: list[str], at: int) -> bool:
    """Not so for "that" in "that rule"."""
    if at >= len(read) or read[at] not in SUBJECT_PRONOUNS:
        return False
    if read[at] not in DETERMINERS or at + 1 == len(read):
        return True
    return read[at + 1] in VERBS | PREPOSITIONS | AUXILIARIES or is_predicate(read[at + 1])


def _verb_at(read: list[str], start: int) -> int | None:
    """Where the main verb after ``do`` or a modal stands: the subject ends there."""
    if _is_pronoun(read, start):
        return start + 1
    if start > 1 and start < len(read) and read[start] in SURE_VERBS:  # what could be, who can approve
        return None
    for at in range(_first_after_noun(read, start), min(len(read), start + _LONGEST_PHRASE)):
        if read[at] in ADVERBS:
            return at
        if read[at] in VERBS and read[at - 1] not in PREPOSITIONS | DETERMINERS:
            follows = read[at + 1] if at + 1 < len(read) else ""
            return at + 1 if read[at] in _VERBS_OR_NOUNS and follows in SURE_VERBS else at
    return None


def _predicate_at(read: list[str], start: int, lead: list[str]) -> int | None:
    """Where what is said of the subject begins; after ``what is`` and its like the subject may be all there is."""
    if _is_pronoun(read, start):
        return start + 1
    if start >= len(read) or is_predicate(read[start]) or read[start] in PREPOSITIONS:
        return None
    preposition: int | None = None
    for at in range(_first_after_noun(read, start), len(read)):
        if read[at - 1] in DETERMINERS | PREPOSITIONS:
            continue
        if is_predicate(read[at]) or (read[at] in DETERMINERS and preposition is None and not lead):
            return at
        if read[at] in PREPOSITIONS - {"of"} and preposition is None:
            preposition = at
    asks_what = bool(lead) and lead[0] in {"what", "where", "who", "how", "which"}
    return len(read) if asks_what else preposition


def is_finite(read: Sequence[str], at: int) -> bool:
    """Whether the plain word at `at` looks like a verb as it is used in a sentence: ``pays``, ``is``."""
    stems = (read[at], read[at].removesuffix("s"), read[at].removesuffix("es"))
    return read[at] in AUXILIARIES or (
        read[at - 1] not in DETERMINERS and any(stem in VERBS for stem in stems)
    )


def has_topic(read: Sequence[str]) -> bool:
    """Whether a question in plain words is about something: not "who approves?" or "is there a deadline?"."""
    return any(word not in FUNCTION_WORDS and word not in _OPEN_ENDED for word in read)


def means_event(read: Sequence[str], earlier: str) -> bool:
    """Whether "that" means what happens in the earlier question, no thing in it.

    "Is that taxed?" after "can I work from Spain?" asks about working, not about Spain.
    """
    clause = clause_of(earlier)
    is_event = clause is not None and not clause.lead and plain(clause.subject[0]) in SUBJECT_PRONOUNS
    return (is_event and not {"this", "that"}.isdisjoint(read)) or "do it" in " ".join(read)


def agreeing(aux: str, phrase: Sequence[str]) -> str:
    """The auxiliary in the number of the noun phrase: ``Is`` or ``Are``, ``doesn't`` or ``don't``."""
    is_negated = plain(aux).endswith("n't")
    head, negation = (aux[:-3], aux[-3:]) if is_negated else (aux, "")
    if [plain(word) for word in phrase] == ["i"]:
        return aux
    one = _ONE_OF_MANY.get(head.casefold(), head.casefold())
    if one not in _MANY_OF_ONE:
        return aux
    said = _MANY_OF_ONE[one] if is_plural(head_of(phrase)) else one
    return (said.capitalize() if aux[:1].isupper() else said) + negation


def resolved(question: str, phrases: Sequence[str]) -> str | None:
    """`question` with `phrases` in the place of its pronouns; None where no pronoun means anything outside of it.

    Args:
        question: one that may say "it", "they", "that", "there", "its" or "one".
        phrases: what can be meant, the likeliest first; see `asked_about`.
    """
    words = question.split()
    read = [plain(word) for word in words]
    done: list[str] = []
    at = 0
    while at < len(words):
        n_words = _n_pointing_back(words, read, at, phrases) if len(words) <= LONGEST_QUESTION else 0
        phrase = _meant(read, at, phrases) if n_words else ""
        if not phrase:
            done.append(words[at])
            at += 1
            continue
        if done and not _is_owner(read, at):
            done[-1] = agreeing(done[-1], phrase.split())
        last = words[at + n_words - 1]
        done.append(_in_place(read, at, phrase) + last[len(last.rstrip(MARKS)) :])
        at += n_words
    return None if done == words else finished(" ".join(done))


def _is_owner(read: list[str], at: int) -> bool:
    if read[at] != "her":
        return read[at] in {"its", "their", "his"}
    return at + 1 < len(read) and read[at + 1] not in FUNCTION_WORDS


def _in_place(read: list[str], at: int, phrase: str) -> str:
    bare = phrase.removeprefix("the ")
    if read[at] == "one":
        return f"{'an' if bare[:1] in set('aeiou') else 'a'} {bare}"
    if read[at] == "there":
        return (
            f"to {phrase}"
            if read[at - 1] in {"get", "go", "come", "drive", "travel", "walk"}
            else f"at {phrase}"
        )
    if not _is_owner(read, at):
        return phrase
    words = phrase.split()
    cut = next((n for n, word in enumerate(words) if n and plain(word) in PREPOSITIONS), len(words))
    name = " ".join(words[:cut])
    return name + ("'" if name.endswith("s") else "'s")


def _meant(read: list[str], at: int, phrases: Sequence[str]) -> str:
    """The phrase that fits the pronoun in number and kind; empty where none may be meant."""
    pronoun, follows = read[at], read[at + 1] if at + 1 < len(read) else ""
    things = [each for each in phrases if not each.startswith("the person ")]
    heads = {each: plain(head_of(each.split())) for each in phrases}
    people = [each for each in phrases if each not in things or heads[each] in _PEOPLE or each[:1].isupper()]
    many = [each for each in things if is_plural(heads[each])]
    if pronoun in _PERSONS:
        fitting = people
    elif pronoun in {"they", "them", "their"}:
        groups = [each for each in many if heads[each] in GROUPS]
        fitting = [
            *(groups if follows in _DONE_BY_PEOPLE else ()),
            *many,
            *people,
        ]  # leave expires, people ask
    elif pronoun == "there":
        fitting = [*(each for each in things if any(word[:1].isupper() for word in each.split())), *things]
    else:
        is_one = pronoun in {"it", "its", "one"}
        fitting = [*(each for each in things if is_one and each not in many), *things]
    return next(iter(fitting), "")


def _n_pointing_back(words: list[str], read: list[str], at: int, phrases: Sequence[str]) -> int:
    """How many words from `at` on stand for what this question does not say: 1 "it", 2 "that policy", else 0."""
    word, before, after = read[at], read[at - 1] if at else "", read[at + 1] if at + 1 < len(read) else ""
    if word == "there":
        is_existing = {before, after} & (BE | {"be", "been"})
        return int(at > 1 and not is_existing)
    if word == "one":
        return int(
            not after and before in {"get", "need", "have", "request", "order", "book", "buy", "want", "use"}
        )
    if word in _POINTERS:
        return _n_of_pointer(words, read, at, phrases)
    if word not in _PERSONS and word not in {"it", "its", "they", "them", "their"}:
        return 0
    return int(not (word == "it" and _says_nothing(read, at)) and not _is_said_before(words, read, at))


def _n_of_pointer(words: list[str], read: list[str], at: int, phrases: Sequence[str]) -> int:
    before, after = read[at - 1] if at else "", read[at + 1] if at + 1 < len(read) else ""
    if not at or after in _TIMES or after in {"who", "of"} or _is_said_before(words, read, at):
        return 0
    is_object = before in PREPOSITIONS or is_finite(read, at - 1)
    if not after:
        return 1
    if is_object and (after in _ANY_THING or any(after == plain(head_of(each.split())) for each in phrases)):
        return 2
    if before in AUXILIARIES:
        is_end = before in BE and at + 2 == len(read)  # "are those new?"
        return int(is_end or after in FUNCTION_WORDS or after in VERBS or is_predicate(after))
    return int(is_object and after in (PREPOSITIONS | CONJUNCTIONS) - {"of"})


def _says_nothing(read: list[str], at: int) -> bool:
    """Whether "it" stands for nothing: "is it possible to", "does it matter if", "how long does it take to"."""
    follows = [word for word in read[at + 1 : at + 9] if word not in ADVERBS]
    if not follows:
        return read[max(0, at - 2) : at] == ["time", "is"]
    if follows[0] in {"raining", "snowing", "cold", "hot", "dark"}:
        return True
    if follows[0] in {"take", "takes", "matter", "mean", "cost"}:
        return any(word in {"to", "if", "that"} for word in follows[1:3])
    is_measured = follows[0].endswith("er") or (len(follows) > 2 and follows[2] in VERBS)
    if follows[1:2] == ["to"] and is_measured:
        return True
    return follows[0] in _JUDGEMENTS and any(word in {"to", "that", "if", "when"} for word in follows[1:])


def _is_said_before(words: list[str], read: list[str], at: int) -> bool:
    """Whether an earlier clause has a noun that the pronoun at `at` can stand for; for "its" any earlier noun."""
    ends = at
    if not _is_owner(read, at):
        ends = next((n for n in range(at - 1, 0, -1) if _is_border(words, read, n)), 0)
    return any(_is_noun(read, n) for n in range(ends))


def _is_border(words: list[str], read: list[str], at: int) -> bool:
    return read[at] in CONJUNCTIONS | {"before", "after"} or words[at - 1].endswith(
        (",", ";", ":", ".", "?", "!")
    )


def _is_noun(read: list[str], at: int) -> bool:
    word, before = read[at], read[at - 1] if at else ""
    if word in FUNCTION_WORDS or word in _ASIDE or is_predicate(word) or not word:
        return False
    if before in {"how", "to", "who"} or before in SUBJECT_PRONOUNS - DETERMINERS:
        return False
    return not (before == "what" and is_finite(read, at))
