"""A layer of change: which joints may move, with keys where, on which kind of curve.

Layers are solved one after the other, each on top of what those before it made of the motion:
q(t) ⊕ d₁(t) ⊕ d₂(t) …. A coarse layer keeps the look of the motion, a fine one on few joints makes what
was promised exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, checked
from poise.character import Character
from poise.curves import Basis, BSpline, InterpolatingCubic, Linear
from poise.curves.basis import checked_option
from poise.errors import InputError
from poise.motion import Clip

BASES = ("bspline", "cubic", "linear")
ENDS = ("auto", "free", "zero", "periodic")

Keys = float | Sequence[float] | Array
"""How far apart [s], or when [s]."""
Locks = Sequence[float | tuple[float, float]]
"""Times, or intervals, whose keys stay at zero [s]."""


@dataclass(frozen=True, eq=False)
class Layer:
    """One displacement curve, as the animator asks for it."""

    keys: Keys | Mapping[str, Keys] = 0.1
    """Spacing or times of keys, for all joints or by pattern of joints (those not named do not move)."""
    basis: str = "bspline"
    joints: Sequence[str] | None = None
    """Patterns of joints that may move; None: all that the character really uses."""
    ends: str = "auto"
    """"zero": no change at the first and last key; "periodic" closes loops (and is their "auto")."""
    locked: Locks | Mapping[str, Locks] = ()
    """Where keys stay at zero, for all joints or by pattern."""
    strength: float = 1.0
    """How much harder constraints pull on this layer than usual."""
    smoothness: float = 1e-2
    """Price of bending the displacement over a tenth of a second, beside moving the body as far."""
    knees: float = 300.0
    """How much dearer that is for knees: in a leg nearly straight they turn far for little, and pop."""

    def __post_init__(self) -> None:
        checked_option(self.basis, "basis", BASES)
        checked_option(self.ends, "ends", ENDS)
        for name in ("strength", "smoothness", "knees"):
            value = getattr(self, name)
            if not (np.isfinite(value) and value >= 0 and (value > 0 or name != "strength")):
                raise InputError(f"a layer's {name} must be positive, not {value}")

    def bodies(self, character: Character, free: Sequence[int]) -> list[int]:
        """Bodies that this layer may move; ``free`` are those that move where it does not say."""
        if self.joints is not None:
            free = sorted(set(matching(character, self.joints)))
        if isinstance(self.keys, Mapping):
            keyed = set(matching(character, self.keys))
            free = [i for i in free if i in keyed]
        return list(free)

    def bases(self, clip: Clip, free: Sequence[int]) -> list[tuple[Basis, list[int]]]:
        """Curve bases with the bodies that move on each; ``free`` are the bodies that may move."""
        character = clip.character
        free = self.bodies(character, free)
        if not isinstance(self.keys, Mapping):
            return [(self._basis(clip, self.keys), free)]
        found, taken = [], set[int]()
        for pattern, keys in self.keys.items():
            bodies = [i for i in matching(character, pattern) if i in free and i not in taken]
            taken |= set(bodies)
            if bodies:
                found.append((self._basis(clip, keys), bodies))
        return found

    def _basis(self, clip: Clip, keys: Keys) -> Basis:
        end = clip.duration
        if end <= 0:
            raise InputError(f"{clip.name!r} has a single frame: displacement curves need time")
        ends = self.ends
        if ends == "auto":
            ends = "periodic" if clip.loop else "free"
        if ends == "periodic" and not clip.loop:
            raise InputError(f"{clip.name!r} is no loop: its displacement cannot be periodic")
        if isinstance(keys, int | float | np.number):
            if not (np.isfinite(keys) and keys > 0):
                raise InputError(f"keys must be a positive distance [s] or increasing times, not {keys}")
            least = 3 if ends == "periodic" else 2 if ends == "zero" else 1
            times = np.linspace(0.0, end, max(least, round(end / float(keys))) + 1)
        else:
            times = checked(keys, "keys", (None,))
            inside = len(times) and times[0] <= 1e-9 and times[-1] >= end - 1e-9
            if ends == "free" and not inside:
                ends = "zero"  # keys that do not span the clip fade out at their ends
        if self.basis == "linear":
            return Linear(times, ends)
        if self.basis == "cubic":
            return InterpolatingCubic(times, "natural" if ends == "free" else ends)
        return BSpline.at_keys(times, ends=ends)

    def locks(self, character: Character, dofs: NDArray[Any], centres: Array) -> NDArray[np.bool_]:
        """(dofs, K): which keys, at ``centres`` (K,), of which degrees of freedom (by body) stay at zero."""
        locked = np.zeros((len(dofs), len(centres)), dtype=bool)
        by_pattern = self.locked if isinstance(self.locked, Mapping) else {"*": self.locked}
        for pattern, when in by_pattern.items():
            mine = np.isin(character.dof_body[dofs], matching(character, pattern))
            for item in when:
                low, high = item if isinstance(item, tuple | list) else (item, item)
                if high > low:
                    held = (centres >= low - 1e-9) & (centres <= high + 1e-9)
                else:  # a time: the key nearest to it
                    held = np.arange(len(centres)) == np.argmin(np.abs(centres - low))
                locked |= mine[:, None] & held
        return locked


def matching(character: Character, patterns: str | Iterable[str]) -> list[int]:
    """Bodies that match any of the patterns; a joint's own name means that joint alone."""
    given = [patterns] if isinstance(patterns, str) else patterns
    exact = set(character.names)
    return [i for p in given for i in ([character.index(p)] if p in exact else character.select(p))]
