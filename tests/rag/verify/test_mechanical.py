import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.sentences import sentence_spans
from rag.verify import Evidence, is_verbatim, mechanical_faults
from rag.verify.protocol import in_one_writing, quantities
from tests.rag.verify.passages import ALL, BUYING, DINNERS, LEAVE, OFFICES, SECURITY, SICK, TRAVEL

FAULTS = [
    # a changed number, in digits or in words
    (LEAVE, "Up to 6 unused days move into the next year.", "number"),
    (LEAVE, "Up to six unused days move into the next year.", "number"),
    (SECURITY, "The authority must hear about it within 27 hours.", "number"),
    (BUYING, "Small firms with fewer than nine people are paid after 14 days.", "number"),
    (SECURITY, "Phone extension 4401 day and night.", "number"),
    (BUYING, "Fill in form S-3.", "number"),
    (SICK, "Office staff send a message before 10:30.", "number"),
    (OFFICES, "The canteen is open from 11:45 to 2:15 pm.", "number"),
    (LEAVE, "Up to 8 unused days move into the next year.", "number"),  # of the sentence beside it
    # another unit or currency
    (SICK, "Merrowgate tops up sick pay for the first 10 months.", "unit"),
    (SICK, "The talk follows after more than 15 calendar days.", "unit"),
    (TRAVEL, "We pay 45 euro per mile in Britain.", "unit"),
    (BUYING, "You can keep gifts up to £30 per supplier and year.", "unit"),
    # an added or changed date
    (OFFICES, "Fire drills take place on 3 March in each office.", "date"),
    (OFFICES, "Fire drills take place in March and September.", "date"),
    (BUYING, "Orders must be in by 5 November.", "date"),
    (BUYING, "Payment runs are on Tuesday and Thursday.", "date"),
    (SECURITY, "Code by text message was switched off on 2025-01-03.", "date"),
    # a name, address or path that does not stand there
    (LEAVE, "Every October, Lisbon staff can buy up to 4 extra days.", "name"),
    (DINNERS, "Name every guest on the claim in Payline.", "name"),
    (BUYING, "Send the invoice to finance@merrowgate.example.", "name"),
    (BUYING, "The register is at https://register.example/new.", "name"),
    (BUYING, "The form is in shared/finance/forms.docx.", "name"),
    (SECURITY, "Write to #it-support if it is not urgent.", "name"),
    (SECURITY, "The vault needs the VPN of the office.", "name"),
    # a dropped or an added "not"
    (LEAVE, "Selling days is possible in any office.", "negation"),
    (SECURITY, "Control credentials for gates and bridges may leave the vault.", "negation"),
    (TRAVEL, "Trips that can be done by train in under six hours must be flown.", "negation"),
    (SICK, "You have to say what is wrong with you.", "negation"),
    (
        TRAVEL,
        "Premium economy is not allowed when the flight itself lasts more than seven hours.",
        "negation",
    ),
    (BUYING, "Down payments above 20 percent don't need a bank guarantee.", "negation"),
    # may, must, should
    (LEAVE, "Every October, Bristol staff must buy up to 4 extra days.", "modality"),
    (BUYING, "You should keep gifts up to 30 euro per supplier and year.", "modality"),
    (LEAVE, "Up to 5 unused days may be taken by 31 March.", "modality"),
    (SICK, "You must not say what is wrong with you.", "modality"),
    # another bound on the same number
    (LEAVE, "At least 5 unused days move into the next year.", "bound"),
    (SECURITY, "A Merrowgate password has at most 14 characters.", "bound"),
    (TRAVEL, "Premium economy is allowed when the flight lasts less than seven hours.", "bound"),
    (SICK, "Office staff send a message after 09:30.", "bound"),
    (OFFICES, "More than 25 people may use the roof terrace.", "bound"),
    (OFFICES, "All visitors sign in with the shift lead.", "quantifier"),
    # a condition cut off
    (TRAVEL, "You may add private days to a trip.", "condition"),
    (TRAVEL, "Later bookings need a yes from your line manager in Wayfinder.", "condition"),
    (DINNERS, "Public officials may not be invited.", "condition"),
]

