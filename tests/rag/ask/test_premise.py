import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.ask.premise import premises
from rag.ask.topic import asked_about

TAKEN_FOR_GRANTED = [
    ("Why is the gym free for contractors?", "The gym is free for contractors."),
    ("why is the office in Bergen closed on Fridays", "The office in Bergen is closed on Fridays."),
    ("Why isn't the gym free?", "The gym is not free."),
    ("Why is there no canteen?", "There is no canteen."),
    ("Why is parental leave longer than sick leave?", "Parental leave is longer than sick leave."),
    ("Why is the training budget capped at 500 EUR?", "The training budget is capped at 500 EUR."),
    ("Why is the policy in written form?", "The policy is in written form."),
    ("Why are contractors not insured, and who decided it?", "Contractors are not insured."),
    ("Why does the company pay for lunch?", "The company pays for lunch."),
    ("Why does the plan still cover glasses?", "The plan still covers glasses."),
    ("Why do contractors get free lunch?", "Contractors get free lunch."),
    ("Why do employees who travel get a card?", "Employees who travel get a card."),
    ("Why don't contractors get overtime?", "Contractors do not get overtime."),
    ("Why does the travel policy not apply to me?", "The travel policy does not apply to me."),
    ("Why can’t contractors use the gym?", "Contractors cannot use the gym."),
    ("Why must contractors change their password?", "Contractors must change their password."),
    ("Why did we ban USB sticks?", "We banned USB sticks."),
    ("Why has the canteen closed?", "The canteen has closed."),
    ("How come the gym is free?", "The gym is free."),
    ("Since when is lunch free?", "Lunch is free."),
    ("Since remote work was abolished, how do I get to the office?", "Remote work was abolished."),
    ("Although the gym is closed, can I get a refund?", "The gym is closed."),
    ("Who do I ask now that payroll is outsourced?", "Payroll is outsourced."),
    ("Given that we moved to Oslo, where do I park?", "We moved to Oslo."),
    ("When did we stop paying for lunch?", "We stopped paying for lunch."),
    ("When did the company buy Acme?", "The company bought Acme."),
    ("When did we carry over the budget?", "We carried over the budget."),
    ("When was remote work abolished?", "Remote work was abolished."),
    ("Who replaced Anna as CFO?", "Somebody replaced Anna as CFO."),
    ("Who won the raffle?", "Somebody won the raffle."),
    ("Who translated Norwegian, Danish and Swedish?", "Somebody translated Norwegian, Danish and Swedish."),
    ("How do I get the 500 EUR bonus for referrals?", "There is a 500 EUR bonus for referrals."),
    ("How do I spend the 25 days of leave?", "There are 25 days of leave."),
    ("Where do I claim the €80 phone allowance?", "There is an €80 phone allowance."),
    ("How do I book the 8-hour safety course?", "There is an 8-hour safety course."),
    ("Who pays the 11,000 NOK deposit when I move?", "There is an 11,000 NOK deposit."),
    ("What changes after my six-month probation period?", "There is a six-month probation period."),
    ("Where do I log my weekly 20% innovation day?", "There is a weekly 20% innovation day."),
    ("Who is invited to the 2024 summit?", "There is a 2024 summit."),
    ("Where are the 12 parking spaces reserved?", "There are 12 parking spaces."),
    ("How much is the hard disk rebate?", "There is a hard disk rebate."),
    ("How big are the client prompt-pay discounts?", "There are client prompt-pay discounts."),
    ("Which parking spaces does the Oslo office have?", "The Oslo office has parking spaces."),
    ("Which unions do we have?", "We have unions."),
]

