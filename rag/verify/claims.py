"""One sentence of an answer → claims that can be checked alone.

A wrong cut makes a claim that nobody said; a missed one only leaves two claims to be checked together. So every
doubt decides against a cut: a sentence with a condition is cut only at a semicolon after which the condition
stands, one with a subordinate clause only behind it. Lists of words instead of a parser: the same sentence is
always cut the same way, in microseconds.
"""

from __future__ import annotations

import re

from rag.sentences import sentence_spans
from rag.verify.protocol import quantities

_MODALS = "can could may might must shall should will would cannot"
_AUXILIARIES = "are is was were has does did had"
_BASE_FORMS = "have do"
_OF_ONE = """
applies becomes begins belongs contains expires gets happens includes lasts opens pays receives requires takes wears
"""
_OF_MANY = "apply become begin belong contain expire get happen include receive remain require take wear"
"""Verbs that are seldom anything else; in these forms a noun reads otherwise."""


def _any_of(words: str) -> str:
    return "|".join(sorted(words.split(), key=len, reverse=True))


_HELPER = rf"(?:(?:{_any_of(f'{_MODALS} {_AUXILIARIES} {_BASE_FORMS}')})(?:n't)?|can't|won't|shan't)"
_VERB = re.compile(rf"(?:{_HELPER}|{_any_of(f'{_OF_ONE} {_OF_MANY}')})\Z")
# "must be signed and have a date": what may be the rest of a verb before "and" does not begin a claim.
_BEGINS_PREDICATE = (
    rf"(?:{_any_of(f'{_MODALS} {_AUXILIARIES} {_OF_ONE}')}|(?:{_any_of(_AUXILIARIES)})n't|can't|won't)\b"
)

_PRONOUNS = frozenset({"you", "we", "i", "everybody", "everyone", "anybody", "anyone", "somebody", "someone"})
_ADVERBS = frozenset(
    {"already", "also", "always", "generally", "mostly", "normally", "often", "still", "usually"}
)
_NOT_FIRST = """
about after all also although and any are as at because been before being between both but by can could did do does
during either even every few for from had has hence he her here him his how however if in instead into is it its least
less like many may more most must neither never no nobody none nor not nothing of off on once only or other others our
out over per please rather several she should since so some such than that their them then there therefore these they
this those though through thus to towards under unless until up upon via was were what when where whether which while
who whose why will with within without would yet
"""
_NO_SUBJECT = frozenset(_NOT_FIRST.split())
"""A clause that begins with one of these has another subject than the next words say, or one that stands elsewhere."""
_SUBORDINATES = re.compile(
    r"\b(?:although|as|because|how|since|so|than|that|though|what|where|whereas|whether|which|who|whom|whose|why)\b",
    re.IGNORECASE,
)
_CONDITIONS = re.compile(
    r"\b(?:as long as|depend(?:s|ing)|except|excluding|if|in case|once|only|otherwise|provid(?:ed|ing)|subject to"
    r"|till|unless|until|when|whenever|while|without)\b",
    re.IGNORECASE,
)
_TIES = re.compile(
    r"\b(?:both|either|neither|nor|not only|respectively|vice versa)\b|:\s|[—–]\s|\?", re.IGNORECASE
)
"""A sentence with one of these says something only as a whole; what stands before a colon holds for all behind it."""

_ENCLOSED = re.compile(r"\"[^\"]*\"|“[^”]*”|‘[^’]*’|\([^()]*\)|\[[^\[\]]*\]|`[^`]*`|\b\w{2,10}://\S*")
_LEAD_IN = re.compile(
    r"(?:according to|as (?:described|explained|laid down|mentioned|noted|set out|specified|stated) in|as per)\s"
    r"(?P<source>[^,;:]{2,80}),\s+(?=\S)",
    re.IGNORECASE,
)
_WRITING = re.compile(
    r"\b(?:checklist|document|faq|guide|guideline|guidelines|handbook|manual|page|policy|rules|section)\b",
    re.IGNORECASE,
)
_PERSONAL = re.compile(r"\b(?:your|their|his|her|our|my|no|not|each|or)\b|\d", re.IGNORECASE)
_FRONTED = re.compile(
    r"(?:after|as|at|before|during|for|from|in|on|under|with|within)\s[^,;]{1,60},\s", re.IGNORECASE
)
_AFTER_SEMICOLON = re.compile(
    r"(?:(?:and|but|moreover|in addition|however),?\s+)?(?:however,?\s+)?", re.IGNORECASE
)
_COORDINATION = re.compile(r",\s(?:and|but)\s")
_SHARED = re.compile(rf",?\s(?:and|but)\s(?:also\s)?(?={_BEGINS_PREDICATE})")
_RELATIVE = re.compile(r"(?P<subject>[^,;]+),\swhich\s(?P<said>[^,;]+),\s(?P<rest>[^,;]+)\Z")
_WORD = re.compile(r"[\w'’&/.-]*\w")

