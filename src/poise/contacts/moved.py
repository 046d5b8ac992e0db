"""Contacts that go along with what they are on: a box that is moved takes the feet on it with it.

A clip's contacts know the surfaces as the take has them; a project's world says where those are now. A place
on one that was moved, turned, sized or otherwise changed goes with it,

    p′ = x′ + R′ Rᵀ (p − x),      then along the new normal until its gap is what it was.
"""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.contacts.given import ClipContacts, GivenContact
from poise.world import Surface, World


def carried_along(before: Surface, after: Surface, places: ArrayLike) -> Array:
    """Where places (N, 3) on a surface are, now that the surface is another."""
    p = np.asarray(places, dtype=np.float64)
    if before == after:
        return p
    old, new = before.at(0.0).pose(), after.at(0.0).pose()
    moved = (p - old.place) @ old.turn @ new.turn.T + new.place
    gap, _ = before.at(0.0).gap(p)
    now, normal = after.at(0.0).gap(moved)
    return np.asarray(moved - (now - gap)[:, None] * normal)


def elsewhere(given: ClipContacts, world: World) -> dict[str, tuple[Surface, Surface]]:
    """Surfaces of a clip that the world has otherwise, by name: as they were, and as they are."""
    was, now = given.world, {s.name: s for s in world.surfaces}
    both = [(s, now[s.name]) for s in (was.surfaces if was is not None else ()) if s.name in now]
    return {a.name: (a, b) for a, b in both if _where(a) != _where(b) and not (a.moves or b.moves)}


def moved(given: ClipContacts, world: World) -> ClipContacts:
    """The contacts as they are after everything on surfaces that were moved went along."""
    was = given.world
    if was is None:
        return given
    around = was.with_surfaces(world.surfaces)
    changed = elsewhere(given, world)
    contacts = tuple(_along(contact, changed) for contact in given.contacts)
    return msgspec.structs.replace(given, surfaces=around.to_dict()["surfaces"], contacts=contacts)


def _along(contact: GivenContact, changed: dict[str, tuple[Surface, Surface]]) -> GivenContact:
    if contact.place is None or contact.surface not in changed:
        return contact
    (place,) = carried_along(*changed[contact.surface], [contact.place]).tolist()
    return msgspec.structs.replace(contact, place=[round(x, 6) for x in place])


def _where(surface: Surface) -> tuple[object, ...]:
    return surface.shape, surface.place, surface.turn
