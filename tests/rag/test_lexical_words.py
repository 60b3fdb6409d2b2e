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
        ("l’équipe", "équipe"),
        ("Müller-Lüdenscheidt", "müller-lüdenscheidt"),
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
    assert bag_of("iPhoneの設定").terms == ("iphon\x1fenglish", "の設", "設定")
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
