"""A clip with keys of joints on top."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from poise import constraints
from poise.arrays import Array
from poise.constraints import Constraint
from poise.errors import InputError, UnknownNameError
from poise.manifold import ProductManifold
from poise.methods.key.edits.held_points import carrying
from poise.methods.key.edits.joint_keys import JointKeys
from poise.motion import Clip
from poise.operations.retouch import Retouch

APART = 1e-6
"""Two keys of a joint are further apart than this [s]."""
NAMED = 6
"""So many keys outside a clip are named one by one."""


def retouched(asked: Retouch, clip: Clip, frames: Sequence[int] | None = None) -> Array:
    """Configurations of all frames, or of some, (k, nq)."""
    chosen = np.arange(clip.frames) if frames is None else np.asarray(frames)
    times, q = clip.times[chosen], np.array(clip.q[chosen])
    for keys in keys_of(asked, clip):
        part, fade = clip.character.coordinates(keys.name), asked.fade
        if clip.loop:  # over the seam, a fade ends at the latest at the key that is next there
            fade = min(fade, max(clip.duration - float(np.ptp(keys.times)), APART))
        for round_ in (0, 1, -1) if clip.loop else (0,):  # keys act over the seam
            here = _cycles_on(clip, q, round_, part)
            reached, values = keys.changed(times + round_ * clip.duration, here[:, part], asked.mode, fade)
            here[reached, part] = values
            q[reached, part] = _cycles_on(clip, here[reached], -round_, part)[:, part]
    return q


def _cycles_on(clip: Clip, q: Array, cycles: int, part: slice) -> Array:
    """Configurations (k, nq) as they are so many rounds later, where the joint is a root that travels."""
    if not cycles or part != clip.character.coordinates(0):
        return np.array(q)
    return np.array(clip.travel.apply(clip.character, q, cycles))


def keys_of(asked: Retouch, clip: Clip) -> list[JointKeys]:
    """Keys by joint, those of the lowest body first."""
    character = clip.character
    named = dict.fromkeys(joint for edit in asked.edits for joint in edit.joints)
    for joint in named:
        if joint not in character.names:
            raise UnknownNameError("joint", joint, character.names, where="edits")
        if not character.bodies[character.index(joint)].joint.kind.nq:
            raise InputError(f"field 'edits': {joint!r} is fixed: it has nothing to key")
    found = []
    for joint in sorted(named, key=character.index):
        edits = tuple(sorted((e for e in asked.edits if joint in e.joints), key=lambda e: e.time))
        for one, other in pairwise(edits):
            if other.time - one.time < APART:
                raise InputError(f"field 'edits': {joint!r} has two keys at {one.time:g} s")
        part = character.coordinates(joint)

        def below(at: Array, part: slice = part) -> Array:
            within = at if clip.loop else np.clip(at, 0.0, clip.times[-1])
            return np.array(clip.sampler.configuration(within)[:, part])

        manifold = ProductManifold(character.bodies[character.index(joint)].joint.kind.blocks)
        found.append(JointKeys(joint, manifold, edits, below))
    return found


def told_outside(asked: Retouch, clip: Clip) -> tuple[str, ...]:
    """Keys of joints and faces that no frame shows as they are set: before the clip or after it; in words.

    They still act on frames that their fade, or the way from the last key within, reaches. Keys of loops come
    again with each cycle.
    """
    if clip.loop:
        return ()
    last, half = float(clip.times[-1]), 0.5 * clip.dt
    keys = [(edit.time, list(edit.joints)) for edit in asked.edits]
    keys += [(key.time, list(key.weights)) for key in asked.morphs]
    keys += [(float(np.clip(last, *p.at)), [f"{p.point} held"]) for p in asked.held if p.at[0] > last]
    keys += [(p.at[1], [f"{p.point} held"]) for p in asked.held if p.at[1] < 0.0]
    outside = sorted((time, names) for time, names in keys if not -half <= time <= last + half)
    if not outside:
        return ()
    said = "; ".join(
        f"{names[0] if len(names) == 1 else f'{len(names)} joints or shapes'} at {time:g} s"
        for time, names in outside[:NAMED]
    )
    more = f"; and {len(outside) - NAMED} more" if len(outside) > NAMED else ""
    return (f"keys outside the clip, which lasts from 0 to {last:g} s, are seen at no frame: {said}{more}",)


def demands(asked: Retouch, clip: Clip) -> tuple[Constraint, ...]:
    """That every key within the clip is as it was set; joints that carry a held point follow it instead."""
    character, last = clip.character, float(clip.times[-1])
    found: dict[float, tuple[Array, list[str]]] = {}
    for keys in keys_of(asked, clip):
        for time, value in zip(keys.times.tolist(), keys.values):
            if 0.0 <= time <= last and keys.name not in carrying(asked.held, clip, time):
                q, joints = found.setdefault(time, (np.array(character.rest_pose()), []))
                q[character.coordinates(keys.name)] = value
                joints.append(keys.name)
    made = []
    for time, (q, joints) in sorted(found.items()):
        who = joints[0] if len(joints) == 1 else f"{len(joints)} joints"
        made.append(constraints.pose(character, q, time, joints=joints, name=f"{who} at {time:.2f} s"))
    return tuple(made)