_LONGEST_SUBJECT = 8
"""Words before the verb; behind more of them a verb is as likely another clause's."""
_LONGEST_CUT = 600
"""Characters; what is longer is hardly one sentence."""


def atomic_claims(sentence: str) -> tuple[str, ...]:
    """The claims of `sentence` in their order, each a sentence of its own; none where there are no words.

    Cut are sentences, clauses with a subject and a verb of their own (after a semicolon, ", and" or ", but"), a second
    predicate ("… and must …", its subject is repeated) and ", which …," after a subject. "According to the … policy,"
    goes. No other word is lost but the one at the cut.

    >>> atomic_claims("You get 28 days and must book them in the portal.")
    ('You get 28 days.', 'You must book them in the portal.')
    """
    text = " ".join(sentence.split())
    return tuple(
        claim for start, end in sentence_spans(text) for claim in _cut(_without_lead_in(text[start:end]))
    )


def _without_lead_in(sentence: str) -> str:
    """Where the source has a number, or is somebody's own, it may be what the sentence is about."""
    match = _LEAD_IN.match(sentence)
    if not match or not _WRITING.search(match["source"]):
        return sentence
    if _PERSONAL.search(match["source"]) or _CONDITIONS.search(match["source"]):
        return sentence
    return _capitalised(sentence[match.end() :])


def _cut(sentence: str) -> list[str]:
    hidden = _ENCLOSED.sub(lambda match: "x" * len(match.group()), sentence[: _LONGEST_CUT + 1])
    if len(hidden) > _LONGEST_CUT or _TIES.search(hidden) or '"' in hidden:
        return [sentence]
    for way in (_at_semicolon, _at_coordination, _at_shared_subject, _at_relative):
        parts = way(sentence, hidden)
        if parts:
            return [claim for part in parts for claim in _cut(_as_sentence(part))]
    return [sentence]


def _at_semicolon(sentence: str, hidden: str) -> tuple[str, ...]:
    at = hidden.find(";")
    if at < 0:
        return ()
    connective = _AFTER_SEMICOLON.match(hidden[at + 1 :].lstrip())
    right = len(sentence) - len(hidden[at + 1 :].lstrip()) + (connective.end() if connective else 0)
    if _CONDITIONS.search(hidden[:at]) or not _is_clause(hidden[:at]) or not _is_clause(hidden[right:]):
        return ()
    return sentence[:at], sentence[right:]


def _at_coordination(sentence: str, hidden: str) -> tuple[str, ...]:
    # A semicolon that is still there stands in a sentence whose parts are not clear.
    if ";" in hidden or _CONDITIONS.search(hidden):
        return ()
    for match in _COORDINATION.finditer(hidden):
        left, right = hidden[: match.start()], hidden[match.end() :]
        if not _SUBORDINATES.search(left) and _is_clause(left) and _is_clause(right):
            return sentence[: match.start()], sentence[match.end() :]
    return ()


def _at_shared_subject(sentence: str, hidden: str) -> tuple[str, ...]:
    if ";" in hidden or _CONDITIONS.search(hidden):
        return ()
    fronted = _FRONTED.match(hidden)
    start = fronted.end() if fronted else 0
    for match in _SHARED.finditer(hidden):
        left = hidden[start : match.start()]
        subject = _subject_end(left)
        if (
            subject
            and not _SUBORDINATES.search(hidden[: match.start()])
            and _is_one_predicate(left[subject:])
        ):
            return sentence[: match.start()], f"{sentence[: start + subject]} {sentence[match.end() :]}"
    return ()


def _at_relative(sentence: str, hidden: str) -> tuple[str, ...]:
    match = _RELATIVE.match(hidden)
    if not match or _CONDITIONS.search(hidden) or len(match["subject"].split()) > _LONGEST_SUBJECT:
        return ()
    said, rest = _first_word(match["said"]), _first_word(match["rest"])
    if _subject_end(f"{match['subject']} {rest}") != match.end("subject") or not _VERB.match(said):
        return ()
    subject = sentence[: match.end("subject")]
    return f"{subject} {sentence[match.start('rest') :]}", f"{subject} {sentence[slice(*match.span('said'))]}"


def _is_clause(words: str) -> bool:
    """Whether `words` have a subject and a verb of their own, and something after it."""
    words = words.strip()
    end = _subject_end(words)
    return end is not None and len(words[end:].split()) > 1


def _subject_end(clause: str) -> int | None:
    """Where the subject that `clause` begins with ends; None where it is not clear that there is one."""
    tokens = list(_WORD.finditer(clause))
    words = [token.group().replace("’", "'") for token in tokens]
    if len(words) < 2 or words[0].lower() in _NO_SUBJECT:
        return None
    if words[0].lower() in _PRONOUNS:
        following = words[1] if words[1] not in _ADVERBS else " ".join(words[2:3])
        is_verb = bool(_VERB.match(following)) or (following.islower() and following not in _NO_SUBJECT)
        return tokens[0].end() if is_verb else None
    for at, word in enumerate(words[1 : _LONGEST_SUBJECT + 1], start=1):
        before = words[at - 1].lower()
        if _VERB.match(word) and before not in {"a", "an", "the", "to"}:
            return tokens[at - 1].end() if before not in _ADVERBS else None
        if (
            word.lower() in _PRONOUNS
            or _SUBORDINATES.fullmatch(word)
            or clause[tokens[at - 1].end()] in ",;:"
        ):
            return None
    return None


