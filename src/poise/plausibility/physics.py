"""The physics of a clip: floor, contacts, phases, forces and torques, without any judgement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.contacts.ballistics import GRAVITY
from poise.contacts.differentiated_clip import FEW, Take, measured
from poise.errors import InputError
from poise.motion import Clip
from poise.operations.check import CUTOFF
from poise.plausibility.contact_points import SOLE, Touching, touching
from poise.plausibility.contacts import Contacts, contacts
from poise.plausibility.floor import Floor, estimated
from poise.plausibility.forces import Forces, forces
from poise.plausibility.phase import Contact, Phase, contact_list, phases
from poise.plausibility.playback_speed import Pace, pace_of
from poise.plausibility.polygon import support_polygon
from poise.plausibility.torques import Torques, torques

SMALLEST, LARGEST = 0.1, 12.0
"""Statures beyond are likely a wrong unit [m]."""
FAR = 0.15
"""A clip whose feet stand this far from the floor that is given does not stand on it at all [m]."""


@dataclass(frozen=True, eq=False)
class Physics:
    """What a clip's motion means for a body with mass. Curves have the N frames of the ``take``."""

    take: Take
    touching: Touching
    ground: Floor
    """Where the clip itself stands: contacts are found against this."""
    floor: Floor
    """The floor that it should stand on: as given, else the ground."""
    contact: Contacts
    contacts: tuple[Contact, ...]
    phases: tuple[Phase, ...]
    pace: Pace | None
    """What the flights say about the clip's speed; None without flights."""
    forces: Forces | None
    """None without mass. Of a clip that plays too fast, with the gravity that its flights imply: else
    everything would look too strong for the same one reason."""
    torques: Torques | None
    notes: tuple[str, ...]
    """What could not be known."""

    @property
    def clip(self) -> Clip:
        """The clip that was measured."""
        return self.take.clip

    def polygon(self, frame: int) -> Array | None:
        """Corners (k, 2) of the support polygon in a frame of the take; None where nothing touches."""
        held = self.contact.touching[frame]
        if not held.any():
            return None
        return support_polygon(self.touching.places[frame, held, :2], SOLE * self.take.stature)


def physics(clip: Clip, *, floor: float | Floor | None = None, cutoff: float | None = CUTOFF) -> Physics:
    """Measure a clip.

    ``floor``: its height [m], or one that was estimated before; estimated if None. ``cutoff`` [Hz] of the
    low-pass filter against noise; None: no filter.
    """
    if isinstance(floor, int | float) and not np.isfinite(floor):
        raise InputError(f"the floor's height must be a finite number of metres, not {floor!r}")
    take = measured(clip, cutoff)
    touch = touching(take)
    ground = estimated(take, touch)
    meant = (
        ground if floor is None else floor if isinstance(floor, Floor) else Floor(float(floor), given=True)
    )
    if abs(ground.height - meant.height) > FAR * take.scale:
        ground = meant  # too far to be a slip: it hangs, or lies on a table
    weighty = clip.character.total_mass > 0
    contact = contacts(take, touch, ground, take.raw.com if weighty else None)
    cut = phases(take, touch, contact)
    pace = pace_of([phase.parabola for phase in cut if phase.parabola is not None])
    feels = pace.gravity if pace is not None and pace.too_fast else GRAVITY
    pushing = forces(take, ground, feels) if weighty else None
    return Physics(
        take,
        touch,
        ground,
        meant,
        contact,
        contact_list(take, touch, contact),
        cut,
        pace,
        pushing,
        torques(take, touch, contact, pushing, ground) if pushing is not None else None,
        _notes(take, touch),
    )


def _notes(take: Take, touch: Touching) -> tuple[str, ...]:
    name, frames, found = take.clip.character.name, take.clip.frames, []
    if not take.clip.character.total_mass > 0:
        found.append(
            f"{name!r} has no mass: flights are told by contact alone; "
            "gravity, momentum, forces, balance and torques were not checked"
        )
    if not any(touch.feet):
        found.append(f"{name!r} has no labelled feet: whatever is lowest was taken to stand on the floor")
    if frames <= FEW:
        found.append(f"too few frames ({frames}) to tell how it moves: taken as standing still")
    if not SMALLEST < take.stature < LARGEST:
        found.append(
            f"{name!r} is {take.stature:.3g} m tall: is its unit right? (a file's can be said with scale=)"
        )
    if take.late_start:
        found.append("frame 0 is a rest pose put before the motion: it was left out of the check")
    return tuple(found)
