import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.ask.decompose import sub_questions

COMPARISONS = [
    (
        "What is the difference between sick leave and parental leave?",
        "What is sick leave?",
        "What is parental leave?",
    ),
    ("difference between sick and parental leave", "What is sick leave?", "What is parental leave?"),
    (
        "What's the difference in notice period between interns and employees?",
        "What is the notice period for interns?",
        "What is the notice period for employees?",
    ),
    (
        "difference between contractors and employees in notice period",
        "What is the notice period for contractors?",
        "What is the notice period for employees?",
    ),
    (
        "What is the difference between the terms and conditions and the handbook?",
        "What are the terms and conditions?",
        "What is the handbook?",
    ),
    (
        "Compare the notice period of interns and employees",
        "What is the notice period of interns?",
        "What is the notice period of employees?",
    ),
    ("Compare leave in Norway and in Germany", "What is leave in Norway?", "What is leave in Germany?"),
    ("compare the gym with the pool", "What is the gym?", "What is the pool?"),
    ("Is parental leave longer than sick leave?", "How long is parental leave?", "How long is sick leave?"),
    ("Is a single room cheaper than a flat?", "How expensive is a single room?", "How expensive is a flat?"),
    (
        "Is the notice period for interns shorter than for employees?",
        "How long is the notice period for interns?",
        "How long is the notice period for employees?",
    ),
    (
        "Is the notice period longer in Norway than in Sweden?",
        "How long is the notice period in Norway?",
        "How long is the notice period in Sweden?",
    ),
    ("Is the gym more expensive than the pool?", "How expensive is the gym?", "How expensive is the pool?"),
    (
        "How much longer is a sabbatical than sick leave?",
        "How long is a sabbatical?",
        "How long is sick leave?",
    ),
    ("Is sick leave as long as parental leave?", "How long is sick leave?", "How long is parental leave?"),
    ("Is sick pay lower than normal pay?", "How high is sick pay?", "How high is normal pay?"),
    ("Does the gym cost more than the pool?", "How much does the gym cost?", "How much does the pool cost?"),
    ("Oslo vs Bergen", "What is Oslo?", "What is Bergen?"),
    (
        "What is the notice period for interns vs. employees?",
        "What is the notice period for interns?",
        "What is the notice period for employees?",
    ),
    (
        "How many days of leave do contractors get versus employees?",
        "How many days of leave do contractors get?",
        "How many days of leave do employees get?",
    ),
    (
        "Which is higher, the gym subsidy or the transport subsidy?",
        "How high is the gym subsidy?",
        "How high is the transport subsidy?",
    ),
    (
        "Which is longer parental leave or sick leave?",
        "How long is parental leave?",
        "How long is sick leave?",
    ),
    (
        "Which office is bigger, Oslo or Bergen?",
        "How big is the Oslo office?",
        "How big is the Bergen office?",
    ),
    (
        "Who gets more leave, contractors or employees?",
        "Who gets more leave: contractors?",
        "Who gets more leave: employees?",
    ),
    (
        "Do contractors get the same leave as employees?",
        "What leave do contractors get?",
        "What leave do employees get?",
    ),
    (
        "Does a contractor get the same leave as employees do?",
        "What leave does a contractor get?",
        "What leave do employees get?",
    ),
    (
        "Do contractors get more days of leave than employees?",
        "How many days of leave do contractors get?",
        "How many days of leave do employees get?",
    ),
    (
        "Do contractors get as much training as employees?",
        "How much training do contractors get?",
        "How much training do employees get?",
    ),
    (
        "Do we get the same holidays in Norway as in Sweden?",
        "What holidays do we get in Norway?",
        "What holidays do we get in Sweden?",
    ),
    (
        "Do contractors and employees get the same leave?",
        "What leave do contractors get?",
        "What leave do employees get?",
    ),
    (
        "Is the notice period the same for interns and employees?",
        "What is the notice period for interns?",
        "What is the notice period for employees?",
    ),
    ("How does a sabbatical differ from unpaid leave?", "What is a sabbatical?", "What is unpaid leave?"),
    ("How do a sabbatical and unpaid leave differ?", "What is a sabbatical?", "What is unpaid leave?"),
    ("How is a sabbatical different from unpaid leave?", "What is a sabbatical?", "What is unpaid leave?"),
]

