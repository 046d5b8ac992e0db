"""Contacts as a value that people own: frozen, edited by commands, kept in projects, read by methods.

    {"part": "left foot", "surface": "step 2", "start": 12, "end": 40, "manner": "rolls", "locked": true}

They are found once and then are what the user says they are. Reading them needs nothing compiled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import msgspec

from poise.errors import InputError, UnknownNameError
from poise.operations.frozen_data import freeze, thaw

if TYPE_CHECKING:
    from poise.contacts.support import Contact, Support
    from poise.world import World

Manner = Literal["stands", "rolls", "pivots", "slides", "grips", "hangs", "lies", "pushes"]
MANNERS: tuple[str, ...] = get_args(Manner)


class GivenContact(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A part of a body on a surface, from frame to frame of its clip."""

    part: Annotated[str, msgspec.Meta(description='"left foot", "seat", "right hand" …')]
    start: Annotated[int, msgspec.Meta(description="First frame")]
    end: Annotated[int, msgspec.Meta(description="Last frame; those of a loop may go beyond its end")]
    surface: Annotated[str, msgspec.Meta(description="By name; empty: something unseen")] = ""
    manner: Manner = "stands"
    place: Annotated[
        list[float] | None,
        msgspec.Meta(description="Where it carries [m]; left out: where the motion has it"),
    ] = None
    gap: Annotated[float, msgspec.Meta(description="Above its surface though it carries [m]")] = 0.0
    source: Annotated[Literal["found", "given"], msgspec.Meta(description="Who says so")] = "given"
    locked: Annotated[bool, msgspec.Meta(description="Whether edits are refused")] = False

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "place", freeze(self.place, "place"))

    def check(self) -> None:
        """That it lasts and has a place in space."""
        if not self.part:
            raise InputError("field 'part' must name a part of the body, such as left foot")
        if self.end < self.start:
            raise InputError(f"field 'end': the contact ends at {self.end}, before it starts at {self.start}")
        if self.place is not None and len(self.place) != 3:
            raise InputError(f"field 'place' must be three numbers, not {len(self.place)}")


class ClipContacts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What carries one clip: its surfaces, and its contacts."""

    surfaces: Annotated[
        list[dict[str, Any]] | None, msgspec.Meta(description="The world; left out: found in the motion")
    ] = None
    contacts: tuple[GivenContact, ...] = ()

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "surfaces", freeze(self.surfaces, "surfaces"))

    @property
    def world(self) -> World | None:
        """The surfaces, where they are said."""
        from poise.world import World

        return None if self.surfaces is None else World.from_dict({"surfaces": thaw(self.surfaces)})

    def check(self) -> None:
        """That surfaces can be read and contacts are on some of them."""
        world = self.world
        names = None if world is None else [s.name for s in world.surfaces]
        for k, contact in enumerate(self.contacts):
            try:
                contact.check()
                if contact.surface and names is not None and contact.surface not in names:
                    raise UnknownNameError("surface", contact.surface, names)
            except InputError as problem:
                raise InputError(f"contact {k}: {problem}") from None

    def with_contact(self, index: int, contact: GivenContact | None) -> ClipContacts:
        """With one contact replaced, or taken out; the others keep their places."""
        new = () if contact is None else (contact,)
        return self.with_contacts([*self.contacts[:index], *new, *self.contacts[index + 1 :]])

    def with_contacts(self, contacts: list[GivenContact]) -> ClipContacts:
        """With these contacts."""
        return msgspec.structs.replace(self, contacts=tuple(contacts))

    def retimed(self, sources: Sequence[float]) -> ClipContacts:
        """The same of a clip whose frames show these frames of its own (F,), in rising order; contacts that
        no frame shows are left out."""
        from bisect import bisect_left, bisect_right

        found = []
        for contact in self.contacts:
            first, last = bisect_left(sources, contact.start - 0.5), bisect_right(sources, contact.end + 0.5)
            if last > first:
                found.append(msgspec.structs.replace(contact, start=first, end=last - 1))
        return self.with_contacts(found)

    def confirmed(self, surface: str) -> ClipContacts:
        """With a surface that was found no longer in question."""
        world = self.world
        if world is None:
            raise InputError("no surfaces to confirm: find contacts first")
        changed = world.confirmed(surface).to_dict()["surfaces"]
        return msgspec.structs.replace(self, surfaces=changed)


def contacts_of(support: Support) -> ClipContacts:
    """What was found to carry a clip, to be owned from here on."""
    found = [
        GivenContact(
            part=c.part, surface=c.surface, start=c.start, end=c.end, manner=c.manner,
            place=[round(x, 4) for x in c.place], gap=round(c.gap, 4), source="found",
        )
        for c in support.contacts
    ]  # fmt: skip
    return ClipContacts(surfaces=support.world.to_dict()["surfaces"]).with_contacts(found)


def supported_by(support: Support, given: ClipContacts) -> Support:
    """What was found in the same world, with the contacts that are given in place of those found.

    Forces stay as they are solved; who touches, what, when and how is as the user says.
    """
    from dataclasses import replace

    known = set(support.need.patches.parts)
    for contact in given.contacts:
        if contact.part not in known:
            raise UnknownNameError("part of the body", contact.part, sorted(known))
    return replace(support, contacts=tuple(_contact(support, c) for c in given.contacts))


def _contact(support: Support, given: GivenContact) -> Contact:
    """A contact that is given, with what the motion says of it."""
    from dataclasses import replace

    from poise.contacts.support import Contact, Touch

    def shared(found: Contact) -> int:
        return min(found.end, given.end) - max(found.start, given.start)

    own = [c for c in support.contacts if c.part == given.part]
    like = max(own, key=shared, default=None)
    said: dict[str, Any] = {
        "surface": given.surface, "start": given.start, "end": given.end, "manner": given.manner,
        "gap": given.gap,
    }  # fmt: skip
    if given.place is not None:
        said["place"] = tuple(given.place)
    if like is not None and shared(like) >= 0:
        # Patches that touched to the end touch to the new end; those that left before leave when they did.
        touches = tuple(
            Touch(
                t.patch,
                given.start if t.start == like.start else max(t.start, given.start),
                given.end if t.end == like.end else min(t.end, given.end),
            )
            for t in like.touches
        )
        return replace(like, **said, touches=tuple(t for t in touches if t.start <= t.end))
    need = support.need
    ks = need.patches.of_part(given.part)
    first, last = (min(max(f + need.lead, 0), need.frames - 1) for f in (given.start, given.end))
    middle = (first + last) // 2
    low = ks[int((need.places[middle, ks, 2] - need.radius[ks]).argmin())]
    x, y, z = (float(v) for v in need.places[middle, low])
    load = float(support.load[first : last + 1][:, ks].sum(axis=1).mean())
    touches = tuple(Touch(need.patches.names[k], given.start, given.end) for k in ks)
    place = said.pop("place", (x, y, z - float(need.radius[low])))
    return Contact(
        part=given.part, touches=touches, place=place, turn=0.0, load=load, way=0.0,
        sunk=-float(support.gap[middle, low]), **said,
    )  # fmt: skip
