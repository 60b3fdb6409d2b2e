import pytest

from rag.generate.answer_type import AnswerType, expected_type, gives_what_is_asked


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How long is my notice period?", AnswerType.TIME),
        ("hey, within how many days do i have to report it", AnswerType.TIME),
        ("can you tell me how often the backups run?", AnswerType.TIME),
        ("how far in advance do I ask for leave?", AnswerType.TIME),
        ("How many parking spaces are there?", AnswerType.AMOUNT),
        ("just joined. how much is the stipend", AnswerType.AMOUNT),
        ("What is the monthly fee?", AnswerType.AMOUNT),
        ("What percentage of the premium is paid?", AnswerType.SHARE),
        ("At what time does the canteen close?", AnswerType.DATE),
        ("Which telephone number reaches the duty officer?", AnswerType.TELEPHONE),
        ("what number do i call when the gate is stuck", AnswerType.TELEPHONE),
        ("What is the e-mail address of the works council?", AnswerType.EMAIL),
        ("What is the IP address of the proxy?", AnswerType.IP_ADDRESS),
        ("what's the exit ip of our vpn", AnswerType.IP_ADDRESS),
        ("Do you know what the phone number of reception is?", AnswerType.TELEPHONE),
        ("What is the phone number of the office?", AnswerType.TELEPHONE),
    ],
)
def test_what_a_question_expects(question, expected):
    assert expected_type(question) is expected


@pytest.mark.parametrize(
    "question",
    [
        "Who approves my leave?",
        "where can i see how many clients run the newest release",
        "Which page shows how much leave I have left?",
        "need to tweak how often the backups run, where is that defined?",
        "Who decides how long a pilot runs?",
        "how do I get there?",
        "Which time zone do we use?",
        "Which email address should be used to sign in?",
        "What is an IP agreement?",
        "what happens to the ip for my invention",
        "What is the IP of work for clients?",
        "Which command tests the site by public IP?",
        "What is the cost centre of sales?",
        "Which day care do we work with?",
        "What date format do we write?",
        "What is the phone number policy?",
        "Wie viele Tage Urlaub habe ich?",
        "",
    ],
)
def test_nothing_particular_is_expected(question):
    assert expected_type(question) is None


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How long is parental leave?", "Parental leave lasts fourteen weeks."),
        ("How long is parental leave?", "It lasts for a whole year."),
        ("How long do I keep receipts?", "Keep them until the audit is over."),
        ("How long do I keep receipts?", "That depends on your country."),
        ("How soon is it paid?", "The new limit takes effect immediately."),
        ("How often are the brakes tested?", "The brakes are tested biannually."),
        ("How often are the brakes tested?", "Interval: each spring; Who: workshop; every month"),
        ("How many people may enter?", "Both pilots and one guest."),
        ("How much leave can I take?", "Take as much as you need."),
        ("How many cars are there?", "There are none."),
        ("How much overtime is paid out?", "Overtime is never paid out."),
        ("How much of the travel costs is refunded?", "Travel costs are not refunded."),
        ("How much is the rent of a locker?", "The rent is nil."),
        ("How long is a sabbatical?", "It takes as much time as the manager approves."),
        ("How long may I park?", "Visitors can't park."),
        ("How fast is it repaired?", "It is repaired without delay."),
        ("What share of the fee is paid?", "We pay half of it."),
        ("What percentage of the fee is paid?", "The fee is paid in full."),
        ("At what time do we meet?", "We meet at noon."),
        ("On which day is payday?", "Payday is the last workday of the month."),
        ("What is the phone number of the desk?", "Desk: ext. 6001"),
        ("What is the IP address of the proxy?", "Use fd00::1 or 10.0.0.1."),
    ],
)
def test_what_gives_it(question, words):
    assert gives_what_is_asked(question, ["Ask Ann.", words])


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How much is the hard disk rebate?", "See if you are eligible for a hard disk rebate."),
        ("What is the exit IP of the VPN?", "The VPN has a static exit IP that clients can allow."),
        ("what telephone number reaches the IR team?", "Email or telephone the IR team."),
        ("How many hours may be logged?", "Log these hours to the category Timeoff."),
        ("How long is parental leave?", "Parental leave is taken by parents."),
        ("How much is the rebate?", "Any employee may ask for it."),
        ("What percentage do we match?", "We match what you pay into the pension."),
        ("At what time does the gate close?", "The gate closes by itself."),
        ("What is the e-mail address of the council?", "The council can be reached by e-mail."),
    ],
)
def test_what_only_speaks_of_it(question, words):
    assert not gives_what_is_asked(question, [words])
    assert not gives_what_is_asked(question, [])