LEFT_TO_THE_MODEL = [
    ("swapped names", BUYING, "The register phones Finance with a number taken from new suppliers."),
    ("up to 5 → 5", LEAVE, "5 unused days move into the next year."),
    ("at least 14 → 14", SECURITY, "A Merrowgate password has 14 characters."),
    ("a condition lost in other words", TRAVEL, "Private days can be added to your trip."),
    ("an if at the start lost", TRAVEL, "We pay 45 pence per mile in Britain."),
    ("not … without → without", DINNERS, "Public officials may be invited without a written yes."),
    ("another date of the same passage", LEAVE, "Up to 5 unused days must be taken by 31 May."),
    ("two rates merged", TRAVEL, "We pay 0.40 euro per kilometre in Belgium."),
]


@pytest.mark.parametrize(("evidence", "claim", "kind"), FAULTS)
def test_what_the_cited_text_does_not_say_is_a_fault(evidence, claim, kind):
    faults = mechanical_faults(claim, evidence)
    assert kind in {fault.kind for fault in faults}
    assert all(fault.words and fault.reason.endswith(".") for fault in faults)


@pytest.mark.parametrize(("what", "evidence", "claim"), LEFT_TO_THE_MODEL)
def test_what_no_rule_can_tell_is_neither_faulty_nor_verbatim(what, evidence, claim):
    assert mechanical_faults(claim, evidence) == ()
    assert not is_verbatim(claim, evidence)


ABSTENTIONS = [
    ("a number without unit in a table", Evidence("City | Limit\n\nPorto | 115"), "Porto's limit is 115 EUR."),
    ("a count", Evidence("Bristol and Antwerp close at Christmas."), "The two offices close at Christmas."),
    ("a count of kinds", Evidence("A launch is Small, Medium or Large."), "A launch has one of three sizes."),
    ("the other side", Evidence("Up to 50 EUR is paid without a yes."), "More than 50 EUR is not paid without a yes."),
    ("before and after", Evidence("Meetings are fine from 8 am on."), "Ask in chat for meetings before 8 am."),
    ("one of several", Evidence("Two PIOs can sign."), "A PIO can sign."),
    ("how strict", Evidence("Keep the median at 20 hours or less."), "You keep the median under 20 hours."),
    ("not every", Evidence("Green purchases earn double points."), "Not every green purchases earn double points."),
    ("year and month", Evidence("We began using it in 2022-04."), "We have been using it since April 2022."),
    ("a day is a working day", Evidence("You hear within 5 working days."), "You hear within 5 days."),
    ("a bare full hour", Evidence("Open 9 to 5 pm."), "It is open from 9:00 to 17:00."),
    ("a range of months", Evidence("Open from April to October."), "In June it is open."),
    ("a range of weekdays", Evidence("Open Monday to Friday."), "It is open on Wednesday."),
    ("an acronym written out", Evidence("Prices are without VAT."), "Prices exclude Value Added Tax."),
    ("its acronym", Evidence("Give us the Value Added Tax number."), "You must give us the VAT number."),
    ("an inhabitant", Evidence("Offices in Belgium close early."), "All of the Belgian offices close early."),
    ("a name in the title", Evidence("Book early.", "[Wayfinder > Flights]"), "You must book Wayfinder early."),
    ("no more than", Evidence("At most 25 people may enter the hall."), "No more than 25 people may enter the hall."),
    ("only", Evidence("You may only fly economy class."), "You must fly economy class."),
    ("a hedge", Evidence("Do not book flights before it shows green."), "Book flights when it shows green."),
    ("two modals", Evidence("You may go and must report."), "You must go and may report."),
    ("some of all", Evidence("All visitors sign the book."), "Some visitors sign the book."),
    ("another clause is denied", Evidence("It wipes the profile, but not photos."), "It wipes the profile."),
    ("one of two carriers", Evidence("Staff may park in the yard on Sundays. Staff may not park in the yard on "
     "weekdays."), "All staff may park in the yard."),
    ("half of what is denied", Evidence("Laptops of your own are not allowed on the office network, use the "
     "guest Wi-Fi."), "Your own laptops are allowed on the guest Wi-Fi."),
    ("number one", Evidence("You get a day for moving house."), "You get 1 day for moving house."),
    ("No. 4", Evidence("Pallets enter by gate 4."), "Pallets enter by gate No. 4."),
]  # fmt: skip


