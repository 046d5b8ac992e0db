"""What carries a host's motion: found once, told to the host, and as the host then says.

A host lists contacts as parts of the body from frame to frame: ``{"part": "left foot", "start": 12, "end":
40}``. What it leaves out (on which surface, in which manner) is as the contact of that part nearest in time
has it, else the first surface that is found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from poise.contacts.given import MANNERS, ClipContacts, GivenContact
from poise.errors import InputError, UnknownNameError
from poise.operations.decoding import converted
from poise.operations.frozen_data import as_plain

if TYPE_CHECKING:
    from poise.character import Character
    from poise.contacts.support import Support
    from poise.motion import Clip
    from poise.operations.declare import Operation

MOST_CONTACTS = 10_000
"""Contacts of one motion; more are a mistake of the host."""


def found_contacts(clip: Clip) -> list[dict[str, Any]]:
    """The contacts of a motion as plain data, in the order of time."""
    from poise.contacts.find import find
    from poise.contacts.given import contacts_of

    found = [as_plain(each) for each in contacts_of(find(clip)).contacts]
    return sorted(found, key=lambda c: (c["start"], c["part"]))


def parts_by_bone(character: Character) -> dict[str, str]:
    """The part that a bone belongs to, for the bones whose flesh can touch something."""
    from poise.contacts.patches import patches

    own = patches(character)
    return {character.names[int(body)]: part for body, part in zip(own.body, own.part, strict=True)}


def contacts_told(told: Any, clip: Clip, operation: Operation) -> ClipContacts | None:
    """The contacts that a host says there are; None where it says nothing: then they are found."""
    if told is None:
        return None
    if not isinstance(told, list) or len(told) > MOST_CONTACTS:
        raise InputError(f"field 'contacts' must be a list of at most {MOST_CONTACTS} contacts")
    given = [converted(each, GivenContact, f"contact {k}") for k, each in enumerate(told)]
    ClipContacts(contacts=tuple(given)).check()
    support = _support(clip, operation)
    parts = support.need.patches.parts
    for each in given:
        if each.part not in parts:
            raise UnknownNameError("part of the body", each.part, parts)
    whole = [_whole(each, asked, support) for each, asked in zip(given, told, strict=True)]
    return ClipContacts(surfaces=support.world.to_dict()["surfaces"]).with_contacts(whole)


def _support(clip: Clip, operation: Operation) -> Support:
    """What is found to carry the motion, in the world that an operation judges it in."""
    from poise.contacts.find import find
    from poise.operations.in_world import InWorld

    return find(clip, operation.surfaces(clip=clip) if isinstance(operation, InWorld) else None)


def _whole(given: GivenContact, told: dict[str, Any], support: Support) -> GivenContact:
    """A contact with its surface, and its manner where that was left out."""

    def apart(found: Any) -> int:
        return max(found.start, given.start) - min(found.end, given.end)

    like = min((c for c in support.contacts if c.part == given.part), key=apart, default=None)
    names = [s.name for s in support.world.surfaces]
    said: dict[str, Any] = {}
    if given.surface not in names:
        known = like.surface if like is not None else ""
        said["surface"] = known or (names[0] if names else "")
    if "manner" not in told and like is not None and like.manner in MANNERS:
        said["manner"] = like.manner
    return msgspec.structs.replace(given, **said)
