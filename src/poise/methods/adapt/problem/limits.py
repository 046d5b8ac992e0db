"""What a body can do: joint limits, and limbs that never quite straighten.

Joints with limits keep them. A ball without any (most captured skeletons) stays within what the clip shows of
it and 0.8 rad more, about its mean: far targets cannot wind it up. Where the clip itself goes beyond a limit,
the limit gives way to the clip.

A knee or an elbow at full stretch accelerates without bound; the distance from hip to ankle stays below
99.5 % of the leg's length, unless the clip has it longer.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.character import Character, Point
from poise.character.labels import roles
from poise.kinematics import Kinematics
from poise.manifold import so3
from poise.manifold.product import ROTATION
from poise.methods.adapt.rows.kernels import LENGTH
from poise.methods.adapt.rows.rows import LEVER, LIMITS, PER_SECOND, STRENGTH, Block, joint_rows
from poise.motion import Clip

MARGIN = 0.8
"""How far beyond the clip's own range a joint without limits may turn [rad]."""
STRETCH = 0.995
"""Part of its length that a limb may be stretched to."""
OVER = 0.01
"""What counts as beyond a limit [rad, m]."""
LIMBS = (("thigh", "shin", "foot"), ("upper_arm", "forearm", "hand"))


def limit_block(clip: Clip, free: list[int]) -> Block | None:
    """Rows of all limited joints that may move; None where there are none."""
    character = clip.character
    kinds, whats, numbers, ends = [], [], [], []
    low, high, seen = [], [], []
    for i in free:
        if int(character.parents[i]) < 0:
            continue
        centre, lower, upper = _range(clip, i)
        kind, what, number, end = joint_rows(character, i, centre)
        own = _coordinates(clip, i, centre)  # (F, k)
        keep = np.isfinite(lower) | np.isfinite(upper)
        if keep.any():
            kinds.append(kind[keep])
            whats.append(what[keep])
            numbers.append(number[keep])
            ends += [e for e, k in zip(end, keep) if k]
            low.append(np.minimum(lower, own)[:, keep])
            high.append(np.maximum(upper, own)[:, keep])
            seen.append(own[:, keep])
    if not kinds:
        return None
    lower, upper = np.concatenate(low, axis=1), np.concatenate(high, axis=1)
    weight = STRENGTH * clip.dt * PER_SECOND * LEVER["rad"] ** 2
    return Block(
        LIMITS,
        np.asarray(clip.times),
        np.arange(clip.frames),
        np.concatenate(kinds),
        np.concatenate(whats),
        np.concatenate(numbers)[None],
        np.zeros(lower.shape),
        lower,
        upper,
        np.full(lower.shape[1], weight),
        np.full(lower.shape[1], LEVER["rad"]),
        0.0,
        None,
        tuple(ends),
    )


def exceeded(block: Block, clip: Clip) -> dict[str, float]:
    """Joints of a motion that are beyond the limits of ``limit_block``, and how far [rad, m]."""
    found: dict[str, float] = {}
    for k, (body, _) in enumerate(block.ends):
        own = _coordinates(clip, body, block.numbers[0, k, :4])[:, block.what[k, 2]]
        over = float(np.maximum(own - block.upper[:, k], block.lower[:, k] - own).max())
        name = clip.character.names[body]
        if over > max(OVER, found.get(name, 0.0)):
            found[name] = over
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def _range(clip: Clip, body: int) -> tuple[Array | None, Array, Array]:
    """Centre of a ball's limits (None: neutral), lower and upper (k,)."""
    character = clip.character
    span = character.dofs(body)
    lower, upper = character.lower[span], character.upper[span]
    joint = character.bodies[body].joint
    if joint.limited or joint.kind.blocks != (ROTATION,):
        return None, lower, upper
    q = clip.q[:, character.coordinates(body)]
    aligned = q * np.where(q @ q[0] < 0, -1.0, 1.0)[:, None]
    centre = so3.normalise(aligned.mean(axis=0))
    own = so3.log(so3.multiply(so3.conjugate(centre), q))
    return centre, own.min(axis=0) - MARGIN, own.max(axis=0) + MARGIN


def _coordinates(clip: Clip, body: int, centre: Array | None) -> Array:
    """Exponential coordinates of a joint over the clip, (F, k)."""
    character = clip.character
    q = clip.q[:, character.coordinates(body)]
    parts, at = [], 0
    for size in character.bodies[body].joint.kind.blocks:
        if size == ROTATION:
            turn = q[:, at : at + 4]
            parts.append(so3.log(turn if centre is None else so3.multiply(so3.conjugate(centre), turn)))
            at += 4
        else:
            parts.append(q[:, at : at + size])
            at += size
    return np.concatenate(parts, axis=1) if parts else np.zeros((clip.frames, 0))


def stretch_blocks(clip: Clip) -> list[Block]:
    """One row per frame for each arm and leg that the skeleton is known to have."""
    character = clip.character
    known = roles(character)
    kin = Kinematics(character, clip.q)
    found = []
    for side in ("left", "right"):
        for upper, lower, tip in LIMBS:
            bodies = [known.get(f"{side} {part}") for part in (upper, lower, tip)]
            if None in bodies:
                continue
            first, middle, last = (int(b) for b in bodies if b is not None)
            length = bones(character, first, middle) + bones(character, middle, last)
            own = np.linalg.norm(kin.positions[:, last] - kin.positions[:, first], axis=1)
            most = np.maximum(STRETCH * length, own)[:, None]  # (F, 1)
            found.append(_stretch(clip, f"stretch of the {side} {upper}", first, last, most))
    return found


def bones(character: Character, first: int, last: int) -> float:
    """Length of the way down the tree from one body to another [m]."""
    length = 0.0
    while last != first and last >= 0:
        length += float(np.linalg.norm(np.asarray(character.bodies[last].offset)))
        last = int(character.parents[last])
    return length


def _stretch(clip: Clip, name: str, first: int, last: int, most: Array) -> Block:
    a, b = Point(last, np.zeros(3)), Point(first, np.zeros(3))
    return Block(
        name,
        np.asarray(clip.times),
        np.arange(clip.frames),
        np.full(1, LENGTH),
        np.array([[a.body, b.body, 0]]),
        np.zeros((1, 1, 9)),
        np.zeros((clip.frames, 1)),
        np.full((1, 1), -np.inf),
        most,
        np.full(1, STRENGTH * clip.dt * PER_SECOND),
        np.ones(1),
        0.0,
        None,
        ((a.body, b.body),),
    )
