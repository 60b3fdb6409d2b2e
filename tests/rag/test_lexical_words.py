import pytest
from hypothesis import given
from hypothesis import strategies as st
from Stemmer import algorithms

from rag.lexical import LANGUAGES, stems
from rag.lexical.words import UNSTEMMED, bag_of, question_terms


def terms(text, language="english"):
    return {term.partition("\x1f")[0] for term in bag_of(text, language).terms}


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("ERR-4012", "ERR-4012"),
        ("ERR-4012", "4012"),
        ("ERR-4012", "err4012"),
        ("ERR‑4012’s", "ERR-4012"),
        ("$HOME/.ssh", "$HOME/.ssh"),
        ("$HOME/.ssh", "$HOME"),
        ("$HOME/.ssh", ".ssh"),
        ("~/.ssh/config", ".ssh"),
        ("AB-12/7.5", "AB-12/7.5"),
        ("AB-12/7.5", "AB-12"),
        ("v2.3.1.", "v2.3.1"),
        ("v2.3.1", "2.3.1"),
        ("Jane.Doe@civic-x.org", "jane.doe@civic-x.org"),
        ("Jane.Doe@civic-x.org", "jane.doe"),
        ("O’Brien's", "O'Brien"),
        ("O'Brien's", "brien"),
        ("l’équipe", "equipe"),
        ("Müller-Lüdenscheidt", "muellerluedenscheidt"),
        ("Müller-Lüdenscheidt", "Lüdenscheidt"),
        ("#4012", "#4012"),
        ("#4012", "4012"),
        ("C++,", "C++"),
        ("C#", "C#"),
        ("10,000", "10000"),
        ("$2,000.", "$2000"),
        ("snake_case_name", "snake_case_name"),
        ("E-mails", "email"),
        ("ｆｕｌｌ", "full"),
    ],
)
def test_what_is_asked_is_among_what_is_written(written, asked):
    whole = max(terms(asked), key=len)
    assert whole in terms(f"see {written} there")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ERR-4012", "ERR-4013"),
        ("AB-12/7.5", "AB-12/7.4"),
        ("v2.3.1", "v2.3.10"),
        ("C++", "C"),
        ("#7", "7"),
        ("3-5", "35"),
    ],
)
def test_different_identifiers_have_a_term_that_tells_them_apart(one, other):
    assert terms(one) - terms(other)


def test_words_are_stemmed_in_the_language_of_the_text():
    assert bag_of("reiser", "norwegian").terms == ("reis\x1fnorwegian",)
    assert bag_of("travelling", "english").terms == ("travel\x1fenglish",)
    assert bag_of("Travelling", UNSTEMMED).terms == ("travelling",)
    assert question_terms("ERR-1 rates", ("norwegian", "english", "english")) == question_terms(
        "ERR-1 rates", ("english", "norwegian")
    )
    both = question_terms("rates 12", ("english", "norwegian"))
    assert {"rate\x1fenglish", "12"} < set(both)
    assert both.count("12") == 1


def test_a_stem_of_one_language_is_no_term_of_another():
    assert not set(bag_of("hotel", "english").terms) & set(bag_of("hotel", "norwegian").terms)
    assert set(bag_of("2024 C++", "english").terms) & set(bag_of("2024 C++", "norwegian").terms) >= {
        "2024",
        "c++",
    }


def test_a_name_within_a_sentence_keeps_its_own_form():
    assert "hastings\x1f" in bag_of("Ask Hastings about it.").terms
    assert "hastings\x1f" not in bag_of("ask hastings about it").terms
    assert "banks\x1f" not in bag_of("Done. Banks are closed.").terms
    assert "banks\x1f" not in bag_of("Banks are closed.").terms


def test_scripts_without_spaces_give_pairs_run_by_run():
    assert question_terms("iPhoneの設定", ["english"]) == ("iphon\x1fenglish", "の設", "設定")
    assert bag_of("iPhoneの設定").terms == ("iphon\x1fenglish", "の設", "設定", "設", "定")
    assert bag_of("iPhoneの設定").length == 3
    assert bag_of("猫 と").terms == ("猫", "と")
    assert bag_of("ERR-4012です").terms == ("err\x1fenglish", "4012", "err4012", "です")
    assert bag_of("ภาษา").terms == ("ภา", "าษ", "ษา")
    assert bag_of("テスト・データ").terms == ("テス", "スト", "デー", "ータ")
    assert bag_of("ﾃｽﾄ").terms == bag_of("テスト").terms


def test_marks_belong_to_their_word():
    assert bag_of("हिन्दी नमस्ते", UNSTEMMED).terms == ("हिन्दी", "नमस्ते")


def test_identifiers_do_not_lengthen_a_text():
    assert bag_of("error ERR-4012 in $HOME/.ssh").length == bag_of("error ERR 4012 in HOME ssh").length == 6
    assert bag_of("").length == 0


def test_no_word_is_left_out():
    assert terms("the of and a to", UNSTEMMED) == {"the", "of", "and", "a", "to"}


@given(st.text(max_size=60))
def test_any_text_is_read_and_each_of_its_words_is_found(text):
    bag = bag_of(text, UNSTEMMED)
    assert bag.length <= len(bag.terms)
    assert all(bag.terms)
    assert set(bag.terms) <= set(bag_of(f"before\n{text}\nafter", UNSTEMMED).terms)


