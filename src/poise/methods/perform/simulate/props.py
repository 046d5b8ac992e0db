"""What else is in the scene, as surfaces of the world: balls that were thrown, weights that are carried."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.manifold import so3
from poise.motion import Clip
from poise.operations.values.disturbance import Load, Throw
from poise.world import Ball, Surface, Track
from poise.world.surface import LEAST_BOUNCE


class Flight(NamedTuple):
    """Where a thrown body is at the steps of a simulation."""

    throw: Throw
    positions: Array
    """[m] (S + 1, 3); not numbers before it is thrown."""
    rotations: Array  # (S + 1, 4)

    def until(self, count: int) -> Flight:
        """Its first places."""
        return Flight(self.throw, self.positions[:count], self.rotations[:count])

    def surface(self, times: Array, at: Array) -> Surface:
        """The ball on its track at times [s] (F,), which are steps ``at`` (F,); it appears when thrown."""
        places, there = self.positions[at], np.isfinite(self.positions[at]).all(axis=1)
        if not there.any():  # never thrown: it appears after the end
            times, places, there = (
                np.array([self.throw.time]),
                np.array([self.throw.position]),
                np.array([True]),
            )
            turns = np.zeros((1, 3))
        else:
            turns = so3.log(self.rotations[at])
        track = Track(times[there], places[there], turns[there], appears=True)
        throw = self.throw
        bounce = max(throw.bounce, LEAST_BOUNCE)
        return Surface(throw.name, Ball(throw.radius), track=track, friction=throw.friction, bounce=bounce)


def joined(parts: list[list[Flight]]) -> list[Flight]:
    """Flights of pieces that follow each other, as one each."""
    if not parts:
        return []
    rest = parts[1:]
    return [
        Flight(
            f.throw,
            np.concatenate([f.positions, *(p[k].positions[1:] for p in rest)]),
            np.concatenate([f.rotations, *(p[k].rotations[1:] for p in rest)]),
        )
        for k, f in enumerate(parts[0])
    ]


def weight(load: Load, clip: Clip, name: str) -> Surface:
    """The ball that stands for a weight, on the track of the body that carries it, from when it is put on."""
    who: Character = clip.character
    after = np.flatnonzero(np.asarray(clip.times) >= load.time - 1e-9)
    if not len(after):
        after = np.array([clip.frames - 1])
    at, turns = who.placement(clip.q[after])
    body = who.index(load.body)
    track = Track(
        np.maximum(np.asarray(clip.times)[after], load.time) if len(after) > 1 else np.array([load.time]),
        at[:, body],
        so3.log(so3.from_matrix(turns[:, body])),
        appears=True,
    )
    return Surface(name, Ball(load.radius), place=load.place, track=track)


def weights(loads: list[Load], clip: Clip) -> list[Surface]:
    """All weights, each with a name of its own."""
    found: list[Surface] = []
    for k, load in enumerate(loads, start=1):
        name = f"{load.mass:g} kg"
        found.append(weight(load, clip, name if all(s.name != name for s in found) else f"{name} ({k})"))
    return found
