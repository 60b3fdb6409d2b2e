import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.ask.route import Route, route, small_talk

SMALL_TALK = {
    "greeting": """
hello
Hello!
hey there 👋
good morning!
Good afternoon, everyone
heyyyy
Hi team
hi footnote
:wave: hello :tada:
how's it going?
What’s up
ＨＥＬＬＯ
hi, how are you?
Guten Morgen!
Grüß Gott
GRÜEZI
Moin zusammen
Bonjour !
Salut à tous
Ça va ?
¡Hola!
Buenos dias
¿Qué tal?
hei
Hei alle sammen
God morgen!
Morn
""",
    "thanks": """
thanks
thanks, that helps
Thank you so much for your help!
ok, got it
great, thank you
Thanks all!
thx
no thanks
hi, thanks for the info
thanks, bye
that answers my question
Danke schön!
Vielen Dank für die Hilfe
Merci beaucoup !
Muchas gracias
Tusen takk!
takk for hjelpen
""",
    "capability": """
help
Help!
help please
what can you do?
hi, what can you do?
So what can you do?
how do you work?
What can I ask you?
can you help me?
Was kannst du?
Hilfe
Qu’est-ce que tu peux faire ?
¿Qué puedes hacer?
Hva kan du gjøre?
""",
    "identity": """
who are you?
Hey, who are you?
what's your name?
Are you a robot?
Wer bist du?
Qui êtes-vous ?
¿Quién eres?
Hvem er du?
""",
    "farewell": """
bye
Bye bye!
See you tomorrow
have a nice weekend
Tschüss!
Au revoir
À bientôt
Hasta luego
Ha det bra!
""",
}

NEARLY_SMALL_TALK = """
hi, how many days of leave do I get?
hello, who approves travel
what can you do about a broken laptop?
what can you do for a team that lost its lead?
help with expenses
help team
I need help with my payslip
thank you policy
thank you notes for clients
who are you insured with?
what are you paying for lunch
how do you work out overtime?
how do you work from abroad?
good morning routine
is good night shift paid
morning shift
hello world program
ok to expense a taxi?
great place to work survey
cool down period after leave
bye law
cheers drinks budget
perfect attendance bonus
see you later alligator policy
what is your name change procedure
what do you do when a client does not pay
can you help me find the org chart?
hallo welches Formular brauche ich für Elternzeit
Danke sagen Regeln
hilfe bei Spesen
was kannst du zu Reisekosten sagen
bonjour madame
merci de valider mes congés
qui es-tu censé appeler en cas d'urgence
hola vacaciones
ayuda para gafas
hei ferie
takk for sist
hva kan du få dekket
""".strip().splitlines()

