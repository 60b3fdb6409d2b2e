"""Word lists of English; data, no logic. Other languages lose nothing but a little precision."""

from __future__ import annotations

_NEVER_LAST = """
mr mrs ms dr prof st sen rep gov gen col capt lt sgt rev hon vs cf ed eds approx ca e.g i.e eg ie viz resp incl
excl dept
"""
_BEFORE_NUMBER = """
no nos nr fig figs eq sec sect ch art arts par para vol p pp max min ver ext tel
"""
_SELDOM_LAST = """
etc inc ltd co corp jr sr u.s u.k u.n e.u a.m p.m am pm jan feb mar apr jun jul aug sep sept oct nov dec
mon tue wed thu fri sat sun ph.d b.sc m.sc d.c
"""
_OPENERS = """
the a an this that these those it its he she they we you i if in on at for to from as when where while there
here please note however but and or all each any no not see use do does is are was were your our their after
before once because since although employees employee what who how why which
"""
_TYPED_OPENERS = """
what what's whats who who's whose how how's why which when where do does did don't doesn't is isn't are aren't was
were can can't could couldn't may might must should would will won't has have had am i i'm we you they he she it it's
the this that these those there please pls thanks thx thank hi hello hey sorry ok okay so anybody anyone somebody
someone nobody everybody everyone
"""
_QUESTION_STEMS = """
a an and are at be by can did do doe for from how i if in is it its may must my of on or our the there to us
was we were what when where which who whom whi with you your
"""
_QUESTION_WORDS = """
a about an and any are as at be been by can could did do does for from get got had has have how i i'd i'm i've if in is
it its just let may me might must my need of on or our shall should so some that the their them then there these they
this those to us want was we were what what's when where which who whom whose why will with would you your
"""
_CHAT_WORDS = """
again all anybody anyone basically cheers folks guys hello help hey hi hiya hm hmm idea know like lol maybe mind morning
ok okay please pls quick question really right sorry sure team thanks thx tia tell tried trying um wondering yeah yes
"""
_PASTS = """
become/became begin/began bring/brought build/built buy/bought choose/chose come/came cut/cut fall/fell find/found
forbid/forbade get/got give/gave go/went grow/grew have/had hear/heard hold/held keep/kept know/knew lead/led leave/left
let/let lose/lost make/made mean/meant meet/met pay/paid put/put quit/quit read/read run/ran say/said see/saw sell/sold
send/sent set/set show/showed sit/sat speak/spoke spend/spent split/split take/took tell/told win/won write/wrote
cancel/cancelled travel/travelled do/did
"""

NEVER_LAST = frozenset(_NEVER_LAST.split())
"""Abbreviations that a sentence does not end with."""

BEFORE_NUMBER = frozenset(_BEFORE_NUMBER.split())
"""Abbreviations in front of a number ("No. 4"); before anything else they are words ("say no.")."""

SELDOM_LAST = frozenset(_SELDOM_LAST.split())
"""Abbreviations a sentence may end with; the next word decides."""

OPENERS = frozenset(_OPENERS.split())
"""Words that open a sentence far more often than they follow an abbreviation as part of a name."""

TYPED_OPENERS = frozenset(_TYPED_OPENERS.split())
"""Words that open a sentence also in lower case, where people type to each other."""

QUESTION_STEMS = frozenset(_QUESTION_STEMS.split())
"""Stems that make a question and that no table row holds."""

QUESTION_WORDS = frozenset(_QUESTION_WORDS.split())
"""Words that ask, and say nothing of what is asked about."""

CHAT_WORDS = frozenset(_CHAT_WORDS.split())
"""Words that people put around a question when they type to a colleague."""

PAST_OF = dict(pair.split("/") for pair in _PASTS.split())
"""The past of verbs that no rule gives."""