def _is_one_predicate(words: str) -> bool:
    """Whether no second clause begins in `words`: the subject might be that one's."""
    _, *others = [match.group().replace("’", "'") for match in _WORD.finditer(words)]
    said = [word for word in others if word not in _ADVERBS]
    return bool(said) and not any(
        _VERB.match(word) or word.lower() in _PRONOUNS | {"he", "it", "she", "they"} for word in said
    )


def _first_word(words: str) -> str:
    match = _WORD.match(words)
    return match.group().replace("’", "'") if match else ""


def _as_sentence(part: str) -> str:
    part = _capitalised(part.strip().rstrip(" ,;"))
    return part if part.endswith((".", "!", "…")) else f"{part}."


def _capitalised(words: str) -> str:
    """With a capital first letter, unless the first word is written like an identifier."""
    first = words.split(" ", 1)[0]
    return words[:1].upper() + words[1:] if first.rstrip(",'’").isalpha() and first.islower() else words


_MODALITIES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("need not", r"(?i:\bdo(?:es)?(?: not|n't) (?:have|need) to\b|\bneed not\b|\bneedn't\b|\bno need\b)"),
        ("need not", r"(?i:\b(?:not|n't) (?:required|necessary|needed|obliged|mandatory)\b)"),
        (
            "must not",
            r"(?i:\b(?:must|can|shall)(?: not|n't)\b|\bcannot\b|\b(?:not|n't) (?:allowed|permitted)\b)",
        ),
        ("must not", r"\bmay not\b"),
        ("should not", r"(?i:\bshould(?: not|n't)\b)"),
        ("must", r"(?i:\b(?:must|ha(?:ve|s) to|needs?|required?s?|mandatory|obliged|shall|compulsory)\b)"),
        ("should", r"(?i:\b(?:should|ought|recommended|advised|advisable)\b)"),
        # "May" is a month.
        ("may", r"\bmay\b|(?i:\b(?:can|might|could|allowed|permitted|optional|entitled)\b)"),
    )
)
_BOUNDS = {
    "≥": "at least|at or (?:above|over)|minimum(?: of)?|no less than|not less than|no fewer than",
    "≤": "at most|at or (?:below|under)|up to|maximum(?: of)?|max|no more than|not more than|within",
    ">": "more than|above|exceed(?:s|ing)?",
    "<": "less than|fewer than|under|below",
    "before": "before|by|until|till",
    "after": "after|from|since",
}
_BEFORE_NUMBER = [
    (sign, re.compile(rf"\b(?:{said})(?: the| an?)?\s?(?:[€£$]|EUR|GBP|USD|CHF)?\s?\Z", re.IGNORECASE))
    for sign, said in _BOUNDS.items()
]
_AFTER_NUMBER = [
    (sign, re.compile(rf"[^.;,\d]{{0,25}}?\b(?:{said})\b(?!\s*(?:of )?\d)", re.IGNORECASE))
    for sign, said in (
        ("≥", "or (?:more|longer|above)|and (?:above|more)|minimum|at least"),
        ("≤", "or (?:less|fewer|under)|maximum|at most"),
    )
]
_DENIED = re.compile(r"\b(?:not|never|cannot|no|nobody|without)\b|n't\b", re.IGNORECASE)


def modals(text: str) -> list[tuple[str, str]]:
    """What `text` says of duty and leave, each time with the words behind it.

    One of ``must``, ``should``, ``may``, ``must not``, ``should not``, ``need not``.
    """
    found = []
    for kind, pattern in _MODALITIES:
        found += [(kind, text[match.end() :]) for match in pattern.finditer(text)]
        text = pattern.sub(lambda match: " " * len(match.group()), text)
    return found


def bounds(text: str) -> list[tuple[str, str]]:
    """The numbers of a text in one writing with ``≥``, ``≤``, ``>``, ``<``, ``before``, ``after`` or "" for no bound.

    "Not … more than 5" is no more than 5, but which number a distant "not" is about is not clear: no bound.
    """
    denied = _DENIED.search(text)
    found = []
    for each in quantities(text):
        near = max(0, each.start - 30)
        sign = next((sign for sign, said in _BEFORE_NUMBER if said.search(text, near, each.start)), "")
        sign = sign or next((sign for sign, said in _AFTER_NUMBER if said.match(text, each.end)), "")
        is_unclear = sign in {"<", ">"} and denied is not None and denied.start() < each.start
        found.append((each.number, "" if is_unclear else sign))
    return found
