"""The pose in which two skeletons are compared: at rest where the figure rests like a person, else one of
its motion.

Some files rest with all bones along one axis, or curled up. Such a rest says nothing of how limbs lie to each
other. Then that frame of the motion stands for it which is nearest to a person who stands: thighs down, knees
and elbows straight, trunk over the hips.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.character.facing import left_of, stands
from poise.character.feet_at_rest import feet_at_rest
from poise.character.labels import roles
from poise.character.placement import BodyPlaces
from poise.motion import Clip

DOWN = 0.3
"""Cosine between thighs and the way down the trunk that a natural rest has at least."""
STRAIGHT = -0.2
"""Cosine between the bones of a knee or an elbow that it has at least: bent by a right angle and a little."""
FRAMES = 400
"""So many frames are looked at."""


def reference(character: Character, clip: Clip | None) -> BodyPlaces:
    """Places (n, 3) and turns (n, 3, 3) of all bodies in the pose that stands for how the figure is built."""
    rest = feet_at_rest(character)
    if clip is None or clip.frames < 2 or natural(character, rest.positions):
        return rest
    some = np.unique(np.linspace(0, clip.frames - 1, FRAMES).astype(int))
    found = character.placement(clip.q[some])
    best = int(np.argmax(_ease(character, found.positions)))
    if not natural(character, found.positions[best]):
        return rest
    return BodyPlaces(found.positions[best], found.rotations[best])


def natural(character: Character, places: Array) -> bool:
    """Whether limbs lie as a person's may: thighs below the trunk, no joint folded. Unknown bodies pass."""
    down, bends = _shape(character, np.asarray(places)[None])
    return bool((down >= DOWN).all() and (bends >= STRAIGHT).all())


def frame_of(character: Character, pose: BodyPlaces) -> Array | None:
    """The figure's own axes (3, 3) as columns: ahead, left, up; None where it has no two sides."""
    known = roles(character)
    at = pose.positions
    pairs = [(known.get(f"left {p}"), known.get(f"right {p}")) for p in ("thigh", "upper_arm")]
    sides = [at[a] - at[b] for a, b in pairs if a is not None and b is not None]
    if not sides and pose.positions is feet_at_rest(character).positions:
        sides = left_of(character)
    left = sum((s / max(float(np.linalg.norm(s)), 1e-12) for s in sides), np.zeros(3))
    resting = pose.positions is feet_at_rest(character).positions
    up = np.array([0.0, 0.0, 1.0])
    middle = [0.5 * (at[a] + at[b]) for a, b in pairs if a is not None and b is not None]
    if len(middle) == 2 and not (resting and stands(character)):
        up = middle[1] - middle[0]
    size = float(np.linalg.norm(up))
    left = left - (left @ up) * up / size**2 if size > 0 else left
    if float(np.linalg.norm(left)) < 1e-6 or size < 1e-6:
        return None
    left, up = left / np.linalg.norm(left), up / size
    return np.column_stack([np.cross(left, up), left, up])


def _shape(character: Character, places: Array) -> tuple[Array, Array]:
    """Cosines of thighs to the way down (F, …) and between the bones of knees and elbows (F, …)."""
    known = roles(character)
    down, bends = [np.ones(len(places))], [np.ones(len(places))]
    trunk = None
    if all(f"{s} {p}" in known for s in ("left", "right") for p in ("upper_arm", "thigh")):
        hips, chest = (
            places[:, known[f"left {p}"]] + places[:, known[f"right {p}"]] for p in ("thigh", "upper_arm")
        )
        trunk = _unit(hips - chest)
    for side in ("left", "right"):
        for names in (("thigh", "shin", "foot"), ("upper_arm", "forearm", "hand")):
            bodies = [known.get(f"{side} {n}") for n in names]
            if None in bodies:
                continue
            a, b, c = (places[:, int(i)] for i in bodies if i is not None)
            bends.append(np.sum(_unit(b - a) * _unit(c - b), axis=1))
            if trunk is not None and names[0] == "thigh":
                down.append(np.sum(_unit(b - a) * trunk, axis=1))
    return np.array(down), np.array(bends)


def _ease(character: Character, places: Array) -> Array:
    """How near each pose (F,) is to a person who stands."""
    down, bends = _shape(character, places)
    return np.asarray(down.sum(axis=0) + bends.sum(axis=0) + 2.0 * np.minimum(down.min(axis=0), 0.5))


def _unit(v: Array) -> Array:
    return np.asarray(v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-12))
