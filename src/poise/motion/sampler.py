"""Motion between frames: C¹ cubic curves through the frames, in rotations, never Euler angles.

Between frames i and i+1, with Δ = q_{i+1} ⊖ q_i, frame velocities v and s ∈ [0, 1],

    q(s) = q_i ⊕ f(s),   f = h₁₀(s) v_i dt + h₀₁(s) Δ + h₁₁(s) J_r(Δ)⁻¹ v_{i+1} dt

(h: the cubic Hermite polynomials). At frames the configuration is the frame's, bit for bit, and
the velocity the clip's. ``linear`` takes the geodesic f = s Δ instead.

Morph weights are linear between frames under both (and held under ``step``), as viewers of glTF draw them: a
cubic would overshoot where a lid shuts within a frame or two, and weights of 0 … 1 shall stay there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.errors import InputError, UnknownNameError
from poise.manifold import ProductManifold, so3

if TYPE_CHECKING:
    from poise.motion.clip import Clip

METHODS = ("cubic", "linear", "step")


class Sampler:
    """Evaluates one clip at any time. Loops wrap and travel on; other clips hold their ends."""

    def __init__(self, clip: Clip, method: str = "cubic") -> None:
        if method not in METHODS:
            raise UnknownNameError("interpolation method", method, METHODS)
        self.clip, self.method = clip, method
        manifold = clip.character.manifold
        ends = clip.q
        if clip.loop:
            ends = np.concatenate([ends, clip.travel.apply(clip.character, clip.q[0], 1)[None]])
        self._delta = manifold.minus(ends[1:], ends[:-1]) if len(ends) > 1 else np.zeros((0, manifold.nv))
        if method == "cubic" and len(self._delta):
            v = clip.velocity
            after = np.concatenate([v, clip.travel.turn(clip.character, v[:1], 1)]) if clip.loop else v
            self._leave = after[:-1] * clip.dt
            self._arrive = turned(manifold, self._delta, after[1:] * clip.dt, so3.right_jacobian_inverse)

    @property
    def coefficients(self) -> tuple[Array, Array, Array]:
        """Δ, v_i dt and J_r(Δ)⁻¹ v_{i+1} dt of each segment of the cubic, three times (segments, nv)."""
        if not len(self._delta):
            return self._delta, self._delta, self._delta
        return self._delta, self._leave, self._arrive

    def _locate(self, time: ArrayLike) -> tuple[Array, Array, Array]:
        """Cycle, segment and fraction of each time; times on a frame get fraction exactly 0."""
        try:
            t = np.asarray(time, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(
                f"a time must be a number of seconds, or an array of them, not {time!r}"
            ) from None
        if not np.isfinite(t).all():
            raise InputError(f"time must be finite, not {t}")
        clip = self.clip
        x = t * clip.fps
        nearest = np.rint(x)
        # A time meant to be a frame's may miss it by rounding; it still gets the frame itself.
        x = np.where(np.abs(x - nearest) < 1e-9 * np.maximum(1.0, np.abs(x)), nearest, x)
        cycle = np.zeros_like(x)
        if clip.loop:
            cycle = np.floor(x / clip.frames)
            x = x - cycle * clip.frames
        else:
            x = np.clip(x, 0.0, clip.frames - 1.0)
        segment = np.clip(np.floor(x), 0, max(len(self._delta) - 1, 0))
        return cycle, segment.astype(np.int64), x - segment

    def configuration(self, time: ArrayLike) -> Array:
        """Configuration at a time, (nq,), or at many, (T, nq)."""
        cycle, segment, s = self._locate(time)
        clip = self.clip
        manifold = clip.character.manifold
        if not len(self._delta):
            q = np.broadcast_to(clip.q[0], (*s.shape, clip.character.nq))
            return clip.travel.apply(clip.character, np.array(q), cycle) if clip.loop else np.array(q)
        if self.method == "step":
            s = np.where(s < 1.0, 0.0, 1.0)
        q = manifold.plus(clip.q[segment], self._offset(segment, s))
        # Frames themselves are returned untouched.
        q = np.where((s == 0.0)[..., None], clip.q[segment], q)
        if not clip.loop:
            last = np.minimum(segment + 1, clip.frames - 1)
            q = np.where((s == 1.0)[..., None], clip.q[last], q)
        return clip.travel.apply(clip.character, q, cycle) if clip.loop else q

    def velocity(self, time: ArrayLike) -> Array:
        """Velocity at a time, (nv,), or at many, (T, nv)."""
        cycle, segment, s = self._locate(time)
        if not len(self._delta) or self.method == "step":
            return np.zeros((*s.shape, self.clip.character.nv))
        f, rate = self._offset(segment, s), self._slope(segment, s) / self.clip.dt
        v = turned(self.clip.character.manifold, f, rate, so3.right_jacobian)
        if self.clip.loop:
            v = self.clip.travel.turn(self.clip.character, v, cycle)
        if not self.clip.loop:
            x = np.asarray(time, dtype=np.float64) * self.clip.fps
            outside = (x < -1e-9) | (x > self.clip.frames - 1 + 1e-9)
            v = np.where(outside[..., None], 0.0, v)
        return v

    def morphs(self, time: ArrayLike) -> Array | None:
        """Morph weights at a time, (m,), or at many, (T, m); None if the character has no morph targets."""
        clip, weights = self.clip, self.clip.morphs
        if weights is None:
            return None
        _, segment, s = self._locate(time)
        after = (segment + 1) % clip.frames if clip.loop else np.minimum(segment + 1, clip.frames - 1)
        s = s[..., None]
        if self.method == "step":
            s = np.where(s < 1.0, 0.0, 1.0)
        a, b = weights[segment], weights[after]
        return np.asarray(np.where(s == 1.0, b, a + s * (b - a)))

    def _offset(self, segment: Array, s: Array) -> Array:
        s = s[..., None]
        if self.method != "cubic":
            return s * self._delta[segment]
        return way(s, self._delta[segment], self._leave[segment], self._arrive[segment])

    def _slope(self, segment: Array, s: Array) -> Array:
        s = s[..., None]
        if self.method != "cubic":
            return np.broadcast_to(self._delta[segment], (*s.shape[:-1], self._delta.shape[1]))
        return slope(s, self._delta[segment], self._leave[segment], self._arrive[segment])


def way(s: Array, delta: Array, leave: Array, arrive: Array) -> Array:
    """f(s) of the cubic: ``leave`` is v_i dt, ``arrive`` J_r(Δ)⁻¹ v_{i+1} dt."""
    h10, h01, h11 = s * (1 - s) ** 2, s * s * (3 - 2 * s), s * s * (s - 1)
    return np.asarray(h10 * leave + h01 * delta + h11 * arrive)


def slope(s: Array, delta: Array, leave: Array, arrive: Array) -> Array:
    """df/ds of the cubic."""
    d10, d01, d11 = (1 - s) * (1 - 3 * s), 6 * s * (1 - s), s * (3 * s - 2)
    return np.asarray(d10 * leave + d01 * delta + d11 * arrive)


def turned(manifold: ProductManifold, f: Array, v: Array, jacobian: Callable[[Array], Array]) -> Array:
    """Per rotation block ``J(f) v``; plain coordinates pass unchanged."""
    out = np.array(v)
    slots = manifold.rotation_slots[1]
    if slots.size:
        out[..., slots] = np.einsum("...ij,...j->...i", jacobian(f[..., slots]), v[..., slots])
    return out
