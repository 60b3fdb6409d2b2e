"""What needs no model to be seen: a number, date, unit, name, "not", "must" or bound that the cited text has not.

A false alarm costs an answer, so every check says when it abstains, and what stands word for word never faults.
Checks of wording look at the *carriers*, the sentences that hold most of the claim's words, and there is a fault only
where all of them disagree with the claim. They know English; in another language they find no carrier.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rag.verify.additions import added, other_subject, says_nothing
from rag.verify.figures import (
    dates_differ,
    numbers,
    of_another_sentence,
    of_another_thing,
    times,
    units,
    without_counts,
)
from rag.verify.names import names
from rag.verify.opposites import opposed
from rag.verify.protocol import Evidence, MechanicalFault, straightened
from rag.verify.stated import Read, Said, normal, read_of, said_of
from rag.verify.wording import bounds_differ, conditions, modality, negation, orders, quantifiers


def is_verbatim(claim: str, evidence: Evidence) -> bool:
    """Whether `claim` is a whole sentence, table row or list item of the evidence, or one of its `atomic_claims`.

    White space, typographic quotes, the case of the first letter and the mark at the end may differ. A part of a
    sentence is not verbatim: what was left out may be "unless approved".
    """
    return normal(claim) in read_of(evidence).stretches


def mechanical_faults(
    claim: str, evidence: Evidence, quoted: Evidence | None = None
) -> tuple[MechanicalFault, ...]:
    """What `claim`, one of `atomic_claims`, says and the evidence does not; empty for what is verbatim.

    `quoted` is the part of the evidence that is shown as the claim's source: figures, units, dates and names have to
    stand there, for a figure of the sentence beside it is about something else.

    No fault does not mean support: swapped names, or facts of two sentences put together, are left to a model.
    """
    if is_verbatim(claim, evidence):
        return ()
    read = read_of(evidence)
    said = said_of(without_counts(straightened(claim), read))
    faults = tuple(fault for check in CHECKS for fault in check(said, read))
    if faults or quoted is None or quoted == evidence:
        return faults
    shown = read_of(quoted)
    return tuple(fault for check in CHECKS_OF_QUOTE for fault in check(said, shown))


CHECKS: tuple[Callable[[Said, Read], Iterator[MechanicalFault]], ...] = (
    numbers,
    times,
    units,
    dates_differ,
    names,
    says_nothing,
    added,
    other_subject,
    of_another_sentence,
    of_another_thing,
    negation,
    opposed,
    modality,
    bounds_differ,
    quantifiers,
    conditions,
    orders,
)
"""Each yields its faults; in its docstring, when it abstains."""

CHECKS_OF_QUOTE = (numbers, times, units, dates_differ, names)
"""Those of what the claim's quote has to hold by itself."""