def test_the_languages_are_snowballs():
    assert set(LANGUAGES) - {UNSTEMMED} <= set(algorithms())
    assert len(set(LANGUAGES)) == len(LANGUAGES)


def test_stems_are_words_only():
    assert stems("The O’Brien’s ERR-4012, travelling") == ["the", "o'brien", "err", "4012", "travel"]


def meets(written, asked, language="english"):
    """Whether a question of one word finds a passage of one word, within a sentence and alone."""
    pairs = [(written, asked), (f"Ask {written} there.", f"Where is {asked}?")]
    common = set(question_terms("Where is x?", [language]))
    return all(
        (set(question_terms(question, [language])) - common) & set(bag_of(text, language).terms)
        for text, question in pairs
    )


SPELLINGS = [
    ("Núñez", "Nunez", "english"),
    ("Zoë", "Zoe", "english"),
    ("Zoë", "Zoe", "german"),
    ("Müller", "Muller", "english"),
    ("Müller", "Mueller", "english"),
    ("Müller", "Mueller", "german"),
    ("Müller", "Muller", "none"),
    ("Müller", "Mueller", "none"),
    ("Sørensen", "Sorensen", "english"),
    ("Sørensen", "Soerensen", "english"),
    ("İstanbul", "istanbul", "turkish"),
    ("İSTANBUL", "Istanbul", "english"),
    ("Isparta", "ısparta", "turkish"),
    ("çalışanlar", "calisanlar", "turkish"),
    ("Straße", "STRASSE", "english"),
    ("Weiß", "Weiss", "english"),
    ("Weiß", "WEISS", "none"),
    ("Straße", "Strasse", "german"),
    ("Größe", "Groesse", "german"),
    ("équipe", "equipe", "french"),
    ("société", "societe", "french"),
    ("mangées", "mange", "french"),
    ("información", "informacion", "spanish"),
    ("Łódź", "Lodz", "english"),
    ("Đà Nẵng", "Da Nang", "english"),
    ("Αθήνα", "ΑΘΗΝΑ", "greek"),
    ("ёлка", "елка", "russian"),
    ("größe_12", "groesse12", "english"),
    ("RFC2616", "RFC 2616", "english"),
    ("RFC2616", "rfc 2616", "english"),
    ("ISO9001", "ISO 9001:2015", "english"),
    ("Office365", "Office 365", "english"),
    ("O'Brien", "OBrien", "english"),
    ("D’Angelo", "dangelo", "english"),
]


@pytest.mark.parametrize(("one", "other", "language"), SPELLINGS)
def test_both_spellings_find_each_other(one, other, language):
    assert meets(one, other, language)
    assert meets(other, one, language)
    assert meets(one, one, language)


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("йод", "иод", "russian"),
        ("हिन्दी", "हनद", "none"),
        ("カ", "ガ", "none"),
        ("Müller", "Miller", "english"),
        ("Göteborg", "Gteborg", "english"),
    ],
)
def test_letters_that_are_others_do_not_meet(one, other, language):
    assert not meets(one, other, language)
    assert not meets(other, one, language)


@pytest.mark.parametrize(("written", "asked"), [("第三款规定", "款"), ("책을 읽다", "책"), ("第3款", "款")])
def test_a_single_character_that_is_a_word_is_found(written, asked):
    assert set(question_terms(asked, ["none"])) <= set(bag_of(written, "none").terms)
    assert bag_of(written, "none").length == len(question_terms(written, ["none"]))


def test_plain_english_gives_the_terms_it_always_gave():
    """Folding must cost nothing where there is nothing to fold."""
    text = "Ask Hastings: travelling costs 180 EUR, see ERR-4012."
    assert bag_of(text).terms == (
        *(f"{word}\x1fenglish" for word in ["ask", "hast", "travel", "cost", "eur", "see", "err"]),
        *("hastings\x1f", "180", "4012", "err4012"),
    )


def test_a_name_as_it_is_written_is_a_term_of_its_own():
    assert "núñez\x1f" in bag_of("Ask Núñez about it.").terms
    assert "núñez\x1f" in question_terms("Where does Núñez sit?", ["english"])
    assert "nunez\x1f" not in bag_of("Ask Nunez about it.").terms
    assert "петров\x1f" not in bag_of("Ask Петров about it.", "none").terms, "nothing is folded"


def test_a_number_is_joined_to_the_word_right_before_it_only():
    assert "rfc2616" in bag_of("See RFC 2616.").terms
    for text in ("RFC, 2616", "RFC\n2616", "RFC  2616", "within 2616", "RFC 2616bis", "A 2616"):
        assert not {"rfc2616", "within2616", "a2616"} & set(bag_of(text).terms), text
    assert "within30" in question_terms("within 30 days", ["english"]), "no passage has it unless written so"


@given(st.text(alphabet="aüößéİıøΑά Rf款", max_size=30))
def test_a_question_finds_the_passage_it_repeats(text):
    for language in ("english", "german", "turkish", "none"):
        assert set(question_terms(text, [language])) <= set(bag_of(text, language).terms)
