"""What people type to each other, sentence by sentence, and which of the sentences ask."""

from __future__ import annotations

from rag.ask.words import plain
from rag.english import TYPED_OPENERS
from rag.sentences import sentence_spans

QUESTION_MARKS = "?？؟\u037e"
"""Latin, full-width, Arabic and Greek."""
_LATIN = str.maketrans(dict.fromkeys("؟\u037e", "?"))
"""The full-width mark ends a sentence without a space behind it, and stays."""
_NO_CLOSING = ".,;`…"
"""Behind a question mark they say that it belongs to something else: a quotation, an aside, code."""
_PAIRS = {"*": "*", "_": "_", "~": "~", '"': '"', "'": "'", "“": "”", "‘": "’", "«": "»", "(": ")", "[": "]"}


def typed_sentences(text: str) -> list[str]:
    """The sentences of a message, each on one line, without those that hold no letter or digit.

    A new line begins a sentence, unless it goes on in lower case with a word that opens none.

    >>> typed_sentences("hi all\\nwho pays for Dr. Smith? thanks")
    ['hi all', 'who pays for Dr. Smith?', 'thanks']
    """
    lines = (" ".join(words) for words in _joined_lines(text.translate(_LATIN)))
    found = (line[start:end] for line in lines for start, end in sentence_spans(line, is_typed=True))
    return [sentence for sentence in found if any(map(str.isalnum, sentence))]


def questions_in(text: str) -> list[str]:
    """The sentences of a message that end in a question mark, without what stands behind it or around them.

    >>> questions_in("I was at the U.N. building. *What is the limit?* It is 9. so who asks?!")
    ['What is the limit?', 'so who asks?']
    """
    found = ((sentence, _mark_at(sentence)) for sentence in typed_sentences(text))
    return [_unwrapped(sentence[: at + 1], sentence[at + 1 :]) for sentence, at in found if at >= 0]


def _joined_lines(text: str) -> list[list[str]]:
    blocks: list[list[str]] = [[]]
    for line in text.splitlines():
        words = line.split()
        goes_on = bool(words) and words[0][0].islower() and plain(words[0]) not in TYPED_OPENERS
        if goes_on and blocks[-1]:
            blocks[-1] += words
        else:
            blocks.append(words)
    return blocks


def _mark_at(sentence: str) -> int:
    """Where the question mark is that the sentence ends in; -1 where it ends in none."""
    for at in range(len(sentence) - 1, -1, -1):
        if sentence[at] in QUESTION_MARKS:
            return at
        if sentence[at].isalnum() or sentence[at] in _NO_CLOSING:
            return -1
    return -1


def _unwrapped(question: str, behind: str) -> str:
    """The question without the quotation marks, brackets or asterisks that stand around all of it."""
    while (closing := _PAIRS.get(question[0])) and closing in behind and closing not in question[1:]:
        question, behind = question[1:], behind.replace(closing, "", 1)
    return question