QUESTIONS = """
How many vacation days do I have in my first year?
how many sick days can i take without a note
When does the office close on Fridays?
Who signs off on purchases above 2,000 pounds?
Where do I find the template for a statement of work?
What is the wifi password for guests?
Is there a bike shed at the Leeds office?
Can I carry over holiday into next year?
do we get time off for moving house
How do I reset my VPN token?
What happens if my parental leave overlaps with a bank holiday?
which health insurer do we use in Germany
How long is the warranty on company phones?
Who is the data protection officer?
Who is Maria?
what's our policy on gifts from suppliers
Are dogs allowed in the building?
Do interns get paid?
Why was my expense claim rejected?
When is payday?
payday
parental leave
expense policy
notice period contractors
org chart
VPN setup mac
How do I cancel a meeting room booking?
How do I book the large meeting room in Building C?
Is overtime paid or taken as time in lieu?
Can I claim for a taxi home after 10 pm?
What is the per diem for Japan?
how much can i spend on a hotel in Paris
What do I do with a phishing mail?
Whom do I call when the alarm goes off?
What does error ERR-4012 mean?
what is the difference between gross and net salary
Is sick pay lower than normal pay?
Compare the Basic plan and the Plus plan
How many people work in customer support?
How many working days are there in May?
Which floor is human resources on?
Which laptop can I choose?
Which form do I need for a change of address?
Which countries can I work from for more than two weeks?
How often do we review salaries?
How often must I change my password?
At what age do we retire?
At which station do I get off for the head office?
For how long are CCTV recordings kept?
In which language are contracts written?
To whom do I report a near miss?
By when must timesheets be in?
Since when do we use Harvest?
Do I need a visa for the Toronto offsite?
Do contractors have to do the security training?
Do we pay for glasses?
Does the dental plan cover braces?
Does anyone check the fire extinguishers?
Did the travel policy change this year?
Has the mileage rate gone up?
Have we got a defibrillator?
Is it OK to work from a café?
Is it true that lunch is free on Wednesdays?
Is it possible to buy extra leave?
Is that covered by insurance?
Are there showers at the office?
Are references given to former employees?
Am I entitled to a pension if I work ten hours a week?
Was the 2023 audit published?
Were bonuses paid last year?
Will I be paid during jury duty?
Would the company sponsor a master's degree?
Should I log travel time as working time?
Could a colleague collect my parcel?
May I use my own computer?
Must I take my holiday in one go?
Can freelancers join the all-hands?
Can you expense headphones?
can you tell me who runs payroll
Could you explain how stock options vest?
Please explain the appraisal process
Tell me about the buddy programme
tell me the address of the Madrid office
Show me the cleaning rota
List the public holidays in Portugal
Give me the number of the help desk
Name the three values of the company
Describe the incident severity levels
Explain how we name git branches
I lost my badge, what now?
I have a flat tyre and will be late, who do I tell?
I was overpaid last month. Do I have to pay it back?
I'd like to know how we handle subject access requests
My manager left. Who approves my leave?
My screen flickers, can I get a new one?
We hired a minor. Which hours may she work?
Our client wants an NDA; who signs it?
Looking for the onboarding checklist
need the brand colours
where's the style guide
what's the deal with summer hours
whats the max refund for gym
wheres the printer on floor 2
who's on call this weekend
how's overtime taxed
how come we don't have a canteen
why no plastic cups?
why is the deploy frozen in December
Why do we record calls?
Why are personal USB sticks forbidden?
When did we move to the new accounting system?
When should I send an invoice to the customer?
when do trainees get evaluated
When is a risk assessment needed?
Where is the assembly point?
Where can I store confidential paper?
Where are backups kept?
Where do I park with an electric car?
Where was the last company trip?
Who owns the copyright of my side project?
Who may open an employee's mail?
Who pays when I break a rental car?
Who decides on promotions and when?
Who was the first CEO?
Who should review a security patch?
Who has the key to the archive?
What is a P1 incident?
What is our refund window?
What is the dress code at client sites?
What's the procedure for whistleblowing?
What is the SLA for premium customers?
What is included in the relocation package?
What is the legal name of the Dutch company?
What are core hours?
What are the terms and conditions for resellers?
What are the rules for working with children?
What counts as gross misconduct?
What counts as business travel?
What happens to unused training budget?
What happens during a probation review?
What must be on an invoice?
What should a handover contain?
What time does reception open?
What colour is the emergency exit sign?
What kind of contract do working students have?
What documents do I need on my first day?
What percentage of the premium does the company pay?
What equipment is provided for home offices?
What to do if I'm harassed?
What if I get sick on holiday?
How do we dispose of old batteries?
How do I get a parking permit?
How do I become a first aider?
How do I change my bank details?
How do I tell the team that I'm pregnant?
How do I get help with a mental health problem?
How do you request a refund for a cancelled train?
How does the referral bonus work?
How does on-call rotation work during Christmas?
How does a new supplier get approved?
How can I see my payslips?
How can visitors get on the network?
How is mileage calculated?
How is a conflict of interest declared?
How are tips shared?
How are complaints escalated?
How much notice must I give?
How much is the lunch voucher worth?
How much does the company match in the pension?
How much alcohol may I expense?
How big is the team in Lisbon?
How far in advance do I book a flight?
How fast do we answer tickets?
How high is the deductible?
How long do I keep receipts?
How long does a background check take?
How long may temporary staff stay?
How old must a driver be?
How soon after joining am I insured?
How to encrypt a disk?
how to submit a timesheet for someone else
How would I go about changing teams?
Contractors: are they allowed at the summer party?
Regarding travel: who books trains?
Question about leave - does it accrue monthly?
Quick one: is Monday a holiday?
Health and safety training, is it mandatory?
Research and development tax credit, who handles it?
Hull and East Riding office opening hours
difference between exempt and non-exempt
maternity vs paternity leave
employees or contractors, who gets a laptop?
sick note after how many days
can't log in to Harvest
cannot find the expenses form
laptop broken
password expired what do I do
urgent!! fire alarm code?
is there anything on sabbaticals in the handbook
does section 4.2 still apply
per diem Oslo 2024
B2B payment terms
GDPR retention period applicants
ISO 27001 certificate valid until
Wie viele Urlaubstage habe ich?
Wer genehmigt Dienstreisen?
Was kann ich als Spesen abrechnen?
Wie funktioniert die Zeiterfassung?
Wo finde ich das Handbuch?
Combien de jours de congé ai-je ?
Qui valide les notes de frais ?
Comment fonctionne le télétravail ?
Où est le bureau de Lyon ?
¿Cuántos días de vacaciones tengo?
¿Quién aprueba los viajes?
¿Qué puedo hacer si pierdo el portátil?
¿Cómo funciona el teletrabajo?
Hvor mange feriedager har jeg?
Hvem godkjenner reiser?
Hva kan jeg få dekket på reise?
Hvordan fungerer fleksitid?
Hvor er kontoret i Bergen?
有給休暇は何日ありますか？
كم عدد أيام الإجازة؟
Сколько дней отпуска?
""".strip().splitlines()