NOTHING = """
How many days of leave do I get?
What is the notice period for interns?
How do I request parental leave?
Who approves travel?
Who is Anna's manager?
Who has access to payroll?
When does the gym open?
When will the office move?
When is the fair?
Where is the archive?
Why?
Why not?
Why did they cancel it?
Why is it that?
Why would contractors use the gym?
Have you ever wondered why?
Since 2020, how many offices have we opened?
Since joining in May, how much leave do I have?
Since I am ill, who do I call?
Since I was promoted, what is my notice period?
Since when?
Because of the storm, is the office closed?
What happens after the 30 minutes?
What happens in the first 90 days?
Who leads the previous 3 safety teams?
Where are the only 5 parking spaces?
How do I report to the 3 of us?
How do I get the 500 EUR?
How do I use the 401k plan?
Is the gym free for contractors?
Can I carry over more than 5 days?
I was paid for my last 3 weeks. Who do I tell?
They ended my employment two months early, can I complain?
I got the 500 EUR bonus. Is it taxed?
How much is it?
How much is free?
Which of us have to come?
Warum ist das Fitnessstudio kostenlos?
Pourquoi la salle de sport est-elle gratuite ?
""".strip().splitlines()

ASKED_ABOUT = [
    ("How many days of leave do employees get?", ("the days of leave", "leave", "employees")),
    ("How do I request parental leave in Norway?", ("parental leave",)),
    ("What is the notice period for interns?", ("the notice period for interns",)),
    ("Who approves travel requests?", ("travel requests", "the person who approves travel requests")),
    ("Which form claims the stipend?", ("the form", "the stipend")),
    ("Do we have a gym?", ("the gym",)),
    ("Can contractors use the gym?", ("the gym", "contractors")),
    ("What time does the gym open?", ("the gym",)),
    ("Tell me about the dress code.", ("the dress code",)),
    ("Which of the plans covers braces?", ("the plans", "braces")),
    ("What happens to unused leave?", ("unused leave",)),
    ("Who is responsible for travel?", ("travel", "the person who is responsible for travel")),
    ("What's the dress code?", ("the dress code",)),
    ("dress code", ("dress code",)),
    ("Do I?", ()),
    ("", ()),
]


@pytest.mark.parametrize(("question", "claim"), TAKEN_FOR_GRANTED)
def test_what_is_taken_for_granted_is_said(question, claim):
    assert premises(question) == (claim,)


@pytest.mark.parametrize("question", NOTHING)
def test_a_question_that_takes_nothing_for_granted(question):
    assert premises(question) == ()


def test_several_claims_come_in_order_and_at_most_three():
    assert premises("Why is the 500 EUR bonus for referrals taxed?") == (
        "The 500 EUR bonus for referrals is taxed.",
        "There is a 500 EUR bonus for referrals.",
    )
    many = "Why is the gym free? Why is the pool closed? Why is lunch paid? Why is parking banned?"
    assert premises(many) == ("The gym is free.", "The pool is closed.", "Lunch is paid.")


def test_a_story_takes_nothing_for_granted():
    assert premises("Why is the gym free? " + "I like it. " * 100) == ()


@pytest.mark.parametrize(("question", "phrases"), ASKED_ABOUT)
def test_what_a_later_it_may_mean(question, phrases):
    assert asked_about(question) == phrases


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.sampled_from("why is the 5 did € since, ?.'’ß"), max_size=80))
def test_any_text_gives_sentences(text):
    for claim in premises(text):
        assert claim.endswith(".")
        assert claim[0] == claim[0].upper()


@pytest.mark.parametrize(
    ("question", "claims"),
    [
        ("What time does the canteen in Porto close?", ("There is a canteen in Porto.",)),
        ("Who runs the reception in our Hamburg office?", ("There is a reception in our Hamburg office.",)),
        ("How do I book the meeting rooms at Harbour House?", ("There are meeting rooms at Harbour House.",)),
    ],
)
def test_a_thing_is_said_to_be_in_a_place(question, claims):
    assert premises(question) == claims


@pytest.mark.parametrize(
    "question",
    [
        "Is there a canteen in Porto?",
        "What is the best way to get a taxi in Porto?",
        "Where is the canteen in the building?",
        "What happens at Easter?",
        "Who can help in Porto?",
        "What does the handbook say, in English?",
    ],
)
def test_no_thing_is_said_to_be_in_a_place(question):
    assert premises(question) == ()
