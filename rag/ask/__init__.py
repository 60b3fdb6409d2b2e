"""Understanding a question before anything is retrieved: `route`, `decompose`, `follow_up` and `premise`.

What they read with stands apart: the word lists in `words`, one question taken apart in `clause`, what a pronoun means
in `pronouns`, what a question is about in `topic`. No parser and no model, but closed word lists and one pass over the
words, so that the same question is always read the same way, in time that grows with its length. Every doubt is
decided against: what is not understood is searched for as it was asked.
"""
