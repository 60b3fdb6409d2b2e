import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.verify import atomic_claims
from rag.verify.claims import bounds, modals
from rag.verify.protocol import in_one_writing


@pytest.mark.parametrize(
    ("sentence", "claims"),
    [
        (
            "You get 28 days and must book them in the portal.",
            ("You get 28 days.", "You must book them in the portal."),
        ),
        (
            "Bristol staff get 26 days, and Antwerp staff are given 24 days.",
            ("Bristol staff get 26 days.", "Antwerp staff are given 24 days."),
        ),
        (
            "You may carry over 5 days, but you must take them by 31 March.",
            ("You may carry over 5 days.", "You must take them by 31 March."),
        ),
        (
            "Bristol staff get 26 days; however, Porto staff get 25.",
            ("Bristol staff get 26 days.", "Porto staff get 25."),
        ),
        (
            "Delivery is to the front door; stairs are yours.",
            ("Delivery is to the front door.", "Stairs are yours."),
        ),
        (
            "The form, which is kept in Payline, must be signed by your manager.",
            ("The form must be signed by your manager.", "The form is kept in Payline."),
        ),
        (
            "According to the Travel policy, flights must be booked early and are paid by Finance.",
            ("Flights must be booked early.", "Flights are paid by Finance."),
        ),
        (
            "In Porto, you get 25 days and must book them in March.",
            ("In Porto, you get 25 days.", "In Porto, you must book them in March."),
        ),
        (
            "Economy is the rule, and premium economy is allowed; business class requires the director.",
            ("Economy is the rule.", "Premium economy is allowed.", "Business class requires the director."),
        ),
        (
            "You get 28 days; you must book them unless your manager agrees.",
            ("You get 28 days.", "You must book them unless your manager agrees."),
        ),
        ("The lift takes 8 persons and isn't fast.", ("The lift takes 8 persons.", "The lift isn't fast.")),
        ("It rings. You must answer; we can hear it.", ("It rings.", "You must answer.", "We can hear it.")),
        ("  Two\n spaces  ", ("Two spaces",)),
        ("", ()),
        (" \n ", ()),
    ],
)
def test_clauses_with_a_subject_and_a_verb_are_claims(sentence, claims):
    assert atomic_claims(sentence) == claims


@pytest.mark.parametrize(
    "sentence",
    [
        "If you drive, you get 45 pence and must keep receipts.",
        "You get 28 days, and you must book them unless your manager agrees.",
        "You may fly only when no train runs, and you must say so.",
        "You get the van if it is free; you must clean it.",
        "City: Lisbon; Rate: 70",
        "Bristol: you certify yourself for 7 days; we need a fit note from day 8.",
        "The manager and the director must approve.",
        "Employees, contractors, and visitors must sign in.",
        "You must not smoke and drink in the lab.",
        "The form must be signed and have a date.",
        "You may and must report it.",
        "You get 28 days and they get 30 and must book them.",
        "The van is insured, and it must be locked.",
        "The van is insured; it must be locked.",
        "Crews who were held back may carry over 8 days and must tell us.",
        "We pay for trips that are needed and are booked in Wayfinder.",
        "Nobody is paid and is insured.",
        "Only managers may approve and must sign.",
        "Bristol and Antwerp get 26 and 24 days respectively, and Porto is not listed.",
        "You get a room (breakfast is included, and dinner is not).",
        'The sign says "you must stop, and you must wait".',
        "A loan device is given out, which is returned later, and so on.",
        "According to the Travel policy 2025, you must book early.",
        "According to your grade, you get 25 or 28 days.",
        "Is it paid, and is it insured?",
        "Send it through Payline and not by email.",
        "You must either call, or you must write.",
        "You get the ticket and costs are shared.",
        "You know that trips cost money and are booked early.",
        "You get a van unless refused and must clean the floor.",
    ],
)
def test_every_doubt_decides_against_a_cut(sentence):
    assert atomic_claims(sentence) == (sentence,)


