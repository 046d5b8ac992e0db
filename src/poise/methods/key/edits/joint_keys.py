"""The keys of one joint: their values, breakdowns worked out, and the curve through them.

With b(t) the joint's coordinates in the motion below and Q_k its keys at t_k,

    add       q(t) = b(t) ⊕ δ(t),              δ through δ_k = Q_k ⊖ b(t_k), zero at t_1 − fade and t_n + fade
    override  q(t) = b(t) ⊕ w(t) (v(t) ⊖ b(t)), v through Q_k, w one from t_1 to t_n and zero a fade away

Both are Q_k at keys, and b, bit by bit, further away than the fade.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from poise.arrays import FARTHEST, Array, checked
from poise.errors import InputError
from poise.manifold import ProductManifold
from poise.methods.key.sheet import easing
from poise.operations.retouch import PoseEdit

_UNIT = 1e-3  # how far from unit length a quaternion may be given
_SUDDEN = 1e-9
"""A fade that is shorter is sudden all the same, and a double no longer tells its ends apart [s, or parts of
the time of a key]."""


def felt(fade: float, times: Array) -> float:
    """A fade [s] long enough that its ends are other times than those of the keys."""
    return max(fade, _SUDDEN * max(1.0, float(np.abs(times).max())))


@dataclass(frozen=True, eq=False)
class JointKeys:
    """Keys of one joint in order of time."""

    name: str
    manifold: ProductManifold
    """Of the joint alone."""
    edits: tuple[PoseEdit, ...]
    below: Callable[[Array], Array]
    """The motion below at times (T,), (T, nq)."""

    @property
    def times(self) -> Array:
        """[s] (K,)"""
        return np.array([edit.time for edit in self.edits])

    @property
    def values(self) -> Array:
        """(K, nq): breakdowns lie between the nearest keys that have values; without one there, between it
        and the motion below."""
        found = self.below(self.times)
        for k, edit in enumerate(self.edits):
            if edit.kind != "breakdown":
                found[k] = self._given(edit)
        given = [k for k, edit in enumerate(self.edits) if edit.kind != "breakdown"]
        for k, edit in enumerate(self.edits):
            if edit.kind == "breakdown":
                before = max((j for j in given if j < k), default=k)
                after = min((j for j in given if j > k), default=k)
                way = self.manifold.minus(found[after], found[before])
                found[k] = self.manifold.plus(found[before], (edit.share or 0.0) * way)
        return found

    def changed(self, times: Array, below: Array, mode: str, fade: float) -> tuple[Array, Array]:
        """Which of the times (T,) the keys reach, and the joint's coordinates there."""
        own = self.times
        fade = felt(fade, own)
        reached = (times > own[0] - fade) & (times < own[-1] + fade)
        at, under = times[reached], below[reached]
        if mode == "override":
            wanted = easing.interpolate(self.manifold, own, self.values, self._eases, at, self._tangents)
            weight = easing.smooth(1.0 - np.maximum(own[0] - at, at - own[-1]) / fade)
            away = self.manifold.minus(wanted, under)
            return reached, np.asarray(self.manifold.plus(under, weight[:, None] * away))
        shift = self.manifold.minus(self.values, self.below(own))  # (K, nv)
        still = np.zeros((1, self.manifold.nv))
        line = ProductManifold([self.manifold.nv])
        moments = np.concatenate([[own[0] - fade], own, [own[-1] + fade]])
        heights = np.concatenate([still, shift, still])
        eases = ["smooth", *self._eases[:-1], "smooth", "smooth"]
        tangents = [(None, None), *self._tangents, (None, None)]
        added = easing.interpolate(line, moments, heights, eases, at, tangents)
        return reached, np.asarray(self.manifold.plus(under, added))

    @property
    def _eases(self) -> list[str]:
        return [edit.ease for edit in self.edits]

    @property
    def _tangents(self) -> Sequence[tuple[float | None, float | None]]:
        return [(edit.arrive, edit.leave) for edit in self.edits]

    def _given(self, edit: PoseEdit) -> Array:
        value = np.array(edit.joints[self.name], dtype=np.float64)
        where = f"field 'edits': {self.name!r} at {edit.time:g} s"
        if value.shape != (self.manifold.nq,):
            raise InputError(f"{where}: {self.manifold.nq} numbers are expected, not {len(value)}")
        checked(value, where, (None,), most=FARTHEST)
        slots = self.manifold.rotation_slots[0]
        if slots.size and np.abs(np.linalg.norm(value[slots], axis=-1) - 1.0).max() > _UNIT:
            raise InputError(
                f"{where}: a rotation is a quaternion w, x, y, z of length 1, not {value.tolist()}"
            )
        return np.asarray(self.manifold.normalise(value))
