"""What a motion needs: the wrench that carries it, and how its patches move meanwhile.

    F = ṗ + m g ẑ,     N = L̇ about the centre of mass

of the momentum (p, L), low-passed: impacts last a few milliseconds, and what a 5 Hz filter makes of them
lasts 80. Forces are told over the weight m g, moments over m g · ``ARM``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poise.arrays import Array, IntArray
from poise.contacts.differentiated_clip import Mask, rate_of
from poise.contacts.ends import ends
from poise.contacts.patches import FOOT, Patches, patches
from poise.gravity import EARTH
from poise.kinematics import Kinematics
from poise.motion import Clip
from poise.motion.operators.neighbours import extended
from poise.motion.operators.smooth import gaussian_weights

ARM = 0.3
"""Moments are judged as forces at this lever, of a body of 1.75 m [m]: about the radius of gyration."""
PLACES = 10.0
"""Of the filter for places and their velocities [Hz]: people move below it, markers jitter above it."""
CUTOFF = 5.0
"""Of the momentum's filter [Hz]: at 7 Hz the legs' guessed inertia leaves 12 % of a run unexplained, at 5
none."""
REST, LEAVE = 0.30, 0.55
"""Speeds at which a patch comes to rest, and leaves [m/s]."""
STILL = 1.3
"""What carries stands in one place up to so many times the speed at which it came to rest …"""
HURRIED = 1 / 15
"""… or this share of the swinging feet's top speed: who runs also rests in a hurry; a walker's feet, at 4 or
5 m/s, do not."""
WIDEST = 30_000.0
"""Standard deviation of a filter [frames], at most: Bessel functions of its square are still numbers."""
DRAWN = 0.3
"""Doubt about a motion that was drawn exactly, over that about a capture …"""
CAPTURED = 0.7
"""… which any is whose feet need this share of the usual give, or more: some actors stand very still."""
HERTZ = 30.0
"""Rate at which forces are solved: nothing that passes the filter changes faster."""


@dataclass(frozen=True, eq=False)
class Needed:
    """N frames of a motion as dynamics see them; K patches.

    These are the frames of the clip that belong to the motion; of a loop, one more cycle on either side.
    """

    clip: Clip
    lead: int
    """Frames before the clip's first one; negative where the clip's first frames do not belong to the
    motion."""
    positions: Array
    """Of the bodies, as they are [m] (N, n, 3)."""
    patches: Patches
    radius: Array
    """Flesh of the patches, as learned [m] (K,)."""
    places: Array
    """Of the patches, filtered [m] (N, K, 3)."""
    raw: Array
    """As they are in the clip [m] (N, K, 3)."""
    velocities: Array
    """Filtered [m/s] (N, K, 3)."""
    skin: Array
    """The same of the skin straight below: of a foot that rolls over its heel, the ankle moves on."""
    com: Array
    """[m] (N, 3)"""
    wrench: Array
    """[weights, moments over ARM] (N, 6)."""
    spin: Array
    """Angular momentum, over that of a body of its size at 1 rad/s (N,)."""
    dt: float
    """Seconds per frame, as they were when it was recorded."""
    rows: IntArray
    """Frames in which forces are solved (T,)."""
    arm: float
    """[m]"""

    @property
    def frames(self) -> int:
        """N."""
        return len(self.com)

    @property
    def times(self) -> Array:
        """Of the frames in the clip's own time [s] (N,); before and beyond it in those of a loop."""
        return np.asarray((np.arange(self.frames) - self.lead) * self.clip.dt, dtype=np.float64)

    @property
    def own(self) -> slice:
        """The clip's own frames among all: a loop's middle cycle."""
        return slice(self.lead, self.lead + self.clip.frames) if self.clip.loop else slice(0, self.frames)

    @property
    def scale(self) -> float:
        """Stature over that of a grown-up."""
        return self.patches.scale

    @property
    def widening(self) -> int:
        """Frames by which the filter blurs a contact's beginning and end."""
        return max(1, round(1.5 * _width(CUTOFF) / self.dt))

    def speeds(self, velocity: Array) -> Array:
        """Of the patches over what moves with a velocity (3,) or (N, K, 3) [m/s] (N, K)."""
        return np.asarray(np.linalg.norm(self.velocities - velocity, axis=2))

    def resting(self, velocity: Array) -> Mask:
        """Patches that have come to rest (N, K)."""
        return self.rested(self.speeds(velocity))

    def rested(self, speed: Array) -> Mask:
        """The same by their speeds over what they are on (N, K)."""
        pace = np.sqrt(self.scale)
        return kept(speed < REST * pace, speed > LEAVE * pace)

    @property
    def doubt(self) -> float:
        """How much of what is left is within the doubt of masses and of the recording: 1 for captures, whose
        feet rest within centimetres; less, down to ``DRAWN``, the more exactly feet were drawn."""
        feet = self.patches.kind == FOOT
        if not feet.any():
            return 1.0
        usual = patches(self.clip.character).give[feet]
        return float(np.clip((self.patches.give[feet] / usual).mean() / CAPTURED, DRAWN, 1.0))

    @property
    def slow(self) -> float:
        """Speed below which a patch that carries stands in one place [m/s]."""
        return STILL * max(REST * float(np.sqrt(self.scale)), self.top_speed * HURRIED)

    @cached_property
    def top_speed(self) -> float:
        """Of the feet as they swing [m/s]."""
        feet = self.patches.kind == FOOT
        v = self.velocities[self.own][:, feet] if feet.any() else self.velocities[self.own]
        return float(np.percentile(np.linalg.norm(v, axis=2), 95)) if v.size else 0.0


