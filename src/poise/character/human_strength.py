"""How strong people are: peak joint torques per body mass, by role.

Rough values for a fit grown-up, rounded up from what textbooks of biomechanics and of strength testing give
for isometric and slow maximal efforts and for jumping, sprinting and landing: good enough to tell an effort
from a miracle, not one athlete from another. Toes are left out: what they bear depends on where within them
the floor pushes.
"""

from __future__ import annotations

from collections.abc import Sequence

from poise.character import Character
from poise.character.labels import parts, roles
from poise.character.naming import Part

PEAK = {
    "hip": 5.5,
    "knee": 5.0,
    "ankle": 4.5,
    "back": 6.0,
    "neck": 1.2,
    "shoulder": 2.2,
    "elbow": 1.4,
    "wrist": 0.6,
}
"""[N·m per kg of the whole body]"""
_JOINT = {
    Part.THIGH: "hip",
    Part.SHIN: "knee",
    Part.FOOT: "ankle",
    Part.SPINE: "back",
    Part.NECK: "neck",
    Part.HEAD: "neck",
    Part.CLAVICLE: "shoulder",
    Part.UPPER_ARM: "shoulder",
    Part.FOREARM: "elbow",
    Part.HAND: "wrist",
}


_HANGS_ON = {
    Part.SHIN: Part.THIGH,
    Part.FOOT: Part.SHIN,
    Part.FOREARM: Part.UPPER_ARM,
    Part.HAND: Part.FOREARM,
}


def is_human(character: Character) -> bool:
    """Whether the skeleton has what the table is about, two legs and two arms, and no tail."""
    found = roles(character)
    if {Part.TAIL, Part.FORELEG, Part.WING} & set(parts(character)):
        return False
    wanted = [f"{side} {part}" for side in ("left", "right") for part in ("thigh", "shin", "upper_arm")]
    return all(role in found for role in wanted)


def joint_limits(character: Character) -> dict[int, tuple[str, float]]:
    """Body index → kind of joint and peak torque [N·m], for joints that the table knows."""
    if not is_human(character):
        return {}
    found = parts(character)
    return {
        i: (_JOINT[part], PEAK[_JOINT[part]] * character.total_mass)
        for i, part in enumerate(found)
        if part in _JOINT and character.bodies[i].joint.nv and _is_limb(character, found, i)
    }


def _is_limb(character: Character, found: Sequence[Part | None], body: int) -> bool:
    """Whether a joint belongs to the body: it moves mass, and a foot hangs on a shin. Helpers and targets of
    IK do not."""
    if (
        character.parents[body] < 0
        or not sum(character.bodies[k].mass.mass for k in character.subtree(body)) > 0
    ):
        return False
    above, up = _HANGS_ON.get(found[body] or Part.SPINE), int(character.parents[body])
    for _ in range(len(found)):
        if above is None or up < 0 or found[up] is above:
            break
        up = int(character.parents[up])
    return above is None or up >= 0