JOINED = [
    (
        "How many days of leave do employees get and who approves them?",
        "How many days of leave do employees get?",
        "Who approves the days of leave?",
    ),
    (
        "How do I request parental leave, and how long does it take?",
        "How do I request parental leave?",
        "How long does parental leave take?",
    ),
    (
        "What is a sabbatical and how long can it be?",
        "What is a sabbatical?",
        "How long can the sabbatical be?",
    ),
    ("Who approves travel and who pays for it?", "Who approves travel?", "Who pays for travel?"),
    ("Do we have a gym and is it free?", "Do we have a gym?", "Is the gym free?"),
    (
        "Who enters my leave into the calendar, and does overtime lower it?",
        "Who enters my leave into the calendar?",
        "Does overtime lower my leave?",
    ),
    (
        "How many days of leave do I get? Who approves them?",
        "How many days of leave do I get?",
        "Who approves the days of leave?",
    ),
    (
        "Where is the archive? And who do I call when it is closed?",
        "Where is the archive?",
        "Who do I call when the archive is closed?",
    ),
    (
        "I drive my own car: which papers do you need, and at what rate are the miles paid?",
        "I drive my own car: which papers do you need?",
        "I drive my own car: at what rate are the miles paid?",
    ),
    (
        "If I stay after the fair, do I get a hotel night, and to which project do I log the hours?",
        "If I stay after the fair, do I get a hotel night?",
        "If I stay after the fair, to which project do I log the hours?",
    ),
    (
        "When we move, how many boxes do I get, and what may be left behind?",
        "When we move, how many boxes do I get?",
        "When we move, what may be left behind?",
    ),
    (
        "I moved to Norway last year. How many days of leave do I get? Who approves them?",
        "I moved to Norway last year. How many days of leave do I get?",
        "I moved to Norway last year. Who approves the days of leave?",
    ),
    (
        "Are dogs allowed in the office and is smoking allowed inside?",
        "Are dogs allowed in the office?",
        "Is smoking allowed inside?",
    ),
    (
        "Is parking in Hull free and is parking in Leeds free?",
        "Is parking in Hull free?",
        "Is parking in Leeds free?",
    ),
    (
        "How much is the boat deposit and are dogs allowed on board?",
        "How much is the boat deposit?",
        "Are dogs allowed on board?",
    ),
    ("Is wifi free and are printers available?", "Is wifi free?", "Are printers available?"),
    ("Is wifi free and also is parking paid?", "Is wifi free?", "Is parking paid?"),
    ("Is wifi free; is parking paid?", "Is wifi free?", "Is parking paid?"),
    ("Is smoking allowed, is parking paid?", "Is smoking allowed?", "Is parking paid?"),
    ("Do we have a gym and do contractors get access?", "Do we have a gym?", "Do contractors get access?"),
    (
        "Can I eat at my desk and can visitors park here?",
        "Can I eat at my desk?",
        "Can visitors park here?",
    ),
    ("Where is the gym and are guests allowed?", "Where is the gym?", "Are guests allowed?"),
    ("Is Ida the CEO and is Ola the CFO?", "Is Ida the CEO?", "Is Ola the CFO?"),
    ("Who approves travel and are guests insured?", "Who approves travel?", "Are guests insured?"),
    (
        "Is the warranty two years and are batteries covered?",
        "Is the warranty two years?",
        "Are batteries covered?",
    ),
    (
        "Does the policy cover both contractors and interns?",
        "Does the policy cover contractors?",
        "Does the policy cover interns?",
    ),
    ("Do both employees and contractors get leave?", "Do employees get leave?", "Do contractors get leave?"),
    ("Are both the gym and the pool free?", "Is the gym free?", "Is the pool free?"),
    (
        "Is remote work allowed both in Norway and in Sweden?",
        "Is remote work allowed in Norway?",
        "Is remote work allowed in Sweden?",
    ),
]

BRIDGES = [
    ("Who is the manager of the person who approves travel?", "Who approves travel?"),
    ("Which airline flies from the city where our head office is?", "In which city is our head office?"),
    ("How do I contact the team that owns payroll?", "Which team owns payroll?"),
    ("How do I get access to the tool that we use for expenses?", "Which tool do we use for expenses?"),
    ("Who runs the department which was founded last?", "What is the department that was founded last?"),
    (
        "Which hotels are in the city where the fair takes place?",
        "What is the city where the fair takes place?",
    ),
    ("Who is the manager of the head of finance?", "Who is the head of finance?"),
]