def needed(clip: Clip, pace: float = 1.0) -> Needed:
    """What a clip's motion needs if it plays ``pace`` times too fast."""
    character = clip.character
    found = patches(character)
    dt = clip.dt * pace
    lead = clip.frames if clip.loop else 0
    q = extended(clip, lead) if lead else np.asarray(clip.q)
    first, last = (0, len(q)) if clip.loop else ends(clip, Kinematics(character, q).positions, found.scale)
    q = q[first:last]  # before it is differentiated: no velocity leads out of a rest pose
    kin = Kinematics(
        character, q, character.manifold.velocity(q, dt) if len(q) > 1 else np.zeros((1, character.nv))
    )
    weighty = character.total_mass > 0
    raw, com = found.places(kin), np.asarray(kin.com) if weighty else kin.positions.mean(axis=1)
    places = low_passed(raw, PLACES, dt, through=True)
    momentum = low_passed(np.asarray(kin.momentum), CUTOFF, dt) if weighty else np.zeros((len(q), 6))
    moving = rate_of(places, dt)
    rate, mass, arm = rate_of(momentum, dt), max(character.total_mass, 1e-12), ARM * found.scale
    weight = mass * EARTH
    wrench = np.concatenate([rate[:, :3] + [0.0, 0.0, weight], rate[:, 3:] / arm], axis=1) / weight
    spin = np.linalg.norm(momentum[:, 3:], axis=1) / (mass * (0.2 * found.stature) ** 2)
    rows = np.arange(0, len(com), max(1, round(1.0 / HERTZ / dt)))
    return Needed(
        clip,
        lead if clip.loop else -first,
        kin.positions,
        found,
        np.array(found.radius),
        places,
        raw,
        moving,
        moving + _below(kin, found, dt),
        low_passed(com, PLACES, dt, through=True),
        wrench,
        spin,
        dt,
        rows,
        arm,
    )


def _below(kin: Kinematics, found: Patches, dt: float) -> Array:
    """By how much the skin straight below a patch is faster than the patch: ω × (0, 0, −radius) [m/s] (N,
    K, 3)."""
    turning = low_passed(kin.velocities[:, found.body, 3:], PLACES, dt)
    down = np.zeros((len(found), 3))
    down[:, 2] = -found.radius
    return np.cross(turning, down)


def low_passed(curves: Array, cutoff: float, dt: float, *, through: bool = False) -> Array:
    """Curves (N, …) without what is faster than ``cutoff`` [Hz].

    Beyond their ends they are mirrored, or with ``through`` reflected through the end, so that they go on
    as they went.
    """
    weights = gaussian_weights(min(_width(cutoff) / dt, WIDEST) ** 2, len(curves))
    reach = min(len(weights) - 1, len(curves) - 1)
    if reach < 1 or cutoff * dt > 0.45:
        return np.asarray(curves)
    both = np.concatenate([weights[reach:0:-1], weights[: reach + 1]])
    flat = curves.reshape(len(curves), -1)
    around = np.pad(flat, ((reach, reach), (0, 0)), "reflect", reflect_type="odd" if through else "even")
    found = np.stack([np.convolve(c, both / both.sum(), "valid") for c in around.T], axis=1)
    return found.reshape(curves.shape)


def _width(cutoff: float) -> float:
    """Standard deviation of the Gaussian whose response falls to 1/√2 at the cut-off [s]."""
    return float(np.sqrt(np.log(2.0)) / (2 * np.pi * cutoff))


def kept(begins: Mask, ends: Mask) -> Mask:
    """State (N, K) that is set by ``begins``, cleared by ``ends`` and else kept, forwards and backwards."""
    held = np.array(begins)
    for f in range(1, len(held)):
        held[f] |= held[f - 1] & ~ends[f]
    for f in range(len(held) - 2, -1, -1):
        held[f] |= held[f + 1] & ~ends[f]
    return held


def widened(mask: Mask, frames: int) -> Mask:
    """Mask (N, …) with every stretch of true values longer by so many frames on either side."""
    count = np.cumsum(np.concatenate([np.zeros((1, *mask.shape[1:])), mask]), axis=0)
    low = np.maximum(np.arange(len(mask)) - frames, 0)
    high = np.minimum(np.arange(len(mask)) + frames + 1, len(mask))
    return np.asarray(count[high] > count[low])
