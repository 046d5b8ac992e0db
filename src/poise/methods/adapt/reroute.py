"""Bend the way a clip goes: its route on the ground is exchanged, its steps are taken along.

    q'(t) = T(t) q(t),     T(t) = (frame of the new route at s(t)) ∘ (frame of the old one)⁻¹

with s the way gone so far. T bends through every step, so feet would slide: each plant is taken to where T
has it in the middle of its time, and the clip is adapted to it.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, checked
from poise.character import JointKind
from poise.constraints import FootPlace, FootPlant
from poise.errors import InputError
from poise.motion import Clip
from poise.motion.operators.ground import moved
from poise.operations.reroute import Reroute

CALM = 0.4
"""Time over which the sway of the body is no part of its route [s]."""
LEAST = 0.3
"""A clip that does not go so far [m] has no route."""


class Rerouted(NamedTuple):
    """A clip bent along another route, before its feet stand again."""

    clip: Clip
    before: Clip
    shift: Array
    """(F, 3) [m]"""
    yaw: Array
    """(F,) [rad]"""

    def carried(self, plant: FootPlant) -> FootPlant:
        """A plant where the route takes it in the middle of its time."""
        clip = self.before
        times = np.concatenate([when.times(clip) for when in plant.intervals.values()])
        frame = int(np.clip(np.rint(times.mean() * clip.fps), 0, clip.frames - 1))
        x, y, facing = plant.place or plant.estimate(clip)
        c, s = np.cos(self.yaw[frame]), np.sin(self.yaw[frame])
        dx, dy, _ = self.shift[frame]
        place = FootPlace(
            float(c * x - s * y + dx), float(s * x + c * y + dy), float(facing + self.yaw[frame])
        )
        return replace(plant, place=place)


def rerouted(clip: Clip, asked: Reroute) -> Rerouted:
    """The clip along another route; a longer or shorter one makes steps longer or shorter."""
    if clip.loop:
        raise InputError(f"{clip.name!r} is a loop: unroll it first (poise repeat)")
    if clip.character.bodies[0].joint.kind is not JointKind.FREE:
        raise InputError(f"{clip.character.name!r} has a fixed root, so its route cannot change")
    old, heading = _way(clip)
    gone = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(old, axis=0), axis=1))])  # (F,)
    if gone[-1] < LEAST:
        raise InputError(f"{clip.name!r} goes {gone[-1]:.2f} m: too short a route to bend")
    if asked.route is None:
        new, facing = _bent(old, heading, gone, math.radians(asked.turn))
    else:
        new, facing = _through(checked(asked.route, "route", (None, 2)), gone / gone[-1])
    yaw = facing - heading
    c, s = np.cos(yaw), np.sin(yaw)
    shift = np.stack(
        [
            new[:, 0] - c * old[:, 0] + s * old[:, 1],
            new[:, 1] - s * old[:, 0] - c * old[:, 1],
            np.zeros(clip.frames),
        ],
        axis=1,
    )
    return Rerouted(clip.with_q(moved(clip.character, clip.q, shift, yaw)), clip, shift, yaw)


def _way(clip: Clip) -> tuple[Array, Array]:
    """The root's route (F, 2) without the sway of steps, and its heading (F,)."""
    from scipy.ndimage import gaussian_filter1d

    path = clip.q[:, :2]
    pad = min(clip.frames - 1, int(4 * CALM * clip.fps) + 1)
    # Continued by point reflection, so that ends keep their place and heading.
    before, after = 2 * path[0] - path[pad:0:-1], 2 * path[-1] - path[-2 : -pad - 2 : -1]
    calm = gaussian_filter1d(np.concatenate([before, path, after]), CALM * clip.fps, axis=0)
    along = np.gradient(calm, axis=0)[pad : pad + clip.frames]
    return calm[pad : pad + clip.frames], np.unwrap(np.arctan2(along[:, 1], along[:, 0]))


def _bent(old: Array, heading: Array, gone: Array, turn: float) -> tuple[Array, Array]:
    """The old route turning by so much more, evenly along its way."""
    if not np.isfinite(turn):
        raise InputError(f"a route's turn must be finite, not {turn!r}")
    facing = heading + turn * gone / gone[-1]
    middle = 0.5 * (facing[1:] + facing[:-1])
    steps = np.diff(gone)[:, None] * np.stack([np.cos(middle), np.sin(middle)], axis=1)
    return old[0] + np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)]), facing


def _through(places: Array, share: Array) -> tuple[Array, Array]:
    """A smooth route through places: where it is, and its heading, after shares (F,) of its length."""
    from scipy.interpolate import CubicSpline

    apart = np.linalg.norm(np.diff(places, axis=0), axis=1)
    if len(places) < 2 or (apart < 1e-6).any():
        raise InputError("a route needs at least two places on the ground, no two the same in a row")
    spline = CubicSpline(np.concatenate([[0.0], np.cumsum(apart)]), places)
    fine = np.linspace(0.0, float(apart.sum()), max(200, 20 * len(places)))
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(spline(fine), axis=0), axis=1))])
    at = np.interp(share * length[-1], length, fine)
    along = spline(at, 1)
    return np.asarray(spline(at)), np.unwrap(np.arctan2(along[:, 1], along[:, 0]))
