"""What a displacement says, on a clip: which joints move on which curves, and which keys stay.

Displacements are solved one after the other, each on top of what those before it made of the motion:
q(t) ⊕ d₁(t) ⊕ d₂(t) …. A coarse one keeps the look of the motion, a fine one on few joints makes what was
promised exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, checked
from poise.character import Character
from poise.curves import BSpline, InterpolatingCubic, Linear
from poise.errors import InputError
from poise.motion import Clip
from poise.operations.values.displacement import CurveKeys, Displacement

MOST_KEYS = 1_000_000
"""Keys of one curve: more are a slip of the keyboard, and would fill the memory before the solver starts."""
Curve = BSpline | InterpolatingCubic | Linear


def bodies_of(asked: Displacement, character: Character, free: Sequence[int]) -> list[int]:
    """Bodies that a displacement may move; ``free`` are those that move where it does not say."""
    return sorted({int(character.dof_body[i]) for i in _dofs(asked, character, free)})


def curves_of(asked: Displacement, clip: Clip, free: Sequence[int]) -> list[tuple[Curve, list[int]]]:
    """Bases of curves with the degrees of freedom that move on each; ``free`` are bodies that may move."""
    left = _dofs(asked, clip.character, free)
    by_pattern = asked.key_spacing if isinstance(asked.key_spacing, Mapping) else {"*": asked.key_spacing}
    found = []
    for pattern, keys in by_pattern.items():
        own = [i for i in matching_dofs(clip.character, pattern) if i in left]
        left = [i for i in left if i not in own]
        if own:
            found.append((_curve(asked, clip, keys), own))
    return found


def locks_of(
    asked: Displacement, character: Character, dofs: NDArray[Any], centres: Array
) -> NDArray[np.bool_]:
    """(dofs, K): which keys, at ``centres`` (K,), of which degrees of freedom (by body) stay at zero."""
    locked = np.zeros((len(dofs), len(centres)), dtype=bool)
    by_pattern = asked.locked if isinstance(asked.locked, Mapping) else {"*": asked.locked}
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


def _dofs(asked: Displacement, character: Character, free: Sequence[int]) -> list[int]:
    """Degrees of freedom that a displacement may move."""
    own = [i for i in range(character.nv) if character.dof_body[i] in free]
    if asked.joints is not None:
        own = sorted(set(matching_dofs(character, asked.joints)))
    if isinstance(asked.key_spacing, Mapping):
        keyed = set(matching_dofs(character, asked.key_spacing))
        own = [i for i in own if i in keyed]
    return own


def _curve(asked: Displacement, clip: Clip, keys: float | Sequence[float] | CurveKeys) -> Curve:
    if isinstance(keys, CurveKeys):
        return _on(checked(keys.times, "keys", (None,)), keys.basis, keys.ends)
    end = clip.duration
    if end <= 0:
        raise InputError(f"{clip.name!r} has a single frame: displacement curves need time")
    ends: str = asked.ends
    if ends == "auto":
        ends = "periodic" if clip.loop else "free"
    if ends == "periodic" and not clip.loop:
        raise InputError(f"{clip.name!r} is not a loop: its displacement cannot be periodic")
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
    return _on(times, asked.basis, ends)


def _on(times: Array, basis: str, ends: str) -> Curve:
    """A basis of curves with keys at times."""
    if basis == "linear":
        return Linear(times, ends)
    if basis == "cubic":
        return InterpolatingCubic(times, "natural" if ends == "free" else ends)
    return BSpline.at_keys(times, ends=ends)