ONE_QUESTION = """
What are the terms and conditions?
Who is responsible for health and safety?
What is the research and development budget?
Where is the Hull and East Riding office?
What is the distance between Hull and East Riding?
Compare health and safety
notice period interns vs employees
How and when do I get paid?
How much and how often do we pay?
How many days and which type of leave do I get?
What should someone who travels and does overtime get?
Which employees who travel and who have a card must report?
What do I do if I am ill and when I am back?
How do I report an incident and what to do afterwards?
What is the policy on how and when to travel?
Who knows when and where the party is?
Explain what we pay and what they pay
Explain the difference between what we pay and what they pay
Which rule applies when terms are clear, fair, and don't need a lawyer?
Who wrote the song that was sung first and was the best of all?
Who pays for lunch and dinner?
Can I eat and drink at my desk?
Do I sign the contract and the annex?
Is the policy better than before?
Is it the same as last year?
Is the notice period longer than 3 months?
Is the notice period longer than a month?
Can I take more than two weeks?
Is remote work fine as long as I am in Norway?
Can I leave as soon as my replacement starts?
Is anything other than a laptop paid?
Is help needed whether he asks for more support than others?
Who approves travel, HR or finance?
Should I take the train or the plane?
Do contractors get leave? And employees?
How many days do I get? Any idea?
How do I request parental leave? Is there a deadline?
How do I request parental leave and who decides?
How do I request parental leave and is there a deadline?
Can I work from Spain? Is that taxed?
Can I work from Spain? For how long?
Hi! How many days of leave do I get? Thanks!
Can a parcel be sent empty? If so, is it cheaper?
Do both parents get leave?
Is both leave and sick pay taxed?
What is the name of the person who approves travel?
Who is the person who approves travel?
Tell me the city where our head office is
Does the person who approves travel also approve expenses?
When does the team that owns payroll meet?
What happens to the laptop of the employee who leaves?
Who is the manager of the finance team?
My uncle, who was the owner, has left. When he was here, he told me that it is free. Who do I tell?
Is the lease signed and is valid for contractors?
Which benefits are taxed and are paid monthly?
Who is in charge and is responsible for safety?
Who can travel and can claim travel expenses?
Who is Ola and is married to Ida?
What is allowed and is not allowed?
What must be kept and must be signed?
Which laptops are leased and are company owned?
Is anyone who is ill and is paid taxed?
Is the shop closed and is moving abroad?
Is the lift broken and is being repaired?
Are the rooms clean, are heated and are free?
Do employees get lunch and do overtime?
Can I drive and can park in Hull?
Should it rain, is parking free?
Is the lift broken, is it?
Can a parcel be sent empty? If so, is postage free?
Was ist der Unterschied zwischen Urlaub und Elternzeit?
""".strip().splitlines()


@pytest.mark.parametrize(("question", "first", "second"), COMPARISONS)
def test_each_side_of_a_comparison_keeps_what_is_asked_of_both(question, first, second):
    assert sub_questions(question) == (first, second)


@pytest.mark.parametrize(("question", "first", "second"), JOINED)
def test_questions_of_one_message_stand_alone(question, first, second):
    assert sub_questions(question) == (first, second)


@pytest.mark.parametrize(("question", "inner"), BRIDGES)
def test_a_description_is_looked_up_before_the_whole_question(question, inner):
    assert sub_questions(question) == (inner, question)


@pytest.mark.parametrize("question", ONE_QUESTION)
def test_in_doubt_it_is_one_question(question):
    assert sub_questions(question) == ()


def test_at_most_three_and_nothing_is_dropped():
    asked = sub_questions("Where is the gym? When is it open? Who runs it? How do I join it?")
    assert asked == ("Where is the gym?", "When is the gym open?", "Who runs the gym? How do I join the gym?")


def test_a_story_is_not_taken_apart():
    assert sub_questions("Who pays for the gym and who runs it? " + "I like it. " * 100) == ()


WORDS = """
what is who the a both and than as from vs or same which where person city of gym do it more , ? .
"""


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(WORDS.split()), max_size=14))
def test_any_words_give_none_or_two_or_three_questions(words):
    asked = sub_questions(" ".join(words))
    assert len(asked) in {0, 2, 3}
    assert all(question.endswith("?") and question.strip("? ") for question in asked)


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        (
            "Compare annual leave of Berlin and Lisbon employees",
            ("What is annual leave of Berlin employees?", "What is annual leave of Lisbon employees?"),
        ),
        (
            "Compare contractors with employees on notice period",
            ("What is the notice period for contractors?", "What is the notice period for employees?"),
        ),
        (
            "How do contractors and employees differ in notice period?",
            ("What is the notice period for contractors?", "What is the notice period for employees?"),
        ),
        (
            "How does leave in Berlin compare to leave in Lisbon?",
            ("What is leave in Berlin?", "What is leave in Lisbon?"),
        ),
        (
            "Does Berlin have a longer probation period than Lisbon?",
            (
                "How long a probation period does Berlin have?",
                "How long a probation period does Lisbon have?",
            ),
        ),
        (
            "Are interns and contractors both eligible for the bonus?",
            ("Are interns eligible for the bonus?", "Are contractors eligible for the bonus?"),
        ),
        (
            "Do interns and contractors both get leave?",
            ("Do interns get leave?", "Do contractors get leave?"),
        ),
    ],
)
def test_what_both_sides_share_is_asked_of_each(question, sides):
    assert sub_questions(question) == sides


@pytest.mark.parametrize(
    "question",
    [
        "Compare the terms and conditions of the lease",
        "Who has both a badge and a key?",
        "Are both of us and them both insured?",
        "How do I compare two versions of a page?",
        "Does the lease have a longer notice than 30 days?",
        "Do I and you both sign?",
    ],
)
def test_no_two_sides(question):
    assert sub_questions(question) == ()
