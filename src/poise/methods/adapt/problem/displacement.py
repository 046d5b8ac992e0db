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
MOST_KEYS = 1_000_000

Keys = float | Sequence[float] | Array | Basis
"""How far apart [s], or when [s]; or a basis, which is taken as it is."""
Locks = Sequence[float | tuple[float, float]]
"""Times, or intervals, whose keys stay at zero [s]."""


@dataclass(frozen=True, eq=False)
class Layer:
    """One displacement curve, as the animator asks for it."""

    keys: Keys | Mapping[str, Keys] = 0.1
    """Spacing or times of keys, for all joints or by pattern of joints (those not named do not move).

    The name of a single degree of freedom ("Hips.x") is a pattern too; the first that fits counts."""
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
        return sorted({int(character.dof_body[i]) for i in self._dofs(character, free)})

    def bases(self, clip: Clip, free: Sequence[int]) -> list[tuple[Basis, list[int]]]:
        """Curve bases with the degrees of freedom that move on each; ``free`` are bodies that may move."""
        left = self._dofs(clip.character, free)
        by_pattern = self.keys if isinstance(self.keys, Mapping) else {"*": self.keys}
        found = []
        for pattern, keys in by_pattern.items():
            own = [i for i in matching_dofs(clip.character, pattern) if i in left]
            left = [i for i in left if i not in own]
            if own:
                found.append((self._basis(clip, keys), own))
        return found

    def _dofs(self, character: Character, free: Sequence[int]) -> list[int]:
        """Degrees of freedom that this layer may move."""
        own = [i for i in range(character.nv) if character.dof_body[i] in free]
        if self.joints is not None:
            own = sorted(set(matching_dofs(character, self.joints)))
        if isinstance(self.keys, Mapping):
            keyed = set(matching_dofs(character, self.keys))
            own = [i for i in own if i in keyed]
        return own

    def _basis(self, clip: Clip, keys: Keys) -> Basis:
        if isinstance(keys, Basis):
            if not isinstance(keys, BSpline | InterpolatingCubic | Linear):
                raise InputError(f"displacement curves are {', '.join(BASES)}, not {keys!r}")
            return keys
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
            if end / float(keys) > MOST_KEYS:
                raise InputError(f"keys every {keys:g} s are more than {MOST_KEYS:,} for {end:g} s")
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
            mine = np.isin(dofs, matching_dofs(character, pattern))
            for item in when:
                low, high = item if isinstance(item, tuple | list) else (item, item)
                if high > low:
                    held = (centres >= low - 1e-9) & (centres <= high + 1e-9)
                else:  # a time: the key nearest to it
                    held = np.arange(len(centres)) == np.argmin(np.abs(centres - low))
                locked |= mine[:, None] & held
        return locked


def matching_dofs(character: Character, patterns: str | Iterable[str]) -> list[int]:
    """Degrees of freedom that match any of the patterns.

    A joint's own name means that joint alone, that of a degree of freedom ("Hips.x") that one alone.
    """
    found: list[int] = []
    for p in [patterns] if isinstance(patterns, str) else patterns:
        if p in character.dof_names:
            found.append(character.dof_names.index(p))
            continue
        bodies = [character.index(p)] if p in character.names else character.select(p)
        found += [k for i in bodies for k in range(character.nv)[character.dofs(i)]]
    return found
