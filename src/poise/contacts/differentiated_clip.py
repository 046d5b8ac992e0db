"""A clip made ready for measuring: its motion with velocities and accelerations.

Differences of captured frames are mostly noise: white noise of one millimetre at 120 frames per second is
20 m/s² of acceleration. So q is first low-passed on the manifold (``motion.operators.smooth``: a Gaussian,
no delay, −3 dB at ``cutoff``), then, with s = (q_{f+½} ⊖ q_{f−½}) / dt the velocities between frames,

    v_f = (s_{f+½} + s_{f−½}) / 2,        a_f = (s_{f+½} − s_{f−½}) / dt.

Both are of second order, and exact for parabolas and for constant spins; nothing else is done, so without
the filter synthetic motion is measured as it is. A loop is measured with one more cycle on either side.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from poise.arrays import Array
from poise.contacts.ends import FEW, begins_late
from poise.errors import InputError
from poise.kinematics import Kinematics
from poise.motion import Clip
from poise.motion.operators import smooth
from poise.motion.operators.neighbours import extended
from poise.operations.check import CUTOFF

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Take:
    """Frames of a clip, N of them: its own F, and as many more on either side if it is a loop."""

    clip: Clip
    cutoff: float | None
    """Of the filter [Hz]; None: unfiltered."""
    lead: int
    """Frames before the clip's own first one."""
    raw: Kinematics
    """The frames as they are (no velocities)."""
    kin: Kinematics
    """The filtered frames with their velocities."""
    acceleration: Array
    """v̇ (N, nv)."""

    @property
    def frames(self) -> int:
        """N."""
        return self.raw.frames

    @property
    def dt(self) -> float:
        """Seconds per frame."""
        return self.clip.dt

    @property
    def own(self) -> slice:
        """The clip's own frames among all."""
        return slice(self.lead, self.lead + self.clip.frames)

    @cached_property
    def stature(self) -> float:
        """Size of the character at rest, from its lowest to its highest point [m]; lengths are judged by
        it."""
        character = self.clip.character
        at, turns = character.rest_placement()
        places = np.array([at[p.body] + turns[p.body] @ p.position for p in character.points.values()])
        size = float(np.ptp(places[:, 2]))
        return size if size > 1e-6 else max(float(np.ptp(places, axis=0).max()), 1e-3)

    @property
    def scale(self) -> float:
        """Stature over that of a grown-up, 1.75 m."""
        return self.stature / 1.75


def measured(clip: Clip, cutoff: float | None = CUTOFF) -> Take:
    """The clip with velocities and accelerations; ``cutoff`` [Hz] or None for no filter."""
    if cutoff is not None and not cutoff > 0:
        raise InputError(f"the filter's cut-off must be a positive frequency [Hz], not {cutoff!r}")
    if begins_late(clip):
        # Frame 0 is a rest pose put before the motion.
        clip = clip.with_q(np.concatenate([clip.q[1:2], clip.q[1:]]))
    lead = clip.frames if clip.loop else 0
    # At few frames per second there is nothing above the cut-off to remove.
    active = cutoff is not None and cutoff < 0.45 * clip.fps and clip.frames > FEW
    calm = smooth(clip, cutoff=cutoff) if active else clip
    q = extended(calm, lead)
    v, a = differences(clip, q)
    character = clip.character
    raw = Kinematics(character, extended(clip, lead) if active else q)
    return Take(clip, cutoff if active else None, lead, raw, Kinematics(character, q, v), a)


def differences(clip: Clip, q: Array) -> tuple[Array, Array]:
    """Velocities and accelerations (N, nv) of frames q (N, nq); the ends repeat their neighbour's
    acceleration."""
    manifold, dt = clip.character.manifold, clip.dt
    v = manifold.velocity(q, dt) if clip.frames > FEW else np.zeros((len(q), manifold.nv))
    a = np.zeros_like(v)
    if clip.frames > FEW:
        between = manifold.minus(q[1:], q[:-1]) / dt
        a[1:-1] = (between[1:] - between[:-1]) / dt
        a[0], a[-1] = a[1], a[-2]
    return v, a


def rate_of(values: Array, dt: float) -> Array:
    """Time derivative of curves (N, …) by central differences."""
    return np.asarray(np.gradient(values, dt, axis=0)) if len(values) > 1 else np.zeros_like(values)


def runs(mask: ArrayLike) -> list[tuple[int, int]]:
    """First and last index of each stretch of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], np.asarray(mask, dtype=np.int8), [0]])))
    return [(int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2])]
