"""Feet that hang beside the legs, as rigs for inverse kinematics have them, hung under the shins.

In many game rigs a foot is a child of the root: a leg reached for it, and the file holds where it went.
What works on legs needs a leg that carries its foot. ``hanging`` makes that character: the same bodies in
the same places, each such foot under its shin by a free joint, so that nothing of a motion is lost. What was
done to it goes back to the file's own joints.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from poise.arrays import Array
from poise.character import Character, JointKind
from poise.character.labels import roles
from poise.manifold import so3
from poise.motion.clip import Clip

SOCKET = 3e4
"""How much dearer than it looks it is to pull a bone from its socket."""


@dataclass(frozen=True, eq=False)
class Hanging:
    """A character, and the same with its feet under its shins."""

    own: Character
    hung: Character
    feet: tuple[tuple[str, str, str], ...]
    """Each foot, its shin, and what it hangs from in the file."""

    @property
    def prices(self) -> dict[str, float]:
        """Prices that keep feet at their ankles."""
        return {f"{foot}.{axis}": SOCKET for foot, _, _ in self.feet for axis in "xyz"}

    def there(self, clip: Clip) -> Clip:
        """The same motion of the character whose legs carry its feet; clips of that one pass."""
        if clip.character is not self.own:
            return clip
        return Clip(
            self.hung, self.poses(clip.q), clip.rate, loop=clip.loop, travel=clip.travel, name=clip.name,
            source=clip.source,
        )  # fmt: skip

    def back(self, clip: Clip, like: Clip | None = None) -> Clip:
        """The same motion of the file's own joints; ``like``: the clip that it came from."""
        q = self.own_poses(clip.q)
        if like is not None:
            return like.with_q(q)
        return Clip(
            self.own, q, clip.rate, loop=clip.loop, travel=clip.travel, name=clip.name, source=clip.source
        )

    def poses(self, q: Array) -> Array:
        """Configurations (F, nq) of the character whose legs carry its feet."""
        return self._moved(self.own, self.hung, q, [(foot, shin) for foot, shin, _ in self.feet])

    def own_poses(self, q: Array) -> Array:
        """Configurations (F, nq) of the file's own joints."""
        return self._moved(self.hung, self.own, q, [(foot, above) for foot, _, above in self.feet])

    @staticmethod
    def _moved(one: Character, other: Character, q: Array, feet: list[tuple[str, str]]) -> Array:
        """Joints as they are; feet where they are, told from what they hang from in the other."""
        q = np.asarray(q)
        out = np.empty((len(q), other.nq))
        for name in one.names:
            out[:, other.coordinates(name)] = q[:, one.coordinates(name)]
        places = one.placement(q)
        for foot, above in feet:
            i, k = one.index(foot), one.index(above)
            turns = places.rotations[:, k]
            arm = np.einsum("fji,fj->fi", turns, places.positions[:, i] - places.positions[:, k])
            turn = so3.from_matrix(turns.transpose(0, 2, 1) @ places.rotations[:, i])
            out[:, other.coordinates(foot)] = np.column_stack([arm, so3.continuous(turn)])
        return out


@lru_cache(maxsize=8)
def hanging(character: Character) -> Hanging | None:
    """The character with its feet under its shins; None where they are, or where a foot cannot move so."""
    known, feet = roles(character), []
    for side in ("left", "right"):
        foot, shin = known.get(f"{side} foot"), known.get(f"{side} shin")
        if foot is None or shin is None or foot in character.subtree(shin) or shin in character.subtree(foot):
            continue
        if foot == 0 or character.bodies[foot].joint.kind is not JointKind.FREE:
            return None
        feet.append((foot, shin))
    if not feet:
        return None
    at, turns = character.rest_placement()
    bodies = list(character.bodies)
    for foot, shin in feet:
        arm = turns[shin].T @ (at[foot] - at[shin])
        rest = so3.from_matrix(turns[shin].T @ turns[foot])
        bodies[foot] = bodies[foot].replaced(
            parent=character.names[shin], offset=tuple(arm), rest=tuple(rest)
        )
    hung = Character(character.name, bodies, mass_source=character.mass_source, notes=character.notes)
    names = character.names
    told = tuple((names[f], names[s], names[int(character.parents[f])]) for f, s in feet)
    return Hanging(character, hung, told)