@pytest.mark.parametrize(
    ("message", "kind"),
    [(message, kind) for kind, messages in SMALL_TALK.items() for message in messages.strip().splitlines()],
)
def test_a_message_that_is_small_talk_to_its_last_word(message, kind):
    found = route(message)
    assert (found.kind, found.small_talk, found.sub_questions) == ("no_retrieval", kind, ())
    assert found.why.endswith(".")


@pytest.mark.parametrize("question", NEARLY_SMALL_TALK)
def test_a_word_too_many_makes_it_a_question(question):
    assert route(question).kind != "no_retrieval"


def test_no_question_is_eaten():
    assert len(set(QUESTIONS)) >= 200
    assert [question for question in QUESTIONS if route(question).kind == "no_retrieval"] == []


def test_a_greeting_in_front_does_not_hide_a_question():
    for question in QUESTIONS:
        assert small_talk(f"Hello there! {question}") is None, question
        assert small_talk(f"{question} Thanks!") is None, question


def test_only_what_asks_for_several_things_is_several_questions():
    several = {
        "what is the difference between gross and net salary",
        "Compare the Basic plan and the Plus plan",
        "difference between exempt and non-exempt",
        "maternity vs paternity leave",
        "Is sick pay lower than normal pay?",
    }
    assert {question for question in QUESTIONS if route(question).kind == "multi_hop"} == several


def test_several_questions_are_told():
    found = route("Is parental leave longer than sick leave?")
    assert found == Route(
        "multi_hop",
        None,
        ("How long is parental leave?", "How long is sick leave?"),
        "The message asks 2 things that may stand apart.",
    )


@pytest.mark.parametrize("nothing", ["", "   ", "👋", "?!", ":tada:", "so", "and"])
def test_without_a_word_that_says_something_it_is_left_to_the_pipeline(nothing):
    assert route(nothing).kind == "single_hop"


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=80))
def test_any_text_has_one_route_always_the_same(text):
    found = route(text)
    assert found == route(text)
    assert (found.kind == "no_retrieval") == (found.small_talk is not None)
    assert (found.kind == "multi_hop") == (len(found.sub_questions) in {2, 3})


@pytest.mark.parametrize(
    "message",
    [
        "Tell me a joke about penguins",
        "please write us a short poem for Ana",
        "Sing me  a song",
        "give me a riddle",
    ],
)
def test_what_is_to_be_made_up_is_not_looked_for_in_documents(message):
    assert (route(message).kind, route(message).small_talk) == ("no_retrieval", "capability")


@pytest.mark.parametrize(
    "message",
    [
        "give me a user story template",
        "Who writes the songs for the party?",
        "Tell me a bit about jokes at work",
    ],
)
def test_what_is_written_down_about_such_things_is(message):
    assert route(message).kind != "no_retrieval"
