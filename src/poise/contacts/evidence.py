"""How sure a found surface is: by who visits it, how often, and how much of the weight it carries.

A step that feet take in turn, one while the other still carries, is hardly anything else; one that both feet
are on at once, once, may as well be a body that was lifted. With v visits, of which one begins or ends while
something else carries, and W the load that it carries over time [weights · s],

    doubt = ONCE · AGAIN^(v − 1) · IN_TURN · e^(−W / LOAD),        sure = 1 − doubt.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from poise.contacts.support import Contact
from poise.world import Surface

ONCE = 0.75
"""Doubt about a surface that is visited once …"""
AGAIN = 0.7
"""… for each further visit …"""
MOST = 5
"""… up to so many …"""
IN_TURN = 0.5
"""… where something else carries as a visit begins or ends …"""
SURELY = 0.1
"""… for so long before and after [s] …"""
LOAD = 4.0
"""… and for what it carries [weights · s]."""


def sure_of(surface: Surface, contacts: Sequence[Contact], dt: float) -> float:
    """How sure it is that a surface is there, 0 … 1."""
    own = [c for c in contacts if c.surface == surface.name]
    others = [c for c in contacts if c.surface and c.surface != surface.name]
    if not own:
        return 0.0
    visits = _visits(own)
    doubt = ONCE * AGAIN ** (min(len(visits), MOST) - 1)
    aside = SURELY / dt
    if any(o.part != c.part and _shared(o, c, aside) for c in own for o in others):
        doubt *= IN_TURN
    carried = sum(c.load * (c.end - c.start + 1) * dt for c in own)
    return 1.0 - doubt * math.exp(-carried / LOAD)


def _visits(own: Sequence[Contact]) -> list[tuple[int, int]]:
    """First and last frames of the times that anything is on it."""
    found: list[tuple[int, int]] = []
    for start, end in sorted((c.start, c.end) for c in own):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(found[-1][1], end)
        else:
            found.append((start, end))
    return found


def _shared(other: Contact, own: Contact, aside: float) -> bool:
    """Whether another part carries, clearly before and after, as a contact begins or as it ends."""
    return any(other.start < at - aside and other.end > at + aside for at in (own.start, own.end))
