"""Word lists of English; data, no logic. Other languages lose nothing but a little precision."""

from __future__ import annotations

_NEVER_LAST = """
mr mrs ms dr prof st sen rep gov gen col capt lt sgt rev hon vs cf fig figs eq sec sect ch art arts par para
no nos nr vol p pp ed eds approx ca e.g i.e eg ie viz resp incl excl max min dept est al
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
_FUNCTION = """
a about after all also am an and any anyone are as ask at be been before being between both but by can
could did do does doing done dont don't each either else ever every for from get gets getting go goes
going got had has have having he her here him his how i if im i'm in into is isn't it it's its just know
let like lol long make many may me might mine much must my need needs no not of off on once one only or
other our out over own per please possible quite really same say says shall she should smth so some
someone something such take than thanks that that's the their them then there these they thing things this
those to too u under up upon us use used using very via want wants was way we well were what what's whats
when where whether which while who whom whose why will with within without would yes yet you your
"""

NEVER_LAST = frozenset(_NEVER_LAST.split())
"""Abbreviations that a sentence does not end with."""

SELDOM_LAST = frozenset(_SELDOM_LAST.split())
"""Abbreviations a sentence may end with; the next word decides."""

OPENERS = frozenset(_OPENERS.split())
"""Words that open a sentence far more often than they follow an abbreviation as part of a name."""

FUNCTION_WORDS = frozenset(_FUNCTION.split())
"""Words of a question that ask for nothing in particular."""
