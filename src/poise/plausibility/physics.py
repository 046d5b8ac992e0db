"""The physics of a clip: what carries it, phases, forces and torques, without any judgement."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.character.labels import labelled
from poise.contacts.differentiated_clip import Mask, Take, measured
from poise.contacts.ends import FEW
from poise.contacts.find import find
from poise.contacts.given import ClipContacts, supported_by
from poise.contacts.support import Contact, Support
from poise.gravity import EARTH
from poise.motion import Clip
from poise.operations.check import CUTOFF
from poise.plausibility.footing import Footing
from poise.plausibility.forces import Forces, forces
from poise.plausibility.phase import Phase, phases
from poise.plausibility.playback_speed import Pace, pace_of
from poise.plausibility.polygon import support_polygon
from poise.plausibility.torques import Torques, torques
from poise.world import World

SMALL = 0.7
"""Errors of captures do not shrink with bodies down to this, over 1.75 m."""


@dataclass(frozen=True, eq=False)
class Physics:
    """What a clip's motion means for a body with mass. Curves have the N frames of the ``take``."""

    take: Take
    footing: Footing
    """What carries it."""
    given: bool
    """Whether the world was given: nothing was added to it then."""
    phases: tuple[Phase, ...]
    pace: Pace | None
    """What the flights say about the clip's speed; None without flights that last."""
    forces: Forces | None
    """None without mass. Of a clip that plays too fast, with the gravity that its pace implies: else
    everything would look too strong for the same one reason."""
    torques: Torques | None
    notes: tuple[str, ...]
    """What could not be known."""

    @property
    def clip(self) -> Clip:
        """The clip that was measured."""
        return self.take.clip

    @property
    def support(self) -> Support:
        """What was found to carry it."""
        return self.footing.support

    @property
    def scale(self) -> float:
        """By which lengths are judged: that of the stature, but markers err as far on a small person as on a
        tall one."""
        own = self.take.scale
        return max(own, min(1.0, own / SMALL))

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """Who touches what, when."""
        return self.support.contacts

    @property
    def world(self) -> World:
        """Where it happens."""
        return self.support.world

    def polygon(self, frame: int) -> Array | None:
        """Corners (k, 2) of the support polygon in a frame of the take; None where nothing touches."""
        held = self.footing.touching[frame]
        if not held.any():
            return None
        return support_polygon(
            self.footing.places[frame, held, :2], float(self.footing.patches.disc[held].max())
        )


def physics(
    clip: Clip,
    *,
    world: World | None = None,
    cutoff: float | None = CUTOFF,
    given: bool | None = None,
    contacts: ClipContacts | None = None,
) -> Physics:
    """Measure a clip.

    ``world``: what is there; found in the motion if None. ``cutoff`` [Hz] of the low-pass filter against
    noise; None: no filter. ``given``: whether the world is to be trusted, if that is not said by its being
    there. ``contacts``: those that the user gave in place of what is found, and their surfaces.
    """
    take = measured(clip, cutoff)
    said = contacts.world if contacts is not None and world is None else world
    found = find(clip, said)
    footing = Footing(take, found if contacts is None else supported_by(found, contacts))
    weighty = clip.character.total_mass > 0
    cut = phases(footing)
    whole = [p for p in cut if p.parabola is not None and footing.support.in_one_piece(p.parabola)]
    flown = [p.parabola for p in whole if p.parabola is not None]
    seconds = sum(p.seconds for p in whole) * footing.support.pace
    pace = pace_of(flown) if seconds > SHORT and not footing.bolted else None
    feels = EARTH * (1.0 if footing.bolted else footing.support.pace) ** 2
    pushing = forces(footing, feels) if weighty else None
    return Physics(
        take,
        footing,
        (world is not None or (said is not None and not said.questions)) if given is None else given,
        cut,
        pace,
        pushing,
        torques(footing, pushing) if pushing is not None else None,
        _notes(footing),
    )


SHORT = 0.15
"""Flights that last no longer say nothing about gravity [s]."""


def _notes(footing: Footing) -> tuple[str, ...]:
    take, found = footing.take, []
    name, frames = take.clip.character.name, take.clip.frames
    if not take.clip.character.total_mass > 0:
        found.append(
            f"{name!r} has no mass: flights are told by contact alone; "
            "gravity, momentum, forces, balance and torques were not checked"
        )
    feet = any(body.limb == "foot" for body in labelled(take.clip.character).bodies)
    if not feet and not footing.bolted:
        found.append(f"{name!r} has no labelled feet: whatever is lowest was taken to stand on the floor")
    if frames <= FEW:
        found.append(f"too few frames ({frames}) to tell how it moves: taken as standing still")
    need = footing.support.need
    if not take.lead and need.lead < 0:
        more = "" if need.lead == -1 else f" to {-need.lead - 1}"
        found.append(
            f"frame{'s' * bool(more)} 0{more} {'are' if more else 'is'} a rest pose put before the motion: "
            "left out of the check"
        )
    if not take.lead and -need.lead + need.frames < frames:
        found.append(
            f"the clip is torn off after frame {-need.lead + need.frames - 1}: "
            "the rest was left out of the check"
        )
    return tuple(found)


def lasts(physics: Physics, phase: Phase) -> bool:
    """Whether a flight is long enough, at the speed at which it was done, to say something."""
    return phase.seconds * physics.support.pace > SHORT


def standing(physics: Physics, unsure: float = 0.05) -> Mask:
    """The clip's own frames of the take, without those at its ends where accelerations are one-sided (N,)."""
    take, found = physics.take, np.array(physics.footing.belongs)
    if take.lead:
        found[: take.own.start] = found[take.own.stop :] = False
        return found
    inside = np.flatnonzero(found)
    ends = max(2, round(unsure / take.dt))
    found[: inside[0] + ends] = found[inside[-1] + 1 - ends :] = False
    return found
