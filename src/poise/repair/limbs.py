"""Limbs: feet and hands drawn along paths, by the smallest change of the legs and arms that carry them.

A repair that moves the body must leave what stands where it stood. Each point p of a foot is then drawn along

    x_p(t) = w(t) x⁰_p(t) + (1 − w(t)) x¹_p(t)

with x⁰ its path before, x¹ its path with the body moved, and w = 1 while the foot touches, fading to 0 where
it swings. A repair that moves a foot moves all its points alike, so it rolls as it did. The limb follows by
adaptation over the frames concerned. The root stays out of it: a body that sways so that a foot may stand
would need a push from nowhere.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.constraints import Path, pin
from poise.contacts.differentiated_clip import runs
from poise.contacts.ends import FEW
from poise.handles.place import On
from poise.kinematics import Kinematics
from poise.methods.adapt.adapt import adapted
from poise.methods.adapt.problem.requirements import free_joints
from poise.motion import Clip, operators
from poise.operations.adapt import Adapt
from poise.plausibility.physics import Physics
from poise.repair.blend import SHORT, fade
from poise.repair.proposal import Unmendable

SETTLED = 1e-4
"""Limbs that are no further off than this need no help [m]."""
KEYS = 0.1
"""Distance of keys of the change, in windows that are long enough [s]."""
APART = 0.1
"""Windows that are less than this apart are one [s]."""


def limb_joints(physics: Physics, part: str) -> list[str]:
    """Joints that the motion uses and that carry this foot or hand, and no other."""
    patches, character = physics.footing.patches, physics.clip.character
    chains = {}
    for name in physics.footing.limbs:
        chains[name] = {b for k in patches.of_part(name) for b in _upward(character, int(patches.body[k]))}
    others = set().union(*(chain for name, chain in chains.items() if name != part))
    # Helpers of a rig that never move (hip sockets) must not begin to.
    free = [b for b in free_joints(physics.clip) if b and b in chains.get(part, ()) and b not in others]
    return [character.names[b] for b in free]


def feet_back(physics: Physics, q: Array) -> Array:
    """Configurations q (F, nq), whose body was moved, with the feet back where they stood."""
    clip, footing = physics.clip, physics.footing
    patches, reach = footing.patches, round(SHORT / clip.dt)
    now = patches.places(Kinematics(clip.character, q))
    for part in footing.feet:
        down = footing.part_touches(part)
        if down.any():
            weight = fade(down, reach)[:, None]
            own = patches.of_part(part)
            off = {patches.names[k]: weight * (footing.places[:, k] - now[:, k]) for k in own}
            q = _drawn(physics, q, part, off)
    return q


def limbs_moved(physics: Physics, q: Array, ways: Mapping[str, Mapping[str, Array]]) -> Array:
    """Configurations q (F, nq) with the patches of feet and hands moved: part → patch → way (F, 3) [m]."""
    for part, off in ways.items():
        q = _drawn(physics, q, part, off)
    return q


def as_whole(physics: Physics, part: str, way: Array) -> dict[str, Array]:
    """The patches of a part, all moved alike (F, 3) [m]."""
    patches = physics.footing.patches
    return {patches.names[k]: way for k in patches.of_part(part)}


def _drawn(physics: Physics, q: Array, part: str, off: Mapping[str, Array]) -> Array:
    """q with the patches of a part moved by ``off`` (F, 3) each, where that is anything."""
    clip, joints = physics.clip.with_q(q), limb_joints(physics, part)
    far = np.max([np.abs(way).max(axis=1) for way in off.values()], axis=0)
    if not joints or far.max() < SETTLED:
        return q
    if clip.frames <= FEW:
        raise Unmendable(f"{clip.frames} frames are poses, not a motion that a limb could follow")
    patches = physics.footing.patches
    now, busy = patches.places(Kinematics(clip.character, clip.q)), far > 1e-9
    for a, b in runs(~busy):
        if a > 0 and b < clip.frames - 1 and (b - a + 1) * clip.dt < APART:
            busy[a : b + 1] = True
    out = np.array(clip.q)
    for a, b in runs(busy):
        a, b = max(a - 2, 0), min(b + 2, clip.frames - 1)
        paths = {}
        for name, way in off.items():
            k = patches.names.index(name)
            spot = On(clip.character.names[int(patches.body[k])], tuple(patches.place[k].tolist()))
            paths[spot] = now[a : b + 1, k] + way[a : b + 1]
        out[a : b + 1] = _followed(clip, a, b, paths, joints)
    return out


def _followed(clip: Clip, first: int, last: int, paths: Mapping[On, Array], joints: list[str]) -> Array:
    """Frames first … last with points along paths; nothing changes at ends that are not the clip's."""
    # Adaptation sees the window and, where the clip goes on, a frame more: there its curves have ended.
    low, high = max(first - 1, 0), min(last + 1, clip.frames - 1)
    part = operators.trim(clip, frames=(low, high))
    times = np.asarray(part.times[first - low : last + 1 - low])
    span = (float(times[0]), float(times[-1]))
    pins = [pin(spot, Path(times, path), span) for spot, path in paths.items()]
    keys = min(KEYS, (span[1] - span[0]) / 10)
    # By joints, not by what is seen to move: a thigh that twists shows in the skin, though no bone moves.
    asked = Adapt(plants=False, joints=tuple(joints), key_spacing=keys, objective="joints")
    found = adapted(part, pins, asked, within=span)
    return np.asarray(found.clip.q[first - low : last + 1 - low])


def _upward(character: Character, body: int) -> list[int]:
    chain = []
    while body >= 0:
        chain.append(body)
        body = int(character.parents[body])
    return chain
