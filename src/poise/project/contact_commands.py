"""Edits of what carries a clip: contacts put, added, changed, taken out and locked; surfaces confirmed."""

from __future__ import annotations

from typing import Any

import msgspec

from poise.contacts.given import ClipContacts, GivenContact
from poise.errors import InputError
from poise.operations.decoding import converted
from poise.operations.frozen_data import as_plain, freeze, thaw
from poise.project.command import Command
from poise.project.document import Document


class PutContacts(Command, tag="put-contacts", frozen=True, kw_only=True):
    """All that carries a clip, as it was found or is known; None: it is found by every layer again."""

    clip: str
    contacts: ClipContacts | None

    @property
    def target(self) -> tuple[str, ...]:
        return ("contacts", self.clip)

    def apply(self, document: Document) -> Document:
        kept = {k: v for k, v in document.contacts.items() if k != self.clip}
        return document.changed(contacts=kept | ({} if self.contacts is None else {self.clip: self.contacts}))


class AddContact(Command, tag="add-contact", frozen=True, kw_only=True):
    """One contact more, after the others."""

    clip: str
    contact: GivenContact

    def apply(self, document: Document) -> Document:
        known = _known(document, self.clip)
        return _put(document, self.clip, known.with_contacts([*known.contacts, self.contact]))


class SetContact(Command, tag="set-contact", frozen=True, kw_only=True):
    """Other values for a contact, by its number: ``start``, ``end``, ``manner``, ``locked`` …"""

    clip: str
    contact: int
    values: dict[str, Any]

    def __post_init__(self) -> None:
        msgspec.structs.force_setattr(self, "values", freeze(self.values, "values"))

    @property
    def target(self) -> tuple[str, ...]:
        return ("contact", self.clip, str(self.contact), *self.values)

    def apply(self, document: Document) -> Document:
        known = _known(document, self.clip)
        old = _contact(known, self.contact)
        if old.locked and set(self.values) != {"locked"}:
            raise InputError(f"contact {self.contact} ({old.part}) is locked: unlock it first")
        said = {} if set(self.values) == {"locked"} else {"source": "given"}
        data = {**as_plain(old), **said, **thaw(self.values)}
        new: GivenContact = converted(data, GivenContact, f"contact {self.contact}")
        return _put(document, self.clip, known.with_contact(self.contact, new))


class RemoveContact(Command, tag="remove-contact", frozen=True, kw_only=True):
    """A contact taken out, by its number."""

    clip: str
    contact: int

    def apply(self, document: Document) -> Document:
        known = _known(document, self.clip)
        if (old := _contact(known, self.contact)).locked:
            raise InputError(f"contact {self.contact} ({old.part}) is locked: unlock it first")
        return _put(document, self.clip, known.with_contact(self.contact, None))


class ConfirmSurface(Command, tag="confirm-surface", frozen=True, kw_only=True):
    """A surface that was found is there: no question any more."""

    clip: str
    surface: str

    def apply(self, document: Document) -> Document:
        return _put(document, self.clip, _known(document, self.clip).confirmed(self.surface))


def _known(document: Document, clip: str) -> ClipContacts:
    if clip not in document.contacts:
        known = ", ".join(document.contacts) or "none"
        raise InputError(f"clip {clip!r} has no contacts of its own (available: {known}): put-contacts first")
    return document.contacts[clip]


def _contact(known: ClipContacts, number: int) -> GivenContact:
    if not 0 <= number < len(known.contacts):
        raise InputError(f"no contact {number}: there are {len(known.contacts)}, from 0")
    return known.contacts[number]


def _put(document: Document, clip: str, contacts: ClipContacts) -> Document:
    return document.changed(contacts={**document.contacts, clip: contacts})