@pytest.mark.parametrize(("what", "evidence", "claim"), ABSTENTIONS)
def test_checks_abstain_as_their_docstrings_say(what, evidence, claim):
    assert not is_verbatim(claim, evidence)
    assert mechanical_faults(claim, evidence) == ()


def test_every_kind_of_fault_is_told_apart_above():
    assert {kind for *_, kind in FAULTS} == {
        *("number", "date", "unit", "name", "negation", "modality", "bound", "quantifier", "condition")
    }


_TOKENS = (
    "You you must not may never take 28 days €180 EUR 12 March 2026 at least most up to 5 ; , : and unless No. "
    'HR Payline "quoted" it\'s a_b x@y.org 14:00 two all some . . ? \n\n - | (a) [3] é'
)
_words = st.lists(st.sampled_from(_TOKENS.split(" ")), min_size=1, max_size=40).map(" ".join)
_TYPOGRAPHIC = str.maketrans({'"': "”", "'": "’", "-": "–"})


@settings(deadline=None)
@given(st.one_of(_words, st.sampled_from([each.text for each in ALL])), st.data())
def test_word_for_word_never_faults(text, data):
    spans = sentence_spans(text)
    if not spans:
        return
    start, end = data.draw(st.sampled_from(spans))
    sentence = text[start:end]
    spaced = "  ".join(sentence.split(" "))
    for claim in (
        sentence,
        f" {spaced}\n",
        sentence.translate(_TYPOGRAPHIC),
        sentence[0].swapcase() + sentence[1:],
        sentence.removesuffix("."),
    ):
        if claim.strip():
            assert is_verbatim(claim, Evidence(text))
            assert mechanical_faults(claim, Evidence(text)) == ()


@pytest.mark.parametrize(
    "claim",
    [
        "Premium economy is allowed",
        "Trips that can be done by train in under six hours door to door must",
        "be flown",
        "Book flights at least 14 days ahead of time.",
        "book Flights at least 14 days ahead.",
    ],
)
def test_a_part_of_a_sentence_or_other_words_are_not_verbatim(claim):
    assert not is_verbatim(claim, TRAVEL)


def test_a_claim_of_a_sentence_with_several_is_verbatim():
    evidence = Evidence("The lift takes 8 persons and does not like pallets.")
    assert is_verbatim("The lift does not like pallets.", evidence)
    assert not is_verbatim("The lift does like pallets.", evidence)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("twenty-eight days", "28 days"),
        ("two hundred and fifty people", "250 people"),
        ("1.5 million euro", "1500000 euro"),
        ("EUR2,000 or 2k", "EUR 2000 or 2000"),
        ("2,50 EUR", "2.50 EUR"),
        ("2 pm, 12 a.m. and 9.30 am", "14:00, 00:00 and 09:30"),
        ("half an hour, twice a week", "30 minutes, 2 times 1 week"),
        ("one of them", "one of them"),
    ],
)
def test_numbers_have_one_writing(text, same):
    assert in_one_writing(text) == same


def test_units_are_found_on_both_sides_of_a_number():
    text = in_one_writing("€180, 52 pounds, 5 working days, 5 unused days, 20 %, 2.50 km, room 7")
    assert [(each.number, each.unit) for each in quantities(text)] == [
        ("180", "EUR"),
        ("52", "GBP"),
        ("5", "working day"),
        ("5", "day"),
        ("20", "%"),
        ("2.5", "km"),
        ("7", ""),
    ]


def test_a_page_of_digits_is_read_in_no_time():
    assert mechanical_faults("1 2 " * 2_000 + "March", Evidence("1, 2 and " * 2_000 + "X")) != ()
