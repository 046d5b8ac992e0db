"""What carries a clip, on the frames of a take: who touches, how far each patch is from its surface, how much
it carries.

``poise.contacts`` finds it on the frames that belong to the motion; here it lies on those that are measured.
Frames that do
not belong (a rest pose in front, torn ends) touch nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poise.arrays import Array, IntArray
from poise.character.bolted import bolted
from poise.contacts.differentiated_clip import Mask, Take
from poise.contacts.patches import FOOT, HAND, Patches
from poise.contacts.support import Contact, Flight, Support
from poise.world import World

GRAZING = 0.15
"""In shorter flights feet may touch lightly all the while [s]."""


@dataclass(frozen=True, eq=False)
class Footing:
    """Curves over the N frames of a take; K patches."""

    take: Take
    support: Support

    @property
    def patches(self) -> Patches:
        """Who may touch."""
        return self.support.need.patches

    @property
    def world(self) -> World:
        """What they touch."""
        return self.support.world

    @cached_property
    def bolted(self) -> bool:
        """Whether the base carries the whole, whatever else touches."""
        return bolted(self.take.clip.character)

    @cached_property
    def rows(self) -> IntArray:
        """The support's frame of every frame of the take (N,)."""
        at = np.arange(self.take.frames) - self.take.lead + self.support.need.lead
        return np.clip(at, 0, self.support.need.frames - 1)

    @cached_property
    def belongs(self) -> Mask:
        """Frames that belong to the motion (N,)."""
        at = np.arange(self.take.frames) - self.take.lead + self.support.need.lead
        return np.asarray((at >= 0) & (at < self.support.need.frames))

    @cached_property
    def places(self) -> Array:
        """Of the patches, as they are in the clip [m] (N, K, 3)."""
        return self.patches.places(self.take.raw)

    @cached_property
    def gap(self) -> Array:
        """Of the skin above what lies below it, as it is in the clip [m] (N, K); infinite where there is
        nothing."""
        time = self.support.need.times[self.rows][:, None] if self.world.moves else None
        return self.world.below(self.places, self.support.need.radius, time).gap

    @cached_property
    def surface(self) -> IntArray:
        """What lies below (N, K)."""
        return np.asarray(self.support.surface[self.rows])

    @cached_property
    def load(self) -> Array:
        """Share of the weight that every patch carries (N, K)."""
        return self.support.load[self.rows] * self.belongs[:, None]

    @cached_property
    def unexplained(self) -> Array:
        """What no contact explains [weights] (N,): nothing, where the base is bolted to the world."""
        if self.bolted:
            return np.zeros(self.take.frames)
        need = self.support.need
        curve = np.interp(np.arange(need.frames), need.rows, self.support.unexplained)
        return np.asarray(curve[self.rows] * self.belongs)

    @cached_property
    def touching(self) -> Mask:
        """Patches that touch, as parts of a contact (N, K)."""
        found = np.zeros((self.take.frames, len(self.patches)), dtype=bool)
        near = np.asarray(self.support.near[self.rows], dtype=bool) & self.belongs[:, None]
        for contact in self.support.contacts:
            ks = self.patches.of_part(contact.part)
            for a, b in self.spans(contact):
                own = near[a : b + 1][:, ks]
                if not own.any():
                    own = np.zeros_like(own)
                    own[:, 0] = True  # a hand that holds on to what nobody sees
                found[a : b + 1, ks] |= own
        for flight in self.support.flights:  # which begin while feet still graze the ground
            if (flight.end - flight.start) * self.support.need.dt > GRAZING:
                for a, b in self.spans(flight):
                    found[a : b + 1] = False
        return found

    def spans(self, contact: Contact | Flight) -> list[tuple[int, int]]:
        """First and last frame of a contact or flight among those of the take; of a loop in every cycle."""
        lead, frames = self.take.lead, self.take.clip.frames
        shifts = (-frames, 0, frames) if lead else (0,)
        found = []
        for shift in shifts:
            a, b = max(contact.start + lead + shift, 0), min(contact.end + lead + shift, self.take.frames - 1)
            if a <= b:
                found.append((a, b))
        return found

    def part_touches(self, part: str) -> Mask:
        """Frames in which a part touches (N,)."""
        return np.asarray(self.touching[:, self.patches.of_part(part)].any(axis=1))

    @property
    def feet(self) -> tuple[str, ...]:
        """Parts that stand."""
        return self._of_kind(FOOT)

    @property
    def limbs(self) -> tuple[str, ...]:
        """Parts that stand or grip: what a leg or an arm can move."""
        return self._of_kind(FOOT, HAND)

    def _of_kind(self, *kinds: int) -> tuple[str, ...]:
        return tuple(p for p in self.patches.parts if self.patches.kind[self.patches.of_part(p)[0]] in kinds)

    @cached_property
    def carried_level(self) -> Array:
        """Height at which the body is carried: that of its surfaces, as they share its weight [m] (N,); else
        the floor's."""
        share = self.load * self.touching
        skin = self.places[..., 2] - self.support.need.radius - np.where(np.isfinite(self.gap), self.gap, 0.0)
        total = share.sum(axis=1)
        mean = (share * skin).sum(axis=1) / np.maximum(total, 1e-12)
        return np.where(total > 1e-6, mean, self.level(np.asarray(self.take.raw.positions)[:, 0]))

    def level(self, places: Array) -> Array:
        """Height of the floor at places (…, 3) [m]; that of the lowest skin where there is no floor."""
        floor = self.world.floor
        if floor is None:
            low = float((self.places[..., 2] - self.support.need.radius).min())
            return np.full(places.shape[:-1], low)
        return np.asarray(places[..., 2] - floor.gap(places)[0] / floor.gap(places)[1][..., 2])