_SUBJECTS = ["You", "Bristol staff", "The form", "Employees who work in Porto", "No employee", "It", "We"]
_PREDICATES = [
    "get 28 days",
    "must book them in the portal",
    "is not insured",
    "may carry over 5 days",
    "cannot sell 2 days",
    "are never paid twice",
    "requires a yes in writing",
    "must not smoke and drink",
    "isn't open without a badge",
]
_JOINTS = [", and ", " and ", "; ", ", but ", " but ", "; however, ", ", which ", " or ", ", ", "; it "]
_CONDITIONS = [
    "",
    "",
    " unless your manager agrees",
    " if you are in Porto",
    " only when it rains",
    " until 31 May",
]
_OPENINGS = ["", "", "According to the Travel policy, ", "If you drive, ", "In Porto, ", "Bristol: "]

_pieces = st.tuples(
    st.sampled_from(["", *_SUBJECTS]), st.sampled_from(_PREDICATES), st.sampled_from(_CONDITIONS)
).map(lambda piece: f"{piece[0]} {piece[1]}{piece[2]}".strip())


@st.composite
def _sentences(draw):
    pieces = draw(st.lists(_pieces, min_size=1, max_size=4))
    text = pieces[0]
    for piece in pieces[1:]:
        text += draw(st.sampled_from(_JOINTS)) + piece
    return draw(st.sampled_from(_OPENINGS)) + text + "."


_TOKENS = 'you the form must is not and but , ; : which however if unless staff 28 days ( ) " “ ” — ? . get'
_words = st.sampled_from(_TOKENS.split())
_NOT_CONTENT = {"and", "but", "however", "which"}
_NEVER_LOST = re.compile(r"\b(?:not|no|never|cannot|without|unless|if|only|when|until|\d+)\b|n't\b")


def _counted(text):
    return Counter(word for word in re.findall(r"[\w']+", text.lower()) if word not in _NOT_CONTENT)


@settings(deadline=None)
@given(st.one_of(_sentences(), st.lists(_words, max_size=25).map(" ".join)))
def test_no_word_is_lost_and_none_comes_in(sentence):
    told = sentence.removeprefix("According to the Travel policy, ")
    claims = atomic_claims(sentence)
    together = _counted(" ".join(claims))
    # The lead-in stays where nothing follows that could stand without it.
    assert not _counted(told) - together
    assert set(together) <= set(_counted(sentence))
    found = Counter(_NEVER_LOST.findall(" ".join(claims).lower()))
    assert not Counter(_NEVER_LOST.findall(sentence.lower())) - found


@settings(deadline=None)
@given(_sentences())
def test_a_condition_stays_with_everything_it_may_be_about(sentence):
    condition = re.search(r"\b(?:unless|if|only|until)\b", sentence.lower())
    if condition and ";" not in sentence:
        told = sentence.removeprefix("According to the Travel policy, ")
        assert [claim.lower() for claim in atomic_claims(sentence)] == [told.lower()]


@settings(deadline=None)
@given(_sentences())
def test_a_claim_is_cut_no_further(sentence):
    for claim in atomic_claims(sentence):
        assert atomic_claims(claim) == (claim,)


def test_modals_are_told_apart_and_may_is_no_month():
    assert [kind for kind, _ in modals("In May you must not pay; you need not ask, you may.")] == [
        "need not",
        "must not",
        "may",
    ]


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("at least 14 days", ("14", "≥")),
        ("14 days or more", ("14", "≥")),
        ("no more than €25", ("25", "≤")),
        ("up to 1,000 EUR", ("1000", "≤")),
        ("25 people at most", ("25", "≤")),
        ("more than three hours", ("3", ">")),
        ("in under six hours", ("6", "<")),
        ("by 31 March", ("31", "before")),
        ("after 22:00", ("22", "after")),
        ("not for one minute more than 5 euro", ("5", "")),
        ("5 days", ("5", "")),
        ("12 seats, at least 3 of them free", ("12", "")),
    ],
)
def test_bounds_are_read_with_their_number(text, bound):
    assert bounds(in_one_writing(text))[0] == bound


def test_a_long_sentence_is_cut_in_no_time():
    assert len(atomic_claims("You must wait, and " * 2_000 + "you must go.")) > 0
    assert len(atomic_claims("(" * 5_000 + '"' * 5_000 + " and must " * 500)) > 0
